"""Predictions for files of any size, in constant memory.

In the order of the data: `input` opens files and pipes, `blocks` cuts their bytes where records end, `batches` holds some
records of any format, `columns` the label, confidence and rule that they get, `writers` writes both, `thread` does so
beside the reading, and `predict` is the whole.
"""

from unless.stream.predict import PredictedFile, predict_file

__all__ = ["PredictedFile", "predict_file"]
