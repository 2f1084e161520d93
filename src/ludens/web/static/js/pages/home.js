// The front page. It stands in index.html, so that it is there before any script; this only adds one's own games.

import { deleteJson, getJson } from "../api.js";
import { announce, clear, el } from "../dom.js";
import { remember } from "../settings.js";
import { button } from "../widgets.js";

const front = document.getElementById("front");
const MOST = 12;

export async function show(main) {
  if (front.parentElement !== main || main.childElementCount > 1) clear(main).append(front);
  fillContinue(); // not awaited: nobody waits for it
}

async function fillContinue() {
  let tables;
  try {
    ({ tables } = await getJson("/api/tables"));
  } catch {
    return; // the page is complete without
  }
  const open = tables.filter((table) => !table.over);
  fill("#continue", open);
  fill("#finished", tables.filter((table) => table.over));
  remember("continue", open.length > 0);
  document.documentElement.toggleAttribute("data-continue", open.length > 0);
}

function fill(id, tables) {
  const section = front.querySelector(id);
  clear(section.querySelector(".table-list")).append(...tables.slice(0, MOST).map((table) => entry(table)));
  section.classList.toggle("filled", tables.length > 0);
}

function entry(table) {
  const names = table.seats.map((seat) => (seat.kind === "person" ? seat.name : seat.label));
  const moves = table.ply === 1 ? "1 move" : `${table.ply} moves`;
  const close = button(`Throw away: ${table.title}, ${moves}`, { sign: "close", iconOnly: true, onClick: () => remove(table) });
  return el("li", {},
    el("a", { href: `#/table/${table.id}` },
      el("strong", { text: table.title }),
      el("span", { text: names.join(" against ") }),
      el("span", { text: table.result ?? moves })),
    close);
}

async function remove(table) {
  try {
    await deleteJson(`/api/tables/${table.id}`);
    announce(`${table.title} thrown away.`);
  } catch (error) {
    announce(error.message);
  }
  await fillContinue();
  const next = front.querySelector(".table-list a") ?? front.querySelector(".game-card");
  next.focus();
}
