"""The learners, model files, and the three classifiers for scikit-learn.

`learners` go from a table to a model without scikit-learn, `file` writes and reads the model, `progress` shows how far
learning is. `classifiers` are the learners with scikit-learn's interface: `base` is what they share, `records` and
`labels` read X and y.
"""
