"""Choose names that are not taken yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from unless.rule import Program


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number appended if it is taken.

    >>> free_name("rule", ["label"]), free_name("rule", ["rule", "rule_2"])
    ('rule', 'rule_3')
    """
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def free_names(wanted: Iterable[str], taken: Collection[str]) -> tuple[str, ...]:
    """Return the names, with numbers appended to those that are taken or wanted twice.

    >>> free_names(["label", "rule"], ["rule", "rule_2"])
    ('label', 'rule_3')
    """
    found: list[str] = []
    for name in wanted:
        found.append(free_name(name, {*taken, *found}))
    return tuple(found)


class FreeNames:
    """Chooses names for new columns that no feature, target or other new column has."""

    def __init__(self, rules: Program) -> None:
        self._taken = {name.casefold() for name in (*rules.features, rules.target)}

    def take(self, name: str) -> str:
        """Take the name, with a number appended if it is already taken."""
        found = free_name(name, self._taken)
        self._taken.add(found)
        return found
