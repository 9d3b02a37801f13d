"""A profile tells what a table contains, why it is read that way, and what is suspicious."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from datetime import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.shared import SHARED, needs_shared
from unless.demo.applicants import applicants_csv
from unless.errors import GuessWarning
from unless.inspection import profile_table
from unless.inspection.cell_counts import CellCounts
from unless.inspection.column_profile import check_identifier
from unless.inspection.table_profile import find_copies, find_repetitions
from unless.inspection.text_findings import DATE_FORMS, find_text_remarks
from unless.read.options import ReadOptions
from unless.table import Column


def of(columns, target=None, **options):
    """The profile of a CSV file with these columns."""
    data = pl.DataFrame(columns).write_csv().encode()
    return profile_table(data, target, ReadOptions(format="csv", **options))


def column(found, name):
    return next(one for one in found.columns if one.name == name)


def codes(found, name=None):
    """The codes of all remarks, or of those on a column."""
    return [one.code for one in found.all_remarks if name is None or one.column == name]


def random(seed=0):
    return np.random.default_rng(seed)


def test_long_texts_take_no_long_time():
    """Whether a text may be a date is seen without going back and forth in it: 20,000 characters once took hours."""
    texts = [f"no. {'1' * 10_000}{'-' * 10_000}{k}" for k in range(3)]
    before = time.process_time()
    assert not find_text_remarks("t", dict.fromkeys(texts, 1))
    assert time.process_time() - before < 5


class TestColumns:
    """Kinds and reasons, gaps, ranges."""

    def test_example(self):
        """The example table is described as it was made: kinds, gaps, classes, and one column of identifiers."""
        found = profile_table(applicants_csv().encode(), "decision", ReadOptions(format="csv"))
        assert found.records == 900
        assert [one.kind for one in found.columns] == [
            "text", "number", "number", "text", "text", "text", "number", "mixed",
        ]  # fmt: skip
        assert [label for label, _ in found.target.classes] == ["accept", "review", "refuse"]
        assert sum(count for _, count in found.target.classes) == 900
        income = column(found, "income")
        assert (income.present + income.missing, income.low, income.tokens) == (900, 9000.0, (("", 37),))
        assert [(one.code, one.column) for one in found.all_remarks] == [("unique", "applicant")]

    @pytest.mark.parametrize(
        ("cells", "kind", "why"),
        [
            (["1", "2.5", ""], "number", "all present cells are numbers"),
            (["a", "b", "?"], "text", "no cell is a number"),
            (["1", "2", "a"], "mixed", "2 of 3 distinct cells are numbers, at least half"),
            (["1", "a", "b"], "text", "1 of 3 distinct cells are numbers, fewer than half"),
            (["007", "1", "a"], "text", "some numbers have leading zeros, such as 007"),
            (["", "NA", "?"], "number", "no cell is present"),
        ],
    )
    def test_reasons(self, cells, kind, why):
        """The reason for a kind is the rule that the reader applied."""
        found = column(of({"x": cells, "z": ["1", "2", "3"]}), "x")
        assert (found.kind, found.why) == (kind, why)

    def test_declared(self):
        """A declared column says so."""
        found = of({"x": ["1", "2"], "y": ["1", "a"]}, categorical=["x"], numeric=["y"])
        assert [one.why for one in found.columns] == ["declared categorical", "declared numeric"]

    def test_typed(self):
        """In a typed table, text that spells numbers is text because it is stored as text."""
        found = profile_table(pl.DataFrame({"x": ["1", "2"], "b": [True, None]}))
        assert column(found, "x").why == "its cells are stored as text"
        assert (column(found, "b").missing, column(found, "b").tokens) == (1, ())

    def test_missing_tokens(self):
        """The spellings of missing cells are counted, the most frequent first, in columns of any kind."""
        found = of({"n": ["1", "?", "?", ""], "t": ["a", "NA", "b", "c"], "m": ["1", "2", "x", "null"]})
        assert column(found, "n").tokens == (("?", 2), ("", 1))
        assert column(found, "t").tokens == (("NA", 1),)
        assert column(found, "m").tokens == (("null", 1),)

    def test_own_tokens(self):
        """Tokens from the caller replace the default ones."""
        found = column(of({"n": ["1", "2", "-9", "?"]}, missing=["-9"]), "n")
        assert (found.kind, found.tokens, found.missing) == ("mixed", (("-9", 1),), 1)

    def test_frequent(self):
        """The most frequent values come with their counts, equally frequent ones in order."""
        found = column(of({"x": ["b"] * 3 + ["a"] * 3 + ["c"] * 9 + list("defghij")}), "x")
        assert found.frequent == (("c", 9), ("a", 3), ("b", 3), ("d", 1), ("e", 1))

    def test_table(self):
        """A table that was read already is described too, its labels by their spelling."""
        table = unless.read_table([{"x": 1.0, "y": 2}, {"x": None, "y": 3}], "y")
        found = profile_table(table)
        assert found.target.classes == (("2", 1), ("3", 1))
        assert (found.columns[0].present, found.columns[0].missing) == (1, 1)
        assert profile_table(table, "y") == found
        assert profile_table(table, "x").target.classes == (("1", 1),)
        assert profile_table(table, "x").target.missing == 1

    def test_json(self):
        """A profile is one JSON document; infinite numbers are spelled as everywhere."""
        found = profile_table(pl.DataFrame({"x": [1.0, float("inf"), None], "y": ["a", "b", "a"]}), "y")
        document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert document["columns"][0]["high"] == {"number": "inf"}
        assert document["target"]["classes"] == [{"label": "a", "records": 2}, {"label": "b", "records": 1}]


class TestIdentifiers:
    """Columns that tell records apart are found; measurements are not taken for them."""

    @pytest.mark.parametrize(
        ("name", "cells"),
        [
            ("id", list(range(1, 13))),
            ("whatever", list(range(100, 130))),
            ("CustomerId", [7 * k + k % 3 for k in range(40)]),
            ("account_nr", [1000 * k for k in range(40)]),
            ("", [5, 9, 1, 3, 8, 70]),
            ("day", [f"D{k}" for k in range(30)]),
            ("part of a numbering", [k + k // 4 for k in range(200)]),
            ("ticket", [f"A/{k}" if k % 4 else str(100_000 + k) for k in range(80)]),
        ],
    )
    def test_found(self, name, cells):
        """Numberings, whole numbers with a telling name, and texts that nearly all differ are identifiers."""
        table = unless.read_table(pl.DataFrame({name: list(map(str, cells))}).write_csv().encode(), format="csv")
        assert check_identifier(CellCounts.of(table.columns[0])).column == (name or "column 1")

    @pytest.mark.parametrize(
        ("name", "cells"),
        [
            ("weight", [k * 1.37 for k in range(100)]),
            ("index_of_refraction", [1.5 + k / 1000 for k in range(100)]),
            ("income", [1000 + k * k for k in range(100)]),
            ("seconds", [1_600_000_000 + 7919 * k for k in range(100)]),
            ("dose", [3, 17, 5, 41, 8, 29, 11, 2, 60, 34]),
            ("id", [k % 7 for k in range(100)]),
            ("city", [f"c{k % 40}" for k in range(100)]),
            ("grade", [f"{k}" for k in range(4)]),
            ("dose", [f"{k / 8}" if k % 9 else "none" for k in range(90)]),
        ],
    )
    def test_not_found(self, name, cells):
        """Measurements that differ everywhere, categories, and a handful of cells are no identifiers."""
        table = unless.read_table(pl.DataFrame({name: list(map(str, cells))}).write_csv().encode(), format="csv")
        assert check_identifier(CellCounts.of(table.columns[0])) is None


class TestRemarks:
    """Each suspicion has a table that raises it."""

    @pytest.mark.parametrize(
        ("cell", "code"),
        [
            ("it was late and order {} was broken", "sentences"),
            ("{} ab cd-ef 12 34 56 78", "unique"),
            ("Ms. Ann van der {}", "unique"),
            ("{:08x}-11ee-be56-0242ac120002", "unique"),
            ("{}.5.24", "date-as-text"),
        ],
    )
    def test_on_texts_that_differ(self, cell, code):
        """Of texts that nearly all differ it is said what they are, once: sentences, numbers, dates or just texts."""
        found = of({"x": [cell.format(k) for k in range(10, 31)], "z": ["a", "b", "a"] * 7})
        assert codes(found, "x") == [code]

    @pytest.mark.parametrize(
        ("cells", "code"),
        [
            (["€ 5", "$ 7.50", "€ 12", "£ 8"], "number-as-text"),
            (["5 EUR", "7.50 USD", "12 EUR", "8 EUR"], "number-as-text"),
            (["1.5.2024", "3.12.2023", "2.2.2022", "3.3.2021"], "date-as-text"),
            (["Oslo", "oslo", "OSLO ", "Rome"], "spellings"),
            (["red", "blue", "-", "red"], "missing-word"),
            (["x", "x", "x", "x"], "constant"),
            (["", "", "", "?"], "empty"),
            (["", "", "", "x"], "mostly-missing"),
        ],
    )
    def test_on_texts(self, cells, code):
        """Each kind of odd text gets its remark."""
        assert code in codes(of({"x": cells, "z": ["a", "b", "a", "c"]}), "x")

    @pytest.mark.parametrize("form", DATE_FORMS)
    def test_on_dates(self, form):
        """Dates are known in each of the forms in which they are often written."""
        days = [datetime(2000 + k, 1 + k, 9 + 3 * k, k, 7 * k, k) for k in range(1, 7)]  # noqa: DTZ001 - as in files
        remarks = find_text_remarks("x", dict.fromkeys((day.strftime(form) for day in days), 1))
        assert [one.code for one in remarks] == ["date-as-text"]

    def test_on_commas(self):
        """Decimal commas are read; commas that may mean anything are doubted, once, and stay text with a remark."""
        table = {"x": ["1,5", "2,25", "0,5", "7,1"], "z": ["a", "b", "a", "c"]}
        assert not codes(of(table), "x")
        with pytest.warns(GuessWarning, match="'1,234' in column 'x' may be a thousand or a fraction") as told:
            found = of(table | {"x": ["1,234", "2,000", "30,111", "7,001"]})
        assert len(told) == 1
        assert "number-as-text" in codes(found, "x")

    @pytest.mark.parametrize(
        "cells",
        [
            ["5a", "7b", "3c", "9d"],
            ["red", "blue", "none", "unknown"],
            ["10-20", "20-30", "30-40", "40+"],
            ["0", "1", "2", "30"],
            ["0.5", "00", "1", "x"][:1] * 2 + ["0.7", "1.5"],
            ["A1", "B2", "C3", "A1"],
        ],
    )
    def test_no_remark(self, cells):
        """Ordinary cells raise no suspicion."""
        assert codes(of({"x": cells, "z": ["a", "b", "a", "c"]}), "x") == []

    def test_stand_in(self):
        """A number such as -999 that is far from all others and repeated may mean missing."""
        cells = [*range(20, 60), -999, -999, -999]
        assert codes(of({"age": list(map(str, cells))}), "age") == ["missing-number"]
        assert codes(of({"age": list(map(str, [*range(20, 90), 99, 99]))}), "age") == []

    def test_nearly_constant(self):
        """A column with only a few different cells among many gets a remark."""
        assert codes(of({"x": ["n"] * 999 + ["y"]}), "x") == ["nearly-constant"]

    def test_copy(self):
        """A copy of a column gets a remark, and so does a column that always goes together with another."""
        drawn = random().choice(["a", "b", "c"], 60)
        found = of({"x": drawn, "same": drawn, "coded": [{"a": 1, "b": 5, "c": 2}[cell] for cell in drawn]})
        assert [one.finding for one in found.all_remarks if one.code == "copy"] == [
            "is a copy of 'x'",
            "always goes together with 'x'",
        ]

    def test_unique_columns_are_no_copies(self):
        """If all cells differ, two columns go together by chance, unless they are in the same order."""
        numbers = random().normal(size=80)
        found = of({"a": numbers, "b": numbers[::-1].copy(), "fahrenheit": 32 + 1.8 * numbers})
        assert [one.column for one in found.all_remarks if one.code == "copy"] == ["fahrenheit"]

    def test_few_records(self):
        """A handful of records gets a remark."""
        assert "few-records" in codes(of({"x": ["1", "2"]}))


class TestTarget:
    """Targets that are not labels, and features that give labels away."""

    def labels(self, rows=400):
        return random(1).choice(["yes", "no"], rows, p=[0.3, 0.7])

    def test_gives_away(self):
        """A feature that alone decides the label gets a remark: a category, a threshold, a gap; noise does not."""
        y = self.labels()
        noise = random(2).normal(size=len(y))
        found = of(
            {
                "reason": np.where(y == "yes", "closed", "open"),
                "amount": np.where(y == "yes", 10, 0) + noise,
                "end": [f"{k}" if label == "yes" else "" for k, label in zip(noise, y, strict=True)],
                "noise": noise,
                "colour": random(3).choice(["red", "blue"], len(y)),
                "y": y,
            },
            "y",
        )
        assert [one.column for one in found.all_remarks if one.code == "gives-away"] == ["reason", "amount", "end"]
        assert "alone decides 'y' for 100 % of the records" in [one.finding for one in found.all_remarks]

    @pytest.mark.parametrize("noise", [0, 0.01])
    @pytest.mark.parametrize(
        "leak",
        [lambda x: x > 1.3, lambda x: abs(x) < 0.3, lambda x: (x + 9).astype(int) % 2 == 0, lambda x: np.round(x) == 1],
        ids=["threshold", "band", "many bands", "value"],
    )
    def test_shape_and_noise(self, leak, noise):
        """A leak is found whatever its shape and wherever its thresholds are, also with a few wrong records."""
        x = random(4).normal(size=4000)
        y = leak(x) ^ (random(5).random(len(x)) < noise)
        found = of({"x": x, "other": random(6).normal(size=len(x)), "y": y}, "y")
        assert [one.column for one in found.all_remarks if one.code == "gives-away"] == ["x"]

    def test_identifier_gives_nothing_away(self):
        """Unique texts decide no record but their own."""
        y = self.labels()
        assert "gives-away" not in codes(of({"name": [f"n{k}" for k in range(len(y))], "y": y}, "y"))

    def test_sorted_records(self):
        """A numbering of records that are sorted by label gives the label away."""
        y = sorted(self.labels())
        assert codes(of({"id": list(range(len(y))), "y": y}, "y"), "id") == ["identifier", "gives-away"]

    def test_few_records_prove_nothing(self):
        """On a dozen records a perfect feature may be chance."""
        y = ["a", "b"] * 6
        assert "gives-away" not in codes(of({"x": y, "y": y}, "y"))

    def test_rare_label_needs_more(self):
        """If one label is nearly always right, a feature that is right as often gives nothing away."""
        y = np.where(np.arange(2000) % 100 == 0, "rare", "usual")
        assert "gives-away" not in codes(of({"x": random().choice(["a", "b"], 2000), "y": y}, "y"))

    def test_missing_labels(self):
        """Labels may be missing; they are counted, but are not a class."""
        found = of({"x": ["1", "2", "3"], "y": ["a", "", "a"]}, "y")
        assert (found.target.missing, found.target.classes) == (1, (("a", 2),))
        assert codes(found, "y") == ["no-labels", "one-label"]

    @pytest.mark.parametrize(
        ("labels", "code"),
        [
            ([f"{k * 1.5}" for k in range(100)], "continuous"),
            ([f"name {k}" for k in range(100)], "unique-labels"),
            (["yes"] * 50 + ["Yes"] * 50, "spellings"),
            (["yes"] * 95 + ["no"] * 5, "rare-labels"),
        ],
    )
    def test_odd_labels(self, labels, code):
        """A quantity, a name, spellings and rare labels get remarks."""
        assert code in codes(of({"x": list(range(100)), "y": labels}, "y"), "y")

    def test_digits_are_labels(self):
        """Ten digits in a thousand records are labels, not a quantity."""
        assert codes(of({"x": random().normal(size=1000), "y": np.arange(1000) % 10}, "y"), "y") == []

    def test_likely_target(self):
        """Without a target, the profile suggests a column: by its name, else the last if it has few values."""
        cells = {"a": list(range(40)), "Class": ["u", "v"] * 20, "b": list(range(40))}
        assert of(cells).likely_target == "Class"
        assert of({"a": list(range(40)), "z": ["u", "v"] * 20}).likely_target == "z"
        assert of({"a": list(range(40))}).likely_target is None


class TestRows:
    """Duplicates, contradictions and copies are what counting in Python finds."""

    tables = st.one_of(st.integers(1, 8), st.integers(20, 30)).flatmap(
        lambda rows: st.lists(
            st.lists(st.sampled_from([None, "a", "b", 1.0]), min_size=rows, max_size=rows), min_size=2, max_size=4
        )
    )

    @settings(max_examples=80, deadline=None)
    @given(tables)
    def test_repetitions(self, cells):
        """Records that repeat an earlier one, and those that contradict another, are counted exactly."""
        *features, labels = [Column.of(f"c{place}", column) for place, column in enumerate(cells)]
        found = {one.code: one.finding for one in find_repetitions(features, labels, len(labels))}
        rows = list(zip(*cells, strict=True))
        again = len(rows) - len(set(rows))
        assert ("duplicates" in found) == bool(again)
        if again:
            assert found["duplicates"].startswith(f"{again:,} of {len(rows):,} records")
        groups = defaultdict(Counter)
        for *record, label in rows:
            if label is not None:
                groups[tuple(record)][label] += 1
        torn = sum(counts.total() for counts in groups.values() if len(counts) > 1)
        assert ("contradictions" in found) == bool(torn)
        if torn:
            wrong = sum(counts.total() - max(counts.values()) for counts in groups.values())
            labelled = sum(counts.total() for counts in groups.values())
            assert found["contradictions"].startswith(f"{torn:,} records")
            assert found["contradictions"].endswith(f"any rules are wrong for at least {wrong:,} of {labelled:,}")

    @settings(max_examples=80, deadline=None)
    @given(tables)
    def test_copies(self, cells):
        """A column is a copy of the first in which the same records have the same value."""
        columns = [Column.of(f"c{place}", column) for place, column in enumerate(cells)]
        found = {one.column: one.example for one in find_copies(columns)}

        def shape(column):
            first = {}
            return [first.setdefault(cell, len(first)) for cell in column]

        for place, column in enumerate(cells):
            distinct = len(set(column))
            if distinct < 2 or 2 * distinct > len(column) or len(column) < 20:
                continue
            twins = [f"c{other}" for other in range(place) if shape(cells[other]) == shape(column)]
            assert found.get(f"c{place}") == (twins[0] if twins else None)


CELLS = st.sampled_from(
    ["", "?", "1", "2.5", "-999", "007", "1,5", "3 kg", "a", "A ", "x y", "2024-05-01", "nan", "\x1b[0m", "-", "1e999"]
)


@pytest.mark.filterwarnings("ignore::unless.errors.GuessWarning")  # such cells may be written in several ways
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 60).flatmap(
        lambda rows: st.lists(st.lists(CELLS, min_size=rows, max_size=rows), min_size=1, max_size=4)
    )
)
def test_any_table(cells):
    """Any table has a profile: counts add up, kinds are those of the reader, and it is JSON."""
    data = {f"c{place}": column for place, column in enumerate(cells)}
    text = pl.DataFrame(data, schema=dict.fromkeys(data, pl.String)).write_csv(quote_style="always").encode()
    found = profile_table(text, "c0", ReadOptions(format="csv"))
    table = unless.read_table(text, format="csv")
    assert found.records == len(table)
    assert found.target.missing + sum(count for _, count in found.target.classes) == len(table)
    for one in found.columns:
        column = table.column(one.name)
        gaps = int((column.codes == column.missing).sum())
        written = column.notation is not None and not column.notation.plain
        kind = column.notation.name if written else column.kind
        assert (one.kind, one.missing, one.present) == (kind, gaps, len(table) - gaps)
        assert gaps in (0, sum(count for _, count in one.tokens))
        assert one.distinct == len(column.numbers) + len(column.categories)
    json.dumps(found.to_dict(), allow_nan=False)


@needs_shared
def test_known_traits_of_datasets():
    """Known traits of public datasets are found: copies, stand-ins, identifiers, constants."""

    def remarks(name):
        entry = SHARED.manifest[name]
        found = profile_table(SHARED.root / "data" / entry["file"], entry["label"])
        return {(one.code, one.column) for one in found.all_remarks}

    assert {("copy", "education_num"), ("missing-number", "capital_gain")} <= remarks("adult")
    assert {("identifier", "id"), ("constant", "veil_type"), ("gives-away", "odor")} <= remarks("mushroom")
    assert {("identifier", "id"), ("copy", "a5")} <= remarks("credit-a")


def told(name, cells):
    """What is said about a column of these cells, repeated."""
    records = [{name: cell, "y": "pq"[row % 2]} for row, cell in enumerate(cells * 8)]
    return str(unless.inspect(records, "y"))


def test_advice_names_every_word():
    """The advice about cells that may mean missing names all of them, so that following it leaves none."""
    assert "missing=['-', 'n/a']" in told("a", ["1", "2", "n/a", "-", "5"])


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        (["01/31/20", "02/20/20", "03/30/21"], "%m/%d/%y"),
        (["31.01.20 10:00", "1.2.20 11:00", "2.3.21 12:30"], "%d.%m.%y %H:%M"),
        (["01 Jan 2020", "12 Feb 2021", "3 Mar 2021"], "%d %b %Y"),
    ],
)
def test_advice_about_dates_is_a_format_that_fits(cells, form):
    """The format that is advised for dates reads all of them."""
    assert f"dates={{'when': '{form}'}}" in told("when", cells)
    table = unless.read_table([{"when": cell} for cell in cells], dates={"when": form})
    assert table.column("when").kind == "number"


def test_codes_of_missing_answers_are_named_in_every_column() -> None:
    """-7, -8 and -9 may mean missing where no other number is negative, in each column that has them."""
    cells = [*range(30), -7, -7, -8, -9]
    found = of({"trades": cells, "months": cells[::-1], "degrees": [*cells[:-1], -3]})
    assert codes(found, "trades") == codes(found, "months") == ["missing-number"]
    (remark,) = column(found, "trades").remarks
    assert remark.finding == "has -7 2×, -8 1×, -9 1×, the only negative numbers: they may mean missing"
    assert (remark.example, remark.others) == ("-7", ("-8", "-9"))
    assert codes(found, "degrees") == []


@pytest.mark.parametrize("cells", [[-9, 0], [-8, -9, 3], [1, 2, -7]])
def test_codes_of_missing_answers_are_named_beside_few_numbers(cells: list[int]) -> None:
    """Two or three different numbers are enough to tell -7, -8 and -9 from the others."""
    found = of({"flag": [*cells * 8, None]})
    assert codes(found, "flag") == ["missing-number"]
    assert "missing-number" not in codes(of({"flag": [-9, -9, -9, None]}), "flag")


def test_several_values_in_one_cell_are_named() -> None:
    """Cells like a;b;c are lists where their values come back; texts that happen to have the sign are not."""
    genres = ["drama;war", "drama", "war;comedy", "comedy;drama", "war;drama;comedy"] * 4
    found = of({"genre": genres, "code": [f"{k % 7};{k}-{k * k}" for k in range(20)]})
    assert codes(found, "genre") == ["several-values"]
    assert "several-values" not in codes(found, "code")
    (remark,) = column(found, "genre").remarks
    assert remark.finding == "has several values in one cell, such as 'comedy;drama'"


def test_values_between_commas_are_named() -> None:
    """Cells with one to three values between commas are lists; towns with their country, and numbers, are not."""
    values = ["English", "French", "English, French", "French, Spanish", "English, French, Spanish", "Spanish, English"]
    towns = [f"town {k}, {('Norway', 'Italy')[k % 2]}" for k in range(24)]
    degrees = ["Agree, strongly", "Agree, somewhat", "Disagree, strongly", "Disagree, somewhat"]
    found = of({"spoken": values * 4, "town": towns, "degree": degrees * 6, "sum": [f"1,{k}" for k in range(24)]})
    named = [one.name for one in found.columns if "several-values" in codes(found, one.name)]
    assert named == ["spoken"]
