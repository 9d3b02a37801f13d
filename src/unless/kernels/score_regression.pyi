"""The types of `score_regression.py` for Python code; its own annotations are C types."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Doubles: TypeAlias = NDArray[np.float64]

def number_distinct_rows(bins: Ints, table: Ints, hashes: NDArray[np.uint64], first: Ints, kind: Ints) -> int: ...
def list_atoms(
    deciding: Ints, bins: Ints, offsets: Ints, inner: NDArray[Any], decisions: int, starts: Ints, places: Ints
) -> None: ...

class Regression:
    def __init__(
        self,
        columns: int,
        records: Ints,
        record_atoms: Ints,
        atoms: Ints,
        atom_parts: Ints,
        totals: Doubles,
        wanted: Doubles,
        penalties: Doubles,
    ) -> None: ...
    def loss(self, logits: Doubles, slopes: Doubles) -> float: ...
    def minimum(self, rounds: int, close: float) -> Doubles: ...
