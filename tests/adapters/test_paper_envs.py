"""The papers' environments against plain Python written from the papers' words."""

from collections import Counter
from functools import partial
from itertools import combinations
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from adapters.toy import Race
from ludens.adapters.gymnasium_env import GameEnv
from ludens.adapters.paper_envs import OkeyPaperEnv, OnitamaPaperEnv, TwoDecisions
from ludens.games.okey import OVER
from reference import okey_hands, onitama
from reference.onitama_report import CARDS, MOVES, Report
from variants import slow_but


@pytest.mark.parametrize("name", ["OnitamaPaper", "OkeyPaper"])
def test_gymnasiums_own_checker_and_vectors(name: str) -> None:
    env = gymnasium.make(f"ludens/{name}-v0", seat="random", opponent="random", render_mode="ansi")
    check_env(env.unwrapped)
    env.reset(seed=0)
    assert isinstance(env.render(), str)
    vector = gymnasium.make_vec(f"ludens/{name}-v0", num_envs=3, opponent="random")
    observation, info = vector.reset(seed=1)
    assert vector.observation_space.contains(observation)
    rng = np.random.default_rng(0)
    for _ in range(20):
        # where an episode is over any action will do: the next one begins
        chosen = [rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in info["action_mask"]]
        observation, reward, _, _, info = vector.step(np.array(chosen))
        assert vector.observation_space.contains(observation)
        assert reward.shape == (3,)


def test_what_the_papers_say_is_the_default() -> None:
    onitama_env, okey_env = gymnasium.make("ludens/OnitamaPaper-v0"), gymnasium.make("ludens/OkeyPaper-v0")
    assert onitama_env.unwrapped.game.cards == tuple(CARDS)
    assert onitama_env.action_space == gymnasium.spaces.Discrete(40)
    shapes = {name: (space.shape, space.dtype) for name, space in onitama_env.observation_space.items()}
    assert shapes == {"board": ((10, 5, 5), np.float32), "cards": ((10,), np.float32)}
    assert (okey_env.unwrapped.game.players, okey_env.unwrapped.game.longest_run) == (2, 4)
    assert okey_env.action_space == gymnasium.spaces.Discrete(17)
    shapes = {name: (space.shape, space.dtype) for name, space in okey_env.observation_space.items()}
    assert shapes == {"draw": ((107,), np.float32), "discard": ((53,), np.float32), "phase": ((), np.int64)}
    assert okey_env.unwrapped.cast.reward == "paper"
    assert gymnasium.make("ludens/OkeyPaper-v0", longest_run=5).unwrapped.game.longest_run == 5
    assert gymnasium.make("ludens/OkeyPaper-v0", players=4).unwrapped.game.players == 4
    with pytest.raises(ValueError, match="unknown reward 'points': expected 'paper' or 'sparse'"):
        OkeyPaperEnv(reward="points")


# ---------------------------------------------------------------------- Onitama


def beginnings(text: str) -> list[onitama.Position]:
    """The first positions with the cards in `text` in any hands, of which one has led there."""
    words = text.replace(",", " ").split()
    blue, red, aside = words[2:4], words[5:7], words[8]
    swaps = [(blue, red, aside)]
    for card in blue:
        swaps.append(([aside, *(each for each in blue if each != card)], red, card))
    for card in red:
        swaps.append((blue, [aside, *(each for each in red if each != card)], card))
    return [onitama.start(*cards) for cards in swaps]


def report_of(text: str) -> Report:
    """A game that has just begun, or in which one move has been made."""
    for first in beginnings(text):
        if first.text == text:
            return Report(first)
        if text in after(first):
            report = Report(first)
            report.play(after(first)[text])
            return report
    raise AssertionError(text)


def after(position: onitama.Position) -> dict[str, Any]:
    """The moves that can be made, by the position that they lead to."""
    return {onitama.play(position, move).text: move for move in onitama.moves(position).values()}


@pytest.mark.slow
def test_whole_games_of_onitama_as_the_report_has_them() -> None:
    env = OnitamaPaperEnv(opponent="random", seat="random")
    rng = np.random.default_rng(1)
    captured, results = 0, Counter()
    for number in range(30):
        observation, info = env.reset(seed=number)
        side = ("blue", "red")[info["seat"]]
        report = report_of(env.game.show(env._episode.state))
        terminated = truncated = False
        while not (terminated or truncated):
            assert report.position.mover == side
            np.testing.assert_array_equal(observation["board"], report.board(side))
            np.testing.assert_array_equal(observation["cards"], report.cards(side))
            actions = report.actions()
            np.testing.assert_array_equal(info["action_mask"], [int(move is not None) for move in actions])
            n = int(rng.choice(np.flatnonzero(info["action_mask"])))
            observation, reward, terminated, truncated, info = env.step(n)
            report.play(actions[n])
            text = env.game.show(env._episode.state)
            if text != report.position.text:  # the opponent has replied
                report.play(after(report.position)[text])
        winner = report.position.winner
        assert reward == (0 if winner is None else 1 if winner == side else -1)
        assert (terminated, truncated) == (winner is not None, winner is None)
        assert not info["action_mask"].any()
        np.testing.assert_array_equal(observation["board"], report.board(side))
        np.testing.assert_array_equal(observation["cards"], report.cards(side))
        captured += sum(square is None for square in report.where.values())
        results[reward] += 1
    assert captured > 60
    assert min(results[1], results[-1]) > 5


def test_a_draw_is_truncated_after_200_turns() -> None:
    env = OnitamaPaperEnv(opponent="random")
    _, info = env.reset(seed=0)
    env._episode = env._episode._replace(turns=jnp.int32(198))
    quiet = int(np.flatnonzero(info["action_mask"])[0])  # nothing can be won in the first two turns
    _, reward, terminated, truncated, info = env.step(quiet)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert not info["action_mask"].any()


@pytest.mark.slow
def test_pawns_keep_their_numbers() -> None:
    """Pawn 1 passes behind pawn 2, which is then captured: its plane is empty and the others keep theirs."""
    env = OnitamaPaperEnv(opponent="random")
    game, cast, memory = env.game, env.cast, env.cast.begin()
    apply, follow, observe = jax.jit(game.apply), jax.jit(cast.follow), jax.jit(cast.observe)
    state = game.read("rrRrr/5/5/5/bbBbb blue monkey,goose red dragon,elephant side rooster turn blue")
    for move in ("monkey b1a2", "dragon e5c4", "goose a1b1", "elephant c4b3", "dragon d1b2", "monkey b3a2"):
        a = jnp.int32(game.parse(move, state))
        t = apply(state, a)
        memory, state = follow(memory, state, a, t), t
    blue, red = (np.asarray(observe(memory, state, jnp.int32(seat))["board"]) for seat in (0, 1))
    assert [np.argwhere(plane).tolist() for plane in blue[:5]] == [[[0, 1]], [], [[1, 1]], [[0, 4]], [[0, 2]]]
    # red's pawn 1 began on e5, its own left corner, and has captured on a2, which is its fourth row, last column
    assert [np.argwhere(plane).tolist() for plane in red[:5]] == [[[3, 4]], [[0, 1]], [[0, 3]], [[0, 4]], [[0, 2]]]
    np.testing.assert_array_equal(red[5:], blue[:5, ::-1, ::-1])
    mask = np.asarray(jax.jit(cast.mask)(memory, state)).reshape(5, 8)
    assert mask.any(axis=1).tolist() == [True, False, True, True, True]


def test_somebody_can_always_move() -> None:
    """Of the report's cards only the elephant can be stuck, so whoever holds two of them never has to pass."""
    stuck = Counter()
    for count in range(1, 6):
        for squares in combinations(range(25), count):
            own = set(squares)
            for card in CARDS:
                stuck[card] += not any(
                    0 <= square % 5 + right < 5
                    and 0 <= square // 5 + ahead < 5
                    and square + right + 5 * ahead not in own
                    for square in squares
                    for right, ahead in MOVES[card]
                )
    assert +stuck == {"elephant": 1}  # all five in the last row


# ---------------------------------------------------------------------- Okey


def hand_of(counts: Any) -> list[int]:
    """Kinds of tiles, as often as they are there, in order."""
    return [kind for kind in range(53) for _ in range(int(counts[kind]))]


def worth(hand: list[int], longest_run: int) -> int:
    tiles = [(kind // 13, kind % 13 + 1) for kind in hand if kind < 52]
    return okey_hands.value(tiles, hand.count(52), longest_run)


@pytest.mark.parametrize(
    ("reward", "longest_run", "opponent"), slow_but([("paper", 4, "random"), ("sparse", 5, "thesis")], 0)
)
def test_whole_games_of_okey_as_the_thesis_has_them(reward: str, longest_run: int, opponent: str) -> None:
    env = OkeyPaperEnv(reward=reward, longest_run=longest_run, opponent=opponent, seat="random")
    rng = np.random.default_rng(2)
    kinds = Counter()
    for number in range(2):
        observation, info = env.reset(seed=number)
        seat = info["seat"]
        over = False
        while not over:
            state = env._episode.state
            assert int(state.turn) == seat
            hand = hand_of(state.hands[seat])
            drawing = len(hand) == 14
            assert int(observation["phase"]) == (0 if drawing else 1)
            assert isinstance(observation["phase"], np.int64)
            counts = [float(hand.count(kind)) for kind in range(53)]
            offer = [float(drawing and kind == int(state.offer)) for kind in range(53)]
            centre = 105 - sum(int(x.sum()) for x in (state.hands, state.discards))
            np.testing.assert_array_equal(observation["draw"], [*counts, *offer, centre])
            np.testing.assert_array_equal(observation["discard"], counts)
            np.testing.assert_array_equal(info["action_mask"], [1, 1, *[0] * 15] if drawing else [0, 0, *[1] * 15])
            n = int(rng.choice(np.flatnonzero(info["action_mask"])))
            before = worth(hand, longest_run) if reward == "paper" else 0
            taken = int(state.offer)
            observation, paid, terminated, truncated, info = env.step(n)
            over = terminated or truncated
            now = hand_of(env._episode.state.hands[seat])
            if n == 0:
                assert now == sorted([*hand, taken])
            elif n == 1:
                assert len(now) == 15
                assert not Counter(hand) - Counter(now)
            else:
                assert now == hand[: n - 2] + hand[n - 1 :]
            kinds["take" if n == 0 else "draw" if n == 1 else "discard"] += 1
            if reward == "paper":
                gained = worth(now, longest_run) - before
                assert paid == gained + (5 if n >= 2 and gained == 0 else 0)
            elif not over:
                assert paid == 0
        result = float(env.game.returns(env._episode.state)[seat])
        if reward == "sparse":
            assert paid == 100 * result
        assert not info["action_mask"].any()
        assert hand_of(observation["discard"]) == now
        assert int(observation["phase"]) == 0
    assert min(kinds[each] for each in ("take", "draw", "discard")) > 5


def test_rewards_of_okey_by_hand() -> None:
    """r1 r2 r3 r4 stand in a set: an end of it costs 5, its middle 15, and a lone tile earns 5."""
    env = OkeyPaperEnv(opponent="random")
    own = [0, 1, 2, 3, 18, 20, 22, 24, 32, 34, 36, 38, 40, 43, 51]  # b6 b8 b10 b12 g7 g9 g11 g13 y2 y5 y13
    hand = np.bincount(own, minlength=53).astype(np.int8)
    for n, paid in ((2, -5.0), (2 + 3, -5.0), (2 + 1, -15.0), (2 + 4, 5.0)):
        env.reset(seed=0)  # the first seat begins by discarding
        state = env._episode.state
        env._episode = env._episode._replace(state=state._replace(hands=state.hands.at[0].set(hand)))
        assert env.step(n)[1] == paid
    won = env._episode.state._replace(phase=jnp.int32(OVER), winner=jnp.int32(0))
    sparse = TwoDecisions(env.game, "sparse")
    assert [float(sparse.earned(state, jnp.int32(0), won, seat)) for seat in (0, 1)] == [100.0, -100.0]
    assert float(sparse.earned(state, jnp.int32(0), state, 0)) == 0.0


@pytest.mark.slow
def test_hidden_tiles_do_not_leak() -> None:
    env = OkeyPaperEnv(opponent="random", seat=1)
    env.reset(seed=3)
    cast, game, state = env.cast, env.game, env._episode.state
    other = game.determinize(game.view(state, 1), jax.random.key(0))
    assert not np.array_equal(other.hands[0], state.hands[0])
    for show in (lambda view: cast.observe((), view, jnp.int32(1)), lambda view: cast.mask((), view)):
        assert data_equivalence(*(jax.device_get(show(game.view(s, 1))) for s in (state, other)), exact=True)


# ---------------------------------------------------------------------- what is no action


@pytest.mark.parametrize("kind", ["game", "onitama", "okey"])
def test_what_is_no_action_is_refused(kind: str) -> None:
    makers = {"game": partial(GameEnv, Race()), "onitama": OnitamaPaperEnv, "okey": OkeyPaperEnv}
    env: Any = makers[kind](opponent="random")
    _, info = env.reset(seed=0)
    arrays = np.array([1, 2]), np.array([1]), [0], [[1], [1, 2]]
    for wrong in (*arrays, 0.5, 1.0, float("nan"), np.float32(1), np.timedelta64(1), "1", None, True):
        with pytest.raises(gymnasium.error.InvalidAction, match="is no action: expected one whole number, 0 to"):
            env.step(wrong)
    legal = int(np.flatnonzero(info["action_mask"])[0])
    for right in (np.array(legal), np.uint8(legal), jnp.int32(legal)):
        env.reset(seed=0)
        assert env.step(right)[4].get("illegal") is None


def test_illegal_actions_of_the_papers() -> None:
    env = OnitamaPaperEnv(opponent="random")
    _, info = env.reset(seed=0)
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, _, info = env.step(wrong)
    assert (reward, terminated) == (-1.0, True)
    assert info["illegal"] == (
        f"action {wrong} cannot be played in onitama now: expected one that info['action_mask'] allows"
    )
    okey_env = OkeyPaperEnv(opponent="random", illegal="raise")
    okey_env.reset(seed=0)
    with pytest.raises(ValueError, match="action 17 does not exist in okey: expected 0 to 16"):
        okey_env.step(17)
    with pytest.raises(ValueError, match="action 0 cannot be played in okey now"):
        okey_env.step(0)
