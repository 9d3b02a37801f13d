"""The hot loops: ordinary Python files with C types as annotations, compiled when unless is installed.

- `rank`: numbers and texts to rank codes; which text files are regular
- `members`: the members of JSON lines
- `bins`: a table as bins; `counts`: rows counted in them; `grid`: sets of rows
- `search`: the best literal; `rules`: rules of such literals; `lists`: many lists of them, from one table
- `masks`: sets of rows as bits; `improve`: one rule of a list, improved
- `decide`: predictions; `vote`: predictions by many lists
- `regress`: the points of parts; `sums`: the points of rows
- `splice`: where records end, and new fields put there
- `share`: threads that share work

Without a C compiler the same files run interpreted: same results, up to hundreds of times slower. Buffers have one
dimension, because a one-dimensional ``memoryview`` gives interpreted code plain Python numbers, which neither wrap nor
overflow. Kernels validate nothing: callers have done that.
"""

from __future__ import annotations

import warnings

from unless.kernels.bins import Selection, compiled
from unless.kernels.decide import decide
from unless.kernels.improve import Improver
from unless.kernels.lists import Lists, advance, derive
from unless.kernels.masks import Mask
from unless.kernels.rules import Rules
from unless.kernels.search import Search
from unless.kernels.share import share
from unless.kernels.vote import vote

__all__ = [
    "Improver",
    "Lists",
    "Mask",
    "Rules",
    "Search",
    "Selection",
    "advance",
    "compiled",
    "decide",
    "derive",
    "share",
    "vote",
]

if not compiled:
    warnings.warn(
        "unless runs without compiled kernels: same results, but up to hundreds of times slower; "
        "install a C compiler and reinstall unless",
        RuntimeWarning,
        stacklevel=2,
    )
