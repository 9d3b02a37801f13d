"""Rules that people can read: *classify as A if ..., unless ..., unless ...*."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from unless._version import __version__

if TYPE_CHECKING:
    from unless.counterfactual import counterfactuals
    from unless.decisions import predict
    from unless.errors import Interrupted, UnlessError, UnlessWarning
    from unless.estimators import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier
    from unless.explanations import Proof, explain, why_not
    from unless.learn import fold_rm, fold_rpp
    from unless.logic import learn_logic
    from unless.model import load
    from unless.read import read_table
    from unless.rule import Literal, Program, Rule
    from unless.table import Table

__all__ = [
    "FoldRMClassifier",
    "FoldRPPClassifier",
    "Interrupted",
    "Literal",
    "Program",
    "Proof",
    "Rule",
    "Table",
    "UnlessClassifier",
    "UnlessError",
    "UnlessWarning",
    "__version__",
    "counterfactuals",
    "explain",
    "fold_rm",
    "fold_rpp",
    "learn_logic",
    "load",
    "predict",
    "read_table",
    "why_not",
]

_HOMES = {
    "counterfactual": ("counterfactuals",),
    "decisions": ("predict",),
    "errors": ("Interrupted", "UnlessError", "UnlessWarning"),
    "estimators": ("FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier"),
    "explanations": ("Proof", "explain", "why_not"),
    "learn": ("fold_rm", "fold_rpp"),
    "logic": ("learn_logic",),
    "model": ("load",),
    "read": ("read_table",),
    "rule": ("Literal", "Program", "Rule"),
    "table": ("Table",),
}
"""The module of every name. It is loaded with the first use of the name: so the command starts at once, can be
interrupted while numpy is imported, and imports scikit-learn, which takes a second, only with a classifier.

No module may have one of these names: importing it would put it in the name's place.
"""

_HOME = {name: f"unless.{module}" for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _HOME:
        found = globals()[name] = getattr(import_module(_HOME[name]), name)
        return found
    try:  # a module, such as unless.export
        return import_module(f"unless.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"unless.{name}":
            raise
    raise AttributeError(f"module 'unless' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
