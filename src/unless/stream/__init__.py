"""Predictions for files of any size, in constant memory.

In the order of the data: `files` opens both ends, `blocks` cuts bytes where records end, `batches` are records of any
format, `answers` what they get, `sinks` write them, `pump` helps with it; `run` is the whole.
"""

from unless.stream.run import PredictedFile, predict_file

__all__ = ["PredictedFile", "predict_file"]
