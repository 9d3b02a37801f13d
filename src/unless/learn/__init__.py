"""From tables to programs: the two learners of the paper, and our own.

`literals` finds the best literal (Algorithms 1 and 2), `fold` learns rules (Algorithms 3 and 4, one page).
`rule_limits` says what constraints allow where, `locked_rules` puts rules that stay into a list that is learned around
them, `settings` declares the parameters of learners. `unless_learner` is our learner: it learns a list rule by rule,
`list_optimiser` improves the list as a whole, `rule_improvement` one rule of it, `thresholds` moves its thresholds, and
`chance_test` asks whether it is chance. `penalty_search` measures how strict it has to be, `tuning` chooses its
settings. `rule_pruning` drops rules that are expected to be right less often than those after them. `committee_learner`
learns many lists that vote, from a table in bins (`binned_table`), `distillation` one list that imitates a teacher,
which is asked about `synthetic_rows` of the records. `score_fitting` finds the points of a score card. They ask an
`engine`, which counts rows; `memory_engine` is the engine for a table in memory, `mask_engine` the one for optimising a
list from it. `weights` turns weights of rows into numbers of rows. A `checkpoint` lets learners be interrupted and go
on. `blocks` learn the same from data that does not fit into memory, or lies on many machines.
"""

from collections.abc import Mapping

from unless.learn.committee_learner import CommitteeSettings
from unless.learn.engine import Engine
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.literals import ValueCounts
from unless.learn.memory_engine import MemoryEngine
from unless.learn.settings import FoldRMSettings, FoldRPPSettings, LearnerSettings
from unless.learn.unless_learner import UnlessSettings, fold_unless

__all__ = ["SETTINGS", "Engine", "MemoryEngine", "ValueCounts", "fold_rm", "fold_rpp", "fold_unless"]

SETTINGS: Mapping[str, type[LearnerSettings]] = {
    "unless": UnlessSettings,
    "fold-rm": FoldRMSettings,
    "fold-rpp": FoldRPPSettings,
    "committee": CommitteeSettings,
}
"""The parameters of each learner, by the names that the command uses."""
