// The options of a game as form controls, as the server describes them.

import { el, newId } from "./dom.js";

const FEW = 10; // whole numbers up to so many are a list to choose from

/** Controls for `options`; returns {element, value(), set(values)}. Only what differs from the default is in value(). */
export function variantForm(options, onChange) {
  const controls = options.map((option) => control(option, onChange));
  return {
    element: el("div", { class: "variant stack" }, controls.map(({ element }) => element)),
    value: () => Object.fromEntries(controls.flatMap(({ option, read }) => {
      const value = read();
      return same(value, option.default) ? [] : [[option.name, value]];
    })),
    set: (values) => {
      for (const { option, write } of controls) if (option.name in values) write(values[option.name]);
    },
  };
}

/** `longest_run` -> "Longest run". */
function title(name) {
  const words = name.replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b) || (Array.isArray(a) && a.length === 0 && (b === null || b?.length === 0));
}

function control(option, onChange) {
  // Where "not set" is a value of its own (it depends on the number of seats), there are three choices, not two.
  if (option.kind === "bool") return option.optional ? choice(option, [true, false], onChange) : checkbox(option, onChange);
  if (option.kind === "list") return boxes(option, onChange);
  const values = option.choices.length ? option.choices : few(option);
  return values.length ? choice(option, values, onChange) : number(option, onChange);
}

/** The whole numbers between the bounds, none if they are many. */
function few({ kind, least, most }) {
  if (kind !== "int" || least === null || most === null || most - least >= FEW) return [];
  return Array.from({ length: most - least + 1 }, (_, i) => least + i);
}

function checkbox(option, onChange) {
  const help = newId("help");
  const input = el("input", { type: "checkbox", checked: option.default, "aria-describedby": help, on: { change: onChange } });
  return {
    option,
    read: () => input.checked,
    write: (value) => (input.checked = value),
    element: el("div", { class: "field" },
      el("label", { class: "check" }, input, el("span", { text: title(option.name) })),
      el("p", { class: "help", id: help, text: option.help })),
  };
}

function choice(option, offered, onChange) {
  const [id, help] = [newId("option"), newId("help")];
  const values = option.optional ? [null, ...offered] : offered;
  const input = el("select", { id, "aria-describedby": help, value: String(option.default), on: { change: onChange } },
    values.map((value) => el("option", { value: String(value), text: wording(value) })));
  return {
    option,
    read: () => values.find((value) => String(value) === input.value),
    write: (value) => (input.value = String(value)),
    element: field(option, id, help, input),
  };
}

function wording(value) {
  if (value === null) return "As the rules have it";
  if (value === true) return "Yes";
  return value === false ? "No" : String(value);
}

function number(option, onChange) {
  const [id, help] = [newId("option"), newId("help")];
  const placeholder = option.default === null ? "as the rules have it" : null;
  const input = el("input", {
    id, type: "number", step: 1, "aria-describedby": help, value: option.default ?? "", placeholder, on: { input: onChange },
  });
  return {
    option,
    read: () => (input.value === "" ? option.default : Number(input.value)),
    write: (value) => (input.value = value ?? ""),
    element: field(option, id, help, input),
  };
}

function boxes(option, onChange) {
  const help = newId("help");
  const each = option.choices.map((name) => el("input", { type: "checkbox", value: name, on: { change: onChange } }));
  return {
    option,
    read: () => each.filter((box) => box.checked).map((box) => box.value),
    write: (value) => each.forEach((box) => (box.checked = (value ?? []).includes(box.value))),
    element: el("fieldset", { class: "field", "aria-describedby": help },
      el("legend", { class: "legend", text: title(option.name) }),
      el("div", { class: "card-boxes" },
        each.map((box) => el("label", { class: "check" }, box, el("span", { text: box.value })))),
      el("p", { class: "help", id: help, text: option.help })),
  };
}

function field(option, id, help, input) {
  return el("div", { class: "field" },
    el("label", { for: id, text: title(option.name) }), input, el("p", { class: "help", id: help, text: option.help }));
}
