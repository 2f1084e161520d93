"""What may be said in orders, and how it is said to a command: names of games and folders, settings, options."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from fastapi import HTTPException
from pydantic import Field

from ludens.core.run_files import NAME
from ludens.web.messages import Problem

Game: TypeAlias = Annotated[str, Field(max_length=40)]
Settings: TypeAlias = Annotated[dict[str, bool | int | float | str | None], Field(max_length=60, examples=[{}])]
"""What a learner is told, by the names of its settings."""

REFUSALS: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (404, 409, 422)}
"""For the OpenAPI description: unknown, at the wrong time, not right."""


def checked_name(name: str, what: str) -> str:
    """`name`, which may be that of a folder; 422 if it may not."""
    if not NAME.fullmatch(name):
        expected = "at most 81 letters, digits, dots, dashes and underscores, a letter or a digit first"
        raise HTTPException(422, f"{name[:100]!r} is no name for a {what}: expected {expected}")
    return name


def as_options(told: Mapping[str, Any]) -> list[str]:
    """Fields as options of a command: `{"longest_run": 4}` is `--longest-run=4`; what is None or empty is not said."""
    said = {name.strip("_").replace("_", "-"): _text(value) for name, value in told.items() if value is not None}
    return [f"--{option}={text}" for option, text in said.items() if text]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list | tuple) else str(value)
