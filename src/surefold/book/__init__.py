"""The book, executed: examples of five sources with their data, and checks of printed figures against ours."""

from surefold.book.checks import beside, differs, drawn, holds
from surefold.book.data import Iris, iris

__all__ = ["Iris", "beside", "differs", "drawn", "holds", "iris"]
