"""Make the learner of `unless fit` from its options, once the labels are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from unless.cli.cost_options import parse_cost_options
from unless.cli.loading import match_label
from unless.cli.options import Algorithm
from unless.errors import ParameterError, UnknownNameError
from unless.table import Labels
from unless.values import Label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from unless.blocks.encoding import ClassFactors
    from unless.estimators.learners import Learner


def make_learner(algorithm: Algorithm, given: dict[str, Any], labels: Labels) -> Learner:
    """Make the learner with the given parameters."""
    from unless.estimators.learners import LEARNERS  # with narwhals, which takes 40 ms: help needs neither

    if algorithm == "fold-rpp" and len(labels.labels) > 2:
        raise ParameterError(
            f"fold-rpp needs two labels, but {labels.name!r} has {len(labels.labels)}; "
            "use --algorithm fold-rm or unless"
        )
    if positive := given.get("positive"):
        given["positive"] = _find_label(positive, labels)
    if otherwise := given.get("otherwise"):
        given["otherwise"] = _parse_otherwise(otherwise, labels)
    given |= {"class_weight": _parse_class_weights(given.get("class_weight"), labels)}
    return LEARNERS[algorithm](**given | {"costs": parse_cost_options(given.get("costs"), labels)})


def _parse_otherwise(text: str, labels: Labels) -> Label | None:
    """Parse the default label; ``none`` and ``most_frequent`` are keywords unless they are labels."""
    if text in ("none", "most_frequent") and text not in map(str, labels.labels):
        return None if text == "none" else text
    return _find_label(text, labels)


def _find_label(text: str, labels: Labels) -> Label:
    return match_label(labels.labels, text, f"{labels.name!r} has no label")


def _parse_class_weights(given: Sequence[str] | None, labels: Labels) -> dict[Label, float] | str | None:
    if not given or list(given) == ["balanced"]:
        return "balanced" if given else None
    weights: dict[Label, float] = {}
    for text in given:
        label, _, weight = text.rpartition("=")
        try:
            weights[_find_label(label, labels)] = float(weight)
        except ValueError as error:
            if isinstance(error, UnknownNameError) and label:
                raise
            raise typer.BadParameter(f"{text!r} is not LABEL=WEIGHT", param_hint="--class-weight") from None
    return weights


def class_factors(given: Sequence[str] | None, target: str) -> ClassFactors | None:
    """Return a function that computes the class weights once the labels are known."""
    if not given:
        return None

    def factors(labels: tuple[Label, ...], totals: NDArray[np.float64]) -> NDArray[np.float64]:
        from unless.estimators.training_data import class_weights

        known = Labels(target, labels, np.empty(0, np.uint8))
        return class_weights(_parse_class_weights(given, known), labels, totals)

    return factors
