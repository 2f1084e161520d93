"""Sarsa with a table (Rummery and Niranjan 1994): the rule from which the paper on Ur derives Expected Sarsa.

Q(s, a) <- Q(s, a) + alpha (r + gamma Q(s', a') - Q(s, a)), a' being the move played in s'.

What all tabular learners do the same way is in `tabular.py`.
"""

from typing import ClassVar

from ludens.core.game import S
from ludens.core.types import Array
from ludens.learning.tabular import Choice, OneStep
from ludens.returns.td import sarsa_target


class Sarsa(OneStep[S]):
    """Learns what its own way of playing is worth, from what it plays next."""

    name: ClassVar[str] = "sarsa"

    def target(self, reward: Array, choice: Choice) -> Array:
        return sarsa_target(reward, self.config.gamma, choice.q_values, choice.move)
