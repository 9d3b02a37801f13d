"""Opening, groups, curves, histograms, colours: every figure of the page against a plain count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unless
from tests.evaluation.test_groups import is_in
from tests.report.examples import loans, long, many_labels, parcels
from unless.demo.applicants import TARGET, applicants
from unless.model.prediction import predict
from unless.model.rule_statistics import wilson_interval
from unless.report import render, summarise
from unless.report.card import model_card
from unless.report.facts import gather_facts, is_identifier, sort_labels
from unless.report.page_data import fingerprint
from unless.report.rule_sentences import assign_colours
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table


@pytest.fixture(scope="module")
def page():
    """The page of the loan example, and its table."""
    model, table = loans()
    return summarise(model, table), model, table


@pytest.fixture(scope="module")
def two():
    """A model of two labels with a score card, its records, and the page about them."""
    rows = applicants()
    for row in rows:
        row[TARGET] = "accept" if row[TARGET] == "accept" else "other"
    features = [name for name in rows[0] if name not in ("applicant", TARGET)]
    training = unless.read_table(rows[:500], TARGET, features=features)
    model = unless.UnlessClassifier(warn=False).fit(training)
    names = [*features, "applicant"]
    table = unless.read_table(rows[500:], TARGET, like=training, features=names)
    return summarise(model, table), model, table


class TestOpening:
    """The three sentences."""

    def test_what_decides_most(self, page):
        """The fewest rules that decide more than half of the records, busiest first, and what they ask."""
        found, model, table = page
        rules = unless.model.prediction.deciding_rules(model.program_, table)
        counts = np.bincount(rules, minlength=len(model.program_))
        assert found.leading.records == counts[[number - 1 for number in found.leading.numbers]].sum() > len(table) / 2
        assert [counts[number - 1] for number in found.leading.numbers] == sorted(counts)[::-1][
            : len(found.leading.numbers)
        ]
        assert all(counts[number - 1] * 2 <= len(table) for number in found.leading.numbers[1:])

    def test_no_few_rules(self):
        """Of many rules that each decide little, only the busiest is named, and that it does not decide most."""
        found = summarise(*many_labels(30))
        assert not found.leading.most
        assert len(found.leading.numbers) == 1
        assert "No few rules decide most" in render(found)

    def test_quality_against_guessing(self, page):
        """The share that is right, its interval, and what always giving the usual label of training gets."""
        found, model, table = page
        right = sum(model.predict(table) == table.y)
        assert (found.trust.right.count, found.trust.right.total, found.trust.of) == (right, len(table), "given")
        assert found.trust.right.interval == wilson_interval(right, len(table))
        assert found.trust.guess.text.shown == "accept"
        assert found.trust.guessed.count == sum(table.y == "accept")

    def test_training_records_are_called_that(self):
        """A report over the records that a model was learned from says so, and claims nothing about new ones."""
        rows = applicants(300)
        table = unless.read_table(rows, TARGET, features=["income", "history"])
        found = summarise(unless.UnlessClassifier(warn=False).fit(table), table)
        assert found.trust.of == "learned"
        assert "That says nothing about new ones" in render(found)

    def test_without_truth(self):
        """Without true labels the page does not pretend to know."""
        program, table = parcels()
        found = summarise(program, Table(table.columns, rows=len(table)))
        assert found.trust is None
        assert "cannot tell how many decisions are right" in render(found)


class TestColours:
    """A colour means one label."""

    @given(st.lists(st.integers(0, 9), max_size=40))
    def test_no_colour_is_shared(self, often):
        """Up to ten labels have a colour each; of more, nine have one, and all others are grey."""
        found = assign_colours(often)
        grey = [colour for colour in found if colour == 7]
        own = [colour for colour in found if colour != 7]
        assert len(set(own)) == len(own)
        assert len(grey) == (max(len(often) - 9, 0) if len(often) > 10 else int(len(often) > 7))

    def test_the_page_says_so(self):
        """With more labels than colours, the page says which labels are grey."""
        assert "all others are grey" in render(summarise(*many_labels(26)))
        assert "all others are grey" not in render(summarise(*loans()))


class TestLabels:
    """The order of labels, and which the matrix shows."""

    def test_numbers_by_size(self):
        """Labels that are numbers, also as text, are in the order of numbers; others by letters."""
        assert sort_labels(["10", "9", "-1", "2.5"]) == ("-1", "2.5", "9", "10")
        assert sort_labels([10, 9.5, -1]) == (-1, 9.5, 10)
        assert sort_labels(["b", "10", "9"]) == ("10", "9", "b")

    def test_numbers_in_the_matrix(self):
        """The rows of the matrix are in this order."""
        texts = [str(k % 12) for k in range(48)]
        program = Program(
            "y", ("n",), tuple(Rule(text, (Literal("n", "<=", float(text)),)) for text in ["0", "2", "11"]), "5"
        )
        table = Table((Column.of("n", [float(text) for text in texts], "number"),), Labels.of("y", texts))
        shown = [label.text.shown for label, _ in summarise(program, table).errors.matrix.rows]
        assert shown == sorted(shown, key=int)

    def test_the_worst_confusions_are_shown(self):
        """Of 26 labels the matrix has those of the worst pairs, and these pairs are listed first, worst first."""
        program, table = many_labels(26)
        found = summarise(program, table)
        truth, decided = table.y, predict(program, table)
        pairs = {}
        for true, given_ in zip(truth, decided, strict=True):
            if true != given_:
                pairs[true, given_] = pairs.get((true, given_), 0) + 1
        listed = [
            (true.text.shown, None if given_ is None else given_.text.shown, count)
            for true, given_, count in found.errors.confusions
        ]
        assert [count for *_, count in listed] == sorted(pairs.values(), reverse=True)[:12]
        assert all(pairs[true, given_] == count for true, given_, count in listed)
        names = {label.text.shown for label in found.errors.matrix.columns if label is not None}
        assert {name for pair in listed[:4] for name in pair[:2]} <= names
        assert found.errors.matrix.places[-1].count(",") == 26 - 11 - 1


class TestGroups:
    """Groups of records by any column."""

    def test_counts(self, page):
        """Every record is in one group of a column; what is right and what is decided is counted there."""
        found, model, table = page
        decided, truth = model.predict(table), table.y
        for by in found.groups.columns:
            column = table.column(by.column.shown)
            assert sum(group.records for group in by.groups) == len(table)
            for group in by.groups:
                rows = np.array([is_in(group.test, column.value(code)) for code in column.codes])
                assert group.records == rows.sum()
                assert group.right == (decided == truth)[rows].sum()
                assert group.interval == wilson_interval(group.right, group.records)
                assert [group.given(label) for label in found.groups.labels] == [
                    (decided[rows] == label).sum() for label in found.groups.labels
                ]
                assert all(name.text.shown == label for label, name in found.groups.labels.items())

    @pytest.mark.parametrize("labelled", [True, False])
    def test_the_card_says_the_same(self, two, labelled):
        """By the columns of the page, the model card has the same groups, with the same counts and differences."""
        _, model, table = two
        town = ["far" if k % 5 else "near" for k in range(len(table))]
        long = [f"{'x' * 90}{k % 3}" for k in range(len(table))]
        columns = (*table.columns, Column.of("town", town), Column.of("long", long))
        records = Table(columns, table.target if labelled else None, rows=len(table))
        found = summarise(model, records).groups
        names = [by.groups[0].feature for by in found.columns]
        assert {"town", "long"} <= set(names) < set(records.features)
        assert model_card(model, records, by=names).groups == tuple(
            group for by in found.columns for group in by.groups
        )
        assert any(by.differing for by in found.columns)

    def test_long_texts_lead_to_their_records(self):
        """The scripts ask for a text as it is in the page's records, where long texts are cut."""
        texts = [f"{k % 2}{'x' * 500}" for k in range(40)]
        table = Table((Column.of("x", [1.0] * 40, "number"), Column.of("long", texts)), Labels.of("y", ["a", "b"] * 20))
        data = summarise(Program("y", ("x",), (Rule("a", (Literal("x", "<=", 2.0),)),), "b"), table).data
        (by,) = data["groups"]
        assert {group[2] for group in by["groups"]} == set(data["others"][0]["values"])

    def test_a_difference_is_found(self):
        """A group in which the rules fail, of a column that no rule tests, is listed, with its records."""
        n = 400
        places = ["north", "south"] * (n // 2)
        truth = ["yes" if place == "north" or k % 4 == 1 else "no" for k, place in enumerate(places)]
        table = Table((Column.of("x", [1.0] * n, "number"), Column.of("place", places, "text")), Labels.of("y", truth))
        found = summarise(Program("y", ("x",), (Rule("yes", (Literal("x", "<=", 2.0),)),), "no"), table)
        ((column, group, difference),) = found.groups.striking
        assert (column.column.shown, group.name, difference.label, difference.share) == ("place", "north", None, 1.0)
        assert difference.elsewhere == 0.5
        assert "group=0.0" in render(found)

    def test_chance_is_not_listed(self):
        """In columns of noise hardly ever anything is listed: at most 6 of 40 tables of 30 columns differ."""
        listed = 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            columns = [Column.of("x", rng.normal(size=200).tolist(), "number")]
            columns += [Column.of(f"c{k}", rng.choice(["a", "b", "c"], 200).tolist(), "text") for k in range(30)]
            truth = rng.choice(["no", "yes"], 200).tolist()
            table = Table(tuple(columns), Labels.of("y", truth))
            program = Program("y", ("x",), (Rule("yes", (Literal("x", "<=", 0.0),)),), "no")
            listed += bool(summarise(program, table).groups.striking)
        assert listed <= 6


class TestCurves:
    """Probabilities of two labels."""

    def test_as_scikit_learn(self, two):
        """Area, average precision and Brier score are those of scikit-learn."""
        from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score, roc_curve

        found, model, table = two
        shares = model.predict_proba(table)[:, 1]
        truth = table.y == model.classes_[1]
        assert found.curves.area == pytest.approx(roc_auc_score(truth, shares))
        assert found.curves.average_precision == pytest.approx(average_precision_score(truth, shares))
        assert found.curves.brier == pytest.approx(brier_score_loss(truth, shares))
        x, y, _ = roc_curve(truth, shares, drop_intermediate=False)
        assert np.array(found.curves.roc) == pytest.approx(np.array([x, y]).T)

    def test_calibration(self, two):
        """The groups of calibration hold all records, ordered by probability."""
        found, model, table = two
        bins = found.curves.bins
        assert sum(one.positive.total for one in bins) == len(table)
        assert sum(one.positive.count for one in bins) == sum(table.y == model.classes_[1])
        assert [one.mean for one in bins] == sorted(one.mean for one in bins)
        mean = sum(one.mean * one.positive.total for one in bins) / len(table)
        assert mean == pytest.approx(model.predict_proba(table)[:, 1].mean())

    def test_only_for_two_labels(self, page):
        """Three labels, or a program without points, have no curves."""
        assert page[0].curves is None
        assert summarise(*parcels()).curves is None


class TestPictures:
    """Histograms."""

    @pytest.mark.parametrize("example", [loans, parcels, lambda: long(20)])
    def test_counts(self, example):
        """Every finite number of a feature is counted once, in its bin and with its label."""
        model, table = example()
        facts = gather_facts(model, table)
        found = summarise(model, table).data["histograms"]
        for place, name in enumerate(facts.used):
            picture, column = found["features"][place], facts.column(name)
            numbers = [(column.value(code), label) for code, label in zip(column.codes, facts.truth, strict=True)]
            numbers = [(value, label) for value, label in numbers if isinstance(value, float)]
            if picture is None:
                assert len({value for value, _ in numbers}) < 2
                continue
            low, high, bins = picture["low"], picture["high"], len(picture["counts"])
            wanted = np.zeros((bins, len(found["labels"]) + 1), dtype=int)
            for value, label in numbers:
                at = min(int((value - low) / (high - low) * bins), bins - 1)
                wanted[at, found["labels"].index(label) if label in found["labels"] else -1] += 1
            assert picture["counts"] == wanted.tolist()


class TestColumns:
    """Columns that no rule tests."""

    def test_identifiers_come_first(self, two):
        """The table of records has the columns that the model does not use, identifiers first."""
        found, _, table = two
        others = found.data["others"]
        assert (others[0]["name"], others[0]["identifier"]) == ("applicant", True)
        cells = [others[0]["values"][code] for code in others[0]["codes"]]
        column = table.column("applicant")
        assert cells == [column.value(code) for code in column.codes]

    def test_identifiers(self):
        """Names and keys tell records apart; measured numbers and categories do not, even if all differ."""
        assert is_identifier(Column.of("key", [f"k{k}" for k in range(50)]))
        assert is_identifier(Column.of("number", [float(k) for k in range(50)]))
        assert not is_identifier(Column.of("size", [k + 0.5 for k in range(50)]))
        assert not is_identifier(Column.of("kind", ["a", "b"] * 25))

    def test_identifiers_are_no_groups(self):
        """Numbers that only tell records apart are not cut into groups, unless a rule tests them."""
        rows = [{"number": k, "key": f"k{k}", "age": 20 + k, "sex": "fm"[k % 2]} for k in range(60)]
        program = Program("risk", ("age",), (Rule("high", (Literal("age", "<=", 40.0),)),), "low")
        found = summarise(program, unless.read_table(rows, None)).groups
        assert [one.column.shown for one in found.columns] == ["age", "sex"]

    def test_wide_tables_and_long_texts(self):
        """Of a hundred columns some are left out, and the page says so; texts are cut."""
        columns = [Column.of(f"c{k}", ["x" * 5000, "y"] * 10) for k in range(100)]
        program = Program("y", ("c0",), (Rule("a", (Literal("c0", "==", "y"),)),), "b")
        found = summarise(program, Table(tuple(columns), Labels.of("y", ["a", "b"] * 10)))
        assert (len(found.data["others"]), found.unlisted) == (40, 59)
        assert max(len(value) for one in found.data["others"] for value in one["values"]) == 201
        assert "59 columns are left out" in render(found)

    def test_a_fingerprint_is_of_the_program(self):
        """Another threshold is another program; the records make no difference."""
        program, table = parcels()
        assert fingerprint(program) == summarise(program, table).data["fingerprint"]
        other = Program(program.target, program.features, program.rules[:2], program.otherwise)
        assert fingerprint(other) != fingerprint(program)
