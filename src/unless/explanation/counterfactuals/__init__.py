"""What would change a decision: `nearest`, and the search behind them.

`feature_cells` reads what each feature may become, and divides it into the cells between which a program tells values
apart. `box_search` finds the cheapest combinations of cells that give a label. `committee_search` searches for
changes of a committee.
"""
