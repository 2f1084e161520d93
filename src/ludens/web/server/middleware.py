"""What stands before every request: who may ask, how much, and what every answer carries.

A page from elsewhere can make a browser send requests to a server on this machine. So a request must be for a name
that is ours (which defeats names that were pointed here later), and one that comes from a page must come from ours.
Every refusal is one sentence of JSON and one line in the log.
"""

import json
import logging
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024
ANY_HOST = "*"
POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LOGGER = logging.getLogger("ludens.web")


class Guard:
    """Lets through what may pass, and marks every answer."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self.app, self.hosts = app, [host.lower() for host in hosts]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        headers = Headers(scope=scope)
        if wrong := self._wrong_host(headers):
            await refuse(scope, marked, 400, wrong)
        elif wrong := _foreign(headers):
            await refuse(scope, marked, 403, wrong)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, marked)
        else:
            body = await _body(headers, receive)
            if body is None:
                await refuse(scope, marked, 413, f"the body is too large: expected {LARGEST_BODY:,} bytes at most")
            else:
                await self.app(scope, _again(body, receive), marked)

    def _wrong_host(self, headers: Headers) -> str | None:
        host = headers.get("host", "").lower()
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if ANY_HOST in self.hosts or name in self.hosts:
            return None
        return f"{host[:80]!r} is not a name of this server: expected {' or '.join(self.hosts)}"


async def refuse(scope: Scope, send: Send, status: int, sentence: str) -> None:
    """Answer with a status and a sentence, whatever was asked."""
    note(scope, status, sentence)
    start, body = "http.response.start", "http.response.body"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": sentence[:120]})
            return
        start, body = f"websocket.{start}", f"websocket.{body}"
    content = json.dumps({"detail": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    await send({"type": start, "status": status, "headers": headers})
    await send({"type": body, "body": content})


def one_line(text: object) -> str:
    """A sentence without breaks, whatever was quoted in it."""
    return " ".join(str(text).split())


def note(scope: Scope, status: int, sentence: str) -> None:
    """One line in the log about something refused."""
    method = scope.get("method", "SOCKET")
    LOGGER.warning("%d %s %s: %s", status, method, ascii(scope["path"])[1:-1][:200], ascii(sentence)[1:-1][:300])


def _foreign(headers: Headers) -> str | None:
    """The sentence for a request that a page from elsewhere has made."""
    origin, host = headers.get("origin"), headers.get("host", "").lower()
    if origin is not None and origin.lower().partition("://")[2] != host:
        return f"a page from {origin[:80]!r} asked: expected one from this server"
    if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
        return "a page from elsewhere asked: expected one from this server"
    return None


async def _body(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body, None if it is too large: however it is sent, no more than that is ever read."""
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > LARGEST_BODY:
        return None
    parts, size, more = [], 0, True
    if length == "0" and "transfer-encoding" not in headers:
        return b""
    while more:
        message = await receive()
        part = message.get("body", b"")
        size, more = size + len(part), message.get("more_body", False)
        if size > LARGEST_BODY:
            return None
        parts.append(part)
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Gives out a body that was read already, then whatever comes after."""
    given = False

    async def once() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once
