"""Committees as one function in Python or JavaScript.

Every list is a function that returns the points of its deciding rule. They are whole numbers, so their sums, and with
them the label, are the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from unless.errors import ParameterError, suggest
from unless.export import code, conditions
from unless.export.code import Voted
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.points import POINTS_PER_LOGIT, Points


def committee_to_python(committee: Committee, *, name: str = "classify", returns: str = "label") -> str:
    """Write a function that takes a record, as in `to_python`, and returns the label that the committee gives it.

    With ``returns="points"`` it returns the points of the classes, in their order, with ``"probability"`` their
    probabilities.
    """
    _check(returns)
    code.check_python(name)
    classes = ", ".join(map(code.PYTHON.constant, committee.classes))
    lines = code.python_start(committee.rules, name, f"The {returns} of a record, for the target {committee.target}.")
    for number, decisions in enumerate(_lists(committee, code.PYTHON), 1):
        lines += ["", f"    def list_{number}():"]
        for condition, points in decisions:
            indent = "        " if condition is None else f"        if {condition}:\n            "
            lines.append(f"{indent}return {_tuple(points)}")
    lines += ["", f"    total = {committee.base.tolist()}"]
    lines.append(f"    for points in ({''.join(f'list_{k}(), ' for k in range(1, len(committee) + 1))}):")
    lines.append("        total = [one + other for one, other in zip(total, points)]")
    if returns == "points":
        lines.append("    return total")
    elif returns == "label":
        lines.append(f"    return ({classes},)[total.index(max(total))]")
    else:
        lines.append(f"    odds = [2.718281828459045 ** ((one - max(total)) / {POINTS_PER_LOGIT}) for one in total]")
        lines.append("    return [one / sum(odds) for one in odds]")
    return "\n".join(lines) + "\n"


def committee_to_javascript(committee: Committee, *, name: str = "classify", returns: str = "label") -> str:
    """Write a function that takes a record, as in `to_javascript`; see `committee_to_python`."""
    _check(returns)
    code.check_javascript(name)
    classes = ", ".join(map(code.JAVASCRIPT.constant, committee.classes))
    lines = code.javascript_start(committee.rules, name)
    names = [f"list_{number}" for number in range(1, len(committee) + 1)]
    for own, decisions in zip(names, _lists(committee, code.JAVASCRIPT), strict=True):
        lines.append(f"  const {own} = () => {{")
        for condition, points in decisions:
            lines.append(f"    {'' if condition is None else f'if ({condition}) '}return {points.tolist()};")
        lines.append("  };")
    lines.append(f"  const total = {committee.base.tolist()};")
    lines.append(
        f"  for (const list of [{', '.join(names)}]) list().forEach((points, k) => {{ total[k] += points; }});"
    )
    results = {
        "points": "total",
        "label": f"[{classes}][total.indexOf(Math.max(...total))]",
        "probability": "odds.map((one) => one / odds.reduce((a, b) => a + b))",
    }
    if returns == "probability":
        lines.append(f"  const odds = total.map((one) => Math.exp((one - Math.max(...total)) / {POINTS_PER_LOGIT}));")
    return "\n".join([*lines, f"  return {results[returns]};", "}"]) + "\n"


def _check(returns: str) -> None:
    if returns not in get_args(Voted):
        hint = suggest(str(returns), get_args(Voted))
        raise ParameterError(f"the function of a committee cannot return {returns!r}{hint}")


def _lists(committee: Committee, syntax: code.Syntax) -> Iterator[list[tuple[str | None, Points]]]:
    """For each list its decisions: a condition, None for the last one, and the points where it holds."""
    writer = code.Writer(syntax, code.identifiers(committee.rules))
    for program, points in zip(committee.lists, committee.points, strict=True):
        yield list(decided(program, points, writer))


def decided(program: Program, points: Points, writer: conditions.Writer[str]) -> Iterator[tuple[str | None, Points]]:
    """The decisions of a list; its last rule covers every record, so some rule always decides."""
    for condition, index in conditions.decisions(program, writer):
        yield condition, points[-1 if index is None else index]


def _tuple(points: Points) -> str:
    return f"({''.join(f'{one}, ' for one in points.tolist())})"
