"""What the tabular learners share: tables with an entry for each move of each decision, and how they are filled.

Each seat learns for itself, in a table of its own, from its own transitions (`pending.py`), and earns what the seat was
paid on the way (`players.rewards`). A game cut short at its limit of turns ends there as if by its rules.

With many games side by side the entries that several of them change in the same step move once, towards the mean of
what these games ask for.

The tables are one array in which entry `(table * N + decision) * K + move` belongs to a move; everything that learns
changes it in place. They may be large (`Ur()`: two of 136 MB), so nothing here may make XLA copy them: what is read is
read before it is written, and rare updates are loops that are usually not entered, since a condition would copy.

Shapes: `B = num_envs`, `N` decisions, `K` moves at most, `P` seats, `E = tables * N * K` entries.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.batching import apart
from ludens.core.game import Game, S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.learning.pending import Pending, of_seat
from ludens.oracles.numbering import Numbering, numbered, numbering
from ludens.players.q_table import QTable
from ludens.players.rewards import NAMES, reward
from ludens.returns.exploration import epsilon_greedy
from ludens.returns.td import lambda_return


@dataclass(frozen=True)
class TabularConfig(Config):
    episodes: int = setting(100_000, "Games to train.", least=1)
    alpha: float = setting(0.1, "Step size, as in the authors' program; not in the paper.", least=0, most=1)
    gamma: float = setting(1.0, "Discount for each own turn, as in the authors' program.", least=0, most=1)
    epsilon: float = setting(0.1, "Probability of a random move while learning.", least=0, most=1)
    reward: str = setting("paper", "`paper` (Ur: points on the way; else the result) or `result`.", choices=NAMES)
    shared: bool = setting(False, "One table for all seats, as in the authors' program, not one each, as in the paper.")


class Choice(NamedTuple):
    """A decision and what was chosen; in a batch everything `[B]`."""

    seat: Array  # who chose, `int32[]`
    entry: Array  # the entry of the move chosen, `int32[]`
    move: Array  # that move, counted among the legal ones, `int32[]`
    q_values: Array  # the entries of all moves, `float32[K]`
    legal: Array  # which of them are moves, `bool[K]`


@dataclass(frozen=True)
class Tabular(Learner[S]):
    """Chooses; subclasses learn. State: `q`, `float32[E]`, and what a subclass adds."""

    config_type: ClassVar[type[Config]] = TabularConfig
    one_seed_at_a_time: ClassVar[bool] = True

    config: TabularConfig

    def __post_init__(self) -> None:
        numbering(self.game)

    @classmethod
    def learns(cls, game: Game[Any]) -> bool:
        """Every game whose positions are numbered."""
        return numbered(game)

    def init(self, key: Key) -> Any:
        """Every entry 0, as in the authors' program."""
        return {"q": jnp.zeros(self._tables * self._rows.decisions * self._rows.width, jnp.float32)}

    def act(self, state: Any, memory: Any, views: S, keys: Key, clock: Clock) -> tuple[Array, Choice]:
        rows = self._rows
        seat = jax.vmap(self.game.player)(views)
        table = jnp.int32(0) if self.config.shared else seat
        first = (table * rows.decisions + jax.vmap(rows.decision)(views)) * rows.width
        q_values = _look_up(state["q"], first, rows.width, (seat >= 0).any())

        def one(s: S, seat: Array, first: Array, q_values: Array, key: Key) -> tuple[Array, Choice]:
            legal = rows.moves(s)
            move = epsilon_greedy(q_values, legal, self.config.epsilon, key)
            return rows.action(s, move), Choice(seat, first + move, move, q_values, legal)

        chosen: tuple[Array, Choice] = jax.vmap(one)(views, seat, first, q_values, keys)
        return chosen

    def params(self, state: Any) -> Any:
        return {"q": state["q"].reshape(self._tables, self._rows.decisions, self._rows.width)}

    def agent(self) -> dict[str, Any]:
        most = reward(self.config.reward, self.game).most
        return {"kind": QTable.kind, "shared": self.config.shared, "most": most}

    @property
    def _rows(self) -> Numbering[S]:
        return numbering(self.game)

    @property
    def _tables(self) -> int:
        return 1 if self.config.shared else self.game.num_players

    def _rewards(self, turn: Turn[S]) -> Array:
        """What each seat is paid for the moves just made, `float32[B, P]`."""
        rewards: Array = jax.vmap(reward(self.config.reward, self.game).earned)(turn.s, turn.action, turn.t)
        return rewards

    def _towards(self, q: Array, entries: Array, targets: Array, wanted: Array) -> tuple[Array, Array, Mean]:
        """Q(s, a) <- Q(s, a) + alpha (target - Q(s, a)) for `entries` `int32[M]`, `targets` `float32[M]`.

        Only where `wanted` `bool[M]`. Also what they were before, `float32[M]`, and the squared error. Entries named
        more than once move towards the mean of their targets.
        """
        known = _look_up(q, entries, 1, wanted.any())[:, 0]
        error = jnp.where(wanted, targets - known, 0)
        alike = (entries[:, None] == entries[None, :]) & wanted[None, :]
        mean = jnp.where(alike, error[None, :], 0).sum(axis=1) / jnp.maximum(alike.sum(axis=1), 1)
        # Set, not added to: whoever names the same entry writes the same number, so their order does not matter.
        places = jnp.where(wanted, entries, q.size)  # beyond the last: dropped
        return q.at[places].set(known + self.config.alpha * mean, mode="drop"), known, Mean.of(error**2, wanted)


def _look_up(q: Array, firsts: Array, width: int, any_wanted: Array) -> Array:
    """The `width` entries from each of `firsts` `int32[M]` on, `float32[M, width]`; anything unless `any_wanted`."""

    def read(q: Array, firsts: Array) -> Array:
        return jax.vmap(lambda first: lax.dynamic_slice(q, (first,), (width,)))(firsts)

    return apart(any_wanted, read, q, firsts)


@dataclass(frozen=True)
class OneStep(Tabular[S]):
    """Learns at every turn, from a decision to the next of the same seat; subclasses differ in the target.

    Memory: the entry of each seat's last move, -1 before its first.
    """

    @abstractmethod
    def target(self, reward: Array, choice: Choice) -> Array:
        """What Q(s, a) should be, given all that was paid since and the seat's next decision, `float32[]`."""

    def init_memory(self) -> Pending:
        seats = self.game.num_players
        return Pending(jnp.full(seats, -1, jnp.int32), jnp.zeros(seats, jnp.float32))

    def update(self, state: Any, memory: Pending, turn: Turn[S], key: Key, clock: Clock) -> tuple[Any, Pending, Means]:
        """Close the movers' last transitions, begin new ones, and close all where the game is over."""
        choice: Choice = turn.extra
        mover = jnp.arange(self.game.num_players) == choice.seat[:, None]  # [B, P]
        before = of_seat(mover, memory)
        targets = jax.vmap(self.target)(before.reward, choice)
        q, _, error = self._towards(state["q"], jnp.maximum(before.decision, 0), targets, before.decision >= 0)
        memory = memory.follow(mover, choice.entry, self._rewards(turn))

        def close(seat: Array, carry: tuple[Array, Mean]) -> tuple[Array, Mean]:
            entry, reward = memory.decision[:, seat], memory.reward[:, seat]
            q, _, last = self._towards(carry[0], jnp.maximum(entry, 0), reward, turn.done & (entry >= 0))
            return q, jax.tree.map(jnp.add, carry[1], last)

        seats = jnp.where(turn.done.any(), self.game.num_players, 0)
        q, error = lax.fori_loop(0, seats, close, (q, error))
        return {"q": q}, memory, {"loss": error}


class EpisodeRecord(NamedTuple):
    """The games under way, turn by turn; what lies beyond the last turn of a game is left over from older ones."""

    seat: Array  # who chose, `int32[B, turn_limit]`
    entry: Array  # the entry of the move chosen, `int32[B, turn_limit]`
    reward: Array  # what each seat was paid for it, `float32[B, turn_limit, P]`


@dataclass(frozen=True)
class Episodic(Tabular[S]):
    """Learns when a game is over, backwards from its last turn, from the lambda-return G of each decision:

    Q(s, a) <- Q(s, a) + alpha (G - Q(s, a)),

    where what follows is the next decision of the same seat (G = r for its last) and its Q is what it was before this
    game changed it. Every visit counts. Games that end in the same step are learned from one after another.
    """

    @property
    @abstractmethod
    def trace(self) -> float:
        """Lambda."""

    def init(self, key: Key) -> Any:
        shape = (self.config.num_envs, self.game.turn_limit)
        episode = EpisodeRecord(
            jnp.zeros(shape, jnp.int32), jnp.zeros(shape, jnp.int32), jnp.zeros((*shape, self.game.num_players))
        )
        return super().init(key) | {"episode": episode}

    def update(self, state: Any, memory: None, turn: Turn[S], key: Key, clock: Clock) -> tuple[Any, None, Means]:
        """Write the turn down, and learn from games that are over."""
        choice: Choice = turn.extra
        lanes = jnp.arange(self.config.num_envs)
        now = EpisodeRecord(choice.seat, choice.entry, self._rewards(turn))
        episode: EpisodeRecord = jax.tree.map(lambda old, new: old.at[lanes, turn.ply].set(new), state["episode"], now)

        def next_over(after: Array) -> Array:
            """The first game after lane `after` that is over; B if there is none."""
            return jnp.where(turn.done & (lanes > after), lanes, self.config.num_envs).min()

        def learn(carry: tuple[Array, Array, Mean]) -> tuple[Array, Array, Mean]:
            lane, q, error = carry
            q, of_game = self._learn_game(q, episode, lane, turn.ply[lane])
            return next_over(lane), q, jax.tree.map(jnp.add, error, of_game)

        nothing = Mean(jnp.float32(0), jnp.float32(0))
        first = next_over(jnp.int32(-1))
        _, q, error = lax.while_loop(lambda carry: carry[0] < self.config.num_envs, learn, (first, state["q"], nothing))
        return {"q": q, "episode": episode}, memory, {"loss": error}

    def _learn_game(self, q: Array, episode: EpisodeRecord, lane: Array, last: Array) -> tuple[Array, Mean]:
        """Go through a game from turn `last` back to the first."""
        seats = jnp.arange(self.game.num_players)

        def back(n: Array, carry: tuple[Array, Array, Mean]) -> tuple[Array, Array, Mean]:
            q, returns, error = carry  # `returns` float32[P]: what follows each seat's decision before this turn
            seat, entry, reward = jax.tree.map(lambda each: each[lane, last - n], episode)
            mover = seats == seat
            returns = returns + reward
            target = jnp.where(mover, returns, 0).sum()
            q, known, of_turn = self._towards(q, entry[None], target[None], entry[None] >= 0)
            before = lambda_return(jnp.float32(0), self.config.gamma, self.trace, known[0], target)
            return q, jnp.where(mover, before, returns), jax.tree.map(jnp.add, error, of_turn)

        nothing = jnp.zeros(self.game.num_players), Mean(jnp.float32(0), jnp.float32(0))
        q, _, error = lax.fori_loop(0, last + 1, back, (q, *nothing))
        return q, error
