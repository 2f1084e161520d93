// Line plots: crisp at any width, read by pointer and keyboard, with a table for those who cannot see lines.

import { clear, el, stylesheet, svg } from "./dom.js";
import { number, percent } from "./numbers.js";
import { apart, linear, range, span, ticks } from "./scale.js";

export const COLOURS = 9;
const DASHED_FROM = 5; // colours after these also differ by their dashes
const FEW = 16; // points up to which a line shows each of them
const ROW = 15; // pixels between names of levels
const EMPTY_WIDTH = 640; // before the page says how wide it is

stylesheet("/static/css/plot.css");

/**
 * A figure with lines. `x` {label}, `y` {label, percent}, `levels` {name: height} to compare with, and `series`, each
 * {name, x, y, low?, high?, dashed?, colour?}: a band between low and high, and a colour of its own if one is given.
 * The element returned has `update(series)`, which draws anew without losing focus or what is switched off.
 */
export function linePlot({ title, x, y, series, levels = {} }) {
  const hidden = new Set();
  const write = y.percent ? (value) => percent(value) : number;
  let lines = dressed(series);
  let at = null; // which of `stops()` is read
  let width = EMPTY_WIDTH;

  const legend = el("div", { class: "plot-legend", role: "group", "aria-label": "Lines to show" });
  const picture = svg("svg", { class: "plot-picture", "aria-hidden": "true" });
  const readout = el("div", { class: "plot-readout", hidden: true, "aria-hidden": "true" });
  const stage = el("div", {
    class: "plot-stage", tabindex: 0, role: "slider", "aria-label": `${title}: values along ${x.label}`, "aria-orientation": "horizontal",
    on: {
      keydown: keyPressed,
      pointermove: (event) => read(nearest(event)),
      pointerdown: (event) => read(nearest(event)),
      pointerleave: () => read(null),
      focus: () => stage.matches(":focus-visible") && read(at ?? stops().length - 1),
      blur: () => read(null),
    },
  }, picture, readout);
  const data = el("details", { class: "plot-data", on: { toggle: () => data.open && fillTable() } },
    el("summary", { text: "The numbers" }), el("div", { class: "plot-table", tabindex: 0, role: "group", "aria-label": `${title}: the numbers` }));
  const figure = el("figure", { class: "plot" }, el("figcaption", { text: title }), legend, stage, data);
  let frame; // geometry of what is drawn now

  const shown = () => lines.filter((line) => !hidden.has(line.name));
  const stops = () => [...new Set(shown().flatMap((line) => line.x))].sort((a, b) => a - b);

  function draw() {
    frame = layout(shown(), levels, { x, y, width, write });
    picture.setAttribute("viewBox", `0 0 ${width} ${frame.height}`);
    picture.setAttribute("height", frame.height);
    clear(picture).append(
      axes(frame, x, y),
      levelLines(frame, levels),
      svg("g", {}, shown().filter((line) => line.low).map((line) => band(frame, line))),
      svg("g", {}, shown().map((line) => path(frame, line))),
      svg("g", { class: "plot-cursor" }),
    );
    read(at);
  }

  /** Show the values at stop number `index`; null hides them. */
  function read(index) {
    const all = stops();
    at = index === null || !all.length ? null : Math.max(0, Math.min(all.length - 1, index));
    readout.hidden = at === null;
    const cursor = clear(picture.querySelector(".plot-cursor"));
    const here = all[at ?? all.length - 1];
    const rows = shown().map((line) => ({ line, i: line.x.indexOf(here) })).filter(({ line, i }) => i >= 0 && line.y[i] !== null);
    stage.setAttribute("aria-valuemin", 0);
    stage.setAttribute("aria-valuemax", Math.max(0, all.length - 1));
    stage.setAttribute("aria-valuenow", at ?? Math.max(0, all.length - 1));
    stage.setAttribute("aria-valuetext", all.length ? `${number(here)}: ${rows.map(({ line, i }) => `${line.name} ${reading(line, i)}`).join(", ")}` : "no values");
    if (at === null) return;
    const place = frame.right(here);
    cursor.append(svg("line", { x1: place, x2: place, y1: frame.top, y2: frame.bottom }),
      ...rows.map(({ line, i }) => svg("circle", { class: `ink-${line.colour}`, cx: place, cy: frame.up(line.y[i]), r: 4 })));
    clear(readout).append(el("strong", { text: `${x.label} ${number(here)}` }),
      el("dl", {}, rows.map(({ line, i }) => el("div", {}, el("dt", {}, sample(line), line.name), el("dd", { text: reading(line, i) })))));
    readout.classList.toggle("left", place > width / 2);
    readout.style.setProperty("--at", `${place > width / 2 ? width - place : place}px`);
  }

  const reading = (line, i) => (line.low ? `${write(line.y[i])} (${write(line.low[i])} to ${write(line.high[i])})` : write(line.y[i]));

  function nearest(event) {
    const all = stops();
    const box = picture.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * width;
    const off = all.map((stop) => Math.abs(frame.right(stop) - place));
    return all.length ? off.indexOf(Math.min(...off)) : null;
  }

  function keyPressed(event) {
    const last = stops().length - 1;
    const now = at ?? last;
    const leap = Math.max(1, Math.round(last / 10));
    const to = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1, Home: 0, End: last, PageDown: now - leap, PageUp: now + leap }[event.key];
    if (event.key === "Escape") read(null);
    if (to === undefined) return;
    event.preventDefault();
    read(to);
  }

  function fillLegend() {
    const many = lines.length > 1;
    legend.hidden = !many;
    if ([...legend.children].map((each) => each.dataset.name).join("\n") === lines.map(({ name }) => name).join("\n")) return;
    clear(legend).append(...(many ? lines : []).map((line) => el("button", {
      type: "button", class: "plot-key", "aria-pressed": String(!hidden.has(line.name)), "data-name": line.name,
      on: {
        click: (event) => {
          if (!hidden.delete(line.name)) hidden.add(line.name);
          event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(line.name)));
          draw();
        },
      },
    }, sample(line), el("span", { text: line.name }))));
  }

  function fillTable() {
    const all = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
    clear(data.querySelector(".plot-table")).append(el("table", {},
      el("caption", { class: "sr-only", text: title }),
      el("thead", {}, el("tr", {}, [x.label, ...lines.map(({ name }) => name)].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, all.map((stop) => el("tr", {}, el("th", { scope: "row", text: number(stop) }),
        lines.map((line) => {
          const i = line.x.indexOf(stop);
          return el("td", { text: i < 0 ? "" : reading(line, i) });
        }))))));
  }

  figure.update = (next) => {
    lines = dressed(next);
    fillLegend();
    draw();
    if (data.open) fillTable();
  };
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width < 1 || Math.abs(contentRect.width - width) < 1) return;
    width = Math.round(contentRect.width);
    draw();
  }).observe(stage);
  fillLegend();
  draw();
  return figure;
}

/** Lines with their colours: by place, unless one is given. */
function dressed(series) {
  return series.map((line, i) => ({ ...line, colour: line.colour ?? i % COLOURS }));
}

/** Where everything goes: the inner box, and functions from values to pixels. */
function layout(lines, levels, { x, y, width, write }) {
  const height = Math.round(Math.max(200, Math.min(340, 0.5 * width)));
  const heights = lines.flatMap((line) => [...line.y, ...(line.low ?? []), ...(line.high ?? [])]);
  const { ends: yRange, ticks: heightsShown } = range([...heights, ...Object.values(levels)], { share: Boolean(y.percent), count: height > 260 ? 5 : 4 });
  const stops = lines.flatMap((line) => line.x);
  const xRange = span(stops);
  const yTicks = heightsShown.map((value) => ({ value, text: y.percent ? percent(value, 0) : number(value) }));
  const left = 12 + 7.2 * Math.max(...yTicks.map(({ text }) => text.length));
  const [top, bottom, end] = [26, height - 40, width - 14];
  const right = linear(xRange, [left, end]);
  const up = linear(yRange, [bottom, top]);
  const xTicks = ticks(xRange, Math.max(2, Math.floor((end - left) / 70)), { whole: stops.every(Number.isInteger) }).map((value) => ({ value, text: number(value) }));
  return { width, height, left, end, top, bottom, right, up, xTicks, yTicks, write, xRange };
}

function axes(frame, x, y) {
  const { left, end, top, bottom, height } = frame;
  return svg("g", { class: "plot-axes" },
    frame.yTicks.map(({ value, text }) => [
      svg("line", { class: "plot-grid", x1: left, x2: end, y1: frame.up(value), y2: frame.up(value) }),
      svg("text", { x: left - 8, y: frame.up(value) + 4, "text-anchor": "end" }, text),
    ]),
    frame.xTicks.map(({ value, text }) => [
      svg("line", { class: "plot-tick", x1: frame.right(value), x2: frame.right(value), y1: bottom, y2: bottom + 5 }),
      svg("text", { x: frame.right(value), y: bottom + 19, "text-anchor": anchor(frame, value, text) }, text),
    ]),
    svg("line", { class: "plot-base", x1: left, x2: end, y1: bottom, y2: bottom }),
    svg("text", { class: "plot-label", x: 0, y: top - 13 }, y.label),
    svg("text", { class: "plot-label", x: end, y: height - 4, "text-anchor": "end" }, x.label));
}

/** The last tick's text must not leave the picture. */
function anchor(frame, value, text) {
  return frame.right(value) + 3.6 * text.length > frame.width ? "end" : "middle";
}

function levelLines(frame, levels) {
  const names = Object.keys(levels).sort((a, b) => levels[b] - levels[a]);
  const places = apart(names.map((name) => frame.up(levels[name]) - 5), ROW, frame.bottom - 4);
  return svg("g", { class: "plot-levels" }, names.map((name, i) => [
    svg("line", { x1: frame.left, x2: frame.end, y1: frame.up(levels[name]), y2: frame.up(levels[name]) }),
    svg("text", { x: frame.end, y: Math.max(places[i], frame.top + 10 + i * ROW), "text-anchor": "end" }, name),
  ]));
}

function band(frame, line) {
  const point = (edge) => (i) => `${pixel(frame.right(line.x[i]))} ${pixel(frame.up(line[edge][i]))}`;
  const known = line.x.map((_, i) => i).filter((i) => Number.isFinite(line.low[i]) && Number.isFinite(line.high[i]));
  if (known.length < 2) return null;
  return svg("path", { class: `plot-band ink-${line.colour}`, d: `M${known.map(point("high")).join("L")}L${known.reverse().map(point("low")).join("L")}Z` });
}

function path(frame, line) {
  let pen = false;
  const steps = line.x.map((x, i) => {
    if (!Number.isFinite(line.y[i])) {
      pen = false;
      return "";
    }
    const step = `${pen ? "L" : "M"}${pixel(frame.right(x))} ${pixel(frame.up(line.y[i]))}`;
    pen = true;
    return step;
  });
  const dots = line.x.length <= FEW ? line.x.map((x, i) => Number.isFinite(line.y[i]) && svg("circle", { cx: pixel(frame.right(x)), cy: pixel(frame.up(line.y[i])), r: 3 })) : [];
  return svg("g", { class: `plot-line ink-${line.colour} ${dashes(line)}` }, svg("path", { d: steps.join("") }), dots);
}

/** A bit of the line, for the legend. */
function sample(line) {
  return svg("svg", { class: `plot-sample plot-line ink-${line.colour} ${dashes(line)}`, viewBox: "0 0 26 10", width: 26, height: 10, "aria-hidden": "true" },
    svg("path", { d: "M1 5H25" }), svg("circle", { cx: 13, cy: 5, r: 3 }));
}

function dashes(line) {
  if (line.dashed) return "dashed";
  return line.colour >= DASHED_FROM ? "dotted" : "";
}

const pixel = (value) => Math.round(10 * value) / 10;
