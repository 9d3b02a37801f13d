"""Files and frames, as tables; every form of data is a `Source`.

In the order of the data:

- `options`: `ReadOptions`, what the caller says
- `formats`: which format a file has, and how to open it
- `file_bytes`: opening, unpacking and mapping files; blocks of whole records
- `encodings`: which encoding a file has; its text in UTF-8, and back
- `dialect`: how a text file is written: delimiter, numerals, encoding
- `dialect_detection`: `detect_dialect`, from the first bytes of a file
- `headers`: the names of columns where a header has empty or equal ones
- `source`: the protocol of sources, and folders of them
- `csv_records`, `csv_files`: CSV and TSV; `text_cells`: their columns as cells
- `json_lines`: JSON lines
- `binary_files`: Parquet, Arrow and Excel
- `frames`: data frames, arrays, lists of dicts; Python objects as frames
- `plain_cells`: single rows, and columns of numbers, as they are
- `date_parts`: the weekday, month and hour of dates, instead of the dates
- `cells`: `Cells`, a column as its source has it
- `column_plan`: which columns are read, and how
- `column_inference`: `infer_column`, from cells to numbers and categories
- `table`: `read_table`, the whole
- `batches`: files, folders and pipes, some records at a time
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unless.read.table import column_names, read_table

__all__ = ["column_names", "read_table"]


def __getattr__(name: str) -> object:
    """Import the readers with their first use: the options alone need none of them."""
    if name in __all__:
        from unless.read import table

        return getattr(table, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
