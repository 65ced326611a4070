"""How far to cut a tree back: error and size along a parameter, and one alpha chosen without the rows judged."""

from surefold.studies.pruning.curves import pruning_curves
from surefold.studies.pruning.result import PruningCurves

__all__ = ["PruningCurves", "pruning_curves"]
