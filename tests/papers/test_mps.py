"""MPS is started and ended around the work, and left alone where it is of no use."""

import os
import sys
import time
from pathlib import Path

import pytest

from ludens.papers import mps
from ludens.papers.mps import LOGS, PIPES, shared_gpu

SCRIPT = """#!/bin/sh
echo "$* in $CUDA_MPS_PIPE_DIRECTORY" >> {log}
if [ "$1" = -d ]; then sleep 40 & else cat >> {log}; fi
exit {code}
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is asked of a program that stands for the service's."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv(PIPES, raising=False)
    monkeypatch.delenv(LOGS, raising=False)
    monkeypatch.setattr(mps, "USUAL", tmp_path / "usual")
    monkeypatch.setattr(mps, "PROBE", "")
    install(tmp_path)
    return tmp_path / "log"


def install(folder: Path, code: int = 0) -> None:
    program = folder / mps.CONTROL
    program.write_text(SCRIPT.format(log=folder / "log", code=code))
    program.chmod(0o755)


def test_it_is_there_inside_and_gone_after(log: Path) -> None:
    begun = time.monotonic()
    with shared_gpu() as shared:
        assert time.monotonic() - begun < 30  # nobody waits for what it leaves behind to close its output
        assert shared
        pipes = Path(os.environ[PIPES])
        assert pipes.is_dir()
        assert Path(os.environ[LOGS]).is_dir()
    assert PIPES not in os.environ
    assert LOGS not in os.environ
    assert not pipes.exists()
    assert log.read_text().splitlines() == [f"-d in {pipes}", f" in {pipes}", "quit -t 5"]


def test_it_ends_after_a_failure_too(log: Path) -> None:
    with pytest.raises(KeyboardInterrupt), shared_gpu():
        raise KeyboardInterrupt
    assert log.read_text().endswith("quit -t 5\n")
    assert PIPES not in os.environ


def test_if_jax_finds_no_gpu_by_it_the_work_goes_on_without(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mps, "PROBE", "import sys; sys.exit(1)")
    with shared_gpu() as shared:
        assert not shared
        assert PIPES not in os.environ
    assert log.read_text().endswith("quit -t 5\n")


def test_the_probe_tells_whether_there_is_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not mps._run([sys.executable, "-c", mps.PROBE], {"JAX_PLATFORMS": "cpu"})


def test_if_it_does_not_start_the_work_goes_on_without(log: Path) -> None:
    install(log.parent, code=1)
    with shared_gpu() as shared:
        assert not shared
        assert PIPES not in os.environ


@pytest.mark.parametrize("why", ["nobody has it", "told by the environment", "started before"])
def test_it_is_left_alone(log: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    if why == "nobody has it":
        monkeypatch.setenv("PATH", "")
    elif why == "told by the environment":
        monkeypatch.setenv(PIPES, "/elsewhere")
    else:
        mps.USUAL.mkdir()
        (mps.USUAL / "control").touch()
    before = os.environ.get(PIPES)
    with shared_gpu() as shared:
        assert not shared
        assert os.environ.get(PIPES) == before
    assert not log.exists()
