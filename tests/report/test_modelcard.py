"""Model cards: every figure is what Python counts, and names and values are shown, never obeyed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from markdown_it import MarkdownIt

import unless
from tests.evaluation.test_watch import OLD, model_with_test, records, with_test
from tests.report.examples import HOSTILE, loans
from unless.errors import ParameterError, UnknownNameError
from unless.estimators.learners import UnlessLearner, learn
from unless.estimators.model_file import read
from unless.estimators.relearning import stability_of
from unless.evaluation.drift import watch
from unless.evaluation.metrics import evaluate_decider
from unless.evaluation.shares import Share
from unless.model.rule_statistics import wilson_interval
from unless.report.card import model_card
from unless.report.card_rendering import file_text, html, markdown
from unless.table import Column, Labels, Table

pytest.importorskip("jinja2")


FITTED = [model_with_test]


def test_figures_are_those_of_the_records_held_back(model):
    """Accuracy, baseline and the figures of every label are what the test counts, with intervals."""
    card, test = model_card(model), model.tested
    assert card.tests.unseen
    assert (card.tests.accuracy.count, card.tests.accuracy.total) == (test.right, 300)
    assert card.tests.accuracy.interval == test.interval == wilson_interval(test.right, 300)
    assert card.tests.baseline.value == test.baseline
    found = evaluate_decider(model.program, records(300, 1))
    for (name, precision, recall), one in zip(card.tests.labels, found.classes, strict=True):
        assert (name, precision.value, recall.value) == (one.label, one.precision, one.recall)
    assert [rule.tested.total for rule in card.rules] == test.statistics.support[: len(card.rules)].tolist()


def test_new_records_are_judged_if_there_was_no_test(model):
    """Without records held back the figures are those of the data given, and the card says what that means."""
    new = records(200, 5)
    card = model_card(replace(model, tested=None), new, data="new.csv")
    assert not card.tests.unseen
    assert card.tests.accuracy.value == evaluate_decider(model.program, new).accuracy
    assert "overstate how good it is" in card.limits[0]
    nothing = model_card(replace(model, tested=None))
    assert nothing.tests is None
    assert "not known" in nothing.limits[0]
    assert "Not known" in markdown(nothing)


def test_groups_are_those_of_the_data(model):
    """Subgroups have the accuracy of their records; a column may be no feature."""
    new = records(200, 5)
    more = replace(new, columns=(*new.columns, Column.of("town", ["A", "B"] * 100)))
    card = model_card(model, more, by=["smokes", "town"])
    right = unless.predict(model.program, new) == new.y
    assert [one.feature for one in card.groups] == ["smokes", "smokes", "town", "town"]
    assert card.groups[2].accuracy == float(np.mean(right[::2]))
    with pytest.raises(UnknownNameError, match="did you mean 'town'"):
        model_card(model, more, by=["twon"])


def test_only_held_back_records_of_the_own_data_are_judged():
    """If the data is that of the model, subgroups are of the records that were held back."""
    data = records(400)
    split = unless.table.HoldoutSplit.of(data, 0.25)
    back = split.held_back(data)
    made = with_test(learn(UnlessLearner(warn=False), data[~back]).model, data[back])
    mark = unless.table.holdout_split.fingerprint(data, data.features, made.statistics.classes)
    origin = replace(made.origin, split=split, fingerprint=mark, records=400)
    made = replace(made, tested=replace(made.tested, origin=origin), origin=origin)
    card = model_card(made, data, by=["smokes"])
    assert sum(one.records for one in card.groups) == int(back.sum())
    assert card.data_fingerprint == mark


def test_limits(model):
    """Rules that were hardly tested, unstable rules and what has moved are said."""
    data = records(600)
    few = with_test(model, records(20, 3))
    assert any("fewer than 30 records of those held back" in line for line in model_card(few).limits)
    stable = stability_of(UnlessLearner(warn=False), model.program, data, n=3)
    seen = watch(model, replace(data, columns=(data.columns[0], Column.of("smokes", ["YES"] * 600))))
    card = model_card(model, stability=stable, watch=seen)
    assert any("in 3 refits" in line for line in card.limits)
    assert any(line.startswith("Moved: smokes is new") for line in card.limits)
    weak = replace(stable, rules=tuple(replace(one, returns=0.1) for one in stable.rules))
    assert any("came back in less than half" in line for line in model_card(model, stability=weak).limits)


def test_columns_say_what_training_had(model):
    """Kind, missing cells, range and categories are those of training."""
    age, smokes = model_card(model).columns
    assert (age.kind, age.missing, age.of, age.used) == ("numbers and text", model.missing_counts["age"], 600, True)
    assert age.values == "20 to 69"
    assert smokes.values == "no, yes"


@pytest.mark.parametrize("name", ["fold-rm", "fold-rpp", "unless"])
def test_models_of_earlier_versions(name):
    """They have a card, with what they know."""
    found = read(Path(OLD) / f"model-v1-{name}.json")
    card = model_card(found, learner=found.learner, parameters=found.parameters)
    assert card.tests is None
    json.dumps(card.to_dict(), allow_nan=False)
    assert html(card).count("<h2>") >= 6
    assert markdown(card)


def test_rules_alone_have_no_card(model):
    """A program knows nothing about itself."""
    with pytest.raises(ParameterError, match="only rules"):
        model_card(model.program)


def test_classifiers_have_cards(tmp_path):
    """``model_card`` of a classifier prints as Markdown, and is saved in three formats."""
    clf, table = loans()
    card = clf.model_card(table, by=["employed"], purpose="Loans.\n\nOnly loans.", data="loans.csv")
    assert str(card) == markdown(card)
    assert "Loans.\n\nOnly loans." in str(card)
    for name, start in (("card.md", "# Model"), ("card.html", "<!doctype html>"), ("card.json", "{")):
        card.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
    with pytest.raises(ParameterError, match=r"\.md, \.html or \.json"):
        card.save(tmp_path / "card")
    frame = table.to_pandas().drop(columns="decision").assign(town=["A", "B"] * (len(table) // 2))
    with pytest.warns(UserWarning, match="was not trained on"):
        grouped = clf.model_card(frame, table.y, by=["town"])
    assert [one.name for one in grouped.groups] == ["A", "B"]


# Hostile names and values.


MARKS = (
    "# a",
    "- b",
    "1. c",
    "1) c",
    "> d",
    "a|b",
    "*e*",
    "_f_",
    "[g](javascript:x)",
    "<i>h</i>",
    "`i`",
    "https://j.k",
    "&lt;",
    "~~l~~",
    "\\",
    "m_n",
    "=",
    "www.o.p",
)


@pytest.fixture(scope="module")
def hostile_card():
    """A card on which every name, value, label and text is one that Markdown or HTML could misunderstand."""
    texts = [*HOSTILE[:-1], *MARKS]
    rows = 40 * len(texts)
    columns = [
        Column.of(text, [texts[(row * (place + 1)) % len(texts)] for row in range(rows)])
        for place, text in enumerate(texts[:6])
    ]
    labels = [texts[(row % len(texts)) // 11] for row in range(rows)]
    table = Table(tuple(columns), Labels.of("target " + HOSTILE[0], labels))
    model = learn(UnlessLearner(warn=False), table).model
    said = "\n\n".join(MARKS)
    return model_card(
        model, table, by=list(table.features), data=HOSTILE[0], title=HOSTILE[1], purpose=said, not_for=said
    )


def test_markdown_shows_names_as_they_are(hostile_card):
    """Rendered, the Markdown has the tables and headings of the card, and nothing that a name or a value brought in."""
    card = hostile_card
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(file_text(card, "markdown"))
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}
    assert not kinds & {
        "html_inline",
        "html_block",
        "link_open",
        "image",
        "em_open",
        "strong_open",
        "code_inline",
        "fence",
        "ordered_list_open",
    }
    assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1
    shown = ["".join(child.content for child in token.children) for token in tokens if token.type == "inline"]
    assert all(shown.count(mark) >= 2 for mark in MARKS)  # what the model is for, and what it is not for
    groups = {one.name for one in card.groups if one.name.isprintable()}
    assert {name for name in groups if len(name) < 20} <= set(shown)


def test_html_escapes_names(hostile_card):
    """No name or value becomes an element, and the file is UTF-8."""
    card = hostile_card
    text = file_text(card, "html")
    assert "<img" not in text
    assert "<b>" not in text
    assert "<script" not in text
    text.encode()
    json.loads(file_text(card, "json"))


@pytest.mark.parametrize("dark", [False, True])
def test_in_a_browser(hostile_card, model, tmp_path, open_page, axe, dark):
    """The card opens without errors or requests, axe has no complaints, and a phone shows it without scrolling."""
    for name, card in (("hostile", hostile_card), ("plain", model_card(model, records(200, 5), by=["smokes", "age"]))):
        path = tmp_path / f"{name}.html"
        path.write_text(file_text(card, "html"))
        page = open_page(path, width=390, height=800, dark=dark)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert axe(page) == []
        assert page.title() != "bad"


def test_a_share_of_nothing():
    """A share of no records is none."""
    assert (Share(0, 0).to_dict()["share"], Share(0, 0).to_figure("x")["interval"], Share(0, 0).text) == (
        None,
        None,
        "–",
    )
    assert Share(8, 10).text == "0.800 (0.490 to 0.943)"
