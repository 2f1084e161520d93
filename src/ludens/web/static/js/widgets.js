// Small things that several pages are made of: icons, buttons, tabs, dialogs, toasts.

import { announce, el, newId, svg } from "./dom.js";

const ICONS = {
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.6.5 1 1.2 1 2.1h5c0-.9.4-1.6 1-2.1A6 6 0 0 0 12 3z",
  flip: "M7 4v14M7 4 4 7M7 4l3 3M17 20V6M17 20l3-3M17 20l-3-3",
  rules: "M5 4h9a4 4 0 0 1 4 4v12H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h10",
  keys: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M17 10h.01M7 14h10",
  more: "M12 5v14M5 12h14",
  again: "M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.3L4 15M4 20v-5h5",
  swap: "M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4",
  first: "M18 5l-8 7 8 7M6 5v14",
  previous: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  last: "M6 5l8 7-8 7M18 5v14",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  step: "M6 5l9 7-9 7zM18 5v14",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  branch: "M6 4v16M6 12h6a6 6 0 0 0 6-6V4M15 7l3-3 3 3",
  close: "M6 6l12 12M18 6 6 18",
  check: "M4 12l5 5L20 6",
  star: "M12 3l2.7 5.8 6.3.8-4.6 4.4 1.2 6.2L12 17.1l-5.6 3.1 1.2-6.2L3 9.6l6.3-.8z",
  question: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18h.01",
  wrong: "M12 5v9M12 18.5h.01",
  worse: "M8 5v9M8 18.5h.01M16 5v9M16 18.5h.01",
};

/** A drawn sign; words beside it or an aria-label on its button say what it means. */
export function icon(name, size = 20) {
  const frame = { class: "icon", viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true", focusable: "false" };
  const pen = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" };
  return svg("svg", frame, svg("path", { d: ICONS[name], ...pen }));
}

/** A button with an icon and words; `iconOnly` keeps the words for the label and the tooltip. */
export function button(label, { sign, iconOnly = false, kind = "", onClick, ...rest } = {}) {
  const name = iconOnly ? { "aria-label": label, title: label } : {};
  const style = `${iconOnly ? "icon-button" : "button"} ${kind}`;
  return el("button", { type: "button", class: style, ...name, on: { click: onClick }, ...rest },
    sign && icon(sign), iconOnly ? null : el("span", { text: label }));
}

/** Change what a button made by `button` says. */
export function relabel(node, label, sign) {
  const words = node.querySelector("span");
  if (words) words.textContent = label;
  else {
    node.setAttribute("aria-label", label);
    node.title = label;
  }
  if (sign) node.querySelector(".icon").replaceWith(icon(sign));
}

/**
 * Tabs: [{key, label, panel}]. `select(key)` switches, `toggle(key, visible)` hides one, `onSelect(key)` is told.
 * Arrow keys move between tabs, as everywhere.
 */
export function tabs(label, entries, onSelect = () => {}) {
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": label });
  const panels = el("div", { class: "tab-panels" });
  const parts = new Map();
  for (const { key, label: text, panel } of entries) {
    const [tabId, panelId] = [newId("tab"), newId("panel")];
    const tab = el("button", {
      type: "button", class: "tab", role: "tab", id: tabId, "aria-controls": panelId, "data-tab": key, text,
      on: { click: () => select(key) },
    });
    const box = el("div", { class: "tab-panel", role: "tabpanel", id: panelId, "aria-labelledby": tabId, tabindex: 0 }, panel);
    list.append(tab);
    panels.append(box);
    parts.set(key, { tab, box });
  }

  function select(key) {
    for (const [each, { tab, box }] of parts) {
      tab.setAttribute("aria-selected", String(each === key));
      tab.tabIndex = each === key ? 0 : -1;
      box.hidden = each !== key;
    }
    onSelect(key);
  }

  function toggle(key, visible) {
    const { tab } = parts.get(key);
    tab.hidden = !visible;
    if (!visible && tab.getAttribute("aria-selected") === "true") select(entries[0].key);
  }

  list.addEventListener("keydown", (event) => {
    const visible = [...parts.values()].map(({ tab }) => tab).filter((tab) => !tab.hidden);
    const at = visible.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: visible.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const tab = visible[(to + visible.length) % visible.length];
    tab.focus();
    tab.click();
  });
  select(entries[0].key);
  return { element: el("div", { class: "tabbed" }, list, panels), select, toggle };
}

/** A modal dialog, opened at once and gone when closed. `body` is a node or a promise of one. */
export function dialog(title, body) {
  const id = newId("dialog");
  const room = el("div", { class: "dialog-body", tabindex: 0 });
  const close = button("Close", { sign: "close", iconOnly: true, onClick: () => node.close() });
  const node = el("dialog", { "aria-labelledby": id },
    el("div", { class: "dialog-head" }, el("h2", { id, text: title }), close), room);
  node.addEventListener("close", () => node.remove());
  node.addEventListener("click", (event) => {
    if (event.target === node) node.close(); // the backdrop
  });
  Promise.resolve(body).then(
    (content) => room.append(content),
    (error) => room.append(el("p", { class: "problem", text: error.message })),
  );
  document.body.append(node);
  node.showModal();
  return node;
}

/** A sentence that comes and goes, said aloud as well. */
export function toast(text) {
  const node = el("div", { class: "toast", text });
  document.getElementById("toasts").append(node);
  announce(text);
  setTimeout(() => node.remove(), 3000 + 50 * text.length);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast(`The browser does not allow copying: select the ${what.toLowerCase()} and copy it by hand.`);
  }
}
