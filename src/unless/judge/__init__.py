"""How good a program is.

`labels`: what each rule decides, and accuracy, precision, recall and F1 of decisions. `validation`: the test split,
folds, and learners compared on them. `own`: a model on its own data, in batches. `tradeoff`: accuracy against the
number of rules. `importance`: how much each feature matters. `unseen`: values in new records that training lacked.
"""
