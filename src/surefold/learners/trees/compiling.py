"""How loops are compiled here. numba is imported when this module is, which only large inputs do.

What a first compilation costs is mostly a matter of what stands in the loops. Assignments to slices, arithmetic of
whole arrays, `.sum()` and `np.empty` each bring a body of numba's own along; so kernels work one element at a time in
arrays that numpy made, and only what Python calls gets a wrapper for Python. An argument that is None is known when a
kernel is compiled: `if weights is None` costs nothing, and the other branch is not compiled at all.

numba notices a change of a kernel's own file, but not of the files it imports: touch `kernel.py` after changing
one of those that it calls.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numba import njit
from numpy.typing import NDArray

__all__ = ["Array", "helper", "kernel"]

#: Kernels are compiled for the kinds of numbers they are called with.
Array = NDArray[Any]

#: Called from Python.
kernel = partial(njit, nogil=True, cache=True)
#: Called from kernels alone.
helper = partial(njit, nogil=True, cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
