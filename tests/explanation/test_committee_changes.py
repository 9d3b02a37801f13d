"""Changes of a committee's decision: the nearest ones where all were tried, and said so only then."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.explanation.naive import naive_counterfactuals
from tests.explanation.test_contributions import TWO
from tests.explanation.test_counterfactuals import compare, named
from tests.score.test_committee import added_up
from unless.explanation.counterfactuals import committee_search
from unless.explanation.counterfactuals.nearest import counterfactuals
from unless.rule import Literal, Program, Rule
from unless.score.committee import Committee

_numbers = st.integers(0, 3).map(float)
_literals = st.one_of(
    st.builds(Literal, st.sampled_from("fg"), st.sampled_from(["<=", ">"]), _numbers),
    st.builds(Literal, st.just("h"), st.sampled_from(["==", "!="]), st.sampled_from("ab")),
)
_bodies = st.lists(_literals, min_size=1, max_size=2).map(tuple)
_rules = st.builds(Rule, st.just("x"), _bodies, st.lists(st.builds(Rule, st.none(), _bodies), max_size=1).map(tuple))
_cells = st.integers(-1, 4).map(float)
_records = st.fixed_dictionaries({"f": _cells, "g": _cells, "h": st.sampled_from("abz")})


@st.composite
def committees(draw):
    """A few short lists about three features, with points for two or three classes."""
    classes = ("x", "y", "z")[: draw(st.integers(2, 3))]
    lists = draw(st.lists(st.lists(_rules, min_size=1, max_size=3), min_size=1, max_size=4))
    programs = tuple(Program("c", ("f", "g", "h"), (*rules, Rule("x"))) for rules in lists)
    row = st.lists(st.integers(-5, 5), min_size=len(classes), max_size=len(classes))
    points = tuple(np.array([draw(row) for _ in program.rules]) for program in programs)
    return Committee("c", ("f", "g", "h"), classes, np.array(draw(row)), programs, points)


class Voting:
    """A committee as the slow twin asks programs: its rules, and its label of a record by the definition."""

    def __init__(self, committee):
        self.committee, self.used = committee, committee.used

    def __iter__(self):
        return iter(self.committee.all_rules.rules)

    def label(self, record):
        """The first class with the most points."""
        return self.committee.classes[int(np.argmax(added_up(self.committee, record)))]


@settings(deadline=None, max_examples=120)
@given(committees(), _records, st.sampled_from([None, "x", "y"]), st.sampled_from([1, 3, 50]))
def test_the_slow_twin_agrees(committee, record, label, most):
    """Where all changes are tried, they are those of trying every combination of values, in the same order."""
    voting = Voting(committee)
    if voting.label(record) == label:
        label = None
    goals = set(committee.classes) - {voting.label(record)} if label is None else {label}
    found = counterfactuals(committee, record, label, most=most)
    allowed = {feature: named(voting, feature, record) for feature in committee.used}
    expected = naive_counterfactuals(voting, record, goals, allowed, {})
    assert found.proven == len(found)
    compare(voting, record, found, goals, expected[:most])
    assert found.exhaustive <= (len(found) == len(expected))
    if not expected and committee.used:
        assert str(found).startswith("Nothing would change it")


@settings(deadline=None, max_examples=60)
@given(committees(), _records, st.integers(0, 60))
def test_what_is_not_proven_is_verified(committee, record, budget):
    """With a smaller budget the proven changes are still the nearest; the others give the label that they name."""
    voting = Voting(committee)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(committee_search, "MAX_CHANGES", budget)
        found = counterfactuals(committee, record, most=9)
    nearest = counterfactuals(committee, record, most=9)
    assert [str(one) for one in found[: found.proven]] == [str(one) for one in nearest[: found.proven]]
    assert all(voting.label(one.record) == one.label for one in found)
    assert len(found) >= found.proven


def test_the_text_says_what_is_proven(monkeypatch):
    """The title names how many changes are proven to be the nearest, and JSON has it for each."""
    model = unless.UnlessCommittee(size=8, warn=False).fit(TWO)
    monkeypatch.setattr(committee_search, "MAX_CHANGES", 0)
    titles = set()
    for row in range(25):
        found = model.counterfactuals(TWO.record(row), most=40)
        assert found.proven == sum(len(one.changes) == 1 for one in found)
        listed = json.loads(json.dumps(found.to_dict()))["changes"]
        assert [one["proven"] for one in listed] == [place < found.proven for place in range(len(found))]
        first = "first is" if found.proven == 1 else f"first {found.proven} are"
        note = (
            f" (the {first} proven to be the nearest)" if found.proven else " (verified, not proven to be the nearest)"
        )
        title = "What would change it" + (note if found.proven < len(found) else "")
        assert str(found).startswith(f"{title}:")
        titles.add(title)
    assert len(titles) > 1
