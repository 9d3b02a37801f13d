"""What a model is: everything that is known after a fit, as one value.

`fitted_model` has the value, `Model`, with what is known of its data. `prediction` says what decides (`Decider`): the
labels and the deciding rules of tables. `rule_statistics` is what rules decided, and what to expect of them; `points`
are whole numbers that add up to probabilities. `lazy_value` computes what a fit leaves for later.
`value_bins` are the bins into which literals cut the values of a feature.
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
]
