"""Names that are not taken yet."""

from __future__ import annotations

from collections.abc import Collection

from unless.rule import Program


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the name with a number behind it, whichever is not taken.

    >>> free_name("rule", ["label"]), free_name("rule", ["rule", "rule_2"])
    ('rule', 'rule_3')
    """
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


class FreeNames:
    """Names for new columns that no feature, target or other new column has."""

    def __init__(self, rules: Program) -> None:
        self._taken = {name.casefold() for name in (*rules.features, rules.target)}

    def take(self, name: str) -> str:
        """The name, with a number behind it if it is taken; from now on it is taken."""
        found = free_name(name, self._taken)
        self._taken.add(found)
        return found

    def take_all(self, prefix: str, count: int) -> list[str]:
        """The prefix with numbers from 1."""
        return [self.take(f"{prefix}_{number}") for number in range(1, count + 1)]
