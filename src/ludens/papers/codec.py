"""Dataclasses as JSON and back, by their annotations.

What is read is checked to the last field, so that a file of another program, or half a file, is never taken for ours.
"""

import json
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

JSON: TypeAlias = Any
"""What `json` reads and writes."""
LINE = 120
"""What fits on a line of a JSON file stays on it."""
KINDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number", type(None): "null"}
SPARSE = {"sparse": True}
"""Metadata of a field that is written only where it is not None: older files do not have it."""


def encode(value: Any) -> JSON:
    """`value` in what JSON has: dataclasses as objects, arrays as lists; numbers that are not finite as null."""
    if is_dataclass(value) and not isinstance(value, type):
        found = {field.name: encode(getattr(value, field.name)) for field in fields(value)}
        sparse = {field.name for field in fields(value) if field.metadata == SPARSE}
        return {name: each for name, each in found.items() if each is not None or name not in sparse}
    if isinstance(value, np.ndarray | np.generic):
        return encode(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): encode(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [encode(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def decode(kind: Any, value: JSON, where: str = "it") -> Any:
    """A `kind` from what `encode` made of one; ValueError says `where` something else stands."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return value if isinstance(value, kind) else _decode_object(kind, value, where)
    if origin is Literal:
        if value not in inner:
            raise _wrong(where, value, f"one of {', '.join(inner)}")
        return value
    if origin in (types.UnionType, Union):
        return _decode_either(inner, value, where)
    if origin is tuple:
        if not isinstance(value, list) or len(value) != len(inner):
            raise _wrong(where, value, f"a list of {len(inner)}")
        return tuple(decode(each, x, f"{where}[{i}]") for i, (each, x) in enumerate(zip(inner, value, strict=True)))
    if origin is Sequence:
        if not isinstance(value, list):
            raise _wrong(where, value, "a list")
        if inner == (float,):  # in a curve, null is a gap
            value = [math.nan if x is None else x for x in value]
        return tuple(decode(inner[0], x, f"{where}[{i}]") for i, x in enumerate(value))
    if origin is Mapping:
        if not isinstance(value, dict):
            raise _wrong(where, value, "an object")
        return {name: decode(inner[1], each, f"{where}.{name}") for name, each in value.items()}
    if not isinstance(value, int | float if kind is float else kind) or isinstance(value, bool) != (kind is bool):
        raise _wrong(where, value, KINDS[kind])
    return float(value) if kind is float else value


def format_json(value: JSON, indent: int = 0) -> str:
    """JSON for people and for `git diff`: short things and lists of numbers on one line, the rest unfolded."""
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    numbers = isinstance(value, list) and not any(isinstance(x, dict | list | str) for x in value)
    if not isinstance(value, dict | list) or numbers or indent + len(flat) <= LINE:
        return flat
    margin = " " * (indent + 2)
    if isinstance(value, dict):
        items = [
            f"{json.dumps(name, ensure_ascii=False)}: {format_json(each, indent + 2)}" for name, each in value.items()
        ]
    else:
        items = [format_json(each, indent + 2) for each in value]
    inside = ",\n".join(margin + item for item in items)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inside}\n{' ' * indent}{closing}"


def _decode_object(kind: Any, value: JSON, where: str) -> Any:
    if not isinstance(value, dict):
        raise _wrong(where, value, "an object")
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    needed = [each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING]
    if missing := [name for name in needed if name not in value]:
        raise ValueError(f"{where} has no '{missing[0]}'")
    if unknown := [name for name in value if name not in names]:
        raise ValueError(f"{where} has '{unknown[0]}', which is unknown")
    return kind(**{name: decode(hints[name], value[name], f"{where}.{name}") for name in names if name in value})


def _decode_either(kinds: tuple[Any, ...], value: JSON, where: str) -> Any:
    """The first of `kinds` that fits; numbers stay as they were written."""
    for kind in kinds:
        if kind is float and isinstance(value, int) and int in kinds:
            continue
        try:
            return decode(kind, value, where)
        except ValueError:
            continue
    raise _wrong(where, value, " or ".join(KINDS.get(kind, "a list") for kind in kinds))


def _wrong(where: str, value: JSON, expected: str) -> ValueError:
    shown = json.dumps(value)
    return ValueError(f"{where} is {shown if len(shown) <= 40 else shown[:39] + '…'} where {expected} should stand")
