"""Explain the score card of one record: the parts of the program that hold, and their points, which add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unless.explanation import proof_rendering
from unless.explanation.sentences import condition_text, default_texts, rule_name, words_for
from unless.explanation.text_table import align_columns
from unless.explanation.vote_explanation import probabilities_to_json
from unless.explanation.why import record_values
from unless.explanation.words import DEFAULT, Words, join_names, join_reasons, printable
from unless.model.points import expand_to_all_labels, probabilities_of
from unless.rule import Program
from unless.score.program_parts import ProgramPart
from unless.score.score_card import UNTESTED, ScoreCard
from unless.values import Label, Value, label_to_json, percent

_MAX_FEATURES = 8
"""The maximum number of features in a sentence."""

_MAX_LABEL_COLUMNS = 6
"""The maximum number of labels in a text; the most probable labels are shown."""


def explain_score(
    card: ScoreCard, record: Mapping[str, object], words: Words = DEFAULT, *, lead: bool = True
) -> ScoreExplanation:
    """Compute the score card of a record, given as a mapping from features to values (None where missing).

    Without ``lead``, the points that make the list's own label lead are left out: points or costs decide.
    """
    values = record_values(card.tested, record)
    base, *others = (ScoreLine(part, tuple(points.tolist())) for part, points in card.lines(values))
    lines = (
        replace(base, every=True),
        *(line for line in others if any(line.points) and (lead or line.part is not None)),
    )
    return ScoreExplanation(card.program, card.classes, tuple(values.items()), lines, words, card.untested)


def untested_text(features: Iterable[str], words: Words = DEFAULT) -> str:
    """Say which features probabilities count although no rule tests them; an empty text if there are none."""
    names = [words.name(name) for name in features]
    return f"{UNTESTED}: {join_names(names, _MAX_FEATURES)}." if names else ""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A part that holds and its points per column; without a part, the points of ``every`` record or of the list."""

    part: ProgramPart | None
    points: tuple[int, ...]
    every: bool = False

    def text(self, words: Words = DEFAULT) -> str:
        """Describe the part that holds: "rule 2 decides", "income is at most 21,000"."""
        part = self.part
        if part is None:
            return "every record" if self.every else "the list decides"
        if part.literal is not None:
            return condition_text((part.literal,), words)
        name = rule_name(part.number)
        match part.kind:
            case "decides":
                return name if part.number is None else f"{name} decides"
            case "rule":
                return f"{name} holds"
            case "default":
                return f"the default of {name} holds"
        inner = "inner " if part.within is not None and part.within.kind == "exception" else ""
        asks = [] if part.rule is None else default_texts(part.rule, words)
        return f"an {inner}exception to {name} holds: {join_reasons(asks) or 'always'}"


@dataclass(frozen=True, eq=False, repr=False)
class ScoreExplanation:
    """The points of one record: a line for each part that holds, and the totals.

    With two labels there is one column: points for the second label against the first. 1,000 points are one logit.
    """

    program: Program
    classes: tuple[Label, ...]
    items: tuple[tuple[str, Value], ...]
    rows: tuple[ScoreLine, ...]
    words: Words = DEFAULT
    untested: tuple[str, ...] = ()
    """The features that the card has points for, and that no rule tests."""

    @property
    def note(self) -> str:
        """A sentence about the features that no rule tests; empty if there are none."""
        return untested_text(self.untested, self.words)

    @cached_property
    def total(self) -> tuple[int, ...]:
        """The sum of the points in each column."""
        return tuple(sum(column) for column in zip(*(row.points for row in self.rows), strict=True))

    @cached_property
    def probabilities(self) -> dict[Label, float]:
        """The probability of each label."""
        points = expand_to_all_labels(np.array(self.total, dtype=np.int64), len(self.classes))
        return dict(zip(self.classes, probabilities_of(points).tolist(), strict=True))

    @property
    def columns(self) -> tuple[Label, ...]:
        """The label of each column of points."""
        return self.classes[1:] if len(self.classes) == 2 else self.classes

    @cached_property
    def _fitted_words(self) -> Words:
        words = words_for(self.program, record=dict(self.items), words=self.words)
        literals = (row.part.literal for row in self.rows if row.part is not None)
        return words.for_values((one.feature, one.value) for one in literals if one is not None)

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return {
            "columns": [label_to_json(label) for label in self.columns],
            "rows": [{"part": row.text(self._fitted_words), "points": list(row.points)} for row in self.rows],
            "total": list(self.total),
            "probabilities": probabilities_to_json(self.probabilities),
            **({"untested": list(self.untested)} if self.untested else {}),
        }

    def table(self) -> list[list[str]]:
        """Return the cells of a readable table: a header, a row for each part, the total, and probabilities.

        If there are many labels, the table shows the most probable ones.
        """
        ranked = sorted(range(len(self.columns)), key=lambda k: -self.probabilities[self.columns[k]])
        shown = sorted(ranked[:_MAX_LABEL_COLUMNS])
        heads = [self.words.labels.get(self.columns[k]) or printable(str(self.columns[k])) for k in shown]
        rows = [[row.text(self._fitted_words), *_signed_points(row.points, shown)] for row in self.rows]
        shares = [percent(self.probabilities[self.columns[k]], 1) for k in shown]
        total = _signed_points(self.total, shown)
        return [["points for", *heads], *rows, ["total", *total], ["probability", *shares]]

    def __str__(self) -> str:
        rows = self.table()
        lines = align_columns(rows, right=range(1, len(rows[0])))
        return "\n".join([*lines, self.note] if self.note else lines)

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        head, *rows, total, shares = self.table()
        if not proof_rendering.has_jinja2():
            return None
        return proof_rendering.render_template(
            "card.html.j2", head=head, rows=rows, ends=[total, shares], note=self.note
        )


def _signed_points(points: Sequence[int], shown: Sequence[int]) -> list[str]:
    return [f"{points[k]:+,}" if points[k] else "0" for k in shown]
