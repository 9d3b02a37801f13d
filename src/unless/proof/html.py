"""Proofs as a piece of HTML for notebooks and pages, by templates that escape: data is shown, never obeyed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from unless.markup import asset, available, fill
from unless.proof import plain
from unless.proof.story import stopped
from unless.proof.words import Words

if TYPE_CHECKING:
    from unless.proof.tree import Check, Proof, RuleProof

__all__ = ["available", "list_html", "proof_html"]


class _Line(NamedTuple):
    """A line of a nested list; a check has a sign, and ``kind`` says what it means."""

    depth: int
    text: str
    sign: str = ""
    kind: str = ""


def proof_html(proof: Proof, words: Words) -> str:
    """The decision, the checks of the deciding rule with its exceptions, and, folded, the rules that did not apply."""
    number = "no rule applies" if proof.decided is None else f"rule {proof.decided + 1}"
    lines = [] if proof.rule is None else list(_lines(proof.rule, words))
    others = [(place, stopped(tried, words)) for place, tried in enumerate(proof.tried, 1) if not tried.covers]
    return _filled(plain.decision(proof, words), number, lines, others)


def list_html(title: str, lines: list[str]) -> str | None:
    """A title and lines of plain text, in the same frame; None where there are no templates."""
    return _filled(title, "", [_Line(1, line) for line in lines], []) if available() else None


def _filled(title: str, number: str, lines: list[_Line], others: list[tuple[int, str]]) -> str:
    style = asset("notebook.css")
    return fill("proof.html.j2", style=style, title=title, number=number, lines=lines, others=others)


def _lines(rule: RuleProof, words: Words) -> Iterator[_Line]:
    """A rule's checks, then its exceptions, each a level deeper."""
    stack: list[tuple[int, RuleProof, str]] = [(1, rule, "")]
    while stack:
        depth, proof, state = stack.pop()
        if state:
            yield _Line(depth - 1, state)
        yield from (_check(depth, check, words) for check in proof.checks)
        if not proof.checks:
            yield _Line(depth, "always")
        for inner in reversed(proof.exceptions):
            said = "applies" if inner.covers else "does not apply"
            stack.append((depth + 1, inner, f"an exception {said}"))


def _check(depth: int, check: Check, words: Words) -> _Line:
    sign, kind = ("✓", "holds") if check.holds else ("✗", "fails")
    return _Line(depth, plain.check(check, words), sign, kind)
