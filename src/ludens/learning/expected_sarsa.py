"""Expected Sarsa with a table (van Seijen et al. 2009), as in the paper on Ur (table 1, figure 10).

Q(s, a) <- Q(s, a) + alpha (r + gamma sum_a' pi(a' | s') Q(s', a') - Q(s, a)), pi being the epsilon-greedy policy.

S. Malhotra, G. Malik, "Solving Royal Game of Ur Using Reinforcement Learning", 2022. What it leaves open, and what all
tabular learners do the same way, is in `tabular.py`.
"""

from typing import ClassVar

from ludens.core.game import S
from ludens.core.types import Array
from ludens.learning.tabular import Choice, OneStep
from ludens.returns.td import expected_sarsa_target


class ExpectedSarsa(OneStep[S]):
    """Learns what its own way of playing is worth, whatever it happens to play next."""

    name: ClassVar[str] = "expected-sarsa"

    def target(self, reward: Array, choice: Choice) -> Array:
        config = self.config
        return expected_sarsa_target(reward, config.gamma, choice.q_values, choice.legal, config.epsilon)
