// The board's place on the page: states are drawn one after the other, each animation to its end.

const MOST_BEHIND = 2; // with more states waiting than this, the rest is drawn without animation

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
