"""Write a program as clauses with numbered exceptions; rules are read in order, or exclude each other.

All clause forms of a program start here: the paper's (`to_text`) and those for logic engines (`unless.logic`). So does
the number of rules in the paper's tables. `flatten` numbers the exceptions; `write_ordered` and `write_exclusive` then
make clauses, in the syntax of a `Spelling`. In the exclusive form a rule holds only if no earlier rule does:

    class(X,"3") :- rule3(X), not rule2(X), not rule1(X).
    class(X,"4") :- rule4(X), undecided3(X).
    class(X,"5") :- rule5(X), not rule4(X), undecided3(X).
    undecided3(X) :- record(X), not rule1(X), not rule2(X), not rule3(X).
    undecided5(X) :- undecided3(X), not rule4(X), not rule5(X).

The paper repeats all earlier rules in the clause of each rule. We do that for the first three rules only, because
2,000 rules would take 32 MB. After that, an atom stands for the records that earlier rules leave undecided.

In the paper's text, plain names (``surface_quality``) stay plain. Other names and all text values are in single quotes,
with unprintable characters escaped, so that a rule is always one line. A missing value is an absent fact: "f is
missing" reads ``not f(X,_)``, "f is present" ``f(X,_)``. Dates, times, durations and levels of an order are compared by
their meaning, in quotes: ``when(X,N3), N3>'2020-08-01'`` and ``size(X,N4), N4=<'M'``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, suggest
from unless.export.conditions import list_of
from unless.model import Model
from unless.rule import Literal, Operator, Program, Rule
from unless.values import Label
from unless.values.notation import NotatedNumber

Style = OneOf["paper", "exclusive"]

_MOST = 2
"""The number of earlier rules that the clause of a rule names."""


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a clause: all its literals must hold, and none of the numbered exceptions."""

    literals: tuple[Literal, ...]
    exceptions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Flat:
    """A program without nesting: ``rules`` in order, each a label and its body; ``exceptions[n - 1]`` is ``abn``.

    The length is the number of rules that the paper reports: every rule and every exception, but not ``otherwise``.
    """

    program: Program
    rules: tuple[tuple[Label, Body], ...]
    exceptions: tuple[Body, ...]

    def __len__(self) -> int:
        return len(self.rules) + len(self.exceptions)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its head, its goals, and the literals that the goals express."""

    head: str
    goals: tuple[str, ...] = ()
    literals: tuple[Literal, ...] = ()

    def __str__(self) -> str:
        return f"{self.head} :- {', '.join(self.goals)}." if self.goals else f"{self.head}."


@dataclass(frozen=True, slots=True)
class Spelling:
    """The syntax of the parts of a program in one language.

    ``label`` writes the head of a rule for a label, ``goals`` a literal (its test last, after the goals that bind its
    variable), ``rule`` the head of a numbered rule. ``record`` are goals that make a purely negative body safe.
    """

    label: Callable[[Label], str]
    goals: Callable[[Literal], list[str]]
    rule: Callable[[int], str] = "rule{}(X)".format
    exception: str = "ab"
    undecided: str = "undecided"
    record: tuple[str, ...] = ()


def flatten(program: Program, *, exact: bool = False) -> Flat:
    """Number the exceptions: rule by rule, inner before outer, equal bodies only once.

    As in the paper, a body keeps only the tightest bounds of a feature and drops repetitions: first the categories as
    learned, then the bounds by feature, ``>`` before ``<=``. With ``exact`` the body is unchanged, so that the program
    can be read back.
    """
    place = {feature: index for index, feature in enumerate(program.features)}
    numbers: dict[Body, int] = {}

    def body(rule: Rule) -> Body:
        found = []  # a loop: one frame per level keeps 200 nested exceptions within Python's limit
        for exception in rule.exceptions:
            inner = body(exception)
            found.append(numbers.setdefault(inner, len(numbers) + 1))
        if exact:
            return Body(rule.default, tuple(found))
        return Body(_keep_tightest_bounds(rule.default, place), tuple(dict.fromkeys(found)))

    rules = tuple((rule.head, body(rule)) for rule in program.rules if rule.head is not None)
    return Flat(program, rules, tuple(numbers))


def write_ordered(flat: Flat, spelling: Spelling) -> Iterator[Clause]:
    """Write the clauses of a program read in order: rules, then an unconditional ``otherwise``, then exceptions."""
    for label, body in flat.rules:
        yield _make_clause(spelling.label(label), body, spelling)
    if flat.program.otherwise is not None:
        yield Clause(spelling.label(flat.program.otherwise))
    yield from _exception_clauses(flat, spelling)


def write_exclusive(flat: Flat, spelling: Spelling) -> Iterator[Clause]:
    """Write the clauses of a program without order: labels, undecided records, rules, exceptions."""
    rules = [spelling.rule(number) for number in range(1, len(flat.rules) + 1)]
    otherwise = flat.program.otherwise
    earlier, links = _exclude_earlier_rules(rules, spelling.record, spelling.undecided, rest=otherwise is not None)
    for rule, (label, _), excluded in zip(rules, flat.rules, earlier, strict=False):
        yield Clause(spelling.label(label), (rule, *excluded))
    if otherwise is not None:
        yield Clause(spelling.label(otherwise), (*spelling.record, *earlier[-1]))
    yield from links
    for rule, (_, body) in zip(rules, flat.rules, strict=True):
        yield _make_clause(rule, body, spelling)
    yield from _exception_clauses(flat, spelling)


def _exception_clauses(flat: Flat, spelling: Spelling) -> Iterator[Clause]:
    for number, body in enumerate(flat.exceptions, 1):
        yield _make_clause(f"{spelling.exception}{number}(X)", body, spelling)


def _make_clause(head: str, body: Body, spelling: Spelling) -> Clause:
    goals = [*spelling.record]
    for literal in body.literals:
        *binding, test = spelling.goals(literal)
        goals += [goal for goal in binding if goal not in goals] + [test]
    goals += [f"not {spelling.exception}{number}(X)" for number in body.exceptions]
    return Clause(head, tuple(goals), body.literals)


def _exclude_earlier_rules(
    rules: Sequence[str], record: tuple[str, ...], undecided: str, *, rest: bool
) -> tuple[list[tuple[str, ...]], list[Clause]]:
    """Write the goals by which each rule, given by its head, excludes earlier rules, and the clauses that define them.

    With ``rest`` the last goals are for records that no rule covers.

    >>> goals, links = _exclude_earlier_rules(["r1(X)", "r2(X)", "r3(X)"], (), "undecided", rest=True)
    >>> goals
    [(), ('not r1(X)',), ('not r2(X)', 'not r1(X)'), ('undecided3(X)',)]
    >>> print(*links)
    undecided3(X) :- not r1(X), not r2(X), not r3(X).
    """
    goals: list[tuple[str, ...]] = []
    links: list[Clause] = []
    earlier: tuple[str, ...] = ()
    for number, rule in enumerate((*rules, "") if rest else rules):
        if len(earlier) > _MOST:
            links.append(Clause(f"{undecided}{number}(X)", earlier if links else (*record, *earlier)))
            earlier = (links[-1].head,)
        goals.append(earlier[::-1])
        earlier = (*earlier, f"not {rule}")
    return goals, links


def _keep_tightest_bounds(default: tuple[Literal, ...], place: dict[str, int]) -> tuple[Literal, ...]:
    """Sort the literals for printing, each once, with only the tightest bounds of a feature."""
    categories = dict.fromkeys(literal for literal in default if not isinstance(literal.value, float))
    tightest: dict[tuple[str, Operator], float] = {}
    for literal in default:
        if isinstance(value := literal.value, float):
            key, tighter = (literal.feature, literal.op), min if literal.op == "<=" else max
            tightest[key] = tighter(value, tightest.get(key, value))
    order = sorted(tightest, key=lambda key: (place[key[0]], key[1] == "<="))
    return (*categories, *(Literal(feature, op, tightest[feature, op]) for feature, op in order))


# The paper's text.


def to_text(model: Program | Model, style: Style = "paper", *, unary: Collection[str] = ()) -> str:
    """Write the rules of a program or a model without nesting: one rule per line, then exceptions ``ab1``, ``ab2``, ….

    ``paper`` is ordered: the first rule that holds decides, and ``otherwise`` is a last rule that always holds.
    ``exclusive`` means the same without order: rule 3 holds if its body does and those of rules 1 and 2 do not, rule 4
    if its body does and rules 1 to 3 leave a record undecided.
    Features named in ``unary`` are predicates of background knowledge: ``mammal(X)`` rather than ``mammal(X,'yes')``.
    """
    program = list_of(model, "text")
    writer = LiteralWriter({feature: index for index, feature in enumerate(program.features)}, frozenset(unary))
    spelling = Spelling(
        label=lambda label: write_head(program.target, label),
        goals=writer.goals,
        rule=lambda number: f"{_predicate_name(f'{program.target}_{number}')}(X)",
    )
    return write_in_style(style, program, spelling)


def write_in_style(style: Style, program: Program, spelling: Spelling) -> str:
    """Write the lines of a program in a style."""
    if style not in get_args(Style):
        raise ParameterError(f"no style {style!r}{suggest(str(style), get_args(Style))}")
    form = write_ordered if style == "paper" else write_exclusive
    return "\n".join(map(str, form(flatten(program), spelling)))


@dataclass(frozen=True, slots=True)
class LiteralWriter:
    """Writes literals as goals, given the position of every feature and the names of unary predicates."""

    place: dict[str, int]
    unary: frozenset[str]

    def goals(self, literal: Literal) -> list[str]:
        """Write the goals of a literal: one, or two if a number is compared."""
        name, variable = _predicate_name(literal.feature), f"N{self.place[literal.feature]}"
        if isinstance(literal.value, float):
            return [f"{name}(X,{variable})", f"{variable}{'>' if literal.op == '>' else '=<'}{_numeral(literal.value)}"]
        holds = "" if literal.op in {"==", "present"} else "not "
        if literal.feature in self.unary and literal.value in {"yes", None}:
            return [f"{holds}{name}(X)"]
        return [f"{holds}{name}(X,{'_' if literal.value is None else _quote(literal.value)})"]


def _numeral(value: float) -> str:
    """Write a number as Python does; a value that is not written as a number is in quotes."""
    return _quote(str(value)) if isinstance(value, NotatedNumber) and not value.notation.plain else repr(value)


def write_head(target: str, label: Label) -> str:
    """Write the head of a rule: a text label in quotes, a number without, a boolean ``true`` or ``false``."""
    match label:
        case str():
            spelled = _quote(label)
        case bool():
            spelled = str(label).lower()
        case _:
            spelled = repr(label)
    return f"{_predicate_name(target)}(X,{spelled})"


def _predicate_name(name: str) -> str:
    """Write a predicate: plain if it is a small letter followed by letters, digits and ``_``, otherwise quoted."""
    return name if name.isidentifier() and name[0].islower() and name != "not" else _quote(name)


def _quote(text: str) -> str:
    # repr() keeps a text on one line; the double quote in front makes it choose, and escape, single quotes.
    return "'" + repr('"' + text)[2:]
