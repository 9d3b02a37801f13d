"""Databases for relational programs."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.engines import Lacking
from tests.engines import database as opened


@pytest.fixture(scope="session", params=["duckdb", "sqlite", "postgres"])
def database(request):
    """Every database, one after the other."""
    try:
        with opened(request.param) as found:
            yield found
    except Lacking as reason:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{reason} is not installed")


@pytest.fixture(scope="session")
def swipl() -> str:
    """The command of SWI-Prolog."""
    if not (found := shutil.which("swipl")):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("SWI-Prolog is not installed")
    return found
