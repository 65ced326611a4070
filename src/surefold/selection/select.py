"""select: which model to ship, chosen by one of the levels of model selection, with a figure that can be believed."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np

from surefold.errors import InputError, RunError, UnknownNameError
from surefold.estimates.quantiles import checked_confidence
from surefold.given import Costs, Features, RandomState, Values
from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions
from surefold.resampling.global_seed import with_global_seed
from surefold.resampling.models import fresh, seeded, weight_argument
from surefold.resampling.options import seed_of, truth_value
from surefold.resampling.resampled import Resampled
from surefold.resampling.store import Store
from surefold.selection.bias_corrected import BiasCorrected, bias_corrected
from surefold.selection.candidates import Candidate, Family, candidates_of, families_of
from surefold.selection.figures import figures_of
from surefold.selection.findings import selection_findings
from surefold.selection.levels import Level, level_of
from surefold.selection.pick import RULES, TIE_BREAKS, Picked, pick
from surefold.selection.racing import FIRST_LOOK
from surefold.selection.result import DataFacts, OuterFold, Selection
from surefold.selection.score import Score
from surefold.selection.search import Runner, Searched, assembled
from surefold.selection.splits import Layout, Sizes, layout_of, part_of
from surefold.selection.words import SelectionPlan

__all__ = ["plan_selection", "select"]

_SHIPPED = 0x73686970


def select(
    models: object,
    X: Features,
    y: Values,
    *,
    strategy: str = "cross_validation",
    measure: str | None = None,
    folds: int = 10,
    repeats: int = 1,
    test_size: float | int | None = 0.25,
    validation_size: float | int = 0.25,
    outer_folds: int = 10,
    outer_repeats: int = 1,
    search: Literal["grid", "random"] = "grid",
    budget: int | None = None,
    race: bool = False,
    rule: Literal["best", "one_se", "simplest"] = "best",
    tie_break: Literal["speed", "size"] | None = None,
    costs: Costs | None = None,
    refit: bool = True,
    groups: Values | None = None,
    sample_weight: Values | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[RunOptions],
) -> Selection:
    """Choose among models and their parameters, and say how good the chosen one is on rows that did not choose it.

    `models` is an estimator, an (estimator, grid) pair, a list of these, or a mapping of names to them. A grid maps
    parameters (`step__name` inside a Pipeline) to lists, or to distributions of scipy with `search="random"` and a
    `budget` of draws a model.

    `strategy` is a level: "zero" (train and test on all rows), "quick" (a holdout, parameters as given), "standard"
    (tuned on the test set), "train_validation_test", "cross_validation" (then a held-out test; `test_size=None` keeps
    none and corrects the claim for the choice), "nested". `result.words` says what rows were used for what, how far the
    estimate can be trusted and which way it errs; `plan_selection` says so, and how many fits it takes, beforehand.

    `rule`: "best"; "one_se", the simplest within one standard error of it; "simplest", the simplest that no test finds
    worse. Simple goes by the size that fitted models tell, else by the order of the list. `race` drops a candidate once
    it is significantly behind. `costs` prices the errors and makes their mean the measure. The other options are those
    of `cross_validate`: n_jobs, store, ...

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from surefold.learners import NaiveBayes
    >>> X = [[0.1 * i + (3.0 if i % 2 else 0.0)] for i in range(60)]
    >>> models = {"bayes": NaiveBayes(), "tree": (DecisionTreeClassifier(), {"max_depth": [1, 2]})}
    >>> s = select(models, X, [i % 2 for i in range(60)], folds=3, random_state=0)
    >>> s.best.name, s.fits  # 3 candidates x 3 folds, 1 test, 1 fit on all rows
    ('bayes', 11)
    """
    asked = _Asked.of(
        models,
        X,
        y,
        strategy=strategy,
        measure=measure,
        costs=costs,
        search=search,
        budget=budget,
        race=race,
        rule=rule,
        tie_break=tie_break,
        groups=groups,
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
        confidence=confidence,
        refit=refit,
        seed=_seed(random_state, options),
        sizes=Sizes(folds, repeats, test_size, validation_size, outer_folds, outer_repeats),
    )
    return _selected(asked, options)


def _selected(asked: _Asked, options: RunOptions) -> Selection:
    """Search, pick, test, and fit the one that is shipped."""
    plan = asked.plan
    shown = options.get("progress")
    is_told = options.get("command") is not None  # the command line tells the plan by itself
    if not is_told and (shown or (shown is None and sys.stderr.isatty())):
        print(f"surefold: {plan.line}", file=sys.stderr, flush=True)
    runner = Runner(asked.data, asked.score, asked.confidence, options, asked.race)
    final = runner.search(asked.candidates, asked.layout.final, "search")
    picked = asked.pick(final)
    searches, held_out, outer = _tested(asked, runner, final, picked)
    redrawn = _redrawn(asked, final)
    figures = figures_of(asked.layout, asked.score, final, picked, held_out, outer, redrawn, asked.confidence)
    estimator = _shipped(picked.chosen.candidate, asked.data, asked.seed) if asked.refit else None
    chosen_fits = 0 if asked.layout.tests is None else len(asked.layout.tests)
    found = selection_findings(
        asked.level,
        asked.layout,
        asked.families,
        asked.candidates,
        final,
        picked,
        figures,
        held_out,
        asked.needs_positive,
    )
    return Selection(
        asked.level,
        asked.score,
        asked.candidates,
        asked.layout,
        (final, *searches),
        picked,
        figures,
        held_out,
        estimator,
        sum(each.fits for each in (final, *searches)) + chosen_fits + int(asked.refit),
        plan.fits,
        asked.facts,
        asked.seed,
        asked.rule,
        asked.confidence,
        found,
        outer,
        redrawn,
    )


def plan_selection(
    models: object,
    X: Features,
    y: Values,
    *,
    strategy: str = "cross_validation",
    random_state: RandomState = None,
    folds: int = 10,
    repeats: int = 1,
    test_size: float | int | None = 0.25,
    validation_size: float | int = 0.25,
    outer_folds: int = 10,
    outer_repeats: int = 1,
    **asked: Any,
) -> SelectionPlan:
    """What `select` with the same arguments would do: rows, reliability, and how many fits. Nothing is fitted.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> grid = {"max_depth": [1, 2, 4, None]}
    >>> plan = plan_selection(
    ...     (DecisionTreeClassifier(), grid), [[i] for i in range(80)], [0, 1] * 40, strategy="nested"
    ... )
    >>> print(plan.line)
    Nested cross-validation: 4 candidates by accuracy, 451 fits
    """
    sizes = Sizes(folds, repeats, test_size, validation_size, outer_folds, outer_repeats)
    return _Asked.of(models, X, y, strategy=strategy, sizes=sizes, seed=seed_of(random_state), **asked).plan


@dataclass(frozen=True, eq=False)
class _Asked:
    """What was asked for, checked: nothing is left but to fit."""

    level: Level
    data: Dataset
    score: Score
    families: Mapping[str, Family]
    candidates: tuple[Candidate, ...]
    layout: Layout
    seed: int
    race: bool
    rule: str
    tie_break: str | None
    refit: bool
    confidence: float

    @classmethod
    def of(
        cls,
        models: object,
        X: Features,
        y: Values,
        *,
        strategy: str,
        sizes: Sizes,
        seed: int,
        measure: str | None = None,
        costs: Costs | None = None,
        search: str = "grid",
        budget: int | None = None,
        race: bool = False,
        rule: str = "best",
        tie_break: str | None = None,
        refit: bool = True,
        groups: Values | None = None,
        sample_weight: Values | None = None,
        labels: Sequence[Label] | None = None,
        pos_label: Label | None = None,
        confidence: float = 0.95,
    ) -> _Asked:
        level = level_of(strategy)
        if rule not in RULES:
            raise UnknownNameError("rule", rule, RULES)
        if tie_break is not None and tie_break not in TIE_BREAKS:
            raise UnknownNameError("way to break ties", tie_break, TIE_BREAKS)
        race, refit = truth_value("race", race), truth_value("refit", refit)
        families = families_of(models)
        searched = families if level.tuned else {name: Family(name, f.model) for name, f in families.items()}
        if not level.tuned and search == "random":
            search, budget = "grid", None
        candidates = candidates_of(searched, search=search, budget=budget, seed=seed)
        data = Dataset.of(X, y, labels=labels, pos_label=pos_label, sample_weight=sample_weight, groups=groups)
        score = Score.of(measure, costs, data)
        layout = layout_of(level.name, data, sizes, seed)
        if race and len(layout.final) <= FIRST_LOOK:
            problem = f"a race looks for the first time after {FIRST_LOOK} folds, and there are {len(layout.final)}"
            cure = f"use strategy='cross_validation' or 'nested' with more than {FIRST_LOOK} folds"
            raise InputError("bad_option", problem, cure=cure)
        if rule != "best" and layout.tests is None and level.name == "cross_validation" and len(candidates) > 1:
            problem = f"without test rows the estimate allows for a choice of the best, not for rule={rule!r}"
            raise InputError("bad_option", problem, cure="keep test rows, use strategy='nested', or rule='best'")
        level_asked = checked_confidence(confidence)
        return cls(level, data, score, families, candidates, layout, seed, race, rule, tie_break, refit, level_asked)

    @property
    def plan(self) -> SelectionPlan:
        names = tuple(c.name for c in self.candidates)
        return SelectionPlan(self.level, self.layout, names, self.score.measure, self.race, self.refit)

    @property
    def facts(self) -> DataFacts:
        d = self.data
        positive = None if d.positive is None else d.labels[d.positive]
        return DataFacts(d.n, tuple(map(str, d.columns)), d.labels, positive, d.fingerprint)

    @property
    def needs_positive(self) -> bool:
        return self.score.needs_scores or catalogue[self.score.measure].is_per_class

    def pick(self, found: Searched) -> Picked:
        return pick(
            self.candidates, found, self.score, rule=self.rule, tie_break=self.tie_break, confidence=self.confidence
        )


def _tested(
    asked: _Asked, runner: Runner, final: Searched, picked: Picked
) -> tuple[list[Searched], Resampled, tuple[OuterFold, ...]]:
    """The searches of outer folds, the held-out answers of what was chosen, and how claim and finding compare."""
    tests = asked.layout.tests
    if tests is None:
        return [], final.results[picked.chosen.name], ()
    if not asked.layout.is_nested:
        chosen = picked.chosen.candidate
        return [], runner.run({chosen.name: chosen.model}, tests, "test")[chosen.name], ()
    searches = [
        runner.search(asked.candidates, plan, f"outer {i + 1} search")
        for i, plan in enumerate(asked.layout.searches[1:])
    ]
    winners = [asked.pick(found).chosen for found in searches]
    pieces: list[Any] = [None] * len(tests)
    for name in dict.fromkeys(w.name for w in winners):
        won = [i for i, w in enumerate(winners) if w.name == name]
        model = winners[won[0]].candidate.model
        result = runner.run({name: model}, part_of(tests, won), f"outer test, {name}")[name]
        for place, i in enumerate(won):
            pieces[i] = (result, place)
    held_out = assembled("the whole search", tests, pieces)
    values = asked.score.values(held_out)
    outer = tuple(
        OuterFold(int(tests.repeat[i]) + 1, int(tests.fold[i]) + 1, w.name, w.estimate.value, float(values[i]))
        for i, w in enumerate(winners)
    )
    return searches, held_out, outer


def _redrawn(asked: _Asked, final: Searched) -> BiasCorrected | None:
    """Only where rows were held out, something was left to choose between, and the draws can repeat the rule."""
    if final.plan.overlaps or len(final.finished) < 2 or asked.rule != "best":
        return None
    return bias_corrected(final.finished, asked.score, confidence=asked.confidence, seed=asked.seed)


def _shipped(candidate: Candidate, data: Dataset, seed: int) -> Any:
    """The chosen model, fitted on all rows; seeded like any fit, so that the same call ships the same model."""
    sequence = np.random.SeedSequence(seed, spawn_key=(_SHIPPED,))
    words, own = sequence.generate_state(2), sequence.spawn(1)[0]
    model = seeded(fresh(candidate.model), own)
    options = {} if data.weights is None else {weight_argument(model) or "sample_weight": data.weights}

    def fit() -> Any:
        with warnings.catch_warnings():  # what fits warn of was kept with the folds
            warnings.simplefilter("ignore")
            return model.fit(data.X, data.y, **options)

    try:
        with_global_seed((int(words[0]), int(words[1])), fit)
    except Exception as error:
        problem = f"{candidate.name} could not be fitted on all rows: {type(error).__name__}: {error}"
        raise RunError("fit_failed", problem, cure="mend the model, or leave this fit out: refit=False") from error
    return model


def _seed(random_state: RandomState, options: RunOptions) -> int:
    """The seed: the one given, or that of the stored search which is to be gone on with, or a fresh one."""
    store = options.get("store")
    if random_state is None and store is not None and os.path.exists(store):
        begun = f"{options.get('run', 'run')} search"
        with Store(store) as there:
            name = next((name for name in there.run_names() if name == begun or name.startswith(f"{begun},")), None)
            run = None if name is None else there.read_run(name)
        if run is not None:
            return int(run.facts["seed"])
    return seed_of(random_state)
