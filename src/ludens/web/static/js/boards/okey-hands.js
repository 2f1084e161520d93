// What lies open: every hand once the deal is over, the winner's in sets, and all discards in the order they fell.

import { el } from "../dom.js";
import { smallTile } from "./okey-tiles.js";

/** All hands that are in sight face up, the winner's first; without that of the seat whose rack shows it already. */
export function openHands(board, names, except) {
  const open = board.hands.map((_, seat) => seat).filter((seat) => board.hands[seat] && seat !== except);
  const order = open.sort((a, b) => (b === board.winner) - (a === board.winner) || a - b);
  return order.map((seat) => {
    const won = seat === board.winner;
    const sets = won && board.arrangement?.length ? board.arrangement.map((set) => set.tiles) : [board.hands[seat]];
    const how = won ? (board.pairs ? " has won with seven pairs" : " has won with sets") : "";
    return el(
      "section",
      { class: `okey-hand${won ? " okey-winner" : ""}`, "data-hand": seat, "aria-label": `${names[seat]}${how}` },
      el("h3", { class: "okey-hand-name" }, names[seat], won && el("span", { class: "okey-how", text: how.trim() })),
      el(
        "div",
        { class: "okey-open-rack" },
        sets.map((tiles) => el("div", { class: "okey-set", role: "group" }, tiles.map((tile) => drawn(tile, board)))),
      ),
    );
  });
}

/** Every pile from its first tile to its last. */
export function discardLists(board, names) {
  return names.map((name, seat) =>
    el(
      "div",
      { class: "okey-list" },
      el("span", { class: "okey-list-name", text: name }),
      el(
        "div",
        { class: "okey-list-tiles" },
        board.discards[seat].length
          ? board.discards[seat].map((tile) => drawn(tile, board))
          : el("span", { class: "okey-list-none", text: "nothing" }),
      ),
    ),
  );
}

function drawn(tile, board) {
  return smallTile(tile, board.joker, Boolean(tile.wild));
}
