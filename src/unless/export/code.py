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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, ProgramError, suggest
from unless.export import conditions
from unless.export.cell_readers import Reader, Training, readers
from unless.export.cell_sources import javascript_form, javascript_readers, python_readers
from unless.export.conditions import card_of, written_by
from unless.model import Model
from unless.model.points import POINTS_PER_LOGIT
from unless.model.prediction import Decider
from unless.rule import Literal, Operator, Program
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard
from unless.values import Label
from unless.values.notation import LevelNotation, NotatedNumber

Returns = OneOf["label", "rule", "both", "points", "probability"]

_RETURNED = {
    "label": "label",
    "rule": "deciding rule",
    "both": "label and deciding rule",
    "points": "points of each label",
    "probability": "probability of each label",
}

_PYTHON_POINTS = """\
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
"""

_PYTHON_SECOND = """\
    points = [0, points[1] - points[0]]  # points are for the second label, against the first
"""

_PYTHON_ENDS = {
    "label": "    return [@labels][points.index(max(points))]\n",
    "points": "    return dict(zip([@labels], points))\n",
    "probability": """\
    from math import exp
    top = max(points)
    odds = [exp((one - top) / @unit) for one in points]  # @unit points multiply the odds of a label by e
    whole = sum(odds)
    return {label: one / whole for label, one in zip([@labels], odds)}
""",
}

_JAVASCRIPT_POINTS = """\
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
"""

_JAVASCRIPT_SECOND = """\
  points.splice(0, 2, 0, points[1] - points[0]); // points are for the second label, against the first
"""

_JAVASCRIPT_ENDS = {
    "label": """\
  return [@labels][points.indexOf(Math.max(...points))];
}
""",
    "points": """\
  return [@labels].map((label, place) => ({label, points: points[place]}));
}
""",
    "probability": """\
  const top = Math.max(...points);
  const odds = points.map((one) => Math.exp((one - top) / @unit)); // @unit points multiply the odds of a label by e
  const whole = odds.reduce((one, other) => one + other);
  return [@labels].map((label, place) => ({label, probability: odds[place] / whole}));
}
""",
}

_RESERVED = frozenset(
    """
    arguments async await break case catch class const continue debugger default delete do else enum eval
    export extends false finally for function if implements import in instanceof interface let new null
    package private protected public return static super switch this throw true try typeof var void while with
    yield BigInt Date Infinity Math NaN Number Object String undefined
    """.split()  # noqa: SIM905 - words are read more easily
)


def to_python(program: Decider | Model, *, name: str = "classify", what: Returns = "label") -> str:
    """Write a function that takes a record and returns its label.

    A record is a mapping from features to cells: a text; a number; a boolean, which means the text ``True`` or
    ``False``; a date, a time or a duration; None or NaN where the cell is missing. Where the rules compare dates, a
    text as in ISO 8601, or in the format that was declared, is a date too. The function of a model reads cells as its
    `predict` does: ``"3"`` is a number where training had numbers. A record without a feature that the rules test is a
    KeyError.

    Parameters
    ----------
    what
        ``label``: the label, or None where no rule decides and the program has no ``otherwise``. ``rule``: the number
        of the rule that decides, from 1, or None where no rule does. ``both``: the two as a tuple. ``points`` and
        ``probability``: of a model or a committee, those of each label, as a dict. A committee has no ``rule`` or
        ``both``.

    Examples
    --------
    >>> from unless import Literal, Program, Rule
    >>> source = to_python(Program("risk", ("age",), (Rule("high", (Literal("age", "<=", 25.0),)),), "low"))
    >>> names = {}
    >>> exec(source, names)
    >>> names["classify"]({"age": 22}), names["classify"]({"age": None})
    ('high', 'low')
    """
    check_python(name)
    write = written_by(program, "Python", {Program: _program_to_python, Committee: _committee_to_python})
    text: str = write(program, name, what)
    return text


def _committee_to_python(committee: Committee, model: Decider | Model, name: str, what: str) -> str:
    from unless.export.committee_code import committee_to_python

    return committee_to_python(committee, name, what, Training.of(model))


def _program_to_python(program: Program, model: Decider | Model, name: str, what: Returns) -> str:
    check_returns(what)
    card = card_of(model) if what in ("points", "probability") else None
    lines = python_start(program, name, what, Training.of(model), () if card is None else card.cuts)
    if card is not None:
        return "\n".join([*lines, _scored(card, PYTHON, what)])
    for condition, result, number in _decisions(program, PYTHON, what):
        remark = "" if number is None else f"  # rule {number}"
        indent = "    " if condition is None else "        "
        lines += [] if condition is None else [f"    if {condition}:{remark}"]
        lines.append(f"{indent}return {result}{remark if condition is None else ''}")
    return "\n".join(lines) + "\n"


def to_javascript(program: Decider | Model, *, name: str = "classify", what: Returns = "label") -> str:
    """Write a function that takes a record and returns its label (ECMAScript 2015 or later, no ``eval``).

    A record is an object with a property of its own for each feature: a text; a number; a boolean, which means the text
    ``True`` or ``False``; a Date, which is an instant; null, undefined, NaN or no such property where the cell is
    missing. ``"3"`` is a text, but for the function of a model, which reads cells as its `predict` does: it is a number
    where training had numbers. Where the rules compare dates, times of the day or durations, a text that spells one is
    one, to the microsecond (this needs ECMAScript 2020). Names and texts are escaped, so the source is ASCII, and no
    text in it has a ``<`` or ends a script.

    Parameters
    ----------
    what
        ``label``: the label, or null where no rule decides and the program has no ``otherwise``. ``rule``: the number
        of the rule that decides, from 1, or null where no rule does. ``both``: ``{label, rule}``. ``points`` and
        ``probability``: of a model or a committee, those of each label, as an array of ``{label, points}`` or
        ``{label, probability}``. A committee has no ``rule`` or ``both``.
    """
    check_javascript(name)
    write = written_by(program, "JavaScript", {Program: _program_to_javascript, Committee: _committee_to_javascript})
    text: str = write(program, name, what)
    return text


def _committee_to_javascript(committee: Committee, model: Decider | Model, name: str, what: str) -> str:
    from unless.export.committee_code import committee_to_javascript

    return committee_to_javascript(committee, name, what, Training.of(model))


def _program_to_javascript(program: Program, model: Decider | Model, name: str, what: Returns) -> str:
    check_returns(what)
    card = card_of(model) if what in ("points", "probability") else None
    lines = javascript_start(program, name, Training.of(model), () if card is None else card.cuts)
    if card is not None:
        return "\n".join([*lines, _scored(card, JAVASCRIPT, what)])
    for condition, result, number in _decisions(program, JAVASCRIPT, what):
        test = "" if condition is None else f"if ({condition}) "
        lines.append(f"  {test}return {result};" + ("" if number is None else f" // rule {number}"))
    return "\n".join([*lines, "}"]) + "\n"


def python_start(
    program: Program, name: str, what: str, training: Training | None, cuts: Iterable[Literal] = ()
) -> list[str]:
    """The first lines of a function in Python: they read the features that the program uses.

    ``cuts`` are further literals on these features.
    """
    used, known = list(_features(program)), readers(program, training)
    summary = f"The {_RETURNED[what]} of a record, for the target {program.target}."
    lines = [f"def {name}(record):", f"    {summary!a}"]
    if used:
        lines += python_readers(_names(known), numeric=any(numeric for *_, numeric in used))
    for feature, identifier, numeric in used:
        value = f"value(record[{feature!a}])"
        for reader in known.get(feature, ()):
            value = reader.call(value, ascii(reader.argument))
        lines.append(f"    v_{identifier} = {value}")
        lines += [f"    n_{identifier} = number(v_{identifier})"] * numeric
    for (_, text), (constant, number) in constants(program, cuts).items():
        lines.append(f"    {constant} = {number!r}  # {text!a}")
    return lines


def javascript_start(program: Program, name: str, training: Training | None, cuts: Iterable[Literal] = ()) -> list[str]:
    """The same in JavaScript."""
    used, known = list(_features(program)), readers(program, training)
    lines = [f"function {name}(record) {{", '  "use strict";']
    if used:
        lines += javascript_readers(_names(known), numeric=any(numeric for *_, numeric in used))
    for feature, identifier, numeric in used:
        value = f"value({_string(feature)})"
        for reader in known.get(feature, ()):
            value = reader.call(value, _javascript_argument(reader.argument))
        lines.append(f"  const v_{identifier} = {value};")
        lines += [f"  const n_{identifier} = number(v_{identifier});"] * numeric
    for (_, text), (constant, number) in constants(program, cuts).items():
        lines.append(f"  const {constant} = {number!r}; // {_string(text)}")
    return lines


def _names(known: Mapping[str, Iterable[Reader]]) -> set[str]:
    return {reader.name for some in known.values() for reader in some}


def _javascript_argument(argument: object) -> str:
    """Texts and numbers, a format, or spellings of texts."""
    match argument:
        case str():
            return f"/{javascript_form(argument)}/i"
        case list():
            return f"[{', '.join(map(_javascript_constant, argument))}]"
        case dict():
            pairs = (f"[{_string(one)}, {_string(other)}]" for one, other in argument.items())
            return f"new Map([{', '.join(pairs)}])"
    return ""


def constants(program: Program, cuts: Iterable[Literal] = ()) -> dict[tuple[float, str], tuple[str, float]]:
    """The name and the number of each date, time, duration and level in program and cuts, by number and text."""
    found: dict[tuple[float, str], tuple[str, float]] = {}
    for literal in (*(literal for rule in program.rules for literal in rule.literals()), *cuts):
        if (key := _constant_key(literal)) is not None and key not in found:
            prefix = "level" if isinstance(literal.value.notation, LevelNotation) else "at"  # type: ignore[union-attr]  # it is noted
            plain = re.sub(r"[^0-9a-z]+", "_", key[1].lower()).strip("_") or "other"
            minus = "minus_" * key[1].startswith("-")
            found[key] = free_name(f"{prefix}_{minus}{plain}", [name for name, _ in found.values()]), key[0]
    return found


def _constant_key(literal: Literal) -> tuple[float, str] | None:
    """The number and the text of a threshold that is no plain number."""
    value = literal.value
    if not isinstance(value, NotatedNumber) or value.notation.plain or math.isinf(value):
        return None
    return float(value), str(value)


def ending(syntax: Syntax, what: str, labels: Sequence[Label]) -> str:
    """The last lines of a function: what it returns, given the points of each label."""
    return _filled(
        syntax.ends[what], {"@labels": ", ".join(map(syntax.constant, labels)), "@unit": str(POINTS_PER_LOGIT)}
    )


def _scored(card: ScoreCard, syntax: Syntax, what: str) -> str:
    """The rest of a function that adds up the points of a list, and lets its label lead."""
    writer, indent = Writer.of(syntax, card.program, card.cuts), syntax.indent * 2
    always, some = conditions.terms(card, writer)
    true = syntax.constant(True)  # noqa: FBT003 - a constant
    decided = [
        f"{indent}[{condition or true}, {_head(card, index)}, {_each(card, conditions.decided_points(card, index))}],"
        for condition, index in conditions.decisions(card.program, writer)
    ]
    fillings = {
        "@base": _each(card, always),
        "@held": "\n".join(f"{indent}[{condition}, {_each(card, points)}]," for condition, points in some),
        "@decided": "\n".join(decided),
    }
    second = syntax.second if len(card.classes) == 2 else ""
    return _filled(syntax.points, fillings) + second + ending(syntax, what, card.classes)


def _filled(template: str, fillings: dict[str, str]) -> str:
    return re.sub("@[a-z]+", lambda found: fillings[found[0]], template)


def _each(card: ScoreCard, points: list[int]) -> str:
    """Points for each label; of two labels, the first has none."""
    return str([0, *points] if len(card.classes) == 2 else points)


def _head(card: ScoreCard, index: int | None) -> int:
    """The place of the label of a rule; -1 if there is none."""
    return int(card.heads[len(card.program.rules) if index is None else index])


def check_python(name: str) -> None:
    """Refuse a name that a function in Python cannot have."""
    valid = isinstance(name, str) and name.isidentifier()
    _check_name("Python", name, valid=valid and not keyword.iskeyword(name) and not hasattr(builtins, name))


def check_javascript(name: str) -> None:
    """Refuse a name that a function in JavaScript cannot have."""
    valid = isinstance(name, str) and re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) is not None
    _check_name("JavaScript", name, valid=valid and name not in _RESERVED)


def check_returns(what: str, known: Sequence[str] = get_args(Returns), whose: str = "a function") -> None:
    """Refuse what a function cannot return."""
    if what not in known:
        raise ParameterError(f"{whose} cannot return {what!r}{suggest(str(what), known)}")


def _check_name(language: str, name: str, *, valid: bool) -> None:
    if not valid:
        own = f"letters, digits and _, and not a word of {language} itself"
        raise ParameterError(f"a {language} function cannot have the name {name!r}; use {own}")


def _features(program: Program) -> Iterator[tuple[str, str, bool]]:
    """The features that the program uses: name, identifier, and whether some literal compares it with a number."""
    numeric = {
        literal.feature for rule in program.rules for literal in rule.literals() if isinstance(literal.value, float)
    }
    for feature, identifier in identifiers(program).items():
        yield feature, identifier, feature in numeric


def identifiers(program: Program) -> dict[str, str]:
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


def _decisions(program: Program, syntax: Syntax, what: str) -> Iterator[tuple[str | None, str, int | None]]:
    """The decision list: a condition, what is returned if it holds, and the number of the rule, from 1.

    The last entry has no condition; its number is None where no rule decides.
    """
    for condition, index in conditions.decisions(program, Writer.of(syntax, program)):
        number = None if index is None else index + 1
        label = syntax.constant(program.otherwise if index is None else program.rules[index].head)
        rule = syntax.constant(number)
        results = {"label": label, "rule": rule, "both": syntax.both.format(label=label, rule=rule)}
        yield condition, results[what], number


@dataclass(frozen=True, slots=True)
class Syntax:
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
    indent: str
    points: str
    """Lines that add up the points of a list; a template with ``@held``, ``@decided`` and ``@base``."""
    second: str
    """Lines that follow if there are two labels."""
    ends: Mapping[str, str]
    """The last lines of a function that has points, by what it returns; templates with ``@labels`` and ``@unit``."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Conditions as source text."""

    syntax: Syntax
    names: dict[str, str]
    constants: dict[tuple[float, str], tuple[str, float]]

    @classmethod
    def of(cls, syntax: Syntax, program: Program, cuts: Iterable[Literal] = ()) -> Writer:
        """What writes the conditions of a program, and cuts of its features."""
        return cls(syntax, identifiers(program), constants(program, cuts))

    def test(self, literal: Literal, *, sure: bool) -> str | bool:  # noqa: ARG002 - these tests are always true or false
        """The truth of a literal."""
        kind = "n" if isinstance(literal.value, float) else "v"
        operator = self.syntax.operators.get(literal.op, literal.op)
        key = _constant_key(literal)
        constant = self.syntax.constant(literal.value) if key is None else self.constants[key][0]
        return f"{kind}_{self.names[literal.feature]} {operator} {constant}"

    def both(self, parts: Sequence[str]) -> str:
        """Every part holds."""
        return self.syntax.conjunction.join(parts)

    def negation(self, part: str) -> str:
        """The part does not hold."""
        return f"{self.syntax.negation}({part})"

    def first_failing(self, gates: Sequence[tuple[str, bool]], *, otherwise: bool) -> str:
        """The truth beside the first gate that fails."""
        text = self.syntax.constant(otherwise)
        for gate, truth in reversed(gates):
            text = self.syntax.choice.format(gate=gate, truth=self.syntax.constant(truth), further=text)
        return f"({text})"


def _python_constant(value: Label | None) -> str:
    """ASCII only, so that a source file can have any encoding."""
    if isinstance(value, float):
        return f"float('{float(value)}')" if math.isinf(value) else repr(float(value))
    return ascii(value)


def _javascript_constant(value: Label | None) -> str:
    match value:
        case str():
            return _string(value)
        case int() if abs(value) >= 2**53:
            raise ProgramError(f"JavaScript cannot hold the label {value!r}; give the class another name")
    return json.dumps(float(value) if isinstance(value, float) else value)  # which spells infinities as JavaScript does


def _string(text: str) -> str:
    """A string literal in ASCII that neither ends nor opens anything in a page: ``</script>``, ``<!--``, ``]]>``."""
    quoted = json.dumps(text)  # U+2028 and lone surrogates are escaped: ASCII only
    return quoted.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


PYTHON = Syntax(
    conjunction=" and ",
    negation="not ",
    operators={"missing": "is", "present": "is not"},
    choice="{truth} if not ({gate}) else {further}",
    constant=_python_constant,
    both="({label}, {rule})",
    indent="    ",
    points=_PYTHON_POINTS,
    second=_PYTHON_SECOND,
    ends=_PYTHON_ENDS,
)
JAVASCRIPT = Syntax(
    conjunction=" && ",
    negation="!",
    operators={"==": "===", "!=": "!==", "missing": "===", "present": "!=="},
    choice="!({gate}) ? {truth} : {further}",
    constant=_javascript_constant,
    both="{{label: {label}, rule: {rule}}}",
    indent="  ",
    points=_JAVASCRIPT_POINTS,
    second=_JAVASCRIPT_SECOND,
    ends=_JAVASCRIPT_ENDS,
)
