"""Write programs in other forms: text that people write, the paper's text, JSON, SQL, Python, JavaScript, ONNX.

- `rule_text`: the rules as people write them; `rule_parser`: programs from such text.
- `clauses`: the rules as the paper prints them, with numbered exceptions, in order or mutually exclusive.
- `json`: programs as JSON documents, read back exactly; `program_schema` defines the format as types, from which
  program.schema.json is generated, `document_checks` converts documents to these types and locates errors,
  `json_text` reads JSON text strictly and lays it out for people.
- `conditions`: rules as conditions, and programs as lists of decisions, for every language that can run them.
- `code`: one function in one of the `languages`, Python or JavaScript; `cell_readers` selects the functions needed to
  read cells; `cell_sources` provides their source, from `cell_functions` in Python and a file in JavaScript, which the
  report page also uses.
- `sql`: one expression, `sql_query`: a whole SELECT, `sql_scores`: points and probabilities. `sql_writer` writes
  conditions and labels, `sql_columns` finds the kinds of columns. `sql_interface` is the interface of a database,
  `sql_dialects` its implementations, `sql_times` writes thresholds of dates, times and durations, `sql_tree` builds
  nodes of SQL, `sql_pieces` provides the parts of conditions for the report page.
- `reason_terms`: the reasons for decisions as conditions with codes; `sql_reasons`: their columns in SQL.
- `spark`: columns of a Spark frame; `spark_cells`: how a model reads its cells.
- `onnx`: a graph for ONNX, and `onnx_graph`: its nodes.
- `committee_sql`: SQL for the lists of a committee, whose cells `sql_scales` numbers first; `cost_sql`: for decisions
  by points and costs.
- `fingerprint`: a short hash of the rules; `free_names`: unused names for columns.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unless.export import json

if TYPE_CHECKING:
    from unless.export.clauses import to_text
    from unless.export.code import to_javascript, to_python
    from unless.export.rule_text import to_rules

__all__ = [
    "json",
    "onnx_inputs",
    "predict_spark",
    "to_javascript",
    "to_onnx",
    "to_python",
    "to_query",
    "to_rules",
    "to_spark",
    "to_sql",
    "to_text",
]


_MODULES = {"to_sql": "sql", "to_query": "sql_query", "predict_spark": "spark", "to_spark": "spark"}
_MODULES |= {"onnx_inputs": "onnx", "to_onnx": "onnx", "to_text": "clauses", "to_rules": "rule_text"}
_MODULES |= {"to_javascript": "code", "to_python": "code"}


def __getattr__(name: str) -> Any:
    """Load a language on first use; some need an extra: sqlglot for SQL and Spark, onnx for ONNX."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"unless.export.{_MODULES[name]}"), name)
