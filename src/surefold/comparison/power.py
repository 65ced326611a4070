"""The earlier path of `surefold.planning`: here `power` names a function and a module, so the module stays a file."""

from surefold.planning.power import KINDS, expected_width, power, sample_size, smallest_difference

__all__ = ["KINDS", "expected_width", "power", "sample_size", "smallest_difference"]
