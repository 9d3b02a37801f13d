"""Python and JavaScript: the exported functions, run, give what the program gives."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unless
from tests.models import model_of_program
from tests.shared import SHARED, needs_compiled, needs_shared
from tests.strategies import (
    CELLS,
    FEATURES,
    KINDS,
    NOTATIONS,
    NOTED_TEXTS,
    TIMED,
    card_of,
    chain,
    ladder,
    meaning,
    noted_programs,
    programs,
    records,
)  # fmt: skip
from unless.errors import ParameterError, ProgramError
from unless.export import to_javascript, to_python
from unless.model.points import expand_to_all_labels
from unless.model.prediction import deciding_rules
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table
from unless.values import cell_value
from unless.values.notation import DAY, DURATION, FLAG, DateNotation, LevelNotation, NotatedNumber

COLUMNS = records(120)
RECORDS = [
    {name: meaning(KINDS[name], cell) for name, cell in zip(COLUMNS, row, strict=True)}
    for row in zip(*COLUMNS.values(), strict=True)
]
TABLE = Table(tuple(Column.of(name, [record[name] for record in RECORDS]) for name in FEATURES))


_DURATIONS = (
    "2 d 3 h|15 min|-0.5 s|0 s|P2DT3H|-PT0.5S|PT15M|P2D|PT0.0000019S|2 days, 3:00:00|-3 days +05:00:00"
    "|-1 day, 23:59:59.5|1 day|1 days|P|PT|P1DT|PT.S|. s|1.2.3 s|5|2 d  3 h|soon||3:00:00|150000 d 0.000003 s"
    "| 15 min |1 s.|99999999999999999999 d"
)
DURATION_TEXTS = [*_DURATIONS.split("|"), "9" * 400 + " d", None]


def python(program, **options):
    """The exported Python function, in a namespace of its own."""
    names: dict = {}
    exec(compile(to_python(program, **options), "exported", "exec"), names)
    return names[options.get("name", "classify")]


def table_for(program):
    """The records as the program reads them."""
    return unless.read_table(RECORDS, like=program)


def decided(program, table=None):
    """The label and the number of the deciding rule of every record."""
    table = table_for(program) if table is None else table
    rules = [None if rule < 0 else rule + 1 for rule in deciding_rules(program, table).tolist()]
    return list(zip(unless.predict(program, table).tolist(), rules, strict=True))


def noted(cells):
    """Records of cells in notations."""
    columns = records(80, cells=cells)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


NOTED = {"typed": noted(TIMED), "text": noted(NOTED_TEXTS | {"u": DURATION_TEXTS})}


@given(program=programs())
@settings(max_examples=150, deadline=None)
def test_python_agrees_on_every_program(program):
    """The Python function gives the label and the rule of the program, whatever the program and the cells."""
    assert list(map(python(program, what="both"), RECORDS)) == decided(program)


@given(program=programs())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_javascript_agrees_on_every_program(node, program):
    """The JavaScript function gives the label and the rule of the program, whatever the program and the cells."""
    found = node.run(to_javascript(program, what="both"), RECORDS)
    assert [(answer["label"], answer["rule"]) for answer in found] == decided(program)


@pytest.mark.parametrize("cells", NOTED)
@given(program=noted_programs())
@settings(max_examples=150, deadline=None)
def test_python_agrees_on_dates_times_durations_and_orders(cells, program):
    """A date is a date as an object and as a text, and junk is none, exactly as in `predict`."""
    rows, table = NOTED[cells], unless.read_table(NOTED[cells], like=program)
    assert list(map(python(program, what="both"), rows)) == decided(program, table)


@given(program=noted_programs())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_javascript_agrees_on_dates_times_durations_and_orders(node, program):
    """The same in JavaScript, of text."""
    rows, table = NOTED["text"], unless.read_table(NOTED["text"], like=program)
    found = node.run(to_javascript(program, what="both"), rows)
    assert [(answer["label"], answer["rule"]) for answer in found] == decided(program, table)


@pytest.mark.parametrize("feature", NOTATIONS)
def test_every_threshold_of_a_notation(node, feature):
    """Python and JavaScript find the same first threshold as `predict` among all, also one float beside a cell."""
    program = ladder(feature)
    for cells, rows in NOTED.items():
        wanted = decided(program, unless.read_table(rows, like=program))
        assert list(map(python(program, what="both"), rows)) == wanted
        if cells == "text":
            found = node.run(to_javascript(program, what="both"), rows)
            assert [(answer["label"], answer["rule"]) for answer in found] == wanted


@given(program=noted_programs(("i", "p")))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_date_of_javascript_is_an_instant(node, program):
    """A Date counts milliseconds in UTC; an invalid one is missing."""
    stamps = [cell and cell.replace(microsecond=cell.microsecond // 1000 * 1000) for cell in TIMED["i"]]
    table = Table((Column.of("i", stamps), Column.of("p", stamps)))
    texts = ["new Date(NaN)" if cell is None else f"new Date({cell.timestamp() * 1000:.0f})" for cell in stamps]
    found = node.run(to_javascript(program, what="both"), f"[{', '.join(f'{{i: {one}, p: {one}}}' for one in texts)}]")
    assert [(answer["label"], answer["rule"]) for answer in found] == decided(program, table)


def model_of(program, labels=3, seed=0):
    """A model with points at random."""
    return model_of_program(program, lazy_card=card_of(program, labels, seed))


@given(program=programs(), labels=st.integers(2, 4), seed=st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_python_gives_the_points_and_probabilities_of_the_card(program, labels, seed):
    """Of each label, as the score card adds them up."""
    model, table = model_of(program, labels, seed), table_for(program)
    points = expand_to_all_labels(model.card.totals(table), len(model.card.classes)).tolist()
    assert [list(one.values()) for one in map(python(model, what="points"), RECORDS)] == points
    found = list(map(python(model, what="probability"), RECORDS))
    assert [list(one) for one in found] == [list(model.card.classes)] * len(RECORDS)
    shares = np.array([list(one.values()) for one in found])
    np.testing.assert_allclose(shares, model.card.probabilities(table), rtol=0, atol=1e-9)
    for label, row in zip(unless.predict(program, table), shares, strict=True):
        assert label is None or model.card.classes[row.argmax()] == label


@given(program=programs(), labels=st.integers(2, 4), seed=st.integers(0, 9))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_javascript_gives_the_points_and_probabilities_of_the_card(node, program, labels, seed):
    """Of each label, as the score card adds them up."""
    model, table = model_of(program, labels, seed), table_for(program)
    points = [[one["points"] for one in row] for row in node.run(to_javascript(model, what="points"), RECORDS)]
    assert points == expand_to_all_labels(model.card.totals(table), len(model.card.classes)).tolist()
    found = node.run(to_javascript(model, what="probability"), RECORDS)
    assert [one["label"] for one in found[0]] == list(model.card.classes)
    shares = np.array([[one["probability"] for one in row] for row in found])
    np.testing.assert_allclose(shares, model.card.probabilities(table), rtol=0, atol=1e-9)


@pytest.mark.parametrize("write", [to_python, to_javascript])
def test_a_program_has_no_probabilities(write):
    """Only a model has points."""
    for returns in ("points", "probability"):
        with pytest.raises(ParameterError, match="pass the model"):
            write(Program("y", ("f",), (), "no"), what=returns)


STAMP = datetime.fromisoformat("2024-05-01 00:00:00.000001")
NOON = datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
DAYS = DateNotation("date", float(DAY), format="%d.%m.%y")
GRID = [
    Literal("f", op, value)
    for ops, values in [
        (("<=", ">"), (0.0, 1.0, 2.5, math.inf, -math.inf)),
        (("==", "!="), ("a", "True", "3", "2024-05-01", "2024-05-01T00:00:00", "None", "nan", "12:30", "2 d 3 h")),
        (("<=", ">"), map(cell_value, (date(2024, 5, 1), STAMP, time(12), timedelta(2), NOON))),
        (
            ("<=", ">"),
            (
                NotatedNumber(0.0, FLAG),
                NotatedNumber(1.0, LevelNotation(("a", "3", "2.5", "2024-05-01"))),
                DAYS.value(DAYS.number("1.5.24")),
            ),
        ),
        (("missing", "present"), (None,)),
    ]
    for op in ops
    for value in values
]


@pytest.mark.parametrize("literal", GRID, ids=str)
def test_python_reads_cells_as_unless_does(literal):
    """The grid of values: Python, numpy and pandas cells mean what `cell_value` says."""
    cells = [
        0,
        1,
        2.5,
        -0.0,
        True,
        False,
        None,
        math.nan,
        math.inf,
        -math.inf,
        10**400,
        -(10**400),
        "a",
        "3",
        "",
        "nan",
    ]
    cells += [Decimal("2.5"), Decimal("NaN"), Fraction(1, 3), b"a", date(2024, 5, 1), datetime(2024, 5, 1), ("a",)]  # noqa: DTZ001
    cells += [np.float32(2.5), np.float64("nan"), np.int8(1), np.uint64(2**64 - 1), np.bool_(True), np.str_("a")]
    cells += [time(12, 30), time(11, 59, tzinfo=UTC), timedelta(days=2, hours=3), timedelta(-1), NOON, datetime.max]  # noqa: DTZ901
    cells += [
        np.datetime64("2024-05-01T10:00:00.000000999"),
        np.timedelta64(51, "h"),
        np.timedelta64("NaT"),
        "2.5.24",
        "1.05.24",
    ]
    cells += [
        pd.Timestamp("2024-05-01 00:00:00.000001999"),
        pd.Timestamp("2024-05-01 14:00", tz="Asia/Tokyo"),
        "31.4.24",
    ]
    cells += [
        pd.Timedelta(days=2, microseconds=1),
        pd.Timedelta(nanoseconds=-1),
        "2024-05-01",
        "12:30",
        "P2DT3H",
        datetime.min,  # noqa: DTZ901
    ]
    cells += [np.datetime64("2024-05-01"), np.datetime64("NaT", "D"), pd.NA, pd.NaT, pd.Timestamp("2024-05-01"), 1j]
    program = Program("y", ("f",), (Rule("yes", (literal,)),), "no")
    function = python(program)
    for cell in cells:
        holds = literal.holds(program.read({"f": cell})["f"])
        assert function({"f": cell}) == ("yes" if holds else "no"), cell


@pytest.mark.parametrize("literal", GRID, ids=str)
def test_javascript_reads_cells_as_unless_does(node, literal):
    """The grid of values: null, undefined, NaN and an absent property are missing, booleans are texts."""
    cells = {
        "0": 0,
        "1": 1,
        "2.5": 2.5,
        "-0": 0,
        "true": "True",
        "false": "False",
        "null": None,
        "undefined": None,
        "NaN": None,
    }
    cells |= {
        '"1.5.24"': "1.5.24",
        '"31.04.24"': "31.04.24",
        '" 2.5.24"': " 2.5.24",
        '"2024-05-01"': "2024-05-01",
        "20": 20,
    }
    cells |= {"new Date(Date.UTC(2024, 4, 1, 10))": datetime(2024, 5, 1, 10, tzinfo=UTC), "new Date(NaN)": None}
    cells |= {"Infinity": math.inf, "-Infinity": -math.inf, '"a"': "a", '"3"': "3", '""': "", '"nan"': "nan", "10n": 10}
    program = Program("y", ("f",), (Rule("yes", (literal,)),), "no")
    found = node.run(to_javascript(program), f"[{', '.join(f'{{f: {cell}}}' for cell in cells)}, {{}}]")
    read = [program.read({"f": cell})["f"] for cell in [*cells.values(), None]]
    assert found == ["yes" if literal.holds(cell) else "no" for cell in read]


def test_long_texts_are_no_durations_at_once(node):
    """A long text that is almost a duration is a text, and found to be one at once."""
    cells = ["0" * 200_000 + "x", " " * 200_000 + "x", "7 s" + " " * 200_000 + "x", " 7 s" + " " * 200_000]
    program = Program("y", ("f",), (Rule("long", (Literal("f", ">", NotatedNumber(5e6, DURATION)),)),), "short")
    started = perf_counter()
    assert node.run(to_javascript(program), [{"f": cell} for cell in cells]) == ["short"] * 3 + ["long"]
    assert perf_counter() - started < 10  # the square of the length takes minutes


NAMES = [
    "select",
    'say "hi"',
    "it's",
    "new\nline",
    "a b",
    "a-b",
    "é😀",
    "\\",
    "",
    "1",
    "class",
    "__proto__",
    "constructor",
]
NAMES += [
    "</script>",
    "*/",
    "\u2028",
    "\ud800",
    "\0",
    "${x}",
    "`",
    "{0}",
    "v",
    "record",
    "value",
    "number",
    "A B",
    "toString",
]


def adversarial():
    """A program with a rule for every name; each record has one name's text."""
    rules = tuple(
        Rule(f"label {name}", (Literal(name, "==", f"value {name}"), Literal(name, "present"))) for name in NAMES
    )
    return Program("tar\"get'\n", tuple(NAMES), rules), [
        {name: f"value {name}" if name == chosen else None for name in NAMES} for chosen in NAMES
    ]


def test_any_name_in_python():
    """Names, values and labels of any characters come through, in a source that is ASCII."""
    program, rows = adversarial()
    assert list(map(python(program), rows)) == [f"label {name}" for name in NAMES]
    assert to_python(program).isascii()


def test_any_name_in_javascript(node):
    """The same in JavaScript; properties that every object inherits are not the record's."""
    program, rows = adversarial()
    source = to_javascript(program)
    parsed = f"[{', '.join(f'JSON.parse({json.dumps(json.dumps(row))})' for row in rows)}, {{}}]"
    # JSON writes half a surrogate pair as it is in Node 20, and Python reads it back
    assert node.run(source, parsed) == [*(f"label {name}" for name in NAMES), None]
    assert source.isascii()


def test_javascript_may_stand_in_a_page():
    """No text can end the script that holds it, or begin a comment of HTML."""
    texts = ["</script>", "</SCRIPT >", "<!--", "-->", "]]>", "<script>", "\u2028", "&lt;"]
    rules = tuple(Rule(text, (Literal(text, "!=", text),)) for text in texts)
    source = to_javascript(Program("</script>y", tuple(texts), rules, "</script>"), what="both")
    assert not any(text.lower() in source.lower() for text in ("</script", "<!--", "-->", "]]>", "\u2028", "&lt;"))


@pytest.mark.parametrize("width", [1, 8])
def test_200_levels_deep(node, width):
    """The deepest program that is allowed runs in both languages."""
    program = Program("y", ("n", "t"), (chain(200, width=width),), "no")
    rows = [{"n": level - 0.5, "t": "a"} for level in range(203)]
    wanted = [program.label(row) for row in rows]
    assert list(map(python(program), rows)) == wanted
    assert node.run(to_javascript(program), rows) == wanted


def test_a_thousand_rules(node):
    """Long lists of rules run in both languages."""
    rules = tuple(
        Rule(number, (Literal("n", "<=", number + 0.5),), (Rule(None, (Literal("n", ">", number + 0.2),)),))
        for number in range(1000)
    )
    program = Program("y", ("n",), rules)
    rows = [{"n": value / 3} for value in range(-3, 3100, 7)]
    wanted = [program.label(row) for row in rows]
    assert list(map(python(program), rows)) == wanted
    assert node.run(to_javascript(program), rows) == wanted


@needs_shared
@needs_compiled
@pytest.mark.parametrize("name", ["anneal", "wine", "credit-a", "yeast", "kidney"])
def test_learned_programs(node, name):
    """What is learned from the paper's data decides every record as `predict` does, in both languages."""
    table = SHARED.table(name)
    rows = [table.record(row) for row in range(len(table))]
    program = unless.fold_rm(table, ratio=0.1)
    wanted = unless.predict(program, table).tolist()
    assert list(map(python(program), rows)) == wanted
    assert node.run(to_javascript(program), rows) == wanted


@pytest.mark.parametrize("labels", [("a", "b"), (1, 2), (1.5, math.inf), (True, False), (2**52, -3)])
def test_labels_keep_their_type(node, labels):
    """Text, integers, floats, infinity and booleans come out as they went in."""
    program = Program("y", ("f",), (Rule(labels[0], (Literal("f", ">", 0.0),)),), labels[1])
    assert [repr(python(program)({"f": cell})) for cell in (1, 0)] == [repr(label) for label in labels]
    found = node.run(to_javascript(program), [{"f": 1}, {"f": 0}])
    assert [float(label["number"]) if isinstance(label, dict) else label for label in found] == list(labels)


def test_what_a_function_returns(node):
    """The label, the number of the rule from 1, or both; the rule is None where none decides."""
    program = Program("y", ("f",), (Rule("a", (Literal("f", "==", "x"),)), Rule("b", (Literal("f", "==", "y"),))), "c")
    rows = [{"f": "x"}, {"f": "y"}, {"f": "z"}]
    assert [python(program, what="rule")(row) for row in rows] == [1, 2, None]
    assert [python(program, what="both", name="decide")(row) for row in rows] == [("a", 1), ("b", 2), ("c", None)]
    assert node.run(to_javascript(program, what="rule"), rows) == [1, 2, None]
    found = node.run(to_javascript(program, what="both", name="decide"), rows, "decide")
    assert found == [{"label": "a", "rule": 1}, {"label": "b", "rule": 2}, {"label": "c", "rule": None}]


def test_constant_programs(node):
    """No rules, or a rule that always holds: the functions read nothing of the record."""
    for program, wanted in [
        (Program("y", ()), None),
        (Program("y", (), (), "z"), "z"),
        (Program("y", (), (Rule("x"), Rule("z"))), "x"),
    ]:
        assert python(program)({}) == wanted
        assert node.run(to_javascript(program), [{}]) == [wanted]


def test_a_record_without_a_feature_is_an_error_in_python():
    """Python names the feature that the record lacks; it is not taken for missing."""
    program = Program("y", ("age",), (Rule("x", (Literal("age", "missing"),)),))
    with pytest.raises(KeyError, match="age"):
        python(program)({"agee": 1})


def test_dates_are_readable_in_the_source():
    """The source says 2020-08-01 where the rule does, and calls nothing of unless."""
    size = Literal("size", "<=", NotatedNumber(1.0, LevelNotation(("S", "M", "L"))))
    program = Program("y", ("when", "size"), (Rule("x", (Literal("when", ">", date(2020, 8, 1)), size)),))
    assert "if n_when > at_2020_08_01 and n_size <= level_m:" in to_python(program)
    assert "at_2020_08_01 = 1596240000000000.0  # '2020-08-01'" in to_python(program)
    assert "if (n_when > at_2020_08_01 && n_size <= level_m) return" in to_javascript(program)
    assert "unless" not in to_python(program)


def test_formats_that_javascript_cannot_read():
    """A format with names of months is refused, with what would do."""
    form = DateNotation("date", float(DAY), format="%d %b %Y")
    program = Program("y", ("f",), (Rule("x", (Literal("f", ">", NotatedNumber(0.0, form)),)),))
    with pytest.raises(ParameterError, match="cannot read text as '%d %b %Y': only digits, by %Y %y %m"):
        to_javascript(program)
    assert python(program)({"f": "2 Jan 1970"}) == "x"


def test_python_needs_nothing():
    """The source imports only the standard library."""
    program = Program("y", FEATURES, (Rule("x", (Literal("n", ">", 1.0), Literal("t", "!=", "a"))),))
    lines = [line.strip() for line in to_python(program).splitlines() if "import" in line]
    assert lines == ["from re import fullmatch"]
    assert python(program)({"n": CELLS["n"][3], "t": None}) == "x"


@pytest.mark.parametrize("name", ["", "1a", "a b", "class", "x;y", "été!", "a\n", None])
@pytest.mark.parametrize("export", [to_python, to_javascript])
def test_names_of_functions_are_checked(export, name):
    """A name that the language cannot spell is refused."""
    with pytest.raises(ParameterError, match="function cannot have the name"):
        export(Program("y", ()), name=name)


def test_functions_do_not_hide_what_they_call():
    """A function called like one that its body calls would call itself, and is refused."""
    program = Program("y", ("n",), (Rule("x", (Literal("n", ">", 1.0),)),))
    for export, names in ((to_python, ("float", "str", "__debug__")), (to_javascript, ("Number", "NaN", "undefined"))):
        for name in names:
            with pytest.raises(ParameterError, match="and not a word of"):
                export(program, name=name)


@pytest.mark.parametrize("export", [to_python, to_javascript])
def test_results_are_checked(export):
    """A result that a function cannot return is refused, with a suggestion."""
    with pytest.raises(ParameterError, match="a function cannot return 'rules'; did you mean 'rule'"):
        export(Program("y", ()), what="rules")


def test_integers_that_javascript_would_round():
    """An integer that is not a double is refused as a label in JavaScript."""
    with pytest.raises(ProgramError, match="JavaScript cannot hold the label 9007199254740993"):
        to_javascript(Program("y", (), (), 2**53 + 1))


def test_cuts_of_dates(node):
    """The dates of cuts, which no rule has, are known to Python and JavaScript too."""
    days = [date(2020, 1, 1) + timedelta(days=k) for k in range(300)]
    frame = pd.DataFrame({"day": days, "y": ["a" if (k > 150) != (k % 11 == 0) else "b" for k in range(300)]})
    model = unless.UnlessClassifier(warn=False).fit(unless.read_table(frame, "y"))
    assert len(model.card_.cuts) > 2
    wanted = model.predict_proba(frame[["day"]])
    found = [list(python(model, what="probability")({"day": day}).values()) for day in days]
    assert np.allclose(found, wanted, rtol=0, atol=1e-12)
    texts = node.run(to_javascript(model, what="probability"), [{"day": day.isoformat()} for day in days])
    assert np.allclose([[one["probability"] for one in row] for row in texts], wanted, rtol=0, atol=1e-12)
