// One tournament: who leads, by how much and how sure that is, who beat whom, and how it came about.

import { deleteJson, getJson, postJson } from "./api.js";
import { clear, el, newId } from "./dom.js";
import { counted, number, percent, signed } from "./numbers.js";
import { COLOURS, linePlot } from "./plot.js";
import { backTo, chip, facts, field, optionPairs, poll, scrolling, strip } from "./reports.js";
import { button, toast } from "./widgets.js";

const BUSY = 2000; // milliseconds between looks while it is played
const IDLE = 6000;

export async function showTournament(main, name) {
  const path = `/api/tournaments/${encodeURIComponent(name)}`;
  const head = el("div", { class: "row" });
  const controls = el("div", { class: "row" });
  const bar = el("progress", { max: 1, "aria-label": "Games played" });
  const words = el("p", { class: "help" });
  const tables = el("div", { class: "report" });
  const title = el("h1", { text: name });
  let seen = "";
  let standing = "";
  let curve;
  let state = "running";

  async function look() {
    let found;
    try {
      if (!standing && (await starting())) return;
      found = await getJson(path);
    } catch (error) {
      words.textContent = error.message;
      return;
    }
    state = found.state;
    clear(head).append(chip(found.state), el("span", { class: "muted", text: `${found.game} · ${counted(found.players.length, "player")} · ${counted(found.rounds, "round")}` }));
    bar.value = found.games / found.total;
    bar.hidden = found.state === "finished";
    words.textContent = `${number(found.games)} of ${counted(found.total, "game")} played.${found.state === "running" && found.games === found.total ? " Tables and figures are being written." : ""}`;
    if (standing !== `${found.state} ${found.job} ${found.rounds}`) {
      standing = `${found.state} ${found.job} ${found.rounds}`;
      clear(controls).append(...buttons(found));
    }
    if (seen !== `${found.games} ${found.rounds}` && found.standings.length) {
      seen = `${found.games} ${found.rounds}`;
      curve = drawn(found, curve);
      clear(tables).append(leaderboard(found), curve, matrices(found), terms(found));
    }
  }

  /** Before its book exists: it waits in the queue, or is about to begin. */
  async function starting() {
    const job = (await getJson("/api/jobs")).findLast((each) => each.kind === "tournament" && each.name === name);
    if (!job || (await getJson("/api/tournaments")).some((each) => each.name === name)) return false;
    state = job.state;
    clear(head).append(chip(job.state));
    bar.removeAttribute("value");
    words.textContent = job.detail ?? (job.state === "waiting" ? "Waits for a place." : "The first games are being prepared.");
    bar.hidden = job.state !== "running";
    return true;
  }

  /** What can be done with it as it stands. */
  function buttons(found) {
    const asking = (label, ask, rest = {}) => button(label, { ...rest, onClick: async (event) => {
      event.currentTarget.disabled = true;
      try {
        await ask();
        await look();
      } catch (error) {
        toast(error.message);
      }
      event.target.closest("button").disabled = false;
    } });
    if (found.job) return [asking("Stop", () => deleteJson(`/api/jobs/${found.job}`), { sign: "close" })];
    if (found.state === "running") return [el("p", { class: "help", text: "A terminal plays it: Ctrl-C there stops it." })];
    const id = newId("rounds");
    const more = el("input", { id, type: "number", min: 1, step: 1, value: found.state === "finished" ? 2 * found.rounds : found.rounds });
    return [
      el("div", { class: "more-rounds" }, field("Rounds in all", id, more)),
      asking(found.state === "finished" ? "Play more rounds" : "Go on", () => postJson(`${path}/resume`, { rounds: Number(more.value) }), { sign: "play" }),
    ];
  }

  clear(main).append(el("div", { class: "report" },
    el("header", { class: "report-head" }, backTo("#/arena", "Arena"), title, head, bar, words, controls), tables));
  await look();
  return poll(look, () => (state === "running" || state === "waiting" ? BUSY : IDLE));
}

/** The table with intervals drawn on scales that all players share. */
function leaderboard(found) {
  const lines = found.standings;
  const least = Math.min(...lines.map((line) => line.rating_ci95[0]));
  const most = Math.max(...lines.map((line) => line.rating_ci95[1]));
  return el("section", { class: "panel stack", "aria-labelledby": "standings-title" },
    el("h2", { id: "standings-title", text: "Standings" }),
    scrolling("Standings", el("table", { class: "standings" },
      el("caption", { class: "sr-only", text: "Players by their Elo, best first" }),
      el("thead", {}, el("tr", {}, ["#", "player", "Elo", `${found.model}, 95 % interval`, "won, 95 % interval", "games", "wins", "draws", "losses"]
        .map((text, i) => el("th", { scope: "col", class: i === 1 ? null : "n", text })))),
      el("tbody", {}, lines.map((line) => el("tr", {},
        el("td", { class: "n rank", text: line.rank }),
        el("th", { scope: "row" }, el("code", { text: line.player })),
        el("td", { class: "n" }, el("strong", { text: number(Math.round(line.elo)) })),
        el("td", { class: "n" }, `${whole(line.rating)} (${whole(line.rating_ci95[0])} to ${whole(line.rating_ci95[1])})`,
          strip({ low: line.rating_ci95[0], high: line.rating_ci95[1], value: line.rating, least, most })),
        el("td", { class: "n" }, `${percent(line.win_rate)} (${percent(line.win_rate_ci95[0])} to ${percent(line.win_rate_ci95[1])})`,
          strip({ low: line.win_rate_ci95[0], high: line.win_rate_ci95[1], value: line.win_rate, least: 0, most: 1 })),
        [line.games, line.wins, line.draws, line.losses].map((count) => el("td", { class: "n", text: number(count) }))))))),
    el("p", { class: "help", text: `Elo is counted game by game from 1000 with K = 32. ${found.model} fits all games at once, with mean 1000.` }));
}

/** Elo by round; a curve that is there already is only brought up to date, so that what is switched off stays off. */
function drawn(found, before) {
  const series = found.ranked.map((player, i) => ({ name: player, x: found.curve.rounds, y: found.curve.elo[i], colour: found.players.indexOf(player) % COLOURS, dashed: found.players.indexOf(player) >= COLOURS }));
  const plot = before?.querySelector(".plot");
  if (plot) {
    plot.update(series);
    return before;
  }
  return el("section", { class: "panel" }, linePlot({ title: "Elo after each round", x: { label: "round" }, y: { label: "Elo" }, series }));
}

function matrices(found) {
  const most = Math.max(1, ...found.net_wins.flat().map(Math.abs));
  const lengths = found.turns.flat().filter((mean) => mean !== null);
  const [least, longest] = [Math.min(...lengths), Math.max(...lengths)];
  const heat = (mean) => (longest > least ? (mean - least) / (longest - least) : 0.5);
  return el("div", { class: "matrices" },
    matrix(found, "Net wins", "In each column: wins of that player over the player of the row, less those of the row.",
      found.net_wins, (value) => ({ text: signed(value), kind: value < 0 ? "cold" : "warm", heat: Math.abs(value) / most })),
    matrix(found, "Length of their games", "Turns on average, opening included.",
      found.turns, (value) => ({ text: number(Math.round(10 * value) / 10), kind: "even", heat: heat(value) })));
}

/** Who did what against whom. Columns are numbered as the rows are, so that many players fit. */
function matrix(found, title, help, rows, shown) {
  const id = newId("matrix");
  return el("section", { class: "panel stack", "aria-labelledby": id },
    el("h2", { id, text: title }), el("p", { class: "help", text: help }),
    scrolling(title, el("table", { class: "matrix" },
      el("caption", { class: "sr-only", text: `${title}. ${help}` }),
      el("thead", {}, el("tr", {}, el("td", { class: "none" }), found.ranked.map((player, i) => el("th", { scope: "col", class: "n", title: player, "aria-label": player, text: i + 1 })))),
      el("tbody", {}, rows.map((row, y) => el("tr", {},
        el("th", { scope: "row" }, `${y + 1} `, el("code", { text: found.ranked[y] })),
        row.map((value, x) => {
          if (x === y || value === null) return el("td", { class: "n none", text: "·" });
          const { text, kind, heat } = shown(value);
          return el("td", { class: `n heat ${kind}`, vars: { "--heat": heat.toFixed(3) }, text });
        })))))));
}

function terms(found) {
  return el("section", { class: "panel stack", "aria-labelledby": "terms-title" },
    el("h2", { id: "terms-title", text: "Terms" }),
    facts([["game", found.game], ...optionPairs(found.variant), ["seed", String(found.seed)], ["opening", counted(found.opening, "random ply", "random plies")]]));
}

const whole = (value) => number(Math.round(value));
