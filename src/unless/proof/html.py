"""Proofs as a piece of HTML for notebooks and pages. Every text passes `html.escape`: data is shown, never obeyed."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from unless.proof import plain
from unless.proof.story import stopped
from unless.proof.words import Words

if TYPE_CHECKING:
    from unless.proof.tree import Check, Proof, RuleProof

__all__ = ["list_html", "proof_html"]

_STYLE = (
    ".unless-proof{font:14px/1.5 system-ui,sans-serif;max-width:60em}"
    ".unless-proof ul{margin:.1em 0;padding-left:1.4em;list-style:none}"
    ".unless-proof summary{cursor:pointer}"
    ".unless-proof .no{opacity:.7}"
)


def proof_html(proof: Proof, words: Words) -> str:
    """The decision, the checks of the deciding rule with its exceptions, and, folded, the rules that did not apply."""
    number = "no rule applies" if proof.decided is None else f"rule {proof.decided + 1}"
    head = f"<div><b>{escape(plain.decision(proof, words))}</b> ({number})</div>"
    body = "" if proof.rule is None else f"<ul>{''.join(_body(proof.rule, words))}</ul>"
    return _framed(head + body + _others(proof, words))


def list_html(title: str, lines: list[str]) -> str:
    """A title and lines of plain text, in the same frame."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return _framed(f"<div><b>{escape(title)}</b></div><ul>{items}</ul>")


def _framed(content: str) -> str:
    return f'<div class="unless-proof"><style>{_STYLE}</style>{content}</div>'


def _others(proof: Proof, words: Words) -> str:
    stops = [(place, tried) for place, tried in enumerate(proof.tried, 1) if not tried.covers]
    if not stops:
        return ""
    items = "".join(f'<li class="no">rule {place}: {escape(stopped(tried, words))}</li>' for place, tried in stops)
    count = "1 earlier rule does" if len(stops) == 1 else f"{len(stops)} earlier rules do"
    return f"<details><summary>{count} not apply</summary><ul>{items}</ul></details>"


def _body(rule: RuleProof, words: Words) -> list[str]:
    items = [_check(check, words) for check in rule.checks] or ["<li>always</li>"]
    for exception in rule.exceptions:  # one frame per level: 200 levels stay within Python's limit
        state = "applies" if exception.covers else "does not apply"
        inner = "".join(_body(exception, words))
        items.append(f"<li><details open><summary>an exception {state}</summary><ul>{inner}</ul></details></li>")
    return items


def _check(check: Check, words: Words) -> str:
    sign, kind, said = ("✓", "yes", "holds") if check.holds else ("✗", "no", "fails")
    text = escape(plain.check(check, words))
    return f'<li class="{kind}"><span role="img" aria-label="{said}">{sign}</span> {text}</li>'
