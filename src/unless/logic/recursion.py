"""Detect targets between two individuals that only a recursive rule can define."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unless.errors import ReadError
from unless.logic.argument_types import TypedArguments
from unless.logic.background_checks import Signature, shown
from unless.logic.example_text import POSITIVE, Examples, Row

_LONG = 3
"""The number of facts in a chain that is too long for rules to follow."""


def refuse_recursion(
    examples: Examples, facts: Mapping[Signature, Iterable[Row]], typed: TypedArguments, origin: str
) -> None:
    """Reject targets for which all positive pairs and no negative pair are the ends of chains of facts, long ones too.

    ``ancestor`` is such a relation: chains of ``father`` and ``mother`` lead from one person to the other.
    """
    if examples.labelled or len(typed.root) != 2 or typed.root[0] != typed.root[1]:
        return
    kind = typed.root[0]
    links = sorted(one for one in facts if one[1] == 2 and typed.types[one, 0] == typed.types[one, 1] == kind)
    steps: dict[str, set[str]] = {}
    for signature in links:
        for start, end in facts[signature]:
            steps.setdefault(start, set()).add(end)
    pairs = list(zip(examples.individuals, examples.labels, strict=True))
    lengths = [_steps_between(steps, *one) for one, label in pairs if label == POSITIVE]
    others = [_steps_between(steps, *one) for one, label in pairs if label != POSITIVE]
    if lengths and None not in lengths and max(one or 0 for one in lengths) >= _LONG and not any(others):
        chain = " and ".join(map(shown, links))
        first = links[0][0]
        raise ReadError(
            f"{origin}: {examples.target} seems to be recursive: chains of {chain} lead from the first to the "
            f"second of every positive pair, and rules do not call themselves; write what is "
            f"reached as rules of B, such as reaches(X,Y) :- {first}(X,Y). reaches(X,Y) :- {first}(X,Z), reaches(Z,Y)."
        )


def _steps_between(steps: Mapping[str, set[str]], start: str, end: str) -> int | None:
    """Count the facts in the shortest chain from one entity to another; None if no chain leads there."""
    seen, border, length = {start}, {start}, 0
    while border:
        length += 1
        border = {other for one in border for other in steps.get(one, ())}
        if end in border:
            return length
        border -= seen
        seen |= border
    return None
