"""Define a share of records: the figure that model cards, reports, drift checks and tests have in common."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

from unless.model.rule_statistics import wilson_interval
from unless.values import percent, share_text, to_json


@dataclass(frozen=True, slots=True)
class Share:
    """A part of some records, or of their weight."""

    count: float
    total: float

    @property
    def value(self) -> float:
        """The share; NaN if the total is 0."""
        return self.count / self.total if self.total else nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson's)."""
        return wilson_interval(self.count, self.total)

    @property
    def text(self) -> str:
        """The share and its interval: "0.967 (0.929 to 0.985)"."""
        if not self.total:
            return "–"
        low, high = map(share_text, self.interval)
        return f"{share_text(self.value)} ({low} to {high})"

    def __str__(self) -> str:
        return percent(self.value, 1) if self.total else "–"

    def to_dict(self) -> dict[str, Any]:
        """Convert the share for JSON."""
        return {"count": to_whole(self.count), "of": to_whole(self.total), "share": to_json(self.value)}

    def to_figure(self, name: str) -> dict[str, Any]:
        """Convert the share for JSON, under a name and with its interval."""
        ends = list(self.interval) if self.total else None
        return {"name": name, "right": self.count, "of": self.total, "share": to_json(self.value), "interval": ends}


def to_whole(count: float) -> float:
    """Return a whole count as an int; return other counts unchanged."""
    return int(count) if count == int(count) else count
