"""Onitama: rule cases worked by hand, the slow reference over thousands of positions, perft, text."""

import random
from functools import cache

import jax
import numpy as np
import pytest

from ludens.core.game import legal_actions, pick
from ludens.core.playout import perft
from ludens.games.onitama import CARDS, EXAMPLE, NAMES, Onitama
from reference import onitama as slow

GAME = Onitama()
PAPER_CARDS = ("dragon", "elephant", "goose", "rooster", "monkey")
PAPER = Onitama(cards=PAPER_CARDS)
PAIRS = 1 << 15  # the one batch shape in which positions and acts are compared


def names(text):
    """The legal moves of a position by name."""
    s = GAME.read(text)
    return {GAME.name(a, s) for a in legal_actions(GAME, s)}


def after(text, *moves):
    """The position after some moves."""
    s = GAME.read(text)
    for move in moves:
        s = GAME.apply(s, GAME.parse(move, s))
    return s


# ---------------------------------------------------------------------- the reference


def wandering_positions(count, rng):
    """Positions as random play meets them, finished ones included."""
    found = []
    while len(found) < count:
        cards = rng.sample(NAMES, 5)
        position = slow.start(cards[:2], cards[2:4], cards[4])
        while len(found) < count:
            found.append(position)
            if position.winner or rng.random() < 0.01:
                break
            position = slow.play(position, rng.choice(sorted(slow.moves(position).values(), key=str)))
    return found


def scattered_positions(count, rng):
    """Positions nobody would play: few or many pieces anywhere, so that sides often cannot move."""
    found = []
    squares = [(file, rank) for file in range(5) for rank in range(5)]
    while len(found) < count:
        rng.shuffle(squares)
        kinds = [("blue", "master"), ("red", "master")]
        kinds += [("blue", "student")] * rng.randint(0, 4) + [("red", "student")] * rng.randint(0, 4)
        pieces = dict(zip(squares, kinds, strict=False))
        if any(pieces.get(slow.TEMPLE[slow.OTHER[side]]) == (side, "master") for side in slow.OTHER):
            continue
        cards = rng.sample(NAMES, 5)
        hands = {"blue": set(cards[:2]), "red": set(cards[2:4])}
        found.append(slow.Position(pieces, hands, cards[4], rng.choice(["blue", "red"])))
    return found


def walled_positions():
    """Five pieces in one file with cards that lead along it or aside: some of these sides cannot move."""
    for side, other in slow.OTHER.items():
        for file in range(5):
            for cards in (("tiger", "horse"), ("tiger", "ox"), ("horse", "ox")):
                for master in range(5):
                    pieces = {(file, rank): (side, "student") for rank in range(5)}
                    pieces[file, master] = (side, "master")
                    pieces[(file + 1) % 5, 2] = (other, "master")
                    if pieces.get(slow.TEMPLE[other]) != (side, "master"):
                        hands = {side: set(cards), other: {"eel", "crab"}}
                        yield slow.Position(pieces, hands, "boar", side)


@cache
def compiled():
    def facts(s, a):
        t = GAME.apply(s, a)
        return GAME.legal(s), GAME.player(s), GAME.done(s), GAME.returns(s), t, GAME.done(t), GAME.returns(t)

    return jax.jit(jax.vmap(facts))


def facts_of(states, actions):
    """What the engine says of a batch of pairs, padded to the one compiled shape."""
    fill = PAIRS - len(actions)
    assert fill >= 0
    padded = jax.tree.map(lambda x: np.concatenate([x, np.repeat(x[:1], fill, axis=0)]), (states, actions))
    return jax.tree.map(lambda x: np.asarray(x)[: len(actions)], compiled()(*padded))


def stacked(states):
    return jax.tree.map(lambda *x: np.stack([np.asarray(y) for y in x]), *states)


def result(winner):
    return [0, 0] if winner is None else [1, -1] if winner == "blue" else [-1, 1]


def test_engine_agrees_with_the_reference_on_thousands_of_positions():
    rng = random.Random(20)
    positions = wandering_positions(1200, rng) + scattered_positions(600, rng) + list(walled_positions())
    states = [GAME.read(position.text) for position in positions]
    hosts = [jax.tree.map(np.asarray, s) for s in states]
    legal, player, done, returns, *_ = facts_of(stacked(states), np.zeros(len(states), np.int32))

    pairs = []
    for i, position in enumerate(positions):
        assert GAME.show(hosts[i]) == position.text
        expected = slow.moves(position)
        named = {GAME.name(a, hosts[i]): int(a) for a in np.flatnonzero(legal[i])}
        assert len(named) == legal[i].sum(), position.text
        assert set(named) == set(expected), position.text
        assert ("blue", "red")[player[i]] == position.mover
        assert bool(done[i]) == (position.winner is not None)
        assert returns[i].tolist() == result(position.winner)
        pairs += [(i, action, slow.play(position, expected[name])) for name, action in named.items()]
    assert sum(name.endswith("pass") for position in positions for name in slow.moves(position)) >= 40
    assert sum(position.winner is not None for position in positions) > 20

    rows = np.array([i for i, _, _ in pairs])
    before = jax.tree.map(lambda x: x[rows], stacked(states))
    actions = np.array([action for _, action, _ in pairs], np.int32)
    _, _, _, _, moved, over, outcome = facts_of(before, actions)
    wins = 0
    for n, (_, _, follow) in enumerate(pairs):
        t = type(moved)(*(x[n] for x in moved))
        assert GAME.show(t) == follow.text
        assert bool(over[n]) == (follow.winner is not None)
        assert outcome[n].tolist() == result(follow.winner)
        wins += follow.winner is not None
        if n % 40 == 0:
            read = GAME.read(follow.text)
            assert all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in zip(read, t, strict=True))
    assert wins > 100


@pytest.mark.parametrize(
    ("cards", "counts"),
    [
        ("blue ox,boar red horse,elephant side crab", [10, 130, 1989, 28509, 487780]),
        ("blue goose,dragon red mantis,eel side crane", [10, 120, 1272, 16445, 211643]),
    ],
)
def test_perft_of_independent_programs(cards, counts):
    text = f"rrRrr/5/5/5/bbBbb {cards} turn blue"
    assert perft(GAME, GAME.read(text), 5) == counts


def test_perft_of_the_reference():
    assert slow.leaves(slow.start(("ox", "boar"), ("horse", "elephant"), "crab"), 3) == 1989
    red_starts = slow.start(("ox", "tiger"), ("horse", "eel"), "dragon")
    assert red_starts.mover == "red"
    assert perft(GAME, GAME.read(red_starts.text), 3) == [slow.leaves(red_starts, depth) for depth in (1, 2, 3)]


# ---------------------------------------------------------------------- cards and the deal


def test_cards_are_those_of_the_rules_and_no_two_look_alike():
    assert {name: (stamp, set(offsets)) for name, (stamp, offsets) in CARDS.items()} == {
        name: (slow.STAMP[name], slow.OFFSETS[name]) for name in slow.OFFSETS
    }
    assert len({frozenset(offsets) for _, offsets in CARDS.values()}) == 16
    assert [name for name in NAMES if name in PAPER_CARDS] == list(PAPER_CARDS)


def test_deal_is_fair_and_the_stamp_decides_who_starts():
    s = jax.tree.map(np.asarray, jax.jit(jax.vmap(GAME.init))(jax.random.split(jax.random.key(3), 16_000)))
    dealt = np.concatenate([s.own_cards, s.opp_cards, s.side_card[:, None]], axis=1)
    assert (np.diff(np.sort(dealt, axis=1), axis=1) > 0).all()
    assert (s.own_cards[:, 0] < s.own_cards[:, 1]).all()
    assert (s.opp_cards[:, 0] < s.opp_cards[:, 1]).all()
    stamps = np.array([stamp == "red" for stamp, _ in CARDS.values()])
    assert (s.turn == stamps[s.side_card]).all()
    for cards, mean in ((s.own_cards, 2000), (s.opp_cards, 2000), (s.side_card, 1000)):
        assert np.abs(np.bincount(cards.ravel(), minlength=16) - mean).max() < 6 * mean**0.5
    together = np.zeros((16, 16), int)
    np.add.at(together, (s.own_cards, s.side_card[:, None]), 1)
    assert np.abs(together + 2000 / 15 * np.eye(16) - 2000 / 15).max() < 6 * (2000 / 15) ** 0.5


def test_five_cards_are_dealt_to_the_five_places():
    s = jax.tree.map(np.asarray, jax.jit(jax.vmap(PAPER.init))(jax.random.split(jax.random.key(4), 6000)))
    dealt = np.concatenate([s.own_cards, s.opp_cards, s.side_card[:, None]], axis=1)
    assert (np.sort(dealt, axis=1) == [NAMES.index(card) for card in PAPER_CARDS]).all()
    deals, counts = np.unique(dealt, axis=0, return_counts=True)
    assert len(deals) == 30
    assert np.abs(counts - 200).max() < 6 * 200**0.5


def test_the_start():
    s = PAPER.init(jax.random.key(0))
    assert PAPER.show(s).startswith("rrRrr/5/5/5/bbBbb blue ")
    assert not PAPER.done(s)
    assert PAPER.returns(s).tolist() == [0, 0]


def test_cards_may_be_a_list_and_keep_their_order():
    game = Onitama(cards=["ox", "boar", "horse", "tiger", "crab"])
    assert game.cards == ("ox", "boar", "horse", "tiger", "crab")
    assert hash(game) == hash(Onitama(cards=("ox", "boar", "horse", "tiger", "crab")))


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        (
            ("ox", "boar", "horse", "wolf", "crab"),
            r"^cards is 'ox,boar,horse,wolf,crab' in onitama: expected a list of names out of tiger, .*cobra$",
        ),
        (5, r"^cards is 5 in onitama: expected a list of names out of tiger"),
        ("dragon", r"^cards is 'dragon' in onitama: expected a list of names out of tiger"),
        (("ox", "boar"), r"^onitama needs five cards, not 2: expected five names or none$"),
        (("ox", "boar", "horse", "tiger", "crab", "eel"), r"^onitama needs five cards, not 6"),
        (
            ("ox", "boar", "horse", "ox", "crab"),
            r"^the card 'ox' is named twice: expected five different cards$",
        ),
    ],
)
def test_wrong_cards_are_refused(cards, sentence):
    with pytest.raises(ValueError, match=sentence):
        Onitama(cards=cards)


@pytest.mark.slow
def test_random_games_have_about_as_many_moves_as_the_paper_saw_and_one_winner():
    def turn(s, noise):
        choices = jax.vmap(PAPER.legal)(s)
        return jax.vmap(PAPER.apply)(s, jax.vmap(pick)(choices, noise)), choices.sum(axis=1)

    s = jax.jit(jax.vmap(PAPER.init))(jax.random.split(jax.random.key(5), 256))
    noise = jax.random.bits(jax.random.key(6), (200, 256))
    ends, counts = jax.jit(lambda *x: jax.lax.scan(turn, *x))(s, noise)
    counts = np.asarray(counts)
    assert 12 < counts[counts > 0].mean() < 20  # the paper's games: 14.25; random play is more open
    over, returns = np.asarray(jax.vmap(PAPER.done)(ends)), np.asarray(jax.vmap(PAPER.returns)(ends))
    assert over.mean() > 0.95
    assert ((counts > 0)[1:] <= (counts > 0)[:-1]).all()  # over is over
    assert (returns.sum(axis=1) == 0).all()
    assert (np.abs(returns).max(axis=1) == over).all()


# ---------------------------------------------------------------------- rule cases worked by hand


def test_opening_moves_and_the_swap_of_cards():
    start = "rrRrr/5/5/5/bbBbb blue ox,boar red horse,elephant side crab turn blue"
    assert names(start) == {f"{card} {file}1{file}2" for card in ("ox", "boar") for file in "abcde"}
    moved = "rrRrr/5/5/b4/1bBbb blue crab,ox red elephant,horse side boar turn red"
    assert GAME.show(after(start, "boar a1a2")) == moved
    assert GAME.show(after(start, "ox e1e2", "elephant c5d4", "crab e2c2")) == (
        "rr1rr/3R1/5/2b2/bbBb1 blue elephant,boar red horse,ox side crab turn red"
    )


def test_cards_are_turned_for_red():
    assert names("4R/5/2r2/5/B4 blue ox,boar red frog,crane side crab turn red") == {
        "frog c3e3",
        "frog c3d2",
        "frog c3b4",
        "crane c3c2",
        "crane c3b4",
        "crane c3d4",
        "crane e5e4",
    }
    assert names("R4/5/2b2/5/B4 blue frog,crane red ox,boar side crab turn blue") == {
        "frog c3a3",
        "frog c3b4",
        "frog c3d2",
        "crane c3c4",
        "crane c3b2",
        "crane c3d2",
        "crane a1a2",
    }


def test_own_pieces_block_and_opposing_ones_are_captured():
    text = "4R/5/1rb2/2b2/B4 blue tiger,boar red frog,crane side crab turn blue"
    assert names(text) == {
        "tiger a1a3",
        "tiger c2c4",
        "tiger c3c5",
        "tiger c2c1",
        "boar a1a2",
        "boar a1b1",
        "boar c2b2",
        "boar c2d2",
        "boar c3c4",
        "boar c3b3",
        "boar c3d3",
    }
    taken = "4R/5/1b3/2b2/B4 blue tiger,crab red frog,crane side boar turn red"
    assert GAME.show(after(text, "boar c3b3")) == taken


def test_capturing_the_master_wins_and_the_card_is_not_swapped():
    end = after("5/5/2R2/2b2/B4 blue tiger,boar red frog,crane side crab turn blue", "boar c2c3")
    assert GAME.show(end) == "5/5/2b2/5/B4 blue tiger,boar red frog,crane side crab turn red"
    assert bool(GAME.done(end))
    assert GAME.returns(end).tolist() == [1, -1]
    assert not GAME.legal(end).any()
    assert all((x == y).all() for x, y in zip(end, GAME.apply(end, 200), strict=True))


def test_reaching_the_temple_wins_for_the_master_only():
    text = "4B/5/5/2r2/1R3 blue tiger,boar red elephant,crab side crane turn red"
    assert not GAME.done(after(text, "crab c2c1"))
    end = after(text, "elephant b1c1")
    assert bool(GAME.done(end))
    assert GAME.returns(end).tolist() == [-1, 1]
    own_temple = "4R/5/5/5/1B3 blue tiger,boar red frog,crab side crane turn blue"
    assert not GAME.done(after(own_temple, "boar b1c1"))


def test_both_ways_to_win_at_once():
    end = after("2R2/2B2/5/5/5 blue tiger,boar red frog,crab side crane turn blue", "boar c4c5")
    assert GAME.returns(end).tolist() == [1, -1]
    assert GAME.show(end) == "2B2/5/5/5/5 blue tiger,boar red frog,crab side crane turn red"


def test_who_cannot_move_a_piece_passes_by_swapping_a_card():
    text = "b3R/b4/b4/b4/B4 blue tiger,horse red frog,crab side boar turn blue"
    assert names(text) == {"tiger pass", "horse pass"}
    kept_horse = "b3R/b4/b4/b4/B4 blue horse,boar red frog,crab side tiger turn red"
    assert GAME.show(after(text, "tiger pass")) == kept_horse
    kept_tiger = "b3R/b4/b4/b4/B4 blue tiger,boar red frog,crab side horse turn red"
    assert GAME.show(after(text, "Horse  PASS")) == kept_tiger
    with pytest.raises(ValueError, match=r"^'frog pass' is not a legal move in onitama: expected a card and two"):
        GAME.parse("frog pass", GAME.read(kept_tiger))


# ---------------------------------------------------------------------- observation


def plane(*squares):
    """A plane with these (row, col) set."""
    return [[(row, col) in squares for col in range(5)] for row in range(5)]


def test_observation_of_both_seats():
    s = GAME.read("R4/1r3/5/5/3bB blue tiger,dragon red frog,crane side ox turn red")
    red = np.asarray(GAME.observe(s))
    assert red.shape == (9, 5, 5)
    assert red.dtype == bool
    expected = [
        plane((1, 3)),
        plane((0, 4)),
        plane((4, 1)),
        plane((4, 0)),
        plane((2, 0), (3, 1), (1, 3)),  # frog
        plane((3, 2), (1, 1), (1, 3)),  # crane
        plane((0, 2), (3, 2)),  # tiger, turned
        plane((1, 4), (1, 0), (3, 3), (3, 1)),  # dragon, turned
        plane((3, 2), (2, 3), (1, 2)),  # ox
    ]
    assert red.tolist() == expected
    assert (np.asarray(GAME.observe(s, 1)) == red).all()
    blue = np.asarray(GAME.observe(s, 0))
    same_with_blue = GAME.read("R4/1r3/5/5/3bB blue tiger,dragon red frog,crane side ox turn blue")
    assert (np.asarray(GAME.observe(same_with_blue)) == blue).all()
    assert (np.asarray(GAME.observe(same_with_blue, 1)) == red).all()
    assert not (blue == red).all()


# ---------------------------------------------------------------------- text


def test_text_is_easy_to_type():
    typed = "  rrRrr / 5/5 /113/ bbBbb  Blue OX, Boar RED elephant horse  side Crab Turn BLUE "
    assert GAME.show(GAME.read(typed)) == EXAMPLE
    s = GAME.read(EXAMPLE)
    assert GAME.name(GAME.parse(" BOAR  A1a2 ", s), s) == "boar a1a2"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (" turn blue", "", r"is not a position of onitama: expected one such as 'rrRrr/5/5/5/bbBbb blue ox"),
        ("ox,boar", "ox", r"is not a position of onitama: expected one such as"),
        (EXAMPLE, "", r"^'' is not a position of onitama: expected one such as"),
        ("turn blue", "turn green", r"^'green' cannot be to move: expected blue or red$"),
        (
            "/5/5/5/",
            "/5/5/",
            r"^the board 'rrRrr/5/5/bbBbb' has 4 ranks: expected 5, from rank 5 down to rank 1$",
        ),
        ("/5/5/5/", "/5/5/5/5/", r"has 6 ranks: expected 5"),
        ("/5/5/5/", "/5/4/5/", r"^rank 3 '4' has 4 squares: expected 5$"),
        ("/5/5/5/", "/5//5/", r"^rank 3 '' has 0 squares: expected 5$"),
        ("/5/5/5/", "/5/51/5/", r"^rank 3 '51' has 6 squares: expected 5$"),
        ("bbBbb", "bbKbb", r"^'K' on rank 1 is no piece: expected b, B, r, R or digits 1-5$"),
        ("/5/5/5/", "/5/6/5/", r"^'6' on rank 3 is no piece"),
        ("/5/5/5/", "/5/٥/5/", r"^'٥' on rank 3 is no piece"),
        ("/5/5/5/", "/5/4b/5/", r"^blue has 5 students: expected at most 4$"),
        ("rrRrr", "rrRRr", r"^red has 2 masters: expected one$"),
        (
            "rrRrr/5/5/5/bbBbb",
            "rr1rr/5/5/5/bb1bb",
            r"^both sides have won on this board: expected one winner or none$",
        ),
        ("rrRrr/5/5/5/bbBbb", "rrBrr/5/5/5/bbRbb", r"^both sides have won on this board"),
        ("rrRrr", "rr1rr", r"^blue has won and cannot be to move: expected turn red$"),
        ("ox,boar", "ox,wolf", r"^'wolf' is not a card in play: expected one of tiger, dragon, .*, cobra$"),
        ("ox,boar", "ox,crab", r"^the card 'crab' is named twice: expected five different cards$"),
    ],
)
def test_malformed_positions_are_refused(old, new, sentence):
    with pytest.raises(ValueError, match=sentence):
        GAME.read(EXAMPLE.replace(old, new))


def test_red_who_has_won_is_not_to_move():
    text = "5/5/5/4B/2R2 blue ox,boar red elephant,horse side crab turn"
    with pytest.raises(ValueError, match=r"^red has won and cannot be to move: expected turn blue$"):
        GAME.read(f"{text} red")
    end = GAME.read(f"{text} blue")
    assert GAME.returns(end).tolist() == [-1, 1]
    assert GAME.show(end) == f"{text} blue"


def test_positions_of_five_cards_refuse_the_others():
    with pytest.raises(ValueError, match=r"^'ox' is not a card in play: expected one of dragon, elephant, goose, roo"):
        PAPER.read(EXAMPLE)
    text = "rrRrr/5/5/5/bbBbb blue dragon,goose red elephant,monkey side rooster turn red"
    assert PAPER.show(PAPER.read(text)) == text


def test_an_action_that_leads_nowhere_has_no_name():
    s = GAME.read(EXAMPLE)
    for action in (3, 2):  # ox has three offsets; the third leads back from a1
        with pytest.raises(ValueError, match=r"has no name: expected a move of ox that stays on the board"):
            GAME.name(action, s)
    assert GAME.rejection("boar a1a3", s).startswith("'boar a1a3' is not a legal move in onitama: expected a card")
