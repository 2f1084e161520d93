"""On-policy Monte Carlo control with a table, as in the paper on Ur (table 1, figure 8).

Q(s, a) <- Q(s, a) + alpha (G - Q(s, a)), where G = r + gamma r' + ... is all that the seat earned from (s, a) on.

S. Malhotra, G. Malik, "Solving Royal Game of Ur Using Reinforcement Learning", 2022. The paper says neither which
visits count nor how returns are averaged; its authors' program counts every visit and steps by a constant alpha, from
the end of the game backwards, and so do we. What all tabular learners do the same way is in `tabular.py`.
"""

from typing import ClassVar

from ludens.core.game import S
from ludens.learning.tabular import Episodic


class MonteCarlo(Episodic[S]):
    """Learns from whole games: the lambda-return with lambda = 1 is what was earned."""

    name: ClassVar[str] = "monte-carlo"

    @property
    def trace(self) -> float:
        return 1.0
