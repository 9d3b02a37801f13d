"""Find what would change a decision: `nearest` is the interface to the searches.

`feature_cells` reads the values that each feature may take in the cells that a program
distinguishes. `box_search` finds the cheapest combinations of cells that give a label. `committee_search` searches for
changes of a committee.
"""
