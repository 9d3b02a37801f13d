"""Read files and frames as tables; every form of data is a `Source`.

The modules, in the order of processing:

- `options`: `ReadOptions`, the parameters of the caller
- `special_codes`: numbers that name a category, as the caller gives them
- `formats`: finds the format of a file, and opens it
- `file_bytes`: opens, unpacks and maps files; yields blocks of whole records
- `encodings`: detects the encoding of a file; converts text to UTF-8 and back
- `dialect`: the delimiter, numerals and encoding of a text file
- `dialect_detection`: `detect_dialect` finds them from the first bytes of a file
- `headers`: names columns whose header is empty or repeated
- `source`: the protocol of sources, and sources of several parts
- `csv_records`, `csv_files`: read CSV and TSV; `text_cells`: converts their columns to cells
- `json_lines`: reads JSON lines
- `binary_files`: reads Parquet, Arrow and Excel
- `frames`: reads data frames, arrays and lists of dicts; makes frames of Python objects
- `plain_cells`: single rows and columns of numbers, without ranks
- `date_parts`: replaces dates by their weekday, month and hour
- `cells`: `Cells`, a column before its kind is inferred
- `column_plan`: plans which columns to read, and how
- `column_inference`: `infer_column` turns cells into numbers and categories
- `table`: `read_table` does all of it
- `batches`: reads files, folders and pipes in batches of records
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unless.read.table import column_names, read_table

__all__ = ["column_names", "read_table"]


def __getattr__(name: str) -> object:
    """Import a reader when it is first used: the options alone need no reader."""
    if name in __all__:
        from unless.read import table

        return getattr(table, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
