// Tiles of Okey: a number in its colour over a mark that tells the colours apart without colour.

import { el, svg } from "../dom.js";

const COLOURS = { r: "red", b: "black", g: "green", y: "yellow" };
const STAR = "M10 1l2.7 5.9 6.3.8-4.7 4.4 1.2 6.4L10 15.4l-5.5 3.1 1.2-6.4L1 7.7l6.3-.8z";
const CROWN = "M2 15.5h16v2.5H2zM2 13.5 1 5l5 4 4-6.5L14 9l5-4-1 8.5z";

/** `red 5`, `false joker, played as red 6` or `joker`. */
export function nameOf(tile) {
  if (tile.tile === "okey") return "joker";
  const face = `${COLOURS[tile.tile[0]]} ${tile.tile.slice(1)}`;
  return tile.false ? `false joker, played as ${face}` : face;
}

/** The same for a button: `false joker` says enough. */
export function shortNameOf(tile) {
  return tile.false ? "false joker" : nameOf(tile);
}

/** Several tiles in words. */
export function namesOf(tiles) {
  return tiles.length ? tiles.map(nameOf).join(", ") : "none";
}

/** Where a tile stands in order of colour and number, jokers last. */
export function rank(name) {
  return name === "okey" ? 52 : "rbgy".indexOf(name[0]) * 13 + Number(name.slice(1)) - 1;
}

/**
 * The picture of a tile, for eyes only: whoever shows it names it. `joker` is the face that the jokers have; `wild`
 * says that a joker plays this face.
 */
export function face(tile, joker, wild = false) {
  const isJoker = tile.tile === "okey";
  const shown = isJoker ? joker : tile.tile;
  const kind = isJoker || wild ? "joker" : tile.false ? "false" : "plain";
  const number = el("span", { class: "okey-number", text: shown.slice(1) });
  const star = () => svg("svg", { class: "okey-star", viewBox: "0 0 20 20" }, svg("path", { d: STAR }));
  const inside = {
    plain: () => [number, mark(shown[0])],
    joker: () => [number, crown()],
    false: () => [star(), el("span", { class: "okey-played-as" }, number, mark(shown[0]))],
  };
  const classes = `okey-face okey-${kind} okey-${COLOURS[shown[0]]}`;
  return el("span", { class: classes, "aria-hidden": "true" }, inside[kind]());
}

/** A tile seen from behind. */
export function back() {
  return el("span", { class: "okey-back", "aria-hidden": "true" });
}

/** A small tile that nothing can be done with, named for who cannot see it. */
export function smallTile(tile, joker, wild = false) {
  const name = wild ? (tile.tile === "okey" ? "joker" : `joker as ${nameOf({ tile: tile.tile })}`) : nameOf(tile);
  return el("span", { class: "okey-small", role: "img", "aria-label": name, title: name }, face(tile, joker, wild));
}

function mark(colour) {
  const shapes = {
    r: () => svg("circle", { cx: 5, cy: 5, r: 4.2 }),
    b: () => svg("rect", { x: 1.3, y: 1.3, width: 7.4, height: 7.4 }),
    g: () => svg("path", { d: "M5 .8 9.6 9H.4z" }),
    y: () => svg("path", { d: "M5 0l4.4 5L5 10 .6 5z" }),
  };
  return svg("svg", { class: "okey-mark", viewBox: "0 0 10 10" }, shapes[colour]());
}

function crown() {
  return svg("svg", { class: "okey-mark okey-crown", viewBox: "0 0 20 20" }, svg("path", { d: CROWN }));
}
