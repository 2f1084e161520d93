// How tiles stand on a rack: two rows of places, each with the name of a tile or null. Pure functions, no DOM.

import { rank } from "./okey-tiles.js";

export const ROW = 11;
export const PLACES = 2 * ROW;

/** An empty rack. */
export function emptyRack() {
  return Array(PLACES).fill(null);
}

/**
 * The rack once the hand is `names`: what stays keeps its place. `gone` is the place to clear first if one of its kind
 * went, `at` the place where what came should stand.
 */
export function reconcile(places, names, { gone = -1, at = -1 } = {}) {
  const next = places.slice();
  const missing = names.slice();
  const order = [...next.keys()].sort((a, b) => (a === gone) - (b === gone));
  for (const place of order) {
    if (next[place] === null) continue;
    const found = missing.indexOf(next[place]);
    if (found >= 0) missing.splice(found, 1);
    else next[place] = null;
  }
  for (const name of missing.sort((a, b) => rank(a) - rank(b))) put(next, name, at);
  return next;
}

/** The rack after the tile at `from` went to `to`; tiles there move up towards the nearest gap. */
export function moved(places, from, to) {
  const next = places.slice();
  const name = next[from];
  next[from] = null;
  const gap = nearestGap(next, to);
  if (gap < 0) {
    next[from] = next[to];
    next[to] = name;
    return next;
  }
  const step = gap < to ? 1 : -1;
  for (let place = gap; place !== to; place += step) next[place] = next[place + step];
  next[to] = name;
  return next;
}

/** Neighbours of one colour together, then what has no neighbour. */
export function byRuns(names) {
  const rest = [...names].sort((a, b) => rank(a) - rank(b));
  const blocks = [];
  while (rest.length) {
    const block = [rest.shift()];
    for (let next = follower(block, rest); next >= 0; next = follower(block, rest)) block.push(...rest.splice(next, 1));
    blocks.push(block);
  }
  return spread(longFirst(blocks));
}

/** Equal tiles together, then equal numbers, then the rest by number. */
export function byPairs(names) {
  const sorted = [...names].sort((a, b) => number(a) - number(b) || rank(a) - rank(b));
  const pairs = [];
  const single = [];
  for (const name of sorted) {
    if (single.at(-1) === name) pairs.push([single.pop(), name]);
    else single.push(name);
  }
  const numbers = new Map();
  for (const name of single) numbers.set(number(name), [...(numbers.get(number(name)) ?? []), name]);
  return spread([...pairs, ...longFirst([...numbers.values()])]);
}

function put(places, name, at) {
  let place = at >= 0 && places[at] === null ? at : -1;
  if (at >= 0 && place < 0) {
    const gap = nearestGap(places, at);
    if (gap >= 0) {
      places[gap] = name;
      places.splice(0, PLACES, ...moved(places, gap, at));
      return;
    }
  }
  if (place < 0) place = afterLast(places);
  places[place] = name;
}

/** The free place after the last tile of the rack, or else any. */
function afterLast(places) {
  for (const row of [1, 0]) {
    const last = places.slice(row * ROW, row * ROW + ROW).findLastIndex((name) => name !== null);
    if (last < ROW - 1 && (last >= 0 || row === 0)) return row * ROW + Math.min(last + 2, ROW - 1);
  }
  return places.lastIndexOf(null);
}

/** The free place of the same row closest to `to`, itself included; -1 if the row is full. */
function nearestGap(places, to) {
  const first = Math.floor(to / ROW) * ROW;
  let best = -1;
  for (let place = first; place < first + ROW; place += 1) {
    if (places[place] === null && (best < 0 || Math.abs(place - to) < Math.abs(best - to))) best = place;
  }
  return best;
}

function number(name) {
  return name === "okey" ? 14 : Number(name.slice(1));
}

/** Where in `rest` the tile lies that continues a block in colour and number; -1 if nowhere. */
function follower(block, rest) {
  const last = block.at(-1);
  if (last === "okey") return rest.indexOf("okey");
  return rest.findIndex((name) => name[0] === last[0] && name !== "okey" && number(name) === number(last) + 1);
}

/** Blocks of several tiles as they come, then all that stand alone as one block. */
function longFirst(blocks) {
  const alone = blocks.filter((block) => block.length === 1).flat();
  return [...blocks.filter((block) => block.length > 1), ...(alone.length ? [alone] : [])];
}

/** Blocks on a rack with a gap between them; without gaps if they do not fit like that. */
function spread(blocks) {
  const places = emptyRack();
  let at = 0;
  for (const block of blocks) {
    const wouldBreak = block.length > ROW - (at % ROW) && block.length <= ROW;
    if (wouldBreak && at > 0 && at < ROW) at = ROW;
    if (at + block.length > PLACES) return [...blocks.flat(), ...emptyRack()].slice(0, PLACES);
    for (const name of block) places[at++] = name;
    if (at % ROW !== 0) at += 1;
  }
  return places;
}
