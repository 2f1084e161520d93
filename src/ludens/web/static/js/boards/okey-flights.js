// Tiles in flight: each starts where it was and glides to where it now is.

const FLIGHT = { duration: 280, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" };

export class Flights {
  constructor() {
    this.running = new Map();
    this.still = false;
  }

  /** Let an element glide from a rectangle of the window to its place. */
  fly(element, from) {
    this.running.get(element)?.cancel();
    this.running.delete(element);
    if (!element || !from || this.still) return;
    const to = element.getBoundingClientRect();
    const dx = from.left - to.left + (from.width - to.width) / 2;
    const dy = from.top - to.top + (from.height - to.height) / 2;
    if (!to.width || !from.width || Math.hypot(dx, dy) < 1) return;
    const start = { transform: `translate(${dx}px, ${dy}px) scale(${from.width / to.width})`, zIndex: 6 };
    const flight = element.animate([start, { transform: "none", zIndex: 6 }], FLIGHT);
    this.running.set(element, flight);
    flight.finished.then(
      () => this.running.get(element) === flight && this.running.delete(element),
      () => undefined,
    );
  }

  /** End all flights at once. */
  land() {
    for (const flight of this.running.values()) flight.finish();
    this.running.clear();
  }

  /** Resolves once everything that flies now has landed. */
  async landed() {
    await Promise.allSettled([...this.running.values()].map((flight) => flight.finished));
  }
}
