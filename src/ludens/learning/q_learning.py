"""Q-learning with a table (Watkins and Dayan 1992), as in the paper on Ur (table 1, figure 9).

Q(s, a) <- Q(s, a) + alpha (r + gamma max_a' Q(s', a') - Q(s, a))

S. Malhotra, G. Malik, "Solving Royal Game of Ur Using Reinforcement Learning", 2022. What it leaves open, and what all
tabular learners do the same way, is in `tabular.py`.
"""

from typing import ClassVar

from ludens.core.game import S
from ludens.core.types import Array
from ludens.learning.tabular import Choice, OneStep
from ludens.returns.td import q_learning_target


class QLearning(OneStep[S]):
    """Learns what the best move is worth while playing others too."""

    name: ClassVar[str] = "q-learning"

    def target(self, reward: Array, choice: Choice) -> Array:
        return q_learning_target(reward, self.config.gamma, choice.q_values, choice.legal)
