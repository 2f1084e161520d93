"""The agent of the thesis on Okey: one net decides where to draw from, another what to throw (chapter 3).

    draw actor       107 inputs, one hidden layer, 2 outputs: take the discard, draw from the centre (figures 5 and 6)
    discard actor    53 inputs, three hidden layers, 15 outputs: the tiles of the hand in ascending order (figure 7)

Outputs become probabilities by a softmax; hidden units are rectified. Equal tiles are separate outputs, so the
probability of throwing a kind is what its tiles have together. With `discards` both nets also see all tiles that lie
on the table, the wish of chapter 5. The twin of the indicator is never shown: the nets have no output for it.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.game import sample as drawn
from ludens.core.player import Decision
from ludens.core.types import Array, Key
from ludens.games.okey import DISCARD, DRAW, FIRST_DISCARD, KINDS, TAKE, Okey, State
from ludens.nets.mlp import MLP, fan_in
from ludens.players import okey_encoding as encoding
from ludens.players.agent import Agent

SOURCES = (TAKE, 0)
"""The game's actions for the outputs of the draw actor: take the discard, draw from the centre."""
LAYERS = 3
"""Hidden layers of the discard actor."""


class Actors(NamedTuple):
    """Who decides."""

    draw: MLP
    discard: MLP


def actors(key: Key, game: Okey, *, draw_hidden: int, hidden: int, discards: bool) -> Actors:
    first, second = jax.random.split(key)
    drawing, discarding = inputs(game, discards=discards)
    return Actors(
        MLP.create(first, [drawing, draw_hidden, len(SOURCES)], draw=fan_in, hidden=jax.nn.relu),
        MLP.create(second, [discarding, *(hidden,) * LAYERS, encoding.TILES], draw=fan_in, hidden=jax.nn.relu),
    )


def inputs(game: Okey, *, discards: bool) -> tuple[int, int]:
    """How many numbers each of the actors sees."""
    table = KINDS * game.players if discards else 0
    return encoding.DRAWING + table, encoding.DISCARDING + table


def drawing(game: Okey, view: State, *, discards: bool) -> Array:
    """What the draw actor sees, `float32[107 (+ 53 P)]`: whole numbers below 128."""
    return _with_table(game, view, encoding.drawing(view), discards)


def discarding(game: Okey, view: State, *, discards: bool) -> Array:
    """What the discard actor sees, and whoever judges its positions, `float32[53 (+ 53 P)]`: likewise."""
    return _with_table(game, view, encoding.discarding(view), discards)


def draws(view: State) -> Array:
    """Whether the mover has to draw, `bool[]`."""
    return view.phase == DRAW


def throws(view: State) -> Array:
    """Whether the mover has to throw a tile, `bool[]`."""
    return view.phase == DISCARD


def source(output: Array) -> Array:
    """The game's action for an output of the draw actor (`int32[]`), `int32[]`."""
    return jnp.where(output == 0, *SOURCES).astype(jnp.int32)


def thrown(view: State, place: Array) -> Array:
    """The game's action for an output of the discard actor (`int32[]`), `int32[]`."""
    return encoding.discard(view, place)


def choose(logits: Array, key: Key, *, greedy: bool) -> Array:
    """The first of the highest outputs (`float32[N]`), or one drawn by the softmax of them, `int32[]`."""
    return (jnp.argmax(logits) if greedy else drawn(jax.nn.softmax(logits), key)).astype(jnp.int32)


@dataclass(frozen=True)
class TwoActors(Agent[State]):
    """Does what its actors find likeliest, or draws by their probabilities; scores are probabilities."""

    kind: ClassVar[str] = "two-actors"
    scores_are: ClassVar[str] = "probability"
    games: ClassVar[tuple[str, ...]] = (Okey.id,)
    game: Okey

    draw_hidden: int
    """Hidden units of the draw actor."""
    hidden: int
    """Units of each hidden layer of the discard actor."""
    discards: bool
    """Whether the actors see all discards."""
    sample: bool = False
    """Whether acts are drawn by their probabilities."""

    def create(self, key: Key) -> Actors:
        sizes = {"draw_hidden": self.draw_hidden, "hidden": self.hidden}
        return actors(key, self.game, discards=self.discards, **sizes)

    def act(self, params: Actors, key: Key, view: State) -> Decision:
        """The act that belongs to the likeliest output, or to one drawn."""
        game, greedy = self.game, not self.sample
        to_draw = params.draw(drawing(game, view, discards=self.discards))
        to_throw = params.discard(discarding(game, view, discards=self.discards))
        drawing_now = draws(view)
        action = jnp.where(
            drawing_now,
            source(choose(to_draw, key, greedy=greedy)),
            thrown(view, choose(to_throw, key, greedy=greedy)),
        )
        sources = jnp.zeros(game.num_actions).at[jnp.array(SOURCES)].set(jax.nn.softmax(to_draw))
        kinds = jnp.arange(game.num_actions) == FIRST_DISCARD + encoding.tiles(view)[:, None]  # [15, A]
        likely = jnp.where(drawing_now, sources, (kinds * jax.nn.softmax(to_throw)[:, None]).sum(axis=0))
        return Decision(action, jnp.where(game.legal(view), likely, -jnp.inf))


def _with_table(game: Okey, view: State, seen: Array, discards: bool) -> Array:
    return jnp.concatenate([seen, encoding.all_discards(game, view)]) if discards else seen
