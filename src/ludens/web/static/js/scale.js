// From numbers to pixels: ranges that hold all data, and ticks at numbers that people like.

const STEPS = [1, 2, 2.5, 5, 10];

/** About `count` round numbers that lie within [low, high]; whole ones if `whole`. */
export function ticks([low, high], count, { whole = false } = {}) {
  const wanted = niceStep((high - low) / Math.max(1, count));
  return multiples(low, high, whole ? Math.max(1, Math.ceil(wanted)) : wanted);
}

/** The multiples of `step` within [low, high]. */
function multiples(low, high, step) {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** A range around all finite `values` that ends at round numbers, in [0, 1] for shares; and its ticks, both ends among them. */
export function range(values, { count = 5, share = false } = {}) {
  const finite = values.filter((value) => typeof value === "number" && Number.isFinite(value));
  let [low, high] = finite.length ? [least(finite), most(finite)] : [0, 1];
  if (high - low < 1e-12) [low, high] = share ? [low - 0.05, high + 0.05] : [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const step = niceStep((high - low) / count);
  let [from, to] = [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
  if (share) [from, to] = [Math.max(0, from), Math.min(1, to)];
  const ends = [Number(from.toPrecision(12)), Number(to.toPrecision(12))];
  return { ends, ticks: multiples(...ends, step) };
}

/** The exact range of `values`, never empty: for the axis along which a line runs. */
export function span(values) {
  const finite = values.filter((value) => Number.isFinite(value));
  if (!finite.length) return [0, 1];
  const [low, high] = [least(finite), most(finite)];
  return low === high ? [low, low + 1] : [low, high];
}

/** A function from [low, high] to [from, to]. */
export function linear([low, high], [from, to]) {
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

/** Places near those `wanted` (which rise), at least `gap` apart, up to `end` if they can. */
export function apart(wanted, gap, end) {
  const places = [];
  for (const place of wanted) places.push(places.length ? Math.max(place, places.at(-1) + gap) : place);
  let ceiling = end;
  for (let i = places.length - 1; i >= 0; i -= 1) {
    places[i] = Math.min(places[i], ceiling);
    ceiling = places[i] - gap;
  }
  return places;
}

function niceStep(raw) {
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  return power * STEPS.find((step) => step * power >= raw * (1 - 1e-9));
}

// Spread arguments would overflow with very long lists.
const least = (values) => values.reduce((a, b) => Math.min(a, b));
const most = (values) => values.reduce((a, b) => Math.max(a, b));
