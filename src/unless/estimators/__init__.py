"""The learners, model files, and the classifiers for scikit-learn.

`learners` go from a table to a model without scikit-learn; `training_data` is what they learn from, and when they stop;
`relearning` has what learns again and again; `holdout` hold back records for a test; `training_warnings` is what there
is to say about it. `model_file` and `committee_file` write and read the model, `model_schema` defines what is in such
files as types, `model_parts` and `parameters` make values from them; `editing` gives it other rules, `progress` shows
how far learning is, and `teachers` are what a list can imitate.
`classifiers` are the learners with scikit-learn's interface: `fitted_classifier` is one that holds a model,
`rule_classifier` what all share, `committee_classifier` the one of many lists; `rule_frames` are rules as data frames.
`input_records` and `input_labels` read X and y of training, `relational_input` several tables, `model_inputs` records
for a fitted model, and `prediction_reader` an X to predict.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Load a classifier when it is first used: scikit-learn takes a second, and the command does without it."""
    if name in ("FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier", "UnlessCommittee"):
        return getattr(import_module("unless.estimators.classifiers"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
