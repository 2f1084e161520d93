"""Server-sent events: how the page follows what goes on without asking again and again."""

import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi.responses import StreamingResponse

QUIET = 15.0
"""Seconds after which somebody who follows is sent a sign of life."""
SIGN_OF_LIFE = ": still here\n\n"


def event_stream(messages: AsyncIterator[str]) -> StreamingResponse:
    """Messages, made by `message`, as they come."""
    return StreamingResponse(messages, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def message(content: Any, number: int | None = None) -> str:
    """One event with JSON; `number` is what a client that comes back says it saw last."""
    line = "" if number is None else f"id: {number}\n"
    return f"{line}data: {json.dumps(content, allow_nan=False)}\n\n"
