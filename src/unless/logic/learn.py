"""The paper's setting: background knowledge B and examples E in, a hypothesis H over the predicates of B out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args
from typing import Literal as OneOf

from unless.engine.memory import MemoryEngine
from unless.errors import ParameterError, ProgramError, ReadError, UnknownNameError, suggest
from unless.export.text import Body, Style, flatten
from unless.kernels import Selection
from unless.learn import fold_rm, fold_rpp
from unless.logic.background import Background, Signature, Source, read_background
from unless.logic.engine import atoms, clingo, grounded, undecided
from unless.logic.facts import Goals, categories, columns, fresh
from unless.logic.names import free_prefix
from unless.logic.shape import Words, clauses
from unless.predict import predict
from unless.refine import fold_unless
from unless.rule import Literal, Program
from unless.table import Labels, Table
from unless.values import Label

if TYPE_CHECKING:
    from clingo import Control, Symbol

__all__ = ["Algorithm", "Hypothesis", "learn_logic"]

Algorithm = OneOf["fold_rm", "fold_rpp", "fold_unless"]


@dataclass(frozen=True, eq=False, repr=False)
class Hypothesis:
    """What was learned, over the predicates of the background knowledge.

    ``program`` has a feature per predicate (per value, where an individual has several); ``table`` the examples;
    ``individuals`` their names, row by row; ``entailed`` the labels that B and H together entail, by clingo.
    """

    program: Program
    table: Table
    individuals: tuple[str, ...]
    entailed: tuple[Label | None, ...]
    _terms: dict[Label, str]
    _goals: dict[str, Goals]
    _words: Words

    @property
    def examples(self) -> tuple[Label, ...]:
        """The labels that E gives the individuals."""
        target = self.table.target
        return () if target is None else tuple(target.labels[code] for code in target.codes.tolist())

    @property
    def right(self) -> int:
        """How many of the examples B and H entail."""
        return sum(entailed == label for entailed, label in zip(self.entailed, self.examples, strict=True))

    @property
    def unary(self) -> tuple[str, ...]:
        """The features that are true or not, without a value."""
        return tuple(feature for feature, goals in self._goals.items() if goals.yes is not None)

    def to_text(self, style: Style = "paper") -> str:
        """The rules over the original predicates: ``paper``, to be read in order, or ``exclusive``, without order."""
        if style not in get_args(Style):
            raise ParameterError(f"no style {style!r}{suggest(str(style), get_args(Style))}")
        return "\n".join(self._ordered() if style == "paper" else self._exclusive())

    def to_clingo(self) -> str:
        """H as a program that clingo runs beside B: the exclusive form, every rule over the individuals.

        ``record(X)`` holds the individuals of the examples; add your own.
        """
        lines = [str(clause) for clause in clauses(self.program, self._words, self._literal, self._label)]
        lines += [f"{self._words.record}({individual})." for individual in self.individuals]
        return "\n".join(lines) + "\n"

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Hypothesis: B and H entail {self.right} of {len(self.individuals)} examples>\n{self}"

    def _ordered(self) -> Iterable[str]:
        flat, words = flatten(self.program), self._words
        for label, body in flat.rules:
            yield _line(f"{words.target}(X,{self._label(label)})", self._body(body))
        if self.program.otherwise is not None:
            yield f"{words.target}(X,{self._label(self.program.otherwise)})."
        for number, body in enumerate(flat.exceptions, 1):
            yield _line(f"{words.exception}{number}(X)", self._body(body))

    def _exclusive(self) -> Iterable[str]:
        for clause in clauses(self.program, self._words, self._literal, self._label):
            yield _line(clause.head, [goal for goal in clause.goals if goal != f"{self._words.record}(X)"])

    def _body(self, body: Body) -> list[str]:
        goals: list[str] = []
        for literal in body.literals:
            goals += [goal for goal in self._literal(literal) if goal not in goals]
        return goals + [f"not {self._words.exception}{number}(X)" for number in body.exceptions]

    def _literal(self, literal: Literal) -> list[str]:
        return self._goals[literal.feature].of(literal)

    def _label(self, label: Label) -> str:
        return self._terms[label]


def learn_logic(
    background: Source | Sequence[Source],
    examples: Source,
    target: str,
    ratio: float = 0.5,
    *,
    algorithm: Algorithm = "fold_rm",
    positive: Label | None = None,
) -> Hypothesis:
    """Learn rules for ``target(X,Label)`` from background knowledge B and examples E, both `.lp` text or files.

    B is grounded without E. Its unary predicates become features that are true or not, its binary ones features with a
    value; whatever else should count is a rule of B: ``owner_age(X,A) :- owner(X,P), age(P,A).`` What was learned is
    run together with B in clingo, and entails what it predicts.

    Parameters
    ----------
    background, examples
        Text, or a path (a text that ends in ``.lp`` is one). The background may be a list of them.
    target
        The predicate of the examples: ``habitat`` for facts like ``habitat(kitty,land).``
    ratio
        As in `unless.fold_rm`.
    algorithm
        ``fold_rm``, ``fold_rpp`` (rules for the label ``positive``), or our own ``fold_unless``.
    """
    known = read_background(background)
    given = _examples(read_background(examples, "examples"), target)
    _refuse_leak(known, target)
    control = known.ground()
    individuals = list(given)
    found = columns(control, known.signatures, individuals)
    if not found:
        raise ReadError(f"{known.name}: no unary or binary predicate holds of any example, such as {individuals[0]}")
    terms = _label_terms(given.values(), target)
    table = Table(tuple(column for column, _ in found), Labels.of(target, [terms[label] for label in given.values()]))
    goals = {column.name: goal for column, goal in found}
    program = _learned(table, goals, ratio, algorithm, positive)
    spelled = {label: str(symbol) for symbol, label in terms.items()}
    names = tuple(str(individual) for individual in individuals)
    hypothesis = Hypothesis(program, table, names, (), spelled, goals, _words(target, known))
    return _checked(hypothesis, known, terms)


class _ClosedWorld(MemoryEngine):
    """An engine for which "is missing" is no literal where a predicate is true or not: "is not yes" says that."""

    def __init__(self, table: Table, unary: Iterable[str]) -> None:
        super().__init__(table)
        self._banned = tuple(Literal(feature, "missing") for feature in unary)

    def best_literal(self, positive: Selection, negative: Selection, used: tuple[Literal, ...]) -> Literal | None:
        return super().best_literal(positive, negative, self._banned + used)


def _learned(
    table: Table, goals: dict[str, Goals], ratio: float, algorithm: Algorithm, positive: Label | None
) -> Program:
    engine = _ClosedWorld(table, (feature for feature, goal in goals.items() if goal.yes is not None))
    match algorithm:
        case "fold_rm":
            return fold_rm(engine, ratio)
        case "fold_rpp":
            if positive is None:
                raise ParameterError("fold_rpp learns rules for one label; name it: positive=…")
            return fold_rpp(engine, positive, ratio)
        case "fold_unless":
            return fold_unless(engine, ratio)
    raise ParameterError(f"no algorithm {algorithm!r}{suggest(str(algorithm), get_args(Algorithm))}")


def _examples(read: Background, target: str) -> dict[Symbol, Symbol]:
    """The label of every individual, in the order of the text."""
    wanted = (target, 2)
    if wanted not in read.mentions:
        names = [name for name, _ in read.signatures]
        if target in names:
            raise ReadError(f"{read.name}: {target} takes an individual and its label: {target}(kitty,land).")
        raise UnknownNameError(f"{read.name}: no examples of {target!r}{suggest(target, names)}")
    if line := next((rule.line for rule in read.rules if rule.node.body), None):
        raise ReadError(f"{read.name.line(line)}: a rule; examples are facts, rules belong to the background")
    if other := next((signature for signature in read.signatures if signature != wanted), None):
        line = read.mentions[other]
        raise ReadError(f"{read.name.line(line)}: {_shown(other)} is not the target {_shown(wanted)}; move it to B")
    labels: dict[Symbol, Symbol] = {}
    for individual, label in atoms(read.ground(), *wanted):
        if labels.setdefault(individual, label) != label:
            raise ReadError(f"{read.name}: {individual} has two labels, {labels[individual]} and {label}; keep one")
    return labels


def _refuse_leak(known: Background, target: str) -> None:
    if line := known.mentions.get((target, 2)):
        raise ReadError(f"{known.name.line(line)}: B mentions {target}/2, the target; labels would leak into features")


def _label_terms(symbols: Iterable[Symbol], target: str) -> dict[Symbol, Label]:
    """The label of every symbol: a number stays one, anything else is text."""
    distinct = sorted(set(symbols))
    texts = categories(distinct, target)
    if texts and len(texts) < len(distinct):
        raise ReadError(f"the labels of {target} are numbers and text; make them all one or the other")
    return {symbol: texts[symbol] if texts else symbol.number for symbol in distinct}


def _words(target: str, known: Background) -> Words:
    """Predicates for H that B does not have, and that differ among themselves."""
    names = {name for name, _ in known.signatures} | {target}
    names.add(record := fresh("record", names))
    rule = free_prefix(f"{target}_", names)
    return Words(target, record, rule, free_prefix("ab", {*names, f"{rule}1"}))


def _checked(hypothesis: Hypothesis, known: Background, terms: dict[Symbol, Label]) -> Hypothesis:
    """The hypothesis with what B and H entail, which is what it predicts."""
    text = hypothesis.to_clingo()

    def fill(control: Control) -> None:
        known.fill(control)
        control.add("base", [], text)

    control = grounded(fill)
    if (atom := undecided(control)) or not control.solve().satisfiable:
        raise ProgramError(f"B and H together leave {atom} open, or contradict each other; please report this")
    place = {clingo().parse_term(individual): row for row, individual in enumerate(hypothesis.individuals)}
    entailed: list[Label | None] = [None] * len(place)
    for individual, label in atoms(control, hypothesis.program.target, 2):
        entailed[place[individual]] = terms[label]
    if entailed != predict(hypothesis.program, hypothesis.table).tolist():
        raise ProgramError("B and H do not entail what the program predicts; please report this")
    return replace(hypothesis, entailed=tuple(entailed))


def _line(head: str, goals: list[str]) -> str:
    return f"{head} :- {', '.join(goals)}." if goals else f"{head}."


def _shown(signature: Signature) -> str:
    return f"{signature[0]}/{signature[1]}"
