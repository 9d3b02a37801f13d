"""A rule's proof as nested lines, for whoever draws a tree of them: checks, then exceptions with theirs."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from unless.explanation import sentences as plain
from unless.explanation.words import Words

if TYPE_CHECKING:
    from unless.explanation.proof import Check, RuleProof

__all__ = ["Line", "outline"]


class Line(NamedTuple):
    """A line and how deep it stands, from 1; ``holds`` is None of a line that is no check."""

    depth: int
    text: str
    holds: bool | None = None


def outline(proof: RuleProof, words: Words, depth: int = 1) -> tuple[Line, ...]:
    """A rule's checks, then its exceptions, each a level deeper. What would be said twice in a row of lines, is once.

    One frame per level: 200 levels stay within Python's limit.
    """
    checks = [_check(depth, check, words) for check in proof.checks] or [Line(depth, "always")]
    exceptions = []
    for inner in proof.exceptions:
        said = Line(depth, f"an exception {'applies' if inner.covers else 'does not apply'}")
        exceptions.append((said, *outline(inner, words, depth + 1)))
    return (*dict.fromkeys(checks), *chain.from_iterable(dict.fromkeys(exceptions)))


def _check(depth: int, check: Check, words: Words) -> Line:
    return Line(depth, plain.check(check, words), check.holds)
