"""From tables to programs: the two learners of the paper, and our own.

An `engine` counts rows and finds the best literal (Algorithms 1 and 2); `memory` is the engine for a table in memory.
`fold` learns rules (Algorithms 3 and 4, one page), `own` is our learner. `weights` turns weights of rows into numbers
of rows.
"""

from unless.learn.engine import Counts, Engine
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.memory import MemoryEngine
from unless.learn.own import fold_unless

__all__ = ["Counts", "Engine", "MemoryEngine", "fold_rm", "fold_rpp", "fold_unless"]
