"""`ludens demo`: learners at work in a minute, the paper's and one that becomes perfect; then it is your turn."""

import os
import shutil
import sys
import time
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
from ludens.learning import learner as make_learner
from ludens.learning.evaluation import evaluate
from ludens.learning.run import Evaluate, against, train
from ludens.papers.chung_toi import EVALUATION, EVERY, GAMES, PAPER_BEGINS, PAPER_ENDS
from ludens.players import player

GAME = ChungToi()
OPPONENTS = ("smart-random", "random")
TABLE_GAMES = 200_000
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
    net, table = _folder("demo-chung-toi"), _folder("demo-chung-toi-perfect")
    curve = _papers_setting(console, net)
    perfect = _perfect_play()
    _beside(console, curve[0], curve[-1], perfect)
    _a_table(console, table)
    console.print(f"\nAll this took {time.perf_counter() - begun:.0f} s, compiling included. Now you:")
    for what, command in (
        ("the page, any time", "serve"),
        ("play it in the terminal", f"play chung-toi --against run:{net}"),
        ("watch them meet", f"watch chung-toi --by run:{net},run:{table}"),
        ("run the papers again", "reproduce all --quick"),
    ):
        console.print(f"  {what:<26}", Text(f".venv/bin/ludens {command}", "bold"))


def _papers_setting(console: Console, folder: Path) -> list[dict[str, Any]]:
    """2,000 games of TD(lambda) with the paper's net: its evaluations, drawn as they come."""
    console.print(Text("Chung Toi learns to play itself", "bold"))
    console.print(
        f"TD(lambda) with a net of 20-30-1 and all settings of the paper: {GAMES:,} games against itself.\n"
        f"After every {EVERY} of them it plays {EVALUATION} games as the first player. Bars: games won against\n"
        "smart-random, which takes wins and blocks, and against random play.\n"
    )
    learner = make_learner("td-lambda", GAME, {})
    opponents = [against(learner, player(spec, GAME), spec, games=EVALUATION, first_only=True) for spec in OPPONENTS]
    curve = []
    with console.status("compiling"):
        for progress in train(learner, folder, every=EVERY, evaluate=_meet(opponents)):
            curve.append(progress.line["evaluation"])
            bars = [_bar(spec, curve[-1][spec]) for spec in OPPONENTS]
            console.print(Text.assemble(f"{progress.games:>6} games   ", *bars))
    return curve


def _meet(opponents: list[Evaluate]) -> Evaluate:
    return lambda params, games: {counts["vs"]: counts for counts in (meet(params, games) for meet in opponents)}


def _bar(spec: str, counts: dict[str, Any]) -> Text:
    share = _won(counts)
    filled = round(share * WIDTH)
    style = "cyan" if spec == OPPONENTS[0] else "green"
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


def _a_table(console: Console, folder: Path) -> None:
    """The same self-play with a number for each position, to the end."""
    console.print(f"\nThe same with a number for each position in place of the net, {TABLE_GAMES:,} games:")
    learner = make_learner("td-table", GAME, {"episodes": TABLE_GAMES})
    smart = against(learner, player("smart-random", GAME), "smart-random", games=EVALUATION)
    with console.status("compiling"):
        for progress in train(learner, folder, every=TABLE_GAMES // 8, evaluate=smart):
            counts = progress.line["evaluation"]
            lost = f"{counts['losses'][0]} of {EVALUATION} lost in both seats"
            console.print(Text.assemble(f"{progress.games:>8,} games   ", _bar("smart-random", counts), lost))


def _folder(name: str) -> Path:
    """A folder for a run of the demo; that of an earlier demo makes room."""
    folder = RUNS / name
    if (folder / RUN).exists():
        shutil.rmtree(folder)
    return folder
