"""Presets: what a learner ships for a game is valid, and what is typed besides has the last word."""

import pytest

from ludens.cli.train import prepare
from ludens.core import agent_files
from ludens.games import GAMES, make
from ludens.learning import LEARNERS
from ludens.learning.presets import PRESETS, preset, presets


def test_every_preset_makes_its_learner() -> None:
    offered = [(name, game, each) for name in LEARNERS for game in GAMES for each in presets(name, make(game))]
    assert {(name, game, each) for (name, game), table in PRESETS.items() for each in table} < set(offered)
    assert ("patterns", "onitama", "champion") in offered
    for name, game, each in offered:
        told = preset(name, make(game), each)
        variant, settings = told.fields(GAMES[game], LEARNERS[name].config_type)
        learner = prepare(game, name, (), each)
        assert len(variant) + len(settings) == len(told.options)
        assert {field: getattr(learner.game, field) for field in variant} == variant
        assert {field: getattr(learner.config, field) for field in settings} == settings


def test_champions_are_trained_again_as_their_cards_say() -> None:
    cards = {name: facts for name, facts in agent_files.shipped().items() if facts["champion"]}
    for facts in cards.values():
        _, _, game, name, *options = facts["training"]["command"].split()
        assert tuple(options) in [each.options for each in presets(name, make(game)).values()]


def test_what_is_typed_has_the_last_word() -> None:
    small = prepare("othello", "alphazero", (), "small")
    told = prepare("othello", "alphazero", ("--blocks", "1", "--size=8"), "small")
    assert (small.game, told.game) == (make("othello", size=6), make("othello"))
    assert told.config.to_dict() == small.config.to_dict() | {"blocks": 1}


def test_a_preset_that_is_none() -> None:
    with pytest.raises(ValueError, match=r"^alphazero on othello has no preset 'tiny': expected one of small$"):
        prepare("othello", "alphazero", (), "tiny")
    with pytest.raises(ValueError, match="ppo on othello has no preset 'small': expected none, as there are none"):
        prepare("othello", "ppo", (), "small")
