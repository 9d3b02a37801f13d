"""A program in a notebook: its rules as collapsible HTML, with what they decide. Everything is escaped."""

from __future__ import annotations

from html import escape
from math import isnan

from unless.measure import Statistics
from unless.rule import Literal, Program, Rule

__all__ = ["model_html", "rules_html"]

_STYLE = """
.unless{font:14px/1.5 system-ui,sans-serif;max-width:60em}
.unless ol{margin:.3em 0;padding-left:2em}.unless li{margin:.2em 0}
.unless summary{cursor:pointer}.unless b{font-weight:600}
.unless .n{opacity:.65;font-size:.9em;font-variant-numeric:tabular-nums;white-space:nowrap}
.unless ul{margin:.1em 0;padding-left:1.6em;list-style:none}
""".replace("\n", "")

_SIGNS = {"<=": "≤", ">": ">", "==": "is", "!=": "is not", "missing": "is missing", "present": "is present"}


def model_html(title: str, program: Program | None, statistics: Statistics | None) -> str:
    """A classifier: its rules once it is fitted, before that only what it is."""
    return f"<pre>{escape(title)}</pre>" if program is None else rules_html(program, statistics, title)


def rules_html(program: Program, statistics: Statistics | None = None, title: str = "") -> str:
    """The rules as a list; exceptions fold out."""
    items = "".join(f"<li>{_rule(rule, _figures(statistics, k))}</li>" for k, rule in enumerate(program.rules))
    otherwise = "" if program.otherwise is None else f"<div>otherwise <b>{escape(str(program.otherwise))}</b></div>"
    heading = escape(title or f"{program.target}: {len(program.rules)} rules")
    return (
        f'<div class="unless"><style>{_STYLE}</style><details open><summary>{heading}</summary>'
        f"<ol>{items}</ol>{otherwise}</details></div>"
    )


def _figures(statistics: Statistics | None, rule: int) -> str:
    if statistics is None:
        return ""
    decided, precision = statistics.support[rule], statistics.precision[rule]
    right = "" if isnan(precision) else f", right {precision:.3f}"  # NaN where it decides nothing
    return f' <span class="n">decides {decided:,.0f}{right}</span>'


def _rule(rule: Rule, figures: str = "") -> str:
    body = " and ".join(map(_literal, rule.default)) or "otherwise"
    head = body if rule.head is None else f"<b>{escape(str(rule.head))}</b> {'if ' if rule.default else ''}{body}"
    if not rule.exceptions:
        return head + figures
    inner = "".join(f"<li>unless {_rule(exception)}</li>" for exception in rule.exceptions)
    return f"<details open><summary>{head}{figures}</summary><ul>{inner}</ul></details>"


def _literal(literal: Literal) -> str:
    value = "" if literal.value is None else f" {literal.value}"
    return escape(f"{literal.feature} {_SIGNS[literal.op]}{value}")
