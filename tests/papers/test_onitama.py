"""The report on Onitama: what is planned can be trained, and what is said follows from the figures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.arena.batch import play_batch
from ludens.arena.match import Contestant, Job
from ludens.arena.tournament import fixtures
from ludens.games.othello import Othello
from ludens.learning.loop import begin, chunk
from ludens.papers import onitama
from ludens.papers.experiment import Plan, Run
from ludens.papers.onitama import (
    ACTORS,
    BY_SQUARES,
    COUNTED,
    FIGURES,
    GAME,
    KNOWN_NET,
    MINIMAX,
    MULTIPLY,
    OPPONENTS,
    WAYS,
    depth,
    depths,
    deviations,
    eight,
    end,
    extended,
    first_at_depth_2,
    play,
    strongest,
    valid_moves,
    wishes,
)
from ludens.papers.onitama_report import OnitamaPaper, OnitamaReport
from ludens.papers.results import Results, check
from ludens.papers.tournament import Tournaments, tournament
from ludens.players import player
from papers.fake import Answered
from papers.test_study import study


def plans(scale: Any) -> list[Plan]:
    return [*eight(scale), extended(scale), *wishes(scale), strongest(scale)]


def learner_of(plan: Plan) -> Any:
    return Run.together(Answered(str), plan).learner


# ---------------------------------------------------------------------- what is planned


def test_the_papers_numbers_are_the_full_scale() -> None:
    assert [plan.label for plan in eight("full")] == list(FIGURES)
    assert sorted(FIGURES.values()) == [f"6.{number}" for number in range(1, 9)]
    assert {plan.settings["episodes"] for plan in eight("full")} == {10_000}
    assert {plan.settings["actor"] for plan in eight("full")} == set(ACTORS)
    assert extended("full").settings["episodes"] == 100_000
    assert len(list(fixtures(9, 2, onitama.ROUNDS["full"], 0))) == 90_000
    assert onitama.TURNS["full"] == 71_789
    assert onitama.LAST_MATCHES["full"] == 2_000
    config = learner_of(extended("full")).config
    for plan in eight("full"):  # 20 own turns an episode and more would fit: never full, as a larger one would not be
        assert plan.settings["buffer_size"] >= 20 * plan.settings["episodes"]
    assert (config.batch_size, config.tau, config.buffer_size, config.promote_at, config.window) == (
        512,
        0.005,
        10**6,
        0.6,
        100,
    )


@pytest.mark.parametrize("scale", ["quick", "full"])
def test_every_plan_can_be_trained(scale: Any) -> None:
    every = plans(scale)
    assert len({plan.label for plan in every}) == len(every) == 8 + 1 + 7 + 1
    for plan in every:
        assert learner_of(plan).config.episodes == plan.settings["episodes"]
    assert {plan.learner for plan in every} == {"ddpg", "a2c", "ppo"}
    assert deviations(scale)[0].startswith("Quick") == (scale == "quick")


@pytest.mark.parametrize("scale", ["quick", "full"])
def test_a_wish_changes_one_thing(scale: Any) -> None:
    baseline = next(plan for plan in eight(scale) if plan.label == "val_branch_actions")
    changed = []
    for wish in wishes(scale):
        assert (wish.settings["episodes"], wish.matches) == (baseline.settings["episodes"], baseline.matches)
        if wish.learner == "ddpg":
            both = [learner_of(plan).config.to_dict() for plan in (baseline, wish)]
            changed.append([name for name in both[0] if both[0][name] != both[1][name]])
    assert changed == [["validity_loss"], ["actions"], ["opponents"], ["opponents"], ["imitation"]]


def test_every_part_can_be_asked_for_alone() -> None:
    here = Answered(str)
    parts = OnitamaPaper().parts(here)
    assert len(parts) == 1 + 2 * (2 * 8 + 7 + 1 + 1) + 2  # training and matches, and a tournament for each seed
    assert parts["training dual, seed 1"].compute() == "training dual, seed 1"
    assert here.settings["training dual, seed 1"]["config"]["actor"] == "dual"
    assert here.settings["training dual, seed 1"]["seed"] == 1
    assert list(here.settings) == ["training dual, seed 1"]
    assert parts["matches of dual, seed 1"].after == ("training dual, seed 1",)
    assert set(parts["tournament, seed 1"].after) == {f"training {actor}, seed 1" for actor in ACTORS}
    assert {name.split()[0] for name, part in parts.items() if part.on_cores} == {"valid", "matches"}
    assert all(need in parts for part in parts.values() for need in part.after)
    order = [name for name, part in parts.items() if not part.on_cores]
    assert order[:2] == [f"training {plan.label}, seed 0" for plan in (extended("quick"), strongest("quick"))]
    every = [run.folder.name for plan in plans("quick") for run in Run.apart(here, plan)]
    assert len(set(every)) == len(every)
    plan = plans("quick")[0]
    other = replace(plan, settings={**plan.settings, "tau": 0.1})
    folders = [Run.apart(here, each)[0].folder for each in (plan, other, replace(plan, matches={}))]
    assert folders[1] != folders[0] == folders[2]


# ---------------------------------------------------------------------- training and measuring


@pytest.mark.slow
def test_a_run_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(onitama, "OPPONENTS", ("random",))
    settings = {"episodes": 64, "num_envs": 16, "num_steps": 8, "hidden": 8, "opponents": "random"}
    plan = replace(strongest("quick"), settings=settings, points=4, matches={"games": 10})
    run = Run.apart(study(tmp_path), plan)[1]
    found = run.measured()
    assert found["games"] == sorted(found["games"])
    assert found["games"][-1] >= 64
    assert all(len(curve) == len(found["games"]) for curve in found["curves"].values())
    assert {"valid", "won", "level", "length"} <= set(found["curves"])
    assert found["rate"] > 0
    assert {way: sum(counts["random"]) for way, counts in found["matches"].items()} == {"sampled": 10, "greedy": 10}


def test_both_ways_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    played = []

    def match(who: Any, spec: str, games: int, seed: int) -> list[float]:
        played.append((who.sample, spec, games, seed))
        return [1.0, -1.0, 0.0]

    monkeypatch.setattr(onitama, "match", match)
    monkeypatch.setattr(Run, "params", lambda run: None)
    found = play(Run.apart(Answered(str), strongest("quick"))[1])
    assert played == [(way == "sampled", spec, 40, 1) for way in WAYS for spec in OPPONENTS]
    assert found["greedy"]["random"] == [1, 1, 1]


@pytest.mark.slow
def test_ddpg_tells_what_the_figures_show() -> None:
    run = Run.together(Answered(str), eight("quick")[0])
    begun, step = (
        jax.eval_shape(lambda: begin(run.learner, jnp.uint32(0))),
        jax.eval_shape(lambda: chunk(run.learner, begin(run.learner, jnp.uint32(0)), jnp.int32(1))),
    )
    assert {"actor_loss", "valid", "won", "level", "length"} <= set(step[1])
    agent = run.agent(sample=True)
    assert agent.sample
    assert jax.tree.leaves(agent.shapes()) == jax.tree.leaves(jax.eval_shape(run.learner.params, begun.learner))


@pytest.mark.slow
def test_valid_moves_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onitama, "MINIMAX", ("random",))  # who is compiled faster
    found = valid_moves(turns=20, lanes=16, seed=0)
    for counted in found.values():
        assert counted["turns"] == 32  # whole turns of all lanes
        numbers = [int(count) for count, times in counted["counts"].items() for _ in range(times)]
        assert len(numbers) == 32
        assert counted["mean"] == pytest.approx(sum(numbers) / 32)
        assert counted["most"] == max(numbers)
        assert counted["ci95"][0] <= counted["mean"] <= counted["ci95"][1]
    assert all(found[f"{who}{BY_SQUARES}"]["mean"] < found[who]["mean"] for who in ("untrained", "itself"))
    # From the home row a dragon has 6 moves, elephant and monkey 8 each, goose and rooster 4 each.
    every, by_squares = onitama._counted(
        player("random", GAME), player("random", GAME), None, jax.random.key(5), lanes=16, plies=1
    )
    assert set(every.reshape(-1).tolist()) <= {8, 10, 12, 14, 16}
    assert (by_squares <= every).all()


@pytest.mark.parametrize(
    ("hand", "every", "by_squares"),
    [
        ("elephant,monkey", 16, 8),  # both lead forward on both sides, and the elephant sideways, where pieces stand
        ("dragon,elephant", 14, 14),  # the dragon jumps further
        ("goose,rooster", 8, 8),  # forward on the left, forward on the right
    ],
)
def test_moves_by_squares_leave_the_card_aside(hand: str, every: int, by_squares: int) -> None:
    others = [card for card in GAME.cards if card not in hand.split(",")]
    s = GAME.read(f"rrRrr/5/5/5/bbBbb blue {hand} red {','.join(others[:2])} side {others[2]} turn blue")
    assert int(GAME.legal(s).sum()) == every
    assert int(jax.jit(onitama._by_squares)(s)) == by_squares


# ---------------------------------------------------------------------- the tournament


SMALL = Othello(size=4)
"""A tournament is the same in every game, and here it is played in no time."""


def field() -> list[Contestant]:
    return [Contestant(name, player("random", SMALL)) for name in "abc"]


def test_the_tournament_adds_up() -> None:
    rounds, seen = 6, []
    found = tournament(SMALL, field(), rounds, 1, seen.append)
    assert found["games"] == 3 * rounds
    schedule = list(fixtures(3, 2, rounds, 1))
    games: dict[int, Any] = dict(
        play_batch(SMALL, field(), [Job(each.seed, each.seats) for each in schedule], opening=0)
    )
    ratings, won = [1000.0] * 3, np.zeros((3, 3), int)
    turns: dict[tuple[int, int], list[int]] = {}
    for number, fixture in enumerate(schedule):
        (one, other), record = fixture.seats, games[number]
        score = (record.returns[0] + 1) / 2
        expected = 1 / (1 + 10 ** ((ratings[other] - ratings[one]) / 400))
        ratings[one] += 32 * (score - expected)
        ratings[other] -= 32 * (score - expected)
        won[one, other] += score == 1
        won[other, one] += score == 0
        turns.setdefault((min(one, other), max(one, other)), []).append(len(record.actions))
    assert found["final"] == pytest.approx(ratings)
    assert [curve[-1] for curve in found["elo"]] == pytest.approx(ratings)
    assert [curve[0] for curve in found["elo"]] == [1000.0] * 3
    assert found["rounds"] == list(range(7))
    assert found["won"] == won.tolist()
    for (one, other), lengths in turns.items():
        assert found["turns"][one][other] == found["turns"][other][one] == pytest.approx(sum(lengths) / rounds)
        assert won[one, other] + won[other, one] + found["drawn"][one][other] == rounds
    assert all(low <= high for low, high in found["band"])


def standing(first: int) -> dict[str, Any]:
    """A tournament of 100 rounds in which everybody beats those after them 60 to 30, and the first 90 to 10."""
    players = [*ACTORS, "random"]
    won = [[60 if i < j else 30 for j in range(9)] for i in range(9)]
    for i in range(9):
        won[i][i] = 0
    for j in range(1, 9):
        won[0][j], won[j][0] = first, 100 - first
    return {
        "players": players,
        "games": 3600,
        "seconds": 36.0,
        "rounds": [0, 50, 100],
        "elo": [[1000.0, 1000.0 - i, 1100.0 - 20 * i] for i in range(9)],
        "final": [1100.0 - 20 * i for i in range(9)],
        "band": [[1090.0 - 20 * i, 1110.0 - 20 * i] for i in range(9)],
        "won": won,
        "drawn": [[10] * 9 for _ in range(9)],
        "turns": [[30.0 + i + j for j in range(9)] for i in range(9)],
    }


def test_the_standings() -> None:
    table = Tournaments([standing(90), standing(80)])
    assert table.net("actions_after_val", "dual").value == pytest.approx((170 - 30) / 200)
    assert table.net("dual", "random").value == pytest.approx(0.3)
    assert table.win_rate("random") == pytest.approx((10 + 20 + 14 * 30) / 1600)
    assert table.elo("random") == (940.0, (930.0, 950.0))
    whole = replace(report(), standings=table)
    rows = {row.measure: row for row in whole.rows()}
    assert rows["final Elo of random"].ours == 940
    assert rows["final Elo of random"].verdict == "differs"
    assert rows["actions_only against actions_after_val: won less lost, a game"].ours == pytest.approx(-0.7)
    assert rows["actions_only against actions_after_val: won less lost, a game"].paper == pytest.approx(1234 / 2500)
    assert rows["actions_after_val against val_branch_actions: turns in a game"].ours == 34
    assert table.row_of_speed().ours == 100
    said = " ".join(whole.findings())
    assert "actions_after_val ends with the highest Elo, 1100, and random with the lowest, 940" in said
    assert "the random player beats none" in said.replace("\n", " ")
    assert "beats everybody" in said
    same_way = sum(ACTORS.index(one) < ACTORS.index(other) for one, other in KNOWN_NET)
    assert f"{same_way} go the same way" in said
    net = next(each for each in whole.tables() if each.name == "figure-6-13")
    assert net.rows[0][0] == "actions_after_val"
    assert net.rows[0][1] is None
    assert net.rows[8][8] == -60


# ---------------------------------------------------------------------- what is said


def run(won: float, valid: float, level: float = 1.0, against: int = 10) -> dict[str, Any]:
    counts = {spec: [against, 0, 40 - against] for spec in OPPONENTS}
    return {
        "games": [100 * n for n in range(1, 101)],
        "curves": {
            "actor_loss": [[None], *[[0.5]] * 99],
            "valid": [[valid / 2]] * 50 + [[valid]] * 50,
            "won": [[0.1]] * 50 + [[won]] * 50,
            "level": [[1.0]] * 50 + [[level]] * 50,
            "length": [[20.0]] * 100,
        },
        "seconds": 50.0,
        "device": "cpu",
        "rate": 200.0,
        "matches": dict.fromkeys(WAYS, counts),
    }


MOVES = {
    who: {
        "turns": 4,
        "counts": {"8": 1, "16": 3},
        "mean": 14.0,
        "ci95": [13.5, 14.5],
        "median": 16,
        "mode": 16,
        "most": 16,
    }
    for who in COUNTED.values()
}


def report(strong: int = 30, seeds: int = 3) -> OnitamaReport:
    return OnitamaReport(
        moves=MOVES,
        eight={
            label: [run(0.3, 0.97)] * seeds if label in MULTIPLY else [run(0.2, 0.4, level=2.0)] * seeds
            for label in ACTORS
        },
        wishes={plan.label: [run(0.3, 0.5, against=12)] * seeds for plan in wishes("quick")}
        | {"imitation": [run(0.3, 0.5, against=1)] * seeds},
        longer={
            "val_branch_actions, longer": [run(0.5, 0.3, level=2.0)],
            "PPO, many games": [run(0.9, 0.9, level=2.0, against=strong)],
        },
        standings=Tournaments([standing(90)] * seeds),
    )


def test_ends_and_depths() -> None:
    one, two = run(0.3, 0.97), run(0.2, 0.4, level=1.5)
    assert end(one, "won") == pytest.approx(0.3)
    assert end(one, "policy_loss") == 0.0
    assert (depth(one), depth(two)) == (1, 2)
    assert depths([one, two, one]) == "depths 1 and 2"
    assert depths([two]) == "depth 2"
    assert first_at_depth_2(one) is None
    assert first_at_depth_2(two) == 5100


def test_what_is_said_follows_from_the_figures() -> None:
    found = report()
    rows = {row.measure: row for row in found.rows()}
    assert rows["valid moves per turn, mean"].verdict == "agrees"
    assert rows["valid moves per turn, most frequent number"].verdict == "differs"
    assert rows["dual: valid rate at the end"].paper == 1.0
    assert rows["dual: valid rate at the end"].ours == pytest.approx(0.97)
    assert rows["dual: valid rate at the end"].verdict == "agrees"
    assert rows["actions_only: valid rate at the end"].paper is None
    assert rows["actions_only: won at the end, depth 2"].ours == pytest.approx(0.2)
    longer = rows["val_branch_actions, 10,000 episodes: won at the end, depth 2 (report: depth 2)"]
    assert (longer.paper, longer.verdict, longer.seeds) == (0.5, "agrees", 1)
    strong = rows[f"PPO, many games: won against `{MINIMAX[1]}`, greedy"]
    assert (strong.paper, strong.ours, strong.verdict) == (0.5, 0.75, "better")
    assert rows["training, DDPG, the eight, cpu"].ours == 200
    said = " ".join(found.findings())
    assert "An untrained actor and depth 1 have 14.00 valid moves per turn, most often 16, 16 at most" in said
    assert "16 at most, no nearer in all" in said
    fewer = {
        **MOVES,
        f"untrained{BY_SQUARES}": {**MOVES["itself"], "mean": 14.25, "median": 14, "mode": 13, "most": 29},
    }
    assert "29 at most, in all of which the report is nearer" in replace(report(), moves=fewer)._moves()
    assert "valid rates of 97.0 to 97.0 %, the others with 40.0 to 40.0 %" in said
    assert "Of the four that multiply, none passes depth 1" in said
    assert "actions_only after 5100, 5100, 5100 episodes" in said
    assert "wins 50.0 % (depth 2)" in said
    assert "the baseline wins 25.0 % and 25.0 %" in said
    assert "imitation 2.5 % (less) and 2.5 %" in said
    assert "; PPO 30.0 % (no clear difference) and 30.0 %" in said
    assert "nothing here does for certain. PPO, many games wins 75.0 %" in said  # 30 of 40 leave 60 % open
    assert "here PPO, many games does. PPO, many games wins 100 %" in " ".join(report(strong=40).findings())
    assert rows["PPO, many games: valid rate at the end"].ours == pytest.approx(0.9)


@pytest.mark.parametrize("seeds", [1, 3])
def test_everything_can_be_shown(seeds: int) -> None:
    found = report(seeds=seeds)
    results = Results(found.rows(), found.tables(), found.figures(), found.findings(), deviations("full"))
    check(results)
    assert [len(figure.panels) for figure in results.figures] == [1, 4, 4, 4, 1, 4, 4]
    assert len({row.measure for row in results.rows}) == len(results.rows)
    actors = next(table for table in results.tables if table.name == "figures-6-1-to-6-8")
    assert [row[8] for row in actors.rows if row[1] == "dual"] == [", ".join(["never"] * seeds)]


def test_the_paper_puts_its_parts_together() -> None:
    def answer(name: str) -> Any:
        if name == "valid moves":
            return MOVES
        if name.startswith("tournament"):
            return standing(90)
        facts = run(0.3, 0.5)
        played = facts.pop("matches")
        return played if name.startswith("matches") else facts

    results = OnitamaPaper().run(Answered(answer))
    check(results)
    assert {row.seeds for row in results.rows} == {0, 1, 2}
