"""Tables of rank codes.

A column's distinct values are ranked: numbers ascending, then categories by code point, then missing. A cell is stored
as its rank, so ``<=`` is a prefix of the ranks, ``==`` is one rank, and the truth of any literal is a comparison of
small integers (`Column.span`).

`columns` has `Column` and `Labels`, `table` the `Table` and its `Schema`, `frames` turns columns into those of other
libraries, and `seen` tells which values occur, and which of them a model remembers. `hashes` are those of records, and
`split` holds back some of them for a test.
"""

from unless.table.columns import Codes, Column, Kind, Labels, smallest
from unless.table.frames import polars_series
from unless.table.seen import MOST, domain_of, occurring
from unless.table.split import Split
from unless.table.table import PARTS, Schema, Table, part_names

__all__ = [
    "MOST",
    "PARTS",
    "Codes",
    "Column",
    "Kind",
    "Labels",
    "Schema",
    "Split",
    "Table",
    "domain_of",
    "occurring",
    "part_names",
    "polars_series",
    "smallest",
]
