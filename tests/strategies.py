"""Programs and records for every executor: what Hypothesis draws, and cells chosen to be misunderstood.

There is one feature of each kind: ``n`` numbers, ``t`` text, ``m`` mixed (text that may spell numbers), ``b`` booleans.
"""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from unless.rule import Literal, Program, Rule
from unless.score.card import ScoreCard, columns_of
from unless.score.parts import parts_of
from unless.values import number_in

__all__ = ["CELLS", "FEATURES", "KINDS", "card_of", "chain", "literals", "meaning", "programs", "records"]

KINDS = {"n": "number", "t": "text", "m": "mixed", "b": "boolean"}
FEATURES = tuple(KINDS)

_NUMBERS = (0.0, -0.0, 1.0, 2.5, 0.1, math.nextafter(0.1, 1), 1 / 3, -1.5, 1e300, -1e-300, 5e-324, 1e23, 2.0**53)
_LIMITS = (1.7976931348623157e308, math.inf, -math.inf, math.nan, None)
# Cells stand between bars here, so that spaces show and the lists stay short.
_TEXTS = "a|A|a | a|| |é|e\u0301|it's|\"|back\\slash|\\|\\n|new\nline|\r\n|\t|\\'|\\\n|$$|E'|N'|x'41'|*/"
_WORDS = "3|2.5|None|True|true|NULL|NaN|%|%s|_|:x|$1|?"
_TRAPS = "'; DROP TABLE grid; --|' OR 1=1 --|{x}|<b>|</script>|<!--|\u2028|日本|😀"
_SPELLED = (
    "1| 0.46|2.5|2.50 |25e-1|1e3|1E+3|+.5|-.5e-3|5.|5.e2|-0|00012|.5|0.1|1e-310|5e-324|2.47e-324|-2e-324|1e000001"
)
_HUGE = (
    "1e999|-1e999|1e-999|0e99999|1e99999|-1e99999|1e-99999|1e9999999999999|0.0e-9999999999999"
    f"|1.7976931348623157e308|1.7976931348623159e308|{'9' * 400}|0.{'0' * 400}1|0.{'0' * 400}1e401"
)
_NOT_SPELLED = (
    "1_0|nan|inf|Infinity|-|+|.|| |e5|.e5|+.e5|+e5|1e|1e+|--1|+-1|1.2.3|1e5.0|1e5e5|1-|1+1|0x10|1 2|\t1|1\n|\n1|1\r"
    "|\u00a01|1,5|１２|١|²|½|1d|1f|a|A|a |True|?"
)

CELLS: dict[str, list] = {
    "n": [*_NUMBERS, *_LIMITS],
    "t": [*f"{_TEXTS}|{_WORDS}|{_TRAPS}".split("|"), None],
    "m": [*f"{_SPELLED}|{_HUGE}|{_NOT_SPELLED}".split("|"), None],
    "b": [True, False, None],
}
"""Cells as a database or a file holds them: a mixed cell is text."""


def meaning(kind: str, cell: object) -> object:
    """What a cell of a kind means: a mixed cell that spells a number is that number."""
    number = number_in(cell) if kind == "mixed" and isinstance(cell, str) else None
    return cell if number is None else number


def records(rows: int, seed: int = 0) -> dict[str, list]:
    """Columns of chosen cells: every cell at least once, then at random."""
    rng = np.random.default_rng(seed)
    return {
        name: [cells[place if place < len(cells) else int(rng.integers(len(cells)))] for place in rng.permutation(rows)]
        for name, cells in CELLS.items()
    }


_bounds = st.sampled_from([*_NUMBERS, *_LIMITS[:3], 0.46, 0.5, 12.0, 1e3, 1e-310])
_categories = st.sampled_from([*CELLS["t"][:-1], *CELLS["m"][:-1], "False", "never seen"])


def literals(features=FEATURES):
    """Any literal on any feature, also where it cannot hold."""
    feature = st.sampled_from(features)
    return st.one_of(
        st.builds(Literal, feature, st.sampled_from(["<=", ">"]), _bounds),
        st.builds(Literal, feature, st.sampled_from(["==", "!="]), _categories),
        st.builds(Literal, feature, st.sampled_from(["missing", "present"])),
    )


def _rules(head):
    bodies = st.lists(literals(), max_size=3).map(tuple)
    exceptions = st.recursive(
        st.builds(Rule, st.none(), bodies),
        lambda inner: st.builds(Rule, st.none(), bodies, st.lists(inner, max_size=3).map(tuple)),
        max_leaves=12,
    )
    return st.builds(Rule, head, bodies, st.lists(exceptions, max_size=3).map(tuple))


def programs():
    """Programs of a few nested rules over the four features, whose labels are of any one type."""
    labels = st.sampled_from(
        [("x", "it's", "\\", "a\nb", "</script>\u2028"), (1, 0, -7, 2**40), (0.1, -2.5, 1e-300, 1e23), (True, False)]
    )
    return labels.flatmap(
        lambda kind: st.builds(
            Program,
            st.just("y"),
            st.just(FEATURES),
            st.lists(_rules(st.sampled_from(kind)), max_size=4).map(tuple),
            st.sampled_from([None, *kind]),
        )
    )


def chain(depth: int, feature: str = "n", *, width: int = 1) -> Rule:
    """A rule nested as deep as given: n > 0, unless n > 1, unless n > 2, ...; ``width`` literals on every level."""
    rule = None
    for level in reversed(range(depth)):
        default = (Literal(feature, ">", float(level)), *(Literal("t", "!=", f"{level} {i}") for i in range(1, width)))
        rule = Rule("deep" if level == 0 else None, default, () if rule is None else (rule,))
    assert rule is not None
    return rule


def card_of(program: Program, labels: int, seed: int = 0) -> ScoreCard:
    """A card with points at random, for the labels of the program and others of the same kind."""
    known = set(program.labels)
    kind = next(iter(known), "a")
    others = [True, False] if isinstance(kind, bool) else range(100, 110) if not isinstance(kind, str) else "zyxwvu"
    classes = tuple(sorted([*known, *[one for one in others if one not in known][: max(labels - len(known), 0)]]))
    random, width = np.random.default_rng(seed), columns_of(classes)
    size = (len(parts_of(program)), width)
    return ScoreCard(program, classes, random.integers(-900, 900, width), random.integers(-900, 900, size))
