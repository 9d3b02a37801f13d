"""Libraries that are imported with their first use, and extras that may be absent."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["import_extra", "pl"]

if TYPE_CHECKING:
    import polars as pl
else:

    class _LazyModule:
        """A module that is imported when its first attribute is asked for."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            found = getattr(import_module(self._name), attribute)
            setattr(self, attribute, found)
            return found

    pl = _LazyModule("polars")  # importing it takes 0.1 s, and pandas frames and records do not need it


def import_extra(module: str, what: str, extra: str, error: type[Exception] = ImportError) -> Any:
    """Return a module of an extra; where it is absent, raise an error that says how to install it.

    ``what`` is how the message begins: "DuckDB", or "this needs clingo, which".
    """
    try:
        return import_module(module)
    except ImportError as reason:
        raise error(f"{what} is not installed; pip install 'unless[{extra}]'") from reason
