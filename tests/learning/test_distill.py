"""A net learns what an oracle knows."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.chung_toi import ChungToi
from ludens.games.ur import Ur
from ludens.learning.distill import Distill, DistillConfig
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.oracles.regret import positions, regret_of
from ludens.oracles.store import load
from ludens.players.learned import agent_of


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDENS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def test_what_is_taught_in_a_position() -> None:
    game = ChungToi()
    learner = Distill(game, DistillConfig(num_envs=4, blocks=1, channels=4))
    table = load(game)[1].table
    # White wins on c1, either way round, and in one more way a little later.
    s = jax.tree.map(lambda x: x[None], game.read("RxRx--/------/W+W+-- turn white"))
    q_values = jax.vmap(lambda s: learner._q_values(table, s))(s)
    wins = np.flatnonzero(np.asarray(q_values[0]) == 1).tolist()
    assert {game.parse(move, game.read("RxRx--/------/W+W+-- turn white")) for move in ("c1+", "c1x")} < set(wins)
    assert len(wins) == 3
    lessons = learner._lessons(table, s, q_values, jnp.array([wins[0]]))
    assert bool(lessons.counts[0])
    assert float(lessons.worth[0]) == -1  # to the side that has lost

    def net(x):  # sure of one winning move, and that the position is won
        return jnp.zeros(game.num_actions).at[wins[0]].set(50.0), jnp.float32(1)

    loss, logits = learner.loss(net, lessons)
    assert float(loss) == pytest.approx(50 * 2 / 3, abs=0.01)  # two thirds of the target are on the others
    assert float(learner._regret(lessons.q_values, logits)[0]) == 0
    loses = game.parse("a2+", game.read("RxRx--/------/W+W+-- turn white"))
    assert float(learner._regret(lessons.q_values, logits.at[0, loses].set(99.0))[0]) == 2
    drawn = learner._drawn(table, jax.random.key(0))
    assert drawn is not None
    assert np.isfinite(np.asarray(drawn.worth)[np.asarray(drawn.counts)]).all()


@pytest.mark.slow
def test_regret_falls() -> None:
    game = Ur(pieces=2)
    learner = Distill(game, DistillConfig(episodes=6000, num_envs=128, blocks=1, channels=64))
    training = compiled_begin(learner)(np.zeros(1, np.uint32))
    oracle, solution = load(game)
    states = positions(oracle, solution.table, 1000, jax.random.key(1))
    agent = agent_of(game, learner.agent())

    def regret(training):
        params = jax.tree.map(lambda x: jnp.asarray(x[0]), learner.params(training.learner))
        return regret_of(oracle, solution.table, agent, params, states, jax.random.key(2)).mean_regret

    before = regret(training)
    training, means = compiled_chunk(learner, 1)(training, np.int32(6000))
    assert regret(training) < before / 10
    assert float(means["regret"].total[0] / means["regret"].number[0]) < before
