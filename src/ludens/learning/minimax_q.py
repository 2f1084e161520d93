"""Minimax-Q with nets: what van Eck and van Wezel (2008, section 6) plan to do next.

M. L. Littman, "Markov games as a framework for multi-agent reinforcement learning", ICML 1994. In a game of two sides
that move in turn, what is good for one is bad for the other, and one learner does for both:

    Q_target(s, a) = (1 - alpha) Q(s, a) + alpha (r - gamma max_a' Q(s', a'))

where s' is the next position in which anybody decides; if it is the same side again, because the other must pass, the
maximum counts for it. Littman's players choose at the same time and his maximum is over mixed strategies, by linear
programming; where one side sees the other's move, this is what is left of it.

Everything else is as in neural Q-learning (`neural_q.py`), the settings included.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludens.core.game import S
from ludens.learning.neural_q import NeuralQ


@dataclass(frozen=True)
class MinimaxQ(NeuralQ[S]):
    name: ClassVar[str] = "minimax-q"
    learners: ClassVar[int] = 1
