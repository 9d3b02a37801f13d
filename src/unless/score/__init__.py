"""Points that each part of a list of rules adds to each label; points add up to probabilities.

- `program_parts`: the parts of a program that hold for a record or not, and their truths on a table.
- `score_card`: the score card, points for each part of a program.
- `committee`: many lists that vote.
- `score_decider`: decides by the points of either, or by expected costs, and rejects what costs too much.
- `principal_reasons`: the reasons for the decisions on a table, of a list or a committee.
- `voting_code`: lists as instructions that add up the points of many rows.
- `decision_graph`: a list as a graph whose nodes test literals; `contributions`: Shapley values of such graphs.
"""
