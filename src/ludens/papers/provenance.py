"""Where and with what a figure was made: versions, device, commit."""

import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import jax

from ludens.core.compiling import CORES

PACKAGES = ("jax", "jaxlib", "numpy", "equinox", "optax")
PATIENCE = 20.0  # seconds that git may take


@dataclass(frozen=True)
class Device:
    """What JAX computed on."""

    kind: str
    """Its maker's name for it: `NVIDIA H200`; `cpu` for any processor."""
    platform: str
    count: int
    """Devices that JAX saw."""
    cores: int
    """Of the machine's processor, as many as the program might use."""

    def __str__(self) -> str:
        if self.platform == "cpu":
            return f"CPU, {self.cores} core{'s' * (self.cores != 1)}"
        several = f"{self.count} × " if self.count > 1 else ""
        return f"{several}{self.kind} ({self.platform}), {self.cores} CPU core{'s' * (self.cores != 1)}"


@dataclass(frozen=True)
class Provenance:
    """Everything about a run of the program that its results should carry along."""

    date: str
    """UTC: `2026-01-31T12:00:00Z`."""
    versions: Mapping[str, str]
    device: Device
    commit: str | None
    """Of the sources, `-dirty` if they were changed since; None where nobody knows."""


def provenance() -> Provenance:
    devices = jax.devices()
    return Provenance(
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        versions={"ludens": version("ludens"), "python": platform.python_version()} | {x: version(x) for x in PACKAGES},
        device=Device(devices[0].device_kind, devices[0].platform, len(devices), CORES),
        commit=commit(Path(__file__).parents[1] / "__init__.py"),
    )


def commit(source: Path) -> str | None:
    """The git commit that `source` is a file of, `-dirty` if any file has changed since.

    None outside git. Where sources were copied without their history, `LUDENS_COMMIT` in the environment says it.
    """
    if told := os.environ.get("LUDENS_COMMIT"):
        return told
    # It may lie in somebody else's repository.
    if _git(source, "ls-files", "--error-unmatch", "--", source.name) is None:
        return None
    head = _git(source, "rev-parse", "--verify", "HEAD")
    if head is None:
        return None
    return head + "-dirty" * bool(_git(source, "status", "--porcelain", "--untracked-files=no"))


def _git(source: Path, *words: str) -> str | None:
    """What git says in the folder of `source`; None if it fails or is not there."""
    command = ["git", "--no-optional-locks", "-C", str(source.parent), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
