"""The Okey hand solver against an exhaustive search in plain Python, and against hands worked out by hand."""

import random
from collections import Counter
from functools import cache, partial
from itertools import combinations_with_replacement
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.okey import groups, melds
from reference import okey_hands as reference
from variants import slow_but

Tile = tuple[int, int]
Hand = tuple[list[Tile], int]

DECK = [(colour, number) for colour in range(4) for number in range(1, 14)] * 2
HANDS = 400
FINISHED_BY_PAIRS = jax.jit(melds.finished_by_pairs)


def encode(tiles: list[Tile], jokers: int) -> np.ndarray:
    hand = np.zeros(53, np.int8)
    for colour, number in tiles:
        hand[colour * 13 + number - 1] += 1
    hand[52] = jokers
    return hand


def decode(face: int) -> Tile:
    return int(face) // 13, int(face) % 13 + 1


def hand(text: str) -> np.ndarray:
    """`r1 r2 b13 * *` as counts; `*` is a joker."""
    words = text.split()
    return encode([("rbgy".index(word[0]), int(word[1:])) for word in words if word != "*"], words.count("*"))


def random_hand(rng: random.Random, longest_run: int) -> Hand:
    """14 or 15 tiles: dealt at random, or dense in runs, or dense in groups, or close to finished."""
    size, jokers = rng.choice([14, 14, 15]), rng.choice([0, 0, 1, 2])
    kind = rng.choice(["dealt", "runs", "groups", "close", "close"])
    pool, kept = DECK, []
    if kind == "runs":
        low, colours = rng.randint(1, 10), rng.randint(1, 3)
        pool = [tile for tile in DECK if tile[0] < colours and (tile[1] == 1 or low <= tile[1] <= low + 8)]
        pool = pool if len(pool) >= size - jokers else DECK
    elif kind == "groups":
        numbers = rng.sample(range(1, 14), rng.randint(2, 6))
        pool = [tile for tile in DECK if tile[1] in numbers]
    elif kind == "close":
        sizes = rng.choice([(3, 3, 4, 4), (3, 3, 3, 5), (4, 5, 5)] if longest_run == 5 else [(3, 3, 4, 4)])
        sets = [rng.choice([one for one in reference.all_sets(longest_run) if len(one) == size]) for size in sizes]
        kept = list((Counter(face for one in sets for face in one) & Counter(DECK)).elements())
        rng.shuffle(kept)
        kept = kept[: 14 - jokers - rng.choice([0, 0, 0, 1, 2, 3])]
    rest = list((Counter(pool) - Counter(kept)).elements())
    return kept + rng.sample(rest, size - jokers - len(kept)), jokers


@cache
def random_hands(longest_run: int) -> tuple[list[Hand], jax.Array]:
    rng = random.Random(longest_run)
    hands = [random_hand(rng, longest_run) for _ in range(HANDS)]
    return hands, jnp.asarray(np.stack([encode(*one) for one in hands]))


@pytest.mark.slow
@pytest.mark.parametrize("longest_run", [4, 5])
def test_distance_is_the_fewest_exchanges(longest_run: int) -> None:
    hands, batch = random_hands(longest_run)
    ours = jax.jit(partial(melds.distances, longest_run=longest_run, pairs=False))(batch)
    theirs = [reference.distance(*one, longest_run) for one in hands]
    assert list(map(int, ours)) == theirs
    with_pairs = jax.jit(partial(melds.distances, longest_run=longest_run, pairs=True))(batch)
    by_pairs = [reference.distance_by_pairs(*one) for one in hands]
    assert list(map(int, with_pairs)) == list(map(min, theirs, by_pairs))


@pytest.mark.slow
@pytest.mark.parametrize("longest_run", [4, 5])
def test_within_asks_less_than_distance_and_says_the_same(longest_run: int) -> None:
    _, batch = random_hands(longest_run)
    for pairs in (False, True):
        far = jax.jit(partial(melds.distances, longest_run=longest_run, pairs=pairs))(batch)
        ask = jax.jit(jax.vmap(partial(melds.within, longest_run=longest_run, pairs=pairs)))
        for more in (-2, -1, 0, 1):
            assert ((np.asarray(ask(batch, far + more)) == (more >= 0)) | (np.asarray(far) + more < 0)).all()


@pytest.mark.parametrize("longest_run", slow_but([4, 5]))
def test_finished_is_every_tile_in_a_set(longest_run: int) -> None:
    hands, batch = random_hands(longest_run)
    ours = jax.jit(jax.vmap(partial(melds.finished_by_sets, longest_run=longest_run)))(batch)
    theirs = [reference.finished(*one, longest_run) for one in hands]
    assert list(map(bool, ours)) == theirs
    assert 20 < sum(theirs) < HANDS / 2


@pytest.mark.slow
@pytest.mark.parametrize("longest_run", [4, 5])
def test_value_and_arrangement_are_the_best(longest_run: int) -> None:
    hands, batch = random_hands(longest_run)
    values = jax.jit(partial(melds.values, longest_run=longest_run))(batch)
    laid = jax.jit(jax.vmap(partial(melds.arrange, longest_run=longest_run)))(batch)
    faces, wild = np.asarray(laid.faces), np.asarray(laid.wild)
    assert faces.shape == wild.shape == (HANDS, 5, 5)
    for i, (tiles, jokers) in enumerate(hands):
        best = reference.value(tiles, jokers, longest_run)
        assert values[i] == laid.value[i] == best
        assert total(faces[i], wild[i], tiles, jokers, longest_run) == best


def total(faces: Any, wild: Any, tiles: list[Tile], jokers: int, longest_run: int) -> int:
    """What an arrangement is worth, once it is shown to be one of this hand."""
    used = faces >= 0
    assert not (wild & ~used).any()
    assert (np.diff(used.astype(int), axis=1) <= 0).all(), "slots are filled from the left"
    sets = [[decode(face) for face in one[one >= 0]] for one in faces if (one >= 0).any()]
    assert all(reference.is_set(one, longest_run) for one in sets)
    assert wild.sum() <= jokers
    assert not Counter(decode(face) for face in faces[used & ~wild]) - Counter(tiles)
    return sum(5 * (len(one) - 1) for one in sets)


def test_pairs_against_the_reference() -> None:
    rng = random.Random(7)
    hands: list[Hand] = []
    for _ in range(HANDS):
        jokers = rng.choice([0, 1, 2])
        pairs = [tile for tile in rng.sample(DECK[:52], 7) for _ in range(2)]
        kept = rng.sample(pairs, 14 - jokers - rng.choice([0, 0, 1, 2]))
        rest = list((Counter(DECK) - Counter(kept)).elements())
        hands.append((kept + rng.sample(rest, rng.choice([14, 14, 15]) - jokers - len(kept)), jokers))
    ours = jax.jit(jax.vmap(melds.finished_by_pairs))(jnp.asarray(np.stack([encode(*one) for one in hands])))
    theirs = [reference.finished_by_pairs(*one) for one in hands]
    assert list(map(bool, ours)) == theirs
    assert 20 < sum(theirs) < HANDS


@pytest.mark.parametrize("longest_run", slow_but([4, 5]))
def test_no_best_cover_needs_a_face_three_times(longest_run: int) -> None:
    """The solver lets sets use a face as often as they like; here is why a real hand of 106 tiles does as well.

    For any runs of one colour there are runs with as many slots that use no face more than twice and cover no less,
    whatever tiles are held; the same is plain for groups of one number (a third group covers nothing that two groups
    of four would not, and can be anywhere). With that done, a face is used three times only by sets of both kinds,
    and four sets, of which two of different kinds share one face at most, cannot do that more than twice: those are
    the two jokers' places.
    """
    runs = []
    for size in range(3, longest_run + 1):
        for first in range(15 - size):
            faces = np.bincount(np.arange(first, first + size) % 13, minlength=13)
            runs.append((size, faces))
    decent: dict[int, set[tuple[int, ...]]] = {}
    greedy: dict[int, set[tuple[int, ...]]] = {}
    for count in (3, 4):
        for some in combinations_with_replacement(runs, count):
            slots = sum(size for size, _ in some)
            if slots <= 14:
                uses = sum(faces for _, faces in some)
                (decent if uses.max() <= 2 else greedy).setdefault(slots, set()).add(tuple(np.minimum(uses, 2)))
    assert greedy
    for slots, coverings in greedy.items():
        better = np.array(sorted(decent[slots]))
        assert all((better >= covering).all(1).any() for covering in coverings)


@pytest.mark.parametrize(
    ("text", "longest_run", "done"),
    [
        ("r1 r2 r3 r4 b1 b2 b3 b4 g1 g2 g3 y1 y2 y3", 4, True),
        ("r11 r12 r13 r1 b1 b2 b3 b4 g1 g2 g3 y1 y2 y3", 4, True),  # 11-12-13-1
        ("r12 r13 r1 b1 b2 b3 b4 g1 g2 g3 y5 y6 y7 y8", 4, True),  # 12-13-1
        ("r13 r1 r2 b1 b2 b3 b4 g1 g2 g3 y5 y6 y7 y8", 4, False),  # 13-1-2 is none
        ("r12 r13 r1 r2 b5 b6 b7 b8 g1 g2 g3 y5 y6 y7", 4, False),  # 12-13-1-2 is none
        ("r5 * r7 b1 b2 b3 b4 g1 g2 g3 y5 y6 y7 y8", 4, True),  # a joker inside
        ("* r2 r3 b1 b2 b3 b4 g1 g2 g3 y5 y6 y7 y8", 4, True),
        ("r12 r13 * b1 b2 b3 b4 g1 g2 g3 y5 y6 y7 y8", 4, True),  # as the 1 at the top
        ("r5 * * b1 b2 b3 b4 g1 g2 g3 y5 y6 y7 y8", 4, True),
        ("r5 r6 r7 r8 r5 r6 r7 r8 b5 b6 b7 b5 b6 b7", 4, True),  # the same run twice
        ("r1 r2 r3 r4 r5 b1 b2 b3 b4 b5 g7 g8 g9 g10", 4, False),  # five in a row, twice
        ("r1 r2 r3 r4 r5 b1 b2 b3 b4 b5 g7 g8 g9 g10", 5, True),
        ("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r1", 5, True),  # one run of fourteen
        ("r9 b9 g9 y9 r9 b9 g9 y9 r2 b2 g2 r3 b3 g3", 4, True),  # groups of one number twice
        ("r9 b9 g9 r9 b9 y9 r2 b2 g2 y2 r3 b3 g3 y3", 4, True),
        ("r9 r9 b9 g4 g5 g6 r2 b2 g2 y2 r3 b3 g3 y3", 4, False),  # no group with one colour twice
        ("r9 b9 * r4 r5 * b1 b2 b3 b4 g10 g11 g12 g13", 4, True),  # one joker each
        ("r9 b9 g9 r4 r5 r6 b1 b2 b3 b4 g10 g11 * *", 4, True),
        ("r9 b9 g9 y9 r4 b4 g4 y4 r6 b6 g6 y6 * *", 4, True),  # a tile of a four joins both jokers
        ("r1 r2 r2 r3 r3 * r4 r4 r5 b7 b8 b9 b10 b11", 4, True),  # 1234 2345 789 and 10 11 joker
        ("r1 r5 b9 b10 b11 g1 g2 g3 y5 y6 y7 y8 * *", 4, False),  # two lonely tiles, one joker each
        ("r1 r2 r3 r4 b1 b2 b3 b4 g1 g2 g3 y1 y2 y3 y4", 4, False),  # fifteen tiles
        ("r1 r2 r3 r4 b1 b2 b3 b4 g1 g2 g3", 4, False),
    ],
)
def test_finished_hands(text: str, longest_run: int, done: bool) -> None:
    assert bool(finished(longest_run)(hand(text))) == done


@pytest.mark.parametrize(
    ("text", "longest_run", "worth"),
    [
        ("r3 r4 r5", 4, 10),
        ("r3 r4 r5 r6", 4, 15),
        ("r3 r4 r5 r6 r7", 4, 15),
        ("r3 r4 r5 r6 r7", 5, 20),
        ("r3 r4 r5 r6 r7 r8", 5, 20),  # a run of 5 or two of 3
        ("r3 b3 g3 y3", 4, 15),
        ("r3 b3 g3 r4 r5", 4, 10),  # one tile cannot be in two sets
        ("r3 r3 b3 g3 r4 r5", 4, 20),
        ("r12 r13 r1 r2", 4, 10),
        ("r3 r4 * *", 4, 15),
        ("r3 * *", 4, 10),
        ("* *", 4, 0),
        ("r1 r2 r3 b1 b2 b3 g1 g2 g3 y1 y2 y3 r7 b7 g7", 4, 55),  # three groups of four, one of three
        ("r1 r2 r3 b4 b5 b6 g7 g8 g9 y10 y11 y12 r5 r6 r7", 4, 50),  # fifteen tiles in five sets
        ("", 4, 0),
    ],
)
def test_values_worked_by_hand(text: str, longest_run: int, worth: int) -> None:
    one = hand(text)
    laid = arranged(longest_run)(one)
    tiles = [decode(face) for face in np.repeat(np.arange(52), one[:52])]
    assert int(laid.value) == worth
    assert total(np.asarray(laid.faces), np.asarray(laid.wild), tiles, int(one[52]), longest_run) == worth


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("r1 r1 r5 r5 b2 b2 b9 b9 g1 g1 y7 y7 y8 y8", True),
        ("r1 r1 r5 r5 b2 b2 b9 b9 g1 g1 y7 y7 y8 *", True),
        ("r1 r1 r5 r5 b2 b2 b9 b9 g1 g1 y7 y7 * *", True),
        ("r1 r1 r5 r5 b2 b2 b9 b9 g1 g1 y7 * y8 *", True),
        ("r1 r1 r5 r5 b2 b2 b9 b9 g1 g1 y7 y7 y8 y9", False),
        ("r1 r1 r5 r5 b2 b2 b9 b9 g1 g2 y7 y9 * *", False),
        ("r1 r1 r5 r5 b2 b2 b9 b9 g1 g1 y7 y7", False),
    ],
)
def test_seven_pairs(text: str, done: bool) -> None:
    assert bool(FINISHED_BY_PAIRS(hand(text))) == done


def test_distances_worked_by_hand() -> None:
    finished_less_one = hand("r1 r2 r3 r4 b1 b2 b3 b4 g1 g2 g3 y1 y2 y9")
    fifteen = hand("r1 r2 r3 r4 b1 b2 b3 b4 g1 g2 g3 y1 y2 y3 y9")
    pairs = hand("r1 r1 r5 r5 b2 b2 b9 b9 g13 g13 y7 y7 y11 g6")
    batch = jnp.asarray(np.stack([finished_less_one, fifteen, pairs]))
    far = jax.jit(partial(melds.distances, longest_run=4), static_argnames="pairs")
    assert list(map(int, far(batch, pairs=False)))[:2] == [1, 0]
    assert list(map(int, far(batch, pairs=True))) == [1, 0, 1]


@pytest.mark.slow
def test_one_hand_a_batch_and_a_batch_of_batches_agree() -> None:
    _, batch = random_hands(5)
    some = batch[:24]
    for question in (partial(melds.finished_by_sets, longest_run=5), partial(melds.arrange, longest_run=5)):
        together = jax.jit(jax.vmap(question))(some)
        nested = jax.jit(jax.vmap(jax.vmap(question)))(some.reshape(4, 6, 53))
        one_by_one = jax.jit(partial(jax.lax.map, question))(some)
        for x, y, z in zip(*map(jax.tree.leaves, (together, nested, one_by_one)), strict=True):
            assert x.dtype == y.dtype == z.dtype
            assert (x == y.reshape(x.shape)).all()
            assert (x == z).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("score", "with_jokers"), [(groups.value, True), (groups.cover, False), (groups.finished, True)]
)
def test_a_lane_for_each_hand_finds_the_same(score: Any, with_jokers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What accelerators do instead of sharing lanes, also when only some of the hands matter."""
    _, batch = random_hands(4)
    found = []
    for free in (False, True):
        monkeypatch.setattr(groups, "lanes_are_free", lambda free=free: free)
        search = partial(groups.search, score=score(4), floor=0, count=300, with_jokers=with_jokers)
        found.append(jax.jit(search)(batch))
    np.testing.assert_array_equal(found[0][0][:300], found[1][0][:300])
    if score is groups.value:  # others only tell how good the best choice is
        np.testing.assert_array_equal(found[0][1][:300], found[1][1][:300])


def test_an_unknown_longest_run_is_refused() -> None:
    with pytest.raises(ValueError, match="longest_run is 6: expected 4 or 5"):
        melds.value(jnp.zeros(53, jnp.int8), longest_run=6)


@cache
def finished(longest_run: int) -> Any:
    return jax.jit(partial(melds.finished_by_sets, longest_run=longest_run))


@cache
def arranged(longest_run: int) -> Any:
    return jax.jit(partial(melds.arrange, longest_run=longest_run))
