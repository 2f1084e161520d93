"""NVIDIA's Multi-Process Service while it is needed: with it processes share a GPU, without it they take turns."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

CONTROL = "nvidia-cuda-mps-control"
PIPES, LOGS = "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"
USUAL = Path("/tmp/nvidia-mps")
"""Where pipes are unless the environment says so: whoever looks after this machine may have started the service."""
PROBE = "import jax, sys; sys.exit(jax.default_backend() == 'cpu')"
PATIENCE = 60.0  # seconds that starting, trying and ending it may take each


@contextmanager
def shared_gpu() -> Iterator[bool]:
    """Processes that begin inside share the GPU, if that can be arranged; whether this was done.

    Nothing is where there is no such service, where somebody else has started it, or where JAX finds no GPU by it.
    """
    if shutil.which(CONTROL) is None or PIPES in os.environ or (USUAL / "control").exists():
        yield False
        return
    with TemporaryDirectory(prefix="ludens-mps-") as folder:
        variables = {PIPES: f"{folder}/pipes", LOGS: f"{folder}/logs"}
        for path in variables.values():
            Path(path).mkdir()
        works = _run([CONTROL, "-d"], variables) and _run([sys.executable, "-c", PROBE], variables)
        if works:
            os.environ.update(variables)
        try:
            yield works
        finally:
            if works:
                for name in variables:
                    os.environ.pop(name, None)
            _run([CONTROL], variables, "quit -t 5\n")


def _run(command: list[str], variables: Mapping[str, str], typed: str = "") -> bool:
    """Whether `command` succeeds. What it says is not read: a service that it leaves behind would keep us waiting."""
    environment, nowhere = {**os.environ, **variables}, subprocess.DEVNULL
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            command, env=environment, input=typed, text=True, stdout=nowhere, stderr=nowhere, timeout=PATIENCE
        )
        return done.returncode == 0
    return False
