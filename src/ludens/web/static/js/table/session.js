// One table on the page: a session knows the newest state, what is looked at instead and what agents said; its stage
// draws states on the board one after the other, each animation to its end.

import { getJson } from "../api.js";
import { announce } from "../dom.js";
import { TableSocket } from "../socket.js";
import { toast } from "../widgets.js";

const MOST_BEHIND = 2; // with more states waiting than this, the rest is drawn without animation

export class Session {
  /** `first` is a TableState; `stage` draws what is to be seen. */
  constructor(first, stage) {
    this.id = first.table;
    this.live = first;
    this.stage = stage;
    this.at = null; // ply looked at, null: now
    this.thinking = null; // what an agent does at its turn: {seat, what, since}
    this.advising = null; // what whoever was asked for advice does: {what, since}
    this.analysis = null; // for the live position
    this.analyse = { on: false, by: null };
    this.hint = null;
    this.pending = null; // version of the position in which a move was sent and not yet answered
    this.up = true;
    this.unveiled = null; // the person whose hand may be seen
    this.values = new Map(); // ply -> value for seat 0, as analyses and the review told them
    this.review = null;
    this.listeners = [];
    this.past = null; // {version, states}
    this.heading = null; // ply that one will look at once the past has been fetched
  }

  /** Begin to listen; call once everything that shows the session is there. */
  open(onGone) {
    this.#note(this.live, null);
    this.#draw({ animate: false });
    this.socket = new TableSocket(this.id, {
      state: (state) => this.#receive(state),
      thinking: ({ seat, what }) => (seat === null ? this.#advise(what) : this.#think({ seat, what })),
      analysis: (told) => this.#analysed(told),
      hint: (told) => this.#hinted(told),
      refused: ({ detail }) => this.#complain(detail),
      error: ({ detail }) => this.#complain(detail),
      line: (up) => this.#line(up),
      gone: onGone,
    });
  }

  close() {
    this.socket?.close();
  }

  /** Be told after every change. */
  listen(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  // ------------------------------------------------------------------ what can be asked

  /** The state that the board shows: the newest one, or one of the past without moves. */
  get shown() {
    if (this.at === null) return this.watching && this.analysis ? { ...this.live, moves: this.analysis.moves } : this.live;
    const moves = this.gradedHere?.best_moves ?? []; // for the board to show, not to be played
    return { ...this.live, ...this.past.states[this.at], over: false, result: null, moves, thinking: null };
  }

  /** What the review says about the move that was made in the position looked at. */
  get gradedHere() {
    return this.review?.moves.find((move) => move.before === this.at);
  }

  /** The ply that is looked at, or is about to be. */
  get place() {
    return this.heading ?? this.at ?? this.live.ply;
  }

  get persons() {
    return this.live.seats.filter((seat) => seat.kind === "person").map(({ seat }) => seat);
  }

  get watching() {
    return this.persons.length === 0;
  }

  /** Whether a person at this device is to move. */
  get yourTurn() {
    return !this.live.over && this.persons.includes(this.live.mover);
  }

  /** Several persons, and something that only one of them may see: who must come to the device first, or null. */
  get veiledFor() {
    const secret = "hand" in this.live.board && this.persons.length > 1 && !this.live.over;
    return secret && this.live.you !== this.unveiled ? this.live.you : null;
  }

  name(seat) {
    return this.live.seats[seat].name;
  }

  // ------------------------------------------------------------------ what can be done

  play(action) {
    if (this.at !== null || this.pending !== null || !this.live.moves.some((move) => move.action === action)) return;
    if (this.#send({ type: "move", action, version: this.live.version })) this.pending = this.live.version;
  }

  /** A move made on the board, which may still be about to draw the newest state. */
  playOnBoard(action) {
    if (this.stage.version === this.live.version) this.play(action);
  }

  undo() {
    this.now();
    this.#send({ type: "undo" });
  }

  askHint() {
    this.now();
    if (!this.#send({ type: "hint" })) return;
    announce("Asking for a hint.");
    this.#advise("thinking");
  }

  setAnalysis(on, by = this.analyse.by) {
    this.analyse = { on, by };
    this.analysis = null;
    this.stage.overlay(null);
    this.#send({ type: "analyse", on, by });
    this.#advise(this.#adviceIsDue ? "thinking" : null);
  }

  run(delay) {
    this.now();
    this.#send({ type: "run", delay });
  }

  pause() {
    this.#send({ type: "pause" });
  }

  stepOn() {
    this.now();
    this.#send({ type: "step" });
  }

  unveil() {
    this.unveiled = this.live.you;
    this.#draw({ animate: false });
    this.changed();
  }

  /** Look at the position after `ply` acts; the last one is now. */
  async go(ply) {
    const to = Math.max(0, Math.min(ply, this.live.ply));
    if (to === this.live.ply) return this.now();
    const from = this.at ?? this.live.ply;
    this.heading = to;
    if (this.past?.version !== this.live.version) {
      const version = this.live.version;
      try {
        this.past = { version, states: (await getJson(`/api/tables/${this.id}/history`)).states };
      } catch (error) {
        return this.#complain(error.message);
      }
    }
    if (this.heading !== to || !this.past.states[to]) return undefined; // one has gone on meanwhile
    this.heading = null;
    this.at = to;
    this.#draw({ animate: to === from + 1 });
    announce(this.shown.last ? `Move ${to}: ${this.shown.last.said}` : "The start.");
    return this.changed();
  }

  /** Look at what is going on now. */
  now() {
    this.heading = null;
    if (this.at === null) return;
    const animate = this.at === this.live.ply - 1;
    this.at = null;
    this.#draw({ animate });
    this.changed();
  }

  /** Keep what a review says: for each move its grade and `best_moves`, the best there were, as a state lists moves. */
  setReview(review) {
    this.review = review;
    for (const { ply, value } of review.values ?? []) if (value !== null) this.values.set(ply, value);
    this.changed();
  }

  // ------------------------------------------------------------------ what the server says

  #receive(state) {
    const before = this.live;
    this.live = state;
    this.pending = null;
    if (state.version !== before.version) {
      this.hint = null;
      this.analysis = null;
      this.advising = this.#adviceIsDue ? { what: "thinking", since: performance.now() } : null;
      for (const ply of this.values.keys()) if (ply > state.ply) this.values.delete(ply);
      if (state.ply < before.ply) this.review = null;
    }
    this.#think(state.thinking, false);
    if (this.at !== null && (this.at > state.ply || state.ply < before.ply)) this.at = null;
    if (this.at === null) this.#draw({ animate: state.ply > before.ply });
    this.#note(state, before);
    this.changed();
  }

  #draw({ animate }) {
    if (this.veiledFor !== null) return; // nobody sees it, and nothing of it is in the page
    this.stage.show(this.shown, { animate, live: this.at === null });
    this.stage.overlay(this.at === null ? this.analysis : null);
    const highlighted = this.at === null ? this.hint : this.shown.moves[0]; // in the past: the best move there was
    this.stage.hint(highlighted?.action ?? null);
  }

  #think(told, notify = true) {
    const same = told && this.thinking && told.seat === this.thinking.seat && told.what === this.thinking.what;
    if (!same) this.thinking = told ? { ...told, since: performance.now() } : null;
    if (notify) this.changed();
  }

  /** Whether the server will say what it thinks of the position as it is. */
  get #adviceIsDue() {
    return this.analyse.on && !this.live.over && (this.watching || this.yourTurn);
  }

  #advise(what) {
    if (what !== this.advising?.what) this.advising = what ? { what, since: performance.now() } : null;
    this.changed();
  }

  #analysed(told) {
    if (told.version !== this.live.version || !this.analyse.on) return;
    this.analysis = told;
    this.advising = null;
    if (told.value !== null && told.value !== undefined) this.values.set(this.live.ply, told.value);
    if (this.at === null && this.watching) this.#draw({ animate: false }); // onlookers see the moves that are judged
    else if (this.at === null) this.stage.overlay(told);
    this.changed();
  }

  #hinted(told) {
    if (told.version !== this.live.version) return;
    this.hint = told;
    this.advising = null;
    if (this.at === null) this.stage.hint(told.action);
    announce(`Hint: ${told.name}. ${told.text ?? ""}`);
    this.changed();
  }

  #complain(detail) {
    this.pending = null;
    this.advising = null;
    toast(detail);
    this.changed();
  }

  #line(up) {
    if (this.up !== up) announce(up ? "Connected again." : "The connection is lost; trying again.");
    this.up = up;
    this.pending = null;
    this.advising = null;
    if (up && this.analyse.on) this.#send({ type: "analyse", ...this.analyse });
    this.changed();
  }

  #send(message) {
    const sent = this.socket?.send(message);
    if (!sent) toast("Not connected right now: nothing was sent.");
    return sent;
  }

  /** Say what happened and whose turn it is. */
  #note(state, before) {
    if (before && state.version === before.version) return;
    const words = [];
    if (before && state.ply > before.ply && state.last) words.push(state.last.said);
    if (before && state.ply < before.ply) words.push("Taken back.");
    if (state.over) words.push(`The game is over. ${state.result.text}`);
    else if (state.notice && this.veiledFor === null) words.push(state.notice);
    if (!state.over && this.persons.includes(state.mover)) {
      words.push(this.persons.length > 1 ? `${this.name(state.mover)} to move.` : "Your turn.");
    }
    announce(words.join(" "));
  }
}

/** A stage for `board` in `frame`. The frame says what is drawn, once it stands still: data-version, data-mover, data-ply. */
export function createStage(board, frame) {
  let waiting = [];
  let pumping = false;
  let drawn = null; // the state on the board
  let overlay = null;
  let hint = null;

  async function pump() {
    if (pumping) return;
    pumping = true;
    while (waiting.length) {
      const { state, animate } = waiting.shift();
      try {
        if (drawn) unmark();
        drawn = state;
        await board.render(state, { animate: animate && waiting.length <= MOST_BEHIND && !document.hidden });
        if (waiting.length === 0) mark();
      } catch (error) {
        console.error(error); // one bad drawing must not keep the next one from being tried
      }
      frame.dataset.version = state.version;
      frame.dataset.mover = state.mover;
      frame.dataset.ply = state.ply;
      frame.toggleAttribute("data-over", Boolean(state.over));
    }
    pumping = false;
  }

  function unmark() {
    board.overlay(null);
    board.hint(null);
  }

  function mark() {
    board.overlay(overlay && drawn && overlay.version === drawn.version ? overlay : null);
    board.hint(hint);
  }

  return {
    /** Draw a state: live ones in turn, past ones at once. */
    show(state, { animate, live }) {
      if (!live && waiting.length) waiting = [];
      waiting.push({ state, animate });
      overlay = null;
      hint = null;
      pump();
    },
    overlay(analysis) {
      overlay = analysis;
      if (!pumping && drawn) mark();
    },
    hint(action) {
      hint = action;
      if (!pumping && drawn) mark();
    },
    /** Version of the state on the board: what a person who clicks there has seen. */
    get version() {
      return drawn?.version;
    },
  };
}
