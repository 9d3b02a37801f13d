"""The methods of classifiers about costs: what decides, and what each decision is expected to cost."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.estimators.fitted_classifier import FittedClassifier
from unless.estimators.prediction_reader import NewRecords
from unless.estimators.rule_frames import to_frame
from unless.model.costs import Costs
from unless.model.prediction import Decider, decide
from unless.rule import Program
from unless.score.score_card import require_card
from unless.score.score_decider import ScoreDecider, committee_of
from unless.threads import resolve_n_jobs


class CostMethods(FittedClassifier):
    """A fitted classifier that knows what decisions cost."""

    def expected_costs(self, X: Any) -> Any:
        """Return the expected cost of each decision for every record, as a data frame: of pandas, if it is installed.

        A column for each label, ``rejected`` if records can be rejected, ``decision`` (what `predict` returns), and
        ``alternative``: the cost of the cheapest other decision. Without ``costs``, an error costs 1.
        """
        decider, table = self._cost_decider(), self._inputs.records(X)
        costs, heads = decider.expected_costs(table), head_array(self._fitted.decider, self.classes_)
        decided = decide(self._fitted.decider, table).choices
        names = [*map(str, decider.classes), *["rejected"] * (decider.reject is not None)]
        columns = {name: costs[:, place].tolist() for place, name in enumerate(names)}
        return to_frame({**columns, "decision": heads[decided].tolist(), "alternative": _second_costs(costs)})

    @property
    def _scored(self) -> ScoreDecider | None:
        """What decides by points or costs; None if rules or votes decide."""
        decider = self._fitted.decider
        return decider if isinstance(decider, ScoreDecider) else None

    def _cost_decider(self) -> ScoreDecider:
        """Return what decides, or what would decide by the costs of the model, or by those of errors."""
        if (scored := self._scored) is not None:
            return scored
        model = self._fitted
        score = committee_of(model.decider) or require_card(model.card)
        return ScoreDecider(score, "costs", model.costs or Costs.of_errors(score.classes))

    def _choices(self, records: NewRecords) -> NDArray[np.int32]:
        """Return the index in the heads of the decider for each record."""
        if (scored := self._scored) is not None:
            return scored.decide_cells(records.cells, records.rows, resolve_n_jobs(self.n_jobs)).choices
        return self._deciding(records)

    def _deciding(self, records: NewRecords) -> NDArray[np.int32]:
        """Return the index of the rule that decides each record."""
        code = self.model_.code
        return code.decide(records.fills(code.bins), records.rows)

    def _heads(self) -> NDArray[Any]:
        """Return the label of each rule, then the label if no rule decides; None is possible in an array of objects."""
        if (scored := self._scored) is not None:
            return head_array(scored, self.classes_)
        heads = np.empty(len(self.program_.rules) + 1, dtype=object)
        heads[:] = self.program_.heads
        if not _always_decides(self.program_):
            return heads
        if heads[-1] is None:  # no record gets it
            heads[-1] = self.classes_[0]
        return heads.astype(self.classes_.dtype)


def head_array(decider: Decider, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the heads of a decider as an array of the type of the classes, or of objects if one is None."""
    found = np.empty(len(decider.heads), dtype=object)
    found[:] = decider.heads
    return found if None in decider.heads else found.astype(classes.dtype)


def _second_costs(costs: NDArray[np.float64]) -> list[float]:
    """Return the second lowest cost of each record."""
    found: list[float] = np.partition(costs, 1, axis=1)[:, 1].tolist()
    return found


def _always_decides(program: Program) -> bool:
    """Return whether the program gives every record a label."""
    return program.otherwise is not None or any(not rule.default and not rule.exceptions for rule in program.rules)
