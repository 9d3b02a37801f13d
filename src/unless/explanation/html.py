"""Proofs as a piece of HTML for notebooks and pages, by templates that escape: data is shown, never obeyed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unless.explanation import sentences as plain
from unless.explanation.markup import available, fill
from unless.explanation.outline import Line, outline
from unless.explanation.story import stopped
from unless.explanation.words import Words

if TYPE_CHECKING:
    from unless.explanation.proof import Proof

__all__ = ["available", "list_html", "proof_html"]


def proof_html(proof: Proof, words: Words) -> str:
    """The decision, the checks of the deciding rule with its exceptions, and, folded, the rules that did not apply."""
    number = "no rule applies" if proof.decided is None else f"rule {proof.decided + 1}"
    lines = () if proof.rule is None else outline(proof.rule, words)
    others = [(place, stopped(tried, words)) for place, tried in enumerate(proof.tried, 1) if not tried.covers]
    return _filled(plain.decision(proof, words), number, lines, others)


def list_html(title: str, lines: list[str]) -> str | None:
    """A title and lines of plain text, in the same frame; None where there are no templates."""
    return _filled(title, "", [Line(1, line) for line in lines], []) if available() else None


def _filled(title: str, number: str, lines: Sequence[Line], others: list[tuple[int, str]]) -> str:
    return fill("proof.html.j2", title=title, number=number, lines=lines, others=others)
