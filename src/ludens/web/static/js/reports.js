// What reports are made of: chips that say a state, intervals drawn small, tables that scroll by themselves.

import { el, svg } from "./dom.js";
import { number } from "./numbers.js";
import { icon } from "./widgets.js";

const STRIP = { width: 132, height: 16, margin: 6 };
const STATES = { waiting: "waiting", running: "running", done: "done", finished: "finished", failed: "failed", stopped: "stopped" };

/** A state in a word, with a mark that does not rest on colour. */
export function chip(state, text = STATES[state] ?? state) {
  return el("span", { class: `chip chip-${state.replaceAll(" ", "-")}`, text });
}

/**
 * An interval as a line with a dot on it, within [least, most]; `theirs` is an upright mark to compare with.
 * The numbers stand beside it as text, so nothing is said here to those who listen.
 */
export function strip({ low, high, value, theirs = null, least, most }) {
  const { width, height, margin } = STRIP;
  const reach = most - least || 1;
  const at = (number) => (margin + ((width - 2 * margin) * (number - least)) / reach).toFixed(1);
  return svg("svg", { class: "strip", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("path", { class: "strip-ground", d: `M${margin} 8H${width - margin}` }),
    svg("path", { class: "strip-range", d: `M${at(low)} 8H${at(high)}` }),
    svg("circle", { cx: at(value), cy: 8, r: 4 }),
    theirs !== null && svg("path", { class: "strip-theirs", d: `M${at(theirs)} 1V15` }));
}

/** Something wide that scrolls by itself, also with the keyboard. */
export function scrolling(name, ...inside) {
  return el("div", { class: "scroll", role: "group", tabindex: 0, "aria-label": name }, inside);
}

/** A link back to the page that led here. */
export function backTo(href, name) {
  return el("a", { class: "back", href }, icon("previous", 16), name);
}

/** Options of a variant in words: [[name, value], ...]. */
export function optionPairs(variant) {
  const shown = (value) => {
    if (Array.isArray(value)) return value.join(", ") || "any";
    if (typeof value === "boolean") return value ? "yes" : "no";
    return typeof value === "number" ? number(value) : (value ?? "as usual");
  };
  return Object.entries(variant).map(([name, value]) => [name.replace(/_$/, "").replaceAll("_", " "), shown(value)]);
}

/** Facts as a list: [[head, text or node], ...]. */
export function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.map(([head, value]) =>
    el("div", {}, el("dt", { text: head }), el("dd", {}, value))));
}

/** Text in which whatever stands in backquotes is code. */
export function prose(text) {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? el("code", { text: part }) : part)).filter((part) => part !== "");
}

/** A field of a form: label, control, help. */
export function field(label, id, control, help) {
  return el("div", { class: "field" }, el("label", { for: id, text: label }), control, help && el("p", { class: "help", id: `${id}-help` }, prose(help)));
}

/** Ask again and again, `delay()` milliseconds after each answer, until the function returned is called. */
export function poll(ask, delay) {
  let timer;
  let over = false;
  async function again() {
    await ask();
    if (!over) timer = setTimeout(again, delay());
  }
  again();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
