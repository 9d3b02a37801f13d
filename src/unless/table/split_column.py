"""Columns that say where records belong, and are not features: the moment of a record, and its group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.table.columns import Column
from unless.table.record_hashes import Hashes, mix_bits, text_hashes
from unless.values import number_to_text, value_in_notation
from unless.values.notation import Notation


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """The column by which records are held back: from a moment on, or all records of a group together.

    ``since`` is the first moment that is held back; None for a column of groups. ``notation`` is how the numbers of the
    column were written in training, so that its cells have the same meaning in any other file.
    """

    name: str
    notation: Notation | None = None
    since: float | None = None

    def moments(self, column: Column) -> NDArray[np.float64]:
        """Return the moment of every record; NaN for a cell that is missing or not a moment.

        >>> SplitColumn("day").moments(Column.of("day", [2, "soon", None, 1])).tolist()
        [2.0, nan, nan, 1.0]
        """
        values = [self._moment(column, code) for code in range(column.missing)]
        return np.array([*values, np.nan])[column.codes]

    def _moment(self, column: Column, code: int) -> float:
        value = value_in_notation(column.value(code), self.notation)
        if isinstance(value, str) and self.notation is not None:  # typed dates may become text as in ISO 8601
            value = self.notation.back(value)
        return float(value) if isinstance(value, float) else np.nan

    def group_hashes(self, column: Column, alone: Hashes) -> Hashes:
        """Hash the group of every record; a record without a group has the hash in ``alone``."""
        values = [value_in_notation(column.value(code), self.notation) for code in range(column.missing)]
        texts = [number_to_text(one) if isinstance(one, float) else str(one) for one in values]
        hashes = np.append(text_hashes(texts), np.uint64(0))[column.codes]
        return np.where(column.codes == column.missing, mix_bits(alone), hashes)

    @property
    def text(self) -> str:
        """Which records are held back: "'when' from 2023-01-01 on", or "by groups of 'customer'"."""
        return f"by groups of {self.name!r}" if self.since is None else f"{self.name!r} from {self.start} on"

    @property
    def start(self) -> str:
        """The first moment that is held back, as text."""
        return "" if self.since is None else moment_text(self.since, self.notation)


def moment_text(moment: float, notation: Notation | None) -> str:
    """Write a moment of a column as text."""
    return number_to_text(moment if notation is None else notation.value(moment))
