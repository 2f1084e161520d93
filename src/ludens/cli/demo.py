"""`ludens demo`: Othello learns in half a minute, then a paper is run again; then it is your turn."""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import jax
from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ludens.cli.app import bad_input
from ludens.cli.inputs import on_all_cores
from ludens.core.run_files import RUN
from ludens.games.chung_toi import ChungToi
from ludens.games.othello import Othello
from ludens.learning import learner as make_learner
from ludens.learning.evaluation import evaluate
from ludens.learning.run import Evaluate, Progress, against, train
from ludens.papers.chung_toi import EVALUATION, GAMES, PAPER_BEGINS, PAPER_ENDS
from ludens.players import player

OTHELLO, OTHELLO_GAMES = Othello(size=6), 64_000
RIVALS = ("alphabeta:2", "random")
GAME = ChungToi()
OPPONENTS = ("smart-random", "random")
SHOWN = 500  # games of the paper's between two lines
WIDTH = 24  # letters of a full bar
RUNS = Path("runs")


def demo(*, page: Annotated[bool, Parameter(help="Serve the page afterwards, until Ctrl-C.")] = True) -> None:
    environment = dict(os.environ)
    run()
    if page:  # in a fresh process: what is good for learning here is not for the page's many workers
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, "-m", "ludens", "serve"], environment)


@on_all_cores()
@bad_input()
def run() -> None:
    """Train twice before the person's eyes, and say how to go on."""
    console, begun = Console(highlight=False), time.perf_counter()
    othello, net = _folder("demo-othello"), _folder("demo-chung-toi")
    _othello(console, othello)
    curve = _papers_setting(console, net)
    _beside(console, curve[0], curve[-1], _perfect_play())
    console.print(f"\nAll this took {time.perf_counter() - begun:.0f} s, compiling included. Now you:")
    for what, command in (
        ("the page, any time", "serve"),
        ("play what has just learned", f"play othello --size 6 --against alphabeta:4:run:{othello}"),
        ("play the champion", "play othello --against champion"),
        ("run the papers again", "reproduce all --quick"),
    ):
        console.print(f"  {what:<26}", Text(f".venv/bin/ludens {command}", "bold"))


def _othello(console: Console, folder: Path) -> None:
    """Tables for patterns of squares, from nothing: its evaluations, drawn as they come."""
    console.print(Text("Othello learns to play itself", "bold"))
    console.print(
        f"On a board of 6x6 it knows the rules and nothing else: {OTHELLO_GAMES:,} games against itself. On the way\n"
        f"it plays {EVALUATION} games against a search two moves deep, and against random play. Bars: games won.\n"
    )
    learner = make_learner("patterns", OTHELLO, {"episodes": OTHELLO_GAMES, "phases": 8})
    rivals = [against(learner, player(spec, OTHELLO), spec, games=EVALUATION) for spec in RIVALS]
    _curve(console, train(learner, folder, every=OTHELLO_GAMES // 8, evaluate=_meet(rivals)), RIVALS)


def _papers_setting(console: Console, folder: Path) -> list[dict[str, Any]]:
    """2,000 games of TD(lambda) with the paper's net: its evaluations, drawn as they come."""
    console.print(Text("\nA paper's own run: Chung Toi, 2011", "bold"))
    console.print(
        f"TD(lambda) with a net of 20-30-1 and all settings of the paper: {GAMES:,} games against itself, and on the\n"
        f"way {EVALUATION} as the first player against smart-random, which takes wins and blocks, and against random.\n"
    )
    learner = make_learner("td-lambda", GAME, {})
    opponents = [against(learner, player(spec, GAME), spec, games=EVALUATION, first_only=True) for spec in OPPONENTS]
    return _curve(console, train(learner, folder, every=SHOWN, evaluate=_meet(opponents)), OPPONENTS)


def _curve(console: Console, run: Iterator[Progress], opponents: tuple[str, str]) -> list[dict[str, Any]]:
    """The evaluations of a run, each a line with two bars."""
    curve = []
    with console.status("compiling"):
        for progress in run:
            curve.append(progress.line["evaluation"])
            bars = [_bar(curve[-1][spec], style) for spec, style in zip(opponents, ("cyan", "green"), strict=True)]
            console.print(Text.assemble(f"{progress.games:>8,} games   ", *bars))
    return curve


def _meet(opponents: list[Evaluate]) -> Evaluate:
    return lambda params, games: {counts["vs"]: counts for counts in (meet(params, games) for meet in opponents)}


def _bar(counts: dict[str, Any], style: str) -> Text:
    share = _won(counts)
    filled = round(share * WIDTH)
    return Text.assemble(("█" * filled, style), ("·" * (WIDTH - filled), "dim"), f" {share:4.0%}   ")


def _won(counts: dict[str, Any]) -> float:
    return float(counts["wins"][0]) / int(counts["games"])


def _perfect_play() -> dict[str, float]:
    """What the solution of the game wins, in the same seat."""
    optimal = player("optimal", GAME)
    solved = optimal.init(jax.random.key(0))
    shares = {}
    for spec in OPPONENTS:
        counts = evaluate(
            optimal, player(spec, GAME), solved, None, jax.random.key(0), games=EVALUATION, first_only=True
        )
        shares[spec] = int(counts.wins) / EVALUATION
    return shares


def _beside(console: Console, first: dict[str, Any], last: dict[str, Any], perfect: dict[str, float]) -> None:
    """Ours, the paper's, and the best there is."""
    table = Table("won against", "untrained", f"after {GAMES:,} games", "perfect play")
    for spec in OPPONENTS:
        table.add_row(spec, f"{_won(first[spec]):.0%}", f"{_won(last[spec]):.0%}", f"{perfect[spec]:.0%}")
    table.add_section()
    table.add_row("in the paper", f"about {PAPER_BEGINS:.0%}", f"nearly {PAPER_ENDS:.0%}", "not known")
    console.print(table)
    console.print(
        "The paper's opponent takes wins and blocks too, but its curve begins where one begins against random play:\n"
        "docs/papers/chung-toi.md says what we found, with 20 seeds and intervals."
    )


def _folder(name: str) -> Path:
    """A folder for a run of the demo; that of an earlier demo makes room."""
    folder = RUNS / name
    if (folder / RUN).exists():
        shutil.rmtree(folder)
    return folder
