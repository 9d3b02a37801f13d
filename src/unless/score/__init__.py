"""Points: what each part of a list of rules adds to each label. Points add up to a probability.

- `points`: whole numbers that add up, and the probabilities that they stand for.
- `committee`: many lists that vote; `votes` adds up the points of many rows.
"""
