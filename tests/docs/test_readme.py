"""What README shows really runs."""

import re
import shlex
from pathlib import Path

import pytest

from ludens.cli.inputs import game_from
from ludens.cli.train import prepare

TEXT = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert "throw" in capsys.readouterr().out
    assert names["masks"].shape == (4096, 16)


def test_the_commands_name_games_and_variants_that_exist() -> None:
    own = {"--depth", "--json", "--peers"}
    commands = re.findall(r"^ludens (play|watch|perft) (\S+)(.*?)(?:#.*)?$", TEXT, re.MULTILINE)
    assert len(commands) >= 5
    for _, name, rest in commands:
        rest = re.sub(r"--against \S+", "", rest)
        words = [word for word in shlex.split(rest) if (word not in own and not word.isdecimal()) or word == "4"]
        game_from(name, tuple(words))


def test_the_learners_and_their_settings_exist() -> None:
    commands = re.findall(r"^ludens train (\S+) (\S+)(.*?)(?:#.*)?$", TEXT, re.MULTILINE)
    assert len(commands) >= 3
    for game, name, rest in commands:
        words = shlex.split(re.sub(r"--out \S+", "", rest))
        assert prepare(game, name, tuple(words)).name == name
