"""The two equations of chung-toi.txt, section 3.2, sum by sum, in plain Python: nothing is gathered in traces.

A net with inputs x, hidden units and one linear output. `w_jh[h]` leads from hidden unit `h` to the output, its last
entry is the output's bias; `w_hi[h][i]` from input `i` to hidden unit `h`, the last of each its bias.
"""

import math


def f(v: float) -> float:
    return 1.7159 * math.tanh(2 * v / 3)


def f_slope(v: float) -> float:
    return 1.7159 * (2 / 3) * (1 - math.tanh(2 * v / 3) ** 2)


class Net:
    def __init__(self, w_hi: list[list[float]], w_jh: list[float]) -> None:
        self.w_hi, self.w_jh = [list(row) for row in w_hi], list(w_jh)
        self.past: list[tuple[list[list[float]], list[float]]] = []  # the gradients of all time steps so far

    def forward(self, x: list[float]) -> tuple[float, list[float], list[float]]:
        x = [*x, 1.0]
        v_h = [sum(w * each for w, each in zip(row, x, strict=True)) for row in self.w_hi]
        y_h = [*(f(v) for v in v_h), 1.0]
        return sum(w * y for w, y in zip(self.w_jh, y_h, strict=True)), v_h, y_h

    def step(self, x: list[float], after: float, *, alpha: float, lam: float) -> None:
        """Time step t in the position `x`, with P(t+1) = `after`."""
        now, v_h, y_h = self.forward(x)
        to_hidden = [[self.w_jh[h] * f_slope(v_h[h]) * x_i for x_i in [*x, 1.0]] for h in range(len(v_h))]
        self.past.append((to_hidden, y_h))
        t = len(self.past)
        for h in range(len(self.w_jh)):
            self.w_jh[h] += (
                alpha * (after - now) * sum(lam ** (t - k) * self.past[k - 1][1][h] for k in range(1, t + 1))
            )
        for h in range(len(self.w_hi)):
            for i in range(len(self.w_hi[h])):
                gathered = sum(lam ** (t - k) * self.past[k - 1][0][h][i] for k in range(1, t + 1))
                self.w_hi[h][i] += alpha * (after - now) * gathered
