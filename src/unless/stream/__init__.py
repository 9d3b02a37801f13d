"""Predict for files of any size in constant memory.

The modules, in the order of processing:

- `output_columns`: the new columns: label, probability, expected precision, rule
- `column_types`: finds the columns of a text file that are numbers
- `excel_writer`: writes the sheet of a workbook
- `writers`: write records with their new columns, one writer per format
- `output_file`: opens the output file; writes in a thread while the next records are read
- `batch_decisions`: decides the records of batches, and counts the results
- `decision_log`: appends decisions with their reasons to a file; `record_log` does so for records in memory
- `pipeline`: processes one input to one output
- `partitions`: writes each part of a folder to a part in another folder, by several processes
- `file_prediction`: `predict_file` does all of it
- `file_watch`: `watch_file` measures the drift in a file
"""

from unless.stream.decision_log import LogOptions
from unless.stream.file_prediction import PredictedFile, predict_file
from unless.stream.file_watch import watch_file
from unless.stream.record_log import log_decisions

__all__ = ["LogOptions", "PredictedFile", "log_decisions", "predict_file", "watch_file"]
