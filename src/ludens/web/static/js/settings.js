// What a person sets once and finds again: kept in this browser, nowhere else.

const PREFIX = "ludens.";

/** A remembered value, or the fallback. */
export function recall(name, fallback) {
  try {
    const stored = localStorage.getItem(PREFIX + name);
    return stored === null ? fallback : JSON.parse(stored);
  } catch {
    return fallback;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage may be forbidden or full: the choice then lasts until the page is left.
  }
}

/** Wire the theme switch in the header; theme.js has set the theme itself long before. */
export function startSettings() {
  const button = document.getElementById("theme-switch");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(`${PREFIX}theme`, root.dataset.theme); // plain text: theme.js reads it without parsing
    } catch {
      // As above.
    }
    show();
  });
  system.addEventListener("change", show);
  show();
}
