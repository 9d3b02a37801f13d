"""Files and frames, as tables; every form of data is a `Source`.

- `table`: `read_table`, the whole
- `source`: the protocol of sources, and folders of them
- `column_inference`: from cells to columns of rank codes
- `date_parts`: the weekday, month and hour of dates, instead of the dates
- `frames`: data frames, arrays, lists of dicts; Python objects as frames
- `formats`: which format a file has, and how to open it
- `dialect`: how a text file is written: delimiter, numerals, encoding; what a caller tells about it
- `dialect_detection`: the dialect of a file, told by its first bytes
- `headers`: the names of columns where a header has empty or equal ones
- `encodings`: which encoding a file has; its text in UTF-8, and back
- `batches`: files, folders and pipes, some records at a time
- `file_bytes`: opening, unpacking and mapping files; blocks of whole records
- `csv_files`: CSV and TSV
- `json_lines`: JSON lines
- `binary_files`: Parquet, Arrow and Excel
"""

from unless.read.table import column_names, read_table

__all__ = ["column_names", "read_table"]
