"""Engines that run what is exported: DuckDB, SQLite, servers of PostgreSQL and MariaDB started for the tests.

An engine that is not installed skips its tests, and fails them where CI=true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from tests import engines
from tests.conftest import lacking


@pytest.fixture(scope="session")
def databases() -> Iterator[Callable[[str], engines.Database]]:
    """A function that opens the database of a dialect, once for all tests."""
    with ExitStack() as stack:
        yield cache(lambda dialect: stack.enter_context(engines.database(dialect)))


@pytest.fixture(scope="session", params=["duckdb", "sqlite", "postgres", "mysql"])
def database(request, databases) -> engines.Database:
    """Each database in turn; it stays open when tests change to another one and back."""
    try:
        return databases(request.param)
    except engines.Lacking as what:
        lacking(what)
