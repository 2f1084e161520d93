// The table of Okey from above: seats around it, each one's discards at its right hand, the centre and the indicator.

import { clear, el } from "../dom.js";
import { back, face, nameOf, namesOf, smallTile } from "./okey-tiles.js";

const SIDES = { 2: ["bottom", "top"], 3: ["bottom", "right", "left"], 4: ["bottom", "right", "top", "left"] };
const SHOWN_BENEATH = 3;

/** The felt. `tap(kind)` is called with `draw`, `take` or `pile` (the own discards) when that is pressed. */
export class Felt {
  constructor(tap) {
    this.tap = tap;
    this.stack = el("button", {
      class: "okey-stack",
      type: "button",
      tabindex: "-1",
      on: { click: () => tap("draw") },
    });
    this.indicator = el("div", { class: "okey-shown" });
    this.jokerShown = el("div", { class: "okey-shown" });
    this.element = el("div", { class: "okey-felt", role: "group", "aria-label": "Table" });
  }

  /** Draw a state as the seat at the bottom sees it. */
  render(state, names) {
    const { board } = state;
    const key = `${board.players} ${state.you}`;
    if (key !== this.key) this.setOut(board.players, state.you, key);
    this.renderCentre(state);
    for (let seat = 0; seat < board.players; seat += 1) {
      this.renderSeat(seat, state, names[seat]);
      this.renderPile(seat, state, names[seat]);
    }
  }

  /** What can be focused here, in reading order. */
  get focusable() {
    return [this.stack, ...this.piles.filter((pile) => pile.localName === "button")];
  }

  /** The topmost tile before a seat, or the pile where there is none. */
  top(seat) {
    return this.piles[seat].querySelector(".okey-uppermost") ?? this.piles[seat];
  }

  /** The last tile of somebody else's rack, one that is known or one that is not; the plate of who shows none. */
  rackEnd(seat, isKnown) {
    const [known, unknown] = this.racks[seat].children;
    return (isKnown ? known : unknown)?.lastElementChild ?? this.plates[seat];
  }

  // ------------------------------------------------------------------ inside

  setOut(players, you, key) {
    this.key = key;
    this.you = you;
    this.players = players;
    const bottom = you ?? 0;
    const seats = [...Array(players).keys()];
    const side = (seat) => SIDES[players][(seat - bottom + players) % players];
    this.plates = seats.map(() => el("div", { class: "okey-plate" }));
    this.racks = seats.map(() => el("div", { class: "okey-others-rack" }));
    this.piles = seats.map((seat) => this.newPile(seat, side(seat)));
    this.offering = you === null ? null : this.piles[(you + players - 1) % players];
    this.seats = seats.map((seat) =>
      el(
        "div",
        { class: `okey-seat okey-${side(seat)}`, "data-seat": seat, role: "group" },
        this.plates[seat],
        this.racks[seat],
      ),
    );
    const caption = el("span", { class: "okey-caption", text: "Centre", "aria-hidden": "true" });
    const drawn = el("div", { class: "okey-shown" }, this.stack, caption);
    const centre = el("div", { class: "okey-centre" }, drawn, this.indicator, this.jokerShown);
    clear(this.element).append(...this.seats, ...this.piles, centre);
    this.element.dataset.players = players;
  }

  newPile(seat, side) {
    const name = `okey-pile okey-pile-${side}`;
    const before = (seat + 1) % this.players === this.you;
    if (seat !== this.you && !before) return el("div", { class: name, role: "img" });
    const on = { click: () => this.tap(before ? "take" : "pile") };
    return el("button", { class: name, type: "button", tabindex: "-1", on });
  }

  renderCentre({ board, moves }) {
    const draw = moves.find((move) => move.kind === "draw");
    const tiles = `${board.left} ${board.left === 1 ? "tile" : "tiles"}`;
    const layers = Math.min(3, board.left);
    clear(this.stack).append(
      el("span", { class: "okey-layers" }, Array.from({ length: layers }, back)),
      el("span", { class: "okey-count", text: String(board.left) }),
    );
    const label = `Centre, ${tiles}${draw ? ", draw one" : ""}`;
    setPlayable(this.stack, draw, label);
    const shown = (caption, name, tile) => [
      el("span", { role: "img", "aria-label": `${caption}: ${name}` }, face(tile, board.joker)),
      el("span", { class: "okey-caption", text: caption, "aria-hidden": "true" }),
    ];
    clear(this.indicator).append(...shown("Indicator", nameOf(board.indicator), board.indicator));
    clear(this.jokerShown).append(...shown("Joker", nameOf({ tile: board.joker }), { tile: "okey" }));
  }

  renderSeat(seat, { board, you, over, mover }, name) {
    const known = board.known[seat];
    const size = board.sizes[seat];
    const toMove = !over && mover === seat;
    const facts = [
      board.scores && `${board.scores[seat]} points`,
      board.starter === seat && "began",
      board.winner === seat && "has won",
    ].filter(Boolean);
    this.seats[seat].classList.toggle("okey-to-move", toMove);
    this.seats[seat].dataset.team = board.teams ? seat % 2 : seat;
    clear(this.plates[seat]).append(
      el("span", { class: "okey-dot", "aria-hidden": "true" }),
      el("span", { class: "okey-name", text: name, title: name }),
      el("span", { class: "okey-points", text: board.scores ? String(board.scores[seat]) : "", "aria-hidden": "true" }),
    );
    const hidden = seat !== you && !board.hands.some(Boolean);
    this.racks[seat].hidden = !hidden;
    clear(this.racks[seat]).append(
      el("div", { class: "okey-known" }, hidden && known.map((tile) => smallTile(tile, board.joker))),
      el("div", { class: "okey-unknown" }, hidden && Array.from({ length: size - known.length }, back)),
    );
    const held = seat === you ? "" : `, ${size} tiles${known.length ? `, known: ${namesOf(known)}` : ""}`;
    const more = facts.length ? `, ${facts.join(", ")}` : "";
    this.seats[seat].setAttribute("aria-label", `${name}${held}${more}${toMove ? ", to move" : ""}`);
  }

  renderPile(seat, { board, moves }, name) {
    const pile = this.piles[seat];
    const tiles = board.discards[seat];
    const own = seat === this.you;
    const take = pile === this.offering && moves.find((move) => move.kind === "take");
    const last = tiles.at(-1);
    const whose = own ? "Your discards" : `Discards of ${name}`;
    const earlier = tiles.length > 1 ? `; before it ${namesOf(tiles.slice(0, -1).reverse())}` : "";
    clear(pile).append(
      ...tiles.slice(-1 - SHOWN_BENEATH, -1).map(() => el("span", { class: "okey-beneath", "aria-hidden": "true" })),
    );
    if (last) pile.append(el("span", { class: "okey-uppermost", "data-top": last.tile }, face(last, board.joker)));
    else pile.append(el("span", { class: "okey-nothing", "aria-hidden": "true" }));
    const label = last ? `${whose}: ${nameOf(last)}${earlier}` : `${whose}: none`;
    if (own) this.ownLabel = label;
    if (pile.localName === "button") setPlayable(pile, take, take ? `Take ${nameOf(last)}. ${label}` : label);
    else pile.setAttribute("aria-label", label);
  }
}

/** Whether one press of a button plays a move now, for eyes, ears and scripts. */
export function setPlayable(button, move, label) {
  button.classList.toggle("okey-playable", Boolean(move));
  button.setAttribute("aria-disabled", String(!move));
  button.setAttribute("aria-label", label);
  if (move) button.dataset.action = move.action;
  else delete button.dataset.action;
}
