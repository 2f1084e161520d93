"""Expected Sarsa with a table (van Seijen et al. 2009), as in the paper on Ur (table 1, figure 10).

Q(s, a) <- Q(s, a) + alpha (r + gamma sum_a' pi(a' | s') Q(s', a') - Q(s, a)), pi being the epsilon-greedy policy.

S. Malhotra, G. Malik, "Solving Royal Game of Ur Using Reinforcement Learning", 2022. What it leaves open, and what all
tabular learners do the same way, is in `tabular.py`.
"""

from typing import ClassVar

import jax.numpy as jnp

from ludens.core.game import S
from ludens.core.types import Array
from ludens.learning.tabular import Choice, OneStep


class ExpectedSarsa(OneStep[S]):
    """Learns what its own way of playing is worth, whatever it happens to play next."""

    name: ClassVar[str] = "expected-sarsa"

    def worth(self, choice: Choice) -> Array:
        """The highest entry, or with probability epsilon the mean of all."""
        best = jnp.where(choice.open, choice.figures, -jnp.inf).max()
        mean = jnp.where(choice.open, choice.figures, 0).sum() / choice.open.sum()
        return (1 - self.config.epsilon) * best + self.config.epsilon * mean
