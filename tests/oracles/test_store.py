"""Stored tables come back as they were, and nothing else is ever taken for one."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from ludens.games import make
from ludens.games.ur import Ur
from ludens.oracles import ORACLES, oracle_for, solvable, store
from ludens.oracles.oracle import Solution
from ludens.oracles.ur import UrOracle

GAME, OTHER = Ur(pieces=1), Ur(pieces=2)
MADE_UP = Solution({"chance": np.linspace(0, 1, 225)}, 3, 1, 1, 1, None, 0.5, 0.1)


@pytest.fixture
def solves(monkeypatch, tmp_path):
    """Games solved so far, by a solver that answers at once."""
    solved = []

    def solve(self, progress=None, unfinished=None):
        solved.append(self.game)
        return replace(MADE_UP, states=len(solved))

    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(UrOracle, "solve", solve)
    return solved


def test_what_is_stored_is_not_solved_again(solves) -> None:
    first, again = store.load(GAME), store.load(GAME)
    assert solves == [GAME]
    assert first[0] == again[0] == UrOracle(GAME)
    assert replace(first[1], table={}) == replace(again[1], table={})
    np.testing.assert_array_equal(first[1].table["chance"], again[1].table["chance"])
    assert again[1].table["chance"].dtype == np.float64
    assert [path.name for path in store.path_of(GAME).parent.iterdir()] == [store.path_of(GAME).name]
    assert store.load(GAME, rebuild=True)[1].states == 2
    assert store.load(GAME)[1].states == 2


def truncate(path):
    path.write_bytes(path.read_bytes()[:-100])


def alter(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def empty(path):
    path.write_bytes(b"")


def someone_elses(path):
    save_file({"chance": np.zeros(225)}, path)


def without_its_facts(path):
    save_file(load_file(path), path)


def of_another_variant(path):
    store.load(OTHER)
    shutil.copy(store.path_of(OTHER), path)


def a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "spoil", [truncate, alter, empty, someone_elses, without_its_facts, of_another_variant, a_folder]
)
def test_a_file_that_is_not_ours_is_not_trusted(spoil, solves) -> None:
    store.load(GAME)
    spoil(store.path_of(GAME))
    before = solves.count(GAME)
    store.load(GAME)
    assert solves.count(GAME) == before + 1
    store.load(GAME)
    assert solves.count(GAME) == before + (2 if spoil is a_folder else 1)  # a folder cannot be replaced by a file


def test_another_format_has_another_file(solves, monkeypatch) -> None:
    here = store.path_of(GAME)
    monkeypatch.setattr(store, "FORMAT", store.FORMAT + 1)
    assert store.path_of(GAME) != here


def test_a_cache_that_cannot_be_written_is_done_without(solves, monkeypatch, tmp_path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "file"))
    assert store.load(GAME)[1].wins == 1
    assert not store.path_of(GAME).exists()


def test_what_takes_long_is_solved_only_if_told_to(solves, tmp_path) -> None:
    game = Ur(rules="finkel", pieces=7)
    assert store.at_hand(GAME)
    assert not store.at_hand(game)
    with pytest.raises(
        ValueError, match=r"no table yet: expected .* 'ludens solve ur --rules finkel --pieces 7 --dice 4'"
    ):
        store.load(game)
    assert solves == []
    store.load(game, at_length=True)
    assert store.at_hand(game)
    assert store.load(game)[1].states == 1
    assert solves == [game]


def test_a_table_kept_elsewhere(solves, tmp_path, monkeypatch) -> None:
    file, game = tmp_path / "ur.table", Ur(pieces=5)
    made = store.load(game, at_length=True, file=file)[1]
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "another"))
    assert not store.at_hand(game)
    found = store.load(game, file=file)[1]  # nothing is solved, and from now on everybody knows it
    assert solves == [game]
    np.testing.assert_array_equal(found.table["chance"], made.table["chance"])
    with pytest.raises(ValueError, match="read-only"):
        found.table["chance"][0] = 0
    assert store.load(game)[1].states == 1
    with pytest.raises(ValueError, match=r"ur.table' is no whole table of this variant of ur: expected one, or a free"):
        store.load(Ur(pieces=6), at_length=True, file=file)
    with pytest.raises(ValueError, match="cannot be written: expected a file in a folder"):
        store.load(game, file=file / "ur.table")


def test_where_tables_are_kept(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("LUDENS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store.path_of(GAME).parent == tmp_path / "ludens" / "oracles"
    assert len({store.path_of(game) for game in (GAME, OTHER, make("chung-toi"), make("chung-toi", hop=False))}) == 4


def test_which_games_can_be_solved() -> None:
    for name, kind in ORACLES.items():
        assert kind.solves(make(name, size=4) if name == "othello" else make(name))
    for game in (make("othello"), make("onitama"), make("okey")):
        assert oracle_for(game) is None
        with pytest.raises(ValueError, match=f"{game.id} is too large to be solved in this variant: expected one of"):
            solvable(game)
