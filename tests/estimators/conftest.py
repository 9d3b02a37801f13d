"""The tables of these tests are toys: numbered records, constants, a column that is the label. Fit rightly says so."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items) -> None:
    """Ignore what fit says about toys, except where that is what is tested."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.stem != "test_remarks":
            item.add_marker(pytest.mark.filterwarnings("ignore::unless.errors.TrainingWarning"))
