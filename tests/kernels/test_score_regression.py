"""The kernels behind points, against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from unless.kernels.score_regression import Regression, list_atoms, number_distinct_rows


def lists(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Where each list starts, and all places one after another."""
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return starts, np.array([place for row in rows for place in row], dtype=np.int32)


def problem(width: int, parts: int = 70, rows: int = 90) -> tuple[Regression, np.ndarray, np.ndarray, np.ndarray]:
    """A regression with more parts than a block has; the truths of its parts, the counts and the penalties."""
    random = np.random.default_rng(width)
    halves = [random.permutation(parts)[: random.integers(1, 5)].tolist() for _ in range(12)]  # atoms may share parts
    used = [random.permutation(12)[:1].tolist() + (12 + random.permutation(parts)[:4]).tolist() for _ in range(rows)]
    atoms = [*halves, *([part] for part in range(parts))]
    used = [[atom for atom in one if atom < 12 or atom - 12 not in halves[one[0]]] for one in used]
    truths = np.zeros((rows, parts + 1))
    truths[:, -1] = 1
    for row, one in enumerate(used):
        for atom in one:
            truths[row, atoms[atom]] += 1
    counts = random.integers(0, 4, (rows, max(width, 2))).astype(float)
    counts[:, 0] += 1
    penalties = np.append(random.uniform(0.5, 3, parts), 0.0)
    wanted = np.ascontiguousarray(counts[:, -width:]).reshape(-1)
    regression = Regression(width, *lists(used), *lists(atoms), counts.sum(axis=1), wanted, penalties)
    return regression, truths, counts, penalties


def naive_loss(logits: np.ndarray, truths: np.ndarray, counts: np.ndarray, penalties: np.ndarray) -> float:
    """The definition."""
    scores = truths @ logits
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return float(-(counts * np.log(shares)).sum() + 0.5 * (penalties[:, np.newaxis] * logits**2).sum())


@pytest.mark.parametrize("width", [1, 3])
def test_the_loss_and_its_derivatives(width):
    """The loss is that of the definition, and its derivatives are those of small differences."""
    regression, *data = problem(width)
    logits = np.random.default_rng(0).normal(size=(71, width))
    slopes = np.empty(logits.size)
    assert regression.loss(logits.reshape(-1), slopes) == pytest.approx(naive_loss(logits, *data))
    for place in range(logits.size):
        step = np.zeros(logits.size)
        step[place] = 1e-5
        after, before = (naive_loss(logits + sign * step.reshape(-1, width), *data) for sign in (1, -1))
        assert slopes[place] == pytest.approx((after - before) / 2e-5, abs=1e-4)


@pytest.mark.parametrize("width", [1, 3])
def test_the_minimum(width):
    """At the minimum all derivatives are zero; a regression can be solved again, with the same result."""
    regression, *_ = problem(width)
    found = regression.minimum(2000, 0.0)
    slopes = np.empty(found.size)
    regression.loss(found, slopes)
    assert_allclose(slopes, 0, atol=1e-4)
    assert_array_equal(regression.minimum(2000, 0.0), found)


def test_kinds_are_different_rows():
    """Rows have the same kind if all their bins are equal, and the first row of a kind is where it first appears."""
    bins = np.random.default_rng(0).integers(0, 3, (4, 200)).astype(np.int32)
    table = np.full(512, -1, np.int32)
    hashes, first, kind = np.empty(200, np.uint64), np.empty(200, np.int32), np.empty(200, np.int32)
    found = number_distinct_rows(bins.reshape(-1), table, hashes, first, kind)
    _, wanted, inverse = np.unique(bins, axis=1, return_index=True, return_inverse=True)
    assert found == len(wanted) == len(set(hashes[:found].tolist()))
    assert_array_equal(first[kind], wanted[inverse.reshape(-1)])
    assert first[:found].tolist() == sorted(wanted.tolist())


def test_the_atoms_of_rows():
    """A row has the part that decides it, a bin of each column, and the parts inside that hold."""
    random = np.random.default_rng(0)
    deciding = random.integers(0, 3, 20).astype(np.int32)
    bins, inner = random.integers(0, 4, (2, 20)).astype(np.int32), random.random((5, 20)) < 0.4
    offsets = np.array([8, 12], np.int32)
    starts, places = np.empty(21, np.int32), np.empty(20 * 3 + np.count_nonzero(inner), np.int32)
    list_atoms(deciding, bins.reshape(-1), offsets, inner.reshape(-1).view(np.uint8), 3, starts, places)
    for row in range(20):
        inside = (3 + np.flatnonzero(inner[:, row])).tolist()
        found = places[starts[row] : starts[row + 1]].tolist()
        assert found == [deciding[row], *(offsets + bins[:, row]).tolist(), *inside]
