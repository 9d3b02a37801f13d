"""Describe what each feature does, for the page and the card: importances, curves, heat maps, contributions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.explanation.contributions import background_rows, score_of
from unless.explanation.effects import Effects, effects
from unless.explanation.effects_view import EffectsView, effects_view
from unless.explanation.importances import SMALL
from unless.explanation.words import Words
from unless.model import Model
from unless.report.card_facts import EffectFacts
from unless.report.facts import DecisionFacts
from unless.score.contributions import ContributionCounter
from unless.table import Table

_RANGES = 8
"""How many ranges of numbers a curve shows."""


_COMPARED = 200
"""How many records of the page contributions are compared with at most: each change of a value computes them again."""

_PAIRS = 5
"""How many pairs a card lists."""


def find_effects(model: Model | None, records: Table, words: Words) -> Effects | None:
    """Compute the effects of features on records; None without points, or if no feature matters."""
    if model is None or not model.decider.used or (model.decider.by_rule and model.card is None):
        return None
    found = effects(model, records, words)
    try:
        found.importances  # noqa: B018 - it is kept; very long lists are refused
    except ParameterError:
        return None
    return found if found.curves else None


def describe_effects(model: Model | None, records: Table, words: Words) -> EffectsView | None:
    """Describe the effects of features for the page."""
    found = find_effects(model, records, words)
    return None if found is None else effects_view(found, _RANGES)


def effect_facts(model: Model, records: Table, words: Words) -> EffectFacts | None:
    """Return how much the features of a committee matter, for its card; None if a list decides."""
    found = None if model.decider.by_rule else find_effects(model, records, words)
    if found is None:
        return None
    means = found.importances
    features = [(words.name(name), mean) for name, mean in means.features.items() if mean >= SMALL]
    pairs = [(" and ".join(map(words.name, pair)), mean) for pair, mean in means.pairs.items() if mean >= SMALL]
    return EffectFacts(means.records, tuple(features), tuple(pairs[:_PAIRS]), tuple(map(str, found.findings)))


def background_data(facts: DecisionFacts, rows: NDArray[np.intp]) -> dict[str, Any] | None:
    """Return the records of the page that contributions are compared with, and their mean; None if a list decides."""
    model = facts.model
    if model is None or model.decider.by_rule or not model.decider.used:
        return None
    shown = facts.table[rows]
    places = background_rows(model, shown, _COMPARED)
    counter = ContributionCounter(score_of(model), shown[places])
    return {"rows": places.tolist(), "expected": counter.expected.tolist()}
