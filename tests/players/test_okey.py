"""Okey's players by hand on real hands, against plain counting, legal in every variant, and worth what they claim."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import Game
from ludens.games import make
from ludens.games.okey import DISCARD, DRAW, JOKER, KINDS, SHOW, Okey
from ludens.games.okey.melds import distances, values
from ludens.players.okey import OkeyGreedy, Thesis
from players.positions import check_decisions, compiled, duel, positions, views
from variants import label

TWO = make("okey", players=2)
PAIRS = make("okey", players=2, longest_run=5, pairs=True, joker_finish=True)
TEAMS = make("okey", players=4, teams=True, match=20, losers_drop=True)
SHOWING = make("okey", players=2, match=20, show_indicator=True)
GAMES, BATCH = 8, 64
"""Random games whose positions are decided in, and how many positions those are."""
COLOURS = "rbgy"


def tiles(text: str) -> np.ndarray:
    """Counts of tiles written as `r5` or `joker`, `int8[53]`."""
    counts = np.zeros(KINDS, np.int8)
    for word in text.split():
        counts[JOKER if word == "joker" else COLOURS.index(word[0]) * 13 + int(word[1:]) - 1] += 1
    return counts


def view_with(game: Any, hand: str, *, offer: str = "", phase: int = DISCARD, known: str = "") -> Any:
    """Seat 0's view with this hand; y13 is the indicator, so that y1 is played by the false jokers."""
    s = game.view(game.init(jax.random.key(0)), 0)
    discards = np.zeros((game.players, KINDS), np.int8)
    discards[-1] = tiles(offer)
    held = np.zeros((game.players, KINDS), np.int8)
    held[0], held[1] = tiles(hand), tiles(known)
    return s._replace(
        hands=jnp.asarray(held),
        known=jnp.asarray(np.where(np.arange(game.players)[:, None] == 1, held, 0).astype(np.int8)),
        discards=jnp.asarray(discards),
        indicator=jnp.int32(51),
        phase=jnp.int32(phase),
        offer=jnp.int32(np.flatnonzero(tiles(offer))[0] if offer else -1),
    )


def scores(kind: Any, game: Any, view: Any) -> dict[str, float]:
    """What a player thinks of each legal act, by name."""
    many = jax.tree.map(lambda x: jnp.broadcast_to(x, (BATCH, *x.shape)), view)  # a shape that is compiled anyway
    found = compiled(kind(game))(jax.random.split(jax.random.key(0), BATCH), many).scores[0]
    return {game.name(a, view): float(found[a]) for a in np.flatnonzero(np.asarray(game.legal(view)))}


# ------------------------------------------------------------------ the thesis's opponent

FREE = "r1 r2 r3 r7 b7 g7 y7 b1 b4 b10 g2 g12 y5 y9 r12"  # figure 4's shape: a run, a group of four, the rest is free


@pytest.mark.slow
def test_thesis_throws_free_tiles_only() -> None:
    found = scores(Thesis, TWO, view_with(TWO, FREE))
    free = ["b1", "b4", "b10", "g2", "g12", "y5", "y9", "r12"]
    assert found == {f"discard {tile}": pytest.approx(1 / 8 if tile in free else 0) for tile in FREE.split()}


@pytest.mark.slow
def test_thesis_counts_tiles_not_kinds() -> None:
    found = scores(Thesis, TWO, view_with(TWO, "r1 r2 r3 r7 b7 g7 y7 b1 b1 b10 g2 g12 y5 y9 r12"))
    assert found["discard b1"] == pytest.approx(2 / 8)
    assert found["discard r12"] == pytest.approx(1 / 8)


@pytest.mark.slow
def test_thesis_keeps_its_joker() -> None:
    found = scores(Thesis, TWO, view_with(TWO, "joker r1 b3 g5 y7 r9 b11 g13 y2 r4 b6 g8 y10 r12 b13"))
    assert found["discard okey"] == 0
    assert len([share for share in found.values() if share > 0]) in (12, 14)  # the joker may hold two tiles together


@pytest.mark.slow
def test_thesis_draws_and_takes_alike() -> None:
    hand = FREE.removesuffix(" r12")
    assert scores(Thesis, TWO, view_with(TWO, hand, offer="r4", phase=DRAW)) == {"draw": 0.5, "take": 0.5}


FINISHED = "r1 r2 r3 b4 b5 b6 g7 r7 y7 b7 y10 y11 y12 y13"


@pytest.mark.slow
def test_both_finish_when_they_can() -> None:
    view = view_with(TWO, FINISHED + " g1")
    assert scores(Thesis, TWO, view)["discard g1"] == 1
    best = scores(OkeyGreedy, TWO, view)
    assert best["discard g1"] == 2
    assert all(score < 0 for act, score in best.items() if act != "discard g1")


@pytest.mark.slow
def test_both_prefer_the_finish_that_counts_most() -> None:
    view = view_with(TEAMS, FINISHED + " joker")
    assert scores(Thesis, TEAMS, view)["discard okey"] == 1
    best = scores(OkeyGreedy, TEAMS, view)
    assert best["discard okey"] == max(best.values()) == 4


@pytest.mark.slow
def test_both_show_the_twin_at_once() -> None:
    states = positions(SHOWING, GAMES)
    legal = np.asarray(jax.vmap(SHOWING.legal)(states))
    assert legal[:, SHOW].any()
    for kind in (Thesis, OkeyGreedy):
        actions = np.asarray(check_decisions(kind(SHOWING), states).action)
        np.testing.assert_array_equal(actions == SHOW, legal[:, SHOW])


# ------------------------------------------------------------------ okey-greedy


@pytest.mark.slow
def test_greedy_takes_what_brings_it_closer() -> None:
    hand = "r1 r2 r3 b4 b5 b6 g7 r7 y7 b7 y10 y11 g1 g9"
    for offer, takes in (("y12", True), ("y9", True), ("b13", False)):
        found = scores(OkeyGreedy, TWO, view_with(TWO, hand, offer=offer, phase=DRAW))
        assert (found["take"] > found["draw"]) == takes


@pytest.mark.slow
def test_greedy_throws_what_is_of_least_use() -> None:
    # Ten tiles are in sets, y10 and y11 want one more, and the last three stand alone.
    found = scores(OkeyGreedy, TWO, view_with(TWO, "r1 r2 r3 b4 b5 b6 g7 r7 y7 b7 y10 y11 g1 b12 y6"))
    assert max(found, key=lambda act: found[act]) in ("discard g1", "discard b12", "discard y6")


@pytest.mark.slow
def test_greedy_keeps_from_the_next_seat_what_it_wants() -> None:
    # b12 and g2 are of no use, but the next seat is known to hold g3 and g4.
    hand = "r1 r2 r3 b4 b5 b6 g7 r7 y7 b7 y10 y11 y12 b12 g2"
    free = scores(OkeyGreedy, TWO, view_with(TWO, hand))
    warned = scores(OkeyGreedy, TWO, view_with(TWO, hand, known="g3 g4"))
    assert free["discard g2"] == free["discard b12"] == max(free.values())
    assert warned["discard g2"] < warned["discard b12"] == max(warned.values())


@pytest.mark.slow
@pytest.mark.parametrize("game", [TWO, PAIRS], ids=label)
def test_greedy_scores_are_the_counts_they_claim_to_be(game: Okey) -> None:
    far = jax.jit(partial(distances, longest_run=game.longest_run, pairs=game.pairs))
    states = views(game, positions(game, GAMES))
    found = np.asarray(check_decisions(OkeyGreedy(game), states).scores)
    one_tile = np.eye(KINDS, dtype=np.int8)
    for row in range(0, BATCH, 3):
        s = jax.tree.map(lambda x, row=row: np.asarray(x)[row], states)
        hand, unseen = s.hands[s.turn], np.asarray(game.unseen(s))
        if s.phase == DRAW:
            missing = np.asarray(far(np.minimum(hand + one_tile, 2)))  # a third tile of a kind is never unseen
            assert found[row, 0] == pytest.approx(-(unseen * missing).sum() / unseen.sum(), abs=1e-4)
            assert found[row, 1] == -missing[s.offer]
            continue
        held = [kind for kind in range(JOKER) if hand[kind]]
        rests = hand - one_tile[np.resize(held, 15)]  # of one shape, whatever is held
        missing = np.asarray(far(np.resize(rests, (KINDS, KINDS))))[: len(held)]
        after = [np.asarray(far(np.minimum(rest + one_tile, 2))) for rest in rests[: len(held)]]
        for kind, rest, then in zip(held, missing, after, strict=True):
            score = found[row, 2 + kind]
            if rest == 0:
                assert score >= 2
            elif rest == missing.min():
                chances = unseen[then < rest].sum()
                assert -rest + (chances - 1) / 105 < score <= -rest + chances / 105 + 1e-6
            else:
                assert -rest - 0.01 < score <= -rest


@pytest.mark.slow
@pytest.mark.parametrize("game", [TWO, TEAMS], ids=label)
def test_neither_throws_a_joker_for_nothing(game: Game[Any]) -> None:
    states = positions(game, GAMES)
    assert np.asarray(jax.vmap(game.legal)(states))[:, 2 + JOKER].any()
    for kind in (Thesis, OkeyGreedy):
        actions = np.asarray(check_decisions(kind(game), states).action)
        assert not (actions == 2 + JOKER).any()


@pytest.mark.slow
@pytest.mark.parametrize("game", [TWO, TEAMS, SHOWING], ids=label)
def test_decisions_are_legal(game: Game[Any]) -> None:
    for kind in (Thesis, OkeyGreedy):
        check_decisions(kind(game), positions(game, GAMES))


@pytest.mark.slow
def test_thesis_never_breaks_a_set_it_could_keep() -> None:
    states = positions(TWO, GAMES)
    actions = np.asarray(check_decisions(Thesis(TWO), states).action)
    host = jax.tree.map(np.asarray, states)
    rows = np.flatnonzero(host.phase == DISCARD)
    hands = host.hands[rows, host.turn[rows]]
    kept = hands - np.eye(KINDS, dtype=np.int8)[actions[rows] - 2]
    worth = partial(values, longest_run=4)
    np.testing.assert_array_equal(worth(jnp.asarray(kept)), worth(jnp.asarray(hands)))


@pytest.mark.slow
def test_greedy_beats_thesis() -> None:
    wins, _, losses = duel(OkeyGreedy(TWO), Thesis(TWO), games=BATCH)
    assert wins > 0.7 * (wins + losses)
