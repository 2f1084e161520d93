"""The reproduction of the thesis on Okey, with parts in memory and training that takes no time."""

from dataclasses import replace
from functools import cache
from statistics import fmean

import jax
import jax.numpy as jnp
import pytest

from ludens.games.okey import DRAW, FIRST_DISCARD, TAKE, Okey
from ludens.learning.run import DivergedError, Progress
from ludens.papers import experiment, okey
from ludens.papers.experiment import Run
from ludens.papers.okey import (
    BASELINE,
    CHAPTER_4,
    CURVES,
    EPISODES,
    GREEDY_REPLAY,
    LIMITS,
    SAMPLED,
    THESIS,
    WISHED,
    Reference,
    best,
    causes,
    chance,
    chapter_4,
    limits,
    one_place,
    play_reference,
    references,
    trained,
)
from ludens.papers.okey_report import OkeyPaper, OkeyReport, findings, share_of, share_of_decided
from ludens.players.okey_actors import TwoActors
from papers.fake import Answered
from papers.test_study import study

TINY = {"episodes": 4, "hidden": 4, "draw_hidden": 4, "opponents": "random"}
SMALL = replace(chapter_4("quick")[0], label="small run", settings=TINY, points=2, matches={"random": 4, SAMPLED: 4})


def figures_of(plan, seeds):
    """A run in which everything rises or falls a little, and the entropy falls below what is certain half-way."""
    ends = [round(plan.settings["episodes"] * (n + 1) / plan.points) for n in range(plan.points)]
    level = {"won": 0.05, "drawn": 0.15, "lost": 0.8, "place": 6.5}
    curves = {
        name: [[level.get(name, 0.6) + 0.001 * (n + seed) for seed in range(seeds)] for n in range(plan.points)]
        for name in CURVES
    }
    half = plan.points // 2
    curves["entropy"] = [[2.0 if n < half else 0.01] * seeds for n in range(plan.points)]
    curves["td_error"][0] = [None] * seeds
    return {
        "games": ends,
        "curves": curves,
        "device": "cpu",
        "rate": 12.5,
        "diverged": False,
        "matches": {
            **{spec: [[60 + seed, 10, 30 - seed] for seed in range(seeds)] for spec in plan.matches},
            SAMPLED: [[5, 5, 90]] * seeds,
        },
    }


@cache
def reproduced(seeds, scale="quick"):
    plans = {plan.label: plan for plan in trained(scale)}

    def answer(name):
        if name.startswith("without training: "):
            return [[20 + int(name.split()[-1]), 20, 60 - int(name.split()[-1])]] if "place" in name else [[20, 20, 60]]
        kind, label = name.split(" of ", 1) if name.startswith("matches") else name.split(" ", 1)
        facts = figures_of(plans[label], seeds)
        played = facts.pop("matches")
        return played if kind == "matches" else facts

    here = Answered(answer, seeds, scale)
    return OkeyPaper().run(here), here


def test_the_thesis_figures_add_up():
    assert [sum(each[:3]) for each in CHAPTER_4.values()] == [EPISODES] * 4
    assert fmean(each.lost for each in CHAPTER_4.values()) / EPISODES == pytest.approx(WISHED, abs=0.001)
    assert [each.won for each in CHAPTER_4.values()] == [16, 2337, 5937, 1356]


@pytest.mark.parametrize("scale", ["quick", "full"])
def test_everything_planned_can_be_made(scale):
    plans = trained(scale)
    assert len({plan.label for plan in plans}) == len(plans)
    for plan in plans:
        run = Run.together(Answered(str), plan)
        assert run.learner.learns(plan.game)
        assert run.episodes == plan.settings["episodes"]
    labels = [each.label for each in references(scale)]
    assert len(set(labels)) == len(labels)
    assert {(plan.settings["greedy"], plan.settings["replay"]) for plan in chapter_4(scale)} == {
        (greedy, replay) for greedy in (True, False) for replay in ("top", "none")
    }
    assert list(limits(scale)) == [BASELINE, *LIMITS]
    assert limits(scale)[BASELINE] in chapter_4(scale)
    assert all(plan.settings["num_envs"] == 1 for plan in causes(scale).values())
    assert [plan.game.players for plan in best(scale)] == [2, 4]


def test_the_full_run_is_the_thesis():
    for plan in chapter_4("full"):
        assert plan.settings["episodes"] == EPISODES
        assert plan.matches == {THESIS: 2000, SAMPLED: 2000}
        # Everything else that the thesis states is the learner's default.
        assert plan.settings.keys() == {"episodes", "num_envs", "greedy", "replay"}
    for limit, (variant, settings) in LIMITS.items():
        plan = limits("full")[limit]
        assert (plan.settings["episodes"], plan.game) == (EPISODES, Okey(**variant))
        assert plan.settings == {**limits("full")[BASELINE].settings, **settings}
    assert [plan.matches["thesis"] for plan in best("full")] == [20_000, 2000]


@pytest.mark.parametrize(("seeds", "scale"), [(1, "quick"), (2, "quick"), (3, "full")])
def test_everything_is_set_beside_the_thesis(seeds, scale):
    results, here = reproduced(seeds, scale)
    assert len(here.settings) == 2 * len(trained(scale)) + len(references(scale))  # training and matches
    assert all(settings["seeds"] == seeds for settings in here.settings.values())
    rows = {row.measure: row for row in results.rows}
    assert len(rows) == len(results.rows)
    assert rows["won in training, greedy, with replay"].paper == pytest.approx(0.00016)
    assert rows["won in training, greedy, no replay"].paper == pytest.approx(0.05937)
    assert rows["lost in training, not greedy, with replay"].paper == pytest.approx(0.32192)
    assert rows["paid for discards, greedy, no replay"].paper == 407.4
    assert rows["paid for draws, not greedy, no replay"].paper == 133.9
    assert rows["won against the opponent, PPO"].verdict == "better"
    assert rows["won against the opponent, PPO"].paper == WISHED
    assert rows["won of the decided games against the opponent, PPO"].ours == pytest.approx(2 / 3, abs=0.02)
    assert rows["training, limit: teams, cpu"].ours == 12.5
    assert all(row.ci95 is None or row.ci95[0] <= row.ours <= row.ci95[1] for row in results.rows)
    for table in results.tables:
        assert all(len(row) == len(table.heads) for row in table.rows)
    assert len(results.tables[0].rows) == 4 * 4
    assert [row[0] for row in results.tables[3].rows] == ["nothing", *LIMITS]
    assert [figure.name for figure in results.figures] == ["chapter-4", "causes", "limits", "best"]
    for figure in results.figures:
        for panel in figure.panels:
            assert all(len(series.x) == len(series.y) > 0 for series in panel.series)
            assert all((series.low is None) == (seeds == 1) for series in panel.series)
    said = " ".join(results.findings)
    assert "20.0 to 34.0 %" in said  # always one place
    assert "82 turns or more" in said  # 407.4 points at 5 a discard
    assert "passes the 38.2 %" in said
    assert ("250 episodes" in " ".join(results.deviations)) == (scale == "quick")


def test_a_worse_agent_is_not_called_better():
    results, _ = reproduced(2)
    rows = {row.measure: row for row in results.rows}
    assert rows["lost in training, greedy, with replay"].verdict == "worse"  # 80 % instead of 32 %
    assert rows["drawn in training, greedy, with replay"].verdict == "differs"  # 15 % instead of 68 %
    assert rows["paid for draws, greedy, with replay"].verdict == "differs"  # longer games pay more
    assert rows["won in training, greedy, no replay"].verdict == "agrees"  # 5.1 % of two seeds that differ


def test_findings_follow_the_figures():
    runs = {plan.label: figures_of(plan, 1) for plan in trained("quick")}
    still = {each.label: [[20, 20, 60]] for each in references("quick")}
    report = OkeyReport("quick", 1, runs, still)
    calm = "cause: in proportion"
    runs[calm]["curves"]["entropy"] = [[2.0]] * len(runs[calm]["games"])
    runs[calm]["curves"]["won"] = [[0.9]] * len(runs[calm]["games"])
    runs["cause: as in the thesis"]["curves"]["won"] = [[0.3]] * len(runs[calm]["games"])
    runs["greedy, no replay"]["curves"]["place"][-1] = [3.001]
    runs["limit: runs of five"]["matches"]["thesis"] = [[95, 0, 5]]
    runs["limit: sparse reward"]["matches"]["thesis"] = [[1, 0, 99]]
    found = findings(report)
    assert any("in proportion never" in each and "within 60 episodes" in each for each in found)
    assert any("clearly more: in proportion; clearly fewer: no replay, 1 training." in each for each in found)
    assert any("these do nearly that: greedy, no replay." in each for each in found)
    assert any(
        "more with runs of five; less with sparse reward; no clear difference with pairs and joker finish" in each
        for each in found
    )


def test_shares_and_totals_by_hand():
    assert share_of([[1, 2, 7]], "drawn").value == 0.2
    assert share_of_decided([[30, 60, 10]]).value == 0.75
    assert share_of_decided([[0, 8, 0]]) == (0.0, (0.0, 1.0))
    curves = {"won": [[0.1, 0.3], [0.5, 0.7]], "td_error": [[None, 2.0], [4.0, None]]}
    report = OkeyReport("quick", 2, {"a run": {"games": [10, 40], "curves": curves}}, {})
    assert report.total("a run", "won").value == pytest.approx((0.4 + 0.6) / 2)  # ten games and thirty
    assert report.total("a run", "td_error").value == 3.0  # 4 and 2
    assert report.last("a run", "td_error") == 4.0


@pytest.mark.slow
def test_training_matches_and_going_on(monkeypatch, tmp_path):
    monkeypatch.setattr(okey, "THESIS", "random")  # who is compiled in no time
    run = Run.together(study(tmp_path), SMALL, 1)
    played = run.matches()  # which is trained first
    found = run.training()
    assert found["games"] == [2, 4]
    assert sum(found["curves"][outcome][-1][0] for outcome in ("won", "drawn", "lost")) == pytest.approx(1)
    assert {who: [sum(counts) for counts in each] for who, each in played.items()} == {"random": [4], SAMPLED: [4]}
    assert found["diverged"] is False


def test_a_run_that_stops_being_numbers_is_measured_until_then(monkeypatch, tmp_path):
    def train(learner, folder, **_):
        folder.mkdir(exist_ok=True)
        yield Progress(2, {})
        raise DivergedError("no longer finite")

    monkeypatch.setattr(experiment, "train", train)
    monkeypatch.setattr(Run, "params", lambda run, row: None)
    monkeypatch.setattr(okey, "match", lambda *_: [1, 2, 3])
    run = Run.together(study(tmp_path), SMALL, 1)
    with pytest.raises(DivergedError):
        run.training()
    (run.folder / "checkpoint.safetensors").touch()
    assert run.training()["diverged"] is True
    assert run.matches() == {"random": [[1, 2, 3]], SAMPLED: [[1, 2, 3]]}
    careful = Run.together(study(tmp_path), replace(SMALL, may_diverge=False), 1)
    with pytest.raises(DivergedError):
        careful.finish()


def test_one_place_is_what_it_says():
    game = Okey()
    agent = TwoActors(game, lambda shapes: None, draw_hidden=1, hidden=1, discards=False, sample=False)
    s = game.init(jax.random.key(3))
    view = game.view(s, 0)
    hand = [kind for kind in range(53) for _ in range(int(s.hands[0, kind]))]
    act = jax.jit(lambda net, view: agent.act(net, jax.random.key(0), view).action)
    for place in (0, 7, 14):
        for source, action in (("drawing", 0), ("taking", TAKE)):
            net = one_place(agent.shapes(), place, source)
            assert int(act(net, view)) == FIRST_DISCARD + hand[place]
            assert int(act(net, view._replace(phase=jnp.int32(DRAW), offer=jnp.int32(5)))) == action


def test_references_are_played(monkeypatch):
    asked = []

    def match(who, params, spec, games, seed):
        asked.append((type(who).__name__, getattr(who, "sample", None), spec, games, seed))
        return [1, 2, 3]

    monkeypatch.setattr(okey, "match", match)
    here = Answered(str)
    assert play_reference(here, Reference("", "untrained", 8, sampled=True)) == [[1, 2, 3]] * 2
    assert play_reference(here, Reference("", "one place 3 taking", 8)) == [[1, 2, 3]]
    assert play_reference(here, Reference("", "okey-greedy", 9)) == [[1, 2, 3]]
    assert asked == [
        ("TwoActors", True, "thesis", 8, 0),
        ("TwoActors", True, "thesis", 8, 1),
        ("TwoActors", False, "thesis", 8, 0),
        ("OkeyGreedy", None, "thesis", 9, 0),
    ]


def test_chance():
    assert [chance(game) for game in (Okey(), Okey(players=4), Okey(players=4, teams=True))] == [0.5, 0.25, 0.5]


def test_parts_that_can_be_computed_side_by_side():
    parts = OkeyPaper().parts(Answered(str, scale="full"))
    plans = {plan.label: plan for plan in trained("full")}
    assert len(parts) == 2 * len(plans) + len(references("full"))
    assert parts["matches of PPO"].after == ("training PPO",)
    accelerated = {name for name, part in parts.items() if not part.on_cores}
    assert accelerated == {f"training {label}" for label in plans if not label.startswith("cause")}
    assert next(iter(parts)) == f"training {GREEDY_REPLAY}"  # the longest


def test_folders_are_apart():
    folders = [Run.together(Answered(str), plan).folder.name for plan in trained("full")]
    assert len(set(folders)) == len(trained("full"))
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in folders)
