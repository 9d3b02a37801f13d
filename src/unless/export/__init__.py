"""Programs in other forms: the paper's text, JSON, SQL, Python, JavaScript.

- `clauses`: the rules as the paper prints them, with numbered exceptions, in order or made to exclude each other.
- `json`: programs as JSON documents, read back exactly; program.schema.json defines the format, `checks` says
  what is wrong with a document and where, `jsontext` reads JSON text strictly and lays it out for people.
- `conditions`: rules as conditions, and programs as lists of decisions, for every language that can run them.
- `code`: one function in Python or JavaScript.
- `sql`: one expression, `query`: a whole SELECT, `sqlpoints`: points and probabilities. `dialects` says how databases
  differ, `sqltree` puts pieces of SQL together.
- `committee` and `committee_sql`: the same for the many lists of a committee.
"""

from typing import Any

from unless.export import json
from unless.export.clauses import to_text
from unless.export.code import to_javascript, to_python

__all__ = ["json", "to_javascript", "to_python", "to_sql", "to_text"]


def __getattr__(name: str) -> Any:
    """Load `to_sql` when it is first used: it needs sqlglot, an extra."""
    if name == "to_sql":
        from unless.export.sql import to_sql

        return to_sql
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
