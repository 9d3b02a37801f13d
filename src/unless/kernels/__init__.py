"""The hot loops, and only they: ordinary Python files with C types as annotations, compiled when unless is installed.

Where no C compiler was found the same files run interpreted: slower, same answers. Buffers have one dimension, because
a one-dimensional ``memoryview`` gives interpreted code plain Python numbers, which neither wrap nor overflow. Nothing
is validated here: callers have done that.
"""

from __future__ import annotations

import warnings

from unless.kernels.decide import decide
from unless.kernels.grid import Selection, compiled
from unless.kernels.search import Search

__all__ = ["Search", "Selection", "compiled", "decide"]

if not compiled:
    warnings.warn(
        "unless runs without compiled kernels: same results, but up to hundreds of times slower; "
        "install a C compiler and reinstall unless",
        RuntimeWarning,
        stacklevel=2,
    )
