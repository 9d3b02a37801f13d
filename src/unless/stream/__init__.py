"""Predictions for files of any size, in constant memory.

In the order of the data:

- `output_columns`: the new columns: label, probability, expected precision, rule
- `column_types`: which columns of a text file are numbers
- `excel_writer`: a sheet of a workbook
- `writers`: records and their new columns, in every format that is written
- `output_file`: the file to write, and the thread that writes while the next records are read
- `batch_decisions`: the model's decisions, and counts
- `pipeline`: one input to one output
- `partitions`: the parts of a folder to parts in another, by several processes
- `file_prediction`: `predict_file`, the whole
- `file_watch`: `watch_file`, drift in a file
"""

from unless.stream.file_prediction import PredictedFile, predict_file
from unless.stream.file_watch import watch_file

__all__ = ["PredictedFile", "predict_file", "watch_file"]
