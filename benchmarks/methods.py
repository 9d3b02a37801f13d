"""The methods whose accuracy is compared, by name: ours, other learners of rules, trees, and ensembles (`rivals`).

Each takes a table to learn from and one to predict, both with the ranks of the whole dataset, and gives an `Outcome`.
All have one thread: on a shared machine two wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import unless
from benchmarks import rivals
from benchmarks.accuracy_datasets import BLIND, CONFIRMATION, FRESH, NOISE, ONCE, PAPER, SELECTION
from benchmarks.rivals import Outcome, clocked, labels_of
from unless import FoldRMClassifier, FoldRPPClassifier, Program, Table, UnlessClassifier
from unless.export.clauses import flatten

__all__ = ["LIMITS", "METHODS", "OURS", "Method", "limit_name", "rules_of", "sized"]

LIMITS = (1, 2, 3, 5, 8, 12, 20)
"""The values of ``max_rules`` whose accuracy is compared."""


@dataclass(frozen=True, slots=True)
class Method:
    """How to learn and predict, on which data, whether only two classes, and what it needs to be there."""

    run: Callable[[Table, Table], Outcome]
    data: Sequence[str] = (*SELECTION, *CONFIRMATION, *FRESH, *ONCE, *BLIND)
    binary: bool = False
    needs: Callable[[], bool] = lambda: True


# Ours.


def rules_of(make: Callable[[], Any], train: Table, test: Table) -> Outcome:
    """Any of our classifiers, from a ready table."""
    model = make()
    cpu, wall = clocked(lambda: model.fit(train))
    place = {label: code for code, label in enumerate(labels_of(train))}
    classes = np.array([-1 if label is None else place[label] for label in model.predict(test).tolist()])
    shares = np.zeros((len(test), len(place)))
    shares[:, [place[label] for label in model.classes_.tolist()]] = model.predict_proba(test)
    return Outcome(classes, shares, *sized(_programs(model)), cpu, wall)


def _programs(model: Any) -> list[Program]:
    """The lists of a committee, or the one list of any other classifier."""
    return list(model.committee_.lists) if hasattr(model, "committee_") else [model.program_]


def sized(programs: Iterable[Program]) -> tuple[int, int]:
    """Rules and literals: every flattened rule counts, exceptions and the last rule included."""
    flat = [flatten(program) for program in programs]
    bodies = [body for one in flat for body in (*(body for _, body in one.rules), *one.exceptions)]
    return sum(map(len, flat)), sum(len(body.literals) for body in bodies)


def _has(parameter: str) -> Callable[[], bool]:
    return lambda: parameter in UnlessClassifier().get_params()


def limit_name(most: int) -> str:
    """The name of the method that learns at most so many rules."""
    return f"Unless max_rules={most}"


def _committee() -> Any:
    return unless.UnlessCommittee(n_jobs=1)


METHODS: dict[str, Method] = {
    "Unless": Method(partial(rules_of, UnlessClassifier), (*SELECTION, *CONFIRMATION, *FRESH, *ONCE, *BLIND, *NOISE)),
    "Unless all features": Method(
        partial(rules_of, lambda: UnlessClassifier(probabilities="all")), needs=_has("probabilities")
    ),
    "Unless distilled": Method(partial(rules_of, lambda: UnlessClassifier(teacher="committee")), needs=_has("teacher")),
    "UnlessCommittee": Method(partial(rules_of, _committee), needs=lambda: hasattr(unless, "UnlessCommittee")),
    "Unless greedy": Method(partial(rules_of, lambda: UnlessClassifier(optimise=False)), needs=_has("optimise")),
    "Unless before": Method(
        partial(rules_of, UnlessClassifier),
        (*SELECTION, *CONFIRMATION, *FRESH, *NOISE),
        needs=lambda: not _has("optimise")(),
    ),
    "FOLD-RM": Method(partial(rules_of, lambda: FoldRMClassifier(otherwise=None))),
    "FOLD-R++": Method(partial(rules_of, FoldRPPClassifier), binary=True),
    "RIPPER": Method(rivals.ripper, binary=True),
    "DecisionTree": Method(rivals.decision_tree),
    "FIGS": Method(rivals.figs),
    "RuleFit": Method(rivals.rulefit),
    "RandomForest": Method(rivals.random_forest),
    "EBM": Method(rivals.ebm),
    "LightGBM": Method(rivals.lightgbm),
    "XGBoost": Method(rivals.xgboost),
    "CatBoost": Method(rivals.catboost),
    **{
        limit_name(most): Method(partial(rules_of, partial(UnlessClassifier, max_rules=most)), PAPER) for most in LIMITS
    },
}
"""The methods by name, in the order of the page."""

OURS = tuple(name for name in METHODS if name.startswith("Unless") and name != "Unless before")
"""What changes with our learner. The list before it was measured with the version before, and is kept."""
