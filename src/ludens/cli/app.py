"""`ludens`: what a person types. Each command is a function in the file that does its work, imported when it is called.

Bad input, and a file or disk that cannot be used, end with one sentence and exit code 2. Everything else that goes
wrong is a bug and shows its trace.
"""

import os
import signal
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from cyclopts import App, CycloptsError

from ludens import __version__

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes of a command that was interrupted (Ctrl-C), and of one that was asked to end (SIGTERM)."""
GC_CALLBACK = "_xla_gc_callback"
"""The function of JAX that Python calls whenever it collects garbage."""
SOON = 0.02  # seconds

app = App(
    name="ludens",
    version=__version__,
    suppress_keyboard_interrupt=False,  # `main` has its own way to end
    help="Classic games that learn to play themselves.\n\n"
    "After a game's name come the options of its variant, such as --size 6, --rules finkel or --players 4 --teams; "
    "`ludens list` shows them all.",
)

# Help is given here and not in the functions' docstrings: `ludens --help` imports none of them, and so not JAX.
app.command(
    "ludens.cli.reports:list_games",
    name="list",
    help="The games and their options, and the agents that ship.\n\n"
    "With the names of games or learners: what each of their settings is for, may be, and is if not given. With the "
    "names of agents: their cards.",
)
app.command(
    "ludens.cli.reports:perft",
    help="Count the ways the next acts can go, depth by depth: a check on the rules.\n\n"
    "An act is a move or, where fate is due, one of its outcomes. A finished game is one leaf at every deeper depth.",
)
app.command("ludens.cli.terminal:watch", help="Watch a game in the terminal.")
app.command(
    "ludens.cli.terminal:play",
    help="Play a game yourself.\n\n"
    "Type a move as the game writes it (`moves` lists the legal ones), `undo` to take one back, `quit` to leave. Moves "
    "can also be piped in, one a line; then an illegal one ends the game with exit code 2.",
)
app.command(
    "ludens.cli.solve:solve",
    help="Solve a game outright: what perfect play makes of it, or of one position and its moves.",
)
app.command(
    "ludens.cli.puzzles:puzzles",
    help="Find positions with exactly one best move, graded by how deep a search must look to find it.",
)
app.command(
    "ludens.cli.match:match",
    help="Play a match: wins, draws and losses by seat with 95 % intervals, length, speed, regret.",
)
app.command(
    "ludens.cli.match:evaluate",
    name="eval",
    help="Play a match between what a run has learned and another player.",
)
app.command(
    "ludens.cli.tournament:hold",
    name="tournament",
    help="Let several players meet in round robins, and rate them.\n\n"
    "In one round every pair plays once; in a game for more than two, everybody who can sit together. All games are "
    "kept in the tournament's folder: the same command goes on where it was interrupted, and more rounds extend it.",
)
app.command(
    "ludens.cli.train:train",
    help="Let a learner learn a game, and keep what it learns.\n\n"
    "Every setting of the learner is an option (--episodes 5000 --num-envs 64 --alpha 0.01; `ludens list LEARNER` "
    "shows them), and so are the options of the game's variant. A run that was interrupted, in whatever way, goes on "
    "with --resume as if nothing had happened.",
)
app.command(
    "ludens.cli.ship:ship",
    help="Take an agent out of a run and put it among those that ship, with its card.\n\n"
    "What is not given stays as it was, if an agent of this name is replaced.",
)
app.command(
    "ludens.cli.strength:strength",
    help="Measure how strong everybody is: the ladder, the agents that ship, and GRhino if it is there.\n\n"
    "Writes the package's `strength.json` and the pages docs/strength.md and docs/agents.md. What was played is "
    "kept: the same command goes on where it was interrupted.",
)
app.command(
    "ludens.cli.reproduce:reproduce_papers",
    name="reproduce",
    help="Run the experiments of papers again: their figures beside ours, with intervals and verdicts.\n\n"
    "Parts that are finished are kept: the same command goes on where it was interrupted.",
)
app.command(
    "ludens.cli.reproduce:publish_results",
    name="publish",
    help="Write results of papers into the docs: data, figures, and their place on each paper's page.",
)
app.command(
    "ludens.cli.serve:serve",
    help="Serve the page: play all games, watch agents, see what they think, hold tournaments, follow training.",
)
app.command("ludens.cli.demo:demo", help="Train an agent before your eyes in a minute, and then play it.")
app.command(
    "ludens.cli.bench:bench",
    help="Steps per second of random play, by batch size, on whatever device JAX has.\n\n"
    "After every step the state, the legal moves and the observation exist and are used.",
)


class BadInputError(Exception):
    """Something typed that cannot be; its text is the sentence the person sees."""


class TerminatedError(KeyboardInterrupt):
    """SIGTERM: whatever ends in good order on Ctrl-C does so on this as well."""


@contextmanager
def bad_input(kind: type[Exception] = ValueError) -> Iterator[None]:
    """Inside, an error of this kind is about what somebody typed, and not a bug of ours."""
    try:
        yield
    except kind as error:
        raise BadInputError(str(error)) from None


def main() -> None:
    """Run a command; bad input becomes one sentence and exit code 2."""
    keep_what_is_compiled()
    heed_interrupts()
    try:
        app(sys.argv[1:], exit_on_error=False, print_error=False)
        sys.stdout.flush()  # a full disk is noticed here, and not when Python is taken down
    except (BadInputError, CycloptsError) as error:
        print(f"ludens: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    except TerminatedError:
        leave(TERMINATED)
    except (KeyboardInterrupt, BrokenPipeError):
        leave()
    except OSError as error:
        print(f"ludens: {_unusable(error)}", file=sys.stderr)
        try:
            sys.stdout.flush()
        except OSError:
            leave(2)  # or Python would try again, and complain
        sys.exit(2)


def _unusable(error: OSError) -> str:
    """What cannot be read or written, in one sentence."""
    what = f"'{error.filename}' cannot be used" if error.filename else "what was to be written cannot be"
    return f"{what} ({error.strerror or error}): expected a file or folder that can be, and room on the disk"


def keep_what_is_compiled() -> None:
    """Let JAX keep compiled programs in the user's cache, so that a command starts faster the second time."""
    try:
        kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ludens" / "jax"
        kept.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return  # nowhere to keep them, or nobody's home: then they are compiled anew
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(kept))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")


def heed_interrupts() -> None:
    """From now on a signal to end that JAX would lose comes again a little later; one that is ignored stays so.

    What is raised inside JAX's garbage callback is printed and forgotten, and a signal that arrived while something
    was compiled is often noticed there first: then Ctrl-C would do nothing.
    """
    handled_here = threading.current_thread() is threading.main_thread()
    if handled_here and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if handled_here and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


def _forgets(frame: FrameType) -> bool:
    """Whether Python prints and forgets what is raised here: callbacks of the garbage collection."""
    return frame.f_code.co_name in (GC_CALLBACK, "__del__") or frame.f_code.co_filename == weakref.__file__


def _interrupt(number: int, frame: FrameType | None) -> None:
    while frame is not None and not _forgets(frame):
        frame = frame.f_back
    if frame is None:
        raise TerminatedError if number == signal.SIGTERM else KeyboardInterrupt
    again = threading.Timer(SOON, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def leave(code: int = INTERRUPTED) -> NoReturn:
    """End at once: what is still compiled or computed in other threads would crash while Python is taken down."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever read us has left
            stream.flush()
    os._exit(code)
