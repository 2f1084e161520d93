/** Binary dice: little pyramids seen from above. One counts if the tip that came up is marked. */

import { svg } from "../dom.js";
import { translate } from "./grid.js";

const LEANS = [-9, 14, 24, -20]; // degrees, so that they lie as if thrown

export class Dice {
  constructor() {
    this.element = svg("g", { class: "ur-dice", "aria-hidden": "true" });
  }

  /** Lay the dice at their points, as they came up, with the throw in figures. */
  show(faces, thrown, points, figure) {
    this.dice = faces.map((up, i) =>
      svg("g", { transform: translate(points[i]) }, svg("g", { class: "ur-die" }, pyramid(up, LEANS[i % 4]))),
    );
    this.figure = svg("text", { class: "ur-throw", x: figure.x, y: figure.y, text: thrown ?? "" });
    this.element.replaceChildren(...this.dice, ...(faces.length ? [this.figure] : []));
  }

  /** Let them roll to where they lie; resolves when they rest. A `motion` that is finished lets them rest at once. */
  async roll(motion, duration) {
    const rolls = this.dice.map((die, i) => {
      const away = 26 + 14 * ((i * 7) % 3);
      const spin = (i % 2 ? -1 : 1) * (540 + 90 * i);
      const tip = motion.play(die.querySelector(".ur-tip"), flicker(i), { duration: duration * 0.8, easing: "linear" });
      const tumble = motion.play(
        die.firstChild,
        [
          { transform: `translate(${(i % 2 ? 1 : -1) * away}px, ${-away * 1.4}px) rotate(${-spin}deg) scale(1.25)` },
          { transform: `translate(${(i % 2 ? -0.3 : 0.3) * away}px, ${away * 0.35}px) rotate(${-spin * 0.3}deg) scale(0.94)`, offset: 0.55 },
          { transform: `translate(0px, ${-away * 0.22}px) rotate(${-spin * 0.08}deg) scale(1.06)`, offset: 0.78 },
          { transform: "translate(0px, 0px) rotate(0deg) scale(1)" },
        ],
        { duration, easing: "cubic-bezier(0.3, 0.1, 0.4, 1)" },
      );
      return Promise.all([tip, tumble]);
    });
    const figure = motion.play(this.figure, [{ opacity: 0 }, { opacity: 0, offset: 0.85 }, { opacity: 1 }], { duration });
    await Promise.all([...rolls, figure]);
  }
}

/** Three faces that meet in the tip. */
function pyramid(up, lean) {
  const corners = [-90, 30, 150].map((degrees) => {
    const angle = ((degrees + lean) * Math.PI) / 180;
    return [43 * Math.cos(angle), 43 * Math.sin(angle)].map((number) => Math.round(number * 10) / 10);
  });
  const faces = corners.map((corner, i) => {
    const next = corners[(i + 1) % 3];
    return svg("path", { class: `ur-face face-${i}`, d: `M0 0 L${corner} L${next} Z` });
  });
  return [
    svg("path", { class: "ur-die-shade", d: `M${corners.join(" L")} Z`, transform: "translate(2 6)" }),
    ...faces,
    svg("circle", { class: up ? "ur-tip up" : "ur-tip", r: up ? 11 : 4.5 }),
  ];
}

/** Light and dark in turn while it tumbles. */
function flicker(i) {
  const frames = Array.from({ length: 7 }, (_, n) => ({ opacity: (n + i) % 2 ? 0.1 : 1 }));
  return [...frames, { opacity: 1 }];
}
