"""Contributions: how much each feature of a record adds to the log-odds of a label, exactly, as bars and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, UnlessError
from unless.explanation import proof_rendering
from unless.explanation.sentences import words_for
from unless.explanation.words import DEFAULT, Words
from unless.model import Model
from unless.model.points import POINTS_PER_LOGIT
from unless.rule import Program
from unless.score.contributions import AdditiveScore, ContributionCounter, additive_score
from unless.score.score_card import require_card
from unless.table import Table
from unless.table.record_hashes import record_hashes
from unless.table.to_frames import data_frame
from unless.values import Label, Value, count_text, label_to_json, share_text, value_to_json

Floats = NDArray[np.float64]

MOST_RECORDS = 1000
"""The maximum number of background records used: the ones with the smallest hashes, whatever the order."""

_BAR = 20
"""The longest bar, in characters."""

_NAMED = 3
"""How many features a sentence names for a label, and how many against it."""

_SHOWN = 10
"""How many records are printed."""

_SMALL = 0.005
"""Contributions below this are shown as 0.00 and left out of sentences."""


def contributions(model: Model, table: Table, background: Table, words: Words = DEFAULT) -> Contributions:
    """Compute how much each feature of each record adds to the log-odds, compared with background records.

    Both tables are read like the training records. Of a background of more than 1,000 records, 1,000 are used.
    """
    counter = ContributionCounter(score_of(model), background_records(model, background))
    spoken = words_for(model.decider.all_rules, tables=[background], words=words)
    values, records = counter.values(table), tuple(map(table.record, range(len(table))))
    leads = _totals(model, table) - counter.expected - values.sum(axis=1)
    leads[np.abs(leads) < 1e-6] = 0.0
    target, labels = model.decider.target, model.statistics.classes
    size = min(len(background), MOST_RECORDS)
    return Contributions(target, labels, counter.features, records, values, counter.expected, leads, size, spoken)


def score_of(model: Model) -> AdditiveScore:
    """Return the log-odds of a model as a sum: the points of a committee, or the score card of a list."""
    if not isinstance(model.decider, Program):
        return additive_score(model.decider)
    return additive_score(require_card(model.card))


def background_records(model: Model, background: Table) -> Table:
    """Select at most 1,000 background records, the same ones for any order of the records."""
    return background[background_rows(model, background)] if len(background) > MOST_RECORDS else background


def background_rows(model: Model, background: Table, most: int | None = None) -> NDArray[np.intp]:
    """Return the indices of the `background_records`, or of at most this many."""
    most = MOST_RECORDS if most is None else most
    if len(background) <= most:
        return np.arange(len(background))
    hashes = record_hashes([background.column(name) for name in model.used], len(background))
    return np.sort(np.argsort(hashes, kind="stable")[:most])


def _totals(model: Model, table: Table) -> Floats:
    """Compute the log-odds of each record, from which probabilities are computed."""
    points = model.points(table)
    if points is None:  # score_of rejects such a model before
        raise ParameterError("the model has no points")
    found = points[:, 1:] - points[:, :1] if points.shape[1] == 2 else points
    return found / POINTS_PER_LOGIT


@dataclass(frozen=True, eq=False, repr=False)
class Contributions:
    """How much each feature of some records adds to the log-odds of labels: exact Shapley values.

    With two labels there is one column: the log-odds of the second label against the first. More labels have a column
    each. In each column ``expected`` plus the values of all features plus ``leads`` is the log-odds of the record.
    ``expected`` is the mean over the ``background`` records. ``leads`` is what a list adds where its points favour a
    different label than its rules (`unless.score.score_card`); it belongs to no feature. A committee has no leads.
    """

    target: str
    """The name of what is predicted."""
    labels: tuple[Label, ...]
    """All labels, sorted."""
    features: tuple[str, ...]
    """The names of the features: the second axis of ``values``."""
    records: tuple[Mapping[str, Value], ...]
    """The records: the first axis of ``values``."""
    values: Floats
    """Record × feature × column."""
    expected: Floats
    leads: Floats
    background: int
    words: Words = DEFAULT
    """How sentences name features, values and labels."""

    @property
    def columns(self) -> tuple[Label, ...]:
        """The label of each column."""
        return self.labels[1:] if len(self.labels) == 2 else self.labels

    @property
    def totals(self) -> Floats:
        """The log-odds of each record in each column."""
        found: Floats = self.expected + self.values.sum(axis=1) + self.leads
        return found

    @property
    def importances(self) -> dict[str, float]:
        """The mean absolute contribution of each feature over the records and columns, largest first."""
        means = np.abs(self.values).mean(axis=(0, 2)) if len(self) else np.zeros(len(self.features))
        order = np.argsort(-means, kind="stable")
        return {self.features[place]: float(means[place]) for place in order}

    def probabilities(self) -> Floats:
        """Return the probability of each label (columns) for each record (rows)."""
        scores = self.totals
        if len(self.labels) == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: Floats = odds / odds.sum(axis=1, keepdims=True)
        return shares

    def label_index(self, row: int) -> int:
        """Return the index of the most probable label of a record."""
        return int(self.probabilities()[row].argmax())

    def toward_label(self, row: int) -> Floats:
        """Return how much each feature adds to the log-odds of the record's label against the runner-up."""
        label, other = np.argsort(-self.probabilities()[row], kind="stable")[:2]
        if len(self.labels) == 2:
            return self.values[row, :, 0] if label == 1 else -self.values[row, :, 0]
        found: Floats = self.values[row, :, label] - self.values[row, :, other]
        return found

    def sentence(self, row: int = 0) -> str:
        """Return a sentence that names the features for and against the label of a record."""
        shares, label = self.probabilities()[row], self.labels[self.label_index(row)]
        text = f"{self.words.label(self.target, label)}, with probability {share_text(float(shares.max()))}"
        for_it = [f"{name} ({own:+.2f})" for name, own in self.bars(row) if own > 0][:_NAMED]
        against = [f"{name} ({own:+.2f})" for name, own in self.bars(row) if own < 0][:_NAMED]
        text += f": mostly because {', '.join(for_it)}" if for_it else ""
        return text + (f"; against it: {', '.join(against)}" if against else "")

    def bars(self, row: int = 0) -> list[tuple[str, float]]:
        """Return each feature that matters for a record and how much it adds for the label, largest first."""
        found, record = self.toward_label(row), self.records[row]
        order = [place for place in np.argsort(-np.abs(found), kind="stable") if abs(found[place]) >= _SMALL]
        names = [self.features[place] for place in order]
        return [(self.words.has(name, record[name]), float(own)) for name, own in zip(names, found[order], strict=True)]

    def lines(self, row: int = 0) -> list[str]:
        """Return the sentence about a record and a bar for each feature, largest first."""
        bars = self.bars(row)
        width, most = max((len(name) for name, _ in bars), default=0), max((abs(own) for _, own in bars), default=1.0)
        lengths = [max(round(_BAR * abs(own) / most), 1) for _, own in bars]
        rows = [
            f"  {name:<{width}}  {own:+6.2f}  {('█' if own > 0 else '░') * length}"
            for (name, own), length in zip(bars, lengths, strict=True)
        ]
        return [self.sentence(row), *rows]

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return {
            "target": self.target,
            "columns": [label_to_json(label) for label in self.columns],
            "features": list(self.features),
            "background": self.background,
            "expected": self.expected.tolist(),
            "importances": self.importances,
            "records": [
                {
                    "record": {name: value_to_json(record[name]) for name in self.features},
                    "contributions": self.values[row].T.tolist(),
                    "list": self.leads[row].tolist(),
                    "total": self.totals[row].tolist(),
                    "sentence": self.sentence(row),
                }
                for row, record in enumerate(self.records)
            ],
        }

    def frame(self) -> Any:
        """Return a data frame (pandas if installed) with a row for each pair of a record and a log-odds column."""
        rows = [(row, place) for row in range(len(self)) for place in range(len(self.columns))]
        return data_frame(
            {
                "record": [row for row, _ in rows],
                "label": [self.columns[place] for _, place in rows],
                "expected": [float(self.expected[place]) for _, place in rows],
                **{
                    name: [float(self.values[row, k, place]) for row, place in rows]
                    for k, name in enumerate(self.features)
                },
                "the list": [float(self.leads[row, place]) for row, place in rows],
                "total": [float(self.totals[row, place]) for row, place in rows],
            }
        )

    def to_shap(self) -> Any:
        """Return a ``shap.Explanation`` for the plots of the shap package; the ``leads`` of a list become a feature."""
        try:
            import shap
        except ImportError as error:
            raise UnlessError("to_shap needs the shap package: pip install shap") from error
        values, names = self.values, list(self.features)
        if self.leads.any():
            values, names = np.concatenate([values, self.leads[:, np.newaxis]], axis=1), [*names, "the list"]
        data = np.array([[self.words.value(n, r[n]) for n in self.features] for r in self.records], dtype=object)
        if len(names) > len(self.features):
            data = np.column_stack([data, np.full(len(self), "")])
        base = np.tile(self.expected, (len(self), 1))
        one = len(self.columns) == 1
        return shap.Explanation(
            values=values[..., 0] if one else values,
            base_values=base[:, 0] if one else base,
            data=data,
            feature_names=names,
            output_names=None if one else [str(label) for label in self.columns],
        )

    def __len__(self) -> int:
        """The number of records."""
        return len(self.records)

    def _repr_html_(self) -> str | None:
        if not proof_rendering.has_jinja2():
            return None
        tables = []
        for row in range(min(len(self), _SHOWN)):
            bars = self.bars(row)
            sizes = [(name, f"{own:+.2f}", round(12 * abs(own) / abs(bars[0][1]), 1)) for name, own in bars]
            tables.append((self.sentence(row), sizes))
        return proof_rendering.render_template("bars.html.j2", tables=tables)

    def __str__(self) -> str:
        shown = [line for row in range(min(len(self), _SHOWN)) for line in self.lines(row)]
        rest = [f"… and {count_text(len(self) - _SHOWN, 'more record')}"] if len(self) > _SHOWN else []
        head = f"log-odds compared with the mean of {count_text(self.background, 'record')}"
        return "\n".join([head, *shown, *rest])

    __repr__ = __str__
