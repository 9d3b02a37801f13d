"""Tables of rank codes.

A column's distinct values are ranked: numbers ascending, then categories by code point, then missing. A cell is stored
as its rank, so ``<=`` is a prefix of the ranks, ``==`` is one rank, and the truth of any literal is a comparison of
small integers (`Column.span`).

`columns` has `Column` and `Labels`, `table` the `Table` and its `Schema`, `to_frames` turns columns into those of other
libraries, and `seen_values` tells which values occur, and which of them a model remembers. `record_hashes` are those of
records, and `holdout_split` holds back some of them for a test.
"""

from unless.table.columns import Codes, Column, Kind, Labels, checked_column, rank_values, to_smallest_type
from unless.table.holdout_split import HoldoutSplit
from unless.table.seen_values import MAX_DOMAIN_VALUES, domain_table, drop_unused_values
from unless.table.table import PARTS, Schema, Table, part_names
from unless.table.to_frames import column_to_polars

__all__ = [
    "MAX_DOMAIN_VALUES", "PARTS", "Codes", "Column", "HoldoutSplit", "Kind", "Labels", "Schema", "Table",
    "checked_column", "column_to_polars", "domain_table", "drop_unused_values", "part_names", "rank_values",
    "to_smallest_type",
]  # fmt: skip
