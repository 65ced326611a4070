"""From a tally to one number: each measure is a formula plus its facts, registered in `catalogue`."""

from surefold.measures.catalogue import Catalogue, catalogue
from surefold.measures.measure import Measure

__all__ = ["Catalogue", "Measure", "catalogue"]
