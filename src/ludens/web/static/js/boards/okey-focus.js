// One tab stop for many things: arrow keys carry the focus to whatever lies next in that direction.

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ASIDE = 2.5;

export class Roving {
  /** `candidates()` lists what can be focused now. */
  constructor(root, candidates) {
    this.root = root;
    this.candidates = candidates;
    this.current = null;
    root.addEventListener("focusin", ({ target }) => this.candidates().includes(target) && this.settle(target));
  }

  /** Make one element the tab stop: the one given, the present one if it is still there, or else the first. */
  settle(wanted = this.current) {
    const all = this.candidates();
    this.current = all.includes(wanted) ? wanted : (all[0] ?? null);
    for (const element of all) element.tabIndex = element === this.current ? 0 : -1;
  }

  /** Whether the focus is on something that roves. */
  get holds() {
    return this.candidates().includes(document.activeElement);
  }

  /** Focus an element, now that what had the focus may be gone. */
  focus(element) {
    this.settle(element ?? undefined);
    this.current?.focus({ preventScroll: true });
  }

  /** Follow an arrow key; false if it was none. */
  follow(key) {
    if (!(key in DIRECTIONS)) return false;
    const [x, y] = DIRECTIONS[key];
    const from = centre(document.activeElement);
    let best = null;
    let least = Infinity;
    for (const element of this.candidates()) {
      const to = centre(element);
      const along = (to.x - from.x) * x + (to.y - from.y) * y;
      const aside = Math.abs((to.x - from.x) * y) + Math.abs((to.y - from.y) * x);
      const cost = along + ASIDE * aside;
      if (along > from.size / 4 && cost < least) [best, least] = [element, cost];
    }
    best?.focus();
    return true;
  }
}

function centre(element) {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2, size: Math.min(box.width, box.height) };
}
