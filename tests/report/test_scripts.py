"""What the page's scripts write and count, against Python, in Node: texts, JSON, SQL, edits, costs, filters, words."""

from __future__ import annotations

import csv
import io
import sqlite3
from contextlib import ExitStack
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import lacking
from tests.engines import Lacking, node
from tests.explanation.examples import LOAN
from tests.report import written
from tests.report.payload import payload
from tests.report.test_engine import ALPHABET, grid, values
from tests.strategies import chain, programs
from unless.explanation.words import Phrase, Words
from unless.explanation.words_file import parse_words
from unless.export import json as program_json
from unless.report.scripts import join_scripts
from unless.rule import Literal, Program, Rule
from unless.values import share_text

SCRIPTS = join_scripts(["notation", "engine", "words", "texts", "filters", "rename", "points", "costs", "edit", "out"])

ASK = """
function ask([name, data, ...given]) {
  const {engine, texts, edit, costs, rename, filters, out, points} = globalThis.unless;
  const program = data && engine.readProgram(data);
  const known = {
    text: () => [texts.programText(program), texts.programJson(program)],
    sql: () => program.rules.map((rule) => texts.sqlCondition(rule, program)),
    comment: () => program.rules.map((rule, place) => texts.ruleSql(rule, place + 1, program).split("\\n")[0]),
    measure: (shares) => shares.map(points.measure),
    toml: (words) => rename.toml(words),
    edited: (change, records) => {
      const after = edit.edited(program, edit.read(change, program));
      return [texts.programJson(after), records.map((record) => engine.decide(after, record).label)];
    },
    costs: (table, own) => costs.best(costs.thresholds(table, own)),
    total: (confusion, own) => costs.total(confusion, own),
    address: (filter) => [filters.address(filter), filters.read(filters.address(filter))],
    rules: (text, numbers) => numbers.map(filters.ruleAmong(text)),
    group: (asked, cells) => cells.map((cell) => filters.inGroup(asked, cell)),
    csv: (rows) => out.csv(rows),
  };
  return known[name](...given);
}
"""

LIMITS = settings(deadline=None, max_examples=40)
TEXTS = st.text(ALPHABET, max_size=12)


@pytest.fixture(scope="module")
def asked():
    """A function that puts questions to the scripts, many in one go."""
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(node())
        except Lacking as what:
            lacking(what)
        yield lambda questions: engine.run(SCRIPTS + ASK, questions, "ask")


@LIMITS
@given(program=programs() | written.programs)
def test_programs_as_text(asked, program):
    """A program that the page saves is printed as Python prints it, and its JSON is loaded as the same program."""
    ((text, document),) = asked([["text", payload(program)]])
    assert text == str(program)
    assert program_json.loads(document) == program


def test_a_deep_program(asked):
    """Exceptions may nest as deep as a program allows."""
    program = Program("y", ("n", "t"), (chain(200),), "flat")
    ((text, document),) = asked([["text", payload(program)]])
    assert text == str(program)
    assert program_json.loads(document) == program


def plain_literals():
    """Literals about a column of numbers and one of texts."""
    number = st.builds(Literal, st.just("n"), st.sampled_from(["<=", ">"]), st.sampled_from([0.0, 1.5, -2.0, 1e6]))
    text = st.builds(
        Literal, st.just("t"), st.sampled_from(["==", "!="]), st.sampled_from(["a", "it's", 'q"', "", "--"])
    )
    gap = st.builds(Literal, st.sampled_from(["n", "t"]), st.sampled_from(["missing", "present"]))
    return number | text | gap


@LIMITS
@given(program=programs(plain_literals(), ("n", "t")))
def test_rules_as_sql(asked, program):
    """The SQL of a rule is true of the records that it covers and false, never NULL, of all others."""
    (conditions,) = asked([["sql", payload(program)]])
    rows = [(n, t) for n in (None, -3.0, 0.0, 1.5, 2e6) for t in (None, "a", "it's", 'q"', "", "--", "other")]
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE cells (n REAL, t TEXT)")
        database.executemany("INSERT INTO cells VALUES (?, ?)", rows)
        for rule, condition in zip(program.rules, conditions, strict=True):
            found = [row[0] for row in database.execute(f"SELECT ({condition}) FROM cells ORDER BY rowid")]
            assert found == [int(rule.covers({"n": n, "t": t})) for n, t in rows]
    database.close()


def test_sql_of_levels_dates_and_hostile_names(asked):
    """Levels are lists, dates are dates, names are quoted; a label with a line break stays in its comment."""
    (conditions,) = asked([["sql", payload(written.SPOKEN)]])
    assert "\"when\" > CAST('2020-08-01' AS DATE)" in conditions[0]
    assert "\"size\" IN ('S', 'M')" in conditions[1]
    program = Program('y"', ('a"b',), (Rule("x\ny; DROP", (Literal('a"b', "==", "'"),)),))
    conditions, comments = asked([["sql", payload(program)], ["comment", payload(program)]])
    assert conditions == ['(NOT "a""b" IS NULL AND "a""b" = \'\'\'\')']
    assert comments == ["-- rule 1: 'x\\ny; DROP', where no earlier rule applies"]


TYPES = {"when": "DATE", "seen": "TIMESTAMPTZ", "at": "TIME", "took": "INTERVAL", "size": "VARCHAR", "count": "DOUBLE"}


@pytest.mark.parametrize(("name", "kind"), TYPES.items())
def test_sql_of_values_in_notations(asked, name, kind):
    """A database decides conditions on dates, times, durations and levels as Python does, and is never undecided."""
    duckdb = pytest.importorskip("duckdb")
    cells = [cell for cell in written.cells(name) if kind != "DATE" or len(cell[0]) == len("2020-08-01")]
    literals = [Literal(name, op, bound) for op in ("<=", ">") for bound in written.bounds(name)]
    rules = [Rule("x", (one,)) for one in (*literals, Literal(name, "missing"), Literal(name, "present"))]
    (conditions,) = asked([["sql", payload(Program("y", (name,), tuple(rules)))]])
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'Asia/Tokyo'")
        database.execute(f'CREATE TABLE cells (n INTEGER, "{name}" {kind})')
        database.executemany("INSERT INTO cells VALUES (?, ?)", list(enumerate([*(text for text, _ in cells), None])))
        for rule, condition in zip(rules, conditions, strict=True):
            found = [row[0] for row in database.execute(f"SELECT {condition} FROM cells ORDER BY n").fetchall()]
            assert found == [rule.covers({name: value}) for value in (*(number for _, number in cells), None)]


def test_shares(asked):
    """Shares have three digits, as in Python, for every count of up to 40 records."""
    shares = [right / total for total in range(1, 41) for right in range(total + 1)]
    (texts,) = asked([["measure", None, shares]])
    assert texts == [share_text(share) for share in shares]


phrases = st.builds(
    Phrase,
    name=st.none() | TEXTS.filter(bool),
    number=st.sampled_from(["{}", "{} €", "$ {}"]),
    values=st.dictionaries(TEXTS, TEXTS, max_size=3),
    sentence=st.sampled_from(["{name} is {value}", 'the "{name}" is {value}']),
    missing=st.sampled_from(["{name} is missing", "no {name}"]),
)
words_of_readers = st.builds(
    Words,
    features=st.dictionaries(TEXTS, phrases, max_size=3),
    labels=st.dictionaries(TEXTS, TEXTS, max_size=3),
    decision=st.sampled_from(["{target} {label}", "{label}\n!"]),
    purpose=TEXTS,
)


@LIMITS
@given(words=words_of_readers, grouped=st.booleans())
def test_words_as_toml(asked, words, grouped):
    """The page saves words as TOML from which Python reads the same words back."""
    if grouped:
        words = replace(words, grouped=frozenset(words.features))
    data = {
        "purpose": words.purpose,
        "decision": words.decision,
        "labels": [[label, text] for label, text in words.labels.items()],
        "features": [[name, asdict(phrase)] for name, phrase in words.features.items()],
        "grouped": sorted(words.grouped),
    }
    (text,) = asked([["toml", None, data]])
    assert parse_words(text) == words


@st.composite
def changes(draw):
    """A program, and an edit of it: rules and exceptions off, thresholds moved, another order."""
    program = draw(programs(plain_literals(), ("n", "t")))
    paths, keys = [], []

    def visit(rule, path):
        paths.append(path)
        keys.extend(f"{path}|{k}" for k, literal in enumerate(rule.default) if literal.op in ("<=", ">"))
        for k, exception in enumerate(rule.exceptions):
            visit(exception, f"{path}.{k}")

    for k, rule in enumerate(program.rules):
        visit(rule, str(k))
    off = draw(st.lists(st.sampled_from(paths), unique=True, max_size=3)) if paths else []
    moved = draw(st.dictionaries(st.sampled_from(keys), st.sampled_from([-3.0, 0.5, 7.0]), max_size=3)) if keys else {}
    return program, {"order": draw(st.permutations(range(len(program)))), "off": off, "moved": moved}


def as_edited(rule: Rule, path: str, edit: dict) -> Rule:
    """A rule as edited, written a second time from the description of an edit."""
    default = [replace(one, value=edit["moved"].get(f"{path}|{k}", one.value)) for k, one in enumerate(rule.default)]
    inner = [(f"{path}.{k}", one) for k, one in enumerate(rule.exceptions)]
    kept = tuple(as_edited(one, place, edit) for place, one in inner if place not in edit["off"])
    return Rule(rule.head, tuple(default), kept)


@LIMITS
@given(changed=changes(), seed=st.integers(0, 99))
def test_edited_programs(asked, changed, seed):
    """An edited program decides, and is saved, as the same program made in Python."""
    program, edit = changed
    rules = [as_edited(program.rules[k], str(k), edit) for k in edit["order"] if str(k) not in edit["off"]]
    wanted = replace(program, rules=tuple(rules))
    data, records = payload(program), [{"n": one["n"], "t": one["t"]} for one in grid(program, seed, rows=12)]
    rows = [values(program, record) for record in records]
    ((document, labels),) = asked([["edited", data, edit, rows]])
    assert program_json.loads(document) == wanted
    given_labels = [
        None if (label := wanted.label(record)) is None else data["labels"].index(label) for record in records
    ]
    assert labels == given_labels


@pytest.mark.parametrize(
    "kept", [None, 7, {"order": [0, 0, 1]}, {"order": [2, 1, 0], "off": 3, "moved": {}}, {"order": []}]
)
def test_a_kept_edit_that_does_not_fit(asked, kept):
    """What a browser kept of another program, or damaged, changes nothing."""
    ((document, _),) = asked([["edited", payload(LOAN), kept, []]])
    assert program_json.loads(document) == LOAN


counts = st.lists(st.integers(0, 9), min_size=1, max_size=12)


@LIMITS
@given(negatives=counts, positives=counts, costs=st.lists(st.integers(-2, 9), min_size=4, max_size=4))
def test_the_cheapest_threshold(asked, negatives, positives, costs):
    """No threshold costs less than the one that the page finds; its cost is what its decisions cost."""
    size = min(len(negatives), len(positives))
    points = [-500 + 100 * k for k in range(size)]
    own = [costs[:2], costs[2:]]
    table = {"points": points, "negatives": negatives[:size], "positives": positives[:size]}
    (found,) = asked([["costs", None, table, own]])

    def cost(threshold: float) -> float:
        given = [int(one >= threshold) for one in points]
        return sum(n * own[0][g] + p * own[1][g] for g, n, p in zip(given, negatives, positives, strict=False))

    at = float("inf") if isinstance(found["points"], dict) else found["points"]
    assert found["cost"] == cost(at) == min(map(cost, [*points, float("inf")]))


def test_total_costs(asked):
    """All decisions together cost the sum of counts times costs, records without a decision included."""
    confusion, own = np.array([[5, 2, 1], [3, 7, 0]]), np.array([[0, 1.5, 4], [2, 0, 9]])
    assert asked([["total", None, confusion.tolist(), own.tolist()]]) == [float((confusion * own).sum())]


@given(
    filter_=st.fixed_dictionaries(
        {},
        optional={
            "rule": st.sampled_from(["3", "3-7", "3-", "none", "1,2,none"]),
            "true": st.sampled_from(["0", "0,2"]),
            "wrong": st.just(""),
            "text": TEXTS.filter(bool),
        },
    )
)
@LIMITS
def test_addresses_of_records(asked, filter_):
    """A filter is read from its own address, whatever the words to search for are."""
    ((address, found),) = asked([["address", None, filter_]])
    assert found == filter_
    assert address.startswith("#records")


def test_rules_in_an_address(asked):
    """A rule, a range, all from one on, none, and several of these."""
    numbers = [1, 3, 5, 9, None]
    wanted = {"3": [3], "3-5": [3, 5], "3-": [3, 5, 9, None], "none": [None], "1,9": [1, 9], "x": []}
    answers = asked([["rules", None, text, numbers] for text in wanted])
    for hits, own in zip(answers, wanted.values(), strict=True):
        assert [number for number, hit in zip(numbers, hits, strict=True) if hit] == own


def test_csv(asked):
    """Python reads the saved records; what a spreadsheet would run as a formula starts with an apostrophe."""
    rows = [["a", 'q"', "x,y"], ["=1+1", "-2", "@x"], [-2, None, "two\nlines"], [1e300, " pad", "é"]]
    (text,) = asked([["csv", None, rows]])
    assert text.startswith("\ufeff")
    assert list(csv.reader(io.StringIO(text[1:]))) == [
        ["a", 'q"', "x,y"],
        ["'=1+1", "'-2", "'@x"],
        ["-2", "", "two\nlines"],
        ["1e+300", " pad", "é"],
    ]
