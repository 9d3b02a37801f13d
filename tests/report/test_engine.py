"""The page's scripts against Python, in Node: the same decisions, proofs, sentences and nearest changes."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.conftest import lacking
from tests.engines import Lacking, node
from tests.explanation import examples
from tests.report import written
from tests.report.payload import page_words, payload, value_data
from tests.shared import SHARED, needs_shared
from tests.strategies import CELLS, FEATURES, KINDS, card_of, chain, meaning, programs
from unless.evaluation.metrics import count_rule_decisions
from unless.explanation.counterfactuals.nearest import counterfactuals
from unless.explanation.proof_rendering import rule_proof_to_dict
from unless.explanation.score_explanation import explain_score
from unless.explanation.sentences import words_for
from unless.explanation.why import explain, record_values
from unless.explanation.words import Phrase, Words, number_text, plain_text, printable
from unless.export.cell_sources import typed_date_pattern
from unless.model.rule_statistics import RuleStatistics
from unless.report.scripts import join_scripts
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table, domain_table, name_special_codes
from unless.values import cell_value, number_to_text, parse_number
from unless.values.notation import DATETIME, DURATION, TIME, WHOLE

SCRIPTS = join_scripts(["notation", "engine", "words", "points", "nearest"])

ASK = """
const ruleText = (rule) => globalThis.unless.words.ruleText(rule);

// The long form of unless/explanation/sentences.py, made of the sentences that the page shows.
function story(speech, proof, number) {
  const figures = speech.figures(proof), more = figures && `, ${figures}`;
  const lines = [proof.label === null
    ? `Record ${number} is not decided: no rule applies${more}.`
    : `Record ${number} is decided: ${speech.label(proof.label)} (${ruleText(proof.rule)}${more}).`];
  if (proof.rule !== null) lines.push(...because(speech, proof.tried[proof.rule]));
  proof.tried.forEach((tried, place) => {
    if (!tried.covers) lines.push(`  rule ${place + 1} did not apply: ${speech.stopped(tried)}`);
  });
  return lines.join("\\n");
}

function because(speech, proof) {
  const checks = [...new Set(globalThis.unless.words.told(proof).map((checks) => speech.asked(checks)))];
  const lines = checks.map((text, place) => `  ${place ? "and    " : "because"} ${text}`);
  if (!proof.exceptions.length) return lines.length ? lines : ["  because it is the default"];
  lines.push(`  ${lines.length ? "and" : "because"} no exception applies:`);
  const tell = (exceptions, depth) => [...new Set(exceptions.map((one) => {
    const line = `${" ".repeat(10 + 2 * Math.min(depth, 8))}${speech.exception(one)}`;
    return [line, ...tell(one.exceptions, depth + 1)].join("\\n");
  }))];
  return [...lines, ...tell(proof.exceptions, 0)];
}

function ask([name, data, ...given]) {
  const {engine, words, nearest} = globalThis.unless;
  const program = data && engine.readProgram(data);
  const known = {
    decide: (record) => engine.decide(program, record),
    proof: (record) => {
      const proof = engine.prove(program, record);
      return {...proof, matters: [...engine.matters(proof)].sort((a, b) => a - b)};
    },
    speak: (record, number) => {
      const speech = new words.Speech(program).about(record), proof = engine.prove(program, record);
      return [story(speech, proof, number), proof.tried.map((one) => speech.reason(one))];
    },
    points: (record) => {
      const {points, words: {Speech}} = globalThis.unless;
      return [points.table(program, new Speech(program).about(record), record), points.score(program, record).shares];
    },
    texts: (texts) => texts.map((text) => [words.plainText(text), words.printable(text), words.numberIn(text)]),
    numbers: (numbers) => numbers.map(
      (number) => [words.spell(number), words.numberText(number), words.numberText(number, true)]),
    written: (notation, form, numbers, texts) => {
      const one = globalThis.unless.notation.readNotation(notation, form);
      return [numbers.map(one.text), texts.map((text) => [one.number(text), one.back(text)])];
    },
    short: (texts, most) => texts.map((text) => new words.Speech(program, most).short(text)),
    order: (texts) => texts.sort(engine.compareTexts),
    next: (numbers) => numbers.map(engine.nextUp),
    nearest: (record, wanted, fixed, missing, most) => {
      const found = [], chosen = {wanted, fixed: new Set(fixed), missing};
      const search = nearest.nearest(program, record, chosen);
      for (let next = search.next(); !next.done && found.length < most; next = search.next()) {
        if (next.value) found.push(next.value);
      }
      const speech = new words.Speech(program), free = nearest.freeFeatures(program, record, chosen);
      const texts = found.map(
        ({changes, label, rule, record}) =>
          `${speech.about(record).changes(changes)} → ${speech.label(label)} (${ruleText(rule)})`);
      return {texts, records: found.map((one) => one.record), distances: found.map((one) => one.distance),
              nothing: speech.nothing(free, wanted)};
    },
  };
  return known[name](...given);
}
"""

LIMITS = settings(deadline=None, max_examples=30)
NUMBERS = st.floats(allow_nan=False).map(lambda number: number + 0.0)
ALPHABET = st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs", "Zl", "Zp", "Cc", "Cf"))


@pytest.fixture(scope="module")
def asked():
    """A function that puts questions to the scripts, many in one go."""
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(node())
        except Lacking as what:
            lacking(what)
        yield lambda questions: engine.run(SCRIPTS + ASK, questions, "ask")


def values(program: Program, record: dict) -> list:
    """A record as the page holds it: the values of the used features."""
    found = record_values(program, record)
    return [found[feature] for feature in program.used]


def grid(program: Program, seed: int = 0, rows: int = 40) -> list[dict]:
    """Records of chosen cells, every kind in its column, in some order, as the program reads them."""
    rng = np.random.default_rng(seed)
    cells = {name: [cell_value(meaning(KINDS[name], cell)) for cell in CELLS[name]] for name in FEATURES}
    drawn = [{name: own[int(rng.integers(len(own)))] for name, own in cells.items()} for _ in range(rows)]
    return list(map(program.read, drawn))


def tree(proof: dict) -> dict:
    """What a script proved of a rule, as `rule_proof_to_dict` has it."""
    return {
        "covers": proof["covers"],
        "checks": [[check["literal"]["op"], seen(check["value"]), check["holds"]] for check in proof["checks"]],
        "exceptions": [tree(one) for one in proof["exceptions"]],
    }


def python_tree(proof: dict) -> dict:
    """The same for Python's own proof."""
    return {
        "covers": proof["covers"],
        "checks": [[check["literal"][1], check["value"], check["holds"]] for check in proof["checks"]],
        "exceptions": [python_tree(one) for one in proof["exceptions"]],
    }


def seen(value: object) -> object:
    """A value that came back: infinities are spelled, and JSON makes no difference between 1.0 and 1."""
    if isinstance(value, dict):
        return {"number": "inf" if value["number"] == "Infinity" else "-inf"}
    return float(value) if isinstance(value, int) else value


@LIMITS
@given(program=programs(), seed=st.integers(0, 1000))
def test_decisions_and_proofs(asked, program, seed):
    """For any program and record, the scripts give the same rule, label and checks as Python."""
    data, records = payload(program), grid(program, seed)
    answers = asked([["proof", data, values(program, record)] for record in records])
    decisions = asked([["decide", data, values(program, record)] for record in records])
    for record, answer, decision in zip(records, answers, decisions, strict=True):
        proof = explain(program, record)
        assert answer["rule"] == decision["rule"] == proof.decided == program.decides(record)
        assert answer["label"] == decision["label"]
        assert (None if proof.label is None else data["labels"].index(proof.label)) == answer["label"]
        assert [tree(one) for one in answer["tried"]] == [python_tree(rule_proof_to_dict(one)) for one in proof.tried]
        assert [program.used[place] for place in answer["matters"]] == list(proof.features)


@given(programs(), st.integers(2, 9), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_score_cards(asked, program, labels, seed):
    """Lines, points, totals and probabilities are the same as in Python."""
    card = card_of(program, labels, seed)
    data, records = payload(program, card=card), grid(program, seed, rows=8)
    answers = asked([["points", data, values(program, record)] for record in records])
    for record, (table, shares) in zip(records, answers, strict=True):
        found = explain_score(card, record, page_words(program))
        assert table == found.table()
        assert shares == pytest.approx(list(found.probabilities.values()), abs=1e-12)


@LIMITS
@given(program=programs(), seed=st.integers(0, 1000), counted=st.booleans(), weighted=st.booleans())
def test_sentences(asked, program, seed, counted, weighted):
    """Stories and reasons are the same as in Python, word for word."""
    labels = (*(rule.head for rule in program), program.otherwise)
    classes = tuple(dict.fromkeys(label for label in labels if label is not None)) or ("x",)
    rng = np.random.default_rng(seed)
    counts = rng.choice([0, 1, 2.5, 311, 98765], size=(len(program) + 1, len(classes)))
    statistics = RuleStatistics(classes, labels, counts, weighted) if counted else None
    data, records = payload(program, statistics=statistics), grid(program, seed, rows=12)
    answers = asked([["speak", data, values(program, record), seed] for record in records])
    for record, (story, reasons) in zip(records, answers, strict=True):
        proof = explain(program, record)
        assert story == proof.story(seed, statistics=statistics, words=page_words(program))
        assert reasons == [one.reason(page_words(program)) for one in proof.tried]


def test_equal_conditions(asked):
    """A condition that an exception has twice is said once in its score card, too."""
    twice = Rule(None, (Literal("n", "<=", 0.0), Literal("n", "<=", 0.0)))
    program = Program("y", ("n",), (Rule("x", (), (twice,)),), "y")
    card, record = card_of(program, 2, 0), {"n": -1.0}
    ((table, _),) = asked([["points", payload(program, card=card), values(program, record)]])
    assert table == explain_score(card, record, page_words(program)).table()


def test_equal_reasons(asked):
    """What Python says once, the scripts say once."""
    record = {"income": None, "city": "Oslo"}
    proof = explain(examples.REPEATING, record)
    ((story, reasons),) = asked([["speak", payload(examples.REPEATING), values(examples.REPEATING, record), 1]])
    assert story == proof.story(1)
    assert reasons == [one.reason() for one in proof.tried]


def test_ranges(asked):
    """Both bounds of a number are told together, as in Python, also in score cards."""
    ages = [None, "old", 20.0, 25.0, 30.0, 31.0, 34.0, 36.0, 40.0, 45.0, 55.0, 65.0, 75.0]
    records = [{"age": age, "city": city} for age in ages for city in ("Oslo", "Rome")]
    card = card_of(examples.RANGES, 4)
    data = payload(examples.RANGES, card=card)
    told = asked([["speak", data, values(examples.RANGES, record), 1] for record in records])
    points = asked([["points", data, values(examples.RANGES, record)] for record in records])
    for record, (story, reasons), (table, _) in zip(records, told, points, strict=True):
        proof = explain(examples.RANGES, record)
        assert story == proof.story(1, words=page_words(examples.RANGES))
        assert reasons == [one.reason(page_words(examples.RANGES)) for one in proof.tried]
        assert table == explain_score(card, record, page_words(examples.RANGES)).table()
    assert any("which is above 30 and at most 40" in story for story, _ in told)


def test_a_range_of_one_whole_number(asked):
    """Above 2 and at most 3 is 3 where numbers are whole, unless a record has a fraction; the page says it alike."""
    column = replace(Column.of("cod", [0.0, 9.0]), notation=WHOLE)
    exception = Rule(None, (Literal("cod", ">", 2.0), Literal("cod", "<=", 3.5), Literal("city", "==", "Oslo")))
    rules = (Rule("yes", (Literal("cod", ">", 1.0), Literal("cod", "<=", 8.0)), (exception,)), Rule("no"))
    program, domain = Program("y", ("cod", "city"), rules), Table((column, Column.of("city", ["Oslo", "Rome"])))
    words, told = page_words(program, domain), {}
    assert words_for(program, tables=(domain,)).whole == words.whole == {"cod"}
    for cod in (3.0, 5.0, 2.5, None, "many", 1.0):
        record = {"cod": cod, "city": "Oslo"}
        ((story, reasons),) = asked([["speak", payload(program, domain), values(program, record), 1]])
        proof = explain(program, record)
        assert story == proof.story(1, words=words)
        assert reasons == [one.reason(words) for one in proof.tried]
        told[cod] = story
    assert "because cod is 3 and city is Oslo" in told[3.0]
    assert "'cod is 3' does not hold: cod is 5" in told[5.0]
    assert "cod is 2.5, above 2 and at most 3.5" in told[2.5]


def test_a_readers_words(asked):
    """Names, units, words for categories and sentences are those of the reader."""
    words = Words(
        features={
            "income": Phrase(name="yearly income", number="{} €"),
            "history": Phrase(values={"late": "late with payments"}, sentence="the {name} shows {value}"),
            "guarantor": Phrase(missing="there is no {name}"),
        }
    )
    record = {"income": 18400.0, "history": "late", "guarantor": None}
    proof = explain(examples.LOAN, record)
    words = page_words(examples.LOAN, words=words)
    data = payload(examples.LOAN, words=words)
    ((story, _),) = asked([["speak", data, values(examples.LOAN, record), 17]])
    assert story == proof.story(17, words=words)
    assert "  because yearly income is 18,400 €, which is at most 21,000 €" in story
    assert "there is no guarantor" in story


@LIMITS
@given(texts=st.lists(st.text(ALPHABET, max_size=12) | st.sampled_from(CELLS["t"][:-1] + CELLS["m"][:-1]), max_size=30))
def test_texts(asked, texts):
    """A text is bare or quoted as in Python, and spells a number where Python reads one."""
    (answers,) = asked([["texts", None, texts]])
    for text, (plain, name, number) in zip(texts, answers, strict=True):
        assert [plain, name, number] == [plain_text(text), printable(text), parse_number(text)]


def test_long_texts(asked):
    """Long texts that are almost numbers, dates or durations are told apart at once, not in minutes."""
    texts = ["0" * 200_000 + "x", " " * 200_000 + "x", "x" + " " * 200_000 + "x", "0" * 200_000 + " dx"]
    started = perf_counter()
    (answers,) = asked([["texts", None, texts]])
    readings = asked([["written", None, one.data(), None, [], texts] for one in (DATETIME, TIME, DURATION)])
    assert perf_counter() - started < 10  # a square takes minutes
    assert [number for _, _, number in answers] == [None] * 4
    assert [[number for number, _ in read] for _, read in readings] == [[None] * 4] * 3


@LIMITS
@given(
    numbers=st.lists(
        NUMBERS | st.integers(-(10**17), 10**17).map(float) | st.sampled_from([1e16, 1e-5, 1e-4, 9999.5]), max_size=30
    )
)
def test_numbers(asked, numbers):
    """Numbers are written to the last bit, as Python writes them; the next number above is the next float."""
    (answers,) = asked([["numbers", None, numbers]])
    assert answers == [
        [number_to_text(number), number_text(number), number_text(number, grouped=True)] for number in numbers
    ]
    (above,) = asked([["next", None, numbers]])
    assert [seen(one) for one in above] == [value_data(math.nextafter(number, math.inf)) for number in numbers]


@LIMITS
@given(notation=written.NOTATIONS, numbers=st.lists(written.numbers, max_size=30), texts=st.lists(written.texts))
def test_notations(asked, notation, numbers, texts):
    """Dates, times, durations and levels are written and read as in Python, to the microsecond."""
    texts = [*texts, *written.SPELLED, *map(notation.text, numbers)]
    ((shown, read),) = asked([["written", None, notation.data(), typed_date_pattern(notation), numbers, texts]])
    assert shown == list(map(notation.text, numbers))
    assert [list(map(seen, pair)) for pair in read] == [[notation.number(text), notation.back(text)] for text in texts]


@LIMITS
@given(program=written.programs, seen=st.lists(written.records, min_size=1, max_size=8), weight=st.integers(0, 9))
def test_written_numbers(asked, program, seen, weight):
    """Where numbers are dates, times, durations, levels or flags, decisions and sentences are the same as in Python."""
    card, seen = card_of(program, 3, weight), list(map(program.read, seen))
    data = payload(program, written.domain(program), card=card)
    words = page_words(program, written.domain(program))
    decided = asked([["decide", data, values(program, record)] for record in seen])
    told = asked([["speak", data, values(program, record), 1] for record in seen])
    points = asked([["points", data, values(program, record)] for record in seen])
    for record, answer, (story, reasons), (table, _) in zip(seen, decided, told, points, strict=True):
        proof = explain(program, record)
        assert answer["rule"] == proof.decided == program.decides(record)
        assert story == proof.story(1, words=words)
        assert reasons == [one.reason(words) for one in proof.tried]
        assert table == explain_score(card, record, words).table()


def test_how_written_numbers_are_said(asked):
    """A rule says dates, levels and flags as people do; what is no date is said to be none."""
    record = {"when": "soon", "size": "L", "flag": 1.0, "seen": None, "at": None, "took": None, "count": 2.0}
    ((story, _),) = asked([["speak", payload(written.SPOKEN), values(written.SPOKEN, record), 1]])
    assert story == explain(written.SPOKEN, record).story(1)
    assert story.splitlines() == [
        "Record 1 is decided: c (rule 3).",
        "  because flag is 1, as required",
        "  rule 1 did not apply: when is soon, but must be above 2020-08-01",
        "  rule 2 did not apply: size is L, but must be at most M",
    ]
    ((_, reasons),) = asked([["speak", payload(written.SPOKEN), values(written.SPOKEN, record), 1]])
    assert reasons == ["when is soon, not a date", "size is L, above M", "flag is 1"]


@pytest.mark.parametrize(
    ("feature", "op", "bound", "value", "changes"),
    [
        ("count", "<=", 3.5, 5.0, ["count at most 3.5"]),
        ("count", ">", 3.5, 2.0, ["count above 3.5"]),
        ("when", ">", "2020-08-01 12:30", "2020-07-31", ["when above 2020-08-01 12:30"]),
        ("when", "<=", "2020-08-01", "unknown", ["when at most 2020-08-01"]),
        ("at", ">", "23:59", None, ["at above 23:59"]),
        ("flag", ">", 0.0, 0.0, ["flag is 1"]),
        ("flag", "<=", 0.5, "unknown", ["flag is 0"]),
        ("flag", ">", 1.0, 0.0, []),
        ("size", "<=", "M", "L", ["size at most M"]),
        ("size", ">", "L", "S", []),
    ],
)
def test_what_a_written_number_may_become(asked, feature, op, bound, value, changes):
    """A change names the bound of a rule and stays among the values that there are, as in Python."""
    number = written.number(feature, bound)
    program = Program("y", (feature,), (Rule("a", (Literal(feature, op, number),)),), "b")
    found = counterfactuals(program, {feature: value}, table=written.domain(program))
    assert [one.text() for one in found] == changes
    compare(asked, program, {feature: value}, domain=written.domain(program))
    ((story, _),) = asked([["speak", payload(program), values(program, {feature: value}), 1]])
    assert story == explain(program, {feature: value}).story(1)


@settings(deadline=None, max_examples=80)
@given(program=written.programs, record=written.records, missing=st.booleans(), known=st.booleans())
def test_nearest_changes_of_written_numbers(asked, program, record, missing, known):
    """A date becomes a date, a whole number a whole number, a level another level, and a flag 0 or 1, as in Python."""
    compare(asked, program, record, missing=missing, most=5, domain=written.domain(program) if known else None)


@LIMITS
@given(texts=st.lists(st.text(max_size=3) | st.text("a\uffff\U0001f600\ue000", max_size=4), max_size=20))
def test_the_order_of_texts(asked, texts):
    """Texts are ordered by code points, as Python orders them."""
    assert asked([["order", None, texts]]) == [sorted(texts)]


def test_long_texts_are_shortened(asked):
    """A text of the data is cut where it would fill the page, never within a character."""
    data = payload(examples.LOAN)
    (short,) = asked([["short", data, ["x" * 10, "x" * 11, "😀" * 11], 10]])
    assert short == ["x" * 10, "x" * 9 + "…", "😀" * 9 + "…"]


def compare(asked, program, record, *, label=None, fixed=(), missing=False, most=3, domain=None):
    """Put a question to both searches, and compare all that they say."""
    data, record = payload(program, domain), program.read(record)
    wanted = None if label is None else data["labels"].index(label)
    places = [program.used.index(feature) for feature in fixed if feature in program.used]
    (answer,) = asked([["nearest", data, values(program, record), wanted, places, missing, most]])
    ranges = with_missing(program, record, domain) if missing else {}
    found = counterfactuals(program, record, label, fixed=fixed, ranges=ranges, most=most, table=domain)
    words = page_words(program, domain)
    assert answer["texts"] == [f"{one.text(words)} → {one.outcome}" for one in found]
    assert [list(map(seen, one)) for one in answer["records"]] == [
        [value_data(one.record[name]) for name in program.used] for one in found
    ]
    assert [seen(one) for one in answer["distances"]] == [
        pytest.approx(one.distance) if math.isfinite(one.distance) else {"number": "inf"} for one in found
    ]
    if not found:
        assert answer["nothing"] == str(found)


def with_missing(program: Program, record: dict, domain: Table | None) -> dict:
    """What every feature may become, including missing."""
    ranges = {}
    for name in program.used:
        wanted = {literal.value for rule in program for literal in rule.literals() if literal.feature == name}
        numeric = any(isinstance(value, float) for value in [*wanted, cell_value(record[name])])
        categories = [value for value in wanted if isinstance(value, str)]
        if domain is not None and (len(domain.column(name).numbers) or domain.column(name).categories):
            codes = {one for _, one in domain.column(name).special}
            categories = [one for one in domain.column(name).categories if one not in codes]
            numeric = len(domain.column(name).numbers) > 0
        ends = (None, None) if domain is None else written.ENDS.get(name, (None, None))
        ranges[name] = [*categories, None, *([ends] if numeric else [])]
    return ranges


OPTIONS = st.fixed_dictionaries(
    {
        "label": st.sampled_from(["A", "B", "D", None]),
        "fixed": st.sets(st.sampled_from(["number", "category", "mixed"]), max_size=2),
        "missing": st.booleans(),
        "most": st.sampled_from([1, 3, 50]),
    }
)


@settings(deadline=None, max_examples=80)
@given(program=examples.programs, record=examples.records, options=OPTIONS)
def test_nearest_changes(asked, program, record, options):
    """Without training data, the nearest changes are the same as in Python, for any label and fixed features."""
    known = {*(rule.head for rule in program), program.otherwise}
    compare(asked, program, record, **{**options, "label": options["label"] if options["label"] in known else None})


DOMAINS = st.fixed_dictionaries(
    {
        "number": st.lists(st.sampled_from([-1.0, 0.0, 0.7, 4.0]), max_size=3),
        "category": st.lists(st.sampled_from(["a", "b", "z", "0"]), min_size=1, max_size=3),
        "mixed": st.lists(st.sampled_from([-1.0, 0.3, "a", "z", None]), min_size=1, max_size=3),
    }
)


@settings(deadline=None, max_examples=80)
@given(program=examples.programs, record=examples.records, columns=DOMAINS, missing=st.booleans())
def test_nearest_changes_within_the_training_data(asked, program, record, columns, missing):
    """Categories and scales of training lead to the same changes as in Python, distances included."""
    table = Table(tuple(Column.of(name, [*cells, None, None, None][:3]) for name, cells in columns.items()))
    domain = domain_table(table, program.used)
    if all(len(column.numbers) or column.categories for column in domain.columns):
        compare(asked, program, record, missing=missing, most=5, domain=domain)


CODES = {"number": ((0.7, "low"), (4.0, "b"), (5.0, "high")), "mixed": ((-1.0, "a"), (0.3, "new"), (1.0, "one"))}


@settings(deadline=None, max_examples=80)
@given(program=examples.programs, record=examples.records, columns=DOMAINS, missing=st.booleans())
def test_nearest_changes_of_special_codes(asked, program, record, columns, missing):
    """No change leads to a special code, as a category or as a number, in Python or on the page."""
    read = [Column.of(name, [*cells, None, None, None][:3]) for name, cells in columns.items()]
    table = Table(tuple(name_special_codes(column, CODES.get(column.name, ())) for column in read))
    domain = domain_table(table, program.used)
    if all(len(column.numbers) or column.categories for column in domain.columns):
        compare(asked, program, record, missing=missing, most=5, domain=domain)
        for found in counterfactuals(program, record, most=5, table=domain):
            for change in found.changes:
                codes = [value for pair in domain.column(change.feature).special for value in pair]
                assert found.record[change.feature] not in codes


@settings(deadline=None, max_examples=10)
@given(rng=st.randoms(use_true_random=False))
def test_many_changes(asked, rng):
    """Both searches agree even if many rules come before a label, so that many features must change."""
    features = tuple(f"f{k}" for k in range(40))

    def literals(count: int) -> list[Literal]:
        return [Literal(rng.choice(features), rng.choice(["==", "!="]), rng.choice("abc")) for _ in range(count)]

    earlier = [Rule("common", literals(2), [Rule(None, literals(2))]) for _ in range(60)]
    program = Program("y", features, [*earlier, Rule("rare", literals(1))])
    record = {feature: rng.choice("abc") for feature in features}
    compare(asked, program, record, label="rare", most=4)


def test_extreme_numbers(asked):
    """Thresholds at the ends of the numbers, and records beyond them, are searched as in Python."""
    largest = float(np.finfo(float).max)
    rules = (Rule("a", (Literal("f", ">", largest),)), Rule("b", (Literal("f", "<=", -math.inf),)))
    program = Program("y", ("f",), rules, "c")
    for value in (0.0, math.inf, -math.inf, largest, None, "text"):
        for label in (None, "a", "b", "c"):
            compare(asked, program, {"f": value}, label=label)


def test_deep_nesting(asked):
    """200 levels of exceptions are decided, explained and searched."""
    program = Program("y", FEATURES, (chain(200),), "no")
    for number in (0.5, 99.5, 300.0):
        record = {"n": number, "t": "x", "m": None, "b": None}
        ((story, _),) = asked([["speak", payload(program), values(program, record), 1]])
        assert story == explain(program, record).story(1, words=page_words(program))
        compare(asked, program, record)


@needs_shared
@pytest.mark.parametrize("name", ["anneal", "wine", "nursery", "adult"])
def test_learned_programs(asked, name):
    """Programs learned from the paper's data give the same proofs and changes as in Python."""
    table = SHARED.table(name)
    program = unless.fold_rm(table)
    domain, statistics = domain_table(table, program.used), count_rule_decisions(program, table)
    data = payload(program, domain, statistics)
    rows = range(0, len(table), max(1, len(table) // 200))
    records = [table.record(row) for row in rows]
    answers = asked(
        [["speak", data, values(program, record), 1 + row] for row, record in zip(rows, records, strict=True)]
    )
    for row, record, (story, _) in zip(rows, records, answers, strict=True):
        proof = explain(program, record)
        assert story == proof.story(1 + row, statistics=statistics, words=page_words(program, domain))
    for record in records[:: max(1, len(records) // 8)]:
        compare(asked, program, record, domain=domain)
