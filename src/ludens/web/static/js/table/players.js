// Who sits where, who is to move, and what an agent is doing while one waits.

import { el } from "../dom.js";

const DOING = {
  starting: "starting",
  compiling: "getting ready",
  thinking: "thinking",
  solving: "solving the game",
};

/** What an agent does and since when, in words. */
export function progress({ what, since }) {
  const seconds = Math.floor((performance.now() - since) / 1000);
  return seconds >= 1 ? `${DOING[what] ?? what} · ${seconds} s` : (DOING[what] ?? what);
}

export function createPlayers(session) {
  const rows = session.live.seats.map((seat) => {
    const state = el("span", { class: "player-state" });
    const row = el("li", { class: "player", "data-seat": seat.seat },
      el("i", { class: "seat-dot", vars: { "--seat": `var(--seat-${seat.seat})` }, "aria-hidden": "true" }),
      el("span", { class: "player-words" },
        el("strong", { text: seat.name }), " ",
        el("span", { class: "player-label", text: label(session, seat), title: seat.spec })),
      state);
    return { row, state, seat: seat.seat };
  });
  const element = el("ul", { class: "players", "aria-label": "Players" }, rows.map(({ row }) => row));

  function update() {
    const { live, thinking } = session;
    for (const { row, state, seat } of rows) {
      const moves = !live.over && live.mover === seat;
      row.classList.toggle("to-move", moves);
      if (moves) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
      row.classList.toggle("busy", thinking?.seat === seat);
      state.textContent = words(live, seat, moves, thinking);
    }
  }

  session.listen(update);
  const timer = setInterval(() => (session.thinking || session.advising) && session.changed(), 1000);
  update();
  return { element, destroy: () => clearInterval(timer) };
}

function label(session, seat) {
  if (seat.kind !== "person") return seat.label ?? seat.spec;
  return session.persons.length > 1 ? "person" : "you";
}

function words(live, seat, moves, thinking) {
  if (live.over) return live.result.winners.includes(seat) ? "won" : "";
  if (thinking?.seat === seat) return progress(thinking);
  return moves ? "to move" : "";
}
