"""Tables of rank codes.

A column's distinct values are ranked: numbers ascending, then categories by code point, then missing. A cell is stored
as its rank, so ``<=`` is a prefix of the ranks, ``==`` is one rank, and the truth of any literal is a comparison of
small integers (`Column.span`).

`columns` has `Column` and `Labels`; `table` has `Table` and `Schema`; `to_frames` converts columns to those of other
libraries; `seen_values` finds the values that occur, and those that a model stores; `record_hashes` hashes records, and
`holdout_split` holds back some records for a test, `split_column` by their time or their group.
"""

from unless.table.columns import (
    Codes,
    Column,
    Kind,
    Labels,
    SpecialCodes,
    checked_column,
    name_special_codes,
    rank_values,
    to_smallest_type,
)
from unless.table.holdout_split import HoldoutSplit
from unless.table.seen_values import MAX_DOMAIN_VALUES, domain_table, drop_unused_values
from unless.table.split_column import SplitColumn
from unless.table.table import PARTS, Schema, Table, part_names
from unless.table.to_frames import column_to_polars

__all__ = [
    "MAX_DOMAIN_VALUES", "PARTS", "Codes", "Column", "HoldoutSplit", "Kind", "Labels", "Schema",
    "SpecialCodes", "SplitColumn", "Table", "checked_column", "column_to_polars", "domain_table",
    "drop_unused_values", "name_special_codes", "part_names", "rank_values", "to_smallest_type",
]  # fmt: skip
