"""What would change a decision: `counterfactuals`, and the search behind them.

`allowed` reads what a feature may become, `axes` divides that into the cells between which a program tells values
apart, `boxes` finds the cheapest combinations of cells that give a label.
"""
