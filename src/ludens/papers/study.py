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

from ludens.core.storage import replace
from ludens.papers.codec import JSON, decode, encode
from ludens.papers.provenance import Device, Provenance
from ludens.papers.results import Scale, Work

FORMAT = 1
"""Goes up whenever a part would be read differently."""


class Observer:
    """Somebody who is told how a study goes on; this one does not listen."""

    def part_started(self, part: str) -> None:
        """A part is about to be computed."""

    def progress(self, what: str, share: float) -> None:
        """A piece of work has come so far, 0 to 1."""

    def part_finished(self, part: str, seconds: float, *, kept: bool) -> None:
        """A part is there; `kept`: it had been computed before, and that took so long."""


class Study:
    """One reproduction of a paper: its scale and seeds, its folder, its finished parts."""

    def __init__(
        self, folder: Path, scale: Scale, seeds: int, provenance: Provenance, observer: Observer | None = None
    ) -> None:
        self.scale: Scale = scale
        self.seeds = seeds
        """Independent training runs of each experiment."""
        self.parts = 0
        """Finished so far, also those that were only read."""
        self.seconds_kept = 0.0
        """What the parts that were only read took when they were computed."""
        self._folder, self._provenance, self._observer = folder, provenance, observer or Observer()
        self._work: dict[tuple[Device, str | None], Work] = {}

    @property
    def work(self) -> list[Work]:
        return list(self._work.values())

    def part(self, name: str, settings: Mapping[str, JSON], compute: Callable[[], JSON]) -> JSON:
        """`compute()`, kept under `name`: asked again with equal settings, also in a later run, it is only read."""
        key = _through_json({"format": FORMAT, "part": name, "scale": self.scale, "settings": encode(settings)})
        path = self._folder / "parts" / f"{slug(name)[:60]}-{_digest(key)[:12]}.json"
        found = _read(path, key)
        if found is None:
            self._observer.part_started(name)
            begin, kept_before = time.perf_counter(), self.seconds_kept
            value = _through_json(compute())
            seconds = time.perf_counter() - begin + self.seconds_kept - kept_before
            here = {"device": encode(self._provenance.device), "commit": self._provenance.commit}
            found = {"key": key, **here, "seconds": seconds, "value": value, "digest": _digest(value)}
            path.parent.mkdir(parents=True, exist_ok=True)
            replace(path, json.dumps(found).encode())
            self._observer.part_finished(name, seconds, kept=False)
        else:
            self.seconds_kept += found["seconds"]
            self._observer.part_finished(name, found["seconds"], kept=True)
        self._note(decode(Device, found["device"]), found["commit"], found["seconds"])
        return found["value"]

    def folder(self, name: str) -> Path:
        """For a training run, kept between runs; it need not exist yet, the folder above it does."""
        path = self._folder / "runs" / self.scale / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def progress(self, what: str, share: float) -> None:
        """Tell how far a piece of work has come, 0 to 1."""
        self._observer.progress(what, share)

    def _note(self, device: Device, commit: str | None, seconds: float) -> None:
        before = self._work.get((device, commit), Work(device, commit, 0, 0.0))
        self._work[device, commit] = Work(device, commit, before.parts + 1, before.seconds + seconds)
        self.parts += 1


def slug(name: str) -> str:
    """`name` as a part of a file name: `val-branch-actions-longer`."""
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")


def _read(path: Path, key: JSON) -> dict[str, JSON] | None:
    """What the file says, None unless it answers `key` and is whole."""
    try:
        found = json.loads(path.read_bytes())
        whole = found["key"] == key and found["digest"] == _digest(found["value"])
        decode(Device, found["device"])
        decode(str | None, found["commit"])
        decode(float, found["seconds"])
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
