"""The fitted model and its parts.

`fitted_model` defines `Model`, which contains everything known after a fit, and the identification of its data.
`prediction` defines deciders (`Decider`) and computes the labels and deciding rules of tables. `rule_statistics` counts
what rules decided and estimates their precision on new records. `points` are whole numbers that add up to
probabilities, and `costs` what decisions cost. `lazy_value` computes a value at its first use. `value_bins` cuts the
values of a feature into bins.
"""

from unless.model.fitted_model import (
    DataOrigin,
    HoldoutResult,
    Model,
    TrainingOverlap,
    decider_of,
    find_training_overlap,
    holdout_rows,
    is_all_holdout,
    is_majority,
    model_of,
    program_of,
    tests_of,
    used_by,
    with_model_groups,
)

__all__ = [
    "DataOrigin",
    "HoldoutResult",
    "Model",
    "TrainingOverlap",
    "decider_of",
    "find_training_overlap",
    "holdout_rows",
    "is_all_holdout",
    "is_majority",
    "model_of",
    "program_of",
    "tests_of",
    "used_by",
    "with_model_groups",
]
