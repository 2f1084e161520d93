"""Ctrl-C is heeded wherever it arrives, and what was printed before it is not lost."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludens.cli import app


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler), signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGTERM, before[1])


def test_an_interrupt_while_jax_collects_garbage_comes_again() -> None:
    arrived = []

    def _xla_gc_callback(phase: str, _: object) -> None:
        if phase == "start" and not arrived:
            arrived.append(phase)
            signal.raise_signal(signal.SIGINT)

    def collect_and_wait() -> None:
        gc.collect()  # raised in there it would be printed and forgotten
        time.sleep(20)

    app.heed_interrupts()
    gc.callbacks.append(_xla_gc_callback)
    try:
        with pytest.raises(KeyboardInterrupt):
            collect_and_wait()
        assert arrived
    finally:
        gc.callbacks.remove(_xla_gc_callback)


def test_an_interrupt_while_something_is_thrown_away_comes_again() -> None:
    class Last:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def throw_away_and_wait() -> None:
        Last()  # raised in there it would be printed and forgotten
        time.sleep(20)

    app.heed_interrupts()
    with pytest.raises(KeyboardInterrupt):
        throw_away_and_wait()


def test_jax_still_calls_it_so() -> None:
    import jax

    assert jax.__version__
    assert app.GC_CALLBACK in {getattr(each, "__name__", "") for each in gc.callbacks}


def test_elsewhere_it_is_raised_at_once() -> None:
    app.heed_interrupts()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_asked_to_end_a_command_ends_as_if_interrupted() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    app.heed_interrupts()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    program = (
        "import os, signal, sys; from ludens.cli import app; sys.argv = ['ludens', 'list'];"
        "app.app = lambda *_, **__: (print('summary'), signal.raise_signal(signal.SIGTERM), signal.pause());"
        "app.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (143, "summary\n", "")


def test_whoever_ignores_interrupts_goes_on_ignoring_them() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    app.heed_interrupts()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_what_was_printed_is_not_lost() -> None:
    program = "from ludens.cli import app; print('played so far', end=''); app.leave()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "played so far", "")


def test_a_run_is_interrupted_while_it_is_compiled(tmp_path: Path) -> None:
    """Neither forgotten nor a crash, though other threads are in the middle of something."""
    words = ("train", "chung-toi", "td-lambda", "--episodes", "5000000", "--hidden", "4", "--out", f"{tmp_path}/run")
    cold = {**os.environ, "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "nothing compiled yet")}
    trainer = subprocess.Popen([sys.executable, "-m", "ludens", *words], env=cold, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + 60
        while not (tmp_path / "run" / "run.json").exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        time.sleep(0.2)
        trainer.send_signal(signal.SIGINT)
        assert trainer.communicate(timeout=60)[1] == ""
        assert trainer.returncode == 130
    finally:
        trainer.kill()
        trainer.wait()
