"""Committees as one function in Python or JavaScript.

Every list is a function that returns the points of its deciding rule. They are whole numbers, so their sums, and with
them the label, are the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterator

from unless.export import code, conditions
from unless.export.cell_readers import Training
from unless.model.points import Points
from unless.rule import Program
from unless.score.committee import Committee

_RETURNS = ("label", "points", "probability")


def committee_to_python(committee: Committee, name: str, what: str, training: Training | None) -> str:
    """Write a function as `to_python` does."""
    code.check_returns(what, _RETURNS, "the function of a committee")
    lines = code.python_start(committee.all_rules, name, what, training)
    for number, decisions in enumerate(_lists(committee, code.PYTHON), 1):
        lines += ["", f"    def list_{number}():"]
        for condition, points in decisions:
            indent = "        " if condition is None else f"        if {condition}:\n            "
            lines.append(f"{indent}return {points.tolist()}")
    lines += ["", f"    points = {committee.base.tolist()}"]
    lines.append(f"    for some in [{', '.join(f'list_{k}()' for k in range(1, len(committee) + 1))}]:")
    lines.append("        points = [one + other for one, other in zip(points, some)]")
    return "\n".join([*lines, code.ending(code.PYTHON, what, committee.classes)])


def committee_to_javascript(committee: Committee, name: str, what: str, training: Training | None) -> str:
    """Write a function as `to_javascript` does."""
    code.check_returns(what, _RETURNS, "the function of a committee")
    lines = code.javascript_start(committee.all_rules, name, training)
    names = [f"list_{number}" for number in range(1, len(committee) + 1)]
    for own, decisions in zip(names, _lists(committee, code.JAVASCRIPT), strict=True):
        lines.append(f"  const {own} = () => {{")
        for condition, points in decisions:
            lines.append(f"    {'' if condition is None else f'if ({condition}) '}return {points.tolist()};")
        lines.append("  };")
    lines.append(f"  const points = {committee.base.tolist()};")
    lines.append(f"  for (const list of [{', '.join(names)}]) list().forEach((one, place) => (points[place] += one));")
    return "\n".join([*lines, code.ending(code.JAVASCRIPT, what, committee.classes)])


def _lists(committee: Committee, syntax: code.Syntax) -> Iterator[list[tuple[str | None, Points]]]:
    """For each list its decisions: a condition, None for the last one, and the points where it holds."""
    writer = code.Writer.of(syntax, committee.all_rules)
    for program, points in zip(committee.lists, committee.points, strict=True):
        yield list(decided(program, points, writer))


def decided(program: Program, points: Points, writer: conditions.Writer[str]) -> Iterator[tuple[str | None, Points]]:
    """The decisions of a list; its last rule covers every record, so some rule always decides."""
    for condition, index in conditions.decisions(program, writer):
        yield condition, points[-1 if index is None else index]
