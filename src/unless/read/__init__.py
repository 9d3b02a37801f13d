"""Files and frames, as tables; every form of data is a `Source`.

- `table`: `read_table`, the whole
- `source`: the protocol of sources
- `ranks`: from cells to columns of rank codes
- `frames`: data frames, arrays, lists of dicts
- `formats`: which format a file has, and how to open it
- `bytes`: opening, unpacking and mapping files
- `blocks`: files in blocks of whole records
- `text`: CSV and TSV
- `jsonlines`: JSON lines
- `columnar`: Parquet and Arrow
- `excel`: workbooks
- `series`: Python objects as polars columns
- `folder`: a folder of files, as one
"""

from unless.read.table import column_names, read_table

__all__ = ["column_names", "read_table"]
