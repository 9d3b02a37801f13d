"""Programs as the paper prints them, for reading.

Plain names (``surface_quality``) stay plain. Other names and all text values are in single quotes, and what cannot be
printed is escaped, so that a rule is always one line. A missing value is an absent fact: "f is missing" reads
``not f(X,_)``, "f is present" ``f(X,_)``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, suggest
from unless.export.clauses import Spelling, exclusive, flatten, ordered
from unless.rule import Literal, Program
from unless.values import Label

Style = OneOf["paper", "exclusive"]


def to_text(program: Program, style: Style = "paper", *, unary: Collection[str] = ()) -> str:
    """The program without nesting, one rule per line: top rules, then exceptions ``ab1``, ``ab2`` and so on.

    ``paper`` is ordered: the first rule that holds decides, and ``otherwise`` is a last rule that always holds.
    ``exclusive`` says the same without order: rule 3 holds where its body does and those of rules 1 and 2 do not, rule
    4 where its body does and rules 1 to 3 leave a record undecided.
    Features named in ``unary`` are predicates of background knowledge: ``mammal(X)`` rather than ``mammal(X,'yes')``.
    """
    writer = Writer({feature: index for index, feature in enumerate(program.features)}, frozenset(unary))
    return in_style(
        style,
        program,
        Spelling(
            label=lambda label: head_of(program.target, label),
            goals=writer.goals,
            rule=lambda number: f"{_name(f'{program.target}_{number}')}(X)",
        ),
    )


def in_style(style: Style, program: Program, spelling: Spelling) -> str:
    """The lines of a program in a style."""
    if style not in get_args(Style):
        raise ParameterError(f"no style {style!r}{suggest(str(style), get_args(Style))}")
    form = ordered if style == "paper" else exclusive
    return "\n".join(map(str, form(flatten(program), spelling)))


@dataclass(frozen=True, slots=True)
class Writer:
    """Spells literals: needs the position of every feature, and which of them are unary predicates."""

    place: dict[str, int]
    unary: frozenset[str]

    def goals(self, literal: Literal) -> list[str]:
        """The goals of a literal: one, or two where a number is compared."""
        name, variable = _name(literal.feature), f"N{self.place[literal.feature]}"
        if isinstance(literal.value, float):
            return [f"{name}(X,{variable})", f"{variable}{'>' if literal.op == '>' else '=<'}{literal.value!r}"]
        holds = "" if literal.op in {"==", "present"} else "not "
        if literal.feature in self.unary and literal.value in {"yes", None}:
            return [f"{holds}{name}(X)"]
        return [f"{holds}{name}(X,{'_' if literal.value is None else _quoted(literal.value)})"]


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
    """A predicate: plain if it starts with a small letter and has only letters, digits and ``_``, else quoted."""
    return name if name.isidentifier() and name[0].islower() and name != "not" else _quoted(name)


def _quoted(text: str) -> str:
    # repr() keeps a text on one line; the double quote in front makes it choose, and escape, single quotes.
    return "'" + repr('"' + text)[2:]
