"""What every paper is reproduced with: a plan, a training run of it, matches after training, parts that are kept.

A paper is two files: its numbers, its plans and how they are measured, and its report, a `Paper`.
"""

import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import jax

from ludens.arena.match import Contestant, balanced_jobs, play
from ludens.arena.statistics import result
from ludens.core.game import Game, variant
from ludens.core.player import Player
from ludens.core.run_files import CHECKPOINT, RUN, device, read_metrics
from ludens.learning import learner as make_learner
from ludens.learning.learner import Learner
from ludens.learning.run import DivergedError, Evaluate, train
from ludens.papers.codec import JSON
from ludens.papers.results import Results, Scale
from ludens.papers.study import Study, slug
from ludens.players import player
from ludens.players.agent import Agent
from ludens.players.learned import agent_of, learned


@dataclass(frozen=True)
class Plan:
    """What is trained, and what is measured meanwhile and afterwards."""

    label: str
    """For readers: `single net`."""
    game: Game[Any]
    learner: str
    """`neural-q`."""
    settings: Mapping[str, JSON]
    """The learner's, other than the defaults."""
    points: int = 100
    """Of its curves, and checkpoints along the way."""
    curves: tuple[str, ...] = ()
    """What is kept of the run's metrics, where a learner has it."""
    evaluate: Callable[["Run"], Evaluate] | None = None
    """What is measured while it trains: before the first game and then at equal steps."""
    evaluation: Mapping[str, JSON] = field(default_factory=dict)
    """What `evaluate` goes by: opponents, games."""
    stages: int | None = None
    """Evaluations at equal steps; None: at each of the points."""
    play: Callable[["Run"], JSON] | None = None
    """What is measured after training."""
    matches: Mapping[str, JSON] = field(default_factory=dict)
    """What `play` goes by: opponents, games."""
    heavy: bool = False
    """Whether what was learned is too large to stay on disk once it was measured."""
    may_diverge: bool = False
    """Whether a run whose weights stop being finite is measured as it was before."""


@dataclass(frozen=True)
class Run:
    """One training run of a plan in a study, with one seed or several side by side."""

    study: Study
    plan: Plan
    seed: int
    """The first."""
    seeds: int
    name: str
    """Of its parts."""

    @classmethod
    def together(cls, study: Study, plan: Plan, seeds: int | None = None) -> "Run":
        """All seeds in one run."""
        return cls(study, plan, 0, seeds or study.seeds, plan.label)

    @classmethod
    def apart(cls, study: Study, plan: Plan, seeds: int | None = None) -> list["Run"]:
        """A run for each seed, so that they can be computed in processes of their own."""
        return [cls(study, plan, seed, 1, f"{plan.label}, seed {seed}") for seed in range(seeds or study.seeds)]

    @cached_property
    def learner(self) -> Learner[Any]:
        return make_learner(self.plan.learner, self.plan.game, dict(self.plan.settings))

    @property
    def episodes(self) -> int:
        """Games of its training."""
        return self.learner.config.episodes

    @property
    def terms(self) -> dict[str, JSON]:
        """What it is that is trained: all settings, also those that are defaults."""
        game = {"game": self.plan.game.id, "variant": variant(self.plan.game)}
        config = self.learner.config.to_dict()
        return {**game, "learner": self.plan.learner, "config": config, "seed": self.seed, "seeds": self.seeds}

    @property
    def folder(self) -> Path:
        """Of its checkpoints: another one for other settings."""
        digest = blake2b(json.dumps(self.terms, sort_keys=True, default=str).encode(), digest_size=4).hexdigest()
        return self.study.folder(f"{slug(self.name)}-{digest}")

    # ------------------------------------------------------------------ parts

    def measured(self) -> JSON:
        """The training, and under `matches` what was measured after it."""
        training = self.training()  # first: what `matches` measures may be too large to stay
        return {**training, "matches": self.matches()} if self.plan.play else training

    def training(self) -> JSON:
        """Curves, evaluations and speed: what `summary` makes of the run's metrics."""
        plan = self.plan
        settings = {**self.terms, **plan.evaluation, "points": plan.points, "stages": plan.stages}

        def compute() -> JSON:
            diverged = self.finish()
            return {**summary(read_metrics(self.folder), plan.curves), "diverged": diverged}

        return self.study.part(self.training_part, settings, compute)

    def matches(self) -> JSON:
        """What `plan.play` measures, after training if that is still to be done."""

        def compute() -> JSON:
            assert self.plan.play is not None
            self.finish()
            measured = self.plan.play(self)
            if self.plan.heavy:
                shutil.rmtree(self.folder)
            return measured

        return self.study.part(self.matches_part, {**self.terms, **self.plan.matches}, compute)

    @property
    def training_part(self) -> str:
        return f"training {self.name}"

    @property
    def matches_part(self) -> str:
        return f"matches of {self.name}"

    # ------------------------------------------------------------------ what was learned

    def finish(self) -> bool:
        """Train to the end in the run's folder, from where it stood; whether the weights stopped being finite."""
        plan, folder, total = self.plan, self.folder, self.episodes
        steps = train(
            self.learner,
            folder,
            seed=self.seed,
            seeds=self.seeds,
            every=-(-total // plan.points),
            evaluate=plan.evaluate(self) if plan.evaluate else None,
            evaluate_every=-(-total // plan.stages) if plan.stages else None,
            resume=(folder / RUN).exists(),
        )
        self.study.progress(self.name, 0.0)
        try:
            for progress in steps:
                self.study.progress(self.name, min(1.0, progress.games / total))
        except DivergedError:
            if not plan.may_diverge or not (folder / CHECKPOINT).exists():
                raise
            return True
        return False

    def params(self, row: int = 0) -> Any:
        return learned(f"{self.folder}@{row}", self.plan.game).init(jax.random.key(0))

    def agent(self, params: Any = None, **changes: JSON) -> Agent[Any]:
        """Who plays with `params`, which may also come with each call; `changes` are to what the learner says."""
        return agent_of(self.plan.game, {**self.learner.agent(), **changes}, lambda shapes: params)


def summary(lines: Sequence[Mapping[str, Any]], curves: Sequence[str]) -> dict[str, JSON]:
    """What the metrics of a run say: after how many games, curves `[T][R]`, evaluations, seconds, games/s, device."""
    chunks = [line for line in lines if line["games"]]
    timed = chunks[1:]  # the first is compiled while it runs
    seconds = sum(line["seconds"] for line in timed)
    played = sum(line["games_per_second"] * line["seconds"] for line in timed if line["seconds"])
    return {
        "games": [line["games"] for line in chunks],
        "curves": {name: [line[name] for line in chunks] for name in curves if chunks and name in chunks[-1]},
        "evaluations": [{"after": line["games"], **line["evaluation"]} for line in lines if "evaluation" in line],
        "seconds": sum(line["seconds"] for line in lines),
        "rate": played / seconds if seconds else None,
        "device": device([dict(line) for line in lines]),
    }


def match(who: Player[Any], spec: str, games: int, seed: int) -> list[float]:
    """Results of `games` of `who` against `spec`, as often in each seat, in the order of the schedule."""
    jobs = balanced_jobs(who.game, 2, games, seed)
    both = [Contestant("learned", who), Contestant(spec, player(spec, who.game))]
    results = {number: result(record, jobs[number].seats, 0) for number, record in play(who.game, both, jobs)}
    return [results[number] for number in range(games)]


class Part(NamedTuple):
    """Something that can be computed apart from the rest of a paper, in a process of its own."""

    compute: Callable[[], JSON]
    """Asks the study for it, which keeps it."""
    after: tuple[str, ...] = ()
    """Names of parts that must be there before."""
    on_cores: bool = False
    """Whether an accelerator is of little use to it: one game at a time, or more to compile than to compute."""


class Paper(ABC):
    name: ClassVar[str]
    """What a person types: `chung-toi`."""
    title: ClassVar[str]
    reference: ClassVar[str]
    """Authors, year, where it appeared."""
    usual_seeds: ClassVar[Mapping[Scale, int]]

    @abstractmethod
    def run(self, study: Study) -> Results:
        """All experiments at the study's scale, then what they say."""

    def runs(self, study: Study) -> Sequence[Run]:
        """Training runs that can be computed side by side, the longest first."""
        return []

    def parts(self, study: Study) -> Mapping[str, Part]:
        """Parts of `run` that can be computed side by side, by name: training, and matches after it."""
        found = {}
        for run in self.runs(study):
            alone = run.plan.settings.get("num_envs", 1) == 1
            found[run.training_part] = Part(run.training, on_cores=alone)
            if run.plan.play:
                found[run.matches_part] = Part(run.matches, (run.training_part,), on_cores=True)
        return found
