"""Programs as the paper prints them.

Two steps: `flatten` turns nested exceptions into numbered ones, `to_text` spells the result. Other exports, and the
number of rules in the paper's tables, start from `flatten` too.

The text is for reading. Names that are plain (``surface_quality``) stay plain, other names and all text values stand
in single quotes with what cannot be printed escaped, so that a rule is always one line. A value that is missing is an
absent fact: "f is missing" reads ``not f(X,_)``, "f is present" ``f(X,_)``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, suggest
from unless.export.clauses import exclusion
from unless.rule import Literal, Operator, Program, Rule
from unless.values import Label

__all__ = ["Body", "Flat", "Style", "Writer", "flatten", "head_of", "to_text"]

Style = OneOf["paper", "exclusive"]


@dataclass(frozen=True, slots=True)
class Body:
    """What must hold: every literal, and none of the numbered exceptions.

    Category literals come as learned, then numeric ones by feature: the highest ``>``, the lowest ``<=``.
    """

    literals: tuple[Literal, ...]
    exceptions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Flat:
    """A program without nesting: ``rules`` in order, each a label and its body; ``exceptions[n - 1]`` is ``abn``.

    Its length is the number of rules that the paper reports: every rule and every exception, ``otherwise`` not counted.
    """

    program: Program
    rules: tuple[tuple[Label, Body], ...]
    exceptions: tuple[Body, ...]

    def __len__(self) -> int:
        return len(self.rules) + len(self.exceptions)


def flatten(program: Program) -> Flat:
    """Number the exceptions: those of a rule before those of the next, inner before outer, equal bodies only once."""
    place = {feature: index for index, feature in enumerate(program.features)}
    numbers: dict[Body, int] = {}

    def body(rule: Rule) -> Body:
        found = []
        for exception in rule.exceptions:
            inner = body(exception)
            found.append(numbers.setdefault(inner, len(numbers) + 1))
        return Body(_merged(rule.default, place), tuple(dict.fromkeys(found)))

    rules = tuple((rule.head, body(rule)) for rule in program.rules if rule.head is not None)
    return Flat(program, rules, tuple(numbers))


def to_text(program: Program, style: Style = "paper", *, unary: Collection[str] = ()) -> str:
    """The flattened program, one rule per line: top rules, then ``ab1``, ``ab2`` and so on.

    ``paper`` is ordered: the first rule that holds decides, and ``otherwise`` is a last rule that always holds.
    ``exclusive`` says the same without order: rule 3 holds where its body does and those of rules 1 and 2 do not, rule
    4 where it does and rules 1 to 3 leave a record undecided.
    Features named in ``unary`` are predicates of background knowledge: ``mammal(X)`` rather than ``mammal(X,'yes')``.
    """
    if style not in get_args(Style):
        raise ParameterError(f"no style {style!r}{suggest(str(style), get_args(Style))}")
    flat = flatten(program)
    writer = Writer({feature: index for index, feature in enumerate(program.features)}, frozenset(unary))
    top = _paper(flat, writer) if style == "paper" else _exclusive(flat, writer)
    exceptions = (_line(f"ab{number}(X)", writer.body(body)) for number, body in enumerate(flat.exceptions, 1))
    return "\n".join([*top, *exceptions])


def _merged(default: tuple[Literal, ...], place: dict[str, int]) -> tuple[Literal, ...]:
    """The literals in the order of printing, numeric bounds merged to the tightest per feature."""
    categories = [literal for literal in default if not isinstance(literal.value, float)]
    tightest: dict[tuple[str, Operator], float] = {}
    for literal in default:
        if isinstance(value := literal.value, float):
            key, tighter = (literal.feature, literal.op), min if literal.op == "<=" else max
            tightest[key] = tighter(value, tightest.get(key, value))
    order = sorted(tightest, key=lambda key: (place[key[0]], key[1] == "<="))
    return (*categories, *(Literal(feature, op, tightest[feature, op]) for feature, op in order))


def _paper(flat: Flat, writer: Writer) -> Iterator[str]:
    target = flat.program.target
    for label, body in flat.rules:
        yield _line(head_of(target, label), writer.body(body))
    if flat.program.otherwise is not None:
        yield _line(head_of(target, flat.program.otherwise), [])


def _exclusive(flat: Flat, writer: Writer) -> Iterator[str]:
    target, otherwise = flat.program.target, flat.program.otherwise
    names = [f"{_name(f'{target}_{number}')}(X)" for number in range(1, len(flat.rules) + 1)]
    goals, links = exclusion(names, (), rest=otherwise is not None)
    for name, (label, _), earlier in zip(names, flat.rules, goals, strict=False):
        yield _line(head_of(target, label), [name, *earlier])
    if otherwise is not None:
        yield _line(head_of(target, otherwise), goals[-1])
    yield from (_line(*link) for link in links)
    for name, (_, body) in zip(names, flat.rules, strict=True):
        yield _line(name, writer.body(body))


@dataclass(frozen=True, slots=True)
class Writer:
    """Spells bodies: needs the position of every feature, and which of them are unary predicates."""

    place: dict[str, int]
    unary: frozenset[str]

    def body(self, body: Body) -> list[str]:
        """The goals of a body."""
        goals: list[str] = []
        for literal in body.literals:
            goals += [goal for goal in self.goals(literal) if goal not in goals]
        return [*goals, *(f"not ab{number}(X)" for number in body.exceptions)]

    def goals(self, literal: Literal) -> list[str]:
        """The goals that a literal takes: one, or two where a number is compared."""
        name, variable = _name(literal.feature), f"N{self.place[literal.feature]}"
        if isinstance(literal.value, float):
            return [f"{name}(X,{variable})", f"{variable}{'>' if literal.op == '>' else '=<'}{literal.value!r}"]
        holds = "" if literal.op in {"==", "present"} else "not "
        if literal.feature in self.unary and literal.value in {"yes", None}:
            return [f"{holds}{name}(X)"]
        return [f"{holds}{name}(X,{'_' if literal.value is None else _quoted(literal.value)})"]


def _line(head: str, goals: Sequence[str]) -> str:
    return f"{head} :- {', '.join(goals)}." if goals else f"{head}."


def head_of(target: str, label: Label) -> str:
    """The head of a rule: a text label in quotes, a number without, a boolean ``true`` or ``false``."""
    match label:
        case str():
            spelled = _quoted(label)
        case bool():
            spelled = str(label).lower()
        case _:
            spelled = repr(label)
    return f"{_name(target)}(X,{spelled})"


def _name(name: str) -> str:
    """A predicate: plain where it starts with a small letter and has only letters, digits and ``_``, else quoted."""
    return name if name.isidentifier() and name[0].islower() and name != "not" else _quoted(name)


def _quoted(text: str) -> str:
    # repr() keeps a text on one line; the double quote in front makes it choose, and escape, single quotes.
    return "'" + repr('"' + text)[2:]
