// The server's JSON: one function for each verb, and one sentence when something is refused.

/** An answer the server refused to give; the message is its sentence. */
export class Refusal extends Error {
  constructor(detail, status) {
    super(detail);
    this.status = status;
  }
}

export const getJson = (path) => ask(path, { method: "GET" });

export const postJson = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const deleteJson = (path) => ask(path, { method: "DELETE" });

/** Follow server-sent events: `fn` gets each message's JSON. Returns a function that stops listening. */
export function events(path, fn) {
  const source = new EventSource(path);
  source.onmessage = (event) => fn(JSON.parse(event.data));
  return () => source.close();
}

/** All games with options and ladders, own runs included as they stand now. */
export const games = () => patiently("/api/games");

/** `getJson` that waits for a server which is still warming up (503). */
export async function patiently(path) {
  for (let wait = 300; ; wait = Math.min(wait * 1.5, 3000)) {
    try {
      return await getJson(path);
    } catch (error) {
      if (error.status !== 503) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { Accept: "application/json", ...options.headers } });
  } catch {
    throw new Refusal("The server does not answer: is it still running?", 0);
  }
  if (response.ok) return response.status === 204 ? null : response.json();
  const told = await response.json().catch(() => ({}));
  const detail = typeof told.detail === "string" ? told.detail : `The server answered ${response.status}.`;
  throw new Refusal(detail, response.status);
}
