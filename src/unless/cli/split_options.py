"""Define the options for tests by time and by group, and split the records by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from typing import Literal as OneOf

import typer

from unless.cli.options import DATA, complete_columns, data_option, flag_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unless.estimators.split_by import SplitBy, TestPeriod
    from unless.table import Column

Period = OneOf["week", "month", "quarter", "year"]

MOST_PERIODS = 24
"""The latest periods to test on; for each of them, rules are learned again."""

DEFAULT_SHARE = 0.2
"""The share of records to test on, unless options say otherwise."""

_AFTER = "With --time: learn from the records before this date, and test on those from it on."
_BY = "With --time: test on each period the rules learned before it; the model is learned before the last."
_GROUP = "Keep records with the same value here together: learn from all of them, or test on all of them."


TestBy = Annotated[Period | None, flag_option(_BY, "--test-by", panel=DATA)]
Group = Annotated[str | None, data_option("COLUMN", _GROUP, "--group", complete=complete_columns)]


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """The options for tests on later records, or on groups of records that were not seen."""

    test_after: Annotated[str | None, data_option("DATE", _AFTER, "--test-after")] = None
    test_by: TestBy = None
    group: Group = None

    def resolve(self, time: str | None, test: float | None = None) -> TestSplit:
        """Return how records are split; reject options that contradict each other, or that need --time."""
        for option, value in (("--test-after", self.test_after), ("--test-by", self.test_by)):
            if value and time is None:
                raise typer.BadParameter("name the column with the time of each record: --time", param_hint=option)
            if value and test is not None:
                raise typer.BadParameter(f"{option} says which records to test on; leave one out", param_hint="--test")
        if self.test_after and self.test_by:
            raise typer.BadParameter(
                "--test-by already tests on later records; leave one out", param_hint="--test-after"
            )
        if time is not None and self.group is not None:
            raise typer.BadParameter(
                "a group with records before and after the date would be on both sides; leave --time or --group out",
                param_hint="--group",
            )
        return TestSplit(time, self.test_after, self.test_by, self.group)


@dataclass(frozen=True, slots=True)
class TestSplit:
    """How records are split into those to learn from and those to test on: at random, unless a column is given."""

    __test__ = False  # for pytest, which collects classes with such names
    time: str | None = None
    after: str | None = None
    period: Period | None = None
    group: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read that are not features."""
        return tuple(name for name in (self.time, self.group) if name is not None)

    def refuse(self, why: str) -> None:
        """Reject the options where records cannot be split by them."""
        if self.columns:
            raise typer.BadParameter(why, param_hint="--group" if self.time is None else "--time")

    def split(self, beside: Mapping[str, Column], share: float) -> SplitBy | None:
        """Split the records by the columns that are no features; None for a split at random, or none at all."""
        from unless.estimators.split_by import moment_of_share, parse_moment, split_by_group, split_by_time

        if self.group is not None:
            return split_by_group(beside[self.group])
        if self.time is None:
            return None
        column = beside[self.time]
        if self.period is not None:
            return split_by_time(column, self.periods(beside)[-1].since)
        if self.after is not None:
            return split_by_time(column, parse_moment(column, self.after))
        return split_by_time(column, moment_of_share(column, share)) if share else None

    def split_main_table(self, data: str, share: float) -> SplitBy | None:
        """Split the records of the main one of several tables."""
        from unless.read.table import read_table

        if not self.columns:
            return None
        table = read_table(data)
        return self.split({name: table.column(name) for name in self.columns}, share)

    def periods(self, beside: Mapping[str, Column]) -> list[TestPeriod]:
        """List the periods to test on, if there are any."""
        from unless.estimators.split_by import periods

        if self.period is None or self.time is None:
            return []
        return periods(beside[self.time], self.period, MOST_PERIODS)


AT_RANDOM = TestSplit()
