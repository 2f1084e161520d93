// The shell: routes by the part of the address after #, one page at a time, and what every page shares.

import { announce, clear, el } from "./dom.js";
import * as home from "./pages/home.js";
import { startSettings } from "./settings.js";

const PAGES = {
  home: { title: "Ludens", load: async () => home },
  new: { title: "New game", load: () => import("./pages/new.js") },
  table: { title: "Table", load: () => import("./pages/table.js") },
  arena: { title: "Arena", load: () => import("./pages/arena.js") },
  learn: { title: "Learn", load: () => import("./pages/learn.js") },
  papers: { title: "Papers", load: () => import("./pages/papers.js") },
};

const main = document.getElementById("main");
const skeleton = main.querySelector(".skeleton");
let leave; // tidies up after the page that is shown
let visit = 0;

/** `#/new/othello?spec=random` -> {page: "new", path: ["othello"], query: URLSearchParams}. */
export function parseRoute(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [page, ...rest] = path.split("/").filter(Boolean).map(decode);
  return { page: page ?? "home", path: rest, query: new URLSearchParams(query) };
}

async function show(first) {
  const ticket = ++visit;
  const route = parseRoute(location.hash);
  const page = Object.hasOwn(PAGES, route.page) ? PAGES[route.page] : null;
  document.body.removeAttribute("data-ready");
  document.documentElement.dataset.route = page ? route.page : "lost";
  markNavigation(route.page);
  leave?.();
  leave = undefined;
  if (!first) clear(main).append(skeleton);
  document.title = page && route.page !== "home" ? `${page.title} · Ludens` : "Ludens";
  let tidy;
  try {
    if (!page) lost();
    else tidy = await (await page.load()).show(main, route);
  } catch (error) {
    if (ticket === visit) failed(error);
  }
  if (ticket !== visit) {
    tidy?.();
    return;
  }
  leave = tidy;
  skeleton.remove();
  if (!first) settleFocus();
  document.body.dataset.ready = "1";
}

/** A new page is read from its heading, and starts at the top. */
function settleFocus() {
  scrollTo(0, 0);
  const heading = main.querySelector("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function markNavigation(page) {
  for (const link of document.querySelectorAll(".site-nav a")) {
    const here = link.getAttribute("href") === `#/${page}`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function lost() {
  clear(main).append(
    el("section", { class: "message" },
      el("h1", { text: "Nothing is here" }),
      el("p", { text: "This address names no page of Ludens." }),
      el("p", {}, el("a", { class: "button primary", href: "#/", text: "Choose a game" })),
    ),
  );
}

function failed(error) {
  clear(main).append(
    el("section", { class: "message" },
      el("h1", { text: "That did not work" }),
      el("p", { text: error.message }),
      el("p", {},
        el("button", { class: "button primary", type: "button", text: "Try again", on: { click: () => show(false) } }),
        " ",
        el("a", { class: "button", href: "#/", text: "Choose a game" }),
      ),
    ),
  );
  announce(error.message);
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

document.querySelector(".skip-link").addEventListener("click", (event) => {
  event.preventDefault(); // #main would be taken for a route
  main.focus();
});
startSettings();
addEventListener("hashchange", () => show(false));
show(true);
