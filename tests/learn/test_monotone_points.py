"""Points in required directions: for every pair of records, by brute force, for committees and for score cards."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.strategies import programs
from unless import Constraints, Literal, Monotone, Program, Rule, violations
from unless.errors import ParameterError
from unless.learn.monotone_points import deciding_changes, pool_points
from unless.learn.score_fitting import fit_score_card
from unless.table import Column, Labels, Table

GRID = {
    "f": [float(value) for value in range(8)],
    "g": [float(value) for value in range(5)],
    "c": ["a", "b", "z", None],
}


def case(seed: int, classes: int) -> Table:
    """A table whose labels move with its numbers in several directions, and with a category."""
    rng, rows = np.random.default_rng(seed), 300
    f, g = rng.integers(0, 8, rows).astype(float), rng.integers(0, 5, rows).astype(float)
    c = rng.choice(["a", "b", "z"], rows)
    found = (f > 4) * 1 + (g > 2) * (c == "a") * 2 + (f < 2) * (c == "b") * 2 + (rng.random(rows) < 0.2)
    cells = [None if gap < 0.05 else value for value, gap in zip(f.tolist(), rng.random(rows), strict=True)]
    columns = (Column.of("f", cells), Column.of("g", g.tolist()), Column.of("c", c.tolist()))
    return Table(columns, Labels.of("y", [f"L{value % classes}" for value in found.tolist()]), rows)


def rises(model, label: str, direction: str) -> tuple[int, int]:
    """For how many neighbours on the grid a label becomes likelier with f, and for how many it appears."""
    rows = [dict(zip(("c", "g", "f"), cells, strict=True)) for cells in product(GRID["c"], GRID["g"], GRID["f"])]
    chances = model.predict_proba(rows)[:, model.classes_.tolist().index(label)].reshape(-1, 8)
    given_ = (model.predict(rows) == label).astype(int).reshape(-1, 8)
    sign = 1 if direction == "more" else -1
    return int((sign * np.diff(chances) > 1e-9).sum()), int((sign * np.diff(given_) > 0).sum())


@pytest.mark.parametrize("direction", ["more", "less"])
@pytest.mark.parametrize("classes", [2, 3])
def test_committees_move_in_one_direction(classes, direction):
    """Neither the label nor its probability grows against the constraint; without it, they would."""
    free = kept = 0
    for seed in range(4):
        table, label = case(seed, classes), f"L{seed % classes}"
        asked = Constraints(monotone=[f"f: {direction} never {label}", "g: more never L0"][: 1 + seed % 2])
        model = unless.UnlessCommittee(size=12, constraints=asked, warn=False).fit(table)
        assert rises(model, label, direction) == (0, 0)
        assert violations(model.committee_, asked) == ()
        kept += len(model.committee_.used)
        other = unless.UnlessCommittee(size=12, warn=False).fit(table)
        free += sum(rises(other, label, direction)) > 0
        assert (violations(other.committee_, asked) == ()) <= (rises(other, label, direction) == (0, 0))
    assert free > 0
    assert kept > 8  # the feature is still used


@pytest.mark.parametrize("direction", ["more", "less"])
def test_score_cards_of_two_labels_move_in_one_direction(direction):
    """So do the points of one list, cuts included, and they still fit better than the shares of the labels."""
    free, gained = 0, []
    for seed in range(6):
        table, label = case(seed, 2), f"L{seed % 2}"
        asked = Constraints(monotone=[f"f: {direction} never {label}"])
        model = unless.UnlessClassifier(penalty=0.2, min_support=1, constraints=asked, warn=False).fit(table)
        assert rises(model, label, direction) == (0, 0)
        plain = fit_score_card(model.program_, table)
        losses = [loss(card.probabilities(table), table) for card in (plain, model.card_)]
        shares = np.bincount(table.labels.codes) / len(table)
        assert losses[0] <= losses[1] + 1e-3
        gained.append(float(-np.log(shares) @ shares) - losses[1])
        values = [plain.probabilities(table_of(cells))[:, seed % 2] for cells in product(GRID["c"], GRID["g"])]
        free += any((np.diff(one) * (1 if direction == "more" else -1) > 1e-9).any() for one in values)
    assert free > 0
    assert np.mean(gained) > 0.02


def table_of(cells: tuple[object, ...]) -> Table:
    """Records with all values of f."""
    c, g = cells
    return Table((Column.of("f", GRID["f"]), Column.of("g", [g] * 8), Column.of("c", [c] * 8)), rows=8)


def loss(chances: np.ndarray, table: Table) -> float:
    """The mean log-loss."""
    return float(-np.log(chances[np.arange(len(table)), table.labels.codes]).mean())


_numbers = st.integers(0, 3).map(float)
_literals = st.one_of(
    st.builds(Literal, st.sampled_from("fg"), st.sampled_from(["<=", ">"]), _numbers),
    st.builds(Literal, st.sampled_from("fg"), st.sampled_from(["==", "!="]), st.sampled_from("ab")),
    st.builds(Literal, st.sampled_from("fg"), st.sampled_from(["missing", "present"])),
)


@given(programs(_literals, ("f", "g")))
@settings(max_examples=150, deadline=None)
def test_no_change_of_the_deciding_rule_is_missed(program):
    """Whatever two records that differ in one number are decided by is among the changes."""
    thresholds = sorted({one.value for one in program.literals() if isinstance(one.value, float)})
    numbers = sorted({*thresholds, *(t + 0.25 for t in thresholds), -1e6})
    others = [None, "a", "b", "zz", *numbers[:4]]
    found = deciding_changes(program, "f")
    for g in others:
        deciding = [program.decides({"f": number, "g": g}) for number in numbers]
        places = [len(program.rules) if one is None else one for one in deciding]
        for k, one in enumerate(places):
            assert all(one == other or found[one, other] for other in places[k + 1 :])


def test_changes_that_no_record_can_make_are_left_out():
    """No record leaves a rule that covers more with more of a feature, or reaches rules of other categories."""
    rules = (
        Rule("a", (Literal("f", "<=", 3.0), Literal("c", "==", "x"))),
        Rule("b", (Literal("f", ">", 5.0), Literal("c", "==", "y"))),
        Rule("a", (Literal("f", "<=", 2.0),)),
        Rule("b"),
    )
    found = deciding_changes(Program("y", ("f", "c"), rules), "f")
    pairs = {(one + 1, other + 1) for one, other in np.argwhere(found).tolist()}
    assert pairs == {(1, 4), (3, 2), (3, 4), (4, 2)}


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(0.1, 9)), min_size=1, max_size=9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20),
)
@settings(max_examples=200, deadline=None)
def test_pooled_points_violate_nothing(pairs, changes):
    """After pooling no change leads to more points; the weighted mean stays, and what violates nothing is unchanged."""
    points, weights = np.array(pairs).T
    matrix = np.zeros((len(points), len(points)), bool)
    for one, other in changes:
        if one != other and max(one, other) < len(points):
            matrix[one, other] = True
    found = pool_points(points, weights, matrix)
    assert not (matrix & (found[np.newaxis] > found[:, np.newaxis])).any()
    assert np.isclose(np.average(found, weights=weights), np.average(points, weights=weights))
    if not (matrix & (points[np.newaxis] > points[:, np.newaxis])).any():
        assert (found == points).all()


def test_a_committee_that_breaks_a_direction_is_named():
    """The list, the rules and the label are named; the form of rules counts, too."""
    model = unless.UnlessCommittee(size=6, warn=False).fit(case(3, 3))
    asked = Constraints(monotone=["f: more never L1"], never="g")
    texts = [str(one) for one in violations(model.committee_, asked)]
    assert any("f: more never L1: list " in one and "the points of 'L" in one for one in texts)
    assert any(one.startswith("list ") and "tests 'g', which no rule may test" in one for one in texts)
    with pytest.raises(ParameterError, match="for a Program or a Committee, not for a UnlessCommittee"):
        violations(model, asked)
    assert violations(model.committee_, Constraints(monotone=[Monotone("h", "more", "L1")])) == ()
