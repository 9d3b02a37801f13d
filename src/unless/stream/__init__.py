"""Predictions for files of any size, in constant memory.

In the order of the data:

- `columns`: what records get: label, probability, expected precision, rule
- `types`: which columns of a text file are numbers
- `excel`: a sheet of a workbook
- `writers`: records and their new columns, in every format that is written
- `output`: the file to write, and the thread that writes while the next records are read
- `decide`: what the model decides, and what is counted
- `run`: one input to one output
- `parts`: the parts of a folder to parts in another, by several processes
- `predict`: `predict_file`, the whole
- `watch`: `watch_file`, what has moved in a file
"""

from unless.stream.predict import PredictedFile, predict_file
from unless.stream.watch import watch_file

__all__ = ["PredictedFile", "predict_file", "watch_file"]
