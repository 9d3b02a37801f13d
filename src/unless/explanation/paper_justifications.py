"""Write the paper's two justifications of a decision: a proof tree, and the rules with the truth of every goal.

Both show only the deciding rule, in the flattened program of `export.clauses`, so that ``ab5`` here is ``ab5`` there.
Every literal of a shown rule is evaluated, even after one has failed. If a literal fails, the exceptions of that rule
are not evaluated: they are marked ``[U]``, for unnecessary, and not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from unless.explanation.words import printable
from unless.export.clauses import Body, LiteralWriter, flatten, write_head
from unless.rule import Literal, Operator
from unless.values import Value
from unless.values.notation import NotatedNumber

if TYPE_CHECKING:
    from unless.explanation.proof import Proof

_INDENT = "    "
_MARK = {True: "[T]", False: "[F]", None: "[U]"}
_DOES = {True: "DOES", False: "DOES NOT"}
_REQUIREMENTS: dict[Operator, str] = {
    "<=": "be less than or equal to",
    ">": "be greater than",
    "==": "equal",
    "!=": "not equal",
    "missing": "be missing",
    "present": "be present",
}
"""The words of the paper's proof trees for operators."""


def proof_tree_text(proof: Proof, number: int | None = None) -> str:
    """Write the paper's proof tree: what holds and why, with a branch for each exception."""
    title = "Proof Tree :" if number is None else f"Proof Tree for example number {number} :"
    target = printable(proof.program.target)
    if proof.label is None:
        return f"{title}\nthe value of {target} is not decided because no rule holds\n{{}}"
    head = f"the value of {target} is {printable(str(proof.label))} DOES HOLD"
    if proof.rule is None:
        return f"{title}\n{head} because no rule holds\n{{}}"
    flat = _EvaluatedProgram.of(proof)
    return "\n".join([title, *flat.branch_lines(head, flat.body), flat.used_values])


def marked_rules_text(proof: Proof) -> str:
    """Write the rules of the proof, exceptions first, with every goal marked ``[T]``, ``[F]`` or ``[U]``."""
    if proof.label is None:
        return "{}"
    head = f"[T]{write_head(proof.program.target, proof.label)}"
    if proof.rule is None:
        return f"{head}.\n{{}}"
    flat = _EvaluatedProgram.of(proof)
    lines = [
        flat.rule_line(f"{_MARK[flat.truth[n]]}ab{n}(X)", flat.exceptions[n - 1])
        for n in flat.shown_exceptions(flat.body)
    ]
    return "\n".join([*lines, flat.rule_line(head, flat.body), flat.used_values])


@dataclass(frozen=True)
class _EvaluatedProgram:
    """The flattened program applied to a record: the deciding rule's body, and the truth of every exception."""

    body: Body
    exceptions: tuple[Body, ...]
    values: Mapping[str, Value]
    writer: LiteralWriter

    @classmethod
    def of(cls, proof: Proof) -> _EvaluatedProgram:
        flat = flatten(proof.program)
        places = {feature: index for index, feature in enumerate(proof.program.features)}
        body = flat.rules[proof.decided or 0][1]
        return cls(body, flat.exceptions, proof.record, LiteralWriter(places, frozenset()))

    @cached_property
    def truth(self) -> dict[int, bool]:
        """Whether each exception holds. Inner exceptions have smaller numbers, so one pass is enough."""
        truth: dict[int, bool] = {}
        for number, body in enumerate(self.exceptions, 1):
            truth[number] = self.literals_hold(body) and not any(truth[inner] for inner in body.exceptions)
        return truth

    @property
    def used_values(self) -> str:
        """The features of the shown rules with the record's values, in the paper's set notation."""
        bodies = [self.body, *(self.exceptions[number - 1] for number in self.shown_exceptions(self.body))]
        values = {literal.feature: self.values[literal.feature] for body in bodies for literal in body.literals}
        shown = [f"{feature}: {'missing' if value is None else value}" for feature, value in values.items()]
        return "{" + ", ".join(map(repr, sorted(shown))) + "}"

    def literals_hold(self, body: Body) -> bool:
        return all(self.holds(literal) for literal in body.literals)

    def holds(self, literal: Literal) -> bool:
        return literal.holds(self.values[literal.feature])

    def evaluated_exceptions(self, body: Body) -> tuple[int, ...]:
        """Return the numbers of the exceptions that are evaluated for a body."""
        return body.exceptions if self.literals_hold(body) else ()

    def shown_exceptions(self, body: Body) -> list[int]:
        """Return the exceptions that are evaluated for a body, with their own exceptions, inner ones first."""
        numbers: list[int] = []
        for number in self.evaluated_exceptions(body):
            numbers += [*self.shown_exceptions(self.exceptions[number - 1]), number]
        return list(dict.fromkeys(numbers))

    def branch_lines(self, head: str, body: Body, depth: int = 0) -> list[str]:
        """Return the proof tree's lines for a head and its body."""
        because = " because" if body.literals or body.exceptions else ""
        lines = [f"{_INDENT * depth}{head}{because}"]
        lines += [f"{_INDENT * (depth + 1)}{self.literal_sentence(literal)}" for literal in body.literals]
        for number in self.evaluated_exceptions(body):  # one frame per level: 200 levels stay within Python's limit
            inner = f"exception ab{number} {_DOES[self.truth[number]]} HOLD"
            lines += self.branch_lines(inner, self.exceptions[number - 1], depth + 1)
        return lines

    def literal_sentence(self, literal: Literal) -> str:
        value = self.values[literal.feature]
        has = f"the value of {printable(literal.feature)} is {'missing' if value is None else _value_text(value)}"
        bound = "" if literal.value is None else f" {_value_text(literal.value)}"
        return f"{has} which should {_REQUIREMENTS[literal.op]}{bound} ({_DOES[self.holds(literal)]} HOLD)"

    def rule_line(self, head: str, body: Body) -> str:
        """Write a rule with its goals marked."""
        goals = [goal for literal in body.literals for goal in self.marked_goals(literal)]
        evaluated = self.literals_hold(body)
        goals += [f"not {_MARK[self.truth[n] if evaluated else None]}ab{n}(X)" for n in body.exceptions]
        return f"{head} :- {', '.join(dict.fromkeys(goals))}." if goals else f"{head}."

    def marked_goals(self, literal: Literal) -> Iterator[str]:
        """Yield the goals of a literal. A mark is the truth of the atom after it, even behind a "not"."""
        value, true = self.values[literal.feature], self.holds(literal)
        first, *bounds = self.writer.goals(literal)
        if bounds:
            yield f"{_MARK[value is not None]}{first}"
            yield f"{_MARK[true]}{bounds[0]}"
        elif first.startswith("not "):
            yield f"not {_MARK[not true]}{first.removeprefix('not ')}"
        else:
            yield f"{_MARK[true]}{first}"


def _value_text(value: Value) -> str:
    """Write a value as Python prints it; a level of an order is escaped if it would not stay on its line."""
    return printable(str(value)) if isinstance(value, NotatedNumber) else repr(value)
