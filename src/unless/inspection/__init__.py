"""What a table looks like before anything is learned from it: kinds and why, gaps, classes, and what is suspicious.

`table_profile` looks at a whole table, also for copies, duplicates and contradictions, with the help of
`column_profile` (one column: what is in it, how its texts are spelled, and does it tell records apart rather than
describe them?) and `target_profile` (the classes, and features that give them away). `findings` has the values that
come out. All facts come from rank codes and their counts, so that a million rows take seconds.
"""

from unless.inspection.column_profile import disguised, identifiers, useless
from unless.inspection.findings import ColumnProfile, Profile, Remark, TargetProfile
from unless.inspection.table_profile import profile_table
from unless.inspection.target_profile import giveaways, label_texts, no_labels, one_label

__all__ = [
    "ColumnProfile",
    "Profile",
    "Remark",
    "TargetProfile",
    "disguised",
    "giveaways",
    "identifiers",
    "label_texts",
    "no_labels",
    "one_label",
    "profile_table",
    "useless",
]
