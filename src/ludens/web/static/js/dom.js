// Building DOM without strings of HTML: text stays text, whatever it says.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "selected", "indeterminate", "disabled", "hidden", "open", "srcObject"]);

/**
 * An HTML element. Props: `class`, `text`, `on` ({event: function}), `vars` ({"--name": value}), form properties
 * (value, checked, ...), and any attribute by its name; null, undefined and false leave an attribute out.
 */
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element, with the same props as `el`. */
export function svg(tag, attrs, ...children) {
  return fill(document.createElementNS(SVG, tag), attrs, children);
}

/** Remove everything inside a node; returns the node. */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/** Say something to whoever listens instead of looking. The same words twice are said twice. */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (!region || !text) return;
  const line = el("p", { text });
  region.append(line);
  while (region.childElementCount > 8) region.firstElementChild.remove();
}

/** A unique id for labels that point at their element. */
export function newId(prefix = "id") {
  newId.last = (newId.last ?? 0) + 1;
  return `${prefix}-${newId.last}`;
}

/** Whether the person asked for less motion. */
export function reducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Link a style sheet, once; resolves when it is there (or cannot be had), so that nothing is shown unstyled. */
export function stylesheet(href) {
  const known = document.querySelector(`link[rel="stylesheet"][href="${href}"]`);
  if (known && (known.sheet || known.dataset.failed)) return Promise.resolve();
  const link = known ?? el("link", { rel: "stylesheet", href });
  if (!known) document.head.append(link);
  return new Promise((resolve) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => {
      link.dataset.failed = "1";
      resolve();
    });
  });
}

function fill(node, props, children) {
  const later = [];
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined) continue;
    if (name === "class") node.setAttribute("class", value);
    else if (name === "text") node.textContent = value;
    else if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "vars") for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
    else if (PROPERTIES.has(name) && name in node) later.push([name, value]);
    else if (value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  for (const [name, value] of later) node[name] = value; // a select knows its value only once it has options
  return node;
}
