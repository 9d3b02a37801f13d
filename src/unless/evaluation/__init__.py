"""Measure programs on tables.

`shares`: a part of a whole. `metrics`: the decisions of each rule, and accuracy, precision, recall and F1.
`decision_costs`: what decisions cost.
`validation`: the test split, folds, and learners compared on them. `training_overlap`: the accuracy of a model on its
own data, in batches. `tradeoff`: accuracy against the number of rules. `importance`: how much each feature matters.
`unseen_values`: values in new records that training did not have. `constraint_check`: whether a program satisfies
constraints. `drift`: changes since training, by tests of `significance`; it compares `drift_counts` and returns
`drift_results`. `stability`: which rules come back when they are learned again from other samples. `periods`: the
accuracy and the rules of one period after the other. `subgroups`: the accuracy for the records with each value of a
column.
"""
