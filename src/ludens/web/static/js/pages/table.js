// One table: play, watch, understand, review. The parts are in js/table; this puts them together.

import { patiently } from "../api.js";
import { announce, clear, el, reducedMotion, stylesheet } from "../dom.js";
import { createChoices } from "../table/choices.js";
import { createCurtain } from "../table/curtain.js";
import { createNotation } from "../table/notation.js";
import { createPlayers } from "../table/players.js";
import { createReview } from "../table/review.js";
import { createStage, Session } from "../table/session.js";
import { createStatus } from "../table/status.js";
import { createBar, createThink } from "../table/think.js";
import { createHead, createToolbar, listenToKeys } from "../table/toolbar.js";
import { createWatch } from "../table/watch.js";
import { tabs } from "../widgets.js";

const PLAIN = { element: null, render: async () => {}, overlay() {}, hint() {}, flip() {} };

export async function show(main, { path }) {
  const id = path[0] ?? "";
  const first = await patiently(`/api/tables/${encodeURIComponent(id)}`);
  const [board] = await Promise.all([
    loadBoard(first.game, (action) => session.playOnBoard(action)),
    stylesheet("/static/css/table.css"),
    stylesheet(`/static/css/board-${first.game}.css`),
  ]);
  const frame = el("div", { class: "board-frame" }, board.element);
  const session = new Session(first, createStage(board, frame));
  const parts = build(session, board, frame);
  document.title = `${first.title} · Ludens`;
  clear(main).append(parts.element);
  session.open((detail) => clear(main).append(el("section", { class: "message" },
    el("h1", { text: "This table is gone" }), el("p", { text: detail }),
    el("p", {}, el("a", { class: "button primary", href: "#/", text: "Choose a game" })))));
  return () => {
    session.close();
    parts.destroy();
    board.destroy?.();
  };
}

async function loadBoard(game, play) {
  try {
    const { createBoard } = await import(`../boards/${game}.js`);
    return createBoard({ play, announce, reducedMotion: reducedMotion() });
  } catch (error) {
    console.error(error);
    const words = "The board cannot be drawn here; the Moves tab has every legal move.";
    return { ...PLAIN, element: el("p", { class: "message", text: words }) };
  }
}

function build(session, board, frame) {
  const { game } = session.live;
  let flipped = startsFlipped(session);
  board.flip(flipped);

  const commands = {
    undo: () => session.live.can_undo && session.undo(),
    hint: () => session.yourTurn && session.askHint(),
    flip: () => {
      flipped = !flipped;
      board.flip(flipped);
      head.pressed(flipped);
      announce(flipped ? "Board turned." : "Board turned back.");
    },
    analyse: () => {
      session.setAnalysis(!session.analyse.on);
      if (session.analyse.on) panel.select("think");
      announce(session.analyse.on ? "Showing what it thinks." : "No longer showing what it thinks.");
    },
    fresh: () => (location.hash = `#/new/${game}`),
  };

  const players = createPlayers(session);
  const head = createHead(session, commands);
  head.pressed(flipped);
  const review = createReview(session);
  const panel = tabs("About this game", [
    { key: "game", label: "Game", panel: createNotation(session).element },
    { key: "moves", label: "Moves", panel: createChoices(session).element },
    { key: "think", label: "Think", panel: createThink(session).element },
    { key: "review", label: "Review", panel: review.element },
  ], (key) => key === "review" && review.start());
  const status = createStatus(session, {
    onReview: () => {
      panel.select("review");
      review.start();
      panel.element.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "auto" : "smooth" });
    },
  });
  const curtain = createCurtain(session, frame);
  if (session.watching) panel.toggle("moves", false);
  const stopKeys = listenToKeys(session, commands);
  const element = el("article", { class: "table-page", "data-game": game },
    el("div", { class: "table-main" },
      head.element,
      players.element,
      el("section", { class: "board-row", "aria-label": "Board" },
        createBar(session).element, el("div", { class: "board-place" }, frame, curtain.element)),
      createWatch(session).element,
      status.element),
    el("aside", { class: "table-side", "aria-label": "About this game" },
      createToolbar(session, commands).element, panel.element));
  return {
    element,
    destroy: () => {
      stopKeys();
      players.destroy();
      review.destroy();
    },
  };
}

/** A lone person sits at the near side, where sides face each other. */
function startsFlipped({ live, persons }) {
  return live.game === "onitama" && persons.length === 1 && persons[0] === 1;
}
