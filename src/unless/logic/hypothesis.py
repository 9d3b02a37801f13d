"""The result of learning from background knowledge: rules over its predicates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unless.errors import ParameterError, ReadError
from unless.evaluation.metrics import Quality, measure_quality
from unless.export.clauses import Spelling, Style, flatten, write_exclusive, write_in_style
from unless.export.free_names import free_name
from unless.logic.background import Background, Source, read_background
from unless.logic.clingo_runner import atoms, grounded, import_clingo
from unless.logic.engine_names import free_prefix
from unless.logic.grounding import Goals
from unless.rule import Program
from unless.table import Table
from unless.values import Label

if TYPE_CHECKING:
    from clingo import Symbol


@dataclass(frozen=True, slots=True)
class Trial:
    """The evaluation of a hypothesis on held-out individuals: their labels, and the labels that B and H entail.

    ``usual`` is the most frequent label among the training individuals.
    """

    individuals: tuple[str, ...]
    labels: tuple[Label, ...]
    entailed: tuple[Label | None, ...]
    usual: Label

    @property
    def quality(self) -> Quality:
        """How well the entailed labels agree with the true ones."""
        return _measure_quality(self.labels, self.entailed)

    @property
    def baseline(self) -> Quality:
        """How well the most frequent label alone would agree."""
        return _measure_quality(self.labels, [self.usual] * len(self.labels))


@dataclass(frozen=True, eq=False, repr=False)
class Hypothesis:
    """Rules learned over the predicates of the background knowledge.

    ``program`` has a feature for each predicate, or for each value if an individual may have several. ``table`` holds
    the training examples, and ``individuals`` their names, row by row. ``entailed`` are the labels that
    clingo derives from B and H; ``trial`` has the same for held-out individuals, if any. ``left_out`` are
    the predicates that are not features because no two individuals share a value.
    """

    program: Program
    table: Table
    individuals: tuple[str, ...]
    entailed: tuple[Label | None, ...]
    trial: Trial | None
    left_out: tuple[str, ...]
    _terms: dict[Label, str]
    _goals: dict[str, Goals]
    _taken: frozenset[str]

    @property
    def examples(self) -> tuple[Label, ...]:
        """The labels of the individuals in E."""
        target = self.table.target
        return () if target is None else tuple(target.labels[code] for code in target.codes.tolist())

    @property
    def right(self) -> int:
        """The number of examples whose label B and H entail."""
        return sum(entailed == label for entailed, label in zip(self.entailed, self.examples, strict=True))

    @property
    def unary(self) -> tuple[str, ...]:
        """The features that are true or false, without a value."""
        return tuple(feature for feature, goals in self._goals.items() if goals.yes is not None)

    def predict(
        self, background: Source | Sequence[Source], individuals: Iterable[str] | None = None
    ) -> dict[str, Label | None]:
        """Label the individuals of other background knowledge, which need not mention those of the examples.

        By default, these are all individuals for which some predicate of the features holds. The label is
        None if none is entailed.
        """
        known = read_background(background)
        target = self.program.target
        refuse_leak(known, target)
        named = self._features_hold_of(known) if individuals is None else _parse_individuals(individuals)
        if individuals is None and not named:
            name, arity = next(iter(self._goals.values())).signature
            atom = f"{name}(X)" if arity == 1 else f"{name}(X,V)"
            raise ReadError(f"{known.name}: none of the rules' predicates, such as {atom}, holds of anything")
        taken = {*(name for name, _ in known.mentions), *(goals.predicate for goals in self._goals.values())}
        labels = {import_clingo().parse_term(term): label for label, term in self._terms.items()}
        found = derive_labels(known, self._text(taken, map(str, named), careful=True), target, labels)
        return {str(individual): found.get(individual) for individual in named}

    def to_text(self, style: Style = "paper") -> str:
        """Write the rules over the original predicates: ``paper`` to be read in order, ``exclusive`` without order."""
        return write_in_style(style, self.program, replace(self._spelling(self._taken), record=()))

    def to_clingo(self) -> str:
        """Write H as a clingo program to run together with B, in the exclusive form.

        ``record(X)`` lists the individuals of the examples; add your own. clingo shows only the labels. A predicate
        missing from B is simply not true.
        """
        held_back = () if self.trial is None else self.trial.individuals
        used = dict.fromkeys(self._goals[feature].signature for feature in self.program.used)
        target = self.program.target, 2
        lines = [f"#show {target[0]}/2.", *(f"#defined {name}/{arity}." for name, arity in (target, *used))]
        return "\n".join([*lines, self._text(self._taken, (*self.individuals, *held_back))])

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Hypothesis: B and H entail {self.right} of {len(self.individuals)} examples>\n{self}"

    def _text(self, taken: Collection[str], individuals: Iterable[str], *, careful: bool = False) -> str:
        """Write the clauses and the records; ``careful`` if values that were numbers in B may be text here."""
        spelling = self._spelling(taken, careful=careful)
        lines = [str(clause) for clause in write_exclusive(flatten(self.program, exact=True), spelling)]
        record = spelling.record[0].removesuffix("(X)")
        lines += [f"{record}({individual})." for individual in individuals]
        return "\n".join(lines) + "\n"

    def _spelling(self, taken: Collection[str], *, careful: bool = False) -> Spelling:
        """Choose how to write clauses, with distinct predicates that are not taken."""
        target = self.program.target
        names = {*taken, target}
        record = free_name("record", names)
        rule = free_prefix(f"{target}_", {*names, record})
        exception = free_prefix("ab", {*names, record, f"{rule}1"})
        undecided = free_prefix("undecided", {*names, record, f"{rule}1", f"{exception}1"})
        goals = self._goals
        if careful:
            goals = {feature: replace(goal, mixed=True) for feature, goal in goals.items()}
        return Spelling(
            label=lambda label: f"{target}(X,{self._terms[label]})",
            goals=lambda literal: goals[literal.feature].of(literal),
            rule=lambda number: f"{rule}{number}(X)",
            exception=exception,
            undecided=undecided,
            record=(f"{record}(X)",),
        )

    def _features_hold_of(self, known: Background) -> list[Symbol]:
        control = known.ground()
        features = {goals.signature for goals in self._goals.values()}
        wanted = [signature for signature in known.mentions if signature in features]
        return list(dict.fromkeys(first for signature in wanted for first, *_ in atoms(control, *signature)))


def refuse_leak(known: Background, target: str) -> None:
    """Reject background knowledge that mentions the target."""
    if line := known.mentions.get((target, 2)):
        raise ReadError(f"{known.name.line(line)}: B mentions {target}/2, the target; labels would leak into features")


def derive_labels(known: Background, text: str, target: str, labels: dict[Symbol, Label]) -> dict[Symbol, Label]:
    """Derive the labels that B and H together entail; H is given as text."""
    control = grounded(f"{known.facts}\n{text}", known.add_rules)
    return {individual: labels[label] for individual, label in atoms(control, target, 2)}


def _parse_individuals(individuals: Iterable[str]) -> list[Symbol]:
    if isinstance(individuals, str):
        raise ParameterError(f"individuals must be a list, not a text; write individuals=[{individuals!r}]")
    found: list[Symbol] = []
    for individual in individuals:
        try:
            found.append(import_clingo().parse_term(str(individual)))
        except RuntimeError:
            raise ParameterError(f'{individual!r} is not a term of clingo; write kitty, 3 or "Kitty"') from None
    return list(dict.fromkeys(found))


def _measure_quality(labels: Sequence[Label], decided: Sequence[Label | None]) -> Quality:
    known = sorted({label for label in (*labels, *decided) if label is not None}, key=str)
    place: dict[Label | None, int] = {label: place for place, label in enumerate(known)} | {None: -1}
    return measure_quality(
        np.array([place[label] for label in labels]), np.array([place[label] for label in decided]), known
    )
