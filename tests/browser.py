"""A real browser: Debian's or Playwright's Chromium.

Where there is none the tests skip, unless UNLESS_BROWSER=required (as in CI): there that is a failure.
"""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def absent(reason: object) -> NoReturn:
    """Skip the test, or fail."""
    if os.environ.get("UNLESS_BROWSER") == "required":
        pytest.fail(f"UNLESS_BROWSER=required, but there is no browser: {reason}")
    pytest.skip(f"no browser: {reason}")


def program() -> str | None:
    """Where it is; None for Playwright's own."""
    return next(filter(None, map(shutil.which, _NAMES)), None)
