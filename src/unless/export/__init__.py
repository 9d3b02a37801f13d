"""Programs in other forms: the paper's text, JSON, SQL, Python, JavaScript."""

from typing import Any

from unless.export import json
from unless.export.javascript import to_javascript
from unless.export.python import to_python
from unless.export.text import to_text

__all__ = ["json", "to_javascript", "to_python", "to_sql", "to_text"]


def __getattr__(name: str) -> Any:
    """`to_sql` loads with its first use: it needs sqlglot, an extra."""
    if name == "to_sql":
        from unless.export.sql import to_sql

        return to_sql
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
