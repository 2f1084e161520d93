"""`ludens`: what a person types. Commands are thin; what they do lives beside this file and is imported when called.

Bad input ends with one sentence and exit code 2. Everything else that goes wrong is a bug and shows its trace.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from ludens import __version__
from ludens.cli import interrupts

if TYPE_CHECKING:
    from ludens.core.game import Game

VariantWords = Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]
Text = Annotated[str | None, Parameter(allow_leading_hyphen=True)]

app = App(
    name="ludens",
    version=__version__,
    suppress_keyboard_interrupt=False,  # `main` has its own way to end
    help="Classic games that learn to play themselves.\n\n"
    "After a game's name come the options of its variant, such as --size 6, --rules finkel or --players 4 --teams; "
    "`ludens list` shows them all.",
)


class BadInputError(Exception):
    """Something typed that cannot be; its text is the sentence the person sees."""


def main() -> None:
    """Entry point: run a command, turn bad input into one sentence and exit code 2."""
    keep_what_is_compiled()
    interrupts.heed()
    try:
        app(sys.argv[1:], exit_on_error=False, print_error=False)
    except (BadInputError, CycloptsError) as error:
        print(f"ludens: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, BrokenPipeError):
        interrupts.leave()


def keep_what_is_compiled() -> None:
    """Let JAX keep compiled programs in the user's cache, so that a command starts faster the second time."""
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ludens" / "jax"
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # nowhere to keep them: then they are compiled anew
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(kept))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")


@contextmanager
def typed_by_a_person() -> Iterator[None]:
    """Inside, a ValueError is about what somebody typed."""
    try:
        yield
    except ValueError as error:
        raise BadInputError(str(error)) from None


@contextmanager
def programs_may_fail() -> Iterator[None]:
    """Inside, programs from outside are asked; if one fails, that is the person's concern and not a bug of ours."""
    from ludens.players.external import ExternalError

    try:
        yield
    except ExternalError as error:
        raise BadInputError(str(error)) from None


def chosen(game: str, words: tuple[str, ...]) -> "Game[Any]":
    """The game and variant named on the command line."""
    from ludens.cli.variants import game_from

    with typed_by_a_person():
        return game_from(game, words)


def position_or_start(game: "Game[Any]", position: str | None, seed: int) -> Any:
    """The position typed, or a start drawn with `seed`."""
    import jax

    if position is None:
        return game.init(jax.random.key(seed))
    with typed_by_a_person():
        return game.read(position)


@app.command(name="list")
def list_games(*, json: bool = False) -> None:
    """The games and their options.

    Parameters
    ----------
    json
        Print for programs.
    """
    from ludens.cli import reports

    reports.list_games(json=json)


@app.command
def perft(
    game: str, *words: VariantWords, depth: int = 5, position: Text = None, seed: int = 0, json: bool = False
) -> None:
    """Count the ways the next acts can go, depth by depth: a check on the rules.

    An act is a move or, where fate is due, one of its outcomes. A finished game is one leaf at every deeper depth.

    Parameters
    ----------
    game
        Which game; its variant's options may follow.
    depth
        How many acts deep.
    position
        Where to start, as text; the game's start if not given.
    seed
        Draws the start where it is dealt or thrown.
    json
        Print `{"perft": [...]}`.
    """
    from ludens.cli import reports

    if depth < 1:
        raise BadInputError(f"--depth is {depth}: expected 1 or more")
    variant = chosen(game, words)
    reports.perft(variant, position_or_start(variant, position, seed), depth, json=json)


@app.command
def watch(
    game: str,
    *words: VariantWords,
    by: str = "random",
    position: Text = None,
    seed: int | None = None,
    delay: float = 0.4,
    json: bool = False,
) -> None:
    """Watch a game in the terminal.

    Parameters
    ----------
    game
        Which game; its variant's options may follow.
    by
        Who plays: one player for all seats, or one per seat separated by commas.
    position
        Where to start, as text; the game's start if not given.
    seed
        Draws everything that is random; a new one each time if not given.
    delay
        Seconds between moves, where the terminal can show them.
    json
        Print the whole game for programs: start, moves, fate, result.
    """
    from ludens.cli import terminal

    variant = chosen(game, words)
    seed = terminal.fresh_seed() if seed is None else seed
    start = position_or_start(variant, position, seed)
    with typed_by_a_person():
        players = terminal.players_for(variant, by)
    if delay < 0:
        raise BadInputError(f"--delay is {delay}: expected 0 or more seconds")
    with programs_may_fail():
        terminal.watch(variant, start, players, seed=seed, delay=delay, json=json)


@app.command
def play(
    game: str,
    *words: VariantWords,
    against: str = "random",
    seat: int = 0,
    position: Text = None,
    seed: int | None = None,
) -> None:
    """Play a game yourself.

    Type a move as the game writes it (`moves` lists the legal ones), `undo` to take one back, `quit` to leave. Moves
    can also be piped in, one a line; then an illegal one ends the game with exit code 2.

    Parameters
    ----------
    game
        Which game; its variant's options may follow.
    against
        Who plays the other seats: one player, or one per other seat separated by commas.
    seat
        Your seat; 0 begins (except in Onitama, where the card aside decides).
    position
        Where to start, as text; the game's start if not given.
    seed
        Draws everything that is random; a new one each time if not given.
    """
    from ludens.cli import terminal

    variant = chosen(game, words)
    if not 0 <= seat < variant.num_players:
        raise BadInputError(f"--seat is {seat}: expected 0 to {variant.num_players - 1}")
    seed = terminal.fresh_seed() if seed is None else seed
    start = position_or_start(variant, position, seed)
    with typed_by_a_person():
        others = terminal.players_for(variant, against, apart_from=seat)
    try:
        with programs_may_fail():
            terminal.play(variant, start, others, seat=seat, seed=seed)
    except terminal.RefusedMoveError as error:
        raise BadInputError(str(error)) from None


@app.command
def solve(game: str, *words: VariantWords, position: Text = None, rebuild: bool = False, json: bool = False) -> None:
    """Solve a game outright: what perfect play makes of it, or of one position and its moves.

    Parameters
    ----------
    game
        Which game; its variant's options may follow.
    position
        Ask about this position, as text, instead of the whole game; in Othello any end game.
    rebuild
        Solve again even if the table is stored.
    json
        Print for programs.
    """
    from ludens.cli import solve as solving

    variant = chosen(game, words)
    with typed_by_a_person():
        solving.solve(variant, position=position, json=json, rebuild=rebuild)


@app.command
def match(
    game: str,
    first: str,
    second: str,
    *words: VariantWords,
    games: int = 100,
    seed: int = 0,
    opening: int | None = None,
    json: bool = False,
    out: Path | None = None,
) -> None:
    """Play a match: wins, draws and losses by seat with 95 % intervals, length, speed, regret.

    Parameters
    ----------
    game
        Which game; its variant's options may follow the players.
    first
        Whose wins are counted.
    second
        The opponent. Programs from outside are `gtp:COMMAND` and `nboard:COMMAND`.
    games
        How many games.
    seed
        Draws everything that is random.
    opening
        Random plies before the players take over; the game's usual number if not given.
    json
        Print for programs.
    out
        Write every record to this file, one a line.
    """
    from ludens.core.compiling import cores_as_devices

    cores_as_devices()
    from ludens.cli import match as matches

    variant = chosen(game, words)
    with typed_by_a_person():
        arranged = matches.arrange(variant, [first, second], games=games, seed=seed, opening=opening, out=out)
    with programs_may_fail():
        matches.run(arranged, json=json)


@app.command
def tournament(
    game: str,
    *players: Annotated[str, Parameter(allow_leading_hyphen=True)],
    rounds: int = 10,
    seed: int = 0,
    opening: int | None = None,
    out: Path | None = None,
    json: bool = False,
) -> None:
    """Let several players meet in round robins, and rate them.

    In one round every pair plays once; in a game for more than two, everybody who can sit together. All games are kept
    in the tournament's folder: the same command goes on where it was interrupted, and more rounds extend it.

    Parameters
    ----------
    game
        Which game.
    players
        Who takes part, each once; the options of the variant may follow.
    rounds
        How many round robins.
    seed
        Draws everything that is random.
    opening
        Random plies before the players take over; what is usual in the game if not given.
    out
        Folder for games, tables and figures; `tournaments/GAME-...` if not given, the same for the same tournament.
    json
        Print the standings for programs.
    """
    from ludens.core.compiling import cores_as_devices

    cores_as_devices()
    from ludens.cli import tournament as tournaments

    specs, options = tournaments.players_and_variant(players)
    variant = chosen(game, options)
    with typed_by_a_person():
        tournaments.run(variant, specs, rounds=rounds, seed=seed, opening=opening, out=out, json=json)


@app.command
def train(
    game: str,
    learner: str,
    *words: VariantWords,
    seed: int = 0,
    seeds: int = 1,
    out: Path | None = None,
    resume: bool = False,
    every: int | None = None,
    eval_vs: str | None = None,
    eval_games: int = 200,
    eval_every: int | None = None,
    json: bool = False,
) -> None:
    """Let a learner learn a game, and keep what it learns.

    Every setting of the learner is an option (--episodes 5000 --num-envs 64 --alpha 0.01), and so are the options of
    the game's variant. A run that was interrupted, in whatever way, goes on with --resume as if nothing had happened.

    Parameters
    ----------
    game
        Which game.
    learner
        Which learner; `ludens list` names them.
    seed
        Draws everything that is random.
    seeds
        Train so many independent learners, with this seed and the following ones.
    out
        Folder of the run; `runs/GAME-LEARNER-SEED` if not given.
    resume
        Go on with the run in the folder.
    every
        Games between checkpoints; a hundredth of all if not given.
    eval_vs
        Opponent of the evaluations; smart-random if not given, or random where nobody can be smart.
    eval_games
        Games of an evaluation; 0 for none.
    eval_every
        Games of training between evaluations; a twentieth of all if not given.
    json
        Print each line of metrics for programs.
    """
    from ludens.cli.devices import for_learning

    for_learning()
    from ludens.cli import train as training

    with typed_by_a_person():
        who = training.prepare(game, learner, words)
        training.run(
            who,
            seed=seed,
            seeds=seeds,
            out=out,
            resume=resume,
            every=every,
            opponent=eval_vs or training.usual_opponent(who.game),
            eval_games=eval_games,
            eval_every=eval_every,
            json=json,
        )


@app.command(name="eval")
def evaluate(
    run: str,
    *,
    vs: str | None = None,
    games: int = 1000,
    seed: int = 0,
    opening: int | None = None,
    json: bool = False,
    out: Path | None = None,
) -> None:
    """Play a match between what a run has learned and another player.

    Parameters
    ----------
    run
        Folder of the run; FOLDER@2 is the third of its seeds.
    vs
        The opponent; smart-random if not given, or random where nobody can be smart.
    games
        How many games, half of them in each seat.
    seed
        Draws everything that is random.
    opening
        Random plies before the players take over; the game's usual number if not given.
    json
        Print for programs.
    out
        Write every record to this file, one a line.
    """
    from ludens.cli.devices import for_learning

    for_learning()
    from ludens.cli import match as matches
    from ludens.cli import train as training

    with typed_by_a_person():
        variant = training.game_of(run)
        players = [f"run:{run}", vs or training.usual_opponent(variant)]
        arranged = matches.arrange(variant, players, games=games, seed=seed, opening=opening, out=out)
    with programs_may_fail():
        matches.run(arranged, json=json)


@app.command
def reproduce(
    *papers: str,
    quick: bool = False,
    full: bool = False,
    seeds: int | None = None,
    jobs: int | None = None,
    out: Path = Path("results"),
    json: bool = False,
) -> None:
    """Run the experiments of papers again: their figures beside ours, with intervals and verdicts.

    Parts that are finished are kept: the same command goes on where it was interrupted.

    Parameters
    ----------
    papers
        Which: `chung-toi`, `ur`, `othello`, `onitama`, `okey`, or `all`.
    quick
        A reduced scale, minutes on two cores; this is what is done if nothing is said.
    full
        The paper's scale.
    seeds
        Independent training runs of each experiment; what is usual for the paper if not given.
    jobs
        Parts computed at once, each in a process of its own. If not given, 1; where there is an accelerator, three
        quarters of the cores: so many training runs share it, and matches are played whenever they leave a core.
    out
        Folder for results, tables and figures.
    json
        Print the results for programs.
    """
    from ludens.cli.devices import for_learning

    for_learning()
    from ludens.cli import reproduce as reproductions

    with typed_by_a_person():
        reproductions.run(papers, quick=quick, full=full, seeds=seeds, jobs=jobs, out=out, json=json)


@app.command
def publish(*results: Path, docs: Path = Path("docs/papers")) -> None:
    """Write results of papers into the docs: data, figures, and their place on each paper's page.

    Parameters
    ----------
    results
        Files such as `results/ur/results.json`.
    docs
        The folder of the papers' pages.
    """
    from ludens.cli import reproduce as reproductions

    with typed_by_a_person():
        reproductions.publish(results, docs)


@app.command
def serve(
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    name: tuple[str, ...] = (),
    open_browser: Annotated[bool, Parameter(name="--open")] = True,
    folder: Path = Path(),
) -> None:
    """Serve the page: play all games, watch agents, see what they think, hold tournaments, follow training.

    Parameters
    ----------
    host
        Address to listen on; only this machine can reach the usual one.
    port
        Port to listen on; the first free one from 8000 on if not given.
    name
        A name under which others reach this machine, if it is not known; may be given several times.
    open_browser
        Open the page in a browser, where there is a screen.
    folder
        Where runs, tournaments, results and games are kept.
    """
    from ludens.cli import serve as serving

    with typed_by_a_person():
        serving.run(host, port, name, open_browser=open_browser, folder=folder)


@app.command
def demo(*, page: bool = True) -> None:
    """Train an agent before your eyes in a minute, and then play it.

    Parameters
    ----------
    page
        Serve the page afterwards, until Ctrl-C.
    """
    from ludens.cli.devices import for_learning

    environment = dict(os.environ)
    for_learning()
    from ludens.cli import demo as demonstration

    with typed_by_a_person():
        demonstration.run()
    if page:  # in a fresh process: what is good for learning here is not for the page's many workers
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, "-m", "ludens", "serve"], environment)


@app.command
def bench(*games: str, peers: bool = False, json: bool = False) -> None:
    """Steps per second of random play, by batch size, on whatever device JAX has.

    After every step the state, the legal moves and the observation exist and are used.

    Parameters
    ----------
    games
        Which games; all if none is named. `search` instead: alpha-beta beside a plain one in Python.
    peers
        Also run Pgx and OpenSpiel on Othello, like for like, and print the ratios.
    json
        Print for programs.
    """
    from ludens.core.compiling import cores_as_devices

    cores_as_devices()
    if games == ("search",):
        from ludens.cli import bench_search

        bench_search.run(json=json)
        return
    from ludens.cli import bench as benchmark

    with typed_by_a_person():
        chosen_games = benchmark.games_named(games)
    benchmark.run(chosen_games, peers=peers, json=json)
