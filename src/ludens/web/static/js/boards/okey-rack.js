// The rack of whoever looks: tiles on two rows of places, arranged by dragging, tapping, sorting or from the keyboard.

import { clear, el } from "../dom.js";
import { draggable, isOver, letGo } from "./okey-drag.js";
import { PLACES, ROW, byPairs, byRuns, emptyRack, moved, reconcile } from "./okey-order.js";
import { face, nameOf } from "./okey-tiles.js";

const PATIENCE = 1500; // milliseconds for the answer to a discard, after which the tile goes back
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -ROW, ArrowDown: ROW };

/**
 * A rack. `table` is what it knows of its surroundings: `announce(text)`, `glide(tiles, before)` animates, `selected()`
 * is told when a tile is chosen or left, `hover(x, y, tile)` while one is dragged, and `discardAt(x, y, place)` answers
 * whether dropping it there was a discard.
 */
export class Rack {
  constructor(table) {
    this.table = table;
    this.places = emptyRack();
    this.tiles = Array(PLACES).fill(null);
    this.selection = -1;
    this.moving = false;
    this.dragged = null;
    this.arrival = -1;
    this.leaving = -1;
    this.past = false;
    this.slots = this.places.map((_, place) =>
      el("div", { class: "okey-slot", on: { click: () => this.tapPlace(place) } }),
    );
    this.element = el(
      "div",
      { class: "okey-rack", role: "group", "aria-label": "Your rack" },
      [0, ROW].map((first) => el("div", { class: "okey-shelf" }, this.slots.slice(first, first + ROW))),
    );
  }

  /**
   * Show a hand, standing as it stood before, or as it was left under this key in the browser's session. `discardable`
   * holds names of tiles; a `past` hand is only looked at, and changes nothing in how the present one stands.
   */
  render(hand, joker, { key, discardable, past }) {
    if (key !== this.key || (this.past && !past)) {
      this.key = key;
      this.places = this.remembered() ?? emptyRack();
    }
    if (joker !== this.joker) this.sweep();
    this.past = past;
    this.joker = joker;
    this.discardable = discardable;
    this.falseNames = new Set(hand.filter((tile) => tile.false).map((tile) => tile.tile));
    const names = hand.map((tile) => tile.tile);
    const same = this.places.filter((name) => names.includes(name)).length > names.length / 2;
    this.arrange(same ? reconcile(this.places, names, { gone: this.leaving, at: this.arrival }) : byRuns(names));
    this.arrival = -1;
    this.leaving = -1;
  }

  /** The tile that is about to leave, or any with its name; null if there is none. */
  leaver(name) {
    const chosen = this.tiles[this.leaving];
    return chosen?.dataset.tile === name ? chosen : (this.tiles.find((tile) => tile?.dataset.tile === name) ?? null);
  }

  /** Mark the tile that came last, and return it; null takes the mark away. */
  markFresh(name) {
    const isNamed = (tile) => tile?.dataset.tile === name;
    const fresh = this.created.find(isNamed) ?? this.tiles.find((tile) => isNamed(tile) && tile.dataset.fresh);
    const chosen = fresh ?? this.tiles.find(isNamed) ?? null;
    for (const tile of this.tiles) if (tile && tile !== chosen) delete tile.dataset.fresh;
    if (chosen) chosen.dataset.fresh = "1";
    return chosen;
  }

  /** The tile that is selected, or null. */
  get selected() {
    return this.selection < 0 ? null : this.tileAt(this.selection);
  }

  tileAt(place) {
    const name = this.places[place];
    return name === null ? null : { tile: name, false: this.falseNames.has(name) };
  }

  /** The tile closest to a place, or null on an empty rack. */
  nearest(place) {
    const filled = [...this.places.keys()].filter((at) => this.tiles[at]);
    const best = filled.sort((a, b) => Math.abs(a - place) - Math.abs(b - place))[0];
    return this.tiles[best] ?? null;
  }

  /** Choose the tile at a place, none with -1; true, as that is always done. */
  select(place) {
    this.selection = this.places[place] === null ? -1 : place;
    this.tiles.forEach((tile, at) => tile?.setAttribute("aria-pressed", String(at === this.selection)));
    this.table.selected();
    return true;
  }

  sort(how) {
    this.endMove();
    const names = this.places.filter((name) => name !== null);
    this.arrange(how === "pairs" ? byPairs(names) : byRuns(names));
    this.table.announce(`Sorted by ${how}`);
  }

  /** Where on the rack a point lies: the place, or -1. */
  placeAt(x, y) {
    if (!isOver(this.element, x, y)) return -1;
    const distance = (slot) => {
      const box = slot.getBoundingClientRect();
      return Math.hypot(x - (box.left + box.width / 2), y - (box.top + box.height / 2));
    };
    return this.slots.reduce((best, slot, place) => (distance(slot) < distance(this.slots[best]) ? place : best), 0);
  }

  /** Light up the place under the pointer; none outside. */
  hover(x, y) {
    const place = x === null ? -1 : this.placeAt(x, y);
    this.slots.forEach((slot, at) => slot.classList.toggle("okey-target", at === place));
  }

  /** Keys that move the focused tile: M takes it up and puts it down, arrows in between. True if it was one. */
  pressed(event, place) {
    if (event.key.toLowerCase() === "m") {
      this.moving = !this.moving;
      this.tiles[place].classList.toggle("okey-moving", this.moving);
      const name = nameOf(this.tileAt(place));
      this.table.announce(this.moving ? `Moving ${name}: arrow keys move it, M puts it down` : `${name} put down`);
      return true;
    }
    if (!this.moving) return false;
    if (event.key in STEPS) this.step(place, STEPS[event.key]);
    else if (["Escape", "Enter", " "].includes(event.key)) this.endMove();
    else return false;
    return true;
  }

  endMove() {
    if (!this.moving) return;
    this.moving = false;
    for (const tile of this.tiles) tile?.classList.remove("okey-moving");
  }

  // ------------------------------------------------------------------ inside

  step(place, by) {
    const to = place + by;
    const sideways = Math.abs(by) === 1;
    if (to < 0 || to >= PLACES || (sideways && Math.floor(to / ROW) !== Math.floor(place / ROW))) return;
    const tile = this.tiles[place];
    const next = this.places.slice();
    if (sideways) [next[place], next[to]] = [next[to], next[place]];
    this.arrange(sideways ? next : moved(this.places, place, to), place, to);
    tile.focus();
    this.table.announce(`row ${Math.floor(to / ROW) + 1}, place ${(to % ROW) + 1}`);
  }

  tapPlace(place) {
    if (this.selection < 0 || this.places[place] !== null) return;
    const from = this.selection;
    this.arrange(moved(this.places, from, place), from, place);
    this.select(-1);
  }

  /** Take all tiles away: in a new deal their faces may mean something else. */
  sweep() {
    this.tiles.fill(null);
    this.slots.forEach(clear);
    this.selection = -1;
  }

  /** A new order, remembered and animated; the tile at `from` goes to `to`. */
  arrange(next, from = -1, to = -1) {
    const before = new Map(this.tiles.filter(Boolean).map((tile) => [tile, tile.getBoundingClientRect()]));
    this.draw(next, from, to);
    if (!this.past) this.remember();
    const staying = this.tiles.filter((tile) => before.has(tile) && tile !== this.dragged);
    staying.forEach(letGo);
    this.table.glide(staying, before);
  }

  /** Put buttons where their tiles stand: each stays the same element for as long as its tile is there. */
  draw(next, from, to) {
    const old = this.tiles.slice();
    const chosen = old[this.selection] ?? null;
    const tiles = Array(PLACES).fill(null);
    const pick = (place) => old.splice(place, 1, null)[0];
    if (from >= 0) tiles[to] = pick(from);
    next.forEach((name, place) => {
      if (name !== null && !tiles[place] && old[place]?.dataset.tile === name) tiles[place] = pick(place);
    });
    this.created = [];
    next.forEach((name, place) => {
      if (name === null || tiles[place]) return;
      const there = old.findIndex((tile) => tile?.dataset.tile === name);
      tiles[place] = there >= 0 ? pick(there) : this.newTile(name);
    });
    this.places = next;
    this.tiles = tiles;
    this.slots.forEach((slot, place) => {
      const tile = tiles[place];
      if (tile === null) clear(slot);
      else if (tile.parentNode !== slot) slot.replaceChildren(tile);
    });
    this.selection = chosen ? tiles.indexOf(chosen) : -1;
    tiles.forEach((tile, place) => tile && this.label(tile, place));
  }

  newTile(name) {
    const tile = el(
      "button",
      { class: "okey-tile", type: "button", tabindex: "-1", "data-tile": name },
      face({ tile: name, false: this.falseNames.has(name) }, this.joker),
    );
    const place = () => this.tiles.indexOf(tile);
    draggable(tile, {
      begin: () => {
        this.endMove();
        this.dragged = tile;
        return tile;
      },
      over: (x, y) => {
        this.hover(x, y);
        this.table.hover(x, y, this.tileAt(place()));
      },
      drop: (x, y) => this.drop(tile, place(), x, y),
      cancel: () => this.putDown(tile),
    });
    tile.addEventListener("click", (event) => {
      event.stopPropagation();
      this.select(place() === this.selection ? -1 : place());
    });
    this.created.push(tile);
    return tile;
  }

  label(tile, place) {
    const can = this.discardable.has(tile.dataset.tile) ? ", can be discarded" : "";
    const name = nameOf(this.tileAt(place));
    tile.setAttribute("aria-pressed", String(place === this.selection));
    tile.setAttribute("aria-label", `${name}, row ${Math.floor(place / ROW) + 1}, place ${(place % ROW) + 1}${can}`);
  }

  drop(tile, place, x, y) {
    const to = this.placeAt(x, y);
    this.hover(null);
    if (place >= 0 && to < 0 && this.table.discardAt(x, y, place)) {
      this.dragged = null;
      this.table.hover(null);
      setTimeout(() => tile.classList.contains("okey-carried") && this.putDown(tile), PATIENCE);
      return;
    }
    this.putDown(tile);
    if (place >= 0 && to >= 0 && to !== place) this.arrange(moved(this.places, place, to), place, to);
  }

  /** End a drag: the tile glides from where it was dropped to where it stands. */
  putDown(tile) {
    const from = tile.getBoundingClientRect();
    this.dragged = null;
    this.hover(null);
    this.table.hover(null);
    letGo(tile);
    this.table.glide([tile], new Map([[tile, from]]));
  }

  remember() {
    try {
      sessionStorage.setItem(this.key, JSON.stringify(this.places));
    } catch {
      // A browser that keeps nothing only forgets the order on a reload.
    }
  }

  remembered() {
    try {
      const stored = JSON.parse(sessionStorage.getItem(this.key));
      return Array.isArray(stored) && stored.length === PLACES ? stored : null;
    } catch {
      return null;
    }
  }
}
