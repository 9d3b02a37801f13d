"""Records held back by a hash of the record, with a cut for every label."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless import read_table
from unless.errors import ParameterError
from unless.table import Column, HoldoutSplit, Labels, Table
from unless.table.holdout_split import fingerprint


def table_of(values: list[object], labels: list[str]) -> Table:
    return Table((Column.of("x", values), Column.of("y", [str(one)[::-1] for one in values])), Labels.of("l", labels))


MANY = table_of(list(range(5000)), [("a", "b", "b", "b", "c")[k % 5] for k in range(5000)])
tables = st.lists(st.tuples(st.integers(0, 9) | st.none(), st.sampled_from("ab")), min_size=1).map(
    lambda pairs: table_of([value for value, _ in pairs], [label for _, label in pairs])
)


def test_every_label_has_its_share_held_back() -> None:
    """Of many records, each label has the asked share held back, within a record or two."""
    back = HoldoutSplit.of(MANY, 0.2, 3).held_back(MANY)
    found = np.bincount(MANY.labels.codes[back], minlength=3)
    assert np.abs(found - [200, 600, 200]).max() <= 2


def test_a_small_label_keeps_a_record_to_learn_from() -> None:
    """A label of one record is learned from, however large the share."""
    table = table_of(list(range(100)), ["rare", *["usual"] * 99])
    assert not HoldoutSplit.of(table, 0.9).held_back(table)[0]


@given(tables, st.integers(0, 5), st.sampled_from([0.0, 0.2, 0.5, 0.9]))
def test_what_holds_for_every_split(table: Table, salt: int, share: float) -> None:
    """Equal records are on one side, the order of rows does not matter, and no label is held back as a whole."""
    split = HoldoutSplit.of(table, share, salt)
    back = split.held_back(table)
    sides: dict[object, set[bool]] = {}
    for row, held in enumerate(back.tolist()):
        record = tuple(table.record(row).values())
        sides.setdefault((record, table.labels.codes[row]), set()).add(held)
    assert all(len(side) == 1 for side in sides.values())
    order = np.random.default_rng(salt).permutation(len(table))
    assert HoldoutSplit.of(table[order], share, salt) == split
    assert split.held_back(table[order]).tolist() == back[order].tolist()
    assert set(table.labels.codes[~back].tolist()) == set(table.labels.codes.tolist())


def test_contradictory_records_are_on_one_side_if_the_cuts_are_the_same() -> None:
    """The label is no part of the hash: only the cuts of labels differ."""
    twice = table_of([*range(1000), *range(1000)], ["a"] * 1000 + ["b"] * 1000)
    back = HoldoutSplit.of(twice, 0.3, 1).held_back(twice)
    assert back[:1000].tolist() == back[1000:].tolist()


def test_another_salt_holds_back_other_records() -> None:
    """Splits of two salts have as many records in common as chance gives."""
    one, other = (HoldoutSplit.of(MANY, 0.5, salt).held_back(MANY) for salt in (0, 1))
    assert 0.45 < np.mean(one == other) < 0.55


@pytest.mark.parametrize(("share", "salt"), [(1.0, 0), (-0.1, 0), (0.2, -1), (0.2, 1 << 63)])
def test_impossible_wishes_are_refused(share: float, salt: int) -> None:
    """A share from 0 to below 1, and a seed of 63 bits."""
    with pytest.raises(ParameterError):
        HoldoutSplit.of(MANY, share, salt)


FRAME = pd.DataFrame(
    {
        "id": [f"k{k}" for k in range(60)],
        "when": pd.date_range("2024-01-01", periods=60),
        "size": [k % 7 + 0.5 if k % 9 else None for k in range(60)],
        "kind": [("x", "y", None)[k % 3] for k in range(60)],
        "count": [k // 2 for k in range(60)],
        "label": [k % 2 for k in range(60)],
    }
)


def test_a_file_is_known_again_in_another_format(tmp_path) -> None:
    """CSV and Parquet with the same cells have the same fingerprint and split, also with columns that are left out."""
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    FRAME.sample(frac=1, random_state=3).to_parquet(tmp_path / "a.parquet")
    features = ["when", "size", "kind", "count"]
    first = read_table(tmp_path / "a.csv", "label", features=features)
    split, mark = HoldoutSplit.of(first, 0.3), fingerprint(first)
    again = read_table(tmp_path / "a.parquet", "label", like=first)
    whole = read_table(tmp_path / "a.csv", "label")
    assert fingerprint(again, features, first.labels.labels) == mark
    assert fingerprint(whole, features) == mark
    assert split.held_back(again, features).sum() == split.held_back(first).sum() > 0
    assert split.held_back(whole, features).tolist() == split.held_back(first).tolist()


@given(tables, tables)
def test_the_fingerprint_is_that_of_the_records(one: Table, other: Table) -> None:
    """Two tables have the same fingerprint if they have the same records equally often, and otherwise another one."""

    def records(table: Table) -> list[str]:
        labels = [table.labels.labels[code] for code in table.labels.codes]
        return sorted(f"{table.record(row)} {label}" for row, label in enumerate(labels))

    assert (fingerprint(one) == fingerprint(other)) == (records(one) == records(other))
    assert fingerprint(one) == fingerprint(one[::-1])


def test_what_was_held_back_is_held_back_again():
    """With more records and a new label, the old records are on the side where they were."""
    x = Column.of("x", [float(k) for k in range(300)])
    old = Table((x,), Labels.of("y", ["ab"[k % 2] for k in range(300)]))
    first = HoldoutSplit.of(old, 0.2, salt=3)
    more = Column.of("x", [float(k) for k in range(450)])
    new = Table((more,), Labels.of("y", [*("ab"[k % 2] for k in range(300)), *("abc"[k % 3] for k in range(300, 450))]))
    second = HoldoutSplit.of(new, 0.5, salt=3).following(first)
    assert second.held_back(new)[:300].tolist() == first.held_back(old).tolist()
    assert second.held_back(new)[300:][[k % 3 == 2 for k in range(300, 450)]].any()
