"""The types of `work_sharing.py` for Python code."""

from collections.abc import Callable, Sequence
from typing import Any

def run_in_threads(function: Callable[..., object], items: Sequence[tuple[Any, ...]], threads: int) -> None: ...
