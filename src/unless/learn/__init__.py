"""From tables to programs: the two learners of the paper, and our own.

`literals` finds the best literal (Algorithms 1 and 2), `fold` learns rules (Algorithms 3 and 4, one page). `places`
says what constraints allow where, `locks` puts rules that stay into a list that is learned around them. `own` is our
learner: it learns a list rule by rule, `optimise` improves the list as a whole, `improve` one rule of it, `thresholds`
moves its thresholds, and `doubt` asks whether it is chance. `lenient` measures how strict it has to be, `tune` chooses
its settings. `promise` drops rules that are expected to be right less often than those after them.
`committee` learns many lists that vote, from a table in bins (`binned`), `distil` one list that imitates a teacher,
which is asked about `neighbours` of the records. `points` finds the points of a score card. They ask an `engine`,
which counts rows; `memory` is the engine for a table in memory, `masks` the one for optimising a list from it.
`weights` turns weights of rows into numbers of rows. A `diary` lets learners be interrupted and go on.
`blocks` learn the same from data that does not fit into memory, or lies on many machines.
"""

from unless.learn.engine import Engine
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.literals import Counts
from unless.learn.memory import MemoryEngine
from unless.learn.own import fold_unless

__all__ = ["Counts", "Engine", "MemoryEngine", "fold_rm", "fold_rpp", "fold_unless"]
