"""Rules that people can read: *classify as A if ..., unless ..., unless ...*."""

from unless._version import __version__
from unless.errors import UnlessError
from unless.explain import Proof, explain
from unless.learn import fold_rm, fold_rpp
from unless.predict import predict
from unless.read import read_table
from unless.rule import Literal, Program, Rule
from unless.table import Table

__all__ = [
    "Literal",
    "Program",
    "Proof",
    "Rule",
    "Table",
    "UnlessError",
    "__version__",
    "explain",
    "fold_rm",
    "fold_rpp",
    "predict",
    "read_table",
]
