"""What a table looks like before anything is learned from it: kinds and why, gaps, classes, and what is suspicious.

`profile` looks at a whole table, also for copies, duplicates and contradictions, with the help of `column` (one column:
what is in it, how its texts are spelled, and does it tell records apart rather than describe them?) and `target` (the
classes, and features that give them away). `remarks` has the values that come out. All facts come from rank codes and
their counts, so that a million rows take seconds.
"""

from unless.inspection.column import disguised, identifiers, useless
from unless.inspection.profile import profile
from unless.inspection.remarks import ColumnProfile, Profile, Remark, TargetProfile
from unless.inspection.target import giveaways, label_texts, no_labels, one_label

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
    "profile",
    "useless",
]
