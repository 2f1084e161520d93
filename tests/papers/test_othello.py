"""The reproduction of the paper on Othello, with parts in memory and training that takes no time."""

from dataclasses import replace

import jax
import pytest

from ludens.games.othello import Othello
from ludens.papers import othello
from ludens.papers.experiment import Run
from ludens.papers.othello import LOST, TABLE_1, TABLE_2, plans
from ludens.papers.othello_report import OthelloPaper, lost
from papers.fake import Answered
from papers.test_study import study


def evaluation(after, losses, seeds):
    each = {colour: [[50 - n, 0, losses + n] for n in range(seeds)] for colour in ("black", "white")}
    return {"after": after, "games": 50 + losses, "positional": each, "mobility": each}


def test_the_papers_tables_add_up():
    for table in (TABLE_1, TABLE_2):
        assert list(table) == [1.5 * n for n in range(11)]
        for counts in table.values():
            assert [sum(each) for each in counts] == [100] * 4
    for name, table in (("single net", TABLE_1), ("64 nets", TABLE_2)):
        black, white, black_too, white_too = (counts[1] / 100 for counts in table[15.0])
        assert LOST[name]["positional"] == pytest.approx((black + white) / 2, abs=0.005)
        assert LOST[name]["mobility"] == pytest.approx((black_too + white_too) / 2, abs=0.005)


@pytest.mark.parametrize("seeds", [1, 2])
def test_everything_is_set_beside_the_papers(seeds):
    by_name = {f"training {plan.label}": plan for plan in plans("quick")}

    def answer(name):
        plan = by_name[name]
        stages = [round(plan.settings["episodes"] * n / plan.stages) for n in range(plan.stages + 1)]
        found = [evaluation(after, 40 - 10 * n, seeds) for n, after in enumerate(stages)]
        return {"evaluations": found, "rate": 1234.5}

    results = OthelloPaper().run(Answered(answer, seeds))
    rows = {row.measure: row for row in results.rows}
    assert rows["lost against positional at the end, single net"].paper == 0.12
    assert rows["lost against mobility at the end, 64 nets"].paper == 0.23
    assert rows["lost against mobility at the end, minimax-Q"].verdict == "ours alone"
    assert rows["training, single net"].ours == 1234.5
    assert all(row.ci95 is None or row.ci95[0] <= row.ours <= row.ci95[1] for row in results.rows)
    assert [figure.name for figure in results.figures] == ["figure-12", "figure-13", "figure-beyond"]
    papers = [series for series in results.figures[0].panels[1].series if series.paper]
    assert [series.y[-1] for series in papers] == [0.28, 0.24]
    table = results.tables[0]
    assert all(len(row) == len(table.heads) for row in table.rows)
    ours = [row for row in table.rows if "ours" in row[1]]
    assert len(ours) == 3
    assert ours[-1][0] == "100%"
    assert "100,000" in " ".join(results.deviations)


def test_lost_by_hand():
    one = evaluation(10, 50, 1)
    share, (low, high) = lost(one, "positional", ("black", "white"))
    assert share == 0.5
    assert low == pytest.approx(0.4314, abs=1e-3)
    assert high == pytest.approx(0.5686, abs=1e-3)
    two = one | {"mobility": {"black": [[80, 0, 20], [60, 0, 40]], "white": [[80, 0, 20], [60, 0, 40]]}}
    share, (low, high) = lost(two, "mobility", ("black", "white"))
    assert share == pytest.approx(0.3)
    assert (low, high) == (0.0, 1.0)  # 0.3 and 12.706 times 0.1: two runs so far apart say little


def test_both_scales_have_the_same_experiments():
    quick, full = plans("quick"), plans("full")
    assert [plan.label for plan in quick] == [plan.label for plan in full]
    assert {plan.settings["episodes"] for plan in full[:2]} == {15_000_000}
    asked = {"matches": 100, "last": 1000, "depth": 4}
    assert [(plan.stages, plan.evaluation) for plan in full[:2]] == [(10, asked)] * 2


def small():
    """The paper's first plan on the smallest board."""
    asked = {"matches": 3, "last": 5, "depth": 1}
    settings = {"episodes": 40, "num_envs": 2, "hidden": 4}
    return replace(plans("quick")[0], game=Othello(size=4), settings=settings, stages=2, evaluation=asked)


@pytest.mark.slow
def test_training_and_matches(tmp_path):
    run = Run.together(study(tmp_path), small())
    found = run.measured()
    assert [each["games"] for each in found["evaluations"]] == [3, 3, 5]
    assert found["evaluations"][0]["after"] == 0
    assert found["evaluations"][-1]["after"] >= 40
    for each in found["evaluations"]:
        for opponent in ("positional", "mobility"):
            for colour in ("black", "white"):
                assert [sum(counts) for counts in each[opponent][colour]] == [each["games"]] * 2


def test_colours_are_not_exchanged(monkeypatch):
    run = Run.together(Answered(str), small())
    weights = run.learner.params(run.learner.init(jax.random.key(0)))
    asked = []

    def play(game, contestants, jobs, *, opening):
        for number, job in enumerate(jobs):
            asked.append((job.seed, job.seats))
            yield number, type("Record", (), {"returns": (1.0, -1.0)})  # black wins every game

    monkeypatch.setattr(othello, "play_batch", play)
    found = othello.matches([run.agent(weights)], 2, 1)
    assert found["positional"] == {"black": [[2, 0, 0]], "white": [[0, 0, 2]]}
    assert sorted(asked) == sorted((seed, seats) for seed in range(2) for seats in [(0, 1), (1, 0), (0, 2), (2, 0)])
