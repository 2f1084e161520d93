// Arena: matches and tournaments between agents, ordered here or in a terminal.

import { agentSelect } from "../agents.js";
import { games, getJson, postJson } from "../api.js";
import { clear, el, newId, stylesheet } from "../dom.js";
import { jobList } from "../jobs.js";
import { counted, number } from "../numbers.js";
import { chip, field, poll } from "../reports.js";
import { recall, remember } from "../settings.js";
import { showTournament } from "../tournament.js";
import { variantForm } from "../variants.js";
import { button } from "../widgets.js";

const LOOKS = 4000; // milliseconds between looks at the list of tournaments

export async function show(main, { path }) {
  const styles = ["new", "reports", "pages-arena", "plot"].map((name) => stylesheet(`/static/css/${name}.css`));
  if (path[0]) {
    await Promise.all(styles);
    return showTournament(main, path[0]);
  }
  const [known] = await Promise.all([games(), ...styles]);
  const jobs = jobList(["match", "tournament"], { empty: "Nothing has been ordered yet. Two jobs run at a time; others wait here." });
  const tournaments = tournamentList();
  clear(main).append(el("div", { class: "report" },
    el("header", { class: "report-head" },
      el("h1", { text: "Arena" }),
      el("p", { class: "lead", text: "Let agents meet: a match says who is better and how sure that is, a tournament ranks many." })),
    el("div", { class: "columns" },
      orders(known, jobs),
      el("div", { class: "stack" },
        el("section", { class: "stack", "aria-labelledby": "jobs-title" }, el("h2", { id: "jobs-title", text: "Ordered here" }), jobs.element),
        el("section", { class: "stack", "aria-labelledby": "tournaments-title" }, el("h2", { id: "tournaments-title", text: "Tournaments" }), tournaments.element)))));
  return () => {
    jobs.close();
    tournaments.close();
  };
}

/** The form: a game and its variant, then a match or a tournament. */
function orders(known, jobs) {
  const last = recall("arena", {});
  const id = newId("game");
  const room = el("div", { class: "stack" });
  const picker = el("select", { id, value: last.game ?? known[0].id, on: { change: () => fill() } },
    known.map((game) => el("option", { value: game.id, text: game.title })));

  function fill() {
    const game = known.find((each) => each.id === picker.value) ?? known[0];
    remember("arena", { game: game.id });
    const variant = variantForm(game.options, () => {});
    const seed = whole("Seed", 0, { min: 0, help: "Draws everything that is random." });
    const common = () => ({ game: game.id, variant: variant.value(), seed: seed.value() });
    const forms = { match: matchForm(game, variant.value, common, jobs), tournament: tournamentForm(game, variant.value, common) };
    clear(room).append(
      ...switched("What to order", { match: "Match", tournament: "Tournament" }, forms),
      el("details", { class: "more" },
        el("summary", { text: "Variant and seed" }),
        el("div", { class: "stack" }, game.options.length ? variant.element : null, seed.element)));
  }

  fill();
  return el("section", { class: "panel stack", "aria-labelledby": "order-title" },
    el("h2", { id: "order-title", text: "Order" }), field("Game", id, picker), room);
}

/** Forms of which one is shown, and the choice between them. */
function switched(legend, labels, forms) {
  const name = newId("switch");
  const select = (key) => Object.entries(forms).forEach(([each, form]) => (form.hidden = each !== key));
  const choice = el("fieldset", { class: "segmented" }, el("legend", { class: "sr-only", text: legend }),
    Object.entries(labels).map(([key, label], i) => el("label", {},
      el("input", { type: "radio", name, value: key, checked: i === 0, on: { change: () => select(key) } }), el("span", { text: label }))));
  select(Object.keys(forms)[0]);
  return [choice, ...Object.values(forms)];
}

function matchForm(game, variant, common, jobs) {
  const players = ["First player", "Second player"].map((name) => agentSelect(name, game, variant));
  players[1].select(game.ladder[0].spec);
  const count = whole("Games", 100, { min: 1, help: "Seats are shared out evenly. More games, narrower intervals." });
  return submitting("Play the match", [players.map(({ element }) => element), count.element], async () => {
    await postJson("/api/matches", { ...common(), players: players.map(({ value }) => value()), games: count.value() });
    await jobs.look();
  });
}

function tournamentForm(game, variant, common) {
  const chosen = new Set();
  const picked = el("ul", { class: "entrants", "aria-label": "Who takes part" });
  const next = agentSelect("Add a player", game, variant);
  const rounds = whole("Rounds", 10, { min: 1, help: "In one round everybody meets everybody once." });

  function draw() {
    clear(picked).append(...[...chosen].map((spec) => el("li", {}, el("code", { text: spec }),
      button(`Remove ${spec}`, { sign: "close", iconOnly: true, onClick: () => {
        chosen.delete(spec);
        draw();
        picked.querySelector("button")?.focus();
      } }))));
    picked.hidden = chosen.size === 0;
  }

  const add = button("Add", { sign: "more", onClick: () => {
    if (next.value()) chosen.add(next.value());
    draw();
  } });
  const everybody = button("Add all on the ladder", { kind: "quiet", onClick: () => {
    for (const { spec } of game.ladder) chosen.add(spec);
    draw();
  } });
  draw();
  return submitting("Hold the tournament", [picked, next.element, el("div", { class: "row" }, add, everybody), rounds.element], async () => {
    const { name } = await postJson("/api/tournaments", { ...common(), players: [...chosen], rounds: rounds.value() });
    location.hash = `#/arena/${encodeURIComponent(name)}`;
  });
}

/** A form that orders something and shows the server's sentence if it refuses. */
function submitting(label, fields, order) {
  const problem = el("p", { class: "problem", role: "alert" });
  const go = el("button", { class: "button primary", type: "submit", text: label });
  const submit = async (event) => {
    event.preventDefault();
    problem.textContent = "";
    go.disabled = true;
    try {
      await order();
    } catch (error) {
      problem.textContent = error.message;
    }
    go.disabled = false;
  };
  return el("form", { class: "stack", novalidate: true, on: { submit } }, fields, problem, go);
}

/** A whole number; what is typed goes to the server as it is, which says what is wrong with it. */
function whole(label, value, { min, help }) {
  const id = newId("number");
  const input = el("input", { id, type: "number", step: 1, min, value, "aria-describedby": `${id}-help` });
  return { element: field(label, id, input, help), value: () => (input.value === "" ? value : Number(input.value)) };
}

/** All tournaments under the server's folder, also those of a terminal. */
function tournamentList() {
  const list = el("ul", { class: "cards" });
  const words = el("p", { class: "help", text: "Reading the books …" });
  let shown = "";

  async function look() {
    let found;
    try {
      found = await getJson("/api/tournaments");
    } catch (error) {
      words.textContent = error.message;
      return;
    }
    words.textContent = found.length ? "" : "None yet. Those held in a terminal appear here too.";
    if (shown === JSON.stringify(found)) return;
    shown = JSON.stringify(found);
    clear(list).append(...found.map((each) => el("li", {}, el("a", { class: "card", href: `#/arena/${encodeURIComponent(each.name)}` },
      el("strong", { text: each.name }), chip(each.state),
      el("span", { class: "help", text: `${each.game} · ${counted(each.players.length, "player")} · ${number(each.games)} of ${counted(each.total, "game")}` })))));
  }

  return { element: el("div", { class: "stack tight" }, words, list), close: poll(look, () => LOOKS) };
}
