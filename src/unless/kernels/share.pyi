"""The types of `share.py` for Python code."""

from collections.abc import Callable, Sequence
from typing import Any

def share(function: Callable[..., object], items: Sequence[tuple[Any, ...]], threads: int) -> None: ...
