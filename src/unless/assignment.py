"""Who belongs to whom: pairs of rows and columns that are worth most together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["assigned"]


def assigned(worth: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs of rows and columns, each at most once, as many as the shorter side has, of the largest worth together.

    Shortest augmenting paths (Jonker and Volgenant 1987), as scipy's ``linear_sum_assignment``: to import that takes
    longer than the rest of `unless diff`. Of two programs of 3,000 rules each, it would save 2 of 5 seconds.

    >>> assigned(np.array([[3.0, 2.0], [2.9, 0.0]]))
    [(0, 1), (1, 0)]
    """
    rows, columns = worth.shape
    if rows > columns:
        return sorted((row, column) for column, row in assigned(worth.T))
    if not rows:
        return []
    search = _Search(np.ascontiguousarray(worth.max() - worth))
    for row in range(rows):
        search.match(row)
    return list(enumerate(search.column_of.tolist()))


class _Search:
    """Pairs so far, and the prices of rows and columns: no pair costs less than its prices, those so far just that."""

    def __init__(self, cost: NDArray[np.float64]) -> None:
        rows, columns = cost.shape
        self.cost = cost
        self.row_price, self.column_price = np.zeros(rows), np.zeros(columns)
        self.column_of, self.row_of = np.full(rows, -1), np.full(columns, -1)

    def match(self, row: int) -> None:
        """Give one more row a column, by the path of other matches to be changed that costs least."""
        columns = len(self.row_of)
        distance, before = np.full(columns, np.inf), np.full(columns, -1)
        is_open, reached = np.ones(columns, np.bool_), 0.0
        last, visited = row, [row]
        while True:
            found = reached + self.cost[last] - self.row_price[last] - self.column_price
            nearer = is_open & (found < distance)
            distance[nearer], before[nearer] = found[nearer], last
            column = int(np.argmin(np.where(is_open, distance, np.inf)))
            reached = float(distance[column])
            if self.row_of[column] < 0:
                break
            is_open[column] = False
            last = int(self.row_of[column])
            visited.append(last)
        self.row_price[row] += reached
        self.row_price[visited[1:]] += reached - distance[self.column_of[visited[1:]]]
        self.column_price[~is_open] -= reached - distance[~is_open]
        self._change(row, column, before)

    def _change(self, row: int, column: int, before: NDArray[np.intp]) -> None:
        """Change the matches along the path that ends at a column, back to the row that had none."""
        last = -1
        while last != row:
            last = int(before[column])
            self.row_of[column] = last
            column, self.column_of[last] = int(self.column_of[last]), column
