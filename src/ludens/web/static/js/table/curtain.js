// Several persons at one device, and a hand that only one of them may see: a curtain until the right one is here.

import { clear, el } from "../dom.js";
import { button } from "../widgets.js";

export function createCurtain(session, frame) {
  const element = el("div", { class: "curtain", hidden: true });
  let drawn = null;

  function update() {
    const who = session.veiledFor;
    element.hidden = who === null;
    frame.classList.toggle("veiled", who !== null);
    const key = who === null ? null : `${who} ${session.yourTurn}`;
    if (key === drawn) return;
    drawn = key;
    clear(element);
    if (who === null) return;
    if (!session.yourTurn) {
      element.append(el("p", { class: "curtain-words", text: "One moment: somebody else is playing." }));
      return;
    }
    const name = session.name(who);
    const onClick = () => session.unveil();
    const show = button(`I am ${name}: show my tiles`, { kind: "primary", "data-command": "unveil", onClick });
    element.append(el("p", { class: "curtain-words", text: `Pass the device to ${name}.` }), show);
    show.focus();
  }

  session.listen(update);
  update();
  return { element };
}
