"""Learn programs from tables: the two learners of the paper, and our own.

`literals` finds the best literal (Algorithms 1 and 2), `fold` learns rules (Algorithms 3 and 4, one page).
`rule_limits` computes which literals constraints allow, `given_cuts` searches where they give the thresholds,
`locked_rules` learns a list around rules that stay, `settings` declares the parameters of learners. `unless_learner` is
our learner: it learns a list rule by rule, `list_optimiser` improves the list as a whole, `rule_improvement` improves
one rule, `thresholds` moves thresholds, and `chance_test` tests whether the list could be chance. `penalty_search`
chooses the penalty by a trial, `tuning` chooses settings by cross-validation. `rule_pruning` drops rules that are
expected to be right less often than the rules after them. `committee_learner` learns many lists that vote, from a table
in bins (`binned_table`). `distillation` learns one list that imitates a teacher, which labels `synthetic_rows`.
`score_fitting` fits the points of a score card, `score_cuts` finds its cuts, and `monotone_points` makes points satisfy
directions. All of them count rows with an `engine`: `memory_engine` for a table in memory, `mask_engine` for optimising
a list. `weights` converts weights of rows to numbers of rows. A `checkpoint` lets an interrupted learner continue. The
package `blocks` learns the same programs from data that does not fit into memory, or lies on many machines.
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
