"""The rules learned about connected things: to read, to run with B, to explain, and to label other individuals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec import Struct

from unless.errors import ProgramError
from unless.export.document_checks import convert
from unless.export.json import from_dict, to_dict
from unless.export.json_text import content, layout, parse
from unless.files import write_whole
from unless.logic.background import Source
from unless.logic.background_checks import Signature
from unless.logic.hypothesis import Trial
from unless.logic.relational_clingo import relational_to_clingo, run_relational_clingo
from unless.logic.relational_prolog import Dialect, relational_to_prolog
from unless.logic.relational_task import read_world
from unless.relational import FeatureSet, RelationalProgram, World
from unless.relational.explanation import RelationalExplanation, explain_individual, find_individual, why_not
from unless.relational.rule_text import program_text
from unless.relational.sql import SqlDialect, relational_to_sql
from unless.rule import Program
from unless.values import Label

FORMAT = "unless-relational"
VERSION = 1


class ModelData(Struct):
    """A model file: an object with format, version, program, features and types."""

    format: str
    version: int
    program: dict[str, Any]
    features: dict[str, Any]
    types: list[tuple[str, list[str]]]


@dataclass(frozen=True, eq=False, repr=False)
class RelationalHypothesis:
    """Rules about connected things, learned from background knowledge B and examples E.

    ``types`` are the types of the arguments of B's relations, used to read other background knowledge. ``world``
    holds B and the training individuals, ``examples`` their labels; a loaded model has neither.
    ``trial`` is the test on held-out individuals, if any. ``left_out`` lists what exceeded the limits of the search.
    """

    decider: RelationalProgram
    types: Mapping[Signature, tuple[str, ...]]
    world: World | None = None
    examples: tuple[Label, ...] = ()
    trial: Trial | None = None
    left_out: tuple[str, ...] = ()
    searched: int = 0
    _decided: list[Label | None] = field(default_factory=list)

    @property
    def program(self) -> Program:
        """The rules, over named features."""
        return self.decider.program

    @property
    def features(self) -> FeatureSet:
        """The definitions of the features that the rules test."""
        return self.decider.used

    @property
    def individuals(self) -> tuple[str, ...]:
        """The names of the training individuals; the names of a pair are joined by a comma."""
        return () if self.world is None else tuple(map(",".join, names_of(self.world)))

    @property
    def entailed(self) -> tuple[Label | None, ...]:
        """The label that the rules give each example."""
        if self.world is not None and not self._decided:
            self._decided.extend(self.decider.predict(self.world).tolist())
        return tuple(self._decided)

    @property
    def right(self) -> int:
        """The number of examples that get their label."""
        return sum(one == label for one, label in zip(self.entailed, self.examples, strict=True))

    def predict(
        self, background: Source | Sequence[Source], individuals: Iterable[str | Sequence[str]] | None = None
    ) -> dict[str, Label | None]:
        """Label the individuals of other background knowledge; by default all entities of their type that it mentions.

        The label is None if no rule decides.
        """
        world = self.read(background, individuals)
        labels = self.decider.predict(world).tolist()
        return dict(zip(map(",".join, names_of(world)), labels, strict=True))

    def read(
        self, background: Source | Sequence[Source], individuals: Iterable[str | Sequence[str]] | None = None
    ) -> World:
        """Read other background knowledge, in the same way as that of training."""
        return read_world(background, self.types, self.features.root, individuals)

    def explain(self, *names: str, background: Source | Sequence[Source] | None = None) -> RelationalExplanation:
        """Explain why an individual, by its name (two for a pair), gets its label, with the deciding parts."""
        world = self._world(names, background)
        return explain_individual(self.decider, world, find_individual(world, *names))

    def why_not(self, *names: str, label: Label, background: Source | Sequence[Source] | None = None) -> str:
        """Explain why an individual does not get another label."""
        world = self._world(names, background)
        return why_not(self.decider, world, find_individual(world, *names), label)

    def _world(self, names: Sequence[str], background: Source | Sequence[Source] | None) -> World:
        if background is not None:
            return self.read(background, [names])
        if self.world is None:
            raise ProgramError("a loaded model has no facts; pass background=…")
        return self.world

    def check(self) -> int:
        """Run the rules in clingo with B, and count the individuals that get the predicted label."""
        if self.world is None:
            raise ProgramError("a loaded model has no facts to run with")
        derived = run_relational_clingo(self.decider, self.world).tolist()
        return sum(one == other for one, other in zip(derived, self.entailed, strict=True))

    # Export and storage.

    def to_text(self) -> str:
        """Write the rules as readable text."""
        return program_text(self.decider)

    def to_clingo(self, *, facts: bool = False) -> str:
        """Write the rules for clingo; ``facts`` also writes B, with decimals as integers, and the individuals."""
        return relational_to_clingo(self.decider, self.world, facts=facts)

    def to_prolog(self, dialect: Dialect = "swi", *, facts: bool = False) -> str:
        """Write the rules for SWI-Prolog or s(CASP); ``facts`` also writes B and the individuals."""
        return relational_to_prolog(self.decider, self.world, dialect, facts=facts)

    def to_sql(self, dialect: SqlDialect = "duckdb") -> str:
        """Write the rules as one query over a table for each relation and a table of individuals."""
        return relational_to_sql(self.decider, dialect, world=self.world)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as data for JSON."""
        used = {*self.features.relations}
        types = [[name, list(kinds)] for (name, arity), kinds in self.types.items() if (name, arity) in used]
        return {
            "format": FORMAT,
            "version": VERSION,
            "program": to_dict(self.program),
            "features": self.features.to_dict(),
            "types": types,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all."""
        write_whole(path, (layout(self.to_dict()) + "\n").encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RelationalHypothesis:
        """Load a model that `save` wrote, which labels the individuals of any background knowledge."""
        return cls.from_dict(parse(content(path)))

    @classmethod
    def from_dict(cls, node: Any) -> RelationalHypothesis:
        """Read and check data that `to_dict` returned."""
        data = convert(node, ModelData)
        if (data.format, data.version) != (FORMAT, VERSION):
            raise ProgramError(f"not a relational model of version {VERSION}: {data.format!r}, {data.version!r}")
        types = {(name, len(kinds)): tuple(kinds) for name, kinds in data.types}
        return cls(RelationalProgram(from_dict(data.program), FeatureSet.from_dict(data.features)), types)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<RelationalHypothesis: {self.right} of {len(self.examples)} examples right>\n{self}"


def names_of(world: World) -> list[tuple[str, ...]]:
    """Return the names of the individuals of a world."""
    columns = [
        np.array(world.names[kind], dtype=object)[codes].tolist()
        for kind, codes in zip(world.root, world.individuals, strict=True)
    ]
    return list(zip(*columns, strict=True))
