// A new game: who plays, which variant, from where. Everything offered comes from the server.

import { PERSON, agentCards, agentSelect } from "../agents.js";
import { games, postJson } from "../api.js";
import { announce, clear, el, newId, stylesheet } from "../dom.js";
import { recall, remember } from "../settings.js";
import { showRules } from "../table/dialogs.js";
import { variantForm } from "../variants.js";
import { button } from "../widgets.js";

const MODES = [
  { key: "play", label: "Play an agent" },
  { key: "watch", label: "Watch agents" },
  { key: "together", label: "Play together here" },
];

const WAITING = "The rules of this variant are being compiled. That takes a while, but only the first time.";

export async function show(main, { path, query }) {
  const [, known] = await Promise.all([stylesheet("/static/css/new.css"), games()]);
  const game = known.find((each) => each.id === path[0]);
  if (!game) throw new Error(`There is no game '${path[0] ?? ""}': expected one of ${known.map((each) => each.id).join(", ")}.`);
  document.title = `New game of ${game.title} · Ludens`;
  clear(main).append(form(game, query));
}

function form(game, query) {
  const last = recall(`new.${game.id}`, {});
  let mode = query.get("mode") ?? (query.get("spec") ? "play" : last.mode);
  if (!MODES.some(({ key }) => key === mode)) mode = "play";
  let people; // the part of the form that says who plays; made anew when the mode or the number of seats changes
  const variant = variantForm(game.options, () => variantChanged());
  variant.set({ ...(query.has("spec") ? {} : last.variant), ...optionsIn(query, game.options) });
  const start = startFields(game);
  const who = el("div", {});
  const problem = el("p", { class: "problem", role: "alert" });
  const waiting = el("p", { class: "help", role: "status" });
  const go = el("button", { type: "submit", class: "button primary start", text: "Start" });

  const seatCount = () => Number(variant.value().players ?? game.num_players);
  let seatsShown = 0;
  let timer;

  function drawPeople(chosen) {
    seatsShown = seatCount();
    const names = seatNames(game, seatsShown);
    if (mode === "play") people = personAndAgent(game, names, variant.value);
    else people = everySeat(game, names, variant.value, mode === "together");
    people.set(chosen);
    clear(who).append(people.element);
    go.textContent = mode === "watch" ? "Watch" : "Start the game";
  }

  function variantChanged() {
    problem.textContent = "";
    if (seatCount() !== seatsShown) drawPeople({});
    clearTimeout(timer);
    timer = setTimeout(() => people.check(), 250);
  }

  async function submit(event) {
    event.preventDefault();
    problem.textContent = "";
    go.disabled = true;
    const label = go.textContent;
    go.textContent = "Laying the table …";
    const explain = setTimeout(() => (waiting.textContent = WAITING), 2000);
    const body = { game: game.id, variant: variant.value(), seats: people.seats(), ...start.value() };
    try {
      const state = await postJson("/api/tables", body);
      remember(`new.${game.id}`, { mode, variant: body.variant, ...people.choice() });
      location.hash = `#/table/${state.table}`;
    } catch (error) {
      problem.textContent = error.message;
      go.disabled = false;
      go.textContent = label;
    } finally {
      clearTimeout(explain);
      waiting.textContent = "";
    }
  }

  const modes = el("fieldset", { class: "segmented" },
    el("legend", { class: "sr-only", text: "What to do" }),
    MODES.map(({ key, label }) => el("label", {},
      el("input", { type: "radio", name: "mode", value: key, checked: key === mode, on: { change: () => {
        mode = key;
        drawPeople({});
        people.check();
      } } }),
      el("span", { text: label }))));

  drawPeople({
    ...last,
    ...(query.has("spec") && { spec: query.get("spec") }),
    ...(query.has("seat") && { seat: Number(query.get("seat")) }),
  });
  return el("form", { class: "new-game", "data-game": game.id, novalidate: true, on: { submit } },
    el("div", { class: "new-head" },
      el("img", { src: `/static/img/${game.id}.svg`, alt: "", width: 160, height: 100 }),
      el("div", { class: "stack tight" },
        el("h1", { text: game.title }),
        el("p", { class: "lead", text: game.blurb }),
        el("p", {}, button("Rules", { sign: "rules", onClick: () => showRules(game.id, game.title) })))),
    el("div", { class: "new-body" },
      el("div", { class: "panel stack" }, modes, who),
      el("div", { class: "panel stack" },
        el("h2", { text: "Variant" }),
        game.options.length ? variant.element : el("p", { class: "help", text: "This game has no options." }),
        start.element)),
    el("div", { class: "new-foot" }, problem, waiting, go));
}

/** Options named in the address: `?size=6`. */
function optionsIn(query, options) {
  return Object.fromEntries(options.filter(({ name }) => query.has(name)).map(({ name }) => {
    const text = query.get(name);
    try {
      return [name, JSON.parse(text)];
    } catch {
      return [name, text]; // plain words are themselves
    }
  }));
}

/** What seats are called when the variant has more or fewer of them than the server named. */
function seatNames(game, count) {
  return Array.from({ length: count }, (_, seat) => game.seats[seat] ?? `Seat ${seat}`);
}

/** One person, and one agent for all other seats. */
function personAndAgent(game, names, variant) {
  const name = newId("side");
  const agent = agentCards(names.length > 2 ? "Opponents" : "Opponent", game, variant);
  const sides = el("fieldset", { class: "sides" },
    el("legend", { class: "legend", text: "You play" }),
    names.map((text, seat) => el("label", { class: "check" },
      el("input", { type: "radio", name, value: seat, checked: seat === 0 }),
      el("i", { class: "seat-dot", vars: { "--seat": `var(--seat-${seat})` }, "aria-hidden": "true" }),
      el("span", { text }))));
  const own = () => Number(sides.querySelector("input:checked").value);
  return {
    element: el("div", { class: "stack" }, sides, agent.element),
    seats: () => names.map((_, seat) => (seat === own() ? { kind: "person" } : { kind: "agent", spec: agent.value() })),
    choice: () => ({ seat: own(), spec: agent.value() }),
    check: agent.check,
    set: ({ seat, spec }) => {
      if (sides.querySelector(`input[value="${seat}"]`)) sides.querySelector(`input[value="${seat}"]`).checked = true;
      if (spec) agent.select(spec);
    },
  };
}

/** A choice for every seat: agents to watch, or persons at this device and agents between them. */
function everySeat(game, names, variant, person) {
  const choosers = names.map((name) => agentSelect(name, game, variant, { person }));
  const key = person ? "people" : "watched";
  return {
    element: el("div", { class: "stack" },
      el("p", { class: "help", text: person ? "Whoever is to move plays at this device." : "They wait for you to press play." }),
      choosers.map(({ element }) => element)),
    seats: () => choosers.map(({ value }) => (value() === PERSON ? { kind: "person" } : { kind: "agent", spec: value() })),
    choice: () => ({ [key]: choosers.map(({ value }) => value()) }),
    check: () => choosers.forEach(({ check }) => check()),
    set: (chosen) => {
      if (chosen[key]?.length === choosers.length) choosers.forEach(({ select }, seat) => select(chosen[key][seat]));
      else if (chosen.spec && !person) choosers[0].select(chosen.spec);
    },
  };
}

/** Where the game starts, for those who want to choose: a position, a transcript (Othello), a seed. */
function startFields(game) {
  const [text, seed, help] = [newId("start"), newId("seed"), newId("help")];
  const transcripts = game.id === "othello";
  const what = transcripts ? "Transcript or position" : "Position";
  const area = el("textarea", { id: text, class: "mono", rows: 3, spellcheck: "false", "aria-describedby": help });
  const number = el("input", { id: seed, type: "number", step: 1, min: 0, placeholder: "any" });
  const words = transcripts
    ? "Moves such as f5d6c3, or 64 squares from a1 with X, O and -, then the side to move."
    : "One line of text, as the table shows and copies it.";
  const element = el("details", { class: "start-from" },
    el("summary", { text: transcripts ? "Paste a transcript or position" : "Start from a position" }),
    el("div", { class: "stack" },
      el("div", { class: "field" },
        el("label", { for: text, text: what }), area, el("p", { class: "help", id: help, text: words })),
      el("div", { class: "field" }, el("label", { for: seed, text: "Seed" }), number,
        el("p", { class: "help", text: "The same seed repeats what chance does; leave it empty for a fresh game." }))));
  element.addEventListener("toggle", () => element.open && announce(`${what} and seed shown.`));
  return {
    element,
    value: () => {
      const given = area.value.trim();
      const isTranscript = transcripts && /^[a-h][1-8]/i.test(given);
      return {
        ...(given && { [isTranscript ? "transcript" : "position"]: given }),
        ...(number.value !== "" && { seed: Number(number.value) }),
      };
    },
  };
}
