"""The catalogue: every measure by name, by the other names people know it by, with "did you mean"."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from surefold.errors import UnknownNameError
from surefold.measures.measure import REGISTERED, Measure
from surefold.measures.score_measure import SCORE_REGISTERED, ScoreMeasure

__all__ = ["Catalogue", "catalogue", "listed_names", "of_all_classes"]

#: The files whose measures are listed first, in this order. Measures of other files in this folder come after them.
FIRST = ("rates", "agreement", "averaging", "cost", "ranking", "severity", "proper", "calibration")


class Catalogue(Mapping[str, Measure]):
    """Every measure, by name or alias.

    >>> catalogue["sensitivity"].name
    'recall'
    >>> catalogue["presicion"]
    Traceback (most recent call last):
    ...
    surefold.errors.UnknownNameError: no measure 'presicion'; did you mean 'precision'? `surefold measures` lists them
    """

    def __init__(self, measures: Mapping[str, Measure]) -> None:
        self._measures = dict(measures)
        self._aliases = {alias: m.name for m in measures.values() for alias in m.aliases}
        self._told: set[str] = set()
        overlap = self._aliases.keys() & self._measures.keys()
        if overlap or len(self._aliases) != sum(len(m.aliases) for m in measures.values()):
            raise AssertionError(f"a name stands for two measures: {overlap}")

    def __getitem__(self, name: str) -> Measure:
        if not isinstance(name, str):
            raise UnknownNameError("measure", name, [], "(a measure is asked for by its name)")
        plain = name if name in self._aliases else _plain(name)
        found = self._measures.get(self._aliases.get(plain, plain))
        if found is None:
            hint = "`surefold measures` lists them"
            raise UnknownNameError("measure", name, [*self._measures, *self._aliases], hint)
        if name.startswith("neg_") and name not in self._told:
            self._told.add(name)
            warnings.warn(f"{name} gives {found.name} with its own sign: lower is better", stacklevel=3)
        return found

    def with_options(self, name: str, options: Mapping[str, Any]) -> Measure:
        """A measure with its options set; an option may stand for another measure of the same family."""
        chosen = self[name]
        rest = dict(options)
        for option in sorted({option for option, _ in chosen.variants}):
            if option in rest:
                value = rest.pop(option)
                if (option, value) not in chosen.variants:
                    known = [repr(v) for o, v in chosen.variants if o == option]
                    raise UnknownNameError(f"{option} of {chosen.name}", value, known)
                chosen = self[chosen.variants[option, value]]
        return chosen.with_options(**rest)

    def twin(self, name: str) -> str:
        """What a measure is called where there is one column of scores a class.

        >>> catalogue.twin("brier"), catalogue.twin("accuracy")
        ('brier_multiclass', 'accuracy')
        """
        known = self[name]
        return (known.twin if isinstance(known, ScoreMeasure) else "") or known.name

    def same_for_either(self, name: str) -> bool:
        """Whether a measure of the scores of two classes is the same whichever of them is called positive.

        >>> catalogue.same_for_either("roc_auc"), catalogue.same_for_either("average_precision")
        (True, False)
        """
        known = self[name]
        if not isinstance(known, ScoreMeasure):
            return False
        both = self.of_scores.get(known.twin, known).of_two
        return both is not None and (known.of_two is not None or both.of.name == known.name)

    @property
    def of_labels(self) -> dict[str, Measure]:
        """The measures of predicted labels."""
        return {name: m for name, m in self._measures.items() if not isinstance(m, ScoreMeasure)}

    @property
    def of_scores(self) -> dict[str, ScoreMeasure]:
        """The measures of scores."""
        return {name: m for name, m in self._measures.items() if isinstance(m, ScoreMeasure)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)


def _plain(name: str) -> str:
    """A name as scikit-learn's report or a heading may spell it.

    >>> _plain("F1-score"), _plain("balanced accuracy")
    ('f1', 'balanced_accuracy')
    """
    return name.strip().lower().replace("-", "_").replace(" ", "_").removesuffix("_score")


def of_all_classes(name: str) -> str:
    """What to ask for in place of a measure of one class where no class was picked, in words.

    >>> of_all_classes("roc_auc")
    'a measure of all classes, such as roc_auc_hand_till or roc_auc_ovr'
    """
    found = catalogue.get(name)
    own = [f"{name}_{kind}" for kind in ("hand_till", "ovr", "macro", "multiclass") if f"{name}_{kind}" in catalogue]
    other = "roc_auc_hand_till" if isinstance(found, ScoreMeasure) else "f1_macro"
    return f"a measure of all classes, such as {' or '.join(own) or other}"


def listed_names(asked: Any) -> list[Any]:
    """Names of measures, of which one alone may stand without a list; the catalogue refuses what is no name."""
    try:
        return [asked] if isinstance(asked, str) else list(asked)
    except TypeError:
        return [asked]


def _registered() -> dict[str, Measure]:
    """The measures of every file in this folder, in the order that files are listed."""
    room = import_module("surefold.measures")
    here = {f"{room.__name__}.{found.name}" for found in iter_modules(room.__path__)} - {__name__}
    order = [f"{room.__name__}.{name}" for name in FIRST]
    order += sorted(here - {*order})
    for module in order:
        import_module(module)
    every: dict[str, Measure] = {**REGISTERED, **SCORE_REGISTERED}
    return dict(sorted(every.items(), key=lambda item: order.index(item[1].module)))


catalogue = Catalogue(_registered())
