"""Programs and records whose numbers are dates, times, durations, levels of an order, flags and whole numbers."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from unless.rule import Literal, Program, Rule
from unless.table import Column, Table, domain_table
from unless.values.notation import (
    DATE,
    DATETIME,
    DURATION,
    FLAG,
    INSTANT,
    TIME,
    WHOLE,
    Amounts,
    DateNotation,
    LevelNotation,
)

__all__ = [
    "ENDS",
    "NOTATIONS",
    "SPELLED",
    "SPOKEN",
    "bounds",
    "cells",
    "domain",
    "number",
    "numbers",
    "programs",
    "records",
    "texts",
]

SIZE = LevelNotation(("S", "M", "not L", "L"))
EUROS = Amounts("1.234,5 €")
GERMAN = DateNotation("date", DATE.step, format="%d.%m.%Y")

NOTATIONS = st.sampled_from(
    [
        DATE,
        DATETIME,
        INSTANT,
        TIME,
        DURATION,
        SIZE,
        GERMAN,
        DateNotation("datetime", 1.0, format="%m/%d/%y  %H:%M:%S.%f"),
    ]
)
_CENTURIES = 4_000_000_000_000_000  # microseconds
numbers = st.one_of(
    st.integers(-_CENTURIES, _CENTURIES).map(float),
    st.integers(-50_000, 50_000).map(lambda day: float(day * DATE.step)),
    st.integers(-1000, 90_000_000).map(lambda count: count * 1000.0),
    st.floats(allow_nan=False),
    st.sampled_from(
        [-62135596800000000.0, -62135596800000001.0, 253402300799999968.0, 253402300800000000.0, -0.5, 1.5]
    ),
)

SPELLED = [
    "2020-08-01",
    "2020-8-1",
    "2020-02-30",
    "0000-01-01",
    "0001-01-01",
    "9999-12-31",
    " 2020-08-01 ",
    "2020-08-01T12:30",
    "2020-08-01 12:30:05.5",
    "2020-08-01 12:30Z",
    "2020-08-01T12:30:00.123456789+05:30",
    "2020-08-01 12:30-0530",
    "2020-08-01 12:30+05:99",
    "2020-08-01 24:00",
    "2020-08-01 12:60",
    "2020-08-01 12:30+24:00",
    "0001-01-01 00:00+05:00",
    "9999-12-31 23:00-05:00",
    "12:30",
    "7:30",
    "7:05:09.5",
    " 7:3",
    "12:30:05",
    "12:30:05.1234567",
    "24:00",
    "1:30",
    "12:30Z",
    "2 d 3 h",
    "15 min",
    "-0.5 s",
    "2 d",
    "3 h 2 d",
    "2 d  3 h",
    "1.2.3 s",
    ". s",
    "5. s",
    ".5 s",
    "P2DT3H",
    "-PT0.5S",
    "P",
    "PT",
    "P1DT",
    "2 days, 3:00:00",
    "-1 days +23:59:59.5",
    "1 day",
    "1 day 1:2:3",
    "2020-08-01\n",
    "\t12:30",
    "01.08.2020",
    "1.8.2020",
    " 1.8.2020",
    "31.02.2020",
    "01.08.20",
    "08/01/20 12:30:05.5",
    "8/1/68  1:2:3.000001",
    "08/01/69 12:30:61.0",
    "12/31/69 12:30:59.0",
    "S",
    "M",
    "not L",
    "s",
    "soon",
    "2020",
    "١٢:٣٠",
    "",
]
texts = st.text("0123456789-:.T Zdhmins", max_size=20)

_NOTATED = {"when": DATE, "seen": INSTANT, "at": TIME, "took": DURATION, "size": SIZE, "flag": FLAG, "count": WHOLE}
_NOTATED |= {"cost": EUROS}
_VALUES = {
    "when": ("2020-07-31", "2020-08-01", "2020-08-01 12:30", "2021-01-01"),
    "seen": ("2021-03-01 12:30Z", "2021-03-01 12:30:00.000001Z", "2021-03-02 00:00Z"),
    "at": ("00:00", "12:30", "12:30:05.5", "23:59"),
    "took": ("-3 h", "0 s", "15 min", "2 d 3 h"),
    "size": SIZE.levels,
}
_NUMBERS = {name: [_NOTATED[name].number(text) for text in texts] for name, texts in _VALUES.items()}
_NUMBERS |= {"flag": [0.0, 1.0], "count": [0.0, 2.0, 3.0, 12_000.0], "cost": [-0.5, 99.95, 1200.0, 29.999999999999996]}
_BOUNDS = {
    **_NUMBERS,
    "flag": [0.0, 0.5],
    "count": [0.5, 2.0, 3.5, 3.0],
    "cost": [0.5, 99.95, 1200.0, 29.999999999999996],
}

ENDS = {"size": (0.0, len(SIZE.levels) - 1.0), "flag": (0.0, 1.0)}
"""What numbers of a feature may be, where not any."""


def _noted(name: str, number: float) -> float:
    return _NOTATED[name].value(number)


def number(name: str, spelled: str | float) -> float:
    """A number of a feature, which knows how it is written."""
    return _noted(name, spelled if isinstance(spelled, float) else _NOTATED[name].number(spelled))


def bounds(name: str) -> list[float]:
    """Thresholds of a feature."""
    return [_noted(name, bound) for bound in _BOUNDS[name]]


def cells(name: str) -> list[tuple[str, float]]:
    """Cells of a feature: their texts and their numbers."""
    return [(str(number), number) for number in (_noted(name, number) for number in _NUMBERS[name])]


def _column(name: str) -> Column:
    cells = [_noted(name, number) for number in _NUMBERS[name]]
    return replace(Column.of(name, [*cells, *(["unknown"] if name == "when" else [])]), notation=_NOTATED[name])


def _domain() -> Table:
    columns = [domain_table(Table((_column(name),)), [name]).columns[0] for name in _NOTATED]
    return Table(tuple(columns), rows=0)


_DOMAIN = _domain()


def domain(program: Program) -> Table:
    """What the features may be, as a program reads them: dates that it does not compare are texts."""
    return Table(tuple(column.in_notation(program.notations.get(column.name)) for column in _DOMAIN.columns), rows=0)


_names = st.sampled_from(list(_NOTATED))
_literals = st.one_of(
    _names.flatmap(
        lambda name: st.builds(
            Literal,
            st.just(name),
            st.sampled_from(["<=", ">"]),
            st.sampled_from([_noted(name, bound) for bound in _BOUNDS[name]]),
        )
    ),
    st.builds(Literal, st.just("when"), st.sampled_from(["==", "!="]), st.sampled_from(["unknown", "soon"])),
    st.builds(Literal, _names, st.sampled_from(["missing", "present"])),
)
_defaults = st.lists(_literals, max_size=3).map(tuple)
_exceptions = st.lists(st.builds(Rule, st.none(), _defaults), max_size=2).map(tuple)
_rules = st.builds(Rule, st.sampled_from("abc"), _defaults, _exceptions)

programs = st.builds(
    Program,
    st.just("y"),
    st.just(tuple(_NOTATED)),
    st.lists(_rules, min_size=1, max_size=4).map(tuple),
    st.sampled_from(["a", None]),
)


def _cells(name: str) -> list[object]:
    """Values of a feature as records have them: numbers that know their notation, texts, none."""
    own = [_noted(name, number) for number in _NUMBERS[name]]
    return [*own, *_VALUES.get(name, ()), "unknown", None, 7.0 if name == "count" else "2020"]


records = st.fixed_dictionaries({name: st.sampled_from(_cells(name)) for name in _NOTATED})

SPOKEN = Program(
    "y",
    tuple(_NOTATED),
    (
        Rule("a", (Literal("when", ">", _noted("when", _NUMBERS["when"][1])),)),
        Rule("b", (Literal("size", "<=", _noted("size", 1.0)),)),
        Rule("c", (Literal("flag", ">", _noted("flag", 0.0)),)),
    ),
    "d",
)
