// How numbers, spans of time and shares are written, the same on every page.

export const NOTHING = "–";

/** Four digits that count, thousands set apart: 1,532, 0.1234, 1.5 M. */
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  if (Math.abs(value) >= 1e6) return minus(`${trimmed(value / 1e6)} M`);
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return minus(Math.round(value).toLocaleString("en"));
  return minus(trimmed(value));
}

/** A share in percent, with more digits where it would look like all or nothing: 62.3 %, 99.96 %. */
export function percent(share, digits = 1) {
  if (share === null || share === undefined || !Number.isFinite(share)) return NOTHING;
  if (share === 0 || share === 1) return `${100 * share} %`;
  let shown = digits;
  while (shown < 4 && ["0", "100"].includes(String(Number((100 * share).toFixed(shown))))) shown += 1;
  return minus(`${(100 * share).toFixed(shown)} %`);
}

/** A figure with its unit; shares are percents. */
export function amount(value, unit) {
  return unit === "share" ? percent(value) : `${number(value)} ${unit ?? ""}`.trim();
}

/** With a sign: +4, −2, 0. */
export function signed(value) {
  return value > 0 ? `+${number(value)}` : number(value);
}

/** As people say it: 48 s, 12 min, 2 h 5 min. */
export function duration(seconds) {
  if (seconds < 99.5) return seconds < 9.5 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago, from seconds since 1970. */
export function ago(when) {
  const seconds = Math.max(0, Date.now() / 1000 - when);
  if (seconds < 10) return "just now";
  if (seconds < 2 * 86400) return `${duration(seconds)} ago`;
  return new Date(1000 * when).toLocaleDateString("en", { year: "numeric", month: "short", day: "numeric" });
}

/** `1 game`, `20 games`. */
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

function trimmed(value) {
  return String(Number(value.toPrecision(4)));
}

function minus(text) {
  return text.replace("-", "−");
}
