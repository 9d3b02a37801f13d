"""Records held back by their time or their group, compared with the plain definition of both."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless import read_table
from unless.errors import ParameterError, ReadError
from unless.estimators.split_by import (
    moment_of_share,
    parse_moment,
    periods,
    split_by_group,
    split_by_time,
    split_periods,
    with_groups,
)
from unless.evaluation.validation import assign_group_folds
from unless.table import Column, HoldoutSplit, Labels, SplitColumn, Table

DAYS = [date(2023, 1, 1) + timedelta(days=k) for k in range(400)]
groups = st.lists(st.tuples(st.integers(0, 6) | st.none(), st.integers(0, 3), st.sampled_from("ab")), min_size=1)


def grouped(rows: list[tuple[int | None, int, str]]) -> Table:
    columns = Column.of("who", [one for one, _, _ in rows]), Column.of("x", [x for _, x, _ in rows])
    return Table(columns, Labels.of("l", [label for _, _, label in rows]))


@given(groups, st.integers(0, 5), st.sampled_from([0.2, 0.5, 0.9]))
def test_no_group_is_on_both_sides(rows: list[tuple[int | None, int, str]], salt: int, share: float) -> None:
    """Records of a group, and equal records without one, are on one side; neither order nor features matter."""
    table = grouped(rows)
    split = HoldoutSplit.of(table, share, salt, SplitColumn("who"), ["x"])
    back = split.held_back(table, ["x"])
    sides: dict[object, set[bool]] = {}
    for (who, x, _), held in zip(rows, back.tolist(), strict=True):
        sides.setdefault(x + 10.5 if who is None else who, set()).add(held)
    assert all(len(side) == 1 for side in sides.values())
    assert not back.all()
    if len({one for one in sides if one in range(7)}) > 1:
        assert back.any()
    order = np.random.default_rng(salt).permutation(len(table))
    assert HoldoutSplit.of(table[order], share, salt, SplitColumn("who"), ["x"]) == split
    assert split.held_back(table[order], ["x"]).tolist() == back[order].tolist()


@given(groups)
def test_inner_folds_do_not_divide_groups(rows: list[tuple[int | None, int, str]]) -> None:
    """Fold numbers are equal within a group, and there are at least two of them if there are two groups."""
    table = grouped(rows)
    column = table.column("who")
    if len(set(column.codes.tolist())) < 2:
        return
    numbers = with_groups(table, split_by_group(column)).fold_numbers()
    by_group = pd.Series(numbers).groupby([one for one, _, _ in rows]).nunique()
    assert (by_group == 1).all()
    assert len(set((numbers % 5).tolist())) >= min(len(by_group), 5)


@given(st.lists(st.integers(0, 9), min_size=4), st.integers(2, 5), st.integers(0, 3))
def test_folds_of_groups_divide_none(who: list[int], count: int, seed: int) -> None:
    """Every fold has whole groups, whatever the order of records, and none is larger than it must be."""
    groups = np.array(who, np.uint64)
    if len(set(who)) < count:
        with pytest.raises(ParameterError, match=f"{len(set(who))} groups can make 2 to {len(set(who))} folds"):
            assign_group_folds(groups, count, seed)
        return
    folds = assign_group_folds(groups, count, seed)
    assert set(folds.tolist()) == set(range(count))
    assert all(len(set(folds[groups == one].tolist())) == 1 for one in set(who))
    assert assign_group_folds(groups[::-1], count, seed).tolist() == folds[::-1].tolist()
    sizes, largest = np.bincount(folds), max(map(who.count, set(who)))
    assert sizes.max() - sizes.min() <= largest


@given(st.lists(st.sampled_from(DAYS), min_size=2), st.sampled_from(DAYS))
def test_no_later_record_is_learned_from(days: list[date], since: date) -> None:
    """Records before the date are learned from, and the others tested; a date that leaves one side empty is refused."""
    table = Table((Column.of("when", days),), Labels.of("l", ["a"] * len(days)))
    column = table.column("when")
    moment = parse_moment(column, since.isoformat())
    if not min(days) < since <= max(days):
        with pytest.raises(ReadError, match=r"no record has 'when' (before|from) .*; the records are from 20"):
            split_by_time(column, moment)
        return
    split = HoldoutSplit.of(table, 0.2, 0, split_by_time(column, moment).column)
    assert split.held_back(table).tolist() == [day >= since for day in days]
    assert split.holds_back


@given(st.lists(st.sampled_from(DAYS), min_size=2), st.sampled_from([0.1, 0.2, 0.5]))
def test_the_latest_share_is_held_back(days: list[date], share: float) -> None:
    """No other date leaves a share that is nearer to the asked one."""
    column = Column.of("when", days)
    if len(set(days)) < 2:
        with pytest.raises(ReadError, match="the same time in 'when'"):
            moment_of_share(column, share)
        return
    sizes = [sum(day >= one for day in days) for one in set(days)]
    best = min(abs(size - share * len(days)) for size in sizes if size < len(days))
    since = moment_of_share(column, share)
    assert abs(int((column.numbers[column.codes] >= since).sum()) - share * len(days)) == best


NAMES = {
    "week": lambda day: "{}-W{:02}".format(*day.isocalendar()[:2]),
    "month": lambda day: f"{day:%Y-%m}",
    "quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    "year": lambda day: str(day.year),
}


@pytest.mark.parametrize("by", NAMES)
@given(days=st.lists(st.sampled_from(DAYS), min_size=1, max_size=12))
def test_periods_are_those_of_the_calendar(by, days: list[date]) -> None:
    """Each period that has records is tested, but the first; all records before it are learned from."""
    times = [datetime(day.year, day.month, day.day, 23, 59) for day in days]  # noqa: DTZ001
    table = Table((Column.of("when", times),), Labels.of("l", ["a"] * len(days)))
    names = [NAMES[by](day) for day in days]
    if len(set(names)) < 2:
        with pytest.raises(ReadError, match=f"in the same {by}, {names[0]}"):
            periods(table.column("when"), by, 99)
        return
    found = periods(table.column("when"), by, 99)
    assert [one.name for one in found] == sorted(set(names))[1:]
    assert periods(table.column("when"), by, 1) == found[-1:]
    for one, (train, test) in zip(found, split_periods(table, table.column("when"), found), strict=True):
        assert [len(train), len(test)] == [sum(name < one.name for name in names), names.count(one.name)]


def test_a_moment_is_read_as_people_write_it() -> None:
    """ISO dates, a month, a year, the format of the cells, and numbers for a column of numbers."""
    column = read_table([{"when": "31.12.2022"}, {"when": "14.02.2023"}], dates={"when": "%d.%m.%Y"}).column("when")
    wanted = parse_moment(column, "2023-01-01")
    assert {parse_moment(column, text) for text in ("2023", "2023-01", "01.01.2023", "2023-01-01 00:00")} == {wanted}
    assert split_by_time(column, wanted).column.start == "2023-01-01"
    assert parse_moment(Column.of("year", [2019, 2020]), "2020") == 2020
    with pytest.raises(ParameterError, match="'soon' is not a date; write it like 2023-01-31"):
        parse_moment(column, "soon")
    with pytest.raises(ParameterError, match="'soon' is not a number, but 'year' has numbers"):
        parse_moment(Column.of("year", [2019, 2020]), "soon")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", "b"], "'when' is not a column of dates, it has cells such as 'a'"),
        ([None, None], "'when' is not a column of dates, it has cells such as 'nothing'"),
        ([DAYS[0], None, DAYS[1]], r"'when' is missing in row 2 \(1 row in all\)"),
        ([DAYS[0], "soon", DAYS[1]], r"'when' is 'soon', not a date, in row 2"),
        ([timedelta(days=1), timedelta(days=2)], "'when' is not a column of dates"),
    ],
)
def test_what_are_no_times_is_refused(cells, message) -> None:
    """The error names the column, the first row that is wrong, and what to do."""
    with pytest.raises(ReadError, match=message):
        moment_of_share(Column.of("when", cells), 0.2)


@pytest.mark.parametrize("cells", [["A", "A"], [None], [7, 7, 7]])
def test_one_group_is_refused(cells) -> None:
    """With one group there would be nothing to test on, or nothing to learn from."""
    with pytest.raises(ReadError, match=r"every record has .* in 'who', so there is one group"):
        split_by_group(Column.of("who", cells))


def test_a_label_that_only_held_back_records_have_is_refused() -> None:
    """Nothing can be learned about such a label, and with one label nothing at all."""
    column = Column.of("when", DAYS[:4])
    by = split_by_time(column, parse_moment(column, "2023-01-03"))
    with pytest.raises(ReadError, match=r"the label 'c' \(1 record\) occurs only from 2023-01-03 on"):
        by.held_back(Labels.of("l", "abac"), 0.2, 0)
    with pytest.raises(ReadError, match="all 2 records before 2023-01-03 have the label 'a'"):
        by.held_back(Labels.of("l", "aabb"), 0.2, 0)
    assert by.held_back(Labels.of("l", "abab"), 0.2, 0).tolist() == [False, False, True, True]
