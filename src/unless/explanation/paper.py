"""The paper's two justifications of a decision: a proof tree, and the rules of the proof with the truth of every goal.

Both show the deciding rule only, in the flattened program of `export.text`, so that ``ab5`` here is ``ab5`` there.
Every literal of a shown rule is evaluated, even after one has failed; the exceptions of a rule whose literals fail are
not: they are marked ``[U]``, for unnecessary, and not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from unless.explanation.words import printable
from unless.export.text import Body, Writer, flatten, head_of
from unless.rule import Literal
from unless.values import Value

if TYPE_CHECKING:
    from unless.explanation.proof import Proof

__all__ = ["rules", "tree"]

_INDENT = "    "


def tree(proof: Proof, number: int | None = None) -> str:
    """The proof tree: what holds and why, an exception per branch."""
    title = "Proof Tree :" if number is None else f"Proof Tree for example number {number} :"
    target = printable(proof.program.target)
    if proof.label is None:
        return f"{title}\nthe value of {target} is not decided because no rule holds\n{{}}"
    head = f"the value of {target} is {printable(str(proof.label))} DOES HOLD"
    if proof.rule is None:
        return f"{title}\n{head} because no rule holds\n{{}}"
    flat = _Evaluated.of(proof)
    body = flat.body
    because = " because" if body.literals or body.exceptions else ""
    lines = [title, head + because, *flat.branch(body, 1), flat.used]
    return "\n".join(lines)


def rules(proof: Proof) -> str:
    """The rules of the proof, exceptions before their rule, every goal marked ``[T]``, ``[F]`` or ``[U]``."""
    if proof.label is None:
        return "{}"
    head = f"[T]{head_of(proof.program.target, proof.label)}"
    if proof.rule is None:
        return f"{head}.\n{{}}"
    flat = _Evaluated.of(proof)
    numbers = dict.fromkeys(flat.shown(flat.body))
    lines = [flat.line(f"{_mark(flat.truth[n])}ab{n}(X)", flat.exceptions[n - 1]) for n in numbers]
    return "\n".join([*lines, flat.line(head, flat.body), flat.used])


@dataclass(frozen=True)
class _Evaluated:
    """The flattened program on a record: the deciding rule's body, and the truth of every exception."""

    body: Body
    exceptions: tuple[Body, ...]
    values: Mapping[str, Value]
    writer: Writer

    @classmethod
    def of(cls, proof: Proof) -> _Evaluated:
        flat = flatten(proof.program)
        places = {feature: index for index, feature in enumerate(proof.program.features)}
        body = flat.rules[proof.decided or 0][1]
        return cls(body, flat.exceptions, proof.record, Writer(places, frozenset()))

    @cached_property
    def truth(self) -> dict[int, bool]:
        """Whether each exception holds; those inside another have smaller numbers, so one pass is enough."""
        truth: dict[int, bool] = {}
        for number, body in enumerate(self.exceptions, 1):
            truth[number] = self.literals_hold(body) and not any(truth[inner] for inner in body.exceptions)
        return truth

    @property
    def used(self) -> str:
        """The features of the shown rules and the record's values, as the paper prints a set."""
        bodies = [self.body, *(self.exceptions[number - 1] for number in self.shown(self.body))]
        features = {literal.feature for body in bodies for literal in body.literals}
        shown = sorted(f"{feature}: {_bare(self.values[feature])}" for feature in features)
        return "{" + ", ".join(map(repr, shown)) + "}"

    def literals_hold(self, body: Body) -> bool:
        return all(self.holds(literal) for literal in body.literals)

    def holds(self, literal: Literal) -> bool:
        return literal.holds(self.values[literal.feature])

    def shown(self, body: Body) -> list[int]:
        """The exceptions that are evaluated for a body, inner ones first."""
        numbers: list[int] = []
        for number in body.exceptions if self.literals_hold(body) else ():
            numbers += self.shown(self.exceptions[number - 1])
            numbers.append(number)
        return numbers

    def branch(self, body: Body, depth: int) -> list[str]:
        """The lines of a body in the tree."""
        indent = _INDENT * depth
        lines = [f"{indent}{self.sentence(literal)}" for literal in body.literals]
        for number in body.exceptions if self.literals_hold(body) else ():
            inner = self.exceptions[number - 1]
            because = " because" if inner.literals or inner.exceptions else ""
            lines.append(f"{indent}exception ab{number} {_does(self.truth[number])} HOLD{because}")
            lines += self.branch(inner, depth + 1)
        return lines

    def sentence(self, literal: Literal) -> str:
        value = self.values[literal.feature]
        has = f"the value of {printable(literal.feature)} is {'missing' if value is None else repr(value)}"
        return f"{has} which should {_asked(literal)} ({_does(self.holds(literal))} HOLD)"

    def line(self, head: str, body: Body) -> str:
        """A rule with its goals marked."""
        goals = [goal for literal in body.literals for goal in self.goals(literal)]
        evaluated = self.literals_hold(body)
        goals += [f"not {_mark(self.truth[n] if evaluated else None)}ab{n}(X)" for n in body.exceptions]
        return f"{head} :- {', '.join(dict.fromkeys(goals))}." if goals else f"{head}."

    def goals(self, literal: Literal) -> Iterator[str]:
        """The goals of a literal; a mark tells the truth of the atom behind it, "not" or not."""
        value, true = self.values[literal.feature], self.holds(literal)
        first, *bounds = self.writer.goals(literal)
        if bounds:
            yield f"{_mark(value is not None)}{first}"
            yield f"{_mark(true)}{bounds[0]}"
        elif first.startswith("not "):
            yield f"not {_mark(not true)}{first.removeprefix('not ')}"
        else:
            yield f"{_mark(true)}{first}"


def _mark(truth: bool | None) -> str:  # noqa: FBT001 - three values
    return "[U]" if truth is None else "[T]" if truth else "[F]"


def _does(truth: bool) -> str:  # noqa: FBT001
    return "DOES" if truth else "DOES NOT"


def _asked(literal: Literal) -> str:
    match literal.op:
        case "<=":
            return f"be less than or equal to {literal.value!r}"
        case ">":
            return f"be greater than {literal.value!r}"
        case "==":
            return f"equal {literal.value!r}"
        case "!=":
            return f"not equal {literal.value!r}"
        case "missing":
            return "be missing"
        case "present":
            return "be present"


def _bare(value: Value) -> str:
    return "missing" if value is None else str(value)
