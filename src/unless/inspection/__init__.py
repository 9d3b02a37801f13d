"""What a table looks like before anything is learned from it: kinds and why, gaps, classes, and what is suspicious.

`values` what is found, `header` what the names tell, `column` one column by itself, `spelling` the texts in it,
`identity` whether it tells records apart rather than describes them, `target` the classes and what gives them away,
`rows` copies, duplicates and contradictions. All facts come from the counts of rank codes, so that a million rows take
seconds.
"""

from unless.inspection.identity import identifiers
from unless.inspection.profile import profile
from unless.inspection.remarks import ColumnProfile, Profile, Remark, TargetProfile
from unless.inspection.target import no_labels

__all__ = ["ColumnProfile", "Profile", "Remark", "TargetProfile", "identifiers", "no_labels", "profile"]
