"""Programs whose features are definitions: they label the individuals of any world that has the relations used.

A program is an ordinary `Program` over named features; a `FeatureSet` contains the definitions of these features.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from typing import Literal as OneOf

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.export.document_checks import convert
from unless.model.prediction import Decisions, decide, predict
from unless.relational.definitions import Definition, needed, parse_definition
from unless.relational.evaluation import NO, YES, feature_table
from unless.relational.world import Signature, World
from unless.rule import Literal, Program, Rule
from unless.table import Table
from unless.values import Label


class FeaturesData(Struct):
    """The definitions of relational features: an object with root and features."""

    root: list[str]
    features: list[tuple[str, str]]
    columns: list[tuple[str, OneOf["number", "text"]]] = []


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """The definitions of features by name, and the types of the entities that make an individual."""

    definitions: Mapping[str, Definition]
    root: tuple[str, ...]
    kinds: Mapping[str, str] = field(default_factory=dict)
    """The columns of tables that held numbers and those that held categories; new tables are read in the same way."""

    @property
    def width(self) -> int:
        """The number of entities that make an individual: two for a pair."""
        return len(self.root)

    @property
    def relations(self) -> tuple[Signature, ...]:
        """The relations that the definitions use."""
        return needed(self.definitions.values())

    def only(self, names: Collection[str]) -> FeatureSet:
        """Keep the definitions of some features."""
        return replace(self, definitions={name: one for name, one in self.definitions.items() if name in names})

    def table(self, world: World, target: str = "", labels: Iterable[Label] | None = None) -> Table:
        """Compute the features of a world's individuals as a table with a column for each feature."""
        if world.root != self.root:
            had = f"individuals of {' and '.join(self.root)}"
            raise ProgramError(f"the features are of {had}, but the world has {' and '.join(world.root)}")
        return feature_table(world, self.definitions, target, labels)

    def to_dict(self) -> dict[str, Any]:
        """Return the definitions as data for JSON; ``from_dict(to_dict())`` restores them."""
        needed = {name for name, _ in self.relations}
        columns = [[name, kind] for name, kind in self.kinds.items() if name in needed]
        return {
            "root": list(self.root),
            "features": [[name, str(one)] for name, one in self.definitions.items()],
            **({"columns": columns} if columns else {}),
        }

    @classmethod
    def from_dict(cls, node: Any) -> FeatureSet:
        """Read and check data that `to_dict` returned."""
        return cls.from_data(convert(node, FeaturesData))

    @classmethod
    def from_data(cls, data: FeaturesData) -> FeatureSet:
        """Read the definitions that a document contains."""
        found = {name: parse_definition(text, len(data.root)) for name, text in data.features}
        return cls(found, tuple(data.root), dict(data.columns))


def positively(program: Program, features: FeatureSet) -> Program:
    """Rewrite a program to test that a value is present instead of not missing: "is yes" for "is not no"."""
    exists = {name for name, one in features.definitions.items() if one.how == "exists"}
    opposite = {YES: NO, NO: YES}

    def literal(one: Literal) -> Literal:
        return (
            replace(one, op="==", value=opposite[str(one.value)]) if one.op == "!=" and one.feature in exists else one
        )

    def rule(one: Rule) -> Rule:
        return Rule(one.head, tuple(map(literal, one.default)), tuple(map(rule, one.exceptions)))

    return replace(program, rules=tuple(map(rule, program.rules)))


@dataclass(frozen=True, eq=False)
class RelationalProgram:
    """A program, and the definitions of the features that its rules test."""

    program: Program
    features: FeatureSet

    def __post_init__(self) -> None:
        if lacking := [name for name in self.program.used if name not in self.features.definitions]:
            raise ProgramError(f"the program tests {lacking[0]!r}, which has no definition")

    @property
    def used(self) -> FeatureSet:
        """The definitions of the features that rules test; decisions need only these."""
        return self.features.only(self.program.used)

    def decide(self, world: World) -> Decisions:
        """Decide every individual of a world, which may differ from the world of training."""
        return decide(self.program, self.used.table(world))

    def predict(self, world: World) -> NDArray[np.object_]:
        """Predict the label of every individual of a world; None where no rule decides."""
        return predict(self.program, self.used.table(world))
