"""Reading the words after a player's name."""

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.players.evaluators import evaluator, usual_evaluator
from ludens.players.learned import learned


def whole_number(what: str, text: str, least: int, most: int) -> int:
    """The number in `text`; ValueError says what was expected of `what`."""
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ValueError(f"{what} is '{text}': expected a whole number from {least} to {most}")
    return int(text)


def evaluator_and_depth(
    game: Game[S], options: tuple[str, ...], *, usual: int, deepest: int
) -> tuple[Evaluator[S], int]:
    """What a search is told: nothing, a depth (`4`), or a depth and an evaluator (`4:positional`, `4:run:DIR`)."""
    if options[1:2] == ("run",):
        depth = whole_number("the depth", options[0], 1, deepest)
        return learned(":".join(options[2:]), game).evaluator(), depth
    if len(options) > 2:
        raise ValueError(f"'{':'.join(options)}' is too much: expected a depth and an evaluator")
    depth = whole_number("the depth", options[0], 1, deepest) if options else usual
    return evaluator(options[1], game) if options[1:] else usual_evaluator(game), depth
