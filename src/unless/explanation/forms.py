"""Proofs as HTML for pages and notebooks. Templates escape what they are given: data is shown, never obeyed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from unless.errors import UnlessError
from unless.explanation.sentences import Node, decision, fitting, outline, rule_name, stopped
from unless.explanation.words import Words
from unless.values import amount, counted, percent, share_text

if TYPE_CHECKING:
    from jinja2 import Environment

    from unless.explanation.proof import Proof


def proof_html(proof: Proof, words: Words) -> str:
    """The decision, the checks of the deciding rule with its exceptions, and, folded, the rules that did not apply."""
    words = fitting(words, proof.every_check())
    nodes = () if proof.rule is None else outline(proof.rule, words)
    others = [(place, stopped(tried, words)) for place, tried in enumerate(proof.tried, 1) if not tried.covers]
    return _framed(decision(proof, words), nodes, rule_name(proof.decided), others)


def list_html(title: str, lines: Sequence[str]) -> str | None:
    """A title and lines of plain text, in the same frame; None without jinja2."""
    return _framed(title, [Node(1, line) for line in lines]) if available() else None


def _framed(title: str, nodes: Sequence[Node], rule: str = "", others: Sequence[tuple[int, str]] = ()) -> str:
    return fill("proof.html.j2", title=title, rule=rule, nodes=nodes, others=others)


def available() -> bool:
    """Whether jinja2 is installed; without it a notebook shows text."""
    return find_spec("jinja2") is not None


def fill(template: str, *, package: str = "unless.explanation", **context: object) -> str:
    """Fill in a template of a package, which may include those of the explanations.

    Without jinja2 this is an error that says how to get it.
    """
    return _environment(package).get_template(template).render(context)


@cache
def _environment(package: str) -> Environment:
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # an extra
    except ImportError as error:
        raise UnlessError('this needs jinja2, which is not installed; pip install "unless[report]"') from error
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("unless.explanation")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=amount, percent=_percent, measure=share_text, plural=counted)
    return made


def _percent(share: float) -> str:
    """A share in per cent; no line breaks between number and sign."""
    return percent(share).replace(" ", "\u00a0")
