// One table's socket. It comes back by itself after a dropped line; the server then sends the newest state.

import { getJson } from "./api.js";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;
const PING_EVERY = 20000;
const SILENCE = 8000; // a ping not answered within this is a line that died without saying so

export class TableSocket {
  /**
   * Handlers by message type ({state, thinking, analysis, hint, refused, error}), and `line(up)` when the connection
   * opens or drops, `gone(detail)` when the table does not exist (any more).
   */
  constructor(id, handlers) {
    this.id = id;
    this.handlers = handlers;
    this.wait = FIRST_WAIT;
    this.closed = false;
    this.wake = () => this.#hurry();
    addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.wake);
    this.#open();
  }

  /** Send a message; false if the line is down, in which case nothing was sent. */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close() {
    this.closed = true;
    removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
    this.#stopTimers();
    this.socket?.close();
  }

  #open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/tables/${encodeURIComponent(this.id)}/socket`);
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.pings = setInterval(() => this.#ping(), PING_EVERY);
      this.handlers.line?.(true);
    };
    socket.onmessage = (event) => {
      clearTimeout(this.silence);
      const message = JSON.parse(event.data);
      this.handlers[message.type]?.(message);
    };
    socket.onclose = () => this.#dropped(socket);
  }

  #ping() {
    this.send({ type: "ping" });
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.socket.close(), SILENCE);
  }

  async #dropped(socket) {
    if (socket !== this.socket) return;
    this.#stopTimers();
    if (this.closed) return;
    this.handlers.line?.(false);
    const missing = await getJson(`/api/tables/${encodeURIComponent(this.id)}`).then(
      () => null,
      (error) => (error.status === 404 ? error.message : null),
    );
    if (this.closed) return;
    if (missing) {
      this.close();
      this.handlers.gone?.(missing);
      return;
    }
    this.retry = setTimeout(() => this.#open(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  /** The network or the tab is back: no reason to wait any longer. */
  #hurry() {
    if (this.closed || document.hidden || this.socket.readyState !== WebSocket.CLOSED || !this.retry) return;
    this.#stopTimers();
    this.#open();
  }

  #stopTimers() {
    clearInterval(this.pings);
    clearTimeout(this.silence);
    clearTimeout(this.retry);
    this.retry = undefined;
  }
}
