"""Programs as one JavaScript function, for browsers and Node; the source can be put inside a ``<script>``."""

from __future__ import annotations

import json
import re

from unless.errors import ParameterError, ProgramError
from unless.export.code import Returns, Syntax, check_returns, decisions, features
from unless.rule import Program
from unless.values import Label

_VALUE = """
  // What a cell means: a number, a text, or null where it is missing.
  const value = (name) => {
    const cell = Object.prototype.hasOwnProperty.call(record, name) ? record[name] : null;
    if (cell === null || cell === undefined || Number.isNaN(cell)) return null;
    if (typeof cell === "number" || typeof cell === "string") return cell;
    if (typeof cell === "boolean") return cell ? "True" : "False";
    return typeof cell === "bigint" ? Number(cell) : String(cell);
  };"""

_NUMBER = """
  // A number as it is, anything else as NaN: no comparison with NaN is true.
  const number = (found) => (typeof found === "number" ? found : NaN);"""

_RESERVED = frozenset(
    """
    arguments async await break case catch class const continue debugger default delete do else enum eval
    export extends false finally for function if implements import in instanceof interface let new null
    package private protected public return static super switch this throw true try typeof var void while with
    yield Infinity NaN Number Object String undefined
    """.split()  # noqa: SIM905 - words are read more easily
)


def to_javascript(program: Program, *, name: str = "classify", returns: Returns = "label") -> str:
    """Write a function that takes a record and returns its label (ECMAScript 2015 or later, no ``eval``).

    A record is an object with a property of its own for each feature: a text; a number; a boolean, which means the text
    ``True`` or ``False``; null, undefined, NaN or no such property where the cell is missing. A number in a text,
    ``"3"``, is text. Names and texts are escaped, so the source is ASCII, and no text in it has a ``<`` or ends a
    script.

    Parameters
    ----------
    program
        The program.
    name
        The name of the function.
    returns
        ``label``: the label, or null where no rule decides and the program has no ``otherwise``. ``rule``: the number
        of the rule that decides, from 1, or null where no rule does. ``both``: ``{label, rule}``.
    """
    check_returns(returns)
    if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name)) or name in _RESERVED:
        own = "letters, digits and _, and not a word of JavaScript itself"
        raise ParameterError(f"a JavaScript function cannot have the name {name!r}; use {own}")
    used = list(features(program))
    lines = [f"function {name}(record) {{", '  "use strict";']
    lines += [_VALUE] * bool(used) + [_NUMBER] * any(numeric for *_, numeric in used)
    for feature, identifier, numeric in used:
        lines.append(f"  const v_{identifier} = value({_text(feature)});")
        lines += [f"  const n_{identifier} = number(v_{identifier});"] * numeric
    for condition, result, number in decisions(program, _JAVASCRIPT, returns):
        test = "" if condition is None else f"if ({condition}) "
        lines.append(f"  {test}return {result};" + ("" if number is None else f" // rule {number}"))
    return "\n".join([*lines, "}"]) + "\n"


def _constant(value: Label | None) -> str:
    match value:
        case str():
            return _text(value)
        case int() if abs(value) >= 2**53:
            raise ProgramError(f"JavaScript cannot hold the label {value!r}; give the class another name")
    return json.dumps(value)  # which spells infinities as JavaScript does


def _text(text: str) -> str:
    """A string literal in ASCII that neither ends nor opens anything in a page: ``</script>``, ``<!--``, ``]]>``."""
    quoted = json.dumps(text)  # U+2028 and lone surrogates are escaped: ASCII only
    return quoted.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_JAVASCRIPT = Syntax(
    conjunction=" && ",
    negation="!",
    equal="===",
    unequal="!==",
    missing="=== null",
    present="!== null",
    choice="!({gate}) ? {truth} : {further}",
    constant=_constant,
    both="{{label: {label}, rule: {rule}}}",
)
