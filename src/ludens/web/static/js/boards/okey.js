// The board of Okey: the table, the rack beneath it, and what one can do with both.

import { clear, el } from "../dom.js";
import { draggable, isOver } from "./okey-drag.js";
import { Flights } from "./okey-flights.js";
import { Roving } from "./okey-focus.js";
import { discardLists, openHands } from "./okey-hands.js";
import { Rack } from "./okey-rack.js";
import { Felt, setPlayable } from "./okey-table.js";
import { nameOf, shortNameOf } from "./okey-tiles.js";

const KEYS = [
  "Arrow keys go from tile to tile and to the piles; Enter chooses or draws; D discards;",
  "M, then arrow keys, moves a tile on the rack; Escape lets go.",
].join(" ");

/** A board as the page knows it. */
export function createBoard(options) {
  return new OkeyBoard(options);
}

class OkeyBoard {
  constructor({ play, announce, reducedMotion }) {
    this.options = { play, announce, reducedMotion };
    this.state = null;
    this.flights = new Flights();
    this.felt = new Felt((kind) => this.tap(kind));
    this.rack = new Rack({
      announce,
      glide: (tiles, before) => tiles.forEach((tile) => this.flights.fly(tile, before.get(tile))),
      selected: () => this.renderTools(),
      hover: (x, y, tile) => this.hover(x, y, tile),
      discardAt: (x, y, place) => isOver(this.ownPile, x, y) && this.discard(place),
    });
    this.setOut();
    this.roving = new Roving(this.element, () => this.focusable);
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !this.rack.element.contains(relatedTarget)) this.rack.endMove();
    });
  }

  /** Draw a state; tiles fly if it follows from the one before. Resolves once they have landed. */
  async render(state, { animate = true } = {}) {
    this.flights.land();
    const before = this.state;
    const follows = animate && before && state.last && state.ply === before.ply + 1;
    this.flights.still = !animate || this.options.reducedMotion;
    const from = follows ? this.start(state.last)?.getBoundingClientRect() : null;
    const focused = this.roving.holds ? Math.max(0, this.rack.tiles.indexOf(document.activeElement)) : -1;

    const kept = before ? { you: before.you, seats: before.seats, table: before.table } : { you: null, seats: [] };
    this.state = { ...kept, moves: [], ...state };
    this.past = this.newest?.version === state.version && this.newest?.ply !== state.ply;
    if (!this.past) this.newest = state;
    this.hint(null);
    this.overlay(null);
    this.renderAll();
    if (focused >= 0 && !this.roving.holds) this.roving.focus(this.rack.nearest(focused));
    else this.roving.settle();
    if (follows) this.flights.fly(this.end(state.last), from);
    this.flights.still = this.options.reducedMotion;
    const drawn = follows && state.last.seat === this.state.you ? state.last.drawn : null;
    if (drawn) this.options.announce(`You drew ${nameOf(drawn)}`);
    await this.flights.landed();
  }

  /** Scores of the legal moves on tiles and piles; null takes them away. */
  overlay(analysis) {
    for (const score of this.element.querySelectorAll(".okey-score")) score.remove();
    for (const { action, text, best } of analysis?.moves ?? []) {
      for (const place of this.placesOf(action)) {
        place.append(el("span", { class: `okey-score${best ? " okey-best" : ""}`, text: text.replace(/ missing$/, "") })); // a tile is narrow
      }
    }
  }

  /** Make one legal move stand out; null for none. */
  hint(action) {
    for (const place of this.element.querySelectorAll(".okey-hint")) place.classList.remove("okey-hint");
    if (action !== null) this.placesOf(action).forEach((place) => place.classList.add("okey-hint"));
  }

  /** Whoever looks sits at the bottom: there is nothing to turn. */
  flip() {}

  destroy() {
    this.flights.land();
  }

  // ------------------------------------------------------------------ drawing

  setOut() {
    const tool = (text, props) => el("button", { class: "okey-tool", type: "button", text, ...props });
    this.prompt = el("p", { class: "okey-prompt" });
    this.discardButton = tool("Discard", { class: "okey-tool okey-primary", on: { click: () => this.discard() } });
    this.showButton = tool("Show the twin", { on: { click: () => this.playKind("show") } });
    const sort = (how) =>
      tool(how, { "aria-label": `Sort by ${how}`, "data-sort": how, on: { click: () => this.rack.sort(how) } });
    const sorts = el("div", { class: "okey-sorts" }, el("span", { text: "Sort by" }), sort("runs"), sort("pairs"));
    this.tools = el("div", { class: "okey-tools" }, sorts, this.showButton, this.discardButton);
    this.hands = el("div", { class: "okey-hands" });
    this.lists = el("div", { class: "okey-lists" });
    this.keys = el("details", {}, el("summary", { text: "Keys" }), el("p", { text: KEYS }));
    this.notes = el(
      "div",
      { class: "okey-notes" },
      el("details", {}, el("summary", { text: "All discards" }), this.lists),
      this.keys,
    );
    const body = [this.felt.element, this.prompt, this.rack.element, this.tools, this.hands, this.notes];
    this.element = el("div", { class: "okey-board" }, el("div", { class: "okey" }, body));
    this.dragIn(this.felt.stack, "draw");
  }

  renderAll() {
    const { board, you, table, over, last } = this.state;
    const key = this.felt.key;
    this.names = this.seatNames();
    this.felt.render(this.state, this.names);
    if (this.felt.key !== key && this.felt.offering) this.dragIn(this.felt.offering, "take");
    const ended = over || board.phase === "over";
    const holds = board.hand !== null && you !== null && !ended;
    this.rack.element.hidden = !holds;
    this.tools.hidden = !holds;
    this.keys.hidden = !holds;
    if (holds) {
      const discardable = new Set(this.moves("discard").map((move) => move.tile.tile));
      this.rack.render(board.hand, board.joker, { key: `ludens.okey.${table}.${you}`, discardable, past: this.past });
      const came = last?.seat === you && (last.drawn ?? (last.kind === "take" ? last.tile : null));
      this.fresh = this.rack.markFresh(came ? came.tile : null);
    }
    clear(this.hands).append(...openHands(board, this.names, holds ? you : null));
    clear(this.lists).append(...discardLists(board, this.names));
    this.renderTools();
  }

  renderTools() {
    const chosen = this.rack.element.hidden ? null : this.rack.selected;
    const move = chosen && this.moves("discard").find((each) => each.tile.tile === chosen.tile);
    this.discardButton.textContent = move ? `Discard ${shortNameOf(chosen)}` : "Discard";
    setPlayable(this.discardButton, move, move ? `Discard ${nameOf(chosen)}` : "Discard");
    const show = this.moves("show")[0];
    this.showButton.hidden = !show;
    setPlayable(this.showButton, show, "Show the indicator's twin for a point");
    if (this.state.you !== null) {
      setPlayable(this.ownPile, move, move ? `Discard ${nameOf(chosen)} here` : this.felt.ownLabel);
      this.ownPile.classList.toggle("okey-open", this.moves("discard").length > 0);
    }
    this.prompt.textContent = this.advice(chosen, move);
  }

  advice(chosen, move) {
    const { board, mover, you, over, result } = this.state;
    if (over || board.phase === "over") return result?.text ?? "";
    if (mover !== you) return `${this.names[mover]} to move.`;
    if (this.moves("draw").length) {
      return board.offer ? `Draw from the centre, or take ${nameOf(board.offer)}.` : "Draw from the centre.";
    }
    if (!this.moves("discard").length) return "";
    if (move) return `Discard ${nameOf(chosen)}, or choose another tile.`;
    return "Choose a tile to discard, or drag it to your pile.";
  }

  seatNames() {
    const { board, seats, you } = this.state;
    return board.sizes.map((_, seat) => {
      if (seat === you && this.persons === 1) return "You";
      return seats[seat]?.name ?? `Seat ${seat}`;
    });
  }

  // ------------------------------------------------------------------ acting

  get persons() {
    return this.state.seats.filter((seat) => seat.kind === "person").length || 1;
  }

  get ownPile() {
    return this.felt.piles[this.state.you];
  }

  moves(kind) {
    return this.state.moves.filter((move) => move.kind === kind);
  }

  /** The elements that a legal action is done with. */
  placesOf(action) {
    const move = this.state?.moves.find((each) => each.action === action);
    if (!move) return [];
    if (move.kind === "discard") return this.rack.tiles.filter((tile) => tile?.dataset.tile === move.tile.tile);
    return [{ draw: this.felt.stack, take: this.felt.offering, show: this.showButton }[move.kind]];
  }

  tap(kind) {
    if (kind === "pile") this.discard();
    else this.playKind(kind);
  }

  playKind(kind) {
    const move = this.moves(kind)[0];
    if (move) this.options.play(move.action);
  }

  /** Discard the tile at a place, or the one selected; false if that is no move now. */
  discard(place = this.rack.selection) {
    const tile = place < 0 ? null : this.rack.tileAt(place);
    const move = tile && this.moves("discard").find((each) => each.tile.tile === tile.tile);
    if (!move) return false;
    this.rack.leaving = place;
    this.options.play(move.action);
    return true;
  }

  /** Let what one draws or takes be dragged to its place on the rack. */
  dragIn(handle, kind) {
    let ghost = null;
    draggable(handle, {
      begin: () => {
        const source = handle.querySelector(kind === "draw" ? ".okey-back" : ".okey-uppermost");
        if (!this.moves(kind).length || !source || this.rack.element.hidden) return null;
        ghost = source.cloneNode(true);
        source.after(ghost);
        return ghost;
      },
      over: (x, y) => this.rack.hover(x, y),
      drop: (x, y) => {
        this.rack.arrival = this.rack.placeAt(x, y);
        ghost.remove();
        this.rack.hover(null);
        if (this.rack.arrival >= 0) this.playKind(kind);
      },
      cancel: () => {
        ghost.remove();
        this.rack.hover(null);
      },
    });
  }

  hover(x, y, tile) {
    if (this.state.you === null) return;
    const legal = this.moves("discard").some((move) => move.tile.tile === tile?.tile);
    const lands = x !== null && legal && isOver(this.ownPile, x, y);
    this.ownPile.classList.toggle("okey-target", lands);
  }

  // ------------------------------------------------------------------ where tiles fly, and where the focus goes

  /** Where the tile of an act is before it is done. */
  start({ kind, seat, tile }) {
    if (kind === "draw") return this.felt.stack.firstElementChild;
    if (kind === "take") return this.felt.top((seat + this.names.length - 1) % this.names.length);
    if (kind === "discard") return this.holdsRack(seat) ? this.rack.leaver(tile.tile) : this.felt.rackEnd(seat, false);
    return null;
  }

  /** Where it is once the act is done. */
  end({ kind, seat }) {
    if (kind === "discard") return this.felt.top(seat);
    if (kind === "show") return null;
    return this.holdsRack(seat) ? this.fresh : this.felt.rackEnd(seat, kind === "take");
  }

  holdsRack(seat) {
    return seat === this.state.you && !this.rack.element.hidden;
  }

  get focusable() {
    const onTable = this.state ? this.felt.focusable : [];
    return this.rack.element.hidden ? onTable : [...onTable, ...this.rack.tiles.filter(Boolean)];
  }

  pressed(event) {
    if (!this.focusable.includes(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    this.flights.land();
    const place = this.rack.tiles.indexOf(event.target);
    const done =
      (place >= 0 && this.rack.pressed(event, place)) ||
      (place >= 0 && ["d", "D", "Delete"].includes(event.key) && this.discard(place)) ||
      (event.key === "Escape" && this.rack.selection >= 0 && this.rack.select(-1)) ||
      this.roving.follow(event.key);
    if (done) event.preventDefault();
  }
}
