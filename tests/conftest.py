"""For all tests: how long they are, in which order, that Ctrl-C works, and a browser for those that look at pages."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from inspect import isfunction
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from sklearn.base import clone

from tests import engines
from tests.browser import FLAGS, absent, program
from tests.lengths import LONG, shorten

# How long something takes is no test (see benchmarks/), and drawing examples takes longer on a busy machine.
settings.register_profile("unless", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unless")


ORDER = os.environ.get("UNLESS_ORDER")
"""The seed of another order of the tests, which must not matter."""


@pytest.hookimpl(trylast=True)  # after pytest has put together what shares a parameter
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shorten what Hypothesis draws, of every test once, however many parameters it has; and shuffle."""
    if not LONG:
        tests = (getattr(item, "function", None) for item in items)
        for test in {id(test): test for test in tests}.values():
            shorten(test)
    if ORDER is not None:
        items[:] = shuffled(items, ORDER)


def shuffled(items: list[pytest.Item], seed: str) -> list[pytest.Item]:
    """Files in another order, and the tests of each: what a file sets up, such as Spark, it sets up once."""
    draw = random.Random(seed)
    files: dict[object, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return [item for file in draw.sample([*files.values()], len(files)) for item in draw.sample(file, len(file))]


def pytest_report_header() -> str:
    """Say which length and order it is."""
    length = "long tests" if LONG else "short tests (UNLESS_TESTS=long for the long ones)"
    return f"unless: {length}" + (f", in the order UNLESS_ORDER={ORDER}" if ORDER is not None else "")


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c() -> Iterator[None]:
    """Ctrl-C works, in this process and in those that it starts.

    A shell that starts the tests in the background ignores it for them, and what is ignored is ignored by children too.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give `model` each classifier that a file lists as ``FITTED``."""
    found = getattr(metafunc.module, "FITTED", ())
    if found and "model" in metafunc.fixturenames:
        names = [getattr(one, "__name__", type(one).__name__) for one in found]
        metafunc.parametrize("model", found, indirect=True, scope="module", ids=names)


@pytest.fixture(scope="module")
def model(request: pytest.FixtureRequest) -> Any:
    """A model for a whole file: one of its ``FITTED`` classifiers with ``X`` and ``Y``, or what a function gives."""
    one = request.param
    return one() if isfunction(one) else clone(one).fit(request.module.X, request.module.Y)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """Chromium, started once; a test that needs it skips where it is absent, unless it is required."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        absent(error)
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=program(), headless=True, args=FLAGS)
        except Error as error:
            absent(error)
        yield started
        started.close()


def lacking(what: object) -> None:
    """Skip, or fail where everything should be installed."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{what} is not installed")


@pytest.fixture(scope="session")
def node() -> Iterator[engines.Node]:
    """Node, one for all tests."""
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(engines.node())
        except engines.Lacking as what:
            lacking(what)
        yield engine
