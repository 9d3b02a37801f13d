"""Rules that people can read: *classify as A if ..., unless ..., unless ...*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unless._version import __version__
from unless.errors import Interrupted, UnlessError
from unless.explain import Proof, explain, why_not
from unless.learn import fold_rm, fold_rpp
from unless.predict import predict
from unless.read import read_table
from unless.rule import Literal, Program, Rule
from unless.table import Table

if TYPE_CHECKING:
    from unless.counterfactual import counterfactuals
    from unless.estimators import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier
    from unless.logic import learn_logic
    from unless.model import load

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

_LAZY = {  # scikit-learn takes a second to import, so it and its like wait until they are asked for
    "counterfactuals": "unless.counterfactual",
    "learn_logic": "unless.logic",
    "FoldRMClassifier": "unless.estimators",
    "FoldRPPClassifier": "unless.estimators",
    "UnlessClassifier": "unless.estimators",
    "load": "unless.model",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - only here

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'unless' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
