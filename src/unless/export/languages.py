"""Define Python and JavaScript for exported functions: the syntax of names, constants, conditions, and steps."""

from __future__ import annotations

import builtins
import json
import keyword
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from unless.errors import ParameterError, ProgramError
from unless.export.cell_sources import javascript_readers, python_readers, strptime_pattern
from unless.rule import Operator
from unless.values import Label


@dataclass(frozen=True, slots=True)
class Language:
    """The syntax of a language: texts with ``{}`` are templates of `str.format`, texts with ``@`` of `fill_in`."""

    name: str
    valid_name: Callable[[str], bool]
    """Whether a function can have a name."""
    constant: Callable[[Label | None], str]
    string: Callable[[str], str]
    argument: Callable[[object], str]
    """Writes the second argument of a function that reads cells."""
    readers: Callable[..., list[str]]
    """The functions that read cells."""
    operators: Mapping[Operator, str]
    """Operators that differ from ours; a missing value is compared with the constant for None."""
    conjunction: str
    negation: str
    choice: str
    """A truth if a gate fails, otherwise a further condition."""
    both: str
    """A label and the number of a rule."""
    indent: str
    opening: str
    """The first lines, with the function's name and what it returns."""
    cell: str
    """The value of a feature, given its name as a text."""
    assignment: str
    remark: str
    result: str
    result_if: str
    """A return statement, and a return statement with a condition."""
    list_start: str
    list_end: str
    """The first and the last line of a list of a committee, an inner function."""
    votes: str
    """Lines that add up the points of all lists."""
    points: str
    """Lines that add up the points of a list and its parts."""
    lead: str
    """Lines that let the label of the rules lead."""
    costs: str
    """Lines that add up the costs of each decision, weighted by the odds of each label."""
    chosen: Mapping[str, str]
    """How the index of a label is chosen: by costs, score or rules."""
    rejecting: str
    """A line that rejects a record whose decision costs too much."""
    amount: str
    """A line that requires the number of a column with amounts."""
    second: str
    """Lines that follow if there are two labels."""
    ends: Mapping[str, str]
    """The last lines of a function that has points, by what it returns."""
    closing: str
    """The text after the last decision."""
    reasons: str
    """An inner function that selects the reasons, from pairs of a truth and a code."""
    pair: str
    """A pair: of a truth and a code, or of a number and pairs."""

    def check_name(self, name: str) -> None:
        """Reject a name that a function cannot have."""
        if not isinstance(name, str) or not self.valid_name(name):
            own = f"letters, digits and _, and not a word of {self.name} itself"
            raise ParameterError(f"a {self.name} function cannot have the name {name!r}; use {own}")


def fill_in(template: str, fillings: Mapping[str, str]) -> str:
    """Insert texts into a template."""
    return re.sub("@[a-z]+", lambda found: fillings[found[0]], template)


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
"""

_PYTHON_LEAD = """\
    if label >= 0:  # the label of the rules leads
        rival = max(one for place, one in enumerate(points) if place != label)
        points[label] = max(points[label], rival + 1)
"""

_PYTHON_SECOND = """\
    points = [0, points[1] - points[0]]  # points are for the second label, against the first
"""

_PYTHON_VOTES = """
    points = @base
    for some in [@calls]:
        points = [one + other for one, other in zip(points, some)]
"""

_PYTHON_COSTS = """\
    from math import exp
    top = max(points)
    odds = [round(exp((one - top) / @unit) * @whole) for one in points]
    sums = [0.0] * len(odds)
    for one, costs in zip(odds, @costs):
        sums = [total + one * cost for total, cost in zip(sums, costs)]
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
    "decision": "    chosen = @chosen\n@rejecting    return [@labels, None][chosen]\n",
    "costs": """\
    whole = sum(odds) * @scale
    return {label: one / whole for label, one in zip([@labels], sums)}
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
"""

_JAVASCRIPT_LEAD = """\
  if (label >= 0) { // the label of the rules leads
    const rival = Math.max(...points.filter((_, place) => place !== label));
    points[label] = Math.max(points[label], rival + 1);
  }
"""

_JAVASCRIPT_SECOND = """\
  points.splice(0, 2, 0, points[1] - points[0]); // points are for the second label, against the first
"""

_JAVASCRIPT_VOTES = """\
  const points = @base;
  for (const list of [@lists]) list().forEach((one, place) => (points[place] += one));
"""

_JAVASCRIPT_COSTS = """\
  const top = Math.max(...points);
  const odds = points.map((one) => Math.round(Math.exp((one - top) / @unit) * @whole));
  const sums = odds.map(() => 0);
  @costs.forEach((costs, place) => costs.forEach((cost, said) => (sums[said] += odds[place] * cost)));
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
    "decision": "  const chosen = @chosen;\n@rejecting  return chosen < 0 ? null : [@labels][chosen];\n}\n",
    "costs": """\
  const whole = odds.reduce((one, other) => one + other) * @scale;
  return [@labels].map((label, place) => ({label, cost: sums[place] / whole}));
}
""",
}

_PYTHON_REASONS = """\
    def reasons(supports, shortfalls=()):
        nearest = sorted(shortfalls, key=lambda one: one[0])  # the fewest failing conditions first
        found = []
        for truth, code in [*supports, *(one for _, some in nearest for one in some)]:
            if truth and code not in found:
                found.append(code)
        return found[:@most]
"""

_JAVASCRIPT_REASONS = """\
  const reasons = (supports, shortfalls = []) => {
    const nearest = shortfalls.map((one, place) => [...one, place]); // the fewest failing conditions first
    nearest.sort((one, other) => one[0] - other[0] || one[2] - other[2]);
    const found = [...supports, ...[].concat(...nearest.map((one) => one[1]))].filter(([truth]) => truth);
    return [...new Set(found.map(([, code]) => code))].slice(0, @most);
  };
"""

_RESERVED = frozenset(
    """
    arguments async await break case catch class const continue debugger default delete do else enum eval
    export extends false finally for function if implements import in instanceof interface let new null
    package private protected public return static super switch this throw true try typeof var void while with
    yield BigInt Date Infinity Math NaN Number Object String undefined
    """.split()  # noqa: SIM905 - words are read more easily
)


def _is_python_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not hasattr(builtins, name)


def _is_javascript_name(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) is not None and name not in _RESERVED


def _python_constant(value: Label | None) -> str:
    """Write a constant in ASCII, so that a source file can have any encoding."""
    if isinstance(value, float):
        return f"float('{float(value)}')" if math.isinf(value) else repr(float(value))
    return ascii(value)


def _javascript_constant(value: Label | None) -> str:
    match value:
        case str():
            return _javascript_string(value)
        case int() if abs(value) >= 2**53:
            raise ProgramError(f"JavaScript cannot hold the label {value!r}; give the class another name")
    return json.dumps(float(value) if isinstance(value, float) else value)  # which writes infinities as JavaScript does


def _javascript_argument(argument: object) -> str:
    """Write texts and numbers, a format, or other forms of texts."""
    match argument:
        case str():
            return f"/{strptime_pattern(argument)}/i"
        case list():
            return f"[{', '.join(map(_javascript_constant, argument))}]"
        case dict():
            pairs = (f"[{_javascript_constant(one)}, {_javascript_string(other)}]" for one, other in argument.items())
            return f"new Map([{', '.join(pairs)}])"
    return ""


def _javascript_string(text: str) -> str:
    """Write an ASCII string literal that ends or opens nothing in a page: ``</script>``, ``<!--``, ``]]>``."""
    quoted = json.dumps(text)  # U+2028 and lone surrogates are escaped: ASCII only
    return quoted.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


PYTHON = Language(
    name="Python",
    valid_name=_is_python_name,
    constant=_python_constant,
    string=ascii,
    argument=ascii,
    readers=python_readers,
    operators={"missing": "is", "present": "is not"},
    conjunction=" and ",
    negation="not ",
    choice="{truth} if not ({gate}) else {further}",
    both="({label}, {rule})",
    indent="    ",
    opening="def @name(record):\n    @summary",
    cell="value(record[{}])",
    assignment="    {} = {}",
    remark="  # {}",
    result="{indent}return {result}{remark}",
    result_if="{indent}if {condition}:{remark}\n{indent}    return {result}",
    list_start="\n    def {}():",
    list_end="",
    votes=_PYTHON_VOTES,
    points=_PYTHON_POINTS,
    lead=_PYTHON_LEAD,
    costs=_PYTHON_COSTS,
    chosen={"costs": "sums.index(min(sums))", "score": "points.index(max(points))", "rules": "label"},
    rejecting="    if chosen >= 0 and sums[chosen] > @price * sum(odds):\n        return None  # rejected\n",
    amount="    if not abs({}) < float('inf'):\n        raise ValueError({})",
    second=_PYTHON_SECOND,
    ends=_PYTHON_ENDS,
    closing="\n",
    reasons=_PYTHON_REASONS,
    pair="({}, {})",
)
JAVASCRIPT = Language(
    name="JavaScript",
    valid_name=_is_javascript_name,
    constant=_javascript_constant,
    string=_javascript_string,
    argument=_javascript_argument,
    readers=javascript_readers,
    operators={"==": "===", "!=": "!==", "missing": "===", "present": "!=="},
    conjunction=" && ",
    negation="!",
    choice="!({gate}) ? {truth} : {further}",
    both="{{label: {label}, rule: {rule}}}",
    indent="  ",
    opening='function @name(record) {\n  "use strict";',
    cell="value({})",
    assignment="  const {} = {};",
    remark=" // {}",
    result="{indent}return {result};{remark}",
    result_if="{indent}if ({condition}) return {result};{remark}",
    list_start="  const {} = () => {{",
    list_end="  };",
    votes=_JAVASCRIPT_VOTES,
    points=_JAVASCRIPT_POINTS,
    lead=_JAVASCRIPT_LEAD,
    costs=_JAVASCRIPT_COSTS,
    chosen={
        "costs": "sums.indexOf(Math.min(...sums))",
        "score": "points.indexOf(Math.max(...points))",
        "rules": "label",
    },
    rejecting="""\
  if (chosen >= 0 && sums[chosen] > @price * odds.reduce((one, other) => one + other)) return null; // rejected
""",
    amount="  if (!Number.isFinite({})) throw new Error({});",
    second=_JAVASCRIPT_SECOND,
    ends=_JAVASCRIPT_ENDS,
    closing="\n}\n",
    reasons=_JAVASCRIPT_REASONS,
    pair="[{}, {}]",
)
