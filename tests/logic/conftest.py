"""The engines: tests skip with a reason if one is not installed, and fail if CI is set."""

from __future__ import annotations

import importlib.util
import os
import shutil
from typing import Any

import pytest


def required(found: Any, name: str, how: str) -> Any:
    """Return what was found; otherwise skip the test, or fail it in CI, which has every engine."""
    if not found:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{name} is not installed; {how}")
    return found


@pytest.fixture(scope="session")
def clingo() -> None:
    """Tests that run clingo."""
    required(importlib.util.find_spec("clingo"), "clingo", 'pip install "unless[logic]"')


@pytest.fixture(scope="session")
def swipl() -> str:
    """The command of SWI-Prolog."""
    return required(shutil.which("swipl"), "SWI-Prolog", "apt-get install swi-prolog-nox")


@pytest.fixture(scope="session")
def scasp() -> str:
    """The command of s(CASP), which no package registry ships."""
    if found := shutil.which("scasp"):
        return found
    pytest.skip("s(CASP) is not on this machine; no package registry ships it")
