"""From tables to programs: the two algorithms of the paper, and our own.

`literals` finds the best literal (Algorithms 1 and 2), `fold` learns rules of them (Algorithms 3 and 4, one page),
`own` is our learner. They ask an `engine`, which counts rows; `memory` is the one over a table in memory, `weights`
makes weights of rows numbers of rows.
"""

from unless.learn.engine import Counts, Engine
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.memory import MemoryEngine
from unless.learn.own import fold_unless

__all__ = ["Counts", "Engine", "MemoryEngine", "fold_rm", "fold_rpp", "fold_unless"]
