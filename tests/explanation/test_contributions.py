"""What people see of contributions and effects: sentences, bars, frames, JSON, and an object for the shap package."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import unless
from unless.demo.applicants import TARGET, applicants_csv
from unless.errors import ParameterError, UnknownNameError, UnlessError
from unless.explanation import contributions as module

NAMES = ["age", "income", "employed", "history", "guarantor", "amount"]
TABLE = unless.read_table(applicants_csv(400).encode(), TARGET, features=NAMES, format="csv")
TWO = unless.read_table(
    applicants_csv(400).replace(",review", ",refuse").encode(), TARGET, features=NAMES, format="csv"
)


@pytest.fixture(
    scope="module",
    params=[
        (unless.UnlessClassifier, TABLE),
        (unless.UnlessClassifier, TWO),
        (unless.FoldRMClassifier, TABLE),
        (unless.UnlessCommittee, TABLE),
        (unless.UnlessCommittee, TWO),
    ],
    ids=lambda param: f"{param[0].__name__}-{len(param[1].labels.labels)}",
)
def fitted(request):
    """A classifier, and the table that it was fitted to."""
    kind, table = request.param
    options = {"size": 12} if kind is unless.UnlessCommittee else {}
    return kind(warn=False, **options).fit(table), table


def test_they_add_up_to_the_probabilities(fitted):
    """Expected value, features and what the list adds give exactly the probabilities of predict_proba."""
    model, table = fitted
    found = model.contributions(table[:50], background=table[50:])
    assert np.abs(found.probabilities() - model.predict_proba(table[:50])).max() < 1e-9
    assert found.features == model.model_.decider.used
    assert found.background == 350
    if isinstance(model, unless.UnlessCommittee):
        assert not found.leads.any()


def test_a_sentence_says_what_speaks_for_the_label_and_against_it(fitted):
    """The features that it names have these contributions, the largest first, and the signs that it says."""
    model, table = fitted
    found = model.contributions(table[:20], background=table)
    for row, label in enumerate(model.predict(table[:20])):
        text, own = found.sentence(row), found.toward_label(row)
        assert text.startswith(f"decision {label}, with probability ")
        for_it, _, against = text.partition("; against it: ")
        for part, sign in ((for_it, 1), (against, -1)):
            named = [(name, float(points)) for name, points in re.findall(r"(\w+) is [^(]*\(([+-][\d.]+)\)", part)]
            assert all(points * sign > 0 for _, points in named)
            assert all(abs(own[found.features.index(name)] - points) <= 0.005001 for name, points in named)
            sizes = [abs(points) for _, points in named]
            assert sizes == sorted(sizes, reverse=True)


def test_bars_have_the_features_that_matter(fitted):
    """Each feature with a contribution has a bar, full for the label and light against it."""
    model, table = fitted
    found = model.contributions(table[:1], background=table)
    first, *bars = found.lines()
    assert first == found.sentence()
    own = found.toward_label(0)
    assert len(bars) == (np.abs(own) >= 0.005).sum()
    for bar in bars:
        name = bar.split()[0]
        assert ("█" in bar) == (own[found.features.index(name)] > 0)


def test_a_notebook_shows_bars_as_text_shows_them(fitted):
    """Each record has a table with the same features and numbers; names are shown, never obeyed."""
    model, table = fitted
    found = model.contributions(table[:2], background=table)
    page = found._repr_html_()
    assert page.count("<table") == 2
    for row in range(2):
        for name, own in found.bars(row):
            assert f'<bdi>{name}</bdi></th><td class="n">{own:+.2f}</td>' in page


def test_frames_and_json_have_the_same_numbers(fitted):
    """A frame has a row for each record and column of log-odds; JSON has everything."""
    model, table = fitted
    found = model.contributions(table[:3], background=table)
    frame, data = found.frame(), json.loads(json.dumps(found.to_dict()))
    assert len(frame) == 3 * len(found.columns)
    parts = frame[["expected", *found.features, "the list"]].sum(axis=1)
    assert np.abs(parts - frame["total"]).max() < 1e-9
    assert np.allclose(np.array([record["contributions"] for record in data["records"]]), found.values.swapaxes(1, 2))
    assert [record["sentence"] for record in data["records"]] == [found.sentence(row) for row in range(3)]
    assert list(data["importances"].values()) == sorted(data["importances"].values(), reverse=True)


def test_a_large_background_is_the_same_in_any_order(fitted, monkeypatch):
    """Of more records than are used those with the smallest hashes count."""
    model, table = fitted
    monkeypatch.setattr(module, "MOST_RECORDS", 100)
    shuffled = table[np.random.default_rng(1).permutation(len(table))]
    one, other = (model.contributions(table[:5], background=each) for each in (table, shuffled))
    assert one.background == 100
    assert np.abs(one.values - other.values).max() < 1e-9


def test_curves(fitted):
    """Each record of the background is in one group of each curve, and the mean effect of a list's card adds up."""
    model, table = fitted
    found = model.effects(table)
    assert {curve.feature for curve in found.curves} == set(model.model_.decider.used)
    for curve in found.curves:
        assert sum(group.records for group in curve.groups) == len(table)
        short = curve.merged(3)
        assert sum(group.is_range for group in short.groups) <= 3
        assert sum(group.records for group in short.groups) == len(table)
    assert [curve.spread for curve in found.curves] == sorted((c.spread for c in found.curves), reverse=True)
    text = str(found)
    assert text.count("log-odds of ") == len(found.columns)
    assert set(found.frame()["feature"]) == set(model.model_.decider.used)
    assert json.loads(json.dumps(found.to_dict()))["background"] == len(table)


def test_a_curve_is_what_replacing_the_cell_does(fitted):
    """The effect of a group is the mean log-odds of the background with a value of the group, less its mean."""
    model, table = fitted
    found = model.effects(table)
    if not isinstance(model, unless.UnlessCommittee):
        pytest.skip("predict_proba of a list has the points that the list adds, which curves leave out")
    rows = [table.record(row) for row in range(len(table))]
    curve = found["employed"]
    for group in curve.groups:
        changed = [{**row, "employed": group.values[0]} for row in rows]
        shares = model.predict_proba(unless.read_table(changed, like=model))
        logits = np.log(shares)
        if len(found.labels) == 2:
            mean = (logits[:, 1] - logits[:, 0]).mean()
            assert abs(group.effect[0] + found.expected[0] - mean) < 1e-6


def test_only_some_curves():
    """Curves are chosen by name; a name that no rule tests is an error that helps."""
    found = unless.UnlessClassifier(warn=False).fit(TABLE).effects(TABLE)
    assert [curve.feature for curve in found.only(["amount"]).curves] == ["amount"]
    with pytest.raises(UnknownNameError, match="no rule tests 'amonut'; did you mean 'amount'"):
        found.only(["amonut"])


def test_without_shap_an_error_says_what_to_install(monkeypatch):
    """to_shap needs the package."""
    monkeypatch.setitem(__import__("sys").modules, "shap", None)
    found = unless.UnlessClassifier(warn=False).fit(TWO).contributions(TWO[:2], background=TWO)
    with pytest.raises(UnlessError, match="pip install shap"):
        found.to_shap()


def test_shap_takes_them():
    """The values, the base value and the data of shap's explanation are ours; its additivity holds."""
    pytest.importorskip("shap", reason="the shap package is not installed")
    for table in (TABLE, TWO):
        model = unless.UnlessClassifier(warn=False).fit(table)
        found = model.contributions(table[:30], background=table)
        shown = found.to_shap()
        assert np.abs(shown.values.sum(axis=1) + shown.base_values - np.squeeze(found.totals)).max() < 1e-9
        assert shown.feature_names[: len(found.features)] == list(found.features)


def test_a_model_without_points_is_refused():
    """A list of one label has no log-odds."""
    table = TABLE[TABLE.labels.codes == 0]
    one = unless.UnlessClassifier(warn=False).fit(table.to_pandas().drop(columns=TARGET), ["accept"] * len(table))
    with pytest.raises(ParameterError, match="no points"):
        one.contributions(table[:1], background=table)
