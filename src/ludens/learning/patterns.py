"""Temporal differences with pattern tables (n-tuples), by self-play.

A game says which table entries belong to a position and what their sum means (`players/pattern_tables.py`): in Othello
the lead in discs with which the side to move will end, in Onitama the result. All moves are looked at one ply ahead and
the best is played, or now and then any; games begin at random. After every rollout of `num_steps`
moves in each game, positions are drawn to their lambda-returns, seen by the side to move,

    G(s) = (1 - lambda) V*(s) + lambda G(s')        V*(s) = max_a -V(s.a), the outcome where a ends the game,

with the sign turned wherever the side does. Where something else than the best was played, G(s) is V*(s) alone: what
exploration tries does not lower the value of a position. An entry that was met n times in the rollout moves by

    learning_rate / I * (sum of G - V over those n) / (n + damping),        I entries to a position:

to the mean error where it is known well, and by little where few positions speak for it.

Errors are added up as whole numbers, so that no order in which a device adds them makes a difference.

Shapes: `B = num_envs`, `T = num_steps`, `N = T B` positions, `P` phases of `E` entries.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.players.pattern_tables import PatternTables, total
from ludens.players.patterns import PatternAgent, after_moves, blank, tables_of
from ludens.returns.exploration import epsilon_greedy, linear
from ludens.returns.td import lambda_return

LARGEST = 2**15 - 1  # of a table's entries


@dataclass(frozen=True)
class PatternConfig(Config):
    episodes: int = setting(200_000, "Games to train; the learning rate falls over them.", least=1)
    num_envs: int = setting(256, "B: games played side by side.", least=1)
    num_steps: int = setting(32, "T: moves in each game between two updates.", least=1)
    phases: int = setting(12, "P: phases of the game, with tables of their own.", least=1, most=60)
    lambda_: float = setting(0.9, "How far a position looks ahead: 0 one ply, 1 to the end.", least=0, most=1)
    learning_rate: float = setting(
        1.5, "Share of its mean error that is corrected at first; above 2 sums overshoot.", least=0
    )
    learning_rate_end: float = setting(0.05, "The same after the last game.", least=0)
    damping: float = setting(2.0, "Positions that an entry must be met in to be corrected by half of that.", least=0)
    opening: int = setting(12, "Plies over which the first, random moves give way to chosen ones.", least=0)
    epsilon: float = setting(0.02, "Probability of a random move after that.", least=0, most=1)


class PatternRollout(NamedTuple):
    """What was played, everything `[T, B]`."""

    board: Any  # what tables are read by
    best: Array  # V*: the worth of the best move
    greedy: Array  # whether it was the move that was played, and the game went on
    sign: Array  # 1 if the same side moves again, else -1


class Lookahead(NamedTuple):
    """What `act` tells `update`, everything `[B]`."""

    best: Array
    greedy: Array


class PatternState(NamedTuple):
    weights: Array  # `float32[P, E]`
    tables: Array  # the same as they are played with, `int16[P, E]`
    rollout: PatternRollout


@dataclass(frozen=True)
class PatternLearner(Learner[Any]):
    name: ClassVar[str] = "patterns"
    config_type: ClassVar[type[Config]] = PatternConfig
    games: ClassVar[tuple[str, ...]] = PatternAgent.games
    one_seed_at_a_time: ClassVar[bool] = True

    config: PatternConfig

    @property
    def known(self) -> PatternTables[Any]:
        return tables_of(self.game)

    def init(self, key: Key) -> PatternState:
        tables = blank(self.game, self.config.phases)
        room = self.config.num_steps, self.config.num_envs
        shapes = jax.eval_shape(self._one_move)
        rollout = jax.tree.map(lambda x: jnp.zeros((*room, *x.shape), x.dtype), shapes)
        return PatternState(tables.astype(jnp.float32), tables, rollout)

    def act(self, state: PatternState, memory: None, views: Any, keys: Key, clock: Clock) -> tuple[Array, Lookahead]:
        """Any move with a probability that falls from 1 to epsilon while the game opens, else one of the best."""
        config, legal = self.config, jax.vmap(self.game.legal)(views)
        worth = jax.vmap(lambda s: after_moves(self.game, state.tables, s))(views)
        ply = jax.vmap(self.known.plies)(views)
        epsilon = jnp.maximum(config.epsilon, 1 - ply / max(config.opening, 1)) if config.opening else config.epsilon
        epsilons = jnp.broadcast_to(epsilon, ply.shape)
        action = jax.vmap(epsilon_greedy)(worth, legal, epsilons, keys)
        most = jnp.where(legal, worth, -jnp.inf).max(axis=1)
        return action, Lookahead(most, jnp.take_along_axis(worth, action[:, None], axis=1)[:, 0] == most)

    def update(
        self, state: PatternState, memory: None, turn: Turn[Any], key: Key, clock: Clock
    ) -> tuple[PatternState, None, Means]:
        """Record the moves, and learn when the rollout is full."""
        seen: Lookahead = turn.extra
        mover, following = jax.vmap(self.game.player)(turn.s), jax.vmap(self.game.player)(turn.t)
        played = PatternRollout(
            jax.vmap(self.known.board)(turn.s),
            seen.best,
            seen.greedy & ~turn.done,
            jnp.where(mover == following, 1.0, -1.0),
        )
        at = clock.steps % self.config.num_steps
        rollout: PatternRollout = jax.tree.map(
            lambda whole, new: lax.dynamic_update_index_in_dim(whole, new, at, 0), state.rollout, played
        )
        weights, tables, loss = lax.cond(
            at == self.config.num_steps - 1,
            lambda: self._learn(state, rollout, clock),
            lambda: (state.weights, state.tables, Mean(jnp.float32(0), jnp.float32(0))),
        )
        metrics = {"loss": loss, "black": Mean.of(turn.returns[:, 0], turn.done)}
        return PatternState(weights, tables, rollout), None, metrics

    def params(self, state: PatternState) -> Array:
        return state.tables

    def agent(self) -> dict[str, Any]:
        return {"kind": PatternAgent.kind, "phases": self.config.phases}

    def _learn(self, state: PatternState, rollout: PatternRollout, clock: Clock) -> tuple[Array, Array, Mean]:
        """Weights and tables after a rollout, and the squared errors."""
        config, known = self.config, self.known
        boards = jax.tree.map(lambda x: x.reshape(-1), rollout.board)
        index, images = (
            known.entries(config.phases, boards, mirrored=mirrored) for mirrored in (False, True)
        )  # [I, N]
        value = known.value(total(state.tables, index).astype(jnp.float32) / known.unit)
        largest = known.largest_error
        errors = jnp.clip(self._returns(rollout).reshape(-1) - value, -largest, largest)
        # Whole numbers as fine as still cannot overflow, however many positions meet in one entry.
        fine = 2.0 ** (30 - (errors.size * largest * known.meetings - 1).bit_length())
        whole = jnp.broadcast_to(jnp.round(errors * fine).astype(jnp.int32), index.shape)
        other = index != images
        none = jnp.zeros(state.tables.size, jnp.int32)
        summed = none.at[index].add(whole).at[images].add(jnp.where(other, whole, 0))
        count = none.at[index].add(1).at[images].add(other.astype(jnp.int32))
        rate = linear(config.learning_rate, config.learning_rate_end, clock.games / config.episodes) / len(index)
        # Where nothing was met there is nothing to divide.
        step = summed.astype(jnp.float32) / fine / jnp.maximum(count + config.damping, 1)
        limit = LARGEST / known.unit
        weights = jnp.clip(state.weights + rate * step.reshape(state.weights.shape), -limit, limit)
        return weights, jnp.round(weights * known.unit).astype(jnp.int16), Mean.of(errors**2)

    def _returns(self, rollout: PatternRollout) -> Array:
        """Lambda-returns, `float32[T, B]`; what came after the last move is not known."""

        def back(following: tuple[Array, Array], now: PatternRollout) -> tuple[tuple[Array, Array], Array]:
            known, later = following
            goes_on = now.greedy & known
            found = lambda_return(jnp.float32(0), 1.0, self.config.lambda_, now.best, now.sign * later)
            target = jnp.where(goes_on, found, now.best)
            return (jnp.ones_like(known), target), target

        nothing = jnp.zeros(rollout.best.shape[1], bool), jnp.zeros(rollout.best.shape[1])
        return lax.scan(back, nothing, rollout, reverse=True)[1]

    def _one_move(self) -> PatternRollout:
        none = jnp.float32(0)
        return PatternRollout(self.known.board(self.game.init(jax.random.key(0))), none, jnp.bool_(False), none)
