"""The methods whose accuracy is compared: ours, boosters, a tuned tree, and other learners of rules.

Each takes a table to learn from and one to predict, both with the ranks of the whole dataset, and gives an `Outcome`.
Boosters and trees run on one thread: on a shared machine two wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import spent
from unless import Program, Table, fold_rm, fold_rpp
from unless.export.clauses import flatten
from unless.judge.labels import measure
from unless.learn.own import fold_unless
from unless.prediction import deciding_rules
from unless.table import Column
from unless.values import Label

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BINARY", "LIMITED", "METHODS", "OURS", "SMOOTHINGS", "Method", "Outcome"]

SMOOTHINGS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Records of the class prior that are added to those that a rule decided; log-loss is measured for each."""

_DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, None)

Matrix = NDArray[np.float64]
Codes = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one fold gave: predicted classes (-1 for none), their probabilities, the size of the model, the time to fit.

    ``smoothed`` has, for our rules, the probabilities under every one of `SMOOTHINGS`.
    """

    classes: Codes
    seconds: float
    probabilities: Matrix | None = None
    rules: int | None = None
    literals: int | None = None
    smoothed: dict[float, Matrix] = field(default_factory=dict)


Method = Callable[[Table, Table], Outcome]


# Ours.


def _program(learn: Callable[[Table], Program], train: Table, test: Table) -> Outcome:
    found: list[Program] = []
    seconds = spent(lambda: found.append(learn(train)))
    program, statistics, decided = found[0], measure(found[0], train), deciding_rules(found[0], test)
    place = {label: code for code, label in enumerate(statistics.classes)}
    labels: Sequence[Label | None] = (*(rule.head for rule in program.rules), program.otherwise)
    classes = np.array([-1 if label is None else place[label] for label in labels])[decided]
    flat = flatten(program)
    bodies = [body for _, body in flat.rules] + list(flat.exceptions)
    return Outcome(
        classes,
        seconds,
        statistics.probabilities()[decided],
        len(flat),
        sum(len(body.literals) for body in bodies),
        {amount: statistics.probabilities(amount)[decided] for amount in SMOOTHINGS},
    )


def _fold_rpp(train: Table, test: Table) -> Outcome:
    return _program(lambda table: fold_rpp(table, _labels(table)[-1]), train, test)


# Boosters and trees, on numbers where there are numbers and on codes of categories.


def _boosted(make: Callable[[list[int]], Any], train: Table, test: Table) -> Outcome:
    model = make([place for place, column in enumerate(train.columns) if column.kind == "text"])
    return _fitted(model, _matrix(train), train, _matrix(test))


def _xgboost(texts: list[int], columns: int) -> Any:
    from xgboost import XGBClassifier

    kinds = ["c" if place in texts else "q" for place in range(columns)]
    return XGBClassifier(enable_categorical=True, feature_types=kinds, n_jobs=1)


def _lightgbm(texts: list[int]) -> Any:
    from lightgbm import LGBMClassifier

    class Native(LGBMClassifier):
        def fit(self, cells: Any, label: Any) -> Any:
            return super().fit(cells, label, categorical_feature=texts or "auto")

    # With its own default, 0.001, it diverged on rare classes: 0.44 instead of 0.998 on the first fold of avila.
    return Native(n_jobs=1, verbose=-1, min_child_weight=1.0)


def _decision_tree(train: Table, test: Table) -> Outcome:
    from sklearn.model_selection import GridSearchCV, KFold
    from sklearn.tree import DecisionTreeClassifier

    folds = KFold(3, shuffle=True, random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    search = GridSearchCV(tree, {"max_depth": _DEPTHS}, cv=folds).fit(_matrix(train), _codes(train))
    found = _fitted(search.best_estimator_, _matrix(train), train, _matrix(test))
    depths = _depths(search.best_estimator_.tree_)
    return Outcome(found.classes, found.seconds, found.probabilities, len(depths), sum(depths))


def _depths(tree: Any) -> list[int]:
    """How many tests lead to each leaf."""
    depths, found = {0: 0}, []
    for node in range(tree.node_count):
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            found.append(depths[node])
        else:
            depths[left] = depths[right] = depths[node] + 1
    return found


# Other learners of rules, for two classes.


def _ripper(train: Table, test: Table) -> Outcome:
    from wittgenstein import RIPPER

    rare = int(np.argmin(np.bincount(_codes(train), minlength=2)))
    model = RIPPER(random_state=0)
    seconds = spent(lambda: model.fit(_frame(train), _codes(train), pos_class=rare))
    yes = np.array(model.predict(_frame(test)), dtype=bool)
    sizes = [len(rule.conds) for rule in model.ruleset_.rules]
    return Outcome(np.where(yes, rare, 1 - rare), seconds, rules=len(sizes) + 1, literals=sum(sizes))


def _greedy_rule_list(train: Table, test: Table) -> Outcome:
    from imodels import GreedyRuleListClassifier

    model = GreedyRuleListClassifier()
    found = _fitted(model, _indicators(train, train), train, _indicators(train, test))
    return Outcome(found.classes, found.seconds, found.probabilities, len(model.rules_), len(model.rules_) - 1)


def _bayesian_rule_list(train: Table, test: Table) -> Outcome:
    from imodels import BayesianRuleListClassifier
    from sklearn.preprocessing import KBinsDiscretizer

    bins = KBinsDiscretizer(5, encode="onehot-dense", strategy="quantile", quantile_method="averaged_inverted_cdf")
    model = BayesianRuleListClassifier(random_state=0, max_iter=2000)  # of 50,000 it finished none in 60 s
    cells = bins.fit_transform(_indicators(train, train)).astype(int)
    names = [f"c{place}" for place in range(cells.shape[1])]
    label, known = _codes(train), bins.transform(_indicators(train, test)).astype(int)
    seconds = spent(lambda: model.fit(cells, label, feature_names=names))
    shares = model.predict_proba(known)
    return Outcome(shares.argmax(axis=1), seconds, shares, len(model.final_itemsets))


METHODS: dict[str, Method] = {
    "Unless": partial(_program, fold_unless),
    "FOLD-RM": partial(_program, fold_rm),
    "FOLD-R++": _fold_rpp,
    "DecisionTree": _decision_tree,
    "LightGBM": partial(_boosted, _lightgbm),
    "XGBoost": lambda train, test: _boosted(partial(_xgboost, columns=len(train.columns)), train, test),
    "GreedyRuleList": _greedy_rule_list,
    "RIPPER": _ripper,
    "BayesianRuleList": _bayesian_rule_list,
}
"""The methods by name, ours first, the slowest last."""

OURS = ("Unless", "FOLD-RM", "FOLD-R++")
BINARY = ("FOLD-R++", "GreedyRuleList", "RIPPER", "BayesianRuleList")
"""Those that tell two classes apart."""

LIMITED = ("RIPPER", "BayesianRuleList")
"""Those that may take hours, and get a short time instead."""


# Tables as the peers take them.


def _labels(table: Table) -> tuple[Label, ...]:
    assert table.target is not None
    return table.target.labels


def _codes(table: Table) -> Codes:
    assert table.target is not None
    return table.target.codes.astype(np.int64)


def _fitted(model: Any, cells: Matrix, train: Table, known: Matrix) -> Outcome:
    """A classifier of scikit-learn's manner, on classes that are numbered without gaps."""
    present, label = np.unique(_codes(train), return_inverse=True)
    seconds = spent(lambda: model.fit(cells, label))
    shares = np.zeros((len(known), len(_labels(train))))
    shares[:, present] = model.predict_proba(known)
    return Outcome(shares.argmax(axis=1), seconds, shares)


def _matrix(table: Table) -> Matrix:
    """Numbers as they are, NaN for text among numbers; of a column of text the codes of its categories."""
    return np.column_stack([_values(column)[column.codes] for column in table.columns])


def _values(column: Column) -> Matrix:
    others = len(column.categories)
    if column.kind == "text":
        return np.arange(others + 1, dtype=np.float64)
    return np.concatenate([column.numbers, np.full(others + 1, np.nan)])


def _indicators(train: Table, table: Table) -> Matrix:
    """Numbers, NaN as the median of training, and an indicator for each of the first 50 categories of training."""
    parts = []
    for known, column in zip(train.columns, table.columns, strict=True):
        if column.kind == "text":
            parts += [column.codes == code for code in np.unique(known.codes)[:50]]
        else:
            seen, cells = _values(known)[known.codes], _values(column)[column.codes]
            middle = float(np.nanmedian(seen)) if not np.isnan(seen).all() else 0.0
            parts.append(np.where(np.isnan(cells), middle, cells))
    return np.column_stack(parts).astype(np.float64)


def _frame(table: Table) -> pd.DataFrame:
    """A pandas frame: text columns as text, others as numbers."""
    import pandas as pd

    return pd.DataFrame(
        {
            column.name: np.array([*column.categories, "missing"], dtype=object)[column.codes]
            if column.kind == "text"
            else _values(column)[column.codes]
            for column in table.columns
        }
    )
