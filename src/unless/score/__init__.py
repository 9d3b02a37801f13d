"""Points that each part of a list of rules adds to each label; points add up to probabilities.

- `program_parts`: the parts of a program that hold for a record or not, and their truths on a table.
- `score_card`: the score card, points for each part of a program.
- `committee`: many lists that vote.
- `voting_code`: lists as instructions that add up the points of many rows.
- `decision_graph`: a list as a graph whose nodes test literals; `contributions`: Shapley values of such graphs.
"""
