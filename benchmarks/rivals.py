"""Peers whose accuracy is compared, with default parameters and one thread, on tables as they take them.

Boosters, trees and EBM take numbers where there are numbers, and codes of categories, which they know to be categories
if they can; FIGS and RuleFit indicators of categories, RIPPER text.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless import Table
from unless.table import Column
from unless.values import Label

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Codes", "Matrix", "Outcome", "clocked", "codes_of", "labels_of"]

_DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, None)

Matrix = NDArray[np.float64]
Codes = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one fold gave: predicted classes (-1 for none), their probabilities, the size of the model, time to fit."""

    classes: Codes
    probabilities: Matrix | None
    rules: int | None
    literals: int | None
    cpu: float
    wall: float


_SHORT = 0.1
"""Seconds below which a fit is repeated: the clock of the CPU may tick in steps of several milliseconds."""


def clocked(run: Callable[[], object]) -> tuple[float, float]:
    """The seconds of this process's CPU that a call takes, and those on the wall; of a short one the mean of several.

    Of a short one the first run does not count: it also loads what comes lazily.
    """
    first = _seconds(run, 1)
    return first if first[1] >= _SHORT else _seconds(run, math.ceil(_SHORT / max(first[1], 1e-4)))


def _seconds(run: Callable[[], object], times: int) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(times):
        run()
    return (time.process_time() - cpu) / times, (time.perf_counter() - wall) / times


# Ensembles.


def xgboost(train: Table, test: Table) -> Outcome:
    """Native categories, defaults."""
    from xgboost import XGBClassifier

    model = XGBClassifier(enable_categorical=True, feature_types=_kinds(train, "c", "q"), n_jobs=1)
    found = _fitted(model, _matrix(train), train, _matrix(test))
    leaves = [line for tree in model.get_booster().get_dump() for line in tree.splitlines() if "leaf=" in line]
    return _sized(found, [line.count("\t") for line in leaves])


def xgboost_one_hot(train: Table, test: Table) -> Outcome:
    """Defaults, on what `_one_hot` makes of a table."""
    from xgboost import XGBClassifier

    return _fitted(XGBClassifier(n_jobs=1), _one_hot(train, train), train, _one_hot(train, test))


def xgboost_before_2(train: Table, test: Table) -> Outcome:
    """As `xgboost_one_hot`, with what were the defaults before XGBoost 2.0: no bins, and 0.5 to start from."""
    from xgboost import XGBClassifier

    model = XGBClassifier(n_jobs=1, tree_method="exact", base_score=0.5)
    return _fitted(model, _one_hot(train, train), train, _one_hot(train, test))


def xgboost_every_value(train: Table, test: Table) -> Outcome:
    """Defaults, on an indicator for every value, whatever the columns are."""
    from xgboost import XGBClassifier

    return _fitted(XGBClassifier(n_jobs=1), _every_value(train, train), train, _every_value(train, test))


def mlp_one_hot(train: Table, test: Table) -> Outcome:
    """Defaults, on what `_one_hot` makes of a table; numbers are not scaled."""
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(random_state=0)
    return _fitted(model, _one_hot(train, train), train, _one_hot(train, test))


def mlp_every_value(train: Table, test: Table) -> Outcome:
    """Defaults, on an indicator for every value, whatever the columns are."""
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(random_state=0)
    return _fitted(model, _every_value(train, train), train, _every_value(train, test))


def mlp_scaled(train: Table, test: Table) -> Outcome:
    """Defaults, on indicators of categories and numbers, all scaled."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), MLPClassifier(random_state=0))
    return _fitted(model, _indicators(train, train), train, _indicators(train, test))


def lightgbm(train: Table, test: Table) -> Outcome:
    """Native categories, defaults but one."""
    from lightgbm import LGBMClassifier

    texts = [place for place, column in enumerate(train.columns) if column.kind == "text"]

    class Native(LGBMClassifier):
        def fit(self, cells: Any, label: Any) -> Any:
            return super().fit(cells, label, categorical_feature=texts or "auto")

    # With its own default, 0.001, it diverged on rare classes: 0.44 instead of 0.998 on the first fold of avila.
    model = Native(n_jobs=1, verbose=-1, min_child_weight=1.0)
    found = _fitted(model, _matrix(train), train, _matrix(test))
    trees = model.booster_.dump_model()["tree_info"]
    return _sized(found, [depth for tree in trees for depth in _leaves(tree["tree_structure"])])


def _leaves(node: dict[str, Any], depth: int = 0) -> list[int]:
    if "left_child" not in node:
        return [depth]
    return _leaves(node["left_child"], depth + 1) + _leaves(node["right_child"], depth + 1)


def catboost(train: Table, test: Table) -> Outcome:
    """Native categories, defaults."""
    from catboost import CatBoostClassifier

    texts = [place for place, column in enumerate(train.columns) if column.kind == "text"]
    model = CatBoostClassifier(
        cat_features=texts, thread_count=1, random_seed=0, verbose=False, allow_writing_files=False
    )
    found = _fitted(model, _with_codes(train), train, _with_codes(test))
    leaves = model.get_tree_leaf_counts()
    return _sized(found, [count.bit_length() - 1 for count in map(int, leaves) for _ in range(count)])


def random_forest(train: Table, test: Table) -> Outcome:
    """A hundred trees; categories are ordinal codes."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(n_jobs=1, random_state=0)
    found = _fitted(model, _matrix(train), train, _matrix(test))
    return _sized(found, [depth for tree in model.estimators_ for depth in _depths(tree.tree_)])


def ebm(train: Table, test: Table) -> Outcome:
    """Additive tables for features and pairs of them: no rules to count."""
    from interpret.glassbox import ExplainableBoostingClassifier

    kinds = _kinds(train, "nominal", "continuous")
    return _fitted(ExplainableBoostingClassifier(feature_types=kinds, n_jobs=1), _matrix(train), train, _matrix(test))


# Trees, and rules from trees.


def decision_tree(train: Table, test: Table) -> Outcome:
    """Its depth is tuned by an inner cross-validation; the time is that of the tuned tree alone."""
    from sklearn.model_selection import GridSearchCV, KFold
    from sklearn.tree import DecisionTreeClassifier

    folds = KFold(3, shuffle=True, random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    search = GridSearchCV(tree, {"max_depth": _DEPTHS}, cv=folds).fit(_matrix(train), codes_of(train))
    found = _fitted(search.best_estimator_, _matrix(train), train, _matrix(test))
    return _sized(found, _depths(search.best_estimator_.tree_))


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


def figs(train: Table, test: Table) -> Outcome:
    """A sum of small trees."""
    from imodels import FIGSClassifier

    models, found = _one_against_rest(FIGSClassifier(random_state=0), train, test)
    return _sized(found, [depth for model in models for tree in model.trees_ for depth in _figs_leaves(tree)])


def _figs_leaves(node: Any, depth: int = 0) -> list[int]:
    if node.left is None:
        return [depth]
    return _figs_leaves(node.left, depth + 1) + _figs_leaves(node.right, depth + 1)


def rulefit(train: Table, test: Table) -> Outcome:
    """A weighted sum of rules from boosted trees, and of the columns themselves, which count as rules too."""
    from imodels import RuleFitClassifier

    models, found = _one_against_rest(RuleFitClassifier(random_state=0), train, test)
    weights = np.concatenate([np.ravel(model.coef) for model in models])
    terms = [term for model in models for term in (*model.feature_names_, *map(str, model.rules_))]
    return _sized(found, [term.count(" and ") + 1 for term, w in zip(terms, weights, strict=True) if w])


def _one_against_rest(model: Any, train: Table, test: Table) -> tuple[list[Any], Outcome]:
    """A classifier of two classes on indicators; for more classes one for each."""
    from sklearn.multiclass import OneVsRestClassifier

    if len(np.unique(codes_of(train))) <= 2:
        return [model], _fitted(model, _indicators(train, train), train, _indicators(train, test))
    several = OneVsRestClassifier(model, n_jobs=1)
    found = _fitted(several, _indicators(train, train), train, _indicators(train, test))
    return several.estimators_, found


def ripper(train: Table, test: Table) -> Outcome:
    """Rules for the rarer of two classes."""
    from wittgenstein import RIPPER

    rare = int(np.argmin(np.bincount(codes_of(train), minlength=2)))
    model = RIPPER(random_state=0)
    cpu, wall = clocked(lambda: model.fit(_frame(train), codes_of(train), pos_class=rare))
    yes = np.array(model.predict(_frame(test)), dtype=bool)
    sizes = [len(rule.conds) for rule in model.ruleset_.rules]
    return Outcome(np.where(yes, rare, 1 - rare), None, len(sizes) + 1, sum(sizes), cpu, wall)


# Tables as the peers take them.


def labels_of(table: Table) -> tuple[Label, ...]:
    """The labels of the dataset."""
    assert table.target is not None
    return table.target.labels


def codes_of(table: Table) -> NDArray[np.int64]:
    """The place of every row's label among them."""
    assert table.target is not None
    return table.target.codes.astype(np.int64)


def _fitted(model: Any, cells: Any, train: Table, known: Any) -> Outcome:
    """A classifier of scikit-learn's manner, on classes that are numbered without gaps."""
    present, label = np.unique(codes_of(train), return_inverse=True)
    cpu, wall = clocked(lambda: model.fit(cells, label))
    shares = np.zeros((known.shape[0], len(labels_of(train))))
    shares[:, present] = np.nan_to_num(model.predict_proba(known))
    return Outcome(shares.argmax(axis=1), shares, None, None, cpu, wall)


def _sized(found: Outcome, tests: list[int]) -> Outcome:
    """With a rule for each leaf, of so many tests."""
    return Outcome(found.classes, found.probabilities, len(tests), sum(tests), found.cpu, found.wall)


def _kinds(table: Table, nominal: str, number: str) -> list[str]:
    return [nominal if column.kind == "text" else number for column in table.columns]


def _matrix(table: Table) -> Matrix:
    """Numbers as they are, NaN for text among numbers; of a column of text the codes of its categories."""
    return np.column_stack([_values(column)[column.codes] for column in table.columns])


def _values(column: Column) -> Matrix:
    others = len(column.categories)
    if column.kind == "text":
        return np.arange(others + 1, dtype=np.float64)
    return np.concatenate([column.numbers, np.full(others + 1, np.nan)])


def _with_codes(table: Table) -> pd.DataFrame:
    """Numbers as in `_matrix`, and whole numbers for the categories of a column of text."""
    import pandas as pd

    cells = {
        column.name: column.codes.astype(np.int64) if column.kind == "text" else _values(column)[column.codes]
        for column in table.columns
    }
    return pd.DataFrame(cells)


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


def _one_hot(train: Table, table: Table) -> Any:
    """Numbers as they are if there is nothing else; otherwise an indicator for every value of training, of numbers too.

    So the paper seems to have done it: only that explains its times and accuracies where columns are of both kinds.
    """
    numbers = all(column.kind == "number" for column in train.columns)
    return _matrix(table) if numbers else _every_value(train, table)


def _every_value(train: Table, table: Table) -> Any:
    """An indicator for every value of training, of numbers too."""
    from scipy import sparse

    parts = []
    for known, column in zip(train.columns, table.columns, strict=True):
        values = np.unique(known.codes)
        place = np.searchsorted(values, column.codes).clip(max=len(values) - 1)
        rows = np.flatnonzero(values[place] == column.codes)
        shape = (len(table), len(values))
        parts.append(sparse.csr_matrix((np.ones(len(rows)), (rows, place[rows])), shape=shape))
    return sparse.hstack(parts).tocsr()


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
