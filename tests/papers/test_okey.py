"""The reproduction of the thesis on Okey, with a workshop in memory and training that takes no time."""

import json
from pathlib import Path
from statistics import fmean

import jax
import jax.numpy as jnp
import pytest

from ludens.games.okey import DRAW, FIRST_DISCARD, TAKE, Okey
from ludens.learning import LEARNERS
from ludens.learning.okey_actor_critic import OkeyActorCritic
from ludens.learning.ppo import PPO
from ludens.learning.run import DivergedError, Progress
from ludens.papers import okey, okey_runs
from ludens.papers.okey import OkeyPaper, learned
from ludens.papers.okey_plans import (
    BASELINE,
    CHAPTER_4,
    EPISODES,
    GREEDY_REPLAY,
    LIMITS,
    WISHED,
    Plan,
    Reference,
    best,
    causes,
    chance,
    chapter_4,
    limits,
    references,
    trained,
)
from ludens.papers.okey_report import Report, decided_of, outcome_of, over_seeds, share
from ludens.papers.okey_runs import KEPT, SAMPLED, learn, one_place, play_everybody, refer, told
from ludens.players.okey_actors import TwoActors

TINY = {"hidden": 4, "draw_hidden": 4, "opponents": "random"}
SMALL = Plan("small run", "okey-actor-critic", 4, TINY, {}, 2, {"random": 4}, sampled=4)


class Shop:
    scale = "quick"
    seeds = 2

    def __init__(self):
        self.asked = {}

    def part(self, name, settings, compute):
        assert name not in self.asked
        self.asked[name] = json.loads(json.dumps(settings))
        return json.loads(json.dumps(compute()))

    def folder(self, name):
        return Path(name)

    def progress(self, what, share):
        assert 0 <= share <= 1


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(LEARNERS, OkeyActorCritic.name, OkeyActorCritic)


def figures_of(plan, seeds):
    """A run in which everything rises or falls a little, and the entropy falls below what is certain half-way."""
    ends = [round(plan.games * (n + 1) / plan.points) for n in range(plan.points)]
    level = {"won": 0.05, "drawn": 0.15, "lost": 0.8, "place": 6.5}
    curves = {
        name: [[level.get(name, 0.6) + 0.001 * (n + seed) for seed in range(seeds)] for n in range(plan.points)]
        for name in KEPT
    }
    half = plan.points // 2
    curves["entropy"] = [[2.0 if n < half else 0.01] * seeds for n in range(plan.points)]
    curves["td_error"][0] = [None] * seeds
    return {
        "games": ends,
        "curves": curves,
        "totals": {name: [level.get(name, 0.6) + 0.002 * seed for seed in range(seeds)] for name in KEPT},
        "device": "cpu",
        "rate": 12.5,
        "diverged": False,
        "evaluations": {
            **{spec: [[60 + seed, 10, 30 - seed] for seed in range(seeds)] for spec in plan.evaluations},
            SAMPLED: [[5, 5, 90]] * seeds,
        },
    }


def reproduced(monkeypatch, seeds, scale="quick"):
    def fake(plan, seeds, folder, watch):
        watch(0.5)
        return {name: fact for name, fact in figures_of(plan, seeds).items() if name != "evaluations"}

    def fake_matches(plan, seeds, folder, watch):
        return figures_of(plan, seeds)["evaluations"]

    def fake_match(reference, seeds):
        place = int(reference.who.split()[2]) if reference.who.startswith("one place") else 0
        return [[20 + place, 20, 60 - place]]

    monkeypatch.setattr(okey, "learn", fake)
    monkeypatch.setattr(okey, "play_everybody", fake_matches)
    monkeypatch.setattr(okey, "refer", fake_match)
    shop = Shop()
    shop.seeds, shop.scale = seeds, scale
    return OkeyPaper().run(shop), shop


def test_the_thesis_figures_add_up():
    assert [sum(each[:3]) for each in CHAPTER_4.values()] == [EPISODES] * 4
    assert fmean(each.lost for each in CHAPTER_4.values()) / EPISODES == pytest.approx(WISHED, abs=0.001)
    assert [each.won for each in CHAPTER_4.values()] == [16, 2337, 5937, 1356]


@pytest.mark.parametrize("scale", ["quick", "full"])
def test_everything_planned_can_be_made(scale):
    kinds = {OkeyActorCritic.name: OkeyActorCritic, PPO.name: PPO}
    plans = trained(scale)
    assert len({plan.label for plan in plans}) == len(plans)
    for plan in plans:
        kind, game = kinds[plan.learner], Okey(**plan.variant)
        assert kind.learns(game)
        kind(game, kind.config_type(games=plan.games, **plan.settings))
    labels = [each.label for each in references(scale)]
    assert len(set(labels)) == len(labels)
    assert {(plan.settings["greedy"], plan.settings["replay"]) for plan in chapter_4(scale)} == {
        (greedy, replay) for greedy in (True, False) for replay in ("top", "none")
    }
    assert list(limits(scale)) == [BASELINE, *LIMITS]
    assert limits(scale)[BASELINE] in chapter_4(scale)
    assert all(plan.settings["num_envs"] == 1 for plan in causes(scale).values())
    assert [Okey(**plan.variant).players for plan in best(scale)] == [2, 4]


def test_the_full_run_is_the_thesis():
    for plan in chapter_4("full"):
        assert plan.games == EPISODES
        assert plan.evaluations == {"thesis": 2000}
        assert plan.sampled == 2000
        # Everything else that the thesis states is the learner's default.
        assert plan.settings.keys() == {"num_envs", "greedy", "replay"}
    for limit, (variant, settings) in LIMITS.items():
        plan = limits("full")[limit]
        assert (plan.games, dict(plan.variant)) == (EPISODES, variant)
        assert plan.settings == {**limits("full")[BASELINE].settings, **settings}
    assert [plan.evaluations["thesis"] for plan in best("full")] == [20_000, 2000]


@pytest.mark.parametrize(("seeds", "scale"), [(1, "quick"), (2, "quick"), (3, "full")])
def test_everything_is_set_beside_the_thesis(monkeypatch, seeds, scale):
    results, shop = reproduced(monkeypatch, seeds, scale)
    assert len(shop.asked) == 2 * len(trained(scale)) + len(references(scale))  # training and matches
    assert all(settings["seeds"] == seeds for settings in shop.asked.values())
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


def test_a_worse_agent_is_not_called_better(monkeypatch):
    results, _ = reproduced(monkeypatch, 2)
    rows = {row.measure: row for row in results.rows}
    assert rows["lost in training, greedy, with replay"].verdict == "worse"  # 80 % instead of 32 %
    assert rows["drawn in training, greedy, with replay"].verdict == "better"  # 15 % instead of 68 %
    assert rows["won in training, greedy, no replay"].verdict == "agrees"  # 5.1 % of two seeds that differ


def test_findings_follow_the_figures(monkeypatch):
    runs = {plan.label: figures_of(plan, 1) for plan in trained("quick")}
    still = {each.label: [[20, 20, 60]] for each in references("quick")}
    report = Report("quick", 1, runs, still)
    calm = "cause: in proportion"
    runs[calm]["curves"]["entropy"] = [[2.0]] * len(runs[calm]["games"])
    runs[calm]["totals"]["won"] = [0.9]
    runs["cause: as in the thesis"]["totals"]["won"] = [0.3]
    runs["greedy, no replay"]["curves"]["place"][-1] = [3.001]
    runs["limit: runs of five"]["evaluations"]["thesis"] = [[95, 0, 5]]
    runs["limit: sparse reward"]["evaluations"]["thesis"] = [[1, 0, 99]]
    found = okey.findings(report)
    assert any("in proportion never" in each and "within 60 episodes" in each for each in found)
    assert any("clearly more: in proportion; clearly fewer: no replay, 1 training." in each for each in found)
    assert any("these do nearly that: greedy, no replay." in each for each in found)
    assert any(
        "more with runs of five; less with sparse reward; no clear difference with pairs and joker finish" in each
        for each in found
    )


def test_shares_and_intervals_by_hand():
    assert share([(50, 100)])[0] == 0.5
    assert share([(50, 100)])[1] == pytest.approx((0.4038, 0.5962), abs=1e-4)
    value, ci95 = share([(10, 100), (30, 100)])
    assert (value, ci95) == (pytest.approx(0.2), (0.0, 1.0))  # 0.2 and 12.706 times 0.1
    assert over_seeds([3.0]) == (3.0, None)
    assert outcome_of([[1, 2, 7]], "drawn")[0] == 0.2
    assert decided_of([[30, 60, 10]])[0] == 0.75
    assert decided_of([[0, 8, 0]]) == (0.0, (0.0, 1.0))


def test_metrics_become_curves_and_totals_by_hand():
    none = {"seconds": 0.0, "games_per_second": None}
    lines = [
        {"games": 0, **none, "device": "cpu"},
        {
            "games": 10,
            "seconds": 9.0,
            "games_per_second": 1.0,
            "device": "cpu",
            "won": [0.1, 0.3],
            "td_error": [None, 2.0],
        },
        {
            "games": 40,
            "seconds": 2.0,
            "games_per_second": 30.0,
            "device": "H200",
            "won": [0.5, 0.7],
            "td_error": [4.0, None],
        },
    ]
    found = told(lines)
    assert found["games"] == [10, 40]
    assert found["curves"]["won"] == [[0.1, 0.3], [0.5, 0.7]]
    assert found["totals"]["won"] == pytest.approx([0.4, 0.6])  # ten games and thirty
    assert found["totals"]["td_error"] == [4.0, 2.0]
    assert found["rate"] == 30.0
    assert found["device"] == "cpu and H200"
    assert told([])["rate"] is None


def test_training_evaluation_and_going_on(monkeypatch, tmp_path):
    monkeypatch.setattr(okey_runs, "THESIS", "random")  # who is compiled in no time
    seen = []
    played = play_everybody(SMALL, 1, tmp_path / "run", seen.append)  # which is learned first
    found = learn(SMALL, 1, tmp_path / "run", seen.append)
    assert found["games"] == [2, 4]
    assert sum(found["totals"][outcome][0] for outcome in ("won", "drawn", "lost")) == pytest.approx(1)
    assert {who: [sum(counts) for counts in each] for who, each in played.items()} == {"random": [4], SAMPLED: [4]}
    assert found["device"] == "cpu"
    assert 1.0 in seen
    assert found["diverged"] is False
    assert learn(SMALL, 1, tmp_path / "run", seen.append) == found
    assert play_everybody(SMALL, 1, tmp_path / "run", seen.append) == played


def test_a_run_that_stops_being_numbers_is_measured_until_then(monkeypatch, tmp_path):
    def train(learner, folder, **_):
        folder.mkdir(exist_ok=True)
        yield Progress(2, {})
        raise DivergedError("no longer finite")

    monkeypatch.setattr(okey_runs, "train", train)
    monkeypatch.setattr(okey_runs, "matches", lambda *_, **__: [[1, 2, 3]])
    with pytest.raises(DivergedError):
        learn(SMALL, 1, tmp_path / "run", lambda share: None)
    (tmp_path / "run" / "checkpoint.safetensors").touch()
    assert learn(SMALL, 1, tmp_path / "run", lambda share: None)["diverged"] is True
    assert play_everybody(SMALL, 1, tmp_path / "run", lambda share: None) == {
        "random": [[1, 2, 3]],
        SAMPLED: [[1, 2, 3]],
    }


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

    monkeypatch.setattr(okey_runs, "match", match)
    assert refer(Reference("", "untrained", 8, sampled=True), 2) == [[1, 2, 3]] * 2
    assert refer(Reference("", "one place 3 taking", 8), 2) == [[1, 2, 3]]
    assert refer(Reference("", "okey-greedy", 9), 2) == [[1, 2, 3]]
    assert asked == [
        ("TwoActors", True, "thesis", 8, 0),
        ("TwoActors", True, "thesis", 8, 1),
        ("TwoActors", False, "thesis", 8, 0),
        ("OkeyGreedy", None, "thesis", 9, 0),
    ]


def test_chance():
    assert [chance(variant) for variant in ({}, {"players": 4}, {"players": 4, "teams": True})] == [0.5, 0.25, 0.5]


def test_parts_that_can_be_computed_side_by_side():
    shop = Shop()
    shop.scale = "full"
    parts = OkeyPaper().parts(shop)
    plans = {plan.label: plan for plan in trained("full")}
    assert len(parts) == 2 * len(plans) + len(references("full"))
    assert parts["matches: PPO"].after == ("training: PPO",)
    accelerated = {name for name, part in parts.items() if not part.on_cores}
    assert accelerated == {f"training: {label}" for label in plans if not label.startswith("cause")}
    assert next(iter(parts)) == f"training: {GREEDY_REPLAY}"  # the longest


def test_folders_are_apart():
    class Folders(Shop):
        def __init__(self):
            super().__init__()
            self.folders = []

        def folder(self, name):
            self.folders.append(name)
            return Path(name)

        def part(self, name, settings, compute):
            return None

    shop = Folders()
    for plan in trained("full"):
        learned(shop, plan)
    assert len(set(shop.folders)) == len(trained("full"))
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in shop.folders)
