"""Commands are called in this process: a new one would spend seconds importing JAX and compile everything anew."""

import io
import os
import sys
from collections.abc import Callable

import pytest

from ludens.cli import app as cli

Outcome = tuple[int, str, str]


@pytest.fixture
def ludens(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run a command: exit code, standard output, standard error."""
    monkeypatch.setenv("XLA_FLAGS", os.environ.get("XLA_FLAGS", ""))  # which commands change, is as before afterwards

    def run(*words: str, typed: str = "", terminal: bool = True) -> Outcome:
        lines = iter(typed.splitlines())
        monkeypatch.setattr("sys.stdin", io.StringIO())
        monkeypatch.setattr(sys.stdin, "isatty", lambda: terminal)

        def ask(prompt: str) -> str:
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", ask)
        monkeypatch.setattr(cli, "keep_what_is_compiled", lambda: None)
        monkeypatch.setattr(sys, "argv", ["ludens", *words])
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
