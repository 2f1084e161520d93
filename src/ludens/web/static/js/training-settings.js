// What a learner can be told, as form controls; the server says what each is for.

import { el, newId } from "./dom.js";
import { prose } from "./reports.js";

const FIRST = ["episodes", "num_envs"]; // what everybody wants to set
const TITLES = { num_envs: "Side by side" };

/** Controls for `settings`; returns {main, others, value(), set(values)}. Only what differs from the default is in value(). */
export function settingsForm(settings) {
  const controls = settings.map(control);
  const shown = (wanted) => controls.filter(({ setting }) => FIRST.includes(setting.name) === wanted).map(({ element }) => element);
  return {
    main: el("div", { class: "pair" }, shown(true)),
    others: el("div", { class: "stack" }, shown(false)),
    value: () => Object.fromEntries(controls.flatMap(({ setting, read }) => {
      const value = read();
      return value === setting.default ? [] : [[setting.name, value]];
    })),
    set: (values) => {
      for (const { setting, write } of controls) write(values[setting.name] ?? setting.default);
    },
  };
}

function control(setting) {
  const [id, help] = [newId("setting"), newId("help")];
  const common = { id, "aria-describedby": help };
  const told = el("p", { class: "help", id: help }, prose(setting.help));
  if (setting.kind === "bool") {
    const box = el("input", { ...common, type: "checkbox", checked: setting.default });
    return { setting, read: () => box.checked, write: (value) => (box.checked = value), element: el("div", { class: "field" }, el("label", { class: "check" }, box, el("span", { text: title(setting) })), told) };
  }
  const input = setting.choices.length
    ? el("select", { ...common, value: setting.default }, setting.choices.map((choice) => el("option", { value: choice, text: choice })))
    : el("input", { ...common, type: "text", inputmode: setting.kind === "str" ? "text" : "decimal", class: "mono", value: setting.default ?? "", placeholder: setting.optional ? "as the learner has it" : null, autocomplete: "off", spellcheck: "false" });
  const write = (value) => (input.value = value ?? "");
  return { setting, read: () => read(setting, input.value.trim()), write, element: el("div", { class: "field" }, el("label", { for: id, text: title(setting) }), input, told) };
}

/** What is no number goes to the server as text, which says what was expected. */
function read(setting, text) {
  if (text === "") return setting.default;
  if (setting.kind === "str") return text;
  const value = Number(text.replaceAll(",", ""));
  return Number.isNaN(value) ? text : value;
}

/** `learning_rate` -> "Learning rate". */
function title(setting) {
  if (TITLES[setting.name]) return TITLES[setting.name];
  const words = setting.name.replace(/_$/, "").replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}
