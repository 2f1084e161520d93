"""Commands of ours that run on this machine, whoever started them: told from Linux's `/proc`.

Where there is no such folder nothing is found, and one has to judge by what a command leaves in its files.
"""

import os
from dataclasses import dataclass
from pathlib import Path

PROCESSES = Path("/proc")


@dataclass(frozen=True)
class Command:
    """A `ludens` command that runs."""

    pid: int
    words: tuple[str, ...]  # what follows the command's name: `train othello neural-q --seed 3`
    cwd: Path  # where its relative paths begin

    def option(self, name: str) -> str | None:
        """The value of `--name VALUE` or `--name=VALUE`; None if it was not given."""
        for i, word in enumerate(self.words):
            if word == f"--{name}" and i + 1 < len(self.words):
                return self.words[i + 1]
            if word.startswith(f"--{name}="):
                return word.partition("=")[2]
        return None

    def path(self, text: str) -> Path:
        """A path as that process means it."""
        return (self.cwd / text).resolve()


def commands(name: str) -> list[Command]:
    """Every process that runs `ludens NAME ...` and that this user may look into."""
    found = []
    for entry in PROCESSES.glob("[0-9]*"):
        try:
            words = [os.fsdecode(word) for word in (entry / "cmdline").read_bytes().split(b"\0")[:-1]]
            if (rest := _after_the_program(words)) and rest[0] == name:
                found.append(Command(int(entry.name), tuple(rest[1:]), Path(os.readlink(entry / "cwd"))))
        except OSError:
            continue  # it has ended, or belongs to somebody else
    return found


def _after_the_program(words: list[str]) -> list[str]:
    """What is said to `ludens`, however it is called: `python -m ludens ...`, `python .../ludens ...`, `ludens ...`."""
    python = bool(words) and Path(words[0]).name.startswith("python")
    if python and "ludens.web.server.job_process" in words:
        return []  # looks after a command, which is a process of its own
    rest = words[1:] if python else words
    while python and rest and rest[0].startswith("-") and rest[0] != "-m":
        rest = rest[1:]
    if python and rest[:2] == ["-m", "ludens"]:
        return rest[2:]
    return rest[1:] if rest and Path(rest[0]).name == "ludens" else []
