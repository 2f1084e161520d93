// Papers: what was published, and what our own runs give, side by side.

import { getJson } from "../api.js";
import { clear, el, newId, stylesheet } from "../dom.js";
import { NOTHING, amount, duration, number, percent } from "../numbers.js";
import { COLOURS, linePlot } from "../plot.js";
import { backTo, chip, facts, prose, scrolling, strip } from "../reports.js";

const VERDICTS = {
  agrees: "our interval overlaps the paper's, or holds its figure where that has none",
  better: "the intervals lie apart, and ours is better",
  worse: "the intervals lie apart, and ours is worse",
  differs: "the intervals lie apart, and neither way is better",
  "cannot tell": "the intervals overlap, but ours is so wide that this says nothing",
  "ours alone": "the paper has no such figure",
};
const HEADS = ["measure", "paper", "ours", "95 % interval", "seeds", "verdict", "in the paper"];

export async function show(main, { path }) {
  const styles = ["reports", "pages-papers", "plot"].map((name) => stylesheet(`/static/css/${name}.css`));
  const asked = path[0] ? `/api/papers/${encodeURIComponent(path[0])}` : "/api/papers";
  const [found] = await Promise.all([getJson(asked), ...styles]);
  clear(main).append(path[0] ? paper(found) : overview(found));
}

function overview(papers) {
  return el("div", { class: "report" },
    el("header", { class: "report-head" },
      el("h1", { text: "Papers" }),
      el("p", { class: "lead", text: "Published results beside ours. Every figure of ours has its 95 % interval, the number of independent runs behind it, and the command that gives it again." })),
    papers.length ? el("ul", { class: "paper-list" }, papers.map(entry)) : el("p", { class: "panel" }, "There are no results yet: ", el("code", { text: "ludens reproduce ur --quick" }), " makes some in minutes."),
    el("section", { class: "stack", "aria-labelledby": "verdicts-title" },
      el("h2", { id: "verdicts-title", text: "How verdicts are reached" }),
      el("dl", { class: "verdicts" }, Object.entries(VERDICTS).map(([name, text]) => el("div", {}, el("dt", {}, chip(name)), el("dd", { text }))))));
}

function entry(paper) {
  return el("li", {}, el("a", { class: "panel paper-card", href: `#/papers/${encodeURIComponent(paper.name)}` },
    el("h2", { text: paper.title }),
    el("p", { class: "muted", text: paper.reference }),
    el("p", { class: "row" }, Object.keys(VERDICTS).filter((name) => paper.verdicts[name]).map((name) => chip(name, `${name} ${paper.verdicts[name]}`))),
    el("p", { class: "help", text: `${scale(paper)} · ${day(paper.date)}` })));
}

function scale({ scale: size, seeds }) {
  return `${size === "full" ? "the paper’s scale" : "reduced scale"}, ${seeds === 1 ? "1 seed" : `${number(seeds)} seeds`}`;
}

function day(date) {
  const when = new Date(date);
  return Number.isNaN(when.getTime()) ? date : when.toLocaleDateString("en", { year: "numeric", month: "long", day: "numeric" });
}

function paper(made) {
  return el("article", { class: "report paper" },
    el("header", { class: "report-head" },
      backTo("#/papers", "Papers"),
      el("h1", { text: made.title }),
      el("p", { class: "lead", text: made.reference }),
      made.scale === "full" ? null : el("p", { class: "banner", role: "note" }, prose(`Reduced scale: \`--quick\` trains and plays less than the paper did, so its figures say little about the paper. The paper's scale is \`ludens reproduce ${made.paper} --full\`.`))),
    section("Ours beside the paper’s", sideBySide(made)),
    points("What we found", made.findings),
    made.figures.map(figure),
    made.tables.map(table),
    points("Where we differ from the paper", made.deviations),
    section("Where these figures come from", el("code", { class: "command", text: made.command }), provenance(made)));
}

function section(title, ...inside) {
  const id = newId("section");
  return el("section", { class: "panel stack", "aria-labelledby": id }, el("h2", { id, text: title }), inside);
}

function points(title, sentences) {
  return sentences?.length ? section(title, el("ul", { class: "points" }, sentences.map((text) => el("li", {}, prose(text))))) : null;
}

/**
 * One row for each figure: theirs, ours, our interval drawn with theirs marked on it, the verdict. On a narrow screen each
 * row becomes a card, so roles say what is a table.
 */
function sideBySide(made) {
  return [
    scrolling("Ours beside the paper's", el("table", { class: "beside", role: "table" },
      el("caption", { class: "sr-only", text: "Our figures beside the paper's" }),
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, HEADS.map((text, i) => el("th", { scope: "col", role: "columnheader", class: i > 0 && i < 5 ? "n" : null, text })))),
      el("tbody", { role: "rowgroup" }, made.rows.map(row)))),
    el("p", { class: "help", text: "In the small drawings the thick line is our interval, the dot our figure, the upright mark the paper’s." }),
  ];
}

function row(each) {
  const [low, high] = each.ci95 ?? [each.ours, each.ours];
  const numbers = [low, high, each.ours, ...(each.paper === null ? [] : [each.paper])];
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const drawing = most > least && each.paper !== null && strip({ low, high, value: each.ours, theirs: each.paper, least, most });
  const cells = [
    each.paper === null ? NOTHING : [amount(each.paper, each.unit), each.paper_ci95 && el("div", { class: "muted", text: interval({ ci95: each.paper_ci95, unit: each.unit }) })],
    el("strong", { text: amount(each.ours, each.unit) }),
    [each.ci95 ? interval(each) : NOTHING, drawing],
    each.seeds || NOTHING,
    chip(each.verdict),
    each.where || NOTHING,
  ];
  return el("tr", { role: "row" },
    el("th", { scope: "row", role: "rowheader" }, prose(each.measure)),
    cells.map((inside, i) => el("td", { role: "cell", class: i >= 4 ? null : i < 2 && each.unit !== "share" ? "n breaks" : "n", "data-head": HEADS[i + 1] }, inside)));
}

function interval({ ci95: [low, high], unit }) {
  return unit === "share" ? `${percent(low).replace(" %", "")} to ${percent(high)}` : `${number(low)} to ${number(high)}`;
}

/** Panels side by side. A line has one colour in all of them; the paper's is that of ours, dashed. */
function figure(made) {
  const labels = [...new Set(made.panels.flatMap((panel) => panel.series).map(({ label }) => label))];
  const ours = new Set(made.panels.flatMap((panel) => panel.series).filter((line) => !line.paper).map(({ label }) => label));
  const colour = (line) => (line.paper && !ours.has(line.label) ? "paper" : labels.indexOf(line.label) % COLOURS);
  const plots = made.panels.map((panel) => linePlot({
    title: panel.title || made.title,
    x: { label: panel.x },
    y: { label: panel.y },
    levels: panel.lines ?? {},
    series: panel.series.map((line) => ({
      name: line.paper && ours.has(line.label) ? `${line.label} (paper)` : line.label,
      x: line.x, y: line.y, colour: colour(line), dashed: line.paper,
      ...(line.low && line.high && { low: line.low, high: line.high }),
    })),
  }));
  const id = newId("figure");
  const alone = made.panels.length === 1 && !made.panels[0].title;
  return el("section", { class: "panel stack", "data-figure": made.name, ...(alone ? { "aria-label": made.title } : { "aria-labelledby": id }) },
    alone ? null : el("h2", { id, text: made.title }), el("div", { class: "panels" }, plots));
}

function table(made) {
  const right = made.heads.map((_, i) => i > 0 && made.rows.every((cells) => cells[i] === null || typeof cells[i] === "number" || /^[\d−–-]/.test(cells[i])));
  return section(made.title, scrolling(made.title, el("table", {},
    el("caption", { class: "sr-only", text: made.title }),
    el("thead", {}, el("tr", {}, made.heads.map((text, i) => el("th", { scope: "col", class: right[i] ? "n" : null }, prose(text))))),
    el("tbody", {}, made.rows.map((cells) => el("tr", {}, cells.map((value, i) =>
      i === 0 ? el("th", { scope: "row" }, prose(cell(value))) : el("td", { class: right[i] ? "n" : null }, prose(cell(value))))))))));
}

function cell(value) {
  return typeof value === "string" ? value : number(value);
}

function provenance(made) {
  const places = [...new Set((made.work?.length ? made.work : [made]).map(({ device }) => place(device)))];
  const commits = [...new Set([...(made.work ?? []), made].map(({ commit }) => (commit ? commit.slice(0, 12) : "unknown")))];
  return facts([
    ["scale", scale(made)],
    ["device", places.join("; ")],
    ["time", duration(made.seconds ?? 0)],
    ["commit", commits.join(", ")],
    ["date", day(made.date)],
    ["versions", Object.entries(made.versions ?? {}).map(([name, version]) => `${name} ${version}`).join(", ")],
  ]);
}

function place(device) {
  const cores = device.cores === 1 ? "1 core" : `${device.cores} cores`;
  return device.platform === "cpu" ? `CPU, ${cores}` : `${device.count > 1 ? `${device.count} × ` : ""}${device.kind}, ${cores}`;
}
