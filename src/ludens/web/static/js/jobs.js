// Jobs as the page shows them: what runs, what waits, and what came out.

import { deleteJson, getJson } from "./api.js";
import { announce, clear, el } from "./dom.js";
import { counted, duration, number, percent } from "./numbers.js";
import { chip, facts, poll, scrolling, strip } from "./reports.js";
import { button, toast } from "./widgets.js";

const BUSY = 700; // milliseconds between looks while something runs
const IDLE = 4000;
const LEGIBLE = 0.15; // a part of a bar that has room for words
const ACTIVE = new Set(["waiting", "running"]);

/**
 * A live list of the jobs of these kinds, the newest first. Returns {element, look(), close()}; `look()` asks at once,
 * and `onEnd(job)` is told of each that ends while the list is shown.
 */
export function jobList(kinds, { empty, onEnd = () => {} }) {
  const list = el("ul", { class: "jobs" });
  const nothing = el("p", { class: "help", text: empty });
  const cards = new Map();
  let busy = true;

  async function look() {
    let jobs;
    try {
      jobs = (await getJson("/api/jobs")).filter((job) => kinds.includes(job.kind));
    } catch {
      return; // the next look may find the server again
    }
    busy = jobs.some((job) => ACTIVE.has(job.state));
    nothing.hidden = jobs.length > 0;
    for (const job of jobs) {
      const known = cards.get(job.id);
      if (!known) {
        cards.set(job.id, jobCard(job));
        list.prepend(cards.get(job.id).element);
      } else if (ACTIVE.has(known.job.state) || ACTIVE.has(job.state)) {
        const ended = ACTIVE.has(known.job.state) && !ACTIVE.has(job.state);
        known.update(job);
        if (ended) {
          announce(`${job.title}: ${job.state}.`);
          onEnd(job);
        }
      }
    }
  }

  return { element: el("div", { class: "stack" }, nothing, list), look, close: poll(look, () => (busy ? BUSY : IDLE)) };
}

/** One job: a card that can be brought up to date. */
function jobCard(job) {
  const state = el("span", {});
  const words = el("p", { class: "help" });
  const bar = el("progress", { max: 1, "aria-label": `Progress of ${job.title}` });
  const problem = el("p", { class: "problem" });
  const outcome = el("div", {});
  const stop = button("Stop", {
    kind: "quiet", sign: "close", "aria-label": `Stop ${job.title}`,
    onClick: async () => {
      stop.disabled = true;
      try {
        update(await deleteJson(`/api/jobs/${job.id}`));
      } catch (error) {
        toast(error.message);
        stop.disabled = false;
      }
    },
  });
  const element = el("li", { class: "job panel", "data-job": job.id },
    el("div", { class: "job-head" }, el("h3", {}, title(job)), state, stop), bar, words, problem, outcome,
    el("details", { class: "job-command" }, el("summary", { text: "In a terminal" }), el("code", { text: job.command })));
  const card = { element, job, update };

  function update(next) {
    const before = card.job.state;
    card.job = next;
    element.dataset.state = next.state;
    clear(state).append(chip(next.state));
    stop.hidden = !ACTIVE.has(next.state);
    bar.hidden = next.state !== "running";
    if (next.done > 0) bar.value = next.done / next.total;
    else bar.removeAttribute("value"); // it is compiling: nobody knows how far
    words.textContent = wording(next);
    problem.textContent = next.detail ?? "";
    if (next.result && (before !== next.state || !outcome.childElementCount)) clear(outcome).append(matchResult(next.result));
  }

  update(job);
  return card;
}

function title(job) {
  if (job.kind === "tournament") return el("a", { href: `#/arena/${encodeURIComponent(job.name)}`, text: job.title });
  if (job.kind === "training") return el("a", { href: `#/learn/${encodeURIComponent(job.name)}`, text: job.title });
  return job.title;
}

function wording(job) {
  const played = `${number(job.done)} of ${counted(job.total, "game")}`;
  if (job.state === "waiting") return job.ahead ? `Waits for ${counted(job.ahead, "job")} in front of it.` : "Next, as soon as one that runs has ended.";
  if (job.state === "running") return job.done ? `${played} · ${duration(job.seconds)}` : `Starting and compiling · ${duration(job.seconds)}`;
  return `${played} · took ${duration(job.seconds)}`;
}

/** What `ludens match` says: how the first player did, in each seat and in all. */
function matchResult(result) {
  const [first, second] = result.players;
  const [low, high] = result.ci95;
  const rows = [...result.by_seat.map((each) => [`seat ${each.seat}`, each]), ["all", result]];
  const regret = (result.regret ?? []).map((each, i) => [`${result.players[i]} loses`, `${number(each.mean)} a move against perfect play; ${percent(each.best_share)} of its moves are best`]);
  return el("div", { class: "match stack" },
    el("p", { class: "match-score" }, el("strong", { text: percent(result.score) }), ` of the points for ${first} against ${second}, 95 % interval ${percent(low)} to ${percent(high)}`),
    shares(result),
    scrolling(`Results of ${first} by seat`, el("table", {},
      el("caption", { class: "sr-only", text: `Results of ${first} against ${second}` }),
      el("thead", {}, el("tr", {}, [`${first} in`, "games", "wins", "draws", "losses", "score", "95 % interval"].map((text, i) => el("th", { scope: "col", class: i ? "n" : null, text })))),
      el("tbody", {}, rows.map(([name, each]) => el("tr", {},
        el("th", { scope: "row", text: name }),
        [each.games, each.wins, each.draws, each.losses].map((count) => el("td", { class: "n", text: number(count) })),
        el("td", { class: "n", text: percent(each.score) }),
        el("td", { class: "n" }, `${percent(each.ci95[0])} to ${percent(each.ci95[1])}`, each.score === null ? null : strip({ low: each.ci95[0], high: each.ci95[1], value: each.score, least: 0, most: 1 }))))))),
    facts([
      ["length", `${number(result.mean_length)} actions on average`],
      ["speed", `${number(result.games_per_s)} games a second, compiling included`],
      ...regret,
    ]));
}

/** Wins, draws and losses as parts of a bar. */
function shares(result) {
  const parts = [["won", result.wins], ["drawn", result.draws], ["lost", result.losses]].filter(([, count]) => count);
  return el("div", { class: "shares", role: "img", "aria-label": parts.map(([name, count]) => `${name} ${percent(count / result.games)}`).join(", ") },
    parts.map(([name, count]) => el("span", { class: `share-${name}`, vars: { "--share": count } },
      count > LEGIBLE * result.games && [el("b", { text: name }), ` ${percent(count / result.games)}`])));
}
