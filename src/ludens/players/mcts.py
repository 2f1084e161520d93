"""The player who grows a tree of what may come: `mcts:400`; others may judge its leaves: `mcts:400:material`.

`mcts:400:run:DIR` asks what was learned in a run: what positions are worth, and which actions look likely, so far as
the agent says either. What it does not say is found out as without it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, pick, sign
from ludens.core.player import Decision, Player, alone, best, whole_number
from ludens.core.types import Array, Key
from ludens.players.agent import LearnedEvaluator
from ludens.players.evaluators import evaluator
from ludens.players.learned import learned
from ludens.players.okey import hands_judge
from ludens.search.mcts import MCTSResult, movers_view, rollouts, search
from ludens.search.tree import LeafJudge

MOST_SIMULATIONS = 100_000
LANES = 16
"""Positions that `analyse` searches at a time."""
WORLDS = 16
"""Ways in which hidden facts are imagined, if there are as many simulations."""
JUDGES: dict[str, Callable[[Any], LeafJudge[Any]]] = {"okey": hands_judge}
"""Who judges the leaves unless told otherwise, by the game's id; elsewhere random games (`rollouts`) do."""


@dataclass(frozen=True)
class MCTS(Player[S]):
    """Plays the move most looked into; of several the one with the best mean, and of those any.

    Scores are mean results for the mover, -1 to 1, so that `(1 + score) / 2` is the chance to win where nothing is
    drawn. A legal move that was never tried has nothing to speak for it and gets -1.
    """

    simulations: int = 400
    """Positions looked at for one decision."""
    evaluator: Evaluator[S] | None = None
    """Who judges the leaves; None: a random game from there on, in Okey the distances to a finished hand."""

    def __post_init__(self) -> None:
        if type(self.simulations) is not int or not 1 <= self.simulations <= MOST_SIMULATIONS:
            said = f"simulations is {self.simulations!r}"
            raise ValueError(f"{said}: expected a whole number from 1 to {MOST_SIMULATIONS}")

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """`400` simulations; an evaluator's name, or `run` and a folder, if somebody else is to judge the leaves."""
        number = options[0] if options else str(cls.simulations)
        simulations = whole_number("simulations", number, MOST_SIMULATIONS)
        if options[1:2] == ("run",):
            return cls(game, simulations, LearnedEvaluator(game, learned(":".join(options[2:]), game)))
        return cls(game, simulations, evaluator(options[1:], game) if options[1:] else None)

    def init(self, key: Key) -> Any:
        return None if self.evaluator is None else self.evaluator.init(key)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        return alone(partial(self.act_batch, params), key, view)

    def act_batch(self, params: Any, keys: Key, views: S) -> Decision:
        """Search from many positions; a tree for each."""
        split = jax.vmap(jax.random.split)(keys)
        game = self.game.one_deal
        found = search(
            game,
            self.judge(game),
            params,
            split[:, 0],
            views,
            simulations=self.simulations,
            worlds=min(WORLDS, self.simulations) if game.hidden else 1,
        )
        legal = jax.vmap(game.legal)(views)
        return jax.vmap(decide)(found, legal, jax.vmap(partial(jax.random.bits, dtype=jnp.uint32))(split[:, 1]))

    def analyse(self, params: Any, key: Key, view: S) -> Decision:
        """As `act`, but every legal move is looked into: the position behind it gets a search of its own.

        `act` looks where play looks good, and of a move that was hardly tried its mean says little. Where fate or
        hidden facts come in between, or leaves are judged by random games, it is `act`.
        """
        game = self.game
        if game.hidden or game.rolls or self.evaluator is None:
            return self.act(params, key, view)
        legal = game.legal(view)
        in_turn = jnp.argsort(~legal)  # legal actions first
        in_turn = jnp.pad(in_turn, (0, LANES), constant_values=in_turn[-1])
        number = legal.sum(dtype=jnp.int32)

        def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            first, scores = carry
            actions = lax.dynamic_slice(in_turn, (first,), (LANES,))
            behind = jax.vmap(game.apply, (None, 0))(view, actions)
            keys = jax.vmap(partial(jax.random.fold_in, key))(actions)
            found = self.act_batch(params, keys, behind)
            worth = jax.vmap(partial(for_mover, game, view))(behind, found.scores[jnp.arange(LANES), found.action])
            return first + LANES, scores.at[actions].set(worth)

        _, scores = lax.while_loop(
            lambda carry: carry[0] < number, some, (jnp.int32(0), jnp.zeros(game.num_actions, jnp.float32))
        )
        return best(jnp.where(legal, scores, -jnp.inf), key)

    def judge(self, game: Game[S]) -> LeafJudge[S]:
        """Who judges the leaves of a search in `game`."""
        usual: LeafJudge[S] = JUDGES.get(game.id, rollouts)(game)
        who = self.evaluator
        if who is None:
            return usual
        if isinstance(who, LearnedEvaluator) and not who.agent.judges:
            # It knows what to play but not what a position is worth: that is found out as without it.
            return lambda params, key, s, seat: (who.logits(params, s), usual(None, key, s, seat)[1])
        return movers_view(game, lambda params, s: (who.logits(params, s), who.result(who.value(params, s))))


def for_mover(game: Game[S], s: S, t: S, value: Array) -> Array:
    """What a move from `s` to `t` is worth to its mover, given what `t` is worth to who moves there, `float32[]`."""
    return jnp.where(game.done(t), game.returns(t)[game.player(s)], sign(game, s, t) * value)


def decide(found: MCTSResult, legal: Array, noise: Array) -> Decision:
    tried = legal & (found.visits > 0)
    most = tried & (found.visits == jnp.where(tried, found.visits, 0).max())
    choice = most & (found.values == jnp.where(most, found.values, -jnp.inf).max())
    scores = jnp.where(tried, found.values, -1)
    return Decision(pick(choice, noise), jnp.where(legal, scores, -jnp.inf).astype(jnp.float32))
