"""Numbers that know how they are written, as tests expect them."""

from __future__ import annotations

from dataclasses import dataclass

from unless.values.notation import NotatedNumber


@dataclass(frozen=True)
class Written:
    """Equal to any number that is written like this: a date, a time, a level of an order."""

    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NotatedNumber) and str(other) == self.text

    def __hash__(self) -> int:
        return hash(self.text)


Level = Written
