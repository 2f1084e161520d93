"""Pytrees of arrays on disk: one safetensors file that is whole or not there.

A leaf is named by its way through the tree (`params.weights.0`), so that a part can be read alone: a player needs the
weights and not what the optimizer remembers. PRNG keys are stored as the words behind them. Beside the arrays a file
carries facts as JSON, and a digest of everything in it.
"""

import errno
import hashlib
import json
import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

TEMPORARY = ".tmp"  # what is being written ends in this
SAME = "same arrays"  # among the facts: names, under which other name what they hold is stored, and its shape


_DTYPES = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "U16": "<u2",
    "I16": "<i2",
    "U32": "<u4",
    "I32": "<i4",
    "U64": "<u8",
} | {
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
}
"""What safetensors calls the types of NumPy."""


def write(path: Path, tree: Any, facts: dict[str, Any]) -> None:
    """Replace the file at `path` by `tree` and `facts` in one step, so that nobody ever reads half of it.

    What stands in several places of the tree, in whatever shape, is stored once.
    """
    arrays: dict[str, np.ndarray] = {}
    first: dict[str, str] = {}
    same: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, leaf in _named(tree):
        array = _plain(leaf)
        content = f"{array.dtype.str} {_fingerprint(array)}"
        if content in first:
            same[name] = first[content], array.shape
        else:
            first[content] = name
            arrays[name] = array
    text = json.dumps({**facts, SAME: same})
    replace(path, save(arrays, {"facts": text, "digest": _digest(text, arrays)}))


def replace(path: Path, content: bytes) -> None:
    """Replace the file at `path` in one step; what was there stays if writing fails, and if it is no plain file."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "Not a plain file", str(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what `replace` left in `folder` when it was killed; nobody else may be writing there."""
    for path in folder.glob(f".*{TEMPORARY}"):
        path.unlink(missing_ok=True)


def can_write(folder: Path) -> bool:
    """Whether files can be made in `folder`, by making one: what permissions say is not all that matters."""
    try:
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def load(path: Path, *, mapped: bool = False) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The facts and all arrays by name, every bit checked; ValueError if the file is cut short, altered or not ours.

    `mapped` arrays stay in the file and cannot be written: no memory is taken by what nobody looks at.
    """
    try:
        if not path.is_file():
            raise OSError  # a pipe would be waited for
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            names = file.keys()
            arrays = _mapped(path) if mapped else {name: file.get_tensor(name) for name in names}
    except (OSError, SafetensorError):
        raise ValueError(
            f"'{path}' cannot be read: expected a whole file of ludens, this one may be cut short"
        ) from None
    text = metadata.get("facts", "")
    if metadata.get("digest") != _digest(text, arrays):
        raise ValueError(f"'{path}' is not what was written there: expected a whole file of ludens")
    facts: dict[str, Any] = json.loads(text)
    for name, (original, shape) in facts.pop(SAME, {}).items():
        arrays[name] = arrays[original].reshape(shape)
    return facts, arrays


def _mapped(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a safetensors file, whose header says where they are, as views of it."""
    whole = np.memmap(path, np.uint8, mode="r")
    start = 8 + int(whole[:8].view("<u8")[0])
    arrays = {}
    for name, entry in json.loads(bytes(whole[8:start])).items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            part = whole[start + first : start + last]
            arrays[name] = part.view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def unpack(arrays: dict[str, np.ndarray], like: Any, *, part: str, row: int | None = None) -> Any:
    """The branch `part` of a stored tree in the shape of `like` (arrays or `ShapeDtypeStruct`).

    `row` picks one of a leading axis that `like` does not have. ValueError if something else was stored.
    """
    leaves, treedef = jax.tree_util.tree_flatten_with_path(like)
    found = []
    for way, leaf in leaves:
        name = ".".join([part, *_names(way)])
        if name not in arrays or (row is not None and row >= len(arrays[name])):
            raise ValueError(f"it holds no '{name}'{'' if row is None else f' of seed {row}'}")
        stored = arrays[name] if row is None else arrays[name][row]
        key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        value = jax.random.wrap_key_data(jnp.asarray(stored)) if key else jnp.asarray(stored)
        if value.shape != leaf.shape or value.dtype != leaf.dtype:
            raise ValueError(f"its '{name}' is {value.dtype}{list(value.shape)}, not {leaf.dtype}{list(leaf.shape)}")
        found.append(value)
    return jax.tree_util.tree_unflatten(treedef, found)


def _named(tree: Any) -> list[tuple[str, Any]]:
    """Every leaf and its name."""
    return [(".".join(_names(way)), leaf) for way, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]]


def _plain(leaf: Any) -> np.ndarray:
    """A leaf as it is stored."""
    key = isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return np.ascontiguousarray(jax.random.key_data(leaf) if key else leaf)


def _names(way: tuple[Any, ...]) -> list[str]:
    """The steps of a way through a tree: attributes, keys and places alike."""
    return [str(getattr(step, "name", getattr(step, "key", getattr(step, "idx", step)))) for step in way]


def _digest(facts: str, arrays: dict[str, np.ndarray]) -> str:
    """A fingerprint of all that a file holds."""
    digest = hashlib.blake2b(facts.encode(), digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        digest.update(arrays[name].data if arrays[name].size else b"")
    return digest.hexdigest()


def _fingerprint(array: np.ndarray) -> str:
    """Of the bytes of one array."""
    return hashlib.blake2b(array.data if array.size else b"", digest_size=16).hexdigest()
