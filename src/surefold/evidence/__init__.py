"""What is known of some models on some rows, held or counted in parts: all else is asked of it."""

from surefold.evidence.evidence import Evidence, Tabled, Weights
from surefold.evidence.opening import evidence

__all__ = ["Evidence", "Tabled", "Weights", "evidence"]
