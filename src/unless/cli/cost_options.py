"""Define the options of `unless fit` about costs that are not parameters of learners, and read costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from unless.cli.data_options import ColumnOptions, split_names
from unless.cli.options import COSTS, column_option
from unless.errors import ParameterError, UnlessError
from unless.table import Labels

Compare = Annotated[
    str | None,
    column_option("Compare the costs with those of the decisions in this column; rules ignore it", COSTS, repeat=False),
]


def amount_columns(costs: Sequence[str] | None) -> list[str]:
    """Return the columns with amounts that costs name, before the labels are known."""
    from unless.estimators.cost_input import amounts_named

    try:
        return amounts_named(costs or ())
    except UnlessError:
        return []  # reported when the labels are known


def keep_amounts(columns: ColumnOptions, amounts: Sequence[str]) -> ColumnOptions:
    """Include the columns with amounts, which may look like identifiers."""
    return replace(columns, include=[*(columns.include or ()), *amounts]) if amounts else columns


def asked_features(columns: ColumnOptions, amounts: Sequence[str]) -> tuple[str, ...]:
    """Return the columns with amounts that rules may test, because an option names them."""
    named = {*split_names(columns.include, amounts), *split_names(columns.numeric, amounts)}
    return tuple(name for name in amounts if name in named)


def parse_cost_options(given: Sequence[str] | None, labels: Labels) -> Any:
    """Return the costs for a learner."""
    from unless.estimators.cost_input import parse_costs

    if not given:
        return None
    try:
        return parse_costs(given, labels.labels)
    except ParameterError as error:
        raise typer.BadParameter(str(error), param_hint="--cost") from None
