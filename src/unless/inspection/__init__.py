"""Profile a table before learning from it: kinds of columns with reasons, missing cells, classes, suspicious findings.

`findings` defines the results. `table_profile` computes them for a whole table, and finds copies, duplicates and
contradictions. `column_profile` describes one column by its `cell_counts`, `text_findings` examines the texts of a
column, `target_profile` examines the classes and the features that give them away, and `split_findings` names and dates
that make a random split too easy. Everything is computed from rank
codes and their counts, so that a million rows take seconds.
"""

from unless.inspection.column_profile import find_column_disguise, find_useless_columns
from unless.inspection.findings import ColumnProfile, Profile, Remark, TargetProfile
from unless.inspection.split_findings import find_kind_splits
from unless.inspection.table_profile import profile_table
from unless.inspection.target_profile import check_labels, find_giveaways, labels_as_texts, single_label_remark

__all__ = [
    "ColumnProfile",
    "Profile",
    "Remark",
    "TargetProfile",
    "check_labels",
    "find_column_disguise",
    "find_giveaways",
    "find_kind_splits",
    "find_useless_columns",
    "labels_as_texts",
    "profile_table",
    "single_label_remark",
]
