"""Stacking: a second classifier learns how to combine the answers of several others."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from surefold.errors import InputError, show
from surefold.given import Features, RandomState, Values
from surefold.learners.checked_features import checked_data
from surefold.learners.row_weights import row_weights
from surefold.learners.weighted_vote import Floats, label_codes
from surefold.resampling.classifier import Classifier
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.models import check_model, fresh, seeded, weight_argument
from surefold.resampling.options import one_of, truth_value, whole
from surefold.resampling.plan import Plan
from surefold.resampling.splitter import plan_from_splitter

__all__ = ["Stacking"]

Use = Literal["labels", "probabilities"]
#: Streams of the seed: of the folds, of the base classifiers, of the combiner.
_FOLDS, _BASES, _COMBINER = range(3)


def _combiner_has(verb: str) -> Any:
    def there(self: Stacking) -> bool:
        getattr(self.__dict__.get("final_estimator_", self._combiner()), verb)
        return True

    return there


class _Rows(NamedTuple):
    """Rows with their classes and weights."""

    X: NDArray[Any]
    y: NDArray[Any]
    w: Floats | None

    def of(self, rows: NDArray[Any]) -> _Rows:
        """Some of them."""
        return _Rows(self.X[rows], self.y[rows], None if self.w is None else self.w[rows])


class Stacking(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base classifiers side by side, and a combiner trained on what they answer.

    `estimators`: (name, classifier) pairs. `final_estimator`: the combiner, a logistic regression by default.

    `cv`: what the combiner is trained on. A number of folds, a splitter or a list of (train, test) pairs: on answers
    for rows that the base classifiers had not seen, out of fold, so that each is trusted as far as it deserves. None:
    as printed, on answers for the very rows they were fitted to. That leaks: a base classifier that learned its rows
    by heart looks perfect there, and the combiner believes it. Either way those asked later are fitted to all rows.

    `use`: "labels", as printed. Of two classes each base gives one column, -1 or +1 (the second of `classes_` is +1);
    of more, a column of zeros and ones a class. "probabilities" gives those instead (of two classes the second one's),
    or decision values where a base has no probabilities, or labels where it has neither.
    `passthrough`: the combiner sees the features of X as well.

    Once fitted: `classes_`, `estimators_`, `named_estimators_`, `final_estimator_`.

    >>> from surefold.learners import FullBayes, NaiveBayes
    >>> X = [[0.0, 0.1], [1.0, 0.8], [0.2, 1.0], [1.1, 0.0], [3.0, 2.9], [4.0, 4.1], [3.2, 4.0], [4.0, 3.1]]
    >>> model = Stacking([("naive", NaiveBayes()), ("full", FullBayes())], cv=4, random_state=0)
    >>> model.fit(X, ["low"] * 4 + ["high"] * 4).base_predict([[0.5, 0.5], [3.5, 3.5]]).tolist()
    [['low', 'low'], ['high', 'high']]

    Source: Wolpert (1992), Neural Networks 5:241.
    """

    classes_: NDArray[Any]
    estimators_: list[Any]
    named_estimators_: dict[str, Any]

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        cv: Any = 5,
        use: Use = "labels",
        passthrough: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.use = use
        self.passthrough = passthrough
        self.random_state = random_state

    # parameters: those of the base classifiers too, as name__parameter

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Its own parameters, and with `deep` those of the learners, as `name__parameter`."""
        found: dict[str, Any] = super().get_params(deep=deep)
        for name, base in _pairs(self.estimators) if deep else ():
            found[name] = base
            found |= {f"{name}__{key}": value for key, value in base.get_params(deep=True).items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters of its own, whole learners by name, or parameters of theirs. Returns itself."""
        names = dict(_pairs(params.get("estimators", self.estimators)))
        replaced = {name: params.pop(name) for name in list(params) if name in names}
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        if replaced:
            self.estimators = [(name, replaced.get(name, base)) for name, base in self.estimators]
        super().set_params(**params)
        return self

    # fitting

    def fit(self, X: Any, y: Any, sample_weight: Values | None = None) -> Self:
        """Fit the base classifiers to all rows, and the combiner to their answers; all of them get the weights."""
        named = self._checked_options()
        X, y = checked_data(self, X, y, ensure_min_samples=2)
        check_classification_targets(y)
        w = row_weights(sample_weight, len(X))
        if w is not None:
            X, y, w = X[w > 0], y[w > 0], w[w > 0]  # a row without weight is no row
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            only = show(self.classes_.tolist()[0])
            raise InputError("one_class_in_training", f"every row is of class {only}", cure="bring a second class")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.estimators_ = [
            _fitted(seeded(fresh(base), _seed(seed, _BASES, i)), X, y, w) for i, (_, base) in enumerate(named)
        ]
        self.named_estimators_ = dict(zip([name for name, _ in named], self.estimators_, strict=True))
        if self.cv is None:
            learned_from = self._table(self.estimators_, X)
        else:
            rows, bases = _Rows(X, y, w), [base for _, base in named]
            learned_from = self._out_of_fold(bases, rows, self._plan(X, y, codes, seed), seed)
        self.final_estimator_ = _fitted(seeded(fresh(self._combiner()), _seed(seed, _COMBINER)), learned_from, y, w)
        return self

    def _out_of_fold(self, bases: list[Any], rows: _Rows, plan: Plan, seed: int) -> Floats:
        """What each base says of rows that it did not learn from."""
        X, found = rows.X, None
        for split in plan:
            parts = [
                _fitted(seeded(fresh(base), _seed(seed, _BASES, i, 1 + split.index)), *rows.of(split.train))
                for i, base in enumerate(bases)
            ]
            answers = self._table(parts, X[split.test])
            if found is None:
                found = np.empty((len(X), answers.shape[1]))
            found[split.test] = answers
        if found is None:  # pragma: no cover - a plan has a split
            raise AssertionError("no split")
        return found

    def _plan(self, X: NDArray[Any], y: NDArray[Any], codes: NDArray[np.intp], seed: int) -> Plan:
        state = int(_seed(seed, _FOLDS).generate_state(1)[0])
        labels = self.classes_.tolist()
        if isinstance(self.cv, (int, np.integer)):
            folds = whole("cv", self.cv, least=2)
            folds = max(2, min(folds, int(np.bincount(codes).max())))  # few rows: as many folds as a class can fill
            return k_fold_plan(codes, folds=folds, random_state=state, labels=labels, min_class="allow")
        plan = plan_from_splitter(self.cv, X, codes, y, None, random_state=state, labels=labels)
        if not plan.is_partition or plan.repeats > 1:
            problem = "cv does not test every row exactly once"
            raise InputError("not_for_this_plan", problem, cure="use folds: a number, or a splitter of K folds")
        return plan

    def _combiner(self) -> Any:
        if self.final_estimator is not None:
            return self.final_estimator
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()

    def _checked_options(self) -> list[tuple[str, Any]]:
        one_of("use", self.use, ("labels", "probabilities"))
        truth_value("passthrough", self.passthrough)
        named = _pairs(self.estimators)
        if not named or len(named) != len(self.estimators):
            problem = f"estimators is {show(self.estimators)}"
            cure = "give pairs of a name and a classifier: [('tree', DecisionTree()), ...]"
            raise InputError("bad_model", problem, cure=cure)
        names = [name for name, _ in named]
        own = set(type(self)._get_param_names())
        for i, (name, base) in enumerate(named):
            if name in names[:i] or name in own or "__" in name:
                problem = f"{show(name)} cannot name a base classifier"
                cure = "use names that differ, are no parameter of Stacking, and have no '__'"
                raise InputError("bad_model", problem, cure=cure)
            check_model(base, name)
        check_model(self._combiner(), "final_estimator")
        return named

    # asking

    def base_predict(self, X: Features) -> NDArray[Any]:
        """What each base classifier answers: a row a row of X, a column a base."""
        X = self._asked(X)
        return np.stack([base.predict(X) for base in self.estimators_], axis=1)

    def combiner_inputs(self, X: Features) -> Floats:
        """What the combiner sees of rows X."""
        X = self._asked(X)
        return self._table(self.estimators_, X)

    def predict(self, X: Features) -> NDArray[Any]:
        """The label of each row."""
        seen = self.combiner_inputs(X)
        found: NDArray[Any] = self.final_estimator_.predict(seen)
        return found

    @available_if(_combiner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Features) -> Floats:
        """The combiner's probabilities."""
        seen = self.combiner_inputs(X)
        found: Floats = self.final_estimator_.predict_proba(seen)
        return found

    @available_if(_combiner_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Features) -> Floats:
        """The combiner's decision values."""
        seen = self.combiner_inputs(X)
        found: Floats = self.final_estimator_.decision_function(seen)
        return found

    def _asked(self, X: Features) -> NDArray[Any]:
        check_is_fitted(self)
        checked: NDArray[Any] = checked_data(self, X, reset=False)
        return checked

    def _table(self, bases: list[Any], X: NDArray[Any]) -> Floats:
        columns = [_answers(base, X, self.classes_, self.use) for base in bases]
        if self.passthrough:
            columns.append(np.asarray(X, dtype=float))
        return np.concatenate(columns, axis=1)


def _answers(base: Classifier, X: NDArray[Any], classes: NDArray[Any], use: Use) -> Floats:
    """What the combiner is told of one base classifier, in the same columns whatever classes that one knows."""
    k, known = len(classes), getattr(base, "classes_", None)
    if use == "probabilities" and known is not None:
        verb = next((verb for verb in ("predict_proba", "decision_function") if hasattr(base, verb)), None)
        if verb is not None:
            raw = np.asarray(getattr(base, verb)(X), dtype=float)
            raw = np.column_stack([-raw, raw]) if raw.ndim == 1 else raw
            if raw.shape[1] == len(known):
                aligned = np.full((len(X), k), 0.0 if verb == "predict_proba" else float(raw.min()))
                aligned[:, label_codes(known, classes)] = raw
                return aligned[:, 1:] if k == 2 else aligned
    codes = label_codes(base.predict(X), classes)
    return np.asarray(2.0 * codes[:, None] - 1 if k == 2 else np.eye(k)[codes])


def _fitted(model: Classifier, X: NDArray[Any], y: NDArray[Any], weights: Floats | None) -> Any:
    if weights is None:
        return model.fit(X, y)
    argument = weight_argument(model)
    if argument is None:
        problem = f"sample_weight was given, and {type(model).__name__}.fit takes none"
        raise InputError("bad_model", problem, cure="use classifiers that do, or leave the weights out")
    return model.fit(X, y, **{argument: weights})


def _pairs(estimators: Any) -> list[tuple[str, Any]]:
    """The (name, classifier) pairs, without whatever is no such pair."""
    if not isinstance(estimators, (list, tuple)):
        return []
    pairs = [pair for pair in estimators if isinstance(pair, (list, tuple)) and len(pair) == 2]
    return [(name, base) for name, base in pairs if isinstance(name, str) and hasattr(base, "get_params")]


def _seed(seed: int, *stream: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=stream)
