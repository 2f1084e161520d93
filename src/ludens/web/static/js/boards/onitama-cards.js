/**
 * The five cards of Onitama: what they look like, where they lie, and how they change hands.
 *
 * Whoever sits far has its cards turned, and the card aside faces whoever will get it.
 */

import { svg } from "../dom.js";

export const CARD = { width: 150, height: 170 };
const IN_HAND = 1.25; // how much larger a hand lies above or below the board
const SMALL = 22; // a square of a card's pattern
const KEYS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** Where cards lie beside a board that is `side` wide. */
export class CardLayout {
  portrait = false;
  near = 0;

  constructor(side) {
    this.side = side;
  }

  /** The drawing's size and where in it the board begins. */
  get frame() {
    const { side } = this;
    if (!this.portrait) return { width: side + 2 * CARD.width + 44, height: side, left: 0, top: 0 };
    const hand = CARD.height * IN_HAND + 14;
    return { width: side + CARD.width + 14, height: side + 2 * hand, left: 0, top: hand };
  }

  /** The pose of a card: its middle, its turn in degrees and its scale. `owner` is a seat, or null for the card aside. */
  pose(owner, slot, mover) {
    const facing = owner ?? mover;
    const turn = facing === this.near ? 0 : 180;
    const place = owner === null ? "aside" : owner === this.near ? "near" : "far";
    return { ...this.#middle(place, slot), turn, scale: this.portrait && owner !== null ? IN_HAND : 1 };
  }

  #middle(place, slot) {
    const { side, portrait } = this;
    const { width, height } = this.frame;
    if (portrait) {
      if (place === "aside") return { x: width - CARD.width / 2, y: height / 2 };
      const half = (CARD.height * IN_HAND) / 2;
      return { x: side / 2 + (slot - 0.5) * (CARD.width * IN_HAND + 16), y: place === "near" ? height - half : half };
    }
    const left = side + 32 + CARD.width / 2;
    const half = CARD.height / 2;
    if (place === "aside") return { x: left + (CARD.width + 12) / 2, y: height / 2 };
    return { x: left + slot * (CARD.width + 12), y: place === "near" ? height - half : half };
  }
}

/** The cards on the table, and as a reader, a keyboard and a pointer meet them: one stop for Tab. */
export class Cards {
  /** `press(name)` on click, tap, Enter or Space; `cancel()` on Escape. */
  constructor(layout, motion, { press, cancel }) {
    Object.assign(this, { layout, motion, press, cancel, slots: [[], []], cards: new Map(), places: new Map() });
    this.element = svg("g", { class: "onitama-cards", role: "group", "aria-label": "Cards" });
  }

  /** Deal or move the cards to where `board` has them; resolves when they lie there. */
  settle(board, mover, { animate = false, delay = 0 } = {}) {
    if (Object.keys(board.cards).some((name) => !this.cards.has(name))) this.#deal(board);
    for (const seat of [0, 1]) {
      const free = board.hands[seat].filter((name) => !this.slots[seat].includes(name));
      const kept = this.slots[seat].map((name) => (board.hands[seat].includes(name) ? name : free.shift()));
      this.slots[seat] = [...kept, ...free];
    }
    const places = [0, 1].flatMap((seat) => this.slots[seat].map((name, slot) => [name, seat, slot]));
    places.push([board.side, null, 0]);
    const glides = places.map(([name, owner, slot]) => this.#place(name, { owner, slot, mover }, animate, delay));
    this.order = places.map(([name]) => name);
    return Promise.all(glides);
  }

  /** Put every card where its place lies now. */
  layOut() {
    for (const [name, { owner, slot, mover }] of this.places) this.#place(name, { owner, slot, mover }, false, 0);
  }

  /** Tell every card what it is: `describe(name)` gives `{label, action, enabled, fits, selected, hinted, used}`. */
  update(describe) {
    for (const [name, card] of this.cards) {
      const { label, action = null, enabled = false, fits = false, selected = false, hinted = false, used = false } = describe(name);
      card.setAttribute("aria-label", label);
      card.setAttribute("aria-disabled", String(!enabled));
      card.setAttribute("aria-pressed", String(selected));
      for (const [word, is] of Object.entries({ enabled, fits, selected, hinted, used })) card.classList.toggle(word, is);
      if (action === null) delete card.dataset.action;
      else card.dataset.action = action;
    }
  }

  /** The middle of a card, for what is written on it. */
  middle(name) {
    return this.places.get(name).pose;
  }

  #deal(board) {
    this.slots = [[], []];
    this.places.clear();
    this.cards = new Map(Object.entries(board.cards).map(([name, card]) => [name, this.#card(name, card)]));
    this.element.replaceChildren(...this.cards.values());
    this.#stop(board.hands[0][0]);
  }

  #place(name, { owner, slot, mover }, animate, delay) {
    const before = this.places.get(name)?.pose;
    const pose = this.layout.pose(owner, slot, mover);
    this.places.set(name, { owner, slot, mover, pose });
    const card = this.cards.get(name);
    card.setAttribute("transform", `translate(${pose.x} ${pose.y}) rotate(${pose.turn}) scale(${pose.scale})`);
    const same = before && before.x === pose.x && before.y === pose.y && before.turn === pose.turn;
    if (!animate || !before || same) return null;
    this.element.append(card); // above the others while it glides
    return this.motion.play(card, [{ transform: css(before) }, { transform: css(pose) }], { duration: 300, delay });
  }

  #card(name, { stamp, offsets }) {
    const card = svg("g", { class: "card", role: "button", tabindex: -1, "data-card": name }, ...drawCard(name, stamp, offsets));
    card.addEventListener("click", () => {
      this.#stop(name);
      this.press(name);
    });
    card.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in KEYS) this.#go(name, KEYS[event.key]);
      else if (event.key === "Enter" || event.key === " ") this.press(name);
      else if (event.key === "Escape") this.cancel();
      else return;
      event.preventDefault();
    });
    return card;
  }

  /** Make a card the one that Tab reaches. */
  #stop(name) {
    for (const [other, card] of this.cards) card.setAttribute("tabindex", other === name ? "0" : "-1");
  }

  #go(name, step) {
    const near = this.layout.near;
    const around = [...this.slots[1 - near], this.order.at(-1), ...this.slots[near]];
    const next = around[around.indexOf(name) + step];
    if (!next) return;
    this.#stop(next);
    this.cards.get(next).focus({ preventScroll: true });
  }
}

function drawCard(name, stamp, offsets) {
  const { width, height } = CARD;
  const top = -height / 2 + 12;
  const cells = [-2, -1, 0, 1, 2].flatMap((forward) =>
    [-2, -1, 0, 1, 2].map((right) => {
      const leads = offsets.some(([x, y]) => x === right && y === forward);
      const kind = right === 0 && forward === 0 ? "card-own" : leads ? "card-leads" : "card-square";
      const place = { x: (right - 0.5) * SMALL + 1, y: top + (2 - forward) * SMALL + 1, width: SMALL - 2, height: SMALL - 2, rx: 3 };
      return svg("rect", { class: kind, ...place });
    }),
  );
  const outline = { x: -width / 2, y: -height / 2, width, height, rx: 12 };
  return [
    svg("rect", { class: "card-shade", ...outline, y: outline.y + 3 }),
    svg("rect", { class: "card-face", ...outline }),
    ...cells,
    svg("rect", { class: `card-stamp ${stamp}`, x: -width / 2 + 13, y: height / 2 - 33, width: 18, height: 18, rx: 4 }),
    svg("text", { class: "card-name", x: -width / 2 + 38, y: height / 2 - 24, text: name }),
    svg("rect", { class: "card-focus", x: -width / 2 - 4, y: -height / 2 - 4, width: width + 8, height: height + 8, rx: 15 }),
  ];
}

function css({ x, y, turn, scale }) {
  return `translate(${x}px, ${y}px) rotate(${turn}deg) scale(${scale})`;
}
