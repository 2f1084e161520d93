"""Neural Q-learning and minimax-Q as slow plain NumPy, straight from figure 4 of the paper: one game at a time.

Boards come from the plain Othello of this folder. A net is a pair of matrices whose last column is the bias.
"""

import numpy as np

from reference import othello

SEATS = {"X": 0, "O": 1}


class Net:
    """64-44-64 or any other size: w1 is [hidden, squares + 1], w2 is [squares, hidden + 1]."""

    def __init__(self, w1, w2):
        self.w1, self.w2 = np.array(w1, np.float64), np.array(w2, np.float64)

    def forward(self, x):
        h = np.tanh(self.w1 @ np.append(x, 1))
        return h, np.tanh(self.w2 @ np.append(h, 1))

    def backpropagate(self, x, a, error, rate):
        h, y = self.forward(x)
        out = error * (1 - y[a] ** 2)
        hidden = out * self.w2[a, :-1] * (1 - h**2)
        self.w2[a] += rate * out * np.append(h, 1)
        self.w1 += rate * np.outer(hidden, np.append(x, 1))


class NetPerSquare:
    """A net of its own for each square, asked as if they were one."""

    def __init__(self, nets):
        self.nets = nets

    def forward(self, x):
        return None, np.array([net.forward(x)[1][0] for net in self.nets])

    def backpropagate(self, x, a, error, rate):
        self.nets[a].backpropagate(x, 0, error, rate)


def net_of(weights, player):
    """The reference's net, or nets, with the weights that `ludens.nets.q_nets` keeps for a player."""
    hidden, hidden_bias, output, output_bias = (
        np.asarray(weights[name][player]) for name in ("hidden", "hidden_bias", "output", "output_bias")
    )
    if hidden.ndim == 2:
        return Net(np.hstack([hidden, hidden_bias[:, None]]), np.hstack([output, output_bias[:, None]]))
    return NetPerSquare(
        [
            Net(np.hstack([hidden[a].T, hidden_bias[a][:, None]]), np.append(output[a], output_bias[a])[None])
            for a in range(len(output))
        ]
    )


def flat(net):
    """All weights of a net, or of nets, in one row."""
    if isinstance(net, NetPerSquare):
        return np.concatenate([flat(each) for each in net.nets])
    return np.concatenate([net.w1.ravel(), net.w2.ravel()])


def board(position):
    """+1 own, -1 other, 0 empty, as the mover sees it."""
    values = {None: 0, position.mover: 1, othello.OTHER[position.mover]: -1}
    return np.array([values[position.discs.get(square)] for square in othello.squares(position.size)], float)


def learn(games, nets, *, size, alpha, rate, gamma=1.0, minimax=False, chosen=None):
    """Change `nets` (by seat; the same one twice if it plays both) as they play the recorded `games`.

    A game is a list of moves, squares or "pass", possibly unfinished. `chosen(net, x, legal, a)` is told of every
    decision, with the weights as they were when it was made.
    """
    names = othello.squares(size)
    for moves in games:
        position, last = othello.start(size), {}
        for move in moves:
            seat = SEATS[position.mover]
            if move != "pass":
                x, legal = board(position), [names.index(each) for each in othello.placements(position, position.mover)]
                best = nets[seat].forward(x)[1][legal].max()
                # The decision this one is the outcome of: the mover's own, or in minimax-Q whoever's was last.
                for other in list(last) if minimax else [seat]:
                    if other in last:
                        seen = gamma * (best if other == seat else -best)
                        _adjust(nets[other], *last.pop(other), seen, alpha, rate)
                if chosen:
                    chosen(nets[seat], x, legal, names.index(move))
                last[seat] = (x, names.index(move))
            position = othello.play(position, move)
        if othello.over(position):
            black = np.sign(othello.margin(position))
            for seat, decision in last.items():
                _adjust(nets[seat], *decision, black if seat == 0 else -black, alpha, rate)


def _adjust(net, x, a, seen, alpha, rate):
    output = net.forward(x)[1][a]
    target = (1 - alpha) * output + alpha * seen
    net.backpropagate(x, a, target - output, rate)
