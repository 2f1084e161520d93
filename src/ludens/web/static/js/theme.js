// Before anything is painted: the chosen theme, and which page's skeleton to show. No module, so that it runs at once.
(() => {
  const root = document.documentElement;
  const route = location.hash.replace(/^#\/?/, "").split(/[/?]/)[0] || "home";
  root.dataset.route = ["new", "table", "arena", "learn", "papers"].includes(route) ? route : "home";
  try {
    const theme = localStorage.getItem("ludens.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (localStorage.getItem("ludens.continue") === "true") root.dataset.continue = ""; // keeps its place on the front page
  } catch {
    // Storage may be forbidden; the system's theme is fine then.
  }
})();
