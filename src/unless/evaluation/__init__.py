"""Measure programs on tables.

`shares`: a part of a whole. `metrics`: what each rule decides, and accuracy, precision, recall and F1 of decisions.
`validation`: the test split, folds, and learners compared on them. `training_overlap`: a model on its own data, in
batches. `tradeoff`: accuracy against the number of rules. `importance`: how much each feature matters.
`unseen_values`: values in new records that training lacked. `constraint_check`: whether a program keeps constraints.
`drift`: what has changed since training, by tests of `significance`; it compares `drift_counts` and returns
`drift_results`. `stability`: what comes back when rules are learned again from other samples. `subgroups`: how good
decisions are for the records with each value of a column.
"""
