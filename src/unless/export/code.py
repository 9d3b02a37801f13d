"""Programs as one function in Python or JavaScript that needs no package, not even unless.

In the function, ``v_age`` is the value of a feature, and ``n_age`` the same value as a number, NaN if it is not one.
NaN is neither above nor at most anything, and a missing value equals no text, so every test is one comparison.
"""

from __future__ import annotations

import builtins
import json
import keyword
import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, ProgramError, suggest
from unless.export import conditions
from unless.export.conditions import card_of
from unless.model import Model
from unless.rule import Literal, Operator, Program
from unless.score.card import ScoreCard
from unless.score.points import POINTS_PER_LOGIT
from unless.values import Label

Returns = OneOf["label", "rule", "both", "probability"]

_PYTHON_VALUE = '''
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

_PYTHON_NUMBER = '''
    def number(found):
        """A number as it is, anything else as NaN: no comparison with NaN is true."""
        return found if isinstance(found, float) else float("nan")'''

_PYTHON_POINTS = """\
    # A thousand points multiply the odds of a label by e.
    from math import exp
    held = [
@held
    ]
    decided = [
@decided
    ]
    label, more = next((place, points) for truth, place, points in decided if truth)
    points = @base
    for truth, some in [*held, (True, more)]:
        if truth:
            points = [one + other for one, other in zip(points, some)]
    if label >= 0:  # the label of the rules leads
        rival = max(one for place, one in enumerate(points) if place != label)
        points[label] = max(points[label], rival + 1)
    odds = [exp((one - max(points)) / @unit) for one in points]
    return {name: one / sum(odds) for name, one in zip([@labels], odds)}
"""

_JAVASCRIPT_POINTS = """\
  // A thousand points multiply the odds of a label by e.
  const held = [
@held
  ];
  const decided = [
@decided
  ];
  const [, label, more] = decided.find(([truth]) => truth);
  const points = @base;
  for (const [truth, some] of [...held, [true, more]]) {
    if (truth) some.forEach((one, place) => (points[place] += one));
  }
  if (label >= 0) { // the label of the rules leads
    const rival = Math.max(...points.filter((_, place) => place !== label));
    points[label] = Math.max(points[label], rival + 1);
  }
  const top = Math.max(...points);
  const odds = points.map((one) => Math.exp((one - top) / @unit));
  const sum = odds.reduce((one, other) => one + other);
  return [@labels].map((name, place) => ({label: name, probability: odds[place] / sum}));
}
"""

_JAVASCRIPT_VALUE = """
  // What a cell means: a number, a text, or null where it is missing.
  const value = (name) => {
    const cell = Object.prototype.hasOwnProperty.call(record, name) ? record[name] : null;
    if (cell === null || cell === undefined || Number.isNaN(cell)) return null;
    if (typeof cell === "number" || typeof cell === "string") return cell;
    if (typeof cell === "boolean") return cell ? "True" : "False";
    return typeof cell === "bigint" ? Number(cell) : String(cell);
  };"""

_JAVASCRIPT_NUMBER = """
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


def to_python(program: Program | Model, *, name: str = "classify", returns: Returns = "label") -> str:
    """Write a function that takes a record and returns its label.

    A record is a mapping from features to cells: a text; a number; a boolean, which means the text ``True`` or
    ``False``; a date, which means its ISO text; None or NaN where the cell is missing. A record without a feature that
    the rules test is a KeyError.

    Parameters
    ----------
    returns
        ``label``: the label, or None where no rule decides and the program has no ``otherwise``. ``rule``: the number
        of the rule that decides, from 1, or None where no rule does. ``both``: the two as a tuple. ``probability``: of
        a model, the probability of each label, as a dict.

    Examples
    --------
    >>> from unless import Literal, Program, Rule
    >>> source = to_python(Program("risk", ("age",), (Rule("high", (Literal("age", "<=", 25.0),)),), "low"))
    >>> names = {}
    >>> exec(source, names)
    >>> names["classify"]({"age": 22}), names["classify"]({"age": None})
    ('high', 'low')
    """
    valid = isinstance(name, str) and name.isidentifier()
    _check("Python", name, returns, valid=valid and not keyword.iskeyword(name) and not hasattr(builtins, name))
    model, program = program, program if isinstance(program, Program) else program.program_
    used = list(_features(program))
    abouts = {"label": "label", "rule": "deciding rule", "both": "label and deciding rule"}
    summary = f"The {abouts.get(returns, 'probability of each label')} of a record, for the target {program.target}."
    lines = [f"def {name}(record):", f"    {summary!a}"]
    lines += [_PYTHON_VALUE] * bool(used) + [_PYTHON_NUMBER] * any(numeric for *_, numeric in used)
    for feature, identifier, numeric in used:
        lines.append(f"    v_{identifier} = value(record[{feature!a}])")
        lines += [f"    n_{identifier} = number(v_{identifier})"] * numeric
    if returns == "probability":
        writer = _Writer(_PYTHON, _identifiers(program))
        return "\n".join([*lines, _points(card_of(model), writer, _PYTHON_POINTS, "    ")])
    for condition, result, number in _decisions(program, _PYTHON, returns):
        remark = "" if number is None else f"  # rule {number}"
        indent = "    " if condition is None else "        "
        lines += [] if condition is None else [f"    if {condition}:{remark}"]
        lines.append(f"{indent}return {result}{remark if condition is None else ''}")
    return "\n".join(lines) + "\n"


def to_javascript(program: Program | Model, *, name: str = "classify", returns: Returns = "label") -> str:
    """Write a function that takes a record and returns its label (ECMAScript 2015 or later, no ``eval``).

    A record is an object with a property of its own for each feature: a text; a number; a boolean, which means the text
    ``True`` or ``False``; null, undefined, NaN or no such property where the cell is missing. A number in a text,
    ``"3"``, is text. Names and texts are escaped, so the source is ASCII, and no text in it has a ``<`` or ends a
    script.

    Parameters
    ----------
    returns
        ``label``: the label, or null where no rule decides and the program has no ``otherwise``. ``rule``: the number
        of the rule that decides, from 1, or null where no rule does. ``both``: ``{label, rule}``. ``probability``: of a
        model, the probability of each label, as an array of ``{label, probability}``.
    """
    valid = isinstance(name, str) and re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) is not None
    _check("JavaScript", name, returns, valid=valid and name not in _RESERVED)
    model, program = program, program if isinstance(program, Program) else program.program_
    used = list(_features(program))
    lines = [f"function {name}(record) {{", '  "use strict";']
    lines += [_JAVASCRIPT_VALUE] * bool(used) + [_JAVASCRIPT_NUMBER] * any(numeric for *_, numeric in used)
    for feature, identifier, numeric in used:
        lines.append(f"  const v_{identifier} = value({_string(feature)});")
        lines += [f"  const n_{identifier} = number(v_{identifier});"] * numeric
    if returns == "probability":
        writer = _Writer(_JAVASCRIPT, _identifiers(program))
        return "\n".join([*lines, _points(card_of(model), writer, _JAVASCRIPT_POINTS, "  ")])
    for condition, result, number in _decisions(program, _JAVASCRIPT, returns):
        test = "" if condition is None else f"if ({condition}) "
        lines.append(f"  {test}return {result};" + ("" if number is None else f" // rule {number}"))
    return "\n".join([*lines, "}"]) + "\n"


def _points(card: ScoreCard, writer: _Writer, template: str, indent: str) -> str:
    """The rest of a function that adds up points, lets the label of the list lead, and gives the probabilities."""
    always, some = conditions.terms(card, writer)
    constant = writer.syntax.constant
    true = constant(True)  # noqa: FBT003 - a constant
    decided = [
        f"{indent}{indent}[{condition or true}, {_head(card, index)}, "
        f"{_each(card, conditions.decided_points(card, index))}],"
        for condition, index in conditions.decisions(card.program, writer)
    ]
    fillings = {
        "@base": _each(card, always),
        "@held": "\n".join(f"{indent}{indent}[{condition}, {_each(card, points)}]," for condition, points in some),
        "@decided": "\n".join(decided),
        "@unit": str(POINTS_PER_LOGIT),
        "@labels": ", ".join(map(constant, card.classes)),
    }
    return re.sub("@[a-z]+", lambda found: fillings[found[0]], template)


def _each(card: ScoreCard, points: list[int]) -> str:
    """Points for each label; of two labels, the first has none."""
    return str([0, *points] if len(card.classes) == 2 else points)


def _head(card: ScoreCard, index: int | None) -> int:
    """The place of the label of a rule; -1 if there is none."""
    return int(card.heads[len(card.program.rules) if index is None else index])


def _check(language: str, name: str, returns: str, *, valid: bool) -> None:
    """Refuse what a function cannot return, and a name that it cannot have."""
    if returns not in get_args(Returns):
        raise ParameterError(f"a function cannot return {returns!r}{suggest(str(returns), get_args(Returns))}")
    if not valid:
        own = f"letters, digits and _, and not a word of {language} itself"
        raise ParameterError(f"a {language} function cannot have the name {name!r}; use {own}")


def _features(program: Program) -> Iterator[tuple[str, str, bool]]:
    """The features that the program uses: name, identifier, and whether some literal compares it with a number."""
    numeric = {
        literal.feature for rule in program.rules for literal in rule.literals() if isinstance(literal.value, float)
    }
    for feature, identifier in _identifiers(program).items():
        yield feature, identifier, feature in numeric


def _identifiers(program: Program) -> dict[str, str]:
    """An identifier for every feature in use, made of the letters and digits of its name; no two are the same."""
    features: dict[str, str] = {}
    for feature in program.used:
        plain = re.sub(r"[^0-9a-z]+", "_", feature.lower()).strip("_") or "column"
        features[free_name(plain, features)] = feature
    return {feature: identifier for identifier, feature in features.items()}


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the name with a number behind it, whichever is not taken.

    >>> free_name("rule", ["label"]), free_name("rule", ["rule", "rule_2"])
    ('rule', 'rule_3')
    """
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _decisions(program: Program, syntax: _Syntax, returns: Returns) -> Iterator[tuple[str | None, str, int | None]]:
    """The decision list: a condition, what is returned if it holds, and the number of the rule, from 1.

    The last entry has no condition; its number is None where no rule decides.
    """
    for condition, index in conditions.decisions(program, _Writer(syntax, _identifiers(program))):
        number = None if index is None else index + 1
        label = syntax.constant(program.otherwise if index is None else program.rules[index].head)
        rule = syntax.constant(number)
        results = {"label": label, "rule": rule, "both": syntax.both.format(label=label, rule=rule)}
        yield condition, results[returns], number


@dataclass(frozen=True, slots=True)
class _Syntax:
    """How a language spells conditions and constants."""

    conjunction: str
    negation: str
    operators: dict[Operator, str]
    """Where they are not spelled as ours; a missing value is compared with the constant for None."""
    choice: str
    """A truth if a gate fails, else a further condition; a template with ``gate``, ``truth`` and ``further``."""
    constant: Callable[[Label | None], str]
    both: str
    """A label and the number of a rule; a template with ``label`` and ``rule``."""


@dataclass(frozen=True, slots=True)
class _Writer:
    """Conditions as source text."""

    syntax: _Syntax
    names: dict[str, str]

    def test(self, literal: Literal, *, sure: bool) -> str | bool:  # noqa: ARG002 - these tests are always true or false
        kind = "n" if isinstance(literal.value, float) else "v"
        operator = self.syntax.operators.get(literal.op, literal.op)
        return f"{kind}_{self.names[literal.feature]} {operator} {self.syntax.constant(literal.value)}"

    def both(self, parts: Sequence[str]) -> str:
        return self.syntax.conjunction.join(parts)

    def negation(self, part: str) -> str:
        return f"{self.syntax.negation}({part})"

    def first_failing(self, gates: Sequence[tuple[str, bool]], *, otherwise: bool) -> str:
        text = self.syntax.constant(otherwise)
        for gate, truth in reversed(gates):
            text = self.syntax.choice.format(gate=gate, truth=self.syntax.constant(truth), further=text)
        return f"({text})"


def _python_constant(value: Label | None) -> str:
    """ASCII only, so that a source file can have any encoding."""
    return f"float('{value}')" if isinstance(value, float) and math.isinf(value) else ascii(value)


def _javascript_constant(value: Label | None) -> str:
    match value:
        case str():
            return _string(value)
        case int() if abs(value) >= 2**53:
            raise ProgramError(f"JavaScript cannot hold the label {value!r}; give the class another name")
    return json.dumps(value)  # which spells infinities as JavaScript does


def _string(text: str) -> str:
    """A string literal in ASCII that neither ends nor opens anything in a page: ``</script>``, ``<!--``, ``]]>``."""
    quoted = json.dumps(text)  # U+2028 and lone surrogates are escaped: ASCII only
    return quoted.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_PYTHON = _Syntax(
    conjunction=" and ",
    negation="not ",
    operators={"missing": "is", "present": "is not"},
    choice="{truth} if not ({gate}) else {further}",
    constant=_python_constant,
    both="({label}, {rule})",
)
_JAVASCRIPT = _Syntax(
    conjunction=" && ",
    negation="!",
    operators={"==": "===", "!=": "!==", "missing": "===", "present": "!=="},
    choice="!({gate}) ? {truth} : {further}",
    constant=_javascript_constant,
    both="{{label: {label}, rule: {rule}}}",
)
