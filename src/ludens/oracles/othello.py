"""Othello on 4x4, solved: every position that play can reach, found from the start and settled from the ends.

A position is known by its discs, one word: the mover's in the lower 16 bits, the opponent's in the upper. The table has
these words in order (`keys`) and the outcome of each; a position is found by halving the interval. Positions that play
cannot reach are not in the table.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, sign
from ludens.core.types import Array
from ludens.games.othello import Othello, State
from ludens.oracles.oracle import Lookup
from ludens.oracles.retrograde import Graph, Retrograde, end

SIZE = 4
BATCH = 4096
"""Positions looked at together; one compiled program serves all."""


@dataclass(frozen=True)
class OthelloOracle(Retrograde[State]):
    """Perfect play in 4x4 Othello. Table: `keys`, `uint32[N]`, and `outcome`."""

    numbered_by: ClassVar[tuple[str, ...]] = ("keys",)

    @classmethod
    def solves(cls, game: Game[Any]) -> bool:
        return isinstance(game, Othello) and game.size == SIZE

    @property
    def most_moves(self) -> int:
        return SIZE * SIZE - 4

    def decisions(self, table: Lookup) -> int:
        """Every position that play can reach, finished ones too."""
        return len(table["keys"])

    def graph(self) -> Graph:
        """Everything that play can reach, ply by ply."""
        look = jax.jit(jax.vmap(self._look))
        latest = jax.tree.map(lambda x: np.asarray(x)[None], self.game.init(jax.random.key(0)))
        known, plies = np.asarray(_key(latest)), []
        while latest.turn.size:
            ply = _in_batches(look, latest)
            plies.append(ply._replace(after=None))
            keys, first = np.unique(ply.after_keys, return_index=True)
            fresh = ~np.isin(keys, known)
            known = np.concatenate([known, keys[fresh]])
            latest = jax.tree.map(lambda x, rows=first[fresh]: x.reshape(-1)[rows], ply.after)
        found = jax.tree.map(lambda *parts: np.concatenate(parts), *plies)
        order = np.argsort(found.key)
        keys = found.key[order]
        out = np.searchsorted(keys, found.after_keys[order]).astype(np.int32)
        out = np.where(found.again[order], ~out, out)
        return Graph({"keys": keys}, *(jnp.asarray(x) for x in (out, found.over[order], found.final[order])))

    def index(self, table: Lookup, s: State) -> Array:
        """Its place among the keys, `int32[]`."""
        keys, key = jnp.asarray(table["keys"]), _key(s)
        i = jnp.minimum(jnp.searchsorted(keys, key), keys.shape[0] - 1).astype(jnp.int32)
        return jnp.where(keys[i] == key, i, -1)

    def _look(self, s: State) -> "_Seen":
        """One position and its neighbours; instead of an illegal action the first legal one is played again."""
        legal = self.game.legal(s)
        actions = jnp.where(legal, jnp.arange(self.game.num_actions), jnp.argmax(legal))
        after = jax.vmap(lambda a: self.game.apply(s, a))(actions)
        again = jax.vmap(lambda t: sign(self.game, s, t) > 0)(after)
        return _Seen(_key(s), after, _key(after), again, *end(self.game, s))


class _Seen(NamedTuple):
    """A position and where its actions lead, everything a batch `[N]`."""

    key: Any
    """Its discs, `uint32[]`."""
    after: Any
    """The states after each action, `[A]`; itself once the game is over."""
    after_keys: Any
    """Their discs, `uint32[A]`."""
    again: Any
    """Whether the same side moves there, `bool[A]`."""
    over: Any
    """Whether the game is over, `bool[]`."""
    final: Any
    """Its outcome if so, `int32[]`."""


def _key(s: State) -> Array:
    """The discs of both sides in one word, `uint32[...]`."""
    return s.own.lo | s.opponent.lo << 16


def _in_batches(look: Any, states: State) -> Any:
    """What `look` says of all `states`, on the host; the last one fills the last batch up."""
    size, parts = states.turn.size, []
    for start in range(0, size, BATCH):
        rows = np.minimum(np.arange(start, start + BATCH), size - 1)
        parts.append(jax.tree.map(np.asarray, look(jax.tree.map(lambda x, rows=rows: x[rows], states))))
    return jax.tree.map(lambda *xs: np.concatenate(xs)[:size], *parts)
