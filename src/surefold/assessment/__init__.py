"""assess(): from predictions to every measure with its interval."""

from surefold.assessment.assess import assess, measure
from surefold.assessment.result import Assessment

__all__ = ["Assessment", "assess", "measure"]
