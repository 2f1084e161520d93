"""The points of the paper on Ur: what its agents were taught to collect, beside the rules, which only know the winner.

Source. S. Malhotra, G. Malik, "Solving Royal Game of Ur Using Reinforcement Learning", 2022, section 3.4.
"""

import jax
import jax.numpy as jnp

from ludens.core.types import Action, Array
from ludens.games.ur import State, Ur

WIN = 100.0
CAPTURE = 10.0
REFUGE = 20.0
"""For landing on b4, where a piece on the shared row is safe."""
WAR = -1.0
"""For landing anywhere else on the shared row, captures included: the piece may be sent back."""

_WAR_ZONE = 0x1FE0  # path squares 5-12, bit i for square i
_B4 = 1 << 8


def paper_reward(game: Ur, s: State, a: Action, t: State) -> Array:
    """What the move from `s` to `t` earns each seat, `float32[2]`: the mover collects, the other side gets nothing.

    Points add up, so a capture counts 10 - 1. Losing costs nothing.
    """
    same = t.turn == s.turn
    own, other = jnp.where(same, t.own, t.other), jnp.where(same, t.other, t.own)
    landed = own & ~s.own
    earned = (
        WIN * game.done(t)
        + CAPTURE * (other != s.other)
        + REFUGE * (landed & _B4 != 0)
        + WAR * (landed & (_WAR_ZONE & ~_B4) != 0)
    )
    return jnp.where(jax.nn.one_hot(s.turn, 2, dtype=jnp.bool_), earned, 0.0).astype(jnp.float32)
