"""How good a program is.

`labels`: what each rule decides, and accuracy, precision, recall and F1 of decisions.
`learners`: learners compared on held back records or folds. `importance`: how much each feature matters. `unseen`:
values in new records that training did not have.
"""
