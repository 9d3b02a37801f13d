"""The hot loops: ordinary Python files with C types as annotations, compiled when unless is installed.

- `ranking`: numbers and texts to rank codes; which text files are regular
- `json_scan`: the members of JSON lines
- `binning`: a table as bins; `counting`: rows counted in them; `row_filtering`: sets of rows
- `literal_search`: the best literal; `rule_growing`: rules of such literals; `list_growing`: many lists of them, from
  one table
- `row_masks`: sets of rows as bits; `rule_improving`: one rule of a list, improved
- `deciding`: predictions; `voting`: predictions by many lists
- `score_regression`: the points of parts; `score_sums`: the points of rows
- `contributions`: what each feature of a record adds to the points of a list
- `append_fields`: where records end, and new fields put there
- `work_sharing`: threads that share work

Without a C compiler the same files run interpreted: same results, up to hundreds of times slower. `_pure_python` has
what they use of Cython then. Buffers have one dimension, because a one-dimensional ``memoryview`` gives interpreted
code plain Python numbers, which neither wrap nor overflow. Kernels validate nothing: callers have done that.
"""

from __future__ import annotations

import warnings

from unless.kernels.binning import RowSelection, compiled
from unless.kernels.deciding import bin_numbers, decide_rows
from unless.kernels.list_growing import ListGrower, add_points_and_chances, sum_loss_derivatives
from unless.kernels.literal_search import LiteralSearch
from unless.kernels.row_masks import RowMask
from unless.kernels.rule_growing import RuleGrower
from unless.kernels.rule_improving import MaskedRuleImprover
from unless.kernels.voting import add_votes
from unless.kernels.work_sharing import run_in_threads

__all__ = [
    "ListGrower",
    "LiteralSearch",
    "MaskedRuleImprover",
    "RowMask",
    "RowSelection",
    "RuleGrower",
    "add_points_and_chances",
    "add_votes",
    "bin_numbers",
    "compiled",
    "decide_rows",
    "run_in_threads",
    "sum_loss_derivatives",
]

if not compiled:
    warnings.warn(
        "unless runs without compiled kernels: same results, but up to hundreds of times slower; "
        "install a C compiler and reinstall unless",
        RuntimeWarning,
        stacklevel=2,
    )
