"""Games in the terminal: `watch`, `play` and `demo`."""

import json as json_text
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from ludens.cli.boards import draw
from ludens.cli.reports import headline
from ludens.core.game import Game, legal_actions, sample, variant
from ludens.core.player import Player
from ludens.core.types import Key
from ludens.games import GAMES
from ludens.players import player

DEMO_SEED = 7
HELP = "a move, or: moves (what is legal), board (draw it again), undo (take a move back), quit"


class RefusedMoveError(ValueError):
    """A move that cannot be played, from a script that nobody can ask again."""


class Host:
    """One game played on the host, act by act, with everything that happened written down."""

    def __init__(self, game: Game[Any], start: Any, seed: int) -> None:
        self.game, self.seed, self.start = game, seed, start
        # Apart from the key that dealt the start, so that what follows is not tied to it.
        self.key: Key = jax.random.fold_in(jax.random.key(seed), 1)
        self.compiled = {"apply": jax.jit(game.apply), "chance": jax.jit(game.chance), "roll": jax.jit(game.roll)}
        self.done = jax.jit(game.done)
        self.view = jax.jit(game.view)
        self.state = start
        self.actions: list[int] = []
        self.names: list[str] = []
        self.seats: list[int] = []
        self.outcomes: list[int] = []
        self.past: list[tuple[Any, int, int]] = []
        self.let_fate_act()

    @property
    def mover(self) -> int:
        """Seat to move."""
        return int(self.game.player(self.state))

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or by its limit."""
        return bool(self.done(self.state)) or len(self.actions) >= self.game.turn_limit

    def next_key(self) -> Key:
        """A fresh key."""
        self.key, now = jax.random.split(self.key)
        return jnp.asarray(now)

    def let_fate_act(self) -> None:
        """Draw and carry out outcomes until somebody can decide or the game is over."""
        while self.game.rolls and float((weights := self.compiled["chance"](self.state)).sum()) > 0:
            outcome = int(sample(weights, self.next_key()))
            self.state = self.compiled["roll"](self.state, outcome)
            self.outcomes.append(outcome)

    def act(self, action: int) -> str:
        """Play a legal action and let fate answer; returns the move's name."""
        name = self.game.name(action, self.state)
        self.past.append((self.state, len(self.actions), len(self.outcomes)))
        self.seats.append(self.mover)
        self.state = self.compiled["apply"](self.state, action)
        self.actions.append(action)
        self.names.append(name)
        self.let_fate_act()
        return name

    def undo(self, seat: int) -> bool:
        """Back to the last decision of `seat`; False if it has made none."""
        while self.past:
            self.state, acted, rolled = self.past.pop()
            for done in (self.actions, self.names, self.seats):
                del done[acted:]
            del self.outcomes[rolled:]
            if self.mover == seat:
                return True
        return False

    def record(self, specs: list[str]) -> dict[str, Any]:
        """The whole game for programs: with `start`, `actions` and `chance` it can be replayed."""
        return {
            "game": self.game.id,
            "variant": variant(self.game),
            "seed": self.seed,
            "seats": specs,
            "start": self.game.show(self.start),
            "actions": self.actions,
            "moves": self.names,
            "movers": self.seats,
            "chance": self.outcomes,
            "final": self.game.show(self.state),
            "returns": [float(x) for x in self.game.returns(self.state)],
        }

    def result(self) -> str:
        """How it ended, in words."""
        returns = self.game.returns(self.state)
        best = float(jnp.max(returns))
        winners = [str(seat) for seat, value in enumerate(returns) if float(value) == best and best > 0]
        if not winners:
            return f"draw after {len(self.actions)} moves"
        seats = "seats" if len(winners) > 1 else "seat"
        verb = "win" if len(winners) > 1 else "wins"
        return f"{seats} {' and '.join(winners)} {verb} after {len(self.actions)} moves"


Seats = list[tuple[str, Player[Any]]]
Decide = Callable[[Key, Any], Any]


def fresh_seed() -> int:
    """A seed nobody has used before, short enough to type again."""
    return secrets.randbelow(10**6)


def players_for(game: Game[Any], specs: str, apart_from: int | None = None) -> Seats:
    """One player for each seat, from one spec for all or one for each (but for the seat `apart_from`)."""
    named = specs.split(",")
    seats = [seat for seat in range(game.num_players) if seat != apart_from]
    if len(named) not in (1, len(seats)):
        raise ValueError(f"'{specs}' names {len(named)} players: expected one for all, or {len(seats)}")
    chosen = iter(named * len(seats) if len(named) == 1 else named)
    everybody = [(spec, player(spec, game)) for spec in (next(chosen) for _ in seats)]
    if apart_from is not None:
        everybody.insert(apart_from, ("you", everybody[0][1]))
    return everybody


def watch(game: Game[Any], start: Any, players: Seats, *, seed: int, delay: float, json: bool) -> None:
    """Play a game to its end and show it, move by move; who only watches may see all hands."""
    host, decide, console = Host(game, start, seed), _deciders(game, players), Console()
    show = not json
    if show:
        console.print(Rule(f"{game.id}  seed {seed}", align="left"))
        console.print(draw(game, host.state))
    while not host.over:
        seat = host.mover
        name = host.act(int(decide[seat](host.next_key(), host.state)))
        if show:
            console.print(Text(f"\n{len(host.actions)}. seat {seat} ({players[seat][0]}): {name}", "bold"))
            console.print(draw(game, host.state))
            if console.is_terminal:
                time.sleep(delay)
    if json:
        print(json_text.dumps(host.record([spec for spec, _ in players])))
    else:
        console.print(Text(f"\n{host.result()}", "bold"))


def play(game: Game[Any], start: Any, others: Seats, *, seat: int, seed: int) -> None:
    """A person in `seat` against the `others`; everything shown is what that seat may know.

    At a terminal a mistake is explained and asked again; in a script it ends the game (`RefusedMoveError`).
    """
    host, decide, console = Host(game, start, seed), _deciders(game, others), Console()
    console.print(Rule(f"{game.id}  you are seat {seat}, seed {seed}", align="left"))
    console.print(Text(f"Type {HELP}.", "dim"))
    while not host.over:
        if host.mover != seat:
            mover = host.mover
            name = host.act(int(decide[mover](host.next_key(), host.state)))
            console.print(Text(f"seat {mover} ({others[mover][0]}): {name}", "bold"))
            continue
        console.print(draw(game, host.view(host.state, seat), seat))
        if not _persons_turn(host, seat, console):
            console.print(Text("Bye.", "dim"))
            return
    console.print(draw(game, host.view(host.state, seat), seat))
    console.print(Text(host.result(), "bold"))


def _persons_turn(host: Host, seat: int, console: Console) -> bool:
    """Ask until a move is made (or taken back); False if the person leaves."""
    game = host.game
    while True:
        try:
            typed = input("> ").strip()
        except EOFError:
            return False
        match typed.lower():
            case "":
                continue
            case "quit" | "exit" | "q":
                return False
            case "help" | "?":
                console.print(Text(f"Type {HELP}.", "dim"))
            case "moves":
                legal = legal_actions(game, host.state)
                console.print(Text(", ".join(game.name(a, host.state) for a in legal)))
            case "board":
                console.print(draw(game, host.view(host.state, seat), seat))
            case "undo" if not game.can_undo:
                console.print(Text(f"{game.id} has no undo: fate or hidden tiles would be seen twice.", "red"))
            case "undo":
                if host.undo(seat):
                    return True
                console.print(Text("There is nothing to take back.", "red"))
            case _:
                try:
                    host.act(game.parse(typed, host.state))
                except ValueError as error:
                    if not sys.stdin.isatty():
                        raise RefusedMoveError(str(error)) from None
                    console.print(Text(str(error), "red"))
                else:
                    return True


def demo() -> None:
    """A short look at every game: its start, its end, and what was played in between."""
    console = Console()
    for name in GAMES:
        game = GAMES[name]()
        host = Host(game, game.init(jax.random.key(DEMO_SEED)), DEMO_SEED)
        players = players_for(game, "random")
        decide = _deciders(game, players)
        console.print(Rule(f"[bold]{name}[/bold]", align="left"))
        console.print(Text(f"{headline(game)}\n", "italic"))
        console.print(draw(game, host.state))
        while not host.over:
            host.act(int(decide[host.mover](host.next_key(), host.state)))
        console.print(Text(f"\n{', '.join(host.names[:8])} ... and {max(len(host.names) - 8, 0)} more\n", "dim"))
        console.print(draw(game, host.state))
        console.print(Text(f"{host.result()}\n", "bold"))
        sys.stdout.flush()
    console.print("Watch one move by move:  [bold].venv/bin/ludens watch onitama[/bold]")
    console.print("Play one yourself:       [bold].venv/bin/ludens play othello[/bold]")
    console.print("What there is:           [bold].venv/bin/ludens list[/bold]")


def _deciders(game: Game[Any], players: Seats) -> list[Decide]:
    """For each seat a compiled function from (key, state) to its action; each sees only its own view."""

    def decider(who: Player[Any], seat: int) -> Decide:
        params = who.init(jax.random.key(0))
        return jax.jit(lambda key, s: who.act(params, key, game.view(s, seat)).action)

    return [decider(who, seat) for seat, (_, who) in enumerate(players)]
