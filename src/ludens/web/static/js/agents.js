// Choosing an agent: the ladder in plain words with the spec beneath, or any spec, which the server checks.

import { postJson } from "./api.js";
import { el, newId } from "./dom.js";

const TYPED = "typed";
const PAUSE = 400; // after the last key, before the server is asked
export const PERSON = "person";

/**
 * Cards to choose one agent from. Returns {element, value(), select(spec), check()}; `value()` is a spec or "".
 * `variant()` is asked for the variant as it stands, since not everybody plays every variant.
 */
export function agentCards(legend, game, variant, onChange = () => {}) {
  const name = newId("agent");
  const typed = specField(game, variant, onChange);
  const cards = game.ladder.map((step) => card(name, step.spec, step.label, step.note, step.spec));
  const other = card(name, TYPED, "Another agent", "Any spec the terminal knows, or run:NAME for a run of yours.", null);
  const offered = cards.map((each, place) => withDetails(each, game.ladder[place]));
  const element = el("fieldset", { class: "stack" },
    el("legend", { class: "legend", text: legend }), el("div", { class: "agent-cards" }, offered, other), typed.element);
  element.addEventListener("change", (event) => {
    if (event.target.name === name) update();
  });

  function chosen() {
    return element.querySelector(`input[name="${name}"]:checked`)?.value ?? "";
  }

  function update() {
    typed.element.hidden = chosen() !== TYPED;
    check();
    onChange();
  }

  function select(spec) {
    const known = game.ladder.some((step) => step.spec === spec);
    if (!known) typed.set(spec);
    const input = [...element.querySelectorAll(`input[name="${name}"]`)].find((each) => each.value === (known ? spec : TYPED));
    input.checked = true;
    update();
  }

  /** Ask the server whether the chosen one can play this variant, and say so if not. */
  async function check() {
    if (chosen() === TYPED) return typed.check();
    const input = element.querySelector("input:checked");
    const problem = await refusal(game, variant(), input.value);
    return tell(input.checked ? input.closest(".agent-card") : null, problem);
  }

  function tell(about, problem) {
    for (const each of cards) each.querySelector(".problem").textContent = each === about ? problem : "";
    if (problem) about?.scrollIntoView({ block: "nearest" });
  }

  select(game.ladder[Math.min(1, game.ladder.length - 1)].spec);
  return { element, select, check, value: () => (chosen() === TYPED ? typed.value() : chosen()) };
}

/** The same choice as one line, for pages where every seat has one; `person` also offers somebody at this device. */
export function agentSelect(label, game, variant, { person = false, onChange = () => {} } = {}) {
  const typed = specField(game, variant, onChange);
  const id = newId("seat");
  const options = [
    person && el("option", { value: PERSON, text: "A person at this device" }),
    game.ladder.map((step) => el("option", { value: step.spec, text: `${step.label} (${step.spec})` })),
    el("option", { value: TYPED, text: "Another agent …" }),
  ];
  const picker = el("select", { id, on: { change: () => update() } }, options);
  const element = el("div", { class: "field" }, el("label", { for: id, text: label }), picker, typed.element);

  function update() {
    typed.element.hidden = picker.value !== TYPED;
    onChange();
  }

  function select(spec) {
    const known = spec === PERSON ? person : game.ladder.some((step) => step.spec === spec);
    if (!known) typed.set(spec);
    picker.value = known ? spec : TYPED;
    update();
  }

  select(person ? PERSON : game.ladder[Math.min(1, game.ladder.length - 1)].spec);
  return { element, select, check: () => typed.check(), value: () => (picker.value === TYPED ? typed.value() : picker.value) };
}

function card(name, value, label, note, spec) {
  return el("label", { class: "agent-card" },
    el("input", { type: "radio", name, value }),
    el("span", { class: "agent-words" },
      el("strong", { text: label }),
      note && el("span", { class: "help", text: note }),
      spec && el("code", { class: "help", text: spec }),
      el("span", { class: "problem", role: "status" }),
    ),
  );
}

/** Beside an agent that ships: what it is, how it was trained, how strong it is. */
function withDetails(chooser, { label, card: known }) {
  if (!known) return chooser;
  const rows = Object.entries(known).map(([asked, text]) => [el("dt", { text: asked }), el("dd", { text })]);
  return el("div", { class: "agent-with-card" }, chooser,
    el("details", { class: "help" }, el("summary", { text: `About ${label}` }), el("dl", { class: "agent-facts" }, rows)));
}

/** A text field for a spec, with the server's sentence beneath. */
function specField(game, variant, onChange) {
  const [id, help] = [newId("spec"), newId("help")];
  const told = el("p", { class: "problem", role: "status" });
  let timer;
  let asked = 0;
  const input = el("input", {
    id, type: "text", class: "mono", "aria-describedby": help, autocomplete: "off", spellcheck: "false", autocapitalize: "off",
    on: {
      input: () => {
        clearTimeout(timer);
        timer = setTimeout(check, PAUSE);
        onChange();
      },
    },
  });

  async function check() {
    const ticket = ++asked;
    const problem = input.value.trim() ? await refusal(game, variant(), input.value.trim()) : "";
    if (ticket !== asked) return;
    told.textContent = problem;
    input.setAttribute("aria-invalid", String(Boolean(problem)));
  }

  const element = el("div", { class: "field", hidden: true },
    el("label", { for: id, text: "Spec" }), input,
    el("p", { class: "help", id: help, text: "For example champion:2s, alphabeta:4:positional, mcts:400 or run:NAME." }), told);
  return {
    element,
    check,
    value: () => input.value.trim(),
    set: (spec) => {
      input.value = spec;
      check();
    },
  };
}

/** The server's sentence against this spec, "" if it can play. */
async function refusal(game, variant, spec) {
  try {
    await postJson(`/api/games/${encodeURIComponent(game.id)}/check`, { variant, spec });
    return "";
  } catch (error) {
    return error.message;
  }
}
