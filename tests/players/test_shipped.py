"""Agents that ship: what specs make of their names, which variants they play, and weights that are refused."""

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from ludens.core import agent_files
from ludens.core.agent_files import WEIGHTS, card, fits, names, read_agent, read_strength, shipped
from ludens.core.game import Game, variant
from ludens.games import make
from ludens.players import player
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.learned import agent_of, learned, write_agent
from ludens.players.mcts import MCTS
from ludens.players.timed import TimedAlphaBeta

KEY = jax.random.key(3)
OTHELLO, LARGER, CHUNG_TOI = make("othello", size=4), make("othello", size=6), make("chung-toi")
V_NET = {"kind": "v-net", "hidden": [4]}
POLICY = {"kind": "policy-net", "hidden": [4], "sample": False, "insight": False}
MOST_BYTES = 20_000_000


def tiny(folder: Path, game: Game[Any], agent: dict[str, Any], *, half: bool = False, **facts: Any) -> Any:
    """An agent with weights drawn at random, written to `folder`; its weights."""
    told = {
        "game": game.id,
        "variants": [variant(game)],
        "agent": agent,
        "plays": "",
        "champion": False,
        "about": "A test.",
        "training": {"command": "ludens train", "games": 1, "seconds": 1.0, "device": "cpu", "seed": 0},
        "weaknesses": "All.",
    }
    params = agent_of(game, agent).create(KEY)
    write_agent(folder, told | facts, params, half=half)
    return params


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only agents that ship: a champion for 4x4 Othello with a search, and another who plays without."""
    monkeypatch.setattr(agent_files, "HOME", tmp_path)
    tiny(tmp_path / "small", OTHELLO, V_NET, plays="mcts:4", champion=True)
    tiny(tmp_path / "paper-2006", OTHELLO, POLICY, variants=[{"size": 4}, {"size": 6}])
    return tmp_path


def test_names_are_specs(home: Path) -> None:
    assert list(shipped("othello")) == ["small", "paper-2006"]
    for spec, simulations in (("champion", 4), ("small", 4), ("champion:7", 7), ("mcts:3:agent:small", 3)):
        searching = player(spec, OTHELLO)
        assert isinstance(searching, MCTS)
        assert searching == player(f"mcts:{simulations}:run:{home / 'small'}", OTHELLO)
    tiny(home / "deep", OTHELLO, V_NET, plays="alphabeta:1s")
    for spec, seconds in (("deep", 1.0), ("deep:0.5s", 0.5)):
        thinking = player(spec, OTHELLO, on_host=True)
        assert isinstance(thinking, TimedAlphaBeta)
        assert thinking.seconds == seconds
    for spec in ("champion:net", "agent:small", "agent:champion"):
        assert player(spec, OTHELLO) == learned(str(home / "small"), OTHELLO)
    deep = player("alphabeta:2:agent:champion", OTHELLO)
    assert isinstance(deep, AlphaBeta)
    alone = player("paper-2006", OTHELLO)
    assert alone == player("paper-2006:net", OTHELLO) == learned(str(home / "paper-2006"), OTHELLO)
    assert int(jax.jit(alone.act)(alone.init(KEY), KEY, OTHELLO.init(KEY)).action) in (1, 4, 11, 14)


@pytest.mark.parametrize(
    ("spec", "game", "sentence"),
    [
        ("champion", LARGER, "othello has no champion for size 6: expected size 4"),
        ("champion", CHUNG_TOI, "chung-toi has no champion for hop yes, allow_pass no: expected another player"),
        ("paper-2006", CHUNG_TOI, r"'paper-2006' plays othello \(size 4 or size 6\), not chung-toi \(hop yes"),
        ("paper-2006:2s", OTHELLO, "'paper-2006' plays without a search: expected paper-2006, or mcts:2s:agent:paper"),
        ("champion:2s:3", OTHELLO, "'champion:2s:3' says too much: expected champion, champion:net, or champion:2s"),
        ("champion:0", OTHELLO, "'champion:0' names no player of othello: simulations is '0': expected"),
        (
            "mcts:4:agent:nobody",
            OTHELLO,
            "no agent called 'nobody' ships with ludens: expected one of champion, small,",
        ),
        ("mcts:4:agent", OTHELLO, "'mcts:4:agent' names no agent: expected one of champion, paper-2006, small after"),
        ("nobody", OTHELLO, "unknown player 'nobody': expected one of random, .*, an agent's name, or run:FOLDER"),
    ],
)
def test_what_cannot_play_gets_a_sentence(home: Path, spec: str, game: Game[Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        player(spec, game)


def test_a_variant_may_leave_fields_open() -> None:
    facts = {"game": "onitama", "variants": [{}]}
    cards = ("dragon", "elephant", "goose", "rooster", "monkey")
    assert all(fits(facts, "onitama", variant(make("onitama", **told))) for told in ({}, {"cards": cards}))
    assert not fits(facts, "ur", {})
    only = {"game": "onitama", "variants": [{"cards": list(cards)}]}
    assert [fits(only, "onitama", variant(make("onitama", **told))) for told in ({}, {"cards": cards})] == [False, True]


def test_weights_of_16_bits_are_computed_with_32(tmp_path: Path) -> None:
    whole = tiny(tmp_path / "whole", OTHELLO, V_NET)
    tiny(tmp_path / "half", OTHELLO, V_NET, half=True)
    params = learned(str(tmp_path / "half"), OTHELLO).init(KEY)
    for x, y in zip(jax.tree.leaves(params), jax.tree.leaves(whole), strict=True):
        assert x.dtype == y.dtype == np.float32
        np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-6)
    sizes = [(tmp_path / each / WEIGHTS).stat().st_size for each in ("whole", "half")]
    numbers = sum(x.size for x in jax.tree.leaves(whole))
    assert abs(sizes[0] - sizes[1] - 2 * numbers) < 64
    facts = {"game": "othello", "agent": V_NET}
    with pytest.raises(ValueError, match="a weight of 1e\\+06 is too large for 16 bits: expected to store 32"):
        write_agent(tmp_path / "large", facts, jax.tree.map(lambda x: x * 0 + 1e6, whole), half=True)


@pytest.mark.parametrize(
    "facts", [{"kind": "residual-net", "blocks": 1, "channels": 4}, {"kind": "patterns", "phases": 2}]
)
def test_champions_of_every_kind_can_be_shipped(facts: dict[str, Any], tmp_path: Path) -> None:
    """What is stored is what was learned: a table of whole numbers to the last bit, a net to 16 bits."""
    stored = tiny(tmp_path / "it", OTHELLO, facts, half=True)
    agent = learned(str(tmp_path / "it"), OTHELLO)
    for x, y in zip(jax.tree.leaves(agent.init(KEY)), jax.tree.leaves(stored), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-3 if x.dtype == np.float32 else 0, atol=1e-6)
    assert agent.evaluator()


def test_bad_weights_are_refused(home: Path) -> None:
    path = home / "small" / WEIGHTS
    good = path.read_bytes()
    for bad in (good[:-5], good[:40], b"", good[:-8] + bytes(8)):
        path.write_bytes(bad)
        with pytest.raises(ValueError, match="the weights of 'small' are cut short or altered: expected them as they"):
            player("champion", OTHELLO)
    path.unlink()
    with pytest.raises(ValueError, match="the weights of 'small' are cut short or altered"):
        player("champion", OTHELLO)
    tiny(home / "other", CHUNG_TOI, {"kind": "value-net", "hidden": 4, "known_ends": True})
    path.write_bytes((home / "other" / WEIGHTS).read_bytes())
    with pytest.raises(ValueError, match=r"the weights of 'small' are of chung-toi \(.*\): expected those of othello"):
        player("champion", OTHELLO)
    tiny(home / "small", LARGER, V_NET, variants=[{"size": 4}], champion=True)  # a net for a larger board
    with pytest.raises(ValueError, match=r"the weights of 'small' do not fit it: its 'params.*' is float32"):
        player("champion", OTHELLO)
    text = home / "small" / agent_files.AGENT
    for told in ("{", "[]", json.dumps({"format": 99}), json.dumps({"format": 1, "game": 3})):
        text.write_text(told)
        with pytest.raises(ValueError, match="'small' holds no agent: expected a folder that `ludens ship` made"):
            player("small", OTHELLO)


def test_everything_that_ships_is_whole_and_small() -> None:
    assert sum(path.stat().st_size for path in agent_files.HOME.rglob("*.*")) < MOST_BYTES
    for name in names():
        facts = read_agent(agent_files.HOME / name)
        assert agent_files.NAME.fullmatch(name)
        told = card(name, facts, read_strength())
        assert "not yet known" not in [told[asked] for asked in ("what it is", "trained by", "on", "weaknesses")]
        for fields in facts["variants"]:
            game = make(facts["game"], **fields)
            assert player(name, game, on_host=True)
            assert all(
                np.isfinite(x).all() for x in jax.tree.leaves(learned(str(agent_files.HOME / name), game).init(KEY))
            )
            champions = [
                each
                for each, other in shipped(game.id).items()
                if other["champion"] and fits(other, game.id, variant(game))
            ]
            assert len(champions) <= 1, f"{champions} are champions of the same variant"
