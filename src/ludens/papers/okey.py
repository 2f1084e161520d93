"""I. Uygun, "Playing the Turkish tile game Okey with deep reinforcement learning": an actor-critic for two decisions.

The thesis trains an agent against an opponent that draws at random and throws free tiles: four runs of 100,000
episodes, choosing the likeliest act or drawing one, with a prioritized replay or without. Its best wins 5.9 % of the
episodes, and its greedy run with replay 0.016 %, which it cannot explain. Beside the four runs we set players that do
not learn, a search for what makes that run collapse, the limits that the thesis names, lifted one at a time, and PPO.
"""

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import ClassVar

from ludens.papers.okey_plans import (
    BASELINE,
    CHAPTER_4,
    COLLAPSED,
    DRAWING,
    EPISODES,
    FOUR_SEATS,
    GREEDY,
    PLACES,
    REAL,
    SIZES,
    TAKING,
    THESIS,
    TWO_SEATS,
    WISHED,
    Plan,
    Reference,
    always,
    best,
    causes,
    chance,
    chapter_4,
    limits,
    references,
    trained,
)
from ludens.papers.okey_report import Estimate, Report, outcome_of, said
from ludens.papers.okey_runs import learn, play_everybody, refer
from ludens.papers.paper import JSON, Paper, Part, Results, Scale, Workshop
from ludens.papers.wording import percent

FREE = 5
"""The most that throwing a tile pays."""
CERTAIN = 0.1
"""An actor whose entropy is below this does nearly always the same in the same position."""
STUBBORN = 0.02
"""A mean place that is so close to a whole number is nearly always the same place."""


class OkeyPaper(Paper):
    """The four runs of chapter 4, and beyond."""

    name: ClassVar[str] = "okey"
    title: ClassVar[str] = "Playing the Turkish tile game Okey with deep reinforcement learning"
    reference: ClassVar[str] = "I. Uygun, master's thesis, 2019"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 1, "full": 1}

    def run(self, shop: Workshop) -> Results:
        """Play without training, train everything, then set ours beside the thesis's."""
        still = {each.label: referred(shop, each) for each in references(shop.scale)}
        runs = {plan.label: measured(shop, plan) for plan in trained(shop.scale)}
        report = Report(shop.scale, shop.seeds, runs, still)
        return Results(
            rows=report.rows(),
            tables=report.tables(),
            figures=report.figures(),
            findings=findings(report),
            deviations=deviations(shop),
        )

    def parts(self, shop: Workshop) -> Mapping[str, Part]:
        """Everything: who was trained plays matches."""
        found = {}
        plans = [*chapter_4(shop.scale), *best(shop.scale), *limits(shop.scale).values(), *causes(shop.scale).values()]
        for plan in plans:
            alone = plan.settings["num_envs"] == 1
            found[_training(plan)] = Part(partial(learned, shop, plan), on_cores=alone)
            found[_matches(plan)] = Part(partial(evaluated, shop, plan), (_training(plan),), on_cores=True)
        still = references(shop.scale)
        return found | {_still(each): Part(partial(referred, shop, each), on_cores=True) for each in still}


def measured(shop: Workshop, plan: Plan) -> JSON:
    """One training run with its evaluations."""
    return {**learned(shop, plan), "evaluations": evaluated(shop, plan)}


def learned(shop: Workshop, plan: Plan) -> JSON:
    """One training run."""
    name, folder = _training(plan), _folder(shop, plan)
    settings = {**_terms(plan), "seeds": shop.seeds, "points": plan.points}
    return shop.part(name, settings, lambda: learn(plan, shop.seeds, folder, lambda share: shop.progress(name, share)))


def evaluated(shop: Workshop, plan: Plan) -> JSON:
    """Its evaluations."""
    name, folder = _matches(plan), _folder(shop, plan)
    settings = {**_terms(plan), "seeds": shop.seeds, "evaluations": plan.evaluations, "sampled": plan.sampled}
    return shop.part(
        name, settings, lambda: play_everybody(plan, shop.seeds, folder, lambda share: shop.progress(name, share))
    )


def referred(shop: Workshop, reference: Reference) -> JSON:
    """One match without training."""
    settings = {**reference._asdict(), "seeds": shop.seeds}
    return shop.part(_still(reference), settings, lambda: refer(reference, shop.seeds))


def _training(plan: Plan) -> str:
    return f"training: {plan.label}"


def _matches(plan: Plan) -> str:
    return f"matches: {plan.label}"


def _still(reference: Reference) -> str:
    return f"without training: {reference.label}"


def _terms(plan: Plan) -> dict[str, JSON]:
    """What it is that is trained."""
    return {"learner": plan.learner, "games": plan.games, "settings": plan.settings, "variant": plan.variant}


def _folder(shop: Workshop, plan: Plan) -> Path:
    """Of a training run."""
    folder: Path = shop.folder("-".join("".join(c if c.isalnum() else " " for c in plan.label.lower()).split()))
    return folder


def findings(report: Report) -> list[str]:
    """What a reader should take away."""
    return [
        _four_runs(report),
        _opponent(report),
        _one_place(report),
        _without_training(report),
        *_collapse(report),
        _lifted(report),
        *_beyond(report),
        *_diverged(report),
    ]


def _four_runs(report: Report) -> str:
    ours = {label: report.total(label, "won") for label in CHAPTER_4}
    told = [
        f"{label} {said(ours[label])} % (thesis {percent(thesis.won / EPISODES)} %)"
        for label, thesis in CHAPTER_4.items()
    ]
    first, theirs = max(ours, key=lambda label: ours[label][0]), max(CHAPTER_4, key=lambda label: CHAPTER_4[label].won)
    same = "as in the thesis" if first == theirs else f"in the thesis it is the run {theirs}"
    return f"Won in training: {'; '.join(told)}. The run {first} wins most: {same}."


def _opponent(report: Report) -> str:
    lost, drawn, turns = (
        fmean(report.total(label, what)[0] for label in CHAPTER_4) for what in ("lost", "drawn", "turns")
    )
    theirs = fmean(each.drawn for each in CHAPTER_4.values()) / EPISODES
    most = max(each.discard_reward for each in CHAPTER_4.values())
    return (
        f"The opponent wins {percent(lost)} % of our episodes and {percent(drawn)} % are drawn; in the thesis "
        f"{percent(WISHED)} % and {percent(theirs)} %. Ours end after {turns:.0f} own turns on average. A discard pays "
        f"{FREE} at most, so the thesis's {most} points take {math.ceil(most / FREE)} turns or more: its opponent "
        "was slower to finish. Ours lays out its tiles in the best way there is; how the thesis's did is not said."
    )


def _one_place(report: Report) -> str:
    won, taken = (
        [outcome_of(report.references[always(place, source)], "won") for place in range(PLACES)]
        for source in (DRAWING, TAKING)
    )
    first = max(range(PLACES), key=lambda place: won[place][0])
    record, worst = (which(each.won for each in CHAPTER_4.values()) / EPISODES for which in (max, min))
    stubborn = [label for label in CHAPTER_4 if _stubborn(report, label)]
    ours = f"At the end of training these do nearly that: {'; '.join(stubborn)}." if stubborn else ""
    return (
        "Who always draws from the centre and throws the tile at one place of the sorted hand, whatever it is, wins "
        f"{percent(min(won)[0])} to {percent(max(won)[0])} % (place {first}: {said(won[first])} %), "
        f"{percent(fmean(value for value, _ in won))} % on average over the places: tiles before that place can only "
        "make way for lower ones and those behind it for higher ones, so that the hand gathers at both ends. Whoever "
        f"always takes what is offered wins {percent(min(taken)[0])} to {percent(max(taken)[0])} %. The thesis's best "
        f"run won {percent(record)} %, its worst {percent(worst)} %: what an agent wins that has settled on one act "
        f"shows on which it has settled, not what it has learned. {ours}"
    ).strip()


def _stubborn(report: Report, label: str) -> bool:
    """Whether all seeds end with throwing from one place."""
    places = [value for value in report.runs[label]["curves"]["place"][-1] if value is not None]
    return all(abs(place - round(place)) < STUBBORN for place in places)


def _without_training(report: Report) -> str:
    labels = ["random", "untrained, not greedy", "untrained, greedy", "the opponent itself", GREEDY]
    told = [f"{label} {said(outcome_of(report.references[label], 'won'))} %" for label in labels]
    return f"Won against the opponent without training: {'; '.join(told)}."


def _collapse(report: Report) -> list[str]:
    """What the runs with one thing changed say about the collapse."""
    labels = {cause: plan.label for cause, plan in causes(report.scale).items()}
    others = [cause for cause in labels if cause != COLLAPSED]
    whole = labels[COLLAPSED]

    def ends(what: str) -> str:
        return "; ".join(f"{cause} {report.last(labels[cause], what):.3g}" for cause in others)

    won = {cause: report.total(label, "won") for cause, label in labels.items()}
    more = [cause for cause in others if _apart(won[cause], won[COLLAPSED]) > 0]
    fewer = [cause for cause in others if _apart(won[cause], won[COLLAPSED]) < 0]
    settled = {cause: _settled(report, label) for cause, label in labels.items()}
    when = "; ".join(f"{cause} {_after(settled[cause])}" for cause in others)
    stubborn = [cause for cause, label in labels.items() if _stubborn(report, label)]
    return [
        f"The greedy run with replay, one episode after the other: the discard actor is certain (entropy below "
        f"{CERTAIN}) {_after(settled[COLLAPSED])} and stays what it then is. With one thing changed: {when}.",
        f"The critic's error at the end, in points: {report.last(whole, 'td_error'):.3g} as in the thesis; "
        f"{ends('td_error')}. The largest reward is 20 points: where the error is far above, training on the largest "
        "errors has made them larger.",
        f"Always one place of the hand is thrown from at the end: {_list(stubborn)}. Won in training: "
        f"{said(won[COLLAPSED])} % as in the thesis; clearly more: {_list(more)}; clearly fewer: {_list(fewer)}.",
    ]


def _settled(report: Report, label: str) -> int | None:
    """Episodes after which the discard actor is certain for good, over all seeds; None if it never is."""
    run = report.runs[label]
    entropies = [fmean(x for x in values if x is not None) for values in run["curves"]["entropy"]]
    undecided = [number for number, entropy in enumerate(entropies) if entropy >= CERTAIN]
    number = undecided[-1] + 1 if undecided else 0
    return run["games"][number] if number < len(entropies) else None


def _after(episodes: int | None) -> str:
    return "never" if episodes is None else f"within {episodes:,} episodes"


def _lifted(report: Report) -> str:
    plans = limits(report.scale)
    base = report.decided(plans[BASELINE].label, THESIS)
    found: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for limit, plan in plans.items():
        if limit != BASELINE and plan.variant.get("players", 2) == 2:
            found[_apart(report.decided(plan.label, THESIS), base)].append(limit)
    tables = [
        f"{limit} {said(report.decided(plan.label, THESIS))} % (chance: {percent(chance(plan.variant))} %)"
        for limit, plan in plans.items()
        if plan.variant.get("players", 2) > 2
    ]
    return (
        f"Limits lifted from the run {BASELINE}, which wins {said(base)} % of the decided games after training: more "
        f"with {_list(found[1])}; less with {_list(found[-1])}; no clear difference with {_list(found[0])}. At larger "
        f"tables: {'; '.join(tables)}."
    )


def _beyond(report: Report) -> list[str]:
    won, lost = (report.result(TWO_SEATS, THESIS, what) for what in ("won", "lost"))
    passed = "passes" if won[0] > WISHED else "does not pass"
    four, others = report.decided(FOUR_SEATS, THESIS), report.decided(FOUR_SEATS, GREEDY)
    return [
        f"PPO wins {said(won)} % and loses {said(lost)} % against the opponent: it {passed} the {percent(WISHED)} % "
        f"that the thesis asks for. Of the decided games it wins {said(report.decided(TWO_SEATS, THESIS))} %, and "
        f"against okey-greedy {said(report.decided(TWO_SEATS, GREEDY))} %.",
        f"In the game that people play, with four seats, PPO wins {said(four)} % of the decided games against three "
        f"times the opponent of the thesis and {said(others)} % against three times okey-greedy; chance would give it "
        f"{percent(chance(REAL))} %.",
    ]


def _apart(one: Estimate, other: Estimate) -> int:
    """1 or -1 if one interval lies above or below the other, 0 if they overlap."""
    low, high = one[1] or (one[0], one[0])
    other_low, other_high = other[1] or (other[0], other[0])
    return (low > other_high) - (high < other_low)


def _list(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


def _diverged(report: Report) -> list[str]:
    """Runs whose weights stopped being numbers, if there are any."""
    ended = [f"{label} after {run['games'][-1]:,} episodes" for label, run in report.runs.items() if run["diverged"]]
    return (
        [f"Weights stopped being finite, and what was learned until then is measured: {', '.join(ended)}."]
        if ended
        else []
    )


def deviations(shop: Workshop) -> list[str]:
    """What we did that the thesis did not, or did not say."""
    size = SIZES[shop.scale]
    listed = [
        "The opponent lays out its tiles so that its sets are worth the most; which free tile it throws is drawn, and "
        "it finishes whenever it can. The thesis says only that it draws at random and throws free tiles.",
        "Who begins is drawn in every episode; evaluations alternate. The thesis does not say who began.",
        "Units of the hidden layers, learning rates, the critic's shape and how the draw actor is trained are ours; "
        "the page of the learner lists them.",
        "Rewards are added up over an episode and averaged over episodes: the thesis's means can only be that.",
        "Free tiles thrown count by the reward: a tile whose loss makes the hand worth no less.",
        "Four seats and teams keep the thesis's other rules (runs of four, no pairs), so that one thing changes at a "
        "time, and the partner plays like the opponent; the game that PPO learns for four seats has common rules.",
        "The rewards on the way are the thesis's in all variants: pairs pay nothing until they finish.",
        "Shares in training are over all its episodes, as in the thesis; what an agent is worth at the end is "
        "measured apart, with the likeliest acts.",
    ]
    if size.num_envs > 1:
        listed.append(
            f"{size.num_envs} episodes are played side by side (`num_envs`), learning at once, with batches and a "
            "replay as many times larger; the thesis plays one after the other. The runs about the collapse do, too."
        )
    if shop.scale == "quick":
        ppo = size.ppo["episodes"]
        listed.insert(
            0,
            f"A quick run trains {size.episodes:,} episodes instead of {EPISODES:,} ({size.cause_episodes:,} for the "
            f"collapse, with fewer changes tried), PPO {ppo:,} games, and evaluates with {size.games:,} games.",
        )
    return listed
