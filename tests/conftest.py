"""What all tests need."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c() -> Iterator[None]:
    """Ctrl-C works, in this process and in those that it starts.

    A shell that starts the tests in the background ignores it for them, and what is ignored is ignored by children too.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
