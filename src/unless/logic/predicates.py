"""What every dialect shares: the predicates of a program, its clauses in the mutually exclusive form, and the facts.

    class(X,"1") :- rule2(X), not rule1(X).
    rule2(X) :- record(X), flavanoids(X,N0), N0 > 203, not ab1(X).

From the fourth rule on, what the earlier ones leave undecided has a name (`unless.export.clauses`).

A feature has one predicate for numbers and one for text, since engines order numbers and text in ways of their own; a
missing cell has no fact. Every body that negates starts with what makes that safe, mostly ``record(X)``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from unless.errors import ProgramError, UnknownNameError, suggest
from unless.export.clauses import exclusion
from unless.logic.integers import Scale, scale_of
from unless.logic.names import Names, free_prefix, fresh
from unless.rule import Literal, Program, Rule
from unless.table import Table
from unless.values import Label

__all__ = ["Body", "Clause", "Feature", "Vocabulary", "Words", "clauses", "facts", "helpers", "vocabulary"]


@dataclass(frozen=True, slots=True)
class Feature:
    """The predicates of a feature that a program uses: None where it does not need one.

    ``number`` and ``text`` hold the cells of either kind, ``present`` is true of a record that has a cell. Integers
    stand for numbers by ``scale``.
    """

    name: str
    number: str | None = None
    text: str | None = None
    present: str | None = None
    scale: Scale | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The predicates of a program: of its target, and of every feature by name."""

    target: str
    features: dict[str, Feature]


@dataclass(frozen=True, slots=True)
class Words:
    """What the clauses are made of: the predicates for labels and records, and what precedes numbers."""

    target: str
    record: str = "record"
    rule: str = "rule"
    exception: str = "ab"
    undecided: str = "undecided"

    @classmethod
    def beside(cls, target: str, taken: Iterable[str]) -> Words:
        """Words that are not taken, and that differ among themselves; rules are called after the target."""
        names = {*taken, target}
        record = fresh("record", names)
        rule = free_prefix(f"{target}_", {*names, record})
        exception = free_prefix("ab", {*names, record, f"{rule}1"})
        undecided = free_prefix("undecided", {*names, record, f"{rule}1", f"{exception}1"})
        return cls(target, record, rule, exception, undecided)


@dataclass(frozen=True, slots=True)
class Body:
    """What must hold: the literals as learned, and none of the numbered exceptions."""

    literals: tuple[Literal, ...]
    exceptions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A head, its goals, and the literals that these spell."""

    head: str
    goals: tuple[str, ...]
    literals: tuple[Literal, ...] = ()

    def __str__(self) -> str:
        return f"{self.head} :- {', '.join(self.goals)}."


def vocabulary(program: Program, avoided: Collection[str] = ()) -> Vocabulary:
    """The predicates that a program needs, each with a name of its own and none that is to be avoided."""
    names = Names(set(avoided))
    target = names.new(program.target)
    literals: dict[str, list[Literal]] = {name: [] for name in program.features}
    for rule in program.rules:
        for literal in rule.literals():
            literals[literal.feature].append(literal)
    return Vocabulary(target, {name: _feature(name, tests, names) for name, tests in literals.items()})


def _feature(name: str, literals: list[Literal], names: Names) -> Feature:
    if not literals:
        return Feature(name)
    thresholds = [literal.value for literal in literals if isinstance(literal.value, float)]
    presence = any(literal.value is None for literal in literals)
    texts = presence or any(isinstance(literal.value, str) for literal in literals)
    number = names.new(name) if thresholds or presence else None
    text = names.new(f"{name} text" if number else name) if texts else None
    present = names.new(f"{name} present") if presence else None
    return Feature(name, number, text, present, scale_of(thresholds) if number else None)


def numbered(program: Program) -> tuple[list[Body], list[Body]]:
    """The bodies of the rules and of the exceptions: inner before outer, equal ones only once.

    Unlike the paper's text nothing is merged or left out, so that the program can be read back as it was.
    """
    numbers: dict[Body, int] = {}

    def body(rule: Rule) -> Body:
        found = []  # a loop: one frame per level keeps 200 nested exceptions within Python's limit
        for exception in rule.exceptions:
            inner = body(exception)
            found.append(numbers.setdefault(inner, len(numbers) + 1))
        return Body(rule.default, tuple(found))

    return [body(rule) for rule in program.rules], list(numbers)


def clauses(
    program: Program, words: Words, goals: Callable[[Literal], list[str]], term: Callable[[Label], str]
) -> Iterator[Clause]:
    """The program in the mutually exclusive form: labels, what is left undecided, then rules, then exceptions.

    ``goals`` spells a literal, what introduces a variable before the test itself, and ``term`` a label. What a body has
    introduced already is not repeated.
    """
    rules, exceptions = numbered(program)
    heads = [f"{words.rule}{number}(X)" for number in range(1, len(rules) + 1)]
    record, rest = f"{words.record}(X)", program.otherwise is not None
    excluded, links = exclusion(heads, (record,), undecided=words.undecided, rest=rest)
    for head, rule, earlier in zip(heads, program.rules, excluded, strict=False):
        yield Clause(f"{words.target}(X,{_label(rule.head, term)})", (head, *earlier))
    if program.otherwise is not None:
        yield Clause(f"{words.target}(X,{term(program.otherwise)})", (record, *excluded[-1]))
    yield from (Clause(*link) for link in links)
    heads += [f"{words.exception}{number}(X)" for number in range(1, len(exceptions) + 1)]
    for head, body in zip(heads, rules + exceptions, strict=True):
        spelled = [record]
        for literal in body.literals:
            *introduced, test = goals(literal)
            spelled += [goal for goal in introduced if goal not in spelled] + [test]
        spelled += [f"not {words.exception}{number}(X)" for number in body.exceptions]
        yield Clause(head, tuple(spelled), body.literals)


def helpers(words: Vocabulary) -> Iterator[Clause]:
    """The clauses that say when a cell is present: if there is a number or a text."""
    for feature in words.features.values():
        for predicate in (feature.number, feature.text):
            if feature.present:
                yield Clause(f"{feature.present}(X)", (f"{predicate}(X,_)",))


def facts(
    words: Vocabulary, table: Table, number: Callable[[Feature, float], str], text: Callable[[str], str]
) -> Iterator[str]:
    """The records of a table, numbered from 1, and their cells, one predicate after the other."""
    for row in range(1, len(table) + 1):
        yield f"record({row})."
    for feature in words.features.values():
        if not (feature.number or feature.text):
            continue
        if feature.name not in table.features:
            hint = suggest(feature.name, table.features)
            raise UnknownNameError(f"the program uses {feature.name!r}, which the table lacks{hint}")
        column = table.column(feature.name)
        codes, first = column.codes.tolist(), len(column.numbers)
        if feature.number:
            numbers = {code: number(feature, float(column.numbers[code])) for code in set(codes) if code < first}
            yield from (
                f"{feature.number}({row},{numbers[code]})." for row, code in enumerate(codes, 1) if code < first
            )
        if feature.text:
            texts = {
                code: text(column.categories[code - first]) for code in set(codes) if first <= code < column.missing
            }
            yield from (f"{feature.text}({row},{texts[code]})." for row, code in enumerate(codes, 1) if code in texts)


def _label(label: Label | None, term: Callable[[Label], str]) -> str:
    if label is None:
        raise ProgramError("a rule of a program has a label")  # Program sees to it; this is for the type checker
    return term(label)
