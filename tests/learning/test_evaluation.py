"""Evaluation while learning counts what really happens."""

import jax
import pytest

from ludens.games import make
from ludens.learning.evaluation import evaluate
from ludens.oracles.store import load
from ludens.players import player


def _counts(game: str, first: str, second: str, **options: object) -> tuple[int, ...]:
    variant = make(game, **({"pieces": 1} if game == "ur" else {}))
    players = [player(spec, variant) for spec in (first, second)]
    params = [each.init(jax.random.key(0)) for each in players]
    return tuple(int(x) for x in evaluate(*players, *params, jax.random.key(3), **options))  # type: ignore[arg-type]


@pytest.mark.slow
def test_perfect_play_never_loses_and_everything_is_counted() -> None:
    wins, draws, losses = _counts("chung-toi", "optimal", "random", games=60)
    assert wins + draws == 60
    assert losses == 0
    assert wins > 50
    assert _counts("chung-toi", "random", "optimal", games=60)[2] > 50


@pytest.mark.slow
def test_two_perfect_players_draw_by_the_limit_of_moves() -> None:
    assert _counts("chung-toi", "optimal", "optimal", games=6) == (0, 6, 0)


@pytest.mark.slow
def test_who_begins() -> None:
    """With a single piece nobody has a choice in Ur: the first side wins as often as the solution says."""
    variant = make("ur", pieces=1)
    expected = load(variant)[1].start_value
    first = _counts("ur", "random", "random", games=4000, first_only=True)[0] / 4000
    both = _counts("ur", "random", "random", games=4000)[0] / 4000
    assert first == pytest.approx(expected, abs=0.03)
    assert both == pytest.approx(0.5, abs=0.03)
    assert abs(expected - 0.5) > 0.01
