"""The games as the page offers them: what can be chosen, what a choice means, and games written down."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ludens.arena.record import Record, plain_variant
from ludens.core.game import Game
from ludens.core.player import Player
from ludens.core.settings import settings
from ludens.games import GAMES, make
from ludens.games.othello import Othello
from ludens.games.othello_text import write_ggf, write_transcript
from ludens.players import player
from ludens.web.opponents import ladder
from ludens.web.protocol import Course, Variant
from ludens.web.worker.render import presenter


def describe() -> list[dict[str, Any]]:
    """All games, as `GET /api/games` tells them."""
    described = []
    for name, kind in GAMES.items():
        game, shows = make(name), presenter(name)
        described.append(
            {
                "id": name,
                "title": shows.title,
                "blurb": shows.blurb,
                "seats": shows.seats(game),
                "num_players": game.num_players,
                "hidden": game.hidden,
                "can_undo": game.can_undo,
                "options": [each.to_json() for each in settings(kind).values()],
                "ladder": [rung._asdict() for rung in ladder(name)],
            }
        )
    return described


def whole_variant(name: str, told: Mapping[str, Any]) -> tuple[Variant, int]:
    """The variant that these fields choose, all others filled in, and its seats; ValueError says what was expected."""
    game = make(name, **_hashable(told))
    return Variant(name, tuple(sorted(_hashable(plain_variant(game)).items()))), game.num_players


@lru_cache(maxsize=256)
def game_of(variant: Variant) -> Game[Any]:
    """The game itself."""
    return make(variant.game, **dict(variant.fields))


def _hashable(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


def agent(game: Game[Any], path: str) -> Player[Any]:
    """The player that a resolved spec names; ValueError, without the folders of this machine, if there is none."""
    try:
        return player(path, game, on_host=True)
    except ValueError as error:
        folder = path.partition("run:")[2].rpartition("/")[0]
        raise ValueError(str(error).replace(f"{folder}/", "") if folder else str(error)) from None


def check(variant: Variant, path: str) -> None:
    """ValueError unless somebody is called by this spec who can play the variant."""
    agent(game_of(variant), path)


def record(
    variant: Variant,
    specs: Sequence[str],
    start: str,
    outcomes: Sequence[Sequence[int]],
    course: Course,
    returns: Sequence[float],
) -> dict[str, Any]:
    """The game so far, as the arena writes games down."""
    return Record(
        game=variant.game,
        variant=plain_variant(game_of(variant)),
        seed=course.seed,
        seats=tuple(specs),
        start=start,
        opening=0,
        actions=tuple(course.actions),
        chance=tuple(c for rolled in outcomes for c in rolled),
        returns=tuple(returns),
    ).to_dict()


def ggf(variant: Variant, start: str, actions: Sequence[int], black: str, white: str, date: str) -> str:
    game = _othello(variant, "GGF")
    return write_ggf(game, actions, black=black, white=white, date=date, start=game.read(start))


def transcript(variant: Variant, start: str, actions: Sequence[int]) -> str:
    """A game of Othello as its squares, one after the other."""
    game = _othello(variant, "a transcript")
    return write_transcript(game, actions, start=game.read(start))


def _othello(variant: Variant, what: str) -> Othello:
    game = game_of(variant)
    if not isinstance(game, Othello):
        raise ValueError(f"{what} cannot be written of {game.id}: expected a game of othello")
    return game
