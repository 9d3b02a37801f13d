"""The data of the paper's experiments, where it is at hand: beside the repository, or where UNLESS_SHARED says."""

from __future__ import annotations

import json
import os
from functools import cache, cached_property
from pathlib import Path

import pytest

import unless

__all__ = ["SHARED", "needs_compiled", "needs_shared"]


class Shared:
    """The folder of datasets and recorded programs."""

    root = Path(os.environ.get("UNLESS_SHARED", Path(__file__).parents[2] / "shared"))

    @property
    def here(self) -> bool:
        """Whether the folder exists."""
        return (self.root / "data" / "manifest.json").exists()

    @cached_property
    def manifest(self) -> dict:
        """What is known of every dataset: file, label, features, which are numeric."""
        return json.loads((self.root / "data" / "manifest.json").read_text())

    def golden(self, algorithm: str) -> list[Path]:
        """The recorded programs of an algorithm."""
        return sorted((self.root / "golden" / algorithm).glob("*.json"))

    @cache  # noqa: B019 - one instance, for the whole run
    def table(self, name: str) -> unless.Table:
        """A dataset as the authors read it: every cell is a value, numeric columns may hold text."""
        entry = self.manifest[name]
        others = [feature for feature in entry["features"] if feature not in entry["numeric"]]
        return unless.read_table(
            self.root / "data" / entry["file"],
            entry["label"],
            features=entry["features"],
            numeric=entry["numeric"],
            categorical=others,
            missing=(),
        )


SHARED = Shared()

needs_shared = pytest.mark.skipif(not SHARED.here, reason="the shared datasets are not beside the repository")
needs_compiled = pytest.mark.skipif(not unless.kernels.compiled, reason="too slow with interpreted kernels")
