"""Rules that people can read: *classify as A if ..., unless ..., unless ...*."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unless.blocks.block_cache import BlockCache
    from unless.blocks.databases import Query
    from unless.constraints import Constraints, Monotone
    from unless.errors import Interrupted, TrainingWarning, UnlessError, UnlessWarning
    from unless.estimators.classifiers import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, load
    from unless.estimators.committee_classifier import UnlessCommittee
    from unless.evaluation.constraint_check import violations
    from unless.explanation.counterfactuals.nearest import counterfactuals
    from unless.explanation.proof import Proof
    from unless.explanation.why import explain, why_not
    from unless.export.rule_parser import parse
    from unless.learn.fold import fold_rm, fold_rpp
    from unless.learn.unless_learner import fold_unless
    from unless.logic import learn_logic
    from unless.model.prediction import predict
    from unless.read.table import read_table
    from unless.relational.tables import Part, Relations
    from unless.report.table_overview import inspect
    from unless.rule import Literal, Program, Rule
    from unless.table import Table

__version__ = "0.1.0"

__all__ = [
    "BlockCache",
    "Constraints",
    "FoldRMClassifier",
    "FoldRPPClassifier",
    "Interrupted",
    "Literal",
    "Monotone",
    "Part",
    "Program",
    "Proof",
    "Query",
    "Relations",
    "Rule",
    "Table",
    "TrainingWarning",
    "UnlessClassifier",
    "UnlessCommittee",
    "UnlessError",
    "UnlessWarning",
    "__version__",
    "counterfactuals",
    "explain",
    "fold_rm",
    "fold_rpp",
    "fold_unless",
    "inspect",
    "learn_logic",
    "load",
    "parse",
    "predict",
    "read_table",
    "violations",
    "why_not",
]

_HOMES = {
    "constraints": ("Constraints", "Monotone"),
    "evaluation.constraint_check": ("violations",),
    "blocks.block_cache": ("BlockCache",),
    "blocks.databases": ("Query",),
    "errors": ("Interrupted", "TrainingWarning", "UnlessError", "UnlessWarning"),
    "estimators.classifiers": ("FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier", "load"),
    "estimators.committee_classifier": ("UnlessCommittee",),
    "explanation.counterfactuals.nearest": ("counterfactuals",),
    "explanation.proof": ("Proof",),
    "explanation.why": ("explain", "why_not"),
    "export.rule_parser": ("parse",),
    "learn.fold": ("fold_rm", "fold_rpp"),
    "learn.unless_learner": ("fold_unless",),
    "logic": ("learn_logic",),
    "model.prediction": ("predict",),
    "read.table": ("read_table",),
    "relational.tables": ("Part", "Relations"),
    "report.table_overview": ("inspect",),
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
