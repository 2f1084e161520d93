// One training run, followed as it learns: its curves, what it was told, and what can be done with it.

import { events, getJson, postJson } from "./api.js";
import { announce, clear, el } from "./dom.js";
import { curves } from "./curves.js";
import { counted, duration, number } from "./numbers.js";
import { linePlot } from "./plot.js";
import { backTo, chip, facts, optionPairs, poll } from "./reports.js";
import { button, icon, toast } from "./widgets.js";

const WAIT = 1000; // milliseconds between looks before the run's folder is there

export async function showRun(main, name) {
  const path = `/api/runs/${encodeURIComponent(name)}`;
  const head = el("div", { class: "row" });
  const bar = el("progress", { "aria-label": "Games trained" });
  const words = el("p", { class: "help" });
  const controls = el("div", { class: "row" });
  const plots = el("div", { class: "curves" });
  const about = el("div", {});
  const lines = [];
  let close = () => {};
  let run;
  let drawing = false;

  clear(main).append(el("div", { class: "report" },
    el("header", { class: "report-head" }, backTo("#/learn", "Learn"), el("h1", { text: name }), head, bar, words, controls),
    plots, about));

  /** Draw what came in, at most once a frame. */
  function draw() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      if (run) showCurves(plots, curves(lines, run));
    });
  }

  function showState(next) {
    const before = run?.state;
    run = next;
    clear(head).append(chip(run.state), el("span", { class: "muted", text: `${run.game} · ${run.learner}${by(run)}` }));
    bar.max = run.total;
    bar.value = run.games;
    bar.hidden = run.state === "finished";
    words.textContent = progress(run);
    if (before !== run.state || controls.dataset.playable !== String(run.playable)) {
      controls.dataset.playable = String(run.playable);
      clear(controls).append(...actions(run, path, async () => showState(await getJson(path))));
      if (before) announce(`${name} is ${run.state}.`);
    }
    if (!about.childElementCount) about.append(terms(run));
  }

  /** The run's folder is there: listen to it. */
  function follow() {
    close();
    lines.length = 0;
    close = events(`${path}/events`, (message) => {
      if (message.type === "again") lines.length = 0;
      else if (message.type === "line") lines.push(message.line);
      else showState(message.run);
      draw();
    });
  }

  /** Before its first file: it waits in the queue, or JAX is starting. */
  async function begin() {
    const found = (await getJson("/api/runs")).find((each) => each.name === name);
    if (!found) {
      const job = (await getJson("/api/jobs")).findLast((each) => each.kind === "training" && each.name === name);
      if (!job) throw new Error(`There is no run '${name}': expected one of those listed.`);
      clear(head).append(chip(job.state));
      bar.hidden = job.state !== "running";
      words.textContent = job.detail ?? (job.state === "waiting" ? "Waits for a place." : job.state === "running" ? "Starting: JAX is loading." : "It was stopped before it began.");
      return;
    }
    showState(found);
    stopWaiting();
    follow();
  }

  let stopWaiting = () => {};
  await begin();
  if (!run) stopWaiting = poll(begin, () => WAIT);
  return () => {
    stopWaiting();
    close();
  };
}

function by(run) {
  if (run.state !== "running") return "";
  return { page: " · started here", terminal: " · runs in a terminal", files: " · its files are being written" }[run.by] ?? "";
}

function progress(run) {
  const speed = run.last?.games_per_second;
  const left = run.state === "running" && speed ? (run.total - run.games) * run.seeds / speed : 0;
  if (run.state === "running" && !run.games) return "Compiling, and playing the first games.";
  const parts = [`${number(run.games)} of ${counted(run.total, "game")}`];
  if (run.seeds > 1) parts.push(counted(run.seeds, "seed"));
  if (speed) parts.push(`${number(Math.round(speed))} games a second`);
  if (left > 1) parts.push(`about ${duration(left)} left, trials not counted`);
  return `${parts.join(" · ")}.`;
}

/** What can be done with a run as it stands. */
function actions(run, path, refresh) {
  const asking = (label, sign, what) => button(label, { sign, onClick: async (event) => {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    try {
      await postJson(`${path}/${what}`);
      await refresh();
    } catch (error) {
      toast(error.message);
      pressed.disabled = false;
    }
  } });
  const play = run.playable && el("a", { class: "button primary", href: playLink(run) }, icon("play"), el("span", { text: run.state === "finished" ? "Play it" : "Play its newest checkpoint" }));
  const stop = (run.state === "running" || run.state === "waiting") && run.by !== "files" && asking("Stop", "pause", "stop");
  const go = run.state === "stopped" && asking("Go on", "again", "resume");
  return [play, stop, go].filter(Boolean);
}

/** Where a new game against the run begins, in the variant that it was trained for. */
function playLink(run) {
  const query = new URLSearchParams({ spec: run.spec });
  for (const [option, value] of Object.entries(run.variant)) query.set(option, JSON.stringify(value));
  return `#/new/${run.game}?${query}`;
}

/** Plots that are there already are brought up to date; so nothing flickers, and what is switched off stays off. */
function showCurves(room, wanted) {
  for (const { key, ...figure } of wanted) {
    const known = room.querySelector(`[data-curve="${CSS.escape(key)}"]`);
    if (known) known.querySelector(".plot").update(figure.series);
    else room.append(el("section", { class: "panel", "data-curve": key }, linePlot(figure)));
  }
  for (const old of [...room.children]) if (!wanted.some(({ key }) => key === old.dataset.curve)) old.remove();
  if (!wanted.length && !room.childElementCount) room.append(el("p", { class: "panel muted", "data-curve": "", text: "The first figures come after the first games." }));
}

function terms(run) {
  return el("div", { class: "terms" },
    el("section", { class: "panel stack" }, el("h2", { text: "Settings" }), facts(optionPairs(run.config))),
    el("section", { class: "panel stack" }, el("h2", { text: "Game" }), facts([["game", run.game], ...optionPairs(run.variant), ["seed", run.seeds > 1 ? `${run.seed} to ${run.seed + run.seeds - 1}` : String(run.seed)], ["spec", el("code", { text: run.spec })]])));
}
