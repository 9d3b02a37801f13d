"""The learners, model files, and the classifiers for scikit-learn.

`learners` learn a model from a table without scikit-learn. `training_data` defines their input and their limits,
`teachers` the classifiers that a list can imitate, and `progress` the progress bar. `relearning` learns repeatedly,
`holdout` holds out records for a test, at random or as `split_by` says, by time or by group;
`training_warnings` warns of problems, `editing` replaces a model's rules.
`model_file` and `committee_file` write and read models, `model_schema` defines the types of their content, and
`model_parts` and `parameters` convert and check the content.
`cost_input` reads what decisions cost, `decision_choice` chooses what decides, and `cost_methods` are the methods of
classifiers about both.
`classifiers` and `committee_classifier` are the learners with scikit-learn's interface, with the base classes
`rule_classifier` and `fitted_classifier`; `rule_frames` returns rules as data frames.
`input_records` and `input_labels` read X and y for training, `relational_input` several tables, `model_inputs` records
for a fitted model, and `prediction_reader` an X to predict.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Load a classifier at first use: importing scikit-learn takes a second, and the command does not need it."""
    if name in ("FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier", "UnlessCommittee"):
        return getattr(import_module("unless.estimators.classifiers"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
