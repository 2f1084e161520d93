"""Those who play from outside: programs in a process of their own, spoken to over GTP or the NBoard protocol.

An `Outsider` is asked on the host, one decision at a time, where a `Player` is compiled. Specs name the program:

    gtp:COMMAND                  gtp:gtp-rhino -l 3 -b 0
    nboard:COMMAND               nboard:/opt/edax/mEdax -nboard
    gtp@SECONDS:COMMAND          at most so many seconds a move (30 if not given)
    nboard@SECONDS/DEPTH:COMMAND and so deep a search (8 if not given)

Everything after the colon is the command line. Both protocols play Othello here. A program is started when it is first
asked and may take as long as `START` to answer then. Forced passes are played without asking: there is nothing to
decide, and some programs refuse them. Whatever goes wrong is an `ExternalError` of one sentence, and the program, with
all that it started, is gone by then.

GTP (http://www.lysator.liu.se/~gunnar/gtp): a command on a line, an answer that begins with `=` or `?` and ends with an
empty line. The program keeps the game; it is told the moves since it was last asked, or all of them after a change.
NBoard (version 2): the whole game is sent as GGF, `ping` waits until it is understood, `go` is answered by `=== MOVE`.
"""

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple

import jax
import numpy as np

from ludens.core.game import Game, S
from ludens.core.types import Key
from ludens.games.othello import Othello
from ludens.games.othello_text import write_ggf
from ludens.players.process import ExternalError, Process

__all__ = ["OUTSIDERS", "ExternalError", "Gtp", "MoveRequest", "NBoard", "Outsider", "outsider"]

NAME_ENDS = re.compile(r"[@:]")
SPEC = re.compile(r"\w+(?:@(?P<seconds>[^/:]*)(?:/(?P<depth>[^:]*))?)?:(?P<command>.*)", re.DOTALL)
SECONDS = 30.0  # for a move
START = 30.0  # for a program to load and answer for the first time
DEPTH = 8  # of NBoard's search, which the protocol wants to be told
MOVE_ENDS = re.compile(r"[\s/]+")


class MoveRequest(NamedTuple):
    """What somebody is told whose turn it is."""

    key: Key
    """For whoever draws lots."""
    view: Any
    """The position as the mover knows it."""
    start: Any
    """The position at the start of the game as the mover knew it."""
    actions: Sequence[int]
    """Every action since."""


class Outsider(ABC, Generic[S]):
    """One who plays `game` on the host: a program, a person."""

    game: Game[S]

    @abstractmethod
    def decide(self, turn: MoveRequest) -> int:
        """The action to take, which is legal."""

    def close(self) -> None:
        """End what was started; another `decide` starts again."""


class _Program(Outsider[Any]):
    """A program that plays Othello."""

    games: ClassVar[tuple[str, ...]] = ("othello",)

    def __init__(self, game: Game[Any], command: str, *, seconds: float = SECONDS) -> None:
        if not isinstance(game, Othello):
            raise ExternalError(
                f"'{command}' plays {' and '.join(self.games)}, not {game.id}: expected a game it knows"
            )
        self.game: Othello = game
        self.process = Process(_words(command))
        self.seconds = seconds
        self.running = False
        self.legal = jax.jit(game.legal)

    def decide(self, turn: MoveRequest) -> int:
        """A forced pass, or what the program answers in time."""
        passing = self.game.size**2
        if bool(self.legal(turn.view)[passing]):
            return passing
        try:
            if not self.running:
                self.process.start(max(START, self.seconds))
                self.introduce()
                self.running = True
            self.process.allow(self.seconds)
            return self.ask(turn)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the program, whatever state it is in."""
        self.running = False
        self.process.stop()

    @abstractmethod
    def introduce(self) -> None:
        """Begin the conversation with a program that was just started."""

    @abstractmethod
    def ask(self, turn: MoveRequest) -> int:
        """The program's move."""

    def meant(self, answer: str, turn: MoveRequest) -> int:
        """The legal action that the program's answer names."""
        legal = np.flatnonzero(self.legal(turn.view)).tolist()
        named = {self.game.name(a, turn.view): a for a in legal}
        if answer.lower() not in named:
            raise self.process.failure(f"answered '{answer}', which is not a legal move here")
        return named[answer.lower()]


class Gtp(_Program):
    """A program that speaks GTP, version 2."""

    def introduce(self) -> None:
        """Find out whether anybody is there and plays on such a board."""
        self.told: tuple[int, ...] | None = None
        self.usual_start = self.game.show(self.game.init(jax.random.key(0)))
        self.say("protocol_version")
        self.say(f"boardsize {self.game.size}")

    def ask(self, turn: MoveRequest) -> int:
        """Tell what has been played since the last time, then ask for a move."""
        actions = tuple(turn.actions)
        if self.game.show(turn.start) != self.usual_start:
            raise self.process.failure("cannot be asked over GTP about a game that begins elsewhere than at the start")
        if self.told is None or self.told != actions[: len(self.told)]:
            self.say("clear_board")
            self.told = ()
        for number, a in enumerate(actions):
            if number >= len(self.told) and a != self.game.size**2:
                self.say(f"play {'bw'[number % 2]} {self.game.name(a, turn.view)}")
        action = self.meant(self.say(f"genmove {'bw'[len(actions) % 2]}"), turn)
        self.told = (*actions, action)  # for it has played its own move already
        return action

    def say(self, command: str) -> str:
        """What the program answers to a command, without the `=`."""
        self.process.write(command)
        first = self.process.read(command, until=lambda line: line.strip() != "")
        if first[:1] not in "=?":
            raise self.process.failure(f"answered '{first}' to '{command}', which is not GTP")
        lines = [first[1:].strip()]
        while line := self.process.read(command).strip():
            lines.append(line)
        answer = " ".join(lines).strip()
        if first.startswith("?"):
            raise self.process.failure(f"refused '{command}' ({answer})")
        return answer


class NBoard(_Program):
    """A program that speaks the NBoard protocol, version 2."""

    def __init__(self, game: Game[Any], command: str, *, seconds: float = SECONDS, depth: int = DEPTH) -> None:
        super().__init__(game, command, seconds=seconds)
        self.depth = depth
        self.pings = 0

    def introduce(self) -> None:
        """Say how deep to search and find out whether anybody is there."""
        self.process.write("nboard 2")
        self.process.write(f"set depth {self.depth}")
        self.wait()

    def ask(self, turn: MoveRequest) -> int:
        """Send the whole game and ask for a move; everything else that the program tells is passed over."""
        self.process.write(f"set game {write_ggf(self.game, turn.actions, start=turn.start)}")
        self.wait()
        self.process.write("go")
        answer = self.process.read("go", until=lambda line: line.startswith("==="))
        return self.meant(MOVE_ENDS.split(answer.removeprefix("===").strip())[0], turn)

    def wait(self) -> None:
        """Until the program has understood everything so far."""
        self.pings += 1
        self.process.write(f"ping {self.pings}")
        self.process.read(f"ping {self.pings}", until=lambda line: line.split() == ["pong", f"{self.pings}"])


OUTSIDERS: dict[str, Callable[..., Outsider[Any]]] = {"gtp": Gtp, "nboard": NBoard}
"""The protocols by the name that specs begin with."""


def outsider(spec: str, game: Game[Any]) -> Outsider[Any] | None:
    """The program that `spec` names, or None if it names none; ExternalError says what was expected."""
    name = NAME_ENDS.split(spec)[0]
    if name not in OUTSIDERS:
        return None
    if not (parts := SPEC.fullmatch(spec)):
        raise ExternalError(f"'{spec}' names no program: expected {name}:COMMAND or {name}@SECONDS:COMMAND")
    options: dict[str, Any] = {}
    if parts["seconds"]:
        options["seconds"] = _positive(spec, parts["seconds"], float, "seconds a move")
    if parts["depth"] is not None:
        if name != "nboard":
            raise ExternalError(f"'{spec}' has a depth, which only nboard takes: expected {name}@SECONDS:COMMAND")
        options["depth"] = _positive(spec, parts["depth"], int, "a depth")
    return OUTSIDERS[name](game, parts["command"], **options)


def _positive(spec: str, text: str, kind: Callable[[str], float], what: str) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise ExternalError(f"'{spec}' has '{text}' for {what}: expected a number above 0")
    return value


def _words(command: str) -> list[str]:
    """A command line as a shell splits it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ExternalError(
            f"'{command}' is not a command line ({error}): expected a program and its options"
        ) from None
    if not words:
        raise ExternalError("no program is named: expected a command line such as gtp-rhino -l 1 -b 0")
    return words
