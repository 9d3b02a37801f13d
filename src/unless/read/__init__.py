"""Files and frames, as tables: one module for each form, all behind the `Source` protocol.

`table` puts them together, `source` is the protocol, `frames` what is in memory, `formats` which format a file has,
`bytes` its bytes, `text`, `jsonlines`, `columnar` and `excel` the formats, `folder` a folder of files, `bombs` what
is too large unpacked, `ranks` columns of cells as columns of ranks.
"""

from unless.read.table import column_names, read_table

__all__ = ["column_names", "read_table"]
