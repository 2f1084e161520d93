"""The folder a reproduction works in. Every part that is finished is kept, so that an interrupted one goes on.

    parts/NAME-MARK.json    what a part computed; the mark is made from its settings and the scale
    runs/SCALE/NAME/        training runs with their checkpoints

A part's file says what it answers and carries a digest of the answer. One that is cut short, altered, or not ours is
not trusted: the part is computed again.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from ludens.core.storage import replace
from ludens.papers.paper import JSON, Scale
from ludens.papers.plain import plain, read
from ludens.papers.provenance import Device, Provenance
from ludens.papers.reproduction import Work

FORMAT = 1
"""Goes up whenever a part would be read differently."""


class Watcher(Protocol):
    """Somebody who looks on."""

    def begins(self, part: str) -> None:
        """A part is about to be computed."""

    def moves(self, what: str, share: float) -> None:
        """A piece of work has come so far, 0 to 1."""

    def ends(self, part: str, seconds: float, *, kept: bool) -> None:
        """A part is there; `kept`: it had been computed before, and that took so long."""


class FolderWorkshop:
    """A `Workshop` in a folder of its own."""

    def __init__(self, folder: Path, scale: Scale, seeds: int, provenance: Provenance, watcher: Watcher) -> None:
        self.scale: Scale = scale
        self.seeds = seeds
        self.parts = 0
        """Finished so far, also those that were only read."""
        self.seconds_kept = 0.0
        """What the parts that were only read took when they were computed."""
        self._folder, self._provenance, self._watcher = folder, provenance, watcher
        self._work: dict[tuple[Device, str | None], Work] = {}

    @property
    def work(self) -> list[Work]:
        """Where the parts were computed."""
        return list(self._work.values())

    def part(self, name: str, settings: Mapping[str, JSON], compute: Callable[[], JSON]) -> JSON:
        """`compute()`, or what it gave when the part was asked for with equal settings before."""
        key = _through_json({"format": FORMAT, "part": name, "scale": self.scale, "settings": plain(settings)})
        mark = _digest(key)[:12]
        path = self._folder / "parts" / f"{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')[:60]}-{mark}.json"
        found = _read(path, key)
        if found is None:
            self._watcher.begins(name)
            begin, kept_before = time.perf_counter(), self.seconds_kept
            value = _through_json(compute())
            seconds = time.perf_counter() - begin + self.seconds_kept - kept_before
            here = {"device": plain(self._provenance.device), "commit": self._provenance.commit}
            found = {"key": key, **here, "seconds": seconds, "value": value, "digest": _digest(value)}
            path.parent.mkdir(parents=True, exist_ok=True)
            replace(path, json.dumps(found).encode())
            self._watcher.ends(name, seconds, kept=False)
        else:
            self.seconds_kept += found["seconds"]
            self._watcher.ends(name, found["seconds"], kept=True)
        self._note(read(Device, found["device"]), found["commit"], found["seconds"])
        return found["value"]

    def folder(self, name: str) -> Path:
        """For a training run; it need not exist yet, the folder above it does."""
        path = self._folder / "runs" / self.scale / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def progress(self, what: str, share: float) -> None:
        """Show how far a piece of work has come, 0 to 1."""
        self._watcher.moves(what, share)

    def _note(self, device: Device, commit: str | None, seconds: float) -> None:
        before = self._work.get((device, commit), Work(device, commit, 0, 0.0))
        self._work[device, commit] = Work(device, commit, before.parts + 1, before.seconds + seconds)
        self.parts += 1


def _read(path: Path, key: JSON) -> dict[str, JSON] | None:
    """What the file says, None unless it answers `key` and is whole."""
    try:
        found = json.loads(path.read_bytes())
        whole = found["key"] == key and found["digest"] == _digest(found["value"])
        read(Device, found["device"])
        read(str | None, found["commit"])
        read(float, found["seconds"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if whole else None


def _through_json(value: JSON) -> JSON:
    """`value` as it will be read: whether a part is computed or read makes no difference to whoever asked."""
    return json.loads(json.dumps(value, default=_array))


def _array(value: object) -> JSON:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a part gave {type(value).__name__}: expected what JSON has, or arrays")


def _digest(value: JSON) -> str:
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=16).hexdigest()
