// Learn: training runs started here or in a terminal, and a form to start one.

import { games, getJson, postJson } from "../api.js";
import { trialsOf } from "../curves.js";
import { clear, el, newId, stylesheet } from "../dom.js";
import { jobList } from "../jobs.js";
import { ago, counted, number, percent } from "../numbers.js";
import { chip, field, poll } from "../reports.js";
import { recall, remember } from "../settings.js";
import { showRun } from "../run.js";
import { settingsForm } from "../training-settings.js";
import { variantForm } from "../variants.js";

const LOOKS = 3000; // milliseconds between looks at the list of runs
const USUAL = ""; // the opponent that the learner is tried against unless told otherwise

export async function show(main, { path }) {
  const styles = ["new", "reports", "pages-learn", "plot"].map((name) => stylesheet(`/static/css/${name}.css`));
  if (path[0]) {
    await Promise.all(styles);
    return showRun(main, path[0]);
  }
  await Promise.all(styles);
  const runs = runList();
  const jobs = jobList(["training"], { empty: "No training was started here. Two jobs run at a time; others wait here.", onEnd: () => runs.look() });
  const form = el("section", { class: "panel stack", "aria-labelledby": "train-title" },
    el("h2", { id: "train-title", text: "Train an agent" }), el("p", { class: "help", text: "Asking who learns what …" }));
  clear(main).append(el("div", { class: "report" },
    el("header", { class: "report-head" },
      el("h1", { text: "Learn" }),
      el("p", { class: "lead", text: "Agents that teach themselves. Follow their curves, stop and go on whenever you like, and play them while they learn." })),
    el("div", { class: "columns" }, form,
      el("div", { class: "stack" },
        el("section", { class: "stack", "aria-labelledby": "runs-title" }, el("h2", { id: "runs-title", text: "Runs" }), runs.element),
        el("section", { class: "stack", "aria-labelledby": "jobs-title" }, el("h2", { id: "jobs-title", text: "Started here" }), jobs.element)))));
  Promise.all([games(), getJson("/api/learners")]).then(
    ([known, learners]) => form.lastElementChild.replaceWith(trainingForm(known, learners)),
    (error) => (form.lastElementChild.textContent = error.message),
  ); // not awaited: runs can be looked at before anybody knows how to train
  return () => {
    runs.close();
    jobs.close();
  };
}

/** Game, learner, settings; what is told is what differs from the defaults. */
function trainingForm(known, learners) {
  const last = recall("learn", {});
  const [gameId, learnerId, nameId, seedId, seedsId] = ["game", "learner", "name", "seed", "seeds"].map(newId);
  const room = el("div", { class: "stack" });
  const about = el("p", { class: "help" });
  const problem = el("p", { class: "problem", role: "alert" });
  const go = el("button", { class: "button primary", type: "submit", text: "Start training" });
  const name = el("input", { id: nameId, type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `${nameId}-help` });
  const seed = el("input", { id: seedId, type: "number", min: 0, step: 1, value: 0 });
  const seeds = el("input", { id: seedsId, type: "number", min: 1, step: 1, value: 1, "aria-describedby": `${seedsId}-help` });
  const gamePicker = el("select", { id: gameId, value: last.game ?? "chung-toi", on: { change: () => fillLearners() } },
    known.map((game) => el("option", { value: game.id, text: game.title })));
  const learnerPicker = el("select", { id: learnerId, on: { change: () => fillSettings() } });
  let order; // what would be ordered now

  function fillLearners() {
    const able = learners.filter((learner) => learner.games[gamePicker.value]);
    clear(learnerPicker).append(...able.map((learner) => el("option", { value: learner.name, text: learner.name })));
    if (able.some((learner) => learner.name === last.learner)) learnerPicker.value = last.learner;
    fillSettings();
  }

  function fillSettings() {
    const game = known.find((each) => each.id === gamePicker.value);
    const learner = learners.find((each) => each.name === learnerPicker.value);
    const needed = learner.games[game.id];
    const variant = variantForm(game.options, () => {});
    variant.set(needed);
    const settings = settingsForm(learner.settings);
    const tried = opponent(game);
    const preset = presetPicker(learner.presets[game.id] ?? [], (chosen) => {
      variant.set({ ...Object.fromEntries(game.options.map((option) => [option.name, option.default])), ...needed, ...chosen?.variant });
      settings.set(chosen?.settings ?? {});
    });
    about.textContent = learner.about;
    const options = Object.entries(needed).map(([option, value]) => `${option} ${Array.isArray(value) ? value.join(", ") : value}`);
    clear(room).append(
      preset ?? "",
      settings.main,
      options.length ? el("p", { class: "help", text: `It cannot learn the usual game, so the variant is set to: ${options.join("; ")}.` }) : "",
      el("details", { class: "more" }, el("summary", { text: "All settings" }), settings.others),
      el("details", { class: "more" }, el("summary", { text: "Variant, trials and seeds" }),
        el("div", { class: "stack" }, game.options.length ? variant.element : null, tried.element,
          el("div", { class: "pair" }, field("Seed", seedId, seed), field("Seeds", seedsId, seeds, "So many learners side by side.")))));
    order = () => ({
      game: game.id,
      learner: learner.name,
      variant: variant.value(),
      settings: settings.value(),
      seed: Number(seed.value),
      seeds: Number(seeds.value),
      ...(tried.value() && { eval_vs: tried.value() }),
      ...(name.value.trim() && { name: name.value.trim() }),
    });
  }

  async function submit(event) {
    event.preventDefault();
    problem.textContent = "";
    go.disabled = true;
    try {
      const wanted = order();
      const accepted = await postJson("/api/runs", wanted);
      remember("learn", { game: wanted.game, learner: wanted.learner });
      location.hash = `#/learn/${encodeURIComponent(accepted.name)}`;
    } catch (error) {
      problem.textContent = error.message;
      go.disabled = false;
    }
  }

  fillLearners();
  return el("form", { class: "stack", novalidate: true, on: { submit } },
    field("Game", gameId, gamePicker), el("div", { class: "stack tight" }, field("Learner", learnerId, learnerPicker), about), room,
    field("Name", nameId, name, "Of its folder among the runs; one is found if you give none."), problem, go);
}

/** Settings under a name, which fill the form in; null where the learner ships none for the game. */
function presetPicker(presets, onChange) {
  if (!presets.length) return null;
  const id = newId("preset");
  const about = el("p", { class: "help" });
  const picker = el("select", { id, on: { change: () => {
    const chosen = presets.find((each) => each.name === picker.value);
    about.textContent = chosen?.about ?? "";
    onChange(chosen);
  } } }, el("option", { value: "", text: "As the learner has it" }), presets.map((each) => el("option", { value: each.name, text: each.name })));
  return el("div", { class: "stack tight" }, field("Preset", id, picker), about);
}

/** Who tries the learner while it learns. */
function opponent(game) {
  const id = newId("opponent");
  const picker = el("select", { id }, el("option", { value: USUAL, text: "Whoever is usual" }),
    game.ladder.map((step) => el("option", { value: step.spec, text: `${step.label} (${step.spec})` })));
  return { element: field("Tried against", id, picker), value: () => picker.value };
}

/** All runs under the server's folder, the newest first, also those of a terminal. */
function runList() {
  const list = el("ul", { class: "cards" });
  const words = el("p", { class: "help", text: "Looking for runs …" });
  let shown = "";

  async function look() {
    let found;
    try {
      found = await getJson("/api/runs");
    } catch (error) {
      words.textContent = error.message;
      return;
    }
    words.textContent = found.length ? "" : "None yet. Those started in a terminal appear here too.";
    if (shown === JSON.stringify(found)) return;
    shown = JSON.stringify(found);
    clear(list).append(...found.map(card));
  }

  return { element: el("div", { class: "stack tight" }, words, list), look, close: poll(look, () => LOOKS) };
}

function card(run) {
  return el("li", {}, el("a", { class: "card", href: `#/learn/${encodeURIComponent(run.name)}`, "data-run": run.name },
    el("strong", { text: run.name }), chip(run.state),
    el("span", { class: "help", text: `${run.game} · ${run.learner} · ${ago(run.updated)}` }),
    el("progress", { max: run.total, value: run.games, "aria-label": `Games trained: ${number(run.games)} of ${number(run.total)}` }),
    el("span", { class: "help", text: `${number(run.games)} of ${counted(run.total, "game")}${latest(run.evaluation)}` })));
}

function latest(evaluation) {
  return trialsOf(evaluation).map(({ vs, games, wins }) => {
    const won = wins.reduce((a, b) => a + b, 0) / (games * wins.length);
    return ` · won ${percent(won)} against ${vs}`;
  }).join("");
}
