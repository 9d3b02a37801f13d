"""Decide records in memory and log the decisions, as `predict_file` does for files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from unless.errors import ParameterError
from unless.explanation.decision_reasons import Wording, read_reason_table, reason_words
from unless.model import decider_of, model_of
from unless.rule.reason_words import MOST_REASONS
from unless.stream.batch_decisions import Tally
from unless.stream.decision_log import DecisionLog, LogOptions, ReasonOptions


def log_decisions(
    model: Any,
    X: Any,  # noqa: N803 - scikit-learn calls it X
    path: str | os.PathLike[str],
    *,
    keys: Sequence[object] | None = None,
    words: Wording = None,
    most: int = MOST_REASONS,
    values: bool = False,
) -> list[dict[str, Any]]:
    """Decide records, append a line of JSON for each to a file, and return the decisions.

    Parameters
    ----------
    model, X, words, most
        As in `unless.explanation.reasons`.
    path
        The log. It is created if it does not exist; several processes may append to it. Lines have the time (UTC), the
        fingerprint of the model, the number of the record, its key, label, rule, probability and codes of reasons.
    keys
        What identifies each record.
    values
        Whether to log the values that rules test; they may be personal.
    """
    known: Any = model_of(model) or decider_of(model)
    table = read_reason_table(model, X)
    if keys is not None and len(keys) != len(table):
        raise ParameterError(f"there are {len(table):,} records, but {len(keys):,} keys; each record needs one")
    named = ReasonOptions(reason_words(words, known), most)
    _, answers, places = Tally(known, strict=False, reasons=named).answer(table)
    DecisionLog(known, LogOptions(path, values=values)).append(table, answers, places, keys)
    found = list(answers.decisions())
    return [found[place] for place in places.tolist()]
