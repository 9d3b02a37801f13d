"""Programs and records for every executor: what Hypothesis draws, and cells chosen to be misunderstood.

There is one feature of each kind: ``n`` numbers, ``t`` text, ``m`` mixed (text that may spell numbers), ``b`` booleans.
`noted_cases` has others, whose numbers are dates, times, durations, levels of an order or flags.
And there is one for each notation: ``d`` dates, ``s`` dates with a time, ``i`` instants, ``c`` times of the day, ``u``
durations, ``o`` an order, ``f`` flags, and ``p`` text that is not compared by its order.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time, timedelta, timezone

import numpy as np
from hypothesis import strategies as st

from unless.rule import Literal, Program, Rule
from unless.score.program_parts import program_parts
from unless.score.score_card import ScoreCard, point_columns, tested_numbers
from unless.table import Column, Table, name_special_codes
from unless.values import cell_value, parse_number, value_in_notation
from unless.values.notation import (
    DATE,
    DATETIME,
    DAY,
    DURATION,
    FLAG,
    INSTANT,
    TIME,
    DateNotation,
    LevelNotation,
    NotatedNumber,
    Notation,
)

__all__ = [
    "CELLS", "FEATURES", "KINDS", "NOTATIONS", "NOTED_TEXTS", "SPECIAL", "TIMED", "card_of", "chain", "held_by",
    "ladder", "literals", "meaning", "notations", "noted_cases", "noted_literals", "noted_numbers", "noted_programs",
    "programs", "records", "with_special",
]  # fmt: skip

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
    number = parse_number(cell) if kind == "mixed" and isinstance(cell, str) else None
    return cell if number is None else number


SPECIAL = {
    "n": ((-1.5, "gone"), (0.1, "tenth"), (1e300, "a")),
    "m": ((-0.0005, "gone"), (0.46, "never seen"), (2.5, "half"), (1000.0, "a")),
}
"""Special codes of numbers and of mixed cells; one of the names is a category of its own as well."""


def with_special(table: Table) -> Table:
    """The same table, with numbers that are special codes as the categories that they name."""
    columns = (name_special_codes(column, SPECIAL.get(column.name, ())) for column in table.columns)
    return Table(tuple(columns), table.target, len(table))


_OTHER_ZONE = re.compile(r"[+-](?!00:?00)[0-9]{2}:?[0-9]{2} *$")


def held_by(dialect: str, cells: dict[str, list]) -> dict[str, list]:
    """The columns and cells that a database has types for.

    MySQL knows no infinite numbers, and of zones in text only UTC.
    """
    lacking = {"sqlite": "u", "mysql": "iu"}.get(dialect, "") if "u" in cells else ""

    def held(cell: object) -> bool:
        if isinstance(cell, float):
            return math.isfinite(cell)
        return not (isinstance(cell, str) and _OTHER_ZONE.search(cell))

    found = {name: own for name, own in cells.items() if name not in lacking}
    return {name: [*filter(held, own)] for name, own in found.items()} if dialect == "mysql" else found


def records(rows: int, seed: int = 0, cells: dict[str, list] = CELLS) -> dict[str, list]:
    """Columns of chosen cells: every cell at least once, then at random."""
    rng = np.random.default_rng(seed)
    return {
        name: [known[place if place < len(known) else int(rng.integers(len(known)))] for place in rng.permutation(rows)]
        for name, known in cells.items()
    }


_JUST_BELOW = (29.999999999999996, 0.7999999999999999, -5e-324)  # said as below 30, 0.8 and 0
_bounds = st.sampled_from([*_NUMBERS, *_LIMITS[:3], 0.46, 0.5, 12.0, 1e3, 1e-310, *_JUST_BELOW])
_categories = st.sampled_from([*CELLS["t"][:-1], *CELLS["m"][:-1], "False", "never seen", "gone", "tenth", "half"])


def literals(features=FEATURES):
    """Any literal on any feature, also where it cannot hold."""
    feature = st.sampled_from(features)
    return st.one_of(
        st.builds(Literal, feature, st.sampled_from(["<=", ">"]), _bounds),
        st.builds(Literal, feature, st.sampled_from(["==", "!="]), _categories),
        st.builds(Literal, feature, st.sampled_from(["missing", "present"])),
    )


def _rules(head, tests=None):
    bodies = st.lists(literals() if tests is None else tests, max_size=3).map(tuple)
    exceptions = st.recursive(
        st.builds(Rule, st.none(), bodies),
        lambda inner: st.builds(Rule, st.none(), bodies, st.lists(inner, max_size=3).map(tuple)),
        max_leaves=12,
    )
    return st.builds(Rule, head, bodies, st.lists(exceptions, max_size=3).map(tuple))


def programs(tests=None, features=FEATURES):
    """Programs of a few nested rules over the four features, whose labels are of any one type."""
    tests = literals() if tests is None else tests
    labels = st.sampled_from(
        [("x", "it's", "\\", "a\nb", "</script>\u2028"), (1, 0, -7, 2**40), (0.1, -2.5, 1e-300, 1e23), (True, False)]
    )
    return labels.flatmap(
        lambda kind: st.builds(
            Program,
            st.just("y"),
            st.just(features),
            st.lists(_rules(st.sampled_from(kind), tests), max_size=4).map(tuple),
            st.sampled_from([None, *kind]),
        )
    )


# Numbers that are dates, times, durations, levels and flags.

_STEPS = st.sampled_from([0, 0, 1, -1, 10, 500_000, 1_000_000, 60_000_000, 3_600_000_000, DAY, -DAY])
_FIRST, _LAST, *_NUMBERS = map(DATE.number, ("0001-01-01", "9999-12-31", "1970-01-01", "2020-08-01", "2020-08-02"))
_days = st.sampled_from([_FIRST, _LAST, *_NUMBERS]) | st.integers(-(10**4), 10**5).map(lambda day: float(day * DAY))
_NAMES, _JUNK = st.sampled_from([*FEATURES, "y"]), st.sampled_from(["a", "soon", "3", ""])


def notations(levels=_JUNK):
    """Any notation of numbers; the levels of an order are texts that the caller may choose."""
    orders = st.lists(levels, min_size=1, max_size=5, unique=True).map(lambda found: LevelNotation(tuple(found)))
    known = [DATE, DATETIME, INSTANT, TIME, DURATION, FLAG, DateNotation("date", float(DAY), format="%d.%m.%Y")]
    return st.one_of(st.sampled_from(known), orders)


def noted_numbers(notation: Notation):
    """Numbers of a notation, many of them close to each other."""
    match notation:
        case LevelNotation(levels):
            return st.integers(0, len(levels) - 1).map(float)
        case DateNotation(name="date"):
            return _days
        case DateNotation():
            return st.builds(lambda day, step: min(max(day + step, _FIRST), _LAST), _days, _STEPS)
    if notation == TIME:
        return st.builds(lambda time, step: (time * 1_800_000_000 + step) % DAY, st.integers(0, 47), _STEPS).map(float)
    if notation == FLAG:
        return st.sampled_from([0.0, 1.0])
    lengths = st.one_of(st.just(0), st.integers(-(10**5), 10**5), st.timedeltas().map(timedelta.total_seconds))
    return st.builds(lambda length, step: float(int(length) * 1_000_000 + step), lengths, _STEPS)


@st.composite
def noted_cases(draw, names=_NAMES, texts=_JUNK):
    """A program whose thresholds are in notations, and a table for it, read in the same notations or otherwise."""
    target, *features = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    written = {feature: draw(notations(texts)) for feature in features}
    # few numbers per feature, so that thresholds and cells meet
    some = {name: draw(st.lists(noted_numbers(one), min_size=1, max_size=4)) for name, one in written.items()}
    bounds = [
        st.builds(Literal, st.just(name), st.sampled_from(["<=", ">"]), st.sampled_from(some[name]).map(one.value))
        for name, one in written.items()
    ]
    feature = st.sampled_from(features)
    categories = [
        st.builds(
            Literal,
            st.just(name),
            st.sampled_from(["==", "!="]),
            texts.filter(lambda text, one=one: one.number(text) is None),
        )
        for name, one in written.items()
    ]
    others = st.one_of(*categories, st.builds(Literal, feature, st.sampled_from(["missing", "present"])))
    rules = draw(st.lists(_rules(st.sampled_from("xyz"), st.one_of(*bounds, *bounds, others)), max_size=5))
    rows = draw(st.integers(0, 8))
    columns = [_noted_column(draw, name, rows, one, some[name], texts) for name, one in written.items()]
    return Program(target, tuple(features), tuple(rules), draw(st.sampled_from([None, "x"]))), Table(tuple(columns))


def _noted_column(draw, name: str, rows: int, notation: Notation, some: list[float], texts) -> Column:
    """A column in a notation, of texts that are in it, or of plain numbers."""
    form = draw(st.sampled_from([notation.value, notation.value, notation.text, float]))
    numbers = st.one_of(st.sampled_from(some), noted_numbers(notation)).map(form)
    cells = draw(st.lists(st.one_of(numbers, numbers, texts, st.none()), min_size=rows, max_size=rows))
    return Column.of(name, cells)


# Notations.


_LEVELS = LevelNotation(("S", "M", "it's", "L", "3", "2020-08-01"))
NOTATIONS = {"d": DATE, "s": DATETIME, "i": INSTANT, "c": TIME, "u": DURATION, "o": _LEVELS, "f": FLAG}
_DAYS = [date(2020, 8, 1), date(2020, 7, 31), date(1969, 12, 31), date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29)]
_TIMES = (
    "2020-08-01 12:30|2020-08-01 00:00:00.000001|2020-07-31 23:59:59.999999|2020-08-01 12:30:05.500000"
    "|1600-03-01 01:02:03.456789|9000-03-01 01:02:03.456789|9000-03-01 01:02:03.456800|9999-12-31 23:59:59.999999"
)
_STAMPS = [datetime.fromisoformat(text) for text in (*map(str, _DAYS), *_TIMES.split("|"))]
_EAST, _WEST = timezone(timedelta(hours=14)), timezone(-timedelta(hours=3, minutes=30))
TIMED: dict[str, list] = {
    "d": [*_DAYS, None],
    "s": [*_STAMPS, None],
    "i": [
        *(stamp.replace(tzinfo=UTC) for stamp in _STAMPS),
        *(stamp.replace(tzinfo=zone) for stamp in _STAMPS for zone in (_EAST, _WEST) if 2 < stamp.year < 9999),
        None,
    ],
    "c": [time(), time(12), time(12, 30), time(12, 30, 5), time(12, 30, 5, 1), time(23, 59, 59, 999999), None],
    "u": [
        *(timedelta(), timedelta(days=2, hours=3), timedelta(seconds=-0.5), timedelta(microseconds=1), None),
        *(timedelta(days=-3, hours=5), timedelta(days=150000, microseconds=3), timedelta(minutes=15), timedelta(1)),
    ],
    "o": [*_LEVELS.levels, "s", "XL", "M ", "", "1", "2", None],
    "f": [0.0, 1.0, 2.0, 0.5, -1.0, None],
    "p": [*_DAYS, None],
}  # fmt: skip
"""Cells that have the types of their notations."""

_MOMENT_TEXTS = (
    "2020-08-01|2020-08-01 00:00|2020-08-01T00:00:00| 2020-08-01 |2020-08-01 12:30|2020-08-01T12:30:00.5|2024-02-29"
    "|2020-08-01 00:00:00.000000999|2020-08-01 00:00:00.0000010|2020-07-31T23:59:59.999999999|0001-01-01|9999-12-31"
    "|2020-08-01T12:30Z|2020-08-01 12:30:00+00:00|2020-08-01 14:30:00+02:00|2020-08-01T02:30:00.25-1000"
    "|2020-07-31 20:00-04:00|2020-08-01T00:00:00.1234567+1400| 1969-12-31 23:59:59.999999Z "
    "|9000-03-01 01:02:03.456789|1600-03-01 01:02:03.456789|2020-08-01T05:30:00.000001+0530"
    "|9999-12-31 23:59:59.999999|2000-02-29|2020-08-01 12:30:05-00:00"
)
_NO_MOMENTS = (
    "2020-02-30|2023-02-29|1900-02-29|2020-13-01|2020-00-10|2020-08-00|0000-01-01|20200801|2020-8-1|2020-08-01Z"
    "|2020-08-01+02:00|2020-08-01 24:00|2020-08-01 12:60|2020-08-01 12:30:60|2020-08-01 12|2020-08-01T"
    "|2020-08-01  12:30|2020-08-01 12:30.|2020-08-01 12:30:05.|2020-08-01 12:30:05.1234567890|2020-08-01 12:30z"
    "|2020-08-01t12:30|2020-08-01 12:30 Z|2020-08-01 12:30+2|2020-08-01 12:30+02:60|now|soon||NaN|2020|2458849.5"
    "|-2020-08-01|12:30|2020-08-01\n|\t2020-08-01|2020-08-01 12:30+|２０２０-08-01|2020-08-01 12:3|2020-08-01-02:00"
    "|2020-08-01 12:30:0"
)
_CLOCK_TEXTS = (
    "7:30|0:00| 9:05:00.5 |"
    "00:00|12:00|12:30|12:30:00| 12:30:05|12:30:05.000001|12:30:05.0000009|12:30:05.5|23:59:59.999999"
    "|23:59:59.999999999"
)
_NO_CLOCKS = (
    "24:00|12:60|1:30|12:30:60|12:30:|12:30:05.|12:30:05.1234567890|12|noon|12:30Z|1230|12:30:05,5|now||0.5|12:30\n"
)
NOTED_TEXTS: dict[str, list] = {
    **{name: [*f"{_MOMENT_TEXTS}|{_NO_MOMENTS}".split("|"), None] for name in "dsi"},
    "c": [*f"{_CLOCK_TEXTS}|{_NO_CLOCKS}".split("|"), None],
    "o": TIMED["o"],
    "f": TIMED["f"],
    "p": [*f"{_MOMENT_TEXTS}".split("|"), None],
}
"""Cells of text, in which some are dates and times."""


def _thresholds(notation):
    known = [*(cell_value(cell) for cells in TIMED.values() for cell in cells), *_IN_TEXT]
    own = [*range(-1, 7), 0.5] if isinstance(notation, LevelNotation) else [0.0, 0.5, 1.0, -1.0, 2.0]
    if isinstance(notation, DateNotation):
        own += [
            float(one) for one in known if isinstance(one, NotatedNumber) and isinstance(one.notation, DateNotation)
        ]
        own += [math.nextafter(one, way) for one in own for way in (-math.inf, math.inf)]
    else:
        own += [float(one) for one in known if isinstance(one, NotatedNumber) and one.notation == notation]
    return sorted({*own, math.inf, -math.inf})


_IN_TEXT = [value_in_notation(text, INSTANT) for text in _MOMENT_TEXTS.split("|")]


def ladder(feature, every=1):
    """A program that tells the thresholds of a feature apart: the label is the first one that a cell is at most.

    Of more than a hundred, only each ``every``-th. They come by threes, a cell and the floats beside it: a multiple
    of three would find one kind only.
    """
    bounds = [NOTATIONS[feature].value(float(bound)) for bound in _thresholds(NOTATIONS[feature])]
    bounds = bounds[::every] if len(bounds) > 100 else bounds
    rules = [Rule(number, (Literal(feature, "<=", bound),)) for number, bound in enumerate(bounds)]
    return Program("y", (feature,), (*rules, Rule(-1, (Literal(feature, "present"),))))


def noted_literals(feature):
    """Any literal on a feature that is written in a notation."""
    words = st.sampled_from(["soon", "XL", "12:60", "2020-02-30", "2020-08-01", "M", "12:30", "2 d 3 h", "1", ""])
    if known := NOTATIONS.get(feature):
        words = words.filter(lambda word: known.number(word) is None)  # a program would be refused
    tests = [
        st.builds(Literal, st.just(feature), st.sampled_from(["==", "!="]), words),
        st.builds(Literal, st.just(feature), st.sampled_from(["missing", "present"])),
    ]
    if notation := NOTATIONS.get(feature):
        bound = st.sampled_from(_thresholds(notation)).map(notation.value)
        tests.append(st.builds(Literal, st.just(feature), st.sampled_from(["<=", ">"]), bound))
    return st.one_of(*reversed(tests))


def noted_programs(features=tuple(TIMED)):
    """Programs that compare dates, times, durations, levels and flags."""
    return programs(st.sampled_from(features).flatmap(noted_literals), tuple(features))


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
    random, width, cuts = np.random.default_rng(seed), point_columns(classes), cuts_of(program)
    size = (len(program_parts(program, cuts)), width)
    return ScoreCard(program, classes, random.integers(-900, 900, width), random.integers(-900, 900, size), cuts)


def cuts_of(program: Program) -> tuple[Literal, ...]:
    """Cuts for each feature whose numbers rules test: the opposite of a test, and two at numbers that they may lack."""
    opposite = {"<=": ">", ">": "<="}
    tested, found = tested_numbers(program), dict[Literal, None]()
    for feature, tests in tested.items():
        first = min(tests, key=lambda one: (float(one.value), one.op))
        found[Literal(feature, opposite[first.op], first.value)] = None
        found.update((Literal(feature, ">", value), None) for value in _others(first.value))
    return tuple(cut for cut in found if cut not in tested[cut.feature])


def _others(value: float) -> list[float]:
    """Two other numbers, written in the same way."""
    if isinstance(value, NotatedNumber) and not value.notation.step:
        return [value.notation.value(value + 1.5), value.notation.value(value - 2.0)]
    if not isinstance(value, NotatedNumber) or value.notation.plain:
        return [value + 1.5, value - 2.0]
    known = _thresholds(value.notation)
    return [value.notation.value(one) for one in known[len(known) // 2 :][:2]]
