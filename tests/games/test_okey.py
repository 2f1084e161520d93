"""Okey against a plain Python table, hand-worked finishes and scores, and what each seat may know."""

from collections import Counter
from functools import cache
from random import Random

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import legal_actions, settle
from ludens.games.okey import DISCARD, DRAW, FATE, OVER, Okey, State
from ludens.games.okey.text import TILES
from reference.okey import FACES, Table, all_in_pairs, all_in_sets, box, joker_face
from variants import slow_but

GAMES = 20
INDEX = {tile: kind for kind, tile in enumerate(TILES)}
TOGETHER = [
    Okey(),
    Okey(players=3),
    Okey(players=4, teams=True, longest_run=5),
    Okey(players=2, match=6, pairs=True, joker_finish=True, show_indicator=True),
    Okey(players=4, match=9, losers_drop=True, show_indicator=True),
    Okey(players=4, match=8, teams=True, show_indicator=True),
]


def table_for(game: Okey) -> Table:
    return Table(
        game.players,
        game.longest_run,
        game.pairs,
        game.joker_finish,
        game.teams,
        game.match,
        game.losers_drop,
        game.show_indicator,
    )


def counts(tiles) -> np.ndarray:
    return np.bincount([INDEX[tile] for tile in tiles], minlength=53).astype(np.int8)


def deal_order(rng: Random, players: int, nearly: bool) -> tuple[str, list[str]]:
    """An indicator and the tiles in the order they are dealt; with `nearly`, hands close to being finished."""
    indicator = rng.choice(FACES)
    pool = box(indicator)
    rng.shuffle(pool)
    order = []
    if not nearly:
        return indicator, pool[: 14 * players + 1]
    for seat in range(players):
        hand = nearly_finished(rng, pool)
        order += hand
        if seat == 0:
            extra = rng.choice(["okey", indicator, pool[0]])
            order.append(extra if extra in pool else pool[0])
            pool.remove(order[-1])
    return indicator, order


def nearly_finished(rng: Random, pool: list[str]) -> list[str]:
    """14 tiles out of the pool: sets or pairs, in most hands one tile exchanged."""
    hand: list[str] = []

    def take(tiles: list[str]) -> None:
        """These tiles, or jokers for some that are missing, if they can be had."""
        wanted = ["okey" if tile not in pool or rng.random() < 0.05 else tile for tile in tiles]
        if not Counter(wanted) - Counter(pool):
            for tile in wanted:
                pool.remove(tile)
                hand.append(tile)

    by_pairs = rng.random() < 0.3
    for _ in range(400):
        room = 14 - len(hand)
        number, colours = rng.randrange(1, 14), rng.sample("rbgy", 4)
        if by_pairs:
            take([colours[0] + str(number)] * 2)
        elif room in (3, 4, 5) or room >= 6:
            length = rng.choice([3, 4]) if room > 7 else {7: 3, 6: 3}.get(room, room)
            if rng.random() < 0.4 and length < 5:
                take([colour + str(number) for colour in colours[:length]])
            elif number + length <= 15:
                take([colours[0] + str((number + i - 1) % 13 + 1) for i in range(length)])
        if len(hand) == 14:
            break
    while len(hand) < 14:
        hand.append(pool.pop())
    if rng.random() < 0.7:
        given = hand.pop(rng.randrange(14))
        hand.append(pool.pop(rng.randrange(len(pool))))
        pool.insert(rng.randrange(len(pool)), given)
    rng.shuffle(hand)
    return hand


def set_up(game: Okey, indicator: str, hands: list[list[str]]) -> State:
    """The position right after this deal, seat 0 to discard."""
    s = game.cleared(jnp.int32(0), jnp.full(game.players, game.match, jnp.int32))
    return s._replace(
        hands=jnp.array([counts(hand) for hand in hands]),
        indicator=jnp.int32(FACES.index(indicator)),
        left=jnp.int32(104 - 14 * game.players),
        phase=jnp.int32(DISCARD),
    )


NAMES = ["draw", "take", *("discard " + tile for tile in TILES), "show"]


def choose(rng: Random, table: Table) -> str:
    """Finish if possible, mostly; else throw what was just drawn, or anything; show the twin mostly."""
    moves = sorted(table.moves())
    if "show" in moves and rng.random() < 0.8:
        return "show"
    if table.stage == "draw":
        return "draw" if rng.random() < 0.85 else "take"
    hand = table.hands[table.turn]
    if rng.random() < 0.9:
        for tile in dict.fromkeys(hand):
            rest = list(hand)
            rest.remove(tile)
            if table.finish(rest, tile):
                return "discard " + tile
    return "discard " + (hand[-1] if rng.random() < 0.7 else rng.choice(hand))


def facts(table: Table) -> dict:
    """The table in the engine's terms."""
    outcomes, moves = table.outcomes(), table.moves()
    return {
        "hands": [counts(hand) for hand in table.hands],
        "known": [counts(tiles) for tiles in table.public],
        "discards": [counts(pile) for pile in table.piles],
        "indicator": INDEX[table.indicator] if table.indicator else -1,
        "left": len(table.centre),
        "turn": table.turn,
        "phase": ["draw", "fate", "discard", "deal", "over"].index(table.stage),
        "offer": INDEX[table.offer] if table.offer else -1,
        "winner": -1 if table.winner is None else table.winner,
        "worth": table.worth,
        "scores": table.scores,
        "starter": table.starter,
        "first": table.has_thrown.count(False) if table.gosterge else 0,
        "legal": [name in moves for name in NAMES[: 55 + table.gosterge]],
        "chance": [float(outcomes.get(tile, 0)) for tile in TILES],
        "done": table.stage == "over",
        "returns": [float(x) for x in table.result()],
        "unseen": counts(table.centre) if table.indicator else np.full(53, 2),
        "sizes": [len(hand) for hand in table.hands],
    }


@pytest.mark.parametrize("game", slow_but(TOGETHER), ids=str)
def test_plays_like_the_reference(game: Okey) -> None:
    """Games side by side: moves, outcomes, scores, results and every tile agree in thousands of positions."""
    rng = Random(7)
    tables, states = [], []
    for _ in range(GAMES):
        indicator, order = deal_order(rng, game.players, nearly=len(tables) % 3 > 0)
        hands = [order[:15], *(order[15 + 14 * i : 29 + 14 * i] for i in range(game.players - 1))]
        tables.append(table_for(game))
        tables[-1].deal(indicator, hands)
        states.append(set_up(game, indicator, hands))
    s = jax.tree.map(lambda *xs: jnp.stack(xs), *states)
    scripts: list[list[str]] = [[] for _ in tables]

    @jax.jit
    @jax.vmap
    def ask(s):
        names = ("legal", "chance", "done", "returns", "unseen")
        answers = {name: getattr(game, name)(s) for name in names}
        return s._asdict() | answers | {"sizes": game.hand_sizes(s)}

    @jax.jit
    @jax.vmap
    def act(s, a, c):
        due = game.chance(s).sum() > 0
        return jax.tree.map(lambda x, y: jnp.where(due, x, y), game.roll(s, c), game.apply(s, a))

    events: Counter[str] = Counter()
    expected = [facts(table) for table in tables]
    for turn in range(300):
        expected = [before if before["done"] else facts(table) for before, table in zip(expected, tables, strict=True)]
        for name, answer in ask(s).items():
            np.testing.assert_allclose(answer, [fact[name] for fact in expected], rtol=1e-6, err_msg=name)
        if turn % 10 == 9:
            some = jax.tree.map(lambda x, row=turn // 10 % GAMES: x[row], s)
            for seen in (some, game.view(some, turn // 10 % game.players)):
                chex.assert_trees_all_equal(game.read(game.show(seen)), seen)
        acts, outcomes = np.zeros(GAMES, np.int32), np.zeros(GAMES, np.int32)
        for i, table in enumerate(tables):
            if table.outcomes():
                if table.indicator is None:
                    indicator, order = deal_order(rng, game.players, nearly=True)
                    scripts[i] = [indicator, *order]
                tile = scripts[i].pop(0) if table.stage == "deal" else rng.choice(table.centre)
                outcomes[i] = INDEX[tile]
                table.fate(tile)
            elif table.moves():
                move = choose(rng, table)
                last = not table.centre
                acts[i] = NAMES.index(move)
                table.play(move)
                events["show"] += move == "show"
                events["won"] += table.stage == "over" and table.winner is not None
                events["drawn"] += last and table.winner is None and table.stage in ("over", "deal")
                events["next deal"] += table.stage == "deal"
            events["positions"] += table.stage != "over"
        s = act(s, jnp.array(acts), jnp.array(outcomes))
    assert events["positions"] > 1000
    assert min(events["won"], events["drawn"]) >= 4
    assert (events["next deal"] > 20) == (game.match > 0)
    assert (events["show"] > 2) == game.show_indicator


# ---------------------------------------------------------------------- worked by hand

SETS = "r1 r2 r3 r4 b5 b6 b7 g9 b9 y9 y11 y12 y13 y1"
"""Finished: a run of four, a run, a group, and a run that ends with 1 after 13."""


def position(game: Okey, mine: str, other: str = "", indicator: str = "g5", **parts: str) -> State:
    """Seat 0 to discard with these tiles; seat 1 holds `other`, and hands are filled with tiles that match little."""
    left = Counter(box(indicator)) - Counter(mine.split()) - Counter(other.split())
    pool = sorted(left.elements(), key=INDEX.__getitem__)
    others = [pool[i::6][:14] for i in range(game.players - 1)]
    others[0] = [*other.split(), *others[0]][:14]
    hands = " / ".join([mine, *(" ".join(hand) for hand in others)])
    extra = " ".join(f"{label} {text}" for label, text in parts.items())
    return game.read(f"indicator {indicator} turn 0 phase discard hands {hands} {extra}")


def play(game: Okey, s: State, *moves: str) -> State:
    for move in moves:
        s = game.apply(s, game.parse(move, s))
    return s


@pytest.mark.parametrize(
    ("game", "hand", "move", "points"),
    [
        (Okey(), SETS + " r13", "r13", [-2, 0]),
        (Okey(), SETS + " okey", "okey", [-2, 0]),
        (Okey(joker_finish=True), SETS + " okey", "okey", [-4, 0]),
        (Okey(losers_drop=True), SETS + " r13", "r13", [0, -2]),
        (Okey(), SETS.replace("b6", "okey").replace("y12", "okey") + " r13", "r13", [-2, 0]),
        (Okey(), SETS.replace("y11", "y2") + " r13", "r13", [0, 0]),
        (Okey(), "r1 r2 r3 r4 r5 b5 b6 b7 g9 b9 y9 y11 y12 y13 g1", "g1", [0, 0]),
        (Okey(longest_run=5), "r1 r2 r3 r4 r5 b5 b6 b7 g9 b9 y9 y11 y12 y13 g1", "g1", [-2, 0]),
        (Okey(longest_run=0), "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r1 g1", "g1", [-2, 0]),
        (Okey(), "r1 r1 r2 r2 r5 r5 b7 b7 g9 g9 y3 y3 y5 okey g1", "g1", [0, 0]),
        (Okey(players=4), "r1 r1 r2 r2 r5 r5 b7 b7 g9 g9 y3 y3 y5 okey g1", "g1", [-4, 0, 0, 0]),
        (Okey(players=4), "r1 r1 r2 r2 r5 r5 b7 b7 g9 g9 y3 y3 y5 okey okey", "okey", [-8, 0, 0, 0]),
        (Okey(players=4, losers_drop=True), SETS + " okey", "okey", [0, -4, -4, -4]),
        (Okey(players=4, teams=True), SETS + " r13", "r13", [-2, 0, -2, 0]),
        (Okey(players=4, teams=True, losers_drop=True), SETS + " r13", "r13", [0, -2, 0, -2]),
        (Okey(players=3), SETS + " false", "false", [-2, 0, 0]),
    ],
)
def test_finishes_and_points(game: Okey, hand: str, move: str, points: list[int]) -> None:
    t = play(game, position(game, hand.replace("false", "g6")), move)
    np.testing.assert_array_equal(game.points(t), points)
    assert bool(game.done(t)) == any(points)
    if any(points):
        wins = np.array([seat == 0 or (game.teams and seat == 2) for seat in range(game.players)])
        loss = -1 if game.teams else -1 / (game.players - 1)
        np.testing.assert_allclose(game.returns(t), np.where(wins, 1, loss), rtol=1e-6)
        np.testing.assert_array_equal(t.known[0], t.hands[0])
        assert not game.legal(t).any()
        chex.assert_trees_all_equal(game.read(game.show(t)), t)


def test_the_discard_after_the_last_tile_ends_the_deal() -> None:
    game = Okey(players=2)
    s = game.init(jax.random.key(4))
    rest = np.asarray(game.unseen(s))
    thrown = " ".join(tile for tile, n in zip(TILES, rest, strict=True) for _ in range(n)).split()
    text = game.show(s).split(" discards")[0]
    # Everything but one tile of the centre has been thrown, half by each seat.
    text += f" discards {' '.join(thrown[:37])} / {' '.join(thrown[37:75])} centre 1"
    s = game.read(text)
    move = game.name(legal_actions(game, s)[0], s)
    s = play(game, s, move, "draw")
    assert game.chance(s)[INDEX[thrown[75]]] == 1
    s = game.roll(s, INDEX[thrown[75]])
    assert (int(s.left), int(s.phase)) == (0, DISCARD)
    s = game.apply(s, legal_actions(game, s)[0])
    assert int(s.phase) == OVER
    np.testing.assert_array_equal(game.returns(s), [0, 0])
    np.testing.assert_array_equal(game.points(s), [0, 0])
    assert not game.legal(s).any()
    chex.assert_trees_all_equal(game.read(game.show(s)), s)


def test_only_the_last_discard_can_be_taken() -> None:
    game = Okey(players=3)
    s = play(game, position(game, SETS.replace("y13 y1", "y13 r13") + " b1"), "b1")
    assert (int(s.turn), int(s.phase), TILES[int(s.offer)]) == (1, DRAW, "b1")
    taken = play(game, s, "take")
    assert int(taken.known[1, INDEX["b1"]]) == 1
    assert int(taken.discards.sum()) == 0
    assert int(taken.left) == int(s.left)
    drawn = game.roll(play(game, s, "draw"), INDEX["y8"])
    assert int(drawn.discards[0, INDEX["b1"]]) == 1
    t = play(game, drawn, "y8")
    assert (int(t.turn), TILES[int(t.offer)]) == (2, "y8")


def test_a_known_tile_is_forgotten_when_its_equal_is_thrown() -> None:
    """Two equal tiles cannot be told apart, so whoever throws one may still hold the other, or not."""
    game = Okey()
    s = position(game, "r1 b1 b2 b3 b4 b6 g1 g2 g3 y2 y4 y6 y8 y10 y12", other="b1")
    s = play(game, s, "b1", "take")
    assert [int(s.known[1, INDEX["b1"]]), int(s.hands[1, INDEX["b1"]])] == [1, 2]
    s = play(game, s, "b1")
    assert [int(s.known[1, INDEX["b1"]]), int(s.hands[1, INDEX["b1"]])] == [0, 1]


def test_showing_the_twin() -> None:
    game = Okey(players=4, match=20, losers_drop=True, show_indicator=True)
    hand = SETS.replace("y13 y1", "y13 g5") + " r13"
    s = position(game, hand, scores="20 3 1 4", starter="0", first="4")
    t = play(game, s, "show")
    np.testing.assert_array_equal(t.scores, [20, 2, 0, 3])
    assert bool(game.done(t)), "somebody is at 0"
    np.testing.assert_allclose(game.returns(t), [1, -1 / 3, -1 / 3, -1 / 3], rtol=1e-6)
    chex.assert_trees_all_equal(game.read(game.show(t)), t)
    s = position(game, hand, scores="20 3 2 4", starter="0", first="4")
    t = play(game, s, "show")
    np.testing.assert_array_equal(t.scores, [20, 2, 1, 3])
    assert (int(t.turn), int(t.phase), int(t.known[0, INDEX["g5"]])) == (0, DISCARD, 1)
    with pytest.raises(ValueError, match="expected"):
        game.parse("show", t)
    later = position(game, hand, scores="20 3 2 4", starter="0", first="0")
    assert not game.legal(later)[55]
    team = Okey(players=4, match=20, teams=True, show_indicator=True)
    t = play(team, position(team, hand, scores="20 3 20 3", starter="0", first="4"), "show")
    np.testing.assert_array_equal(t.scores, [19, 3, 19, 3])


@pytest.mark.slow
def test_a_match_goes_on_and_ends() -> None:
    game = Okey(players=3, match=20)
    t = play(game, position(game, SETS + " r13", scores="5 3 1", starter="0"), "r13")
    np.testing.assert_array_equal(t.scores, [3, 3, 1])
    assert (int(t.starter), int(t.turn), int(t.indicator), int(t.left)) == (1, 1, -1, 106)
    np.testing.assert_allclose(game.chance(t), [1 / 52] * 52 + [0], rtol=1e-6)
    chex.assert_trees_all_equal(game.read(game.show(t)), t)
    t = jax.jit(lambda s, key: settle(game, s, key))(t, jax.random.key(1))
    np.testing.assert_array_equal(t.hands.sum(axis=1), [14, 15, 14])
    assert (int(t.turn), int(t.phase), int(t.left)) == (1, DISCARD, 62)
    t = play(game, position(game, SETS + " okey", scores="4 3 1", starter="2"), "okey")
    np.testing.assert_array_equal(t.scores, [0, 3, 1])
    np.testing.assert_allclose(game.returns(t), [1, -0.5, -0.5])
    common = Okey(players=3, match=20, losers_drop=True)
    t = play(common, position(common, SETS + " r13", scores="5 7 1", starter="0"), "r13")
    np.testing.assert_array_equal(t.scores, [5, 5, -1])
    np.testing.assert_allclose(common.returns(t), [0.5, 0.5, -1])
    chex.assert_trees_all_equal(common.read(common.show(t)), t)


def test_the_reference_knows_sets_and_pairs() -> None:
    assert all_in_sets(SETS.split(), 4)
    assert not all_in_sets(["r13", "r1", "r2"], 4)
    assert all_in_sets(["r12", "okey", "r1"], 4)
    assert not all_in_sets(["r1", "r2", "r3", "r4", "r5"], 4)
    assert all_in_sets(["r1", "r2", "r3", "r4", "r5", "r6"], 3)
    assert not all_in_sets(["r1", "b1", "b1"], 0)
    assert all_in_pairs(["r1", "r1", "okey", "okey", "b1", "b1"])
    assert not all_in_pairs(["r1", "b1"])
    assert joker_face("y13") == "y1"
    assert Counter(box("r5"))["r5"] == 1
    assert Counter(box("r5"))["r6"] == Counter(box("r5"))["okey"] == 2
    assert len(box("r5")) == 105


# ---------------------------------------------------------------------- what a seat may know


@cache
def walk(game: Okey, count: int = 64, steps: int = 41) -> State:
    """Positions after `steps` random moves, `[count]`."""

    def one(key):
        start, rest = jax.random.split(key)

        def turn(s, key):
            choice, fate = jax.random.split(key)
            weights = jnp.where(game.legal(s), jax.random.uniform(choice, (game.num_actions,)), -1)
            return settle(game, game.apply(s, weights.argmax()), fate), None

        return jax.lax.scan(turn, game.init(start), jax.random.split(rest, steps))[0]

    return jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(3), count))


@pytest.mark.slow
def test_deals_are_fair() -> None:
    """Every tile is equally likely to be anywhere: 1000 deals, four standard deviations."""
    game = Okey(players=4)
    s = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), 1000))
    np.testing.assert_array_equal(s.hands.sum(axis=2), [[15, 14, 14, 14]] * 1000)
    assert (s.hands.sum(axis=1) <= 2).all()
    assert int(s.indicator.min()) == 0
    assert int(s.indicator.max()) == 51
    share = np.asarray(s.hands, float).sum(axis=0)
    expected = np.array([15, 14, 14, 14])[:, None] * 2 * 1000 / 105
    assert (np.abs(share - expected) < 4.5 * np.sqrt(expected)).all()
    twin = np.asarray(s.hands)[np.arange(1000), :, np.asarray(s.indicator)]
    assert (twin.sum(axis=1) <= 1).all()
    # Neighbouring tiles are dealt independently: as many pairs of equals in one hand as chance has it.
    pairs = (np.asarray(s.hands)[:, 0] == 2).sum()
    assert abs(pairs - 1000 * 52 * (15 / 105) * (14 / 104)) < 150


@pytest.mark.parametrize("players", slow_but([2, 4]))
def test_hidden_hands_are_shared_out_anew(players: int) -> None:
    game = Okey(players=players)
    s = walk(game)
    assert int(s.known.sum()) > 20

    @jax.jit
    @jax.vmap
    def guess(s, key):
        seat = s.turn
        view = game.view(s, seat)
        t = game.determinize(view, key)
        seen = [(game.view(x, seat), game.observe(x, seat), game.legal(game.view(x, seat))) for x in (s, t)]
        return t, seen, game.unseen(t), game.hand_sizes(t), view

    t, (real, guessed), centre, sizes, view = guess(s, jax.random.split(jax.random.key(8), 64))
    chex.assert_trees_all_equal(real, guessed)
    np.testing.assert_array_equal(centre.sum(axis=1), s.left)
    assert (np.asarray(centre) >= 0).all()
    np.testing.assert_array_equal(t.hands.sum(axis=2), sizes)
    assert (t.hands >= s.known).all()
    assert not (t.hands == s.hands).all(axis=(1, 2)).any()
    chance = jax.vmap(game.chance)(view._replace(phase=jnp.full(64, FATE)))
    unseen = jax.vmap(game.unseen)(view)
    np.testing.assert_allclose(chance, unseen / unseen.sum(axis=1, keepdims=True), rtol=1e-6)


def test_guesses_are_uniform() -> None:
    game = Okey()
    s = jax.tree.map(lambda x: x[0], walk(game))
    seat = int(s.turn)
    view = game.view(s, seat)
    guesses = jax.jit(jax.vmap(lambda key: game.determinize(view, key)))(jax.random.split(jax.random.key(1), 2000))
    hidden = np.asarray(guesses.hands)[:, 1 - seat] - np.asarray(s.known)[1 - seat]
    unseen = np.asarray(game.unseen(view))
    expected = 2000 * hidden[0].sum() * unseen / unseen.sum()
    assert (np.abs(hidden.sum(axis=0) - expected) <= 4.5 * np.sqrt(expected)).all()


def test_the_observation_is_as_documented() -> None:
    game = Okey(players=3, match=20)
    s = position(game, SETS.replace("y13 y1", "y13 r13") + " b1", scores="20 9 4", starter="2")
    s = play(game, s, "b1", "take", "b1", "take", "b1", "draw")
    s = play(game, game.roll(s, INDEX["okey"]), "okey", "take", "r1")
    seat = int(s.turn)
    assert (int(s.known.sum()), int(s.discards.sum()), int(s.phase)) == (1, 2, DRAW)
    seen = np.asarray(game.observe(s))
    order = [(seat + i) % 3 for i in range(3)]
    one_hot = np.eye(53)
    expected = [
        np.asarray(s.hands[seat]) / 2,
        one_hot[int(s.offer)] if int(s.offer) >= 0 else np.zeros(53),
        *(np.asarray(s.discards[i]) / 2 for i in order),
        *(np.asarray(s.known[i]) / 2 for i in order[1:]),
        one_hot[int(s.indicator)][:52],
        [int(s.left) / 62],
        [int(s.phase) == phase for phase in (DRAW, FATE, DISCARD)],
        [1, 0, 0],
        [[1, 0.45, 0.2][i] for i in order],
        [int(s.starter) == i for i in order],
    ]
    np.testing.assert_allclose(seen, np.concatenate(expected), rtol=1e-6)
    assert game.observe(s, (seat + 1) % 3).shape == seen.shape == (53 * 7 + 52 + 4 + 9,)


# ---------------------------------------------------------------------- text and variants


def test_moves_as_people_type_them() -> None:
    game = Okey()
    s = position(game, SETS.replace("y13 y1", "y13 g6") + " okey")
    assert game.parse("discard g6", s) == game.parse("false", s) == game.parse("Discard FALSE", s) == 2 + INDEX["g6"]
    assert game.parse("r1", s) == 2
    assert game.parse(" okey ", s) == 54
    assert game.name(54, s) == "discard okey"
    wrapped = position(game, "y1 y1 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13", indicator="y13")
    assert game.parse("false", wrapped) == 2 + INDEX["y1"]
    for text in ("draw", "take", "show", "b13", "discard", "discard draw", "discard discard r1", "joker", ""):
        with pytest.raises(ValueError, match=r"is not a legal move in okey: expected draw, take, or discard"):
            game.parse(text, s)


GOOD = "indicator g5 turn 1 phase draw offer b1 hands {} / ?14 y3 discards b1 / - centre 76"
HAND = "r1 r2 r3 r4 b5 b6 b7 g9 b9 y9 y11 y12 y13 y2*"


def test_positions_as_people_type_them() -> None:
    game = Okey()
    s = game.read(GOOD.format(HAND).replace("/", "/ ").upper())
    assert [int(s.known[0].sum()), int(s.hands[1].sum()), int(s.left)] == [1, 1, 76]
    assert game.show(s) == game.show(game.read(game.show(s)))
    same = game.read(f"hands ?14 y3* / {HAND} turn 0 phase draw discards - / b1 offer b1 indicator g5")
    np.testing.assert_array_equal(same.hands, s.hands[::-1])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("indicator g5", "", "the indicator part is missing"),
        ("indicator g5", "colour g5", "cannot begin with 'colour'"),
        ("indicator g5", "indicator okey", "indicator 'okey' is wrong: expected a numbered tile"),
        ("indicator g5", "indicator -", "the indicator is missing"),
        ("turn 1", "turn 2", "turn '2' is wrong: expected a number from 0 to 1"),
        ("turn 1", "turn", "turn '' is wrong"),
        ("turn 1", "turn 1 turn 1", "'turn' is there twice"),
        ("turn 1", "turn 0", "offer b1 does not lie there"),
        ("phase draw", "phase dance", "phase 'dance' does not exist in okey"),
        ("phase draw", "phase deal", "phase deal only belongs to match play"),
        ("phase draw", "phase discard", "offer 'b1' does not fit phase discard"),
        ("phase draw offer b1", "phase discard", r"seat 1 cannot have a hand of \?14: expected \?15"),
        ("offer b1", "offer b2", "offer b2 does not lie there"),
        ("offer b1", "", "offer '-' does not fit phase draw"),
        ("offer b1", "offer b14", "'b14' is not a tile"),
        ("r1 r2", "r1", "seat 0 has 13 tiles: expected 14"),
        ("r1 r2", "r1 r1 r2", "seat 0 has 15 tiles: expected 14"),
        ("r1 r2 r3", "r1 r1 r1", "3 tiles r1 are in sight: expected at most 2"),
        ("r1 r2", "g5 g5", "2 tiles g5 are in sight besides the indicator: expected at most 1"),
        ("r1 r2", "false false", None),
        ("r1 r2 r3", "false false g6", "3 tiles g6 are in sight"),
        ("r1 r2 r3", "okey okey okey", "3 tiles okey are in sight"),
        ("r1", "r0", "'r0' is not a tile"),
        ("r1", "r1**", r"'r1\*' is not a tile"),
        ("?14 y3", "?13 y3", r"seat 1 cannot have a hand of \?13: expected \?14"),
        ("?14 y3", "? y3", r"seat 1 cannot have a hand of \?: expected \?14"),
        ("?14 y3", "-", "seat 1 has 0 tiles: expected 14"),
        ("/ ?14 y3", "", "hands of 1 seats were given: expected 2"),
        ("discards b1 / -", "discards b1", "discards of 1 seats were given: expected 2"),
        ("discards b1 / -", "discards b1 b1 b1 / -", "3 tiles b1 are in sight"),
        ("centre 76", "centre 75", "centre 75 does not fit the tiles in sight: expected 76"),
        ("centre 76", "centre many", "centre 'many' is wrong"),
        ("centre 76", "winner 0", "winner and worth belong together"),
        ("centre 76", "winner 0 worth 2", "winner and worth belong together"),
        ("centre 76", "scores 20 20", "the scores part only belongs to match play"),
        ("centre 76", "first 1", "the first part does not belong here"),
        ("y2*", "y1", "seat 0 has thrown a tile and holds a finished hand: expected it to have won"),
        ("phase draw offer b1", "phase over", "nobody has won and the centre is not empty"),
        ("phase draw offer b1", "phase over winner 0 worth 2", "seat 0 has not won: expected 14 tiles in sets"),
        ("phase draw offer b1", "phase fate", None),
    ],
)
def test_impossible_positions_are_refused(old: str, new: str, sentence: str | None) -> None:
    game, good = Okey(), GOOD.format(HAND)
    text = good.replace(old, new, 1)
    assert text != good
    if "centre" not in old:
        text = text.replace(" centre 76", "")
    if sentence is None:
        chex.assert_trees_all_equal(game.read(game.show(game.read(text))), game.read(text))
        return
    with pytest.raises(ValueError, match=sentence) as error:
        game.read(text)
    assert "expected" in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("scores 20 18", "scores 20", "scores '20' are wrong: expected 2 from 1 to 20"),
        ("scores 20 18", "scores 20 0", "scores '20 0' are wrong"),
        ("scores 20 18", "scores 21 2", "scores '21 2' are wrong"),
        ("scores 20 18", "scores 20 x", "scores '20 x' are wrong"),
        ("scores 20 18", "", "the scores part is missing in match play"),
        ("starter 1", "", "the starter part is missing in match play"),
        ("starter 1", "starter 7", "starter '7' is wrong"),
        ("first 0", "first 1", "first 1 does not fit turn 1: expected 2 or 0"),
        ("first 0", "first 2", "first 2 means that nobody has thrown a tile: expected phase discard"),
        ("first 0", "first 3", "first '3' is wrong"),
        ("phase draw offer b1", "phase deal", "fate deals: expected no discards"),
        ("phase draw offer b1", "phase over", "the match is over but nobody has reached 0"),
        ("phase draw offer b1 ", "phase over scores 0 18 ", "scores 0 18 do not fit the end"),
    ],
)
def test_impossible_matches_are_refused(old: str, new: str, sentence: str) -> None:
    game = Okey(match=20, show_indicator=True)
    good = GOOD.format(HAND) + " scores 20 18 starter 1 first 0"
    game.read(good)
    text = good.replace(old, new, 1)
    if "deal" in new:
        text = text.replace("centre 76", "centre 80")
    if "scores 0" in new:
        text = text.replace("scores 20 18", "")
    with pytest.raises(ValueError, match=sentence) as error:
        game.read(text)
    assert "expected" in str(error.value)


@pytest.mark.parametrize(
    ("variant", "sentence"),
    [
        ({"players": 5}, "players is 5 in okey: expected one of 2, 3, 4"),
        ({"players": 4.0}, r"players is 4\.0 in okey: expected one of 2, 3, 4"),
        ({"pairs": "x"}, "pairs is 'x' in okey: expected true or false"),
        ({"joker_finish": 1}, "joker_finish is 1 in okey: expected true or false"),
        ({"players": 4, "teams": "no"}, "teams is 'no' in okey: expected true or false"),
        ({"losers_drop": None}, "losers_drop is None in okey: expected true or false"),
        ({"show_indicator": 0}, "show_indicator is 0 in okey: expected true or false"),
        ({"longest_run": 4.0}, r"longest_run is 4\.0 in okey: expected one of 0, 4, 5"),
        ({"match": True}, "match is True in okey: expected a whole number"),
        ({"longest_run": 3}, "longest_run is 3 in okey: expected one of 0, 4, 5"),
        ({"teams": True}, "okey has no teams with 2 players: expected players=4"),
        ({"match": -1}, "match is -1 in okey: expected a whole number from 0 to 100"),
    ],
)
def test_impossible_variants_are_refused(variant: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Okey(**variant)


def test_defaults_are_spelled_out() -> None:
    assert Okey() == Okey(players=2, longest_run=4, pairs=False, joker_finish=False)
    assert Okey(players=4) == Okey(players=4, longest_run=0, pairs=True, joker_finish=True)
    assert hash(Okey()) == hash(Okey(longest_run=4))
    assert (Okey().rolls, Okey(match=20).rolls) == (1, 30)
