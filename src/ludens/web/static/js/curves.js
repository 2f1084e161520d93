// From the lines of a run's metrics to curves: trials against an opponent, and every other figure it tells.

const NOT_FIGURES = new Set(["games", "steps", "seconds", "device", "games_per_second", "evaluation"]);
const TITLES = { loss: "Loss", length: "Length of training games", games_per_second: "Speed" };
const UNITS = { length: "moves", games_per_second: "games a second" };
const Z = 1.96; // the normal distribution's 97.5 % point

/** Descriptions of plots, the most telling first: [{key, title, x, y, series}]. */
export function curves(lines, run) {
  const opponents = [...new Set(lines.flatMap((line) => trialsOf(line.evaluation).map(({ vs }) => vs)))];
  const names = [...new Set(lines.flatMap((line) => Object.keys(line)))].filter((name) => !NOT_FIGURES.has(name));
  const x = { label: "games trained" };
  return [
    ...opponents.map((vs, place) => ({ key: place ? `trials-${place}` : "trials", ...trials(lines, vs, run, x) })),
    ...names.map((name) => figure(lines, name, run.seeds, x)),
    figure(lines, "games_per_second", 1, x),
  ].filter(({ series }) => series.some((line) => line.y.some(Number.isFinite)));
}

/** The trials that an evaluation tells of: one, or one for each of several opponents; other figures are none. */
export function trialsOf(evaluation) {
  const told = Array.isArray(evaluation?.wins) ? [evaluation] : Object.values(evaluation ?? {});
  return told.filter((each) => Array.isArray(each?.wins) && each.games > 0);
}

/** Won, drawn and lost shares of the trials against an opponent, with their intervals. */
function trials(lines, vs, run, x) {
  const tried = lines.flatMap(({ games, evaluation }) => trialsOf(evaluation).filter((each) => each.vs === vs).map((each) => ({ ...each, at: games })));
  const parts = [["won", "wins", 2], ["drawn", "draws", 3], ["lost", "losses", 1]];
  const one = run.seeds === 1;
  return {
    title: `Trials against ${vs}${one ? ", with 95 % intervals" : ", mean of the seeds and their range"}`,
    x,
    y: { label: "share of the games", percent: true },
    series: parts.map(([name, key, colour]) => {
      const shares = tried.map((each) => each[key].map((count) => count / each.games));
      const bands = tried.map((each, i) => (one ? wilson(each[key][0], each.games) : [Math.min(...shares[i]), Math.max(...shares[i])]));
      return { name, colour, x: tried.map(({ at }) => at), y: shares.map(mean), low: bands.map(([low]) => low), high: bands.map(([, high]) => high) };
    }),
  };
}

/** One figure over the games; the mean of the seeds, with their range where there are several. */
function figure(lines, name, seeds, x) {
  const told = lines.filter((line) => line[name] !== undefined && line[name] !== null);
  const values = told.map((line) => [line[name]].flat().filter(Number.isFinite));
  const title = TITLES[name] ?? `${name[0].toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;
  const edge = (pick) => values.map((each) => (each.length ? pick(...each) : null));
  return {
    key: name,
    title: seeds > 1 ? `${title}, mean of the seeds and their range` : title,
    x,
    y: { label: UNITS[name] ?? name.replaceAll("_", " ") },
    series: [{ name: title, x: told.map((line) => line.games), y: values.map(mean), ...(seeds > 1 && { low: edge(Math.min), high: edge(Math.max) }) }],
  };
}

const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);

/** Wilson's interval for `count` of `games`. */
function wilson(count, games) {
  const [share, weight] = [count / games, (Z * Z) / games];
  const middle = (share + weight / 2) / (1 + weight);
  const reach = (Z / (1 + weight)) * Math.sqrt((share * (1 - share)) / games + weight / (4 * games));
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
}
