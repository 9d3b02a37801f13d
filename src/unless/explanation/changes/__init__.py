"""What would change a decision: `counterfactuals`, and the search behind them.

`axes` reads what each feature may become, and divides it into the cells between which a program tells values apart.
`boxes` finds the cheapest combinations of cells that give a label. `committee` searches for changes of a committee.
"""
