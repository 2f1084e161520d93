"""Puzzles have one best move, the grade that searches give them, and replies that punish every other move."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.cli.puzzles import puzzles as print_puzzles
from ludens.core.game import legal_actions
from ludens.games import make
from ludens.games.othello import Othello
from ludens.games.ur import Ur
from ludens.oracles.store import load
from ludens.players import player
from ludens.players import puzzles as room
from ludens.players.puzzles import Puzzle, puzzles


@pytest.fixture(scope="module")
def four() -> list[Puzzle]:
    return list(puzzles(Othello(size=4), 12, seed=1))


def test_exactly_one_move_is_best_and_every_other_has_its_refutation(four: list[Puzzle]) -> None:
    game = Othello(size=4)
    oracle, solution = load(game)
    value = jax.jit(lambda s: oracle.value(solution.table, s))
    assert len({each.position for each in four}) == 12
    for each in four:
        s = game.read(each.position)
        assert each.mover == int(game.player(s))
        after = {game.name(a, s): game.apply(s, a) for a in legal_actions(game, s)}
        mine = {name: float(value(t)) * (1 if int(game.player(t)) == each.mover else -1) for name, t in after.items()}
        assert mine == each.values
        assert [name for name, x in mine.items() if x == max(mine.values())] == [each.best]
        for wrong, reply in each.refutations.items():
            t = after[wrong]
            u = game.apply(t, game.parse(reply, t))
            kept = float(value(u)) * (1 if int(game.player(u)) == each.mover else -1)
            assert kept == mine[wrong]  # the reply holds what the mistake gave away
        assert set(each.refutations) <= set(each.values) - {each.best}


@pytest.mark.slow
def test_the_grade_is_how_deep_alphabeta_must_look(four: list[Puzzle]) -> None:
    game = Othello(size=4)
    states = jax.tree.map(lambda *x: jnp.stack(x), *[game.read(each.position) for each in four])
    best = [game.parse(each.best, game.read(each.position)) for each in four]
    for depth in (1, 3):
        who = player(f"alphabeta:{depth}", game)
        scores = np.asarray(
            jax.jit(jax.vmap(lambda s, who=who: who.analyse(None, jax.random.key(0), s).scores))(states)
        )
        for row, a, each in zip(scores, best, four, strict=True):
            finds = row[a] > np.delete(row, a).max()
            assert each.grade > 1
            assert finds or each.grade > depth
            assert each.grade != depth or finds


def test_the_same_seed_finds_the_same(four: list[Puzzle]) -> None:
    assert list(puzzles(Othello(size=4), 3, seed=1)) == four[:3]


@pytest.mark.slow
def test_with_fate_the_best_is_clearly_better() -> None:
    for each in puzzles(Ur(pieces=2), 5, seed=0):
        first, second, *_ = each.values.values()
        assert first - second >= room.CLEAR
        assert each.refutations == {}


@pytest.mark.slow
def test_end_games_are_judged_by_the_final_score() -> None:
    game = make("othello", size=6)
    for each in puzzles(game, 4, seed=0):
        assert room.LEFT[0] <= each.position.count("-") <= room.LEFT[1]
        assert all(score % 2 == 0 for score in each.values.values())
        assert each.refutations.keys() <= each.values.keys()


def test_what_cannot_be(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    for words, options, sentence in [
        (("onitama",), {}, "onitama is too large to be solved in this variant: expected one of"),
        (("othello", "--size", "4"), {"number": 0}, "--number is 0: expected 1 or more"),
        (("othello",), {"out": tmp_path / "no" / "file"}, "expected a file in a folder that exists"),
    ]:
        with pytest.raises(Exception, match=sentence):
            print_puzzles(*words, **options)
    assert capsys.readouterr().out == ""
    print_puzzles("othello", "--size", "4", number=2, seed=1, out=tmp_path / "two.jsonl")
    assert len((tmp_path / "two.jsonl").read_text().splitlines()) == 2
