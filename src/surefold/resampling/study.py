"""Study: several models over one plan, so that every difference is a difference between models."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.findings import Finding
from surefold.flavours import Flavour
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.shown import Shown

if TYPE_CHECKING:
    from surefold.comparison.result import Comparison

__all__ = ["Study"]


@dataclass(frozen=True, eq=False)
class Study(Shown):
    """Models by name, all over the same splits. Made by `cross_validate` from a mapping of models."""

    plan: Plan
    models: Mapping[str, Resampled]

    def __post_init__(self) -> None:
        for name, each in self.models.items():
            if each.fingerprint != self.plan.fingerprint:
                problem = f"{name} was run over other splits than the study"
                raise InputError("not_for_this_plan", problem, cure="run all models in one call")

    def __getitem__(self, name: str) -> Resampled:
        if name not in self.models:
            raise UnknownNameError("model", name, self.models)
        return self.models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def __contains__(self, name: object) -> bool:
        return name in self.models

    def items(self) -> ItemsView[str, Resampled]:
        """Each model by its name."""
        return self.models.items()

    @property
    def fingerprint(self) -> str:
        """What the splits are, as a digest: equal ones can be compared."""
        return self.plan.fingerprint

    @property
    def complete(self) -> bool:
        """Whether every model was fitted on every split."""
        return all(each.complete for each in self.models.values())

    @property
    def status(self) -> str:
        """ "complete", or what is missing of which model."""
        missing = [f"{name} is {each.status}" for name, each in self.models.items() if not each.complete]
        return "; ".join(missing) if missing else "complete"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed of any model, each once."""
        return tuple({str(f): f for each in self.models.values() for f in each.findings}.values())

    def values(self, measure: str, **options: Any) -> NDArray[np.float64]:
        """One row a split, one column a model."""
        return np.column_stack([each.values(measure, **options) for each in self.models.values()])

    def compare(
        self,
        measure: str = "error_rate",
        test: str = "auto",
        *,
        control: str | None = None,
        margin: float | None = None,
        confidence: float = 0.95,
        **options: Any,
    ) -> Comparison:
        """Is one really better? Every pair over the same splits, by the test that the plan allows."""
        from surefold.comparison.over_folds import compare_study

        return compare_study(self, measure, test, control=control, margin=margin, confidence=confidence, **options)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the predictions, as plain values ready for JSON."""
        from surefold.report.as_json import study_to_dict

        return study_to_dict(self)

    def to_frame(self, flavour: Flavour | None = None) -> Any:
        """One row a model and split."""
        from surefold.report.frame import study_to_frame

        return study_to_frame(self, flavour or next(iter(self.models.values())).flavour)

    def plot(self, measure: Any = None, ax: Any = None, **options: Any) -> Any:
        """The values of the splits as dots, a row a model, with mean and interval, by accuracy or the measure named.

        A curve such as "roc" is that of the held-out rows of each model.
        """
        from surefold.show.plots import plot

        return plot(self, measure, ax, **options)

    __repr__ = Shown.__str__
