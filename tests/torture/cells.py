"""Hostile records with hostile names, and programs about them, the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tests.logic.traps import NAMES
from tests.models import defined_label
from tests.strategies import KINDS, meaning
from unless.rule import Program, Rule
from unless.table import Column, Table

__all__ = ["READ_CELLS", "ROWS", "Drawn", "drawn_cells", "names_of", "renamed"]

ROWS = 60
READ_CELLS = {"Python", "JavaScript"}
"""The engines that read text that spells a number as that number, as `Program.label` does."""
WORDS = [
    "true",
    "false",
    "null",
    "select",
    "oid",
    "rowid",
    "inf",
    "sup",
    "mod",
    "Age",
    'say "x"',
    "a.b",
    "`",
    "v",
    "$x",
]


@dataclass(frozen=True)
class Drawn:
    """Records of four features, one of each kind, whose names are drawn too."""

    names: dict[str, str]
    """The new name of each feature of `strategies`."""
    cells: dict[str, list[Any]]
    _tables: dict[tuple[Any, tuple[str, ...]], str] = field(default_factory=dict)

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of the columns."""
        return {new: KINDS[name] for name, new in self.names.items()}

    @property
    def read_kinds(self) -> dict[str, str]:
        """The same, as `read_table` calls them."""
        return {name: "text" if kind == "boolean" else kind for name, kind in self.kinds.items()}

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The records, with the meaning of their cells."""
        kinds = self.kinds
        return [
            {name: meaning(kinds[name], cell) for name, cell in zip(self.cells, row, strict=True)}
            for row in zip(*self.cells.values(), strict=True)
        ]

    @cached_property
    def table(self) -> Table:
        """The records as a table."""
        return Table(tuple(Column.of(name, [one[name] for one in self.records]) for name in self.cells))

    def labels(self, program: Program) -> list[Any]:
        """The plain definition of what a program decides."""
        return [defined_label(program, record) for record in self.records]

    def stored(self, opened: Any, used: tuple[str, ...], types: dict[str, str] | None = None) -> str:
        """A table in a database of the columns that are used: others may have names that no column can have."""
        key = opened, used
        if key not in self._tables:
            columns = {name: self.cells[name] for name in used} or {"x": [None] * ROWS}
            self._tables[key] = opened.table(columns, {**(types or self.kinds), "x": "text"})
        return self._tables[key]


def drawn_cells(seed: int, known: dict[str, list[Any]]) -> Drawn:
    """Records of chosen cells, at random."""
    rng = random.Random(seed)
    names = dict(zip(KINDS, names_of(rng), strict=True))
    return Drawn(names, {names[kind]: [rng.choice(known[kind]) for _ in range(ROWS)] for kind in KINDS})


def names_of(rng: random.Random) -> list[str]:
    """Four names, which no engine takes for one."""
    while True:
        names = rng.sample([*NAMES, *WORDS], len(KINDS))
        if len({name.casefold()[:60] for name in names}) == len(names) and "row_place" not in names:
            return names


def renamed(program: Program, names: dict[str, str]) -> Program:
    """A program whose features have other names."""

    def rule_of(rule: Rule) -> Rule:
        default = tuple(replace(literal, feature=names[literal.feature]) for literal in rule.default)
        return Rule(rule.head, default, tuple(map(rule_of, rule.exceptions)))

    return Program(program.target, tuple(names.values()), tuple(map(rule_of, program.rules)), program.otherwise)
