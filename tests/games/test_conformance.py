"""One test for all games and variants: what the contract in `core/game.py` promises."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cache
from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.core.game import Game, legal_actions, pick, settle, sign, step
from variants import STANDARD, VARIANTS, label


def marks_of(game: Game[Any]) -> list[pytest.MarkDecorator]:
    return [] if game in STANDARD else [pytest.mark.slow]


GAMES_AT_ONCE = 32
STEPS, KEEP = 480, 5

every_game = pytest.mark.parametrize(
    "game", [pytest.param(game, id=label(game), marks=marks_of(game)) for game in VARIANTS]
)


class Walk:
    """Random games of one variant: states `[N]`, both decisions and chance nodes, some of them finished."""

    def __init__(self, game: Game[Any]) -> None:
        def walk(key: Any) -> Any:
            start, rest = jax.random.split(key)
            s = game.init(start)

            def turn(s: Any, key: Any) -> Any:
                choose, fate = jax.random.split(key)
                a = pick(game.legal(s), jax.random.bits(choose))
                acted = game.apply(s, a)
                return settle(game, acted, fate), (s, a, acted)

            last, (states, actions, acted) = jax.lax.scan(turn, s, jax.random.split(rest, STEPS))
            return states, actions, acted, last

        keys = jax.random.split(jax.random.key(2026), GAMES_AT_ONCE)
        states, actions, acted, last = jax.jit(jax.vmap(walk))(keys)

        def flat(tree: Any) -> Any:
            return jax.tree.map(lambda x: np.asarray(x[:, ::KEEP]).reshape(-1, *x.shape[2:]), tree)

        self.decisions, self.actions, self.acted = flat(states), flat(actions), flat(acted)
        # Decisions, what follows an action before fate acts, and how each game ended.
        parts = [self.decisions, self.acted, jax.tree.map(np.asarray, last)]
        self.states = jax.tree.map(lambda *xs: np.concatenate(xs), *parts)
        self.size = len(jax.tree.leaves(self.states)[0])

    def some(self, count: int) -> Any:
        """`count` states spread over the whole walk."""
        rows = np.linspace(0, self.size - 1, count).astype(int)
        return jax.tree.map(lambda x: x[rows], self.states)

    def one(self, row: int) -> Any:
        """A single state, as a game's own arrays."""
        return jax.tree.map(lambda x: jnp.asarray(x[row]), self.states)


@cache
def walk_of(game: Game[Any]) -> Walk:
    return Walk(game)


@cache
def facts_of(game: Game[Any]) -> dict[str, Any]:
    """Everything the contract answers about each state of the walk, computed in one batch."""

    def facts(s: Any) -> dict[str, Any]:
        seats = jnp.arange(game.num_players)
        return {
            "player": game.player(s),
            "legal": game.legal(s),
            "chance": game.chance(s),
            "done": game.done(s),
            "returns": game.returns(s),
            "observe": game.observe(s),
            "seats": jax.vmap(lambda seat: game.observe(s, seat))(seats),
            "seen": jax.vmap(lambda seat: game.observe(game.view(s, seat), seat))(seats),
            "legal in view": game.legal(game.view(s, game.player(s))),
        }

    return jax.tree.map(np.asarray, jax.jit(jax.vmap(facts))(walk_of(game).states))


def endless(game: Game[Any]) -> bool:
    """Whether random play cannot be expected to end: an okey match needs somebody to finish a hand."""
    return bool(getattr(game, "match", 0))


@every_game
def test_shapes_and_ranges(game: Game[Any]) -> None:
    facts = facts_of(game)
    players, actions = game.num_players, game.num_actions
    assert facts["legal"].shape[1:] == (actions,)
    assert facts["legal"].dtype == bool
    assert facts["player"].dtype == np.int32
    assert ((facts["player"] >= 0) & (facts["player"] < players)).all()
    assert facts["done"].dtype == bool
    assert facts["returns"].shape[1:] == (players,)
    assert facts["returns"].dtype == np.float32
    assert facts["chance"].shape[1:] == (game.num_chance,)
    assert facts["observe"].dtype in (np.dtype(bool), np.dtype(np.float32))
    assert (np.abs(facts["observe"].astype(np.float32)) <= 1).all()
    assert (np.abs(facts["seats"].astype(np.float32)) <= 1).all()


@every_game
def test_somebody_can_act_until_the_end(game: Game[Any]) -> None:
    facts = facts_of(game)
    open_to_players, due = facts["legal"].any(axis=1), facts["chance"].sum(axis=1) > 0
    assert facts["done"].any() or endless(game), "the walk must see finished games"
    assert not (open_to_players & due).any(), "a player and fate cannot act at once"
    np.testing.assert_array_equal(open_to_players | due, ~facts["done"])


@every_game
def test_chance_sums_to_one(game: Game[Any]) -> None:
    chance = facts_of(game)["chance"]
    assert (chance >= 0).all()
    total = chance.sum(axis=1)
    assert np.isclose(total, 1, atol=1e-6).any() == (game.num_chance > 0)
    assert (np.isclose(total, 0, atol=0) | np.isclose(total, 1, atol=1e-6)).all()


@every_game
def test_returns_come_at_the_end_and_sum_to_zero(game: Game[Any]) -> None:
    facts = facts_of(game)
    returns, done = facts["returns"], facts["done"]
    assert (returns[~done] == 0).all()
    assert (np.abs(returns) <= 1).all()
    assert (returns[done] != 0).any() or game.id == "okey", "random play decides some games"  # okey's own tests win
    np.testing.assert_allclose(returns.sum(axis=1), 0, atol=1e-6)


@every_game
def test_an_illegal_action_changes_nothing(game: Game[Any]) -> None:
    some = walk_of(game).some(48)
    wild = jnp.array([-1, -7, game.num_actions, game.num_actions + 5, 2**31 - 1])
    tried = jnp.concatenate([jnp.arange(game.num_actions), wild.astype(jnp.int32)])

    def unchanged(s: Any) -> Any:
        def try_one(a: Any) -> Any:
            same = jax.tree.map(lambda x, y: (x == y).all(), game.apply(s, a), s)
            return jnp.stack(jax.tree.leaves(same)).all()

        return jax.vmap(try_one)(tried), jnp.append(game.legal(s), jnp.zeros(len(wild), bool))

    same, legal = jax.tree.map(np.asarray, jax.jit(jax.vmap(unchanged))(some))
    assert same[~legal].all()
    assert not same[legal].any(), "a legal action always changes the position"


@every_game
def test_the_end_is_absorbing(game: Game[Any]) -> None:
    walk, facts = walk_of(game), facts_of(game)
    rows = np.flatnonzero(facts["done"])[:64]
    if endless(game):
        assert len(rows) == 0
        return
    ended = jax.tree.map(lambda x: x[rows], walk.states)
    keys = jax.random.split(jax.random.key(1), len(rows))
    after = jax.jit(jax.vmap(lambda s, key: step(game, s, 0, key)))(ended, keys)
    chex.assert_trees_all_equal(jax.tree.map(np.asarray, after), ended)
    assert not facts["legal"][rows].any()


@every_game
def test_fate_leads_to_a_decision_or_the_end(game: Game[Any]) -> None:
    if not game.num_chance:
        assert game.rolls == 0
        return
    some = walk_of(game).some(64)
    keys = jax.random.split(jax.random.key(3), 64)

    def settled(s: Any, key: Any) -> Any:
        t = settle(game, s, key)
        return game.chance(t).sum(), game.chance(s).sum() > 0, t, s

    total, was_due, after, before = jax.jit(jax.vmap(settled))(some, keys)
    assert (np.asarray(total) == 0).all()
    calm = ~np.asarray(was_due)
    chex.assert_trees_all_equal(jax.tree.map(lambda x: x[calm], after), jax.tree.map(lambda x: x[calm], before))


@every_game
def test_a_batch_is_a_loop(game: Game[Any]) -> None:
    """vmap = single calls, compiled; and compiled once for all positions (one trace)."""
    some = walk_of(game).some(6)
    seen = []

    @chex.assert_max_traces(1)
    def everything(s: Any, key: Any) -> Any:
        seen.append(1)
        a = pick(game.legal(s), jax.random.bits(key))
        t = step(game, s, a, key)
        return t, game.legal(t), game.observe(t), game.returns(t), game.done(t), sign(game, s, t)

    chex.clear_trace_counter()
    keys = jax.random.split(jax.random.key(5), 6)
    compiled = jax.jit(everything)
    singles = [compiled(jax.tree.map(lambda x, i=i: jnp.asarray(x[i]), some), keys[i]) for i in range(6)]
    assert len(seen) == 1
    looped = jax.tree.map(lambda *xs: np.stack([np.asarray(x) for x in xs]), *singles)
    chex.clear_trace_counter()
    batched = jax.tree.map(np.asarray, jax.jit(jax.vmap(everything))(some, keys))
    chex.assert_trees_all_equal(batched, looped)


@every_game
def test_compiled_is_eager(game: Game[Any]) -> None:
    s = walk_of(game).one(0)
    compiled, next_decision = jax.jit(game.apply), jax.jit(lambda s: settle(game, s, jax.random.key(12)))
    for _ in range(2):
        a = legal_actions(game, s)[-1]
        eager, fast = game.apply(s, a), compiled(s, a)
        chex.assert_trees_all_equal(eager, fast)
        chex.assert_trees_all_equal_shapes_and_dtypes(eager, s)
        s = next_decision(eager)
    chex.assert_trees_all_equal(game.legal(s), jax.jit(game.legal)(s))
    chex.assert_trees_all_equal(game.observe(s), jax.jit(game.observe)(s))


@every_game
def test_a_view_is_all_a_seat_needs(game: Game[Any]) -> None:
    facts = facts_of(game)
    np.testing.assert_array_equal(facts["seen"], facts["seats"])
    np.testing.assert_array_equal(facts["legal in view"], facts["legal"])
    rows = np.arange(len(facts["player"]))
    np.testing.assert_array_equal(facts["seats"][rows, facts["player"]], facts["observe"])


@every_game
def test_nothing_hidden_leaks(game: Game[Any]) -> None:
    """Two states that differ in hidden facts alone give the same view, observation and legal moves."""
    walk = walk_of(game)
    if not game.hidden:
        some = walk.some(16)
        chex.assert_trees_all_equal(jax.vmap(lambda s: game.view(s, 0))(some), some)
        return
    some = jax.tree.map(lambda x: x[:: max(1, len(x) // 64)][:64], walk.decisions)
    keys = jax.random.split(jax.random.key(7), 64)

    def compare(s: Any, key: Any) -> Any:
        def by(seat: Any) -> Any:
            view = game.view(s, seat)
            other = game.determinize(view, key)
            mine = (view, game.observe(s, seat), game.legal(view))
            theirs = (game.view(other, seat), game.observe(other, seat), game.legal(game.view(other, seat)))
            differs = jax.tree.map(lambda x, y: (x != y).any(), s, other)
            return mine, theirs, jnp.stack(jax.tree.leaves(differs)).any()

        return jax.vmap(by)(jnp.arange(game.num_players))

    mine, theirs, differs = jax.jit(jax.vmap(compare))(some, keys)
    chex.assert_trees_all_equal(mine, theirs)
    assert np.asarray(differs).mean() > 0.5, "determinize must really change what is hidden"


@every_game
def test_equal_fields_are_the_same_game(game: Game[Any]) -> None:
    again = replace(game)
    assert again == game
    assert hash(again) == hash(game)
    assert all(field.name in repr(game) for field in fields(game))


@settings(max_examples=12, deadline=None, derandomize=True)
@given(data=st.data())
@every_game
def test_text_round_trips(game: Game[Any], data: st.DataObject) -> None:
    """Every position and every move can be written, read back and typed."""
    walk = walk_of(game)
    s = walk.one(data.draw(st.integers(0, walk.size - 1), label="position"))
    text = game.show(s)
    assert "\n" not in text
    chex.assert_trees_all_equal(game.read(text), s)
    chex.assert_trees_all_equal_shapes_and_dtypes(game.read(text), s)
    chex.assert_trees_all_equal(game.read(f"  {text}  "), s)
    for seat in range(game.num_players):
        view = game.view(s, seat)
        chex.assert_trees_all_equal(game.read(game.show(view)), view)
    actions = legal_actions(game, s)
    names = [game.name(a, s) for a in actions]
    assert len(set(names)) == len(names)
    assert [game.parse(name, s) for name in names] == actions
    assert [game.parse(f" {name.upper()} ", s) for name in names[:3]] == actions[:3]


@contextmanager
def a_sentence_at_most() -> Iterator[None]:
    """A ValueError that says what was expected is fine; any other error is not."""
    try:
        yield
    except ValueError as error:
        if "expected" not in str(error):
            raise AssertionError(f"this does not say what was expected: {error}") from error


@settings(max_examples=25, deadline=None, derandomize=True)
@given(junk=st.text(max_size=40))
@every_game
def test_junk_is_rejected_with_a_sentence(game: Game[Any], junk: str) -> None:
    s = walk_of(game).one(0)
    with a_sentence_at_most():
        assert game.parse(junk, s) in legal_actions(game, s), "junk may happen to spell a legal move"
    with pytest.raises(ValueError, match="expected"):
        game.read(junk)


@every_game
def test_damaged_positions_never_crash(game: Game[Any]) -> None:
    """Dropping or doubling any character of a position gives a position or a sentence, never another error."""
    walk = walk_of(game)
    text = game.show(walk.one(walk.size // 3))
    for i in range(0, len(text), max(1, len(text) // 60)):
        for damaged in (text[:i] + text[i + 1 :], text[:i] + text[i] + text[i:], text[:i] + "7" + text[i + 1 :]):
            with a_sentence_at_most():
                game.show(game.read(damaged))


@every_game
def test_symmetries_are_played_alike(game: Game[Any]) -> None:
    """What is legal, what a move leads to and how it ends do not depend on how the board is turned."""
    if game.symmetries == 1:
        return
    walk = walk_of(game)
    actions = jnp.arange(game.num_actions)

    def turned(s: Any, a: Any, k: Any) -> Any:
        t = game.transform(s, k)
        goes_to = jax.vmap(lambda a: game.transform_action(s, a, k))(actions)
        after, other = game.transform(game.apply(s, a), k), game.apply(t, goes_to[a])
        same = [game.legal(t)[goes_to] == game.legal(s), jnp.sort(goes_to) == actions]
        same += [x == y for x, y in zip(jax.tree.leaves(after), jax.tree.leaves(other), strict=True)]
        same += [game.returns(after) == game.returns(game.apply(s, a)), game.player(t) == game.player(s)]
        return jnp.stack([each.all() for each in same])

    few = jax.tree.map(lambda x: x[::16], (walk.decisions, walk.actions))
    ways = jnp.arange(game.symmetries)

    @jax.jit
    @jax.vmap
    def look(s: Any, a: Any) -> Any:
        seen = jax.vmap(lambda k: game.observe(game.transform(s, k)).sum(dtype=jnp.float32))(ways)
        return jax.vmap(lambda k: turned(s, a, k))(ways), game.transform(s, 0), seen

    found, unturned, seen = look(*few)
    assert np.asarray(found).all()
    chex.assert_trees_all_equal(unturned, few[0])
    assert (np.asarray(seen) == np.asarray(seen)[:, :1]).all()  # a board is turned as it is seen
