"""Programs as one Python function that needs no package, not even unless."""

from __future__ import annotations

import builtins
import keyword
import math

from unless.errors import ParameterError
from unless.export.code import Returns, Syntax, check_returns, decisions, features
from unless.rule import Program
from unless.values import Label

_VALUE = '''
    def value(cell):
        """What a cell means: a number, a text, or None where it is missing."""
        kind = type(cell).__name__
        if isinstance(cell, str):
            return str(cell)
        if kind in ("bool", "bool_"):
            return str(bool(cell))
        if kind in ("NoneType", "NAType", "NaTType"):
            return None
        if kind == "datetime64":
            return str(cell) if cell == cell else None
        if hasattr(cell, "__float__"):
            try:
                number = float(cell)
            except OverflowError:
                number = float("inf") if cell > 0 else float("-inf")
            return number if number == number else None
        if hasattr(cell, "isoformat"):
            return cell.isoformat()
        return cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else str(cell)'''

_NUMBER = '''
    def number(found):
        """A number as it is, anything else as NaN: no comparison with NaN is true."""
        return found if isinstance(found, float) else float("nan")'''


def to_python(program: Program, *, name: str = "classify", returns: Returns = "label") -> str:
    """Write a function that takes a record and returns its label.

    A record is a mapping from features to cells: a text; a number; a boolean, which means the text ``True`` or
    ``False``; a date, which means its ISO text; None or NaN where the cell is missing. A record without a feature that
    the rules test is a KeyError.

    Parameters
    ----------
    program
        The program.
    name
        The name of the function.
    returns
        ``label``: the label, or None where no rule decides and the program has no ``otherwise``. ``rule``: the number
        of the rule that decides, from 1, or None where no rule does. ``both``: the two as a tuple.

    Examples
    --------
    >>> from unless import Literal, Program, Rule
    >>> source = to_python(Program("risk", ("age",), (Rule("high", (Literal("age", "<=", 25.0),)),), "low"))
    >>> names = {}
    >>> exec(source, names)
    >>> names["classify"]({"age": 22}), names["classify"]({"age": None})
    ('high', 'low')
    """
    check_returns(returns)
    if not (isinstance(name, str) and name.isidentifier()) or keyword.iskeyword(name) or hasattr(builtins, name):
        own = "letters, digits and _, and not a word of Python itself"
        raise ParameterError(f"a Python function cannot have the name {name!r}; use {own}")
    used = list(features(program))
    about = {"label": "label", "rule": "deciding rule", "both": "label and deciding rule"}[returns]
    summary = f"The {about} of a record, for the target {program.target}."
    lines = [f"def {name}(record):", f"    {summary!a}"]
    lines += [_VALUE] * bool(used) + [_NUMBER] * any(numeric for *_, numeric in used)
    for feature, identifier, numeric in used:
        lines.append(f"    v_{identifier} = value(record[{feature!a}])")
        lines += [f"    n_{identifier} = number(v_{identifier})"] * numeric
    for condition, result, number in decisions(program, _PYTHON, returns):
        remark = "" if number is None else f"  # rule {number}"
        indent = "    " if condition is None else "        "
        lines += [] if condition is None else [f"    if {condition}:{remark}"]
        lines.append(f"{indent}return {result}{remark if condition is None else ''}")
    return "\n".join(lines) + "\n"


def _constant(value: Label | None) -> str:
    """ASCII only, so that a source file can have any encoding."""
    return f"float('{value}')" if isinstance(value, float) and math.isinf(value) else ascii(value)


_PYTHON = Syntax(
    conjunction=" and ",
    negation="not ",
    equal="==",
    unequal="!=",
    missing="is None",
    present="is not None",
    choice="{truth} if not ({gate}) else {further}",
    constant=_constant,
    both="({label}, {rule})",
)
