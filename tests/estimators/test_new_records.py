"""New records are read in two ways for a prediction, the plain and the quick one, and both say the same."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import unless
from unless import FoldRMClassifier, Literal, Program, Rule, UnlessClassifier, UnlessCommittee, UnlessWarning
from unless.estimators import prediction_reader
from unless.estimators.input_records import read_like_training
from unless.estimators.prediction_reader import PredictionReader
from unless.evaluation.unseen_values import beyond_chance, unseen_summary, unseen_values
from unless.model.prediction import deciding_rules
from unless.values import number_to_text

ROWS = 60
DRAW = np.random.default_rng(5)
DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=int(day)) for day in DRAW.integers(0, 90, ROWS)]


def with_gaps(cells):
    """The cells, some of them missing."""
    return [None if k % 7 == 0 else cell for k, cell in enumerate(cells)]


TRAINING = pd.DataFrame(
    {
        "float": with_gaps(DRAW.normal(size=ROWS).round(2)),
        "whole": DRAW.integers(-3, 9, ROWS),
        "flag": DRAW.integers(0, 2, ROWS),
        "boolean": DRAW.integers(0, 2, ROWS).astype(bool),
        "text": with_gaps(DRAW.choice(["a", "b", "", "é", "1", "True"], ROWS).tolist()),
        "zip": [f"0{k:03}" for k in DRAW.integers(0, 30, ROWS)],
        "spelled": [f"{k}.5" for k in DRAW.integers(0, 9, ROWS)],
        "mixed": pd.Series([float(k) if k % 2 else f"word {k % 5}" for k in range(ROWS)], dtype=object),
        "date": pd.to_datetime(pd.Series(DAYS)),
        "written date": [str(day) for day in DAYS],
        "zoned": pd.to_datetime(pd.Series(DAYS)).dt.tz_localize("Europe/Berlin"),
        "time": pd.Series([dt.time(k % 24, k) for k in range(ROWS)], dtype=object),
        "lasts": pd.to_timedelta(DRAW.integers(0, 99, ROWS), unit="h"),
        "size": pd.Categorical(DRAW.choice(["S", "M", "L"], ROWS), ["S", "M", "L"], ordered=True),
        "level": pd.Categorical(DRAW.integers(1, 4, ROWS)),
        "weight": [f"{k} kg" for k in DRAW.integers(0, 40, ROWS)],
    }
)
LABELS = np.array(["no", "yes", "who knows"])[DRAW.integers(0, 3, ROWS)]
NUMBERS = DRAW.normal(size=(ROWS, 3)).round(1)

CELLS = st.one_of(
    st.sampled_from(
        [
            0.0, -0.0, 1.0, 2.5, np.nan, np.inf, -np.inf, 1e308, 5e-324, 7, -2, 2**53 + 1, 10**400, True, False, None,
            "a", "é", "", " ", "1", "1.0", " 3 ", "True", "false", "0007", "7", "2.5", "2,5", "nan", "NA", "?",
            "word 2", "2020-01-20", "2020-01-20 00:00", "2020-02-30", "12:30", "PT5H", "M", "XL", "3 kg", "3kg", "\0",
            dt.date(2020, 1, 20), dt.datetime.fromisoformat("2020-01-20 05:00"),
            dt.datetime.fromisoformat("2020-01-20 05:00+02:00"),
            dt.time(12, 30), dt.timedelta(hours=5), np.float32(0.1), np.int8(3), np.bool_(True), np.str_("a"),
            np.datetime64("2020-01-20"), np.timedelta64(5, "h"), np.datetime64("NaT"), pd.NaT, pd.NA,
            pd.Timestamp("2020-01-20 05:00:00.000000001"), Decimal("2.5"), Decimal("NaN"), Fraction(1, 3), b"a", (1, 2),
        ]
    ),
    st.floats(-3, 9).map(lambda x: round(x, 2)),
)  # fmt: skip


def literals(column, draw):
    """Some literals about a column of training: as learned, and others."""
    numbers = [column.number(float(one)) for one in draw.choice(column.numbers, 2)] if len(column.numbers) else []
    texts = [*draw.choice(column.categories, 2).tolist(), "never"] if column.categories else ["never"]
    if not column.plain:
        texts = []
    return [
        *(Literal(column.name, op, number) for number in numbers for op in ("<=", ">")),
        *(Literal(column.name, op, text) for text in texts for op in ("==", "!=")),
        Literal(column.name, "missing"),
        Literal(column.name, "present"),
    ]


def drawn_program(model, seed):
    """A program that tests all features, with nested exceptions."""
    draw = np.random.default_rng(seed)
    table = read_like_training(TRAINING, model.schema_, unless.Table(()), "it", named=True)
    pool = [one for column in table.columns for one in literals(column, draw)]

    def rule(head, depth):
        default = tuple(draw.choice(np.array(pool, dtype=object), draw.integers(0 if depth else 1, 3)))
        return Rule(head, default, tuple(rule(None, depth + 1) for _ in range(draw.integers(0, 3 - depth))))

    rules = (*(rule(str(draw.choice(LABELS)), 0) for _ in range(40)), Rule("no"))
    return Program(model.program_.target, model.program_.features, rules)


@cache
def models():
    """Fitted models, by name; some have programs that are drawn."""
    orders, options = {"size": ["S", "M", "L"]}, {"warn": False}
    one = UnlessClassifier(numeric=["spelled"], **options).fit(TRAINING, LABELS)
    found = {f"drawn {seed}": one.with_program(drawn_program(one, seed), TRAINING, LABELS) for seed in range(6)}
    found["learned"] = FoldRMClassifier(**options).fit(TRAINING.drop(columns=["size"]), LABELS)
    found["undecided"] = FoldRMClassifier(otherwise=None, ratio=0, orders=orders, **options).fit(
        TRAINING.astype({"size": "str"}), LABELS
    )
    found["committee"] = UnlessCommittee(size=8, **options).fit(TRAINING, LABELS)
    found["array"] = UnlessClassifier(**options, penalty=0, min_support=1).fit(NUMBERS, LABELS)
    found["array, committee"] = UnlessCommittee(size=5, **options).fit(NUMBERS, LABELS)
    return found


NAMED = [*(f"drawn {seed}" for seed in range(6)), "learned", "undecided", "committee"]


def silently(call, *given, **options):
    """What a call returns, which may warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*given, **options)


def by_table(model, records):
    """Labels, probabilities and warnings as they follow from the table of all columns."""
    known = model.schema_, model.domain_, type(model).__name__
    table = silently(read_like_training, records, *known, named=model.model_.named)
    lines = unseen_summary(beyond_chance(unseen_values(model.model_, table)))
    labels = unless.predict(model.model_.decider, table).tolist()
    return labels, model.model_.probabilities(table), lines


def by_classifier(model, records):
    """The same as the classifier says it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = model.predict(records).tolist()
    said = [one for one in caught if issubclass(one.category, UnlessWarning)]
    assert len(said) <= 1
    assert all(one.filename == __file__ for one in said)
    shares = silently(model.predict_proba, records)
    return labels, shares, str(said[0].message).split("\n")[1:] if said else []


def check(model, records):
    """Both ways say the same, or refuse with the same words."""
    try:
        wanted = by_table(model, records)
    except Exception as error:  # noqa: BLE001 - whatever it is
        with pytest.raises(type(error), match=re.escape(str(error)) + "$"):
            silently(model.predict, records)
        return
    found = by_classifier(model, records)
    assert found[0] == wanted[0]
    assert_array_equal(found[1], wanted[1])
    assert found[2] == wanted[2]


@given(st.sampled_from(NAMED), st.data(), st.sampled_from(["dict", "pandas", "typed", "polars"]))
@settings(max_examples=400, deadline=None)
def test_a_single_record_is_decided_as_in_a_table(name, data, how):
    """Whatever its cells, and in whatever it comes."""
    model = models()[name]
    row = data.draw(st.integers(0, ROWS - 1))
    usual = TRAINING[list(model.schema_.kinds)].iloc[[row]]
    record = usual.to_dict("records")[0]
    changed = data.draw(st.dictionaries(st.sampled_from(list(record)), CELLS, max_size=4))
    record |= changed
    if how == "typed":
        records = usual.copy()
        for column in changed:
            try:
                records[column] = pd.array([changed[column]], dtype=records[column].dtype)
            except (ValueError, TypeError, OverflowError, Warning):  # what the type cannot hold
                continue
        check(model, records)
        return
    records = [record]
    try:
        if how == "pandas":
            records = pd.DataFrame({column: pd.Series([cell]) for column, cell in record.items()})
        if how == "polars":
            records = pl.DataFrame({column: [cell] for column, cell in record.items()}, strict=False)
    except (ValueError, TypeError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        records = [record]
    check(model, records)


@given(st.sampled_from(NAMED), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_frames_are_decided_as_tables(name, seed):
    """Frames of any rows, in any order of columns, with numbers of several types that training did not have."""
    model, draw = models()[name], np.random.default_rng(seed)
    records = TRAINING.iloc[draw.integers(0, ROWS, draw.integers(2, 90))][
        draw.permutation(list(model.schema_.kinds))
    ].copy()
    records["whole"] = records["whole"] + draw.integers(0, 9, len(records))
    records["float"] = (records["float"] * draw.choice([1, 3])).astype(draw.choice(["float32", "float64", "Float64"]))
    records["flag"] = records["flag"].astype(draw.choice(["int8", "bool", "str", "float16"]))
    check(model, records)
    check(model, records.to_dict("records"))
    check(
        model,
        pl.DataFrame({column: cells.tolist() for column, cells in records.items() if column != "mixed"}, strict=False),
    )


@given(st.sampled_from(["array", "array, committee"]), st.data())
@settings(max_examples=200, deadline=None)
def test_arrays_are_decided_as_tables(name, data):
    """One row or several, of any type."""
    model, rows = models()[name], data.draw(st.sampled_from([1, 1, 2, 9]))
    cells = [
        [data.draw(st.floats(-3, 3).map(lambda x: round(x, 1)) | st.just(np.nan)) for _ in range(3)]
        for _ in range(rows)
    ]
    kind = data.draw(st.sampled_from(["float64", "float32", "int64", "bool", "object", "U8", "longdouble", ">f8"]))
    array = np.nan_to_num(cells) if kind in ("int64", "bool") else np.array(cells)
    records = array.astype(kind)
    if kind == "object":
        records[data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, 2))] = data.draw(
            CELLS.filter(lambda one: one.__class__ is not tuple)
        )
    check(model, np.asfortranarray(records) if data.draw(st.booleans()) else records)


@pytest.mark.parametrize(
    "records",
    [
        [{}], [], {}, [{"float": 1.0}], [1], "x", None, np.empty((0, 3)), np.ones(3), np.ones((1, 2)), np.ones((1, 16)),
        np.ones((1, 16), complex), TRAINING[:0], TRAINING[:1].assign(more=1), TRAINING[:1].drop(columns="text"),
        pl.DataFrame(), TRAINING[:1].set_axis(range(16), axis=1), TRAINING[:1].set_axis([*"abcdefghijklmnoo"], axis=1),
    ],
    ids=lambda records: f"{type(records).__name__} {np.shape(records)}",
)  # fmt: skip
@pytest.mark.parametrize("name", ["drawn 0", "committee", "array"])
def test_what_is_no_record_is_refused_alike(name, records):
    """The errors, and the warnings about columns, are those of the table."""
    model = models()[name]
    check(model, records)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with suppress(Exception):  # which is compared above
            model.predict(records)
    assert [one.filename for one in caught] == [__file__] * len(caught)


@pytest.mark.parametrize("name", NAMED)
def test_usual_records_take_the_quick_way(name, monkeypatch):
    """A record like those of training is not made a table, from a dict and from frames."""
    model, row = models()[name], TRAINING[list(models()[name].schema_.kinds)].iloc[[3]]
    monkeypatch.setattr(prediction_reader, "read_like_training", None)
    for records in (row.to_dict("records"), row):
        assert (
            len(model.predict(records))
            == len(model.predict_proba(records))
            == len(model.apply(records) if name != "committee" else "1")
            == 1
        )
    models()["array"].predict(NUMBERS[:1])
    if name != "undecided":
        assert model.predict(row).tolist() == model.predict(TRAINING[list(row)].iloc[[3]]).tolist()


def test_meanings_are_forgotten(monkeypatch):
    """So many cells that differ do not fill the memory, and are decided alike before and after."""
    model = models()["drawn 0"]
    monkeypatch.setattr(prediction_reader, "_MEANINGS", 3)
    reader = PredictionReader(model.model_, "it")
    rows = [TRAINING.iloc[[k]].to_dict("records") for k in [*range(ROWS), *range(ROWS)]]
    decided = [model.model_.code.decide(reader.read(row).fills(model.model_.code.bins), 1)[0] for row in rows]
    table = read_like_training(TRAINING, model.schema_, model.domain_, "it", named=True)
    assert decided == 2 * deciding_rules(model.program_, table).tolist()
    assert max(map(len, reader._meanings.values())) <= 3


def test_a_model_without_points_and_a_file_of_it(tmp_path):
    """The frequencies of the deciding rules are the probabilities then; a model that was read decides alike."""
    model = models()["drawn 1"]
    *rules, _, last = model.program_.rules
    bare = model.with_program(replace(model.program_, rules=(*rules, last)))
    assert bare.card_ is None
    row = TRAINING.iloc[[4]]
    assert_array_equal(bare.predict_proba(row), bare.statistics_.probabilities()[bare.apply(row)])
    model.save(tmp_path / "model.json")
    back = unless.load(tmp_path / "model.json")
    for record in (row, row.to_dict("records")):
        assert_array_equal(back.predict_proba(record), model.predict_proba(record))
        assert back.predict(record).tolist() == model.predict(record).tolist() == [model.explain(row).label]


def test_numbers_are_told_as_in_tables():
    """What is outside of the range of training is reported with the same numbers, minus zero and all."""
    model = models()["array"]
    records = np.array([[9.0, 0, 0]] * 50 + [[-0.0, 0, -9.0]] * 50)
    assert by_classifier(model, records)[2] == by_table(model, records)[2] != []
    assert number_to_text(-9.0) in by_table(model, records)[2][-1]
