"""Okey as the page is told of it: right, in order, and without anything that is hidden."""

import json
import timeit
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
import pytest

from ludens.arena.live_game import LiveGame
from ludens.games.okey import Okey
from ludens.games.okey.melds import finished_by_sets
from ludens.games.okey.text import TILES
from ludens.web.worker.presenters.okey import OkeyPresenter
from ludens.web.worker.presenters.okey_layout import in_pairs, in_sets
from ludens.web.worker.render import Scene

SHOWS = OkeyPresenter()
MATCH = Okey(2, match=20, show_indicator=True)
DRAW, TAKE, SHOW = 0, 1, 55
SETS = "r2 r3 r4 r5 b6 b7 b8 b9 g1 g2 g3 y9 y10 okey"
PAIRS = "r1 r1 r5 r5 b2 b2 b7 b7 g3 g3 y4 y4 y9 okey"
OTHER = "r6 r7 r8 b1 b3 b4 b12 g5 g6 g8 g11 y1 y5 y13"
THIRD = "r9 r10 r12 b5 b13 g4 g7 g9 y2 y3 y6 y7 y8 y11"
FOURTH = "r2 r11 r13 b9 b10 g1 g10 g12 g13 r8 y10 y12 y13 b1"


def discard(tile: str) -> int:
    return 2 + TILES.index(tile)


def plain(state: Any) -> Any:
    return jax.tree.map(np.asarray, state)


def look(table: LiveGame, seat: int | None, state: Any = None) -> Scene:
    """As the server lets a seat look: its view, or everything once the game is over."""
    state = table.state if state is None else state
    view = state if table.over else table.game.view(state, -1 if seat is None else seat)
    return Scene(
        game=table.game,
        view=plain(view),
        seat=seat,
        mover=table.mover,
        over=table.over,
        seed=table.seed,
        movers=list(table.movers),
        actions=list(table.actions),
    )


def play(table: LiveGame, action: int, seat: int | None) -> tuple[Scene, Scene, dict[str, Any], str]:
    before = look(table, seat)
    table.act(action)
    after = look(table, seat)
    return before, after, SHOWS.change(before, action, after), SHOWS.said(before, action, after)


def at(game: Okey, position: str) -> LiveGame:
    return LiveGame(game, seed=1, seating=range(game.players), start=game.read(position))


def names(tiles: Sequence[dict[str, Any]]) -> list[str]:
    return [tile["tile"] for tile in tiles]


def result(table: LiveGame, seat: int | None = 0) -> str:
    return SHOWS.result(look(table, seat), [float(x) for x in table.game.returns(table.state)])


# ---------------------------------------------------------------------- what is hidden stays hidden


@pytest.mark.parametrize(
    ("players", "seat"), [(2, 0), *(pytest.param(4, seat, marks=pytest.mark.slow) for seat in (0, 2, None))]
)
def test_two_states_that_differ_in_hidden_tiles_alone_look_the_same(players: int, seat: int | None) -> None:
    game = Okey(players)
    table = LiveGame(game, seed=4, seating=range(players))
    rng = np.random.default_rng(4)
    redeal = jax.jit(lambda s, seat, key: game.determinize(game.view(s, seat), key))
    legal = jax.jit(game.legal)
    differed = 0
    for ply in range(50):
        other = redeal(table.state, -1 if seat is None else seat, jax.random.key(ply))
        differed += not np.array_equal(other.hands, table.state.hands)
        ours, theirs = look(table, seat), look(table, seat, other)
        assert json.dumps(SHOWS.board(ours)) == json.dumps(SHOWS.board(theirs))
        assert SHOWS.notice(ours) == SHOWS.notice(theirs)
        actions = np.flatnonzero(np.asarray(legal(table.state))).tolist()
        assert [SHOWS.move(ours, a) for a in actions] == [SHOWS.move(theirs, a) for a in actions]
        table.act(int(rng.choice(actions)))
    assert differed > 40


def test_nobody_sees_another_hand_or_what_another_drew_before_the_end() -> None:
    table = LiveGame(Okey(2), seed=6, seating=range(2))
    rng = np.random.default_rng(6)
    drawn = Counter[bool]()
    for _ in range(60):
        scene = look(table, 1)
        board = SHOWS.board(scene)
        assert board["hands"] == [None, None]
        assert names(board["hand"]) == sorted(names(board["hand"]), key=TILES.index)
        assert Counter(names(board["hand"])) == Counter(
            {TILES[kind]: int(n) for kind, n in enumerate(table.state.hands[1]) if n}
        )
        assert board["sizes"] == np.asarray(table.game.hand_sizes(table.state)).tolist()
        actions = np.flatnonzero(np.asarray(table.game.legal(table.state)))
        mover, action = table.mover, int(rng.choice(actions))
        hand = np.asarray(table.state.hands[1])
        _, _, change, said = play(table, action, 1)
        if action == DRAW and mover == 1:
            assert change["drawn"]["tile"] == TILES[int(np.argmax(np.asarray(table.state.hands[1]) - hand))]
        else:
            assert change["drawn"] is None
        assert said.startswith(f"Seat {mover} ")
        drawn[mover == 1] += action == DRAW
        if table.over:
            break
    assert drawn[True] > 3
    assert drawn[False] > 3
    assert SHOWS.board(look(table, None))["hand"] is None


# ---------------------------------------------------------------------- piles


@pytest.mark.slow
def test_discards_lie_in_the_order_they_were_thrown_also_in_the_next_deal() -> None:
    table = LiveGame(MATCH, seed=2, seating=range(2))
    rng = np.random.default_rng(2)
    legal = jax.jit(MATCH.legal)
    piles: list[list[str]] = [[], []]
    deals, taken = 1, 0
    while deals < 3 and not table.over:
        actions = np.flatnonzero(np.asarray(legal(table.state))).tolist()
        mover, action = table.mover, DRAW if DRAW in actions and rng.random() < 0.8 else int(rng.choice(actions))
        name = table.act(action)
        if action == TAKE:
            piles[mover - 1].pop()
            taken += 1
        elif name.startswith("discard"):
            piles[mover].append(name.split()[1])
        if name.startswith("discard") and not np.asarray(table.state.discards).any():
            piles = [[], []]
            deals += 1
        assert [names(pile) for pile in SHOWS.board(look(table, 0))["discards"]] == piles
    assert deals == 3
    assert taken > 5


def test_tiles_of_a_given_position_lie_beneath_with_the_offer_on_top() -> None:
    game = Okey(2)
    table = at(game, f"indicator b10 turn 1 phase draw offer g2 hands {THIRD} / {OTHER} discards y1 g2 r3 / b4")
    board = SHOWS.board(look(table, 1))
    assert [names(pile) for pile in board["discards"]] == [["r3", "y1", "g2"], ["b4"]]
    assert board["offer"] == {"tile": "g2", "false": False}
    play(table, TAKE, 1)
    play(table, discard("b3"), 1)
    assert [names(pile) for pile in SHOWS.board(look(table, 0))["discards"]] == [["r3", "y1"], ["b4", "b3"]]
    assert names(SHOWS.board(look(table, 0))["known"][1]) == ["g2"]


# ---------------------------------------------------------------------- tiles, moves and words


def test_false_jokers_are_the_tiles_of_the_jokers_face() -> None:
    game = Okey(2)
    hand = "r1 r1 r2 r3 b4 b6 b8 g2 g9 y5 y8 y9 y13 okey okey"
    table = at(game, f"indicator r13 turn 0 phase discard hands {hand} / {OTHER}")
    board = SHOWS.board(look(table, 0))
    assert board["joker"] == "r1"
    assert board["indicator"] == {"tile": "r13", "false": False}
    assert [tile["tile"] for tile in board["hand"] if tile["false"]] == ["r1", "r1"]
    assert SHOWS.move(look(table, 0), discard("okey")) == {"kind": "discard", "tile": {"tile": "okey", "false": False}}
    *_, said = play(table, discard("r1"), 0)
    assert said == "Seat 0 discards a false joker (red 1)"
    assert SHOWS.move(look(table, 1), TAKE) == {"kind": "take", "tile": {"tile": "r1", "false": True}}
    assert SHOWS.move(look(table, 1), DRAW) == {"kind": "draw", "tile": None}
    *_, said = play(table, DRAW, 0)
    assert said == "Seat 1 draws from the centre"


@pytest.mark.slow
def test_the_indicators_twin_is_shown_by_who_has_it_and_noticed_by_nobody_else() -> None:
    hand = "r13 r1 r2 r3 b4 b6 b8 g2 g9 y5 y8 y9 y13 okey okey"
    text = f"indicator r13 turn 0 phase discard hands {hand} / {OTHER} scores 20 20 starter 0 first 2"
    table = at(MATCH, text)
    assert SHOWS.notice(look(table, 0)) == "Seat 0 holds red 13 like the indicator, and may show it for a point."
    assert SHOWS.notice(look(table, 1)) is None
    assert SHOWS.move(look(table, 0), SHOW) == {"kind": "show", "tile": {"tile": "r13", "false": False}}
    *_, said = play(table, SHOW, 1)
    assert said == "Seat 0 shows the twin of the indicator, red 13"
    assert SHOWS.board(look(table, 1))["scores"] == [19, 20]
    assert names(SHOWS.board(look(table, 1))["known"][0]) == ["r13"]


# ---------------------------------------------------------------------- the end


def test_a_finish_in_sets_lays_out_the_hand_and_opens_all() -> None:
    game = Okey(4)
    table = at(game, f"indicator b10 turn 0 phase discard hands {SETS} b2 / {OTHER} / {THIRD} / {FOURTH}")
    *_, said = play(table, discard("b2"), 3)
    assert said == "Seat 0 discards black 2 and finishes in sets (2 points)"
    assert result(table) == "Seat 0 finishes in sets (2 points)"
    board = SHOWS.board(look(table, 3))
    assert (board["phase"], board["winner"], board["worth"], board["pairs"]) == ("over", 0, 2, False)
    assert [" ".join(names(hand)) for hand in board["hands"]][1:] == [
        " ".join(sorted(hand.split(), key=TILES.index)) for hand in (OTHER, THIRD, FOURTH)
    ]
    sets = [[tile["tile"] + "*" * tile["wild"] for tile in each["tiles"]] for each in board["arrangement"]]
    assert sets == [["r2", "r3", "r4", "r5"], ["b6", "b7", "b8", "b9"], ["g1", "g2", "g3"], ["y9", "y10", "y11*"]] or (
        ["y8*", "y9", "y10"] in sets and len(sets) == 4
    )


def test_pairs_and_a_joker_thrown_last_count_eight() -> None:
    game = Okey(4)
    others = f"{OTHER} / {THIRD} / {FOURTH}".replace("r2 r11", "r4 r11")
    table = at(game, f"indicator b10 turn 0 phase discard hands {PAIRS} okey / {others}")
    *_, said = play(table, discard("okey"), 1)
    assert said == "Seat 0 discards the joker and finishes with pairs and a joker thrown last (8 points)"
    board = SHOWS.board(look(table, 0))
    assert board["pairs"] is True
    assert [len(each["tiles"]) for each in board["arrangement"]] == [2] * 7
    assert board["arrangement"][-1]["tiles"] == [
        {"tile": "y9", "false": False, "wild": False},
        {"tile": "y9", "false": False, "wild": True},
    ]


FOUR = f"indicator b10 turn 1 phase over hands {SETS} / {OTHER} / {THIRD} / {FOURTH} discards b2 / - / - / -"
TWO = f"indicator b10 turn 1 phase over hands {SETS} / {OTHER} discards b2 / -"


@pytest.mark.parametrize(
    ("game", "position", "expected"),
    [
        (Okey(4), f"{FOUR} winner 0 worth 2", "Seat 0 finishes in sets (2 points)"),
        (Okey(4, teams=True), f"{FOUR} winner 0 worth 2", "Seats 0 and 2 win: seat 0 finishes in sets (2 points)"),
        (
            Okey(2, match=20),
            f"{TWO} winner 0 worth 2 scores 0 9 starter 0",
            "Seat 0 wins the match: seat 0 finishes in sets (2 points); the scores are 0 to 9",
        ),
        (
            Okey(4, match=20, losers_drop=True),
            f"{FOUR} winner 0 worth 2 scores 7 0 7 3 starter 0",
            "Seats 0 and 2 share the win of the match: seat 0 finishes in sets (2 points);"
            " the scores are 7, 0, 7 and 3",
        ),
        (
            Okey(4, match=20, teams=True),
            f"{FOUR} winner 0 worth 2 scores -1 5 -1 5 starter 0",
            "Seats 0 and 2 win the match: seat 0 finishes in sets (2 points); the scores are -1, 5, -1 and 5",
        ),
    ],
)
def test_results_in_one_sentence(game: Okey, position: str, expected: str) -> None:
    state = game.read(position)
    scene = Scene(game, plain(state), 0, 1, True, 0, [0], [discard("b2")])
    assert SHOWS.result(scene, [float(x) for x in game.returns(state)]) == expected


def test_a_deal_that_does_not_end_the_match_is_told_and_the_next_begins() -> None:
    table = at(MATCH, f"indicator b10 turn 0 phase discard hands {SETS} b2 / {OTHER} scores 20 20 starter 0")
    _, _, change, said = play(table, discard("b2"), 1)
    assert change["deal"] == {"winner": 0, "worth": 2}
    assert said == "Seat 0 discards black 2 and finishes (2 points); a new deal, seat 1 begins"
    assert SHOWS.notice(look(table, 1)) == "A new deal: the scores are 18 to 20, and seat 1 begins."
    assert SHOWS.board(look(table, 1))["discards"] == [[], []]


def test_the_last_tile_and_the_draw_that_follows() -> None:
    game = Okey(2)
    held = Counter(f"{THIRD} r3 {OTHER} b10".split())
    rest = [tile for tile in TILES for _ in range(2 - held[tile])]
    lying = f"{' '.join(rest[:38])} / {' '.join(rest[38:])}"
    table = at(game, f"indicator b10 turn 0 phase discard hands {THIRD} r3 / {OTHER} discards {lying}")
    assert SHOWS.notice(look(table, 0)) == (
        "The centre is empty: a discard that does not finish ends the deal as a draw."
    )
    play(table, discard("r3"), 0)
    assert table.over
    assert result(table) == "A draw: the centre is empty, and nobody has finished"
    assert SHOWS.board(look(table, 0))["arrangement"] is None


# ---------------------------------------------------------------------- laying out


def hands_of_sets(rng: np.random.Generator, longest: int, count: int) -> list[tuple[int, ...]]:
    """Hands of 14 that are finished or, every other one, changed in one tile."""
    shapes = {4: [(3, 3, 4, 4)], 5: [(3, 3, 4, 4), (3, 3, 3, 5), (4, 5, 5)]}[longest]
    hands: list[tuple[int, ...]] = []
    while len(hands) < count:
        hand = [0] * 53
        for size in shapes[rng.integers(len(shapes))]:
            if size < 5 and rng.random() < 0.5:
                number = rng.integers(13)
                faces = [colour * 13 + number for colour in rng.permutation(4)[:size]]
            else:
                first, colour = rng.integers(15 - size), rng.integers(4)
                faces = [colour * 13 + (first + step) % 13 for step in range(size)]
            for face in faces:
                hand[face] += 1
        for _ in range(rng.integers(3)):
            hand[rng.choice([face for face in range(52) if hand[face]])] -= 1
            hand[52] += 1
        if len(hands) % 2:
            hand[rng.choice([face for face in range(52) if hand[face]])] -= 1
            hand[rng.integers(52)] += 1
        if max(hand) <= 2:
            hands.append(tuple(hand))
    return hands


@pytest.mark.slow
@pytest.mark.parametrize("longest", [4, 5])
def test_a_hand_is_laid_out_exactly_when_the_rules_call_it_finished(longest: int) -> None:
    hands = hands_of_sets(np.random.default_rng(longest), longest, 256)
    finished = jax.vmap(partial(finished_by_sets, longest_run=longest))(np.array(hands, np.int8))
    for hand, done in zip(hands, np.asarray(finished).tolist(), strict=True):
        sets = in_sets(hand, longest)
        assert (sets is not None) == done
        unlimited = in_sets(hand, 0)
        assert longest != 5 or (unlimited is not None) == done
        for laid, most in ((sets, longest), (unlimited, 14)):
            if laid is not None:
                assert_laid_out(laid, hand, most)
    assert 120 < finished.sum() < 256


def assert_laid_out(sets: Any, hand: tuple[int, ...], longest: int) -> None:
    used = Counter(52 if wild else face for each in sets for face, wild in each)
    assert used == Counter({kind: count for kind, count in enumerate(hand) if count})
    for each in sets:
        numbers, colours = [face % 13 for face, _ in each], [face // 13 for face, _ in each]
        group = len(set(numbers)) == 1 and len(set(colours)) == len(each) in (3, 4)
        in_a_row = [place % 13 for place in range(numbers[0], numbers[0] + len(each))] == numbers
        run = in_a_row and len(set(colours)) == 1 and 3 <= len(each) <= longest and numbers[0] + len(each) <= 14
        assert group or run, each


def test_pairs_need_a_joker_for_every_single_tile() -> None:
    counts = [0] * 53
    for face in (0, 5, 9, 20, 33):
        counts[face] = 2
    assert in_pairs((*counts[:51], 1, 1)) is None  # 12 tiles
    counts[40] = counts[41] = 1
    assert in_pairs((*counts[:52], 2)) == (
        *(((face, False), (face, False)) for face in (0, 5, 9, 20, 33)),
        ((40, False), (40, True)),
        ((41, False), (41, True)),
    )
    counts[41], counts[40] = 0, 2
    assert in_pairs((*counts[:52], 2)) is not None
    counts[41] = counts[42] = 1
    counts[33] = 1
    assert in_pairs((*counts[:52], 1)) is None


# ---------------------------------------------------------------------- speed


def test_board_and_moves_take_half_a_millisecond_at_most() -> None:
    game = Okey(4)
    table = LiveGame(game, seed=5, seating=range(4))
    rng = np.random.default_rng(5)
    legal = jax.jit(game.legal)
    while len(table.actions) < 90:
        table.act(int(rng.choice(np.flatnonzero(np.asarray(legal(table.state))))))
    scene = look(table, table.mover)
    actions = np.flatnonzero(np.asarray(legal(table.state))).tolist()

    def show() -> None:
        SHOWS.board(scene)
        for action in actions:
            SHOWS.move(scene, action)

    assert min(timeit.repeat(show, number=20, repeat=5)) / 20 < 0.5e-3
