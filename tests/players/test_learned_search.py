"""Searches that ask a run: what agents of every kind say of positions and moves, and `mcts:N:run:DIR` in every game."""

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core import storage
from ludens.core.game import Game, legal_actions, variant
from ludens.core.run_files import CHECKPOINT, FORMAT, PARAMS, RUN
from ludens.games import make
from ludens.players import player
from ludens.players.agent import LearnedEvaluator
from ludens.players.learned import agent_of
from ludens.players.mcts import MCTS

KEY = jax.random.key(5)
OTHELLO, UR, CHUNG_TOI = make("othello", size=4), make("ur", pieces=1), make("chung-toi")
POLICY = {"kind": "policy-net", "hidden": [4], "sample": False, "insight": False}
ACTOR = {"kind": "actor", "actor": "actions_only", "actions": "pawn", "sample": False}
CARDS = {"cards": ("ox", "boar", "horse", "tiger", "crab")}
RUNS: dict[str, tuple[Game[Any], dict[str, Any]]] = {
    "othello policy": (OTHELLO, POLICY),
    "othello v-net": (OTHELLO, {"kind": "v-net", "hidden": [4]}),
    "othello q-net": (OTHELLO, {"kind": "q-net", "nets": "single", "hidden": 4, "players": 1}),
    "chung-toi value-net": (CHUNG_TOI, {"kind": "value-net", "hidden": 4, "known_ends": True}),
    "ur q-table": (UR, {"kind": "q-table", "shared": True}),
    "ur q-mlp": (UR, {"kind": "q-mlp", "hidden": [4]}),
    "ur policy": (UR, POLICY),
    "onitama actor": (make("onitama", **CARDS), ACTOR),
    "okey actors": (make("okey"), {"kind": "two-actors", "draw_hidden": 4, "hidden": 4, "discards": False}),
    "okey policy": (make("okey"), POLICY),
}


def tiny_run(folder: Path, game: Game[Any], agent: dict[str, Any]) -> str:
    """A run as `ludens train` leaves it, with weights drawn at random."""

    def weights(shapes: Any) -> Any:
        leaves, tree = jax.tree.flatten(shapes)
        keys = jax.random.split(KEY, len(leaves))
        return jax.tree.unflatten(
            tree, [jax.random.uniform(k, x.shape, x.dtype, 0.1, 0.5) for k, x in zip(keys, leaves, strict=True)]
        )

    folder.mkdir()
    facts = {
        "format": FORMAT,
        "game": game.id,
        "variant": variant(game),
        "learner": "x",
        "config": {},
        "seed": 0,
        "seeds": 1,
    }
    (folder / RUN).write_text(json.dumps(facts | {"agent": agent}))
    params = jax.tree.map(lambda x: x[None], weights(agent_of(game, agent).shapes()))
    storage.write(folder / CHECKPOINT, {PARAMS: params}, {})
    return str(folder)


QUICK = ("ur q-table",)


@pytest.mark.parametrize("name", [pytest.param(each, marks=[pytest.mark.slow] * (each not in QUICK)) for each in RUNS])
def test_a_search_asks_what_was_learned(name: str, tmp_path: Path) -> None:
    game, facts = RUNS[name]
    searching = player(f"mcts:4:run:{tiny_run(tmp_path / 'run', game, facts)}", game)
    assert isinstance(searching, MCTS)
    assert isinstance(searching.evaluator, LearnedEvaluator)
    params = searching.init(KEY)
    s = game.init(KEY)
    decision = jax.jit(searching.act)(params, KEY, game.view(s, game.player(s)))
    legal = legal_actions(game, s)
    assert int(decision.action) in legal
    assert (np.abs(np.asarray(decision.scores)[legal]) <= 1).all()
    other = jax.tree.map(lambda x: x**2, params)
    judged = [jax.jit(searching.evaluator.logits)(each, s) for each in (params, other)]
    if searching.evaluator.agent.judges:
        judged = [jax.jit(searching.evaluator.value)(each, s) for each in (params, other)]
        assert np.abs(judged).max() <= 1
    assert not np.allclose(*judged), "the search does not depend on what was learned"


@pytest.mark.slow
def test_the_prior_is_the_policy_of_the_net(tmp_path: Path) -> None:
    agent = player(f"run:{tiny_run(tmp_path / 'run', OTHELLO, POLICY)}", OTHELLO)
    params, s = agent.init(KEY), OTHELLO.init(KEY)
    scores = np.asarray(agent.act(params, KEY, s).scores)
    prior = np.asarray(jax.nn.softmax(LearnedEvaluator(OTHELLO, agent).logits(params, s)))
    legal = legal_actions(OTHELLO, s)
    np.testing.assert_allclose(prior[legal] / prior[legal].sum(), scores[legal], rtol=1e-3)
    uniform = LearnedEvaluator(UR, agent_of(UR, {"kind": "q-table", "shared": True})).logits(None, UR.init(KEY))
    assert (np.asarray(uniform) == 0).all()


def test_before_a_throw_a_position_is_worth_the_expectation(tmp_path: Path) -> None:
    agent = player(f"run:{tiny_run(tmp_path / 'run', UR, RUNS['ur q-table'][1])}", UR)
    judge, params = LearnedEvaluator(UR, agent), agent.init(KEY)
    value = jax.jit(judge.value)
    s = UR.read("first: on b1; second: on c4; turn first; throw 1")
    t = UR.apply(s, legal_actions(UR, s)[0])
    assert float(UR.chance(t).sum()) == pytest.approx(1)
    rolled = [float(value(params, UR.roll(t, c))) for c in (1, 2)]
    assert rolled[0] != rolled[1]
    assert float(value(params, t)) == pytest.approx(np.mean(rolled), abs=1e-6)


def test_who_judges_no_positions_serves_no_plain_search(tmp_path: Path) -> None:
    game, facts = RUNS["onitama actor"]
    run = tiny_run(tmp_path / "run", game, facts)
    with pytest.raises(ValueError, match="an agent of the kind 'actor' judges no positions: expected one"):
        player(f"alphabeta:2:run:{run}", game)
    with pytest.raises(ValueError, match="was trained for onitama"):
        player(f"mcts:4:run:{run}", make("onitama"))
    assert player(f"greedy:run:{tiny_run(tmp_path / 'v', OTHELLO, RUNS['othello v-net'][1])}", OTHELLO)


def test_values_become_results_on_the_scale_of_their_evaluator() -> None:
    for spec, lead in (("greedy:positional", 80.0), ("greedy:mobility", 12.0), ("greedy:discs", 10.0)):
        judge = player(spec, OTHELLO).evaluator  # type: ignore[attr-defined]
        assert float(judge.result(jnp.float32(lead))) == pytest.approx(np.tanh(1))
        assert [float(judge.result(jnp.float32(x))) for x in (-judge.win, 0.0, judge.win)] == [-1.0, 0.0, 1.0]
    nothing = player("greedy", CHUNG_TOI).evaluator  # type: ignore[attr-defined]
    assert float(nothing.result(jnp.float32(0.25))) == 0.25


@pytest.mark.slow
def test_to_analyse_is_to_look_into_every_move(tmp_path: Path) -> None:
    """Scores are those of a search of its own behind each move; where a move ends the game, its result."""
    searching = player(f"mcts:3:run:{tiny_run(tmp_path / 'run', OTHELLO, RUNS['othello v-net'][1])}", OTHELLO)
    params = searching.init(KEY)
    analyse, act = jax.jit(searching.analyse), jax.jit(searching.act)
    s = OTHELLO.read("XXXXXOOOXXOOXXO- X")
    ended = 0
    for start in (OTHELLO.init(KEY), s):
        found = analyse(params, KEY, start)
        scores, legal = np.asarray(found.scores), legal_actions(OTHELLO, start)
        assert np.flatnonzero(np.isfinite(scores)).tolist() == legal
        assert scores[int(found.action)] == scores.max()
        for a in legal:
            t = OTHELLO.apply(start, a)
            if bool(OTHELLO.done(t)):
                ended += 1
                assert scores[a] == OTHELLO.returns(t)[OTHELLO.player(start)]
            else:
                behind = act(params, jax.random.fold_in(KEY, a), t)
                worth = float(behind.scores[behind.action])
                same = int(OTHELLO.player(t)) == int(OTHELLO.player(start))
                assert scores[a] == pytest.approx(worth if same else -worth, abs=1e-5)
    assert ended
