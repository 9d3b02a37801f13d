"""Effects in the large: importances, heat maps, and curves that go against common sense, as text, JSON and HTML."""

from __future__ import annotations

import json
import re
from math import inf

import numpy as np
import pytest

import unless
from tests.explanation.test_contributions import NAMES, TABLE, TWO
from unless.explanation import importances
from unless.explanation.curve_findings import find_contradiction, find_turns, rank_sum_deviation
from unless.explanation.effects import Curve, CurveGroup
from unless.explanation.words import DEFAULT
from unless.table import Column, Labels, Table


@pytest.fixture(scope="module", params=[(unless.UnlessClassifier, TWO), (unless.UnlessCommittee, TABLE)], ids=str)
def found(request):
    """The effects of a fitted classifier, with the classifier and its table."""
    kind, table = request.param
    options = {"size": 10} if kind is unless.UnlessCommittee else {}
    model = kind(warn=False, **options).fit(table)
    return model.effects(table), model, table


def test_importances_are_means_of_contributions(found, monkeypatch):
    """With as many records as there are, they are the mean absolute contributions; fewer are the same in any order."""
    effects, model, table = found
    assert effects.importances.records == 200
    monkeypatch.setattr(importances, "_EXPLAINED", len(table))
    whole = model.effects(table).importances
    means = model.contributions(table, background=table).importances
    assert list(whole.features) == list(means)
    assert np.allclose(list(whole.features.values()), list(means.values()))
    assert all(mean >= 0 for mean in whole.pairs.values())
    assert list(whole.pairs.values()) == sorted(whole.pairs.values(), reverse=True)
    shuffled = table[np.random.default_rng(3).permutation(len(table))]
    again = model.effects(shuffled).importances
    assert whole.records == again.records == len(table)
    for name, mean in again.features.items():
        assert abs(whole.features[name] - mean) < 1e-9


def test_importances_end_with_their_budget(found, monkeypatch):
    """The records explained are fewer when the work is used up, and the text says how many there were."""
    _, model, table = found
    monkeypatch.setattr(importances, "_STEPS", 1)
    effects = model.effects(table)
    assert effects.importances.records == 10
    assert "contribution, over 10 records" in str(effects)


def test_a_pair_is_what_replacing_both_cells_does():
    """The joint effect of two features is the mean log-odds with both values, less the mean of the background."""
    model = unless.UnlessCommittee(size=6, warn=False).fit(TWO)
    effects = model.effects(TWO)
    pair = effects.pair("employed", "history")
    assert pair.records.sum() == len(TWO)
    rows = [TWO.record(row) for row in range(len(TWO))]
    for i, own in enumerate(pair.groups[0]):
        for j, other in enumerate(pair.groups[1]):
            changed = [{**row, "employed": own.values[0], "history": other.values[0]} for row in rows]
            shares = np.log(model.predict_proba(unless.read_table(changed, like=model)))
            assert abs(pair.effect[i, j, 0] + effects.expected[0] - (shares[:, 1] - shares[:, 0]).mean()) < 1e-6
            assert pair.records[i, j] == sum(
                row["employed"] in own.values and row["history"] in other.values for row in rows
            )
    whole = effects.pair("income", "amount")
    small = whole.merged(3, 2)
    assert (len(small.groups[0]), len(small.groups[1])) == small.effect.shape[:2] == small.records.shape
    assert sum(group.is_range for group in small.groups[0]) <= 3
    assert sum(group.is_range for group in small.groups[1]) <= 2
    assert small.records.sum() == whole.records.sum()
    assert (
        abs(
            np.average(small.effect[..., 0], weights=small.records)
            - np.average(whole.effect[..., 0], weights=whole.records)
        )
        < 1e-9
    )


def test_text_json_and_html_have_the_same_numbers(found):
    """Bars, curves and heat maps show what JSON has."""
    effects, _, _ = found
    text, data, page = str(effects), json.loads(json.dumps(effects.to_dict())), effects._repr_html_()
    for name, mean in data["importances"]["features"].items():
        if mean >= 0.005:
            assert re.search(rf"^  {name} +{mean:.2f}  █", text, re.MULTILINE)
            assert f'<bdi>{name}</bdi></th><td class="n">{mean:.2f}</td>' in page
    assert len(data["pairs"]) == len(effects.strongest_pairs) > 0
    strongest = [one["features"] for one in data["importances"]["pairs"][: len(data["pairs"])]]
    assert [one["features"] for one in data["pairs"]] == strongest
    for pair in data["pairs"]:
        assert f"\n{' and '.join(pair['features'])}\n" in text
        for effect, records in zip(np.ravel(np.array(pair["effect"])[..., 0]), np.ravel(pair["records"]), strict=True):
            assert (f"{effect:+.2f}" if records else f"({effect:+.2f})") in text
            assert f">{effect:+.2f}<" in page or f">({effect:+.2f})<" in page
    assert page.count('class="map"') == len(effects.strongest_pairs) * len(effects.columns)


def test_chosen_features_show_their_pairs():
    """One chosen feature has its curve only; of several, the pairs among them are shown, too."""
    effects = unless.UnlessCommittee(size=6, warn=False).fit(TWO).effects(TWO)
    assert "importance" not in str(effects.only(["amount"]))
    assert " and " not in str(effects.only(["amount"]))
    both = effects.only(["income", "amount"])
    assert re.findall(r"^\w+ and \w+$", str(both), re.MULTILINE) == ["income and amount"]


def curve(*groups, feature="f"):
    """A curve of (effect, records) for ranges that end at 1, 2, 3 and so on."""
    ends = [-inf, *(float(k) for k in range(1, len(groups))), inf]
    made = (
        CurveGroup((), low, high, np.array([e]), n) for low, high, (e, n) in zip(ends, ends[1:], groups, strict=False)
    )
    return Curve(feature, tuple(made))


def test_a_turn_on_few_records_is_named():
    """A falling curve that rises in one range is named there, with the constraint that excludes it."""
    turned = curve((1.0, 300), (0.8, 200), (0.2, 200), (0.9, 20), (-0.5, 200), (-1.0, 100))
    (finding,) = find_turns(turned, "refuse", 0, DEFAULT)
    assert str(finding.constraint) == "f: more never refuse"
    assert finding.records == 20
    assert "refuse becomes less likely with more f, except above 3, at most 4" in finding.text
    assert "20 records of 1,020" in finding.text
    mirrored = curve(*((-group.effect[0], group.records) for group in turned.groups))
    (finding,) = find_turns(mirrored, "refuse", 0, DEFAULT)
    assert str(finding.constraint) == "f: less never refuse"


@pytest.mark.parametrize(
    "groups",
    [
        ((1.0, 300), (0.8, 200), (0.2, 200), (-0.5, 20)),  # nothing turns
        ((1.0, 300), (-1.0, 300), (1.0, 300)),  # it has no direction
        ((0.1, 300), (0.0, 300), (0.09, 10), (-0.1, 300)),  # it hardly matters
        ((1.0, 300), (0.5, 300), (0.55, 20), (-1.0, 300)),  # the turn is small
        ((1.0, 300),),
        (),
    ],
)
def test_other_curves_are_not_named(groups):
    """A curve without a direction, or with small turns, is no finding."""
    assert not list(find_turns(curve(*groups), "refuse", 0, DEFAULT))


def test_a_direction_unlike_the_data_is_named():
    """A curve that rises is named if the label has clearly lower numbers in the data, and not otherwise."""
    rising = curve((-1.0, 300), (0.0, 200), (1.0, 200))
    found = find_contradiction(rising, "late", 0, DEFAULT, -6.0)
    assert "the rules make late likelier with more f, but in the records it is rarer" in found.text
    assert str(found.constraint) == "f: more never late"
    assert find_contradiction(rising, "late", 0, DEFAULT, 6.0) is None
    assert find_contradiction(rising, "late", 0, DEFAULT, -3.0) is None


def test_the_rank_sum_is_that_of_the_definition():
    """It is the sum of ranks in standard deviations of all ways to give out the labels, ties included."""
    rng = np.random.default_rng(1)
    numbers, labels = rng.integers(0, 6, 40), rng.integers(0, 2, 40)
    column, given = Column.of("f", [*map(float, numbers), None]), Labels.of("y", [*labels.tolist(), 1])
    ranks = np.array([(numbers < n).sum() + ((numbers == n).sum() + 1) / 2 for n in numbers])
    draws = [rng.permutation(ranks)[: labels.sum()].sum() for _ in range(4000)]
    expected = (ranks[labels == 1].sum() - np.mean(draws)) / np.std(draws)
    assert abs(rank_sum_deviation(column, given, 1) - expected) < 0.15
    assert rank_sum_deviation(column, Labels.of("y", [1] * 41), 1) == 0


def test_labels_show_a_confounded_direction():
    """Where rules split by one feature, another moves against the records as a whole (Simpson's paradox)."""
    rng = np.random.default_rng(1)
    group = np.repeat(["a", "b"], 600)
    f = np.concatenate([rng.uniform(0, 10, 600), rng.uniform(5, 15, 600)])
    chance = np.where(group == "a", 0.35, 0.95) - 0.3 * (f > 7)  # b has larger numbers, and more often the label
    y = np.where(rng.random(1200) < chance, "yes", "no").tolist()
    columns = (Column.of("f", f.tolist()), Column.of("g", group.tolist()))
    table = Table(columns, Labels.of("y", y), 1200)
    model = unless.UnlessCommittee(size=30, warn=False).fit(table)
    named = [one for one in model.effects(table).findings if "but in the records" in one.text]
    assert [(one.feature, str(one.constraint)) for one in named] == [("f", "f: less never yes")]
    assert not [one for one in model.effects(Table(columns, None, 1200)).findings if "in the records" in one.text]
    X = table.to_pandas().drop(columns="y")
    assert model.effects(X, y).findings == model.effects(table).findings


def test_names_are_checked():
    """A pair of unknown features is an error that helps."""
    effects = unless.UnlessClassifier(warn=False).fit(TWO).effects(TWO)
    with pytest.raises(unless.UnlessError, match="no rule tests 'amonut'; did you mean 'amount'"):
        effects.pair("amonut", NAMES[0])
