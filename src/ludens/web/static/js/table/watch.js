// Watching agents: play, pause, one step, and how fast.

import { el, newId } from "../dom.js";
import { recall, remember } from "../settings.js";
import { button, relabel } from "../widgets.js";

const SPEEDS = [3, 2, 1.5, 1, 0.6, 0.3, 0.1, 0]; // seconds between moves, slow to fast

export function createWatch(session) {
  const id = newId("speed");
  const onPlay = () => (session.live.running ? session.pause() : session.run(delay()));
  const play = button("Play", { sign: "play", kind: "primary", "data-command": "run", onClick: onPlay });
  const step = button("Step", { sign: "step", "data-command": "step", onClick: () => session.stepOn() });
  const words = el("output", { class: "muted small", for: id });
  const speed = el("input", { id, type: "range", min: 0, max: SPEEDS.length - 1, step: 1, value: recall("speed", 3) });
  speed.addEventListener("input", () => showSpeed());
  speed.addEventListener("change", () => {
    remember("speed", Number(speed.value));
    if (session.live.running) session.run(delay());
  });
  const element = el("div", { class: "watch", role: "group", "aria-label": "Watch" },
    play, step, el("div", { class: "speed" }, el("label", { for: id, text: "Speed" }), speed, words));

  const delay = () => SPEEDS[Number(speed.value)];

  function showSpeed() {
    words.textContent = delay() ? `${delay()} s a move` : "as fast as they think";
    speed.setAttribute("aria-valuetext", words.textContent);
  }

  function update() {
    const { live } = session;
    element.hidden = !session.watching || live.over;
    relabel(play, live.running ? "Pause" : "Play", live.running ? "pause" : "play");
    step.disabled = live.running;
  }

  session.listen(update);
  showSpeed();
  update();
  return { element };
}
