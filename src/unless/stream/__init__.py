"""Predictions for files of any size, in constant memory.

In the order of the data:

- `input`: the files to read, folders and pipes too, some records at a time
- `columns`: what records get: label, confidence, rule
- `types`: which columns of a text file are numbers
- `excel`: a sheet of a workbook
- `writers`: records and their new columns, in every format that is written
- `output`: the file to write, and the thread that writes while the next records are read
- `predict`: `predict_file`, the whole
"""

from unless.stream.predict import PredictedFile, predict_file

__all__ = ["PredictedFile", "predict_file"]
