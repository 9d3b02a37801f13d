"""Measure how stable rules are: learn again from samples of the same records, and count the rules that recur.

A sample is a Poisson bootstrap: every record counts 0, 1, 2 … times, once on average. The count is computed from a hash
of the record and the seed, so the samples and the result do not depend on the order of rows. If records belong to
groups, all records of a group count equally often.

A rule *comes back* in a refit if a rule with the same label decides nearly the same records: the records that both
decide are at least `MATCHING_OVERLAP` of the records that either decides (Jaccard). It has the *same tests* if a rule
with the same label tests the same features in the same directions, and the same categories; thresholds may differ, and
exceptions are ignored. The first measures whether the knowledge is stable, the second whether its wording is stable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.evaluation.metrics import count_pairs
from unless.explanation.proof_rendering import literal_to_json
from unless.explanation.rule_listing import condition_signs, rule_summary
from unless.explanation.sentences import words_for
from unless.explanation.text_table import align_columns
from unless.explanation.words import printable
from unless.model.prediction import Decider, decide, head_indices
from unless.rule import Literal, Program, Rule, conditions
from unless.table import Table
from unless.table.record_hashes import mix_bits, record_hashes
from unless.values import Label, Value, attributes_to_json, count_text, label_to_json, percent

MATCHING_OVERLAP = 0.5
"""The least overlap (Jaccard) of the records of two rules at which they count as the same rule."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

Weights = NDArray[np.float64]
Relearn = Callable[[Table, Weights], Decider]
"""A function that learns from a table, given how often each record counts."""


# Samples.


def bootstraps(table: Table, count: int, seed: int = 0) -> Iterator[Weights]:
    """Yield how often every record counts in each sample; equal records count independently."""
    for name, value, least in (("n", count, 1), ("random_state", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}")
    own = _sampled_units(table)
    for number in range(count):
        salt = mix_bits(np.array([seed], np.uint64) + mix_bits(np.array([number], np.uint64)))
        shares = mix_bits(own ^ salt) / 2.0**64
        yield np.searchsorted(_POISSON, shares, side="right").astype(np.float64)


def _sampled_units(table: Table) -> NDArray[np.uint64]:
    """Return a hash of what each record is sampled with: itself, or its group."""
    if (groups := table.group_numbers) is not None:
        return mix_bits(groups)
    own = mix_bits(record_hashes(table.columns, len(table)) + mix_bits(table.labels.codes.astype(np.uint64)))
    return mix_bits(own + _count_earlier_equals(own))


def _count_earlier_equals(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Count, for every record, the equal records before it."""
    order = np.argsort(hashes, kind="stable")
    ranked = hashes[order]
    first = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    places = np.arange(len(hashes)) - np.repeat(first, np.diff(np.append(first, len(hashes))))
    found = np.empty(len(hashes), np.uint64)
    found[order] = places
    return found


_POISSON = np.cumsum(np.exp(-1.0) / np.cumprod(np.append(1.0, np.arange(1.0, 20.0))))
"""The probability that a record counts at most 0, 1, 2 … times."""


# Refits.


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """The result of learning from one sample: ``decided`` has the index of the deciding rule of each record.

    ``heads`` has the index of the label of each rule. ``program`` is None if several rules vote.
    """

    program: Program | None
    decided: NDArray[np.int32]
    heads: NDArray[np.intp]

    @property
    def labels(self) -> NDArray[np.intp]:
        """The index of the label of every record."""
        return self.heads[self.decided]


def refit_on_sample(learn: Relearn, table: Table, counts: Weights) -> Refit:
    """Learn from the records of a sample, and decide all records of the table."""
    there = counts > 0
    if not there.any():  # very rare: none of a few records is in the sample
        there, counts = np.ones(len(counts), np.bool_), np.ones(len(counts))
    return decide_records(learn(table[there], counts[there]), table)


def decide_records(found: Decider, table: Table) -> Refit:
    """Decide all records of a table; indices of labels refer to the table's labels."""
    heads = head_indices(found, table.labels.labels)
    return Refit(found.all_rules if found.by_rule else None, decide(found, table).choices, heads)


# Comparing refits with the model.


@dataclass(frozen=True, slots=True)
class RuleStability:
    """The stability of a rule (counted from 0): the shares of refits with the rule, and with its tests.

    ``overlap`` is the overlap with the most similar rule, averaged over the refits.
    """

    rule: int
    returns: float
    same_tests: float
    overlap: float

    def to_dict(self) -> dict[str, Any]:
        """Convert the figures for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ThresholdStability:
    """A threshold of a rule or of an exception, and its values in the refits in which the rule comes back.

    ``found`` is the share of these refits that compare the same feature in the same direction; among several such
    comparisons in exceptions, the nearest is used. ``quantiles`` are the values at `QUANTILES`; None if not found.
    """

    rule: int
    literal: Literal
    exception: bool
    found: float
    quantiles: tuple[Value, ...] | None

    def to_dict(self) -> dict[str, Any]:
        """Convert the figures for JSON."""
        literal = {"rule": self.rule, "literal": literal_to_json(self.literal)}
        return {**literal, **attributes_to_json(self, "exception", "found", "quantiles")}


@dataclass(frozen=True, eq=False)
class Stability:
    """How stable the rules of a model are over some refits.

    ``records`` contains, for every record, the share of refits that give it the same label as the model. For a
    committee, single rules and thresholds are not compared.
    """

    program: Program | None
    """The rules that were learned again; None for a committee."""
    refits: int
    """The number of refits."""
    rules: tuple[RuleStability, ...]
    """How often each rule returns."""
    thresholds: tuple[ThresholdStability, ...]
    """Where each threshold is found again."""
    records: NDArray[np.float64]
    weights: Weights | None = None
    """The weights of the records; None if all are equal."""
    locked: tuple[int, ...] = ()
    """The indices of rules that are in every refit, because they are locked."""

    @classmethod
    def of(
        cls,
        model: Decider,
        table: Table,
        found: Sequence[Refit],
        weights: Weights | None = None,
        locked: Sequence[int] = (),
    ) -> Stability:
        """Compare refits with the model that was learned from all records."""
        if not found:
            raise ParameterError("there are no refits to compare with")
        own = decide_records(model, table)
        same = sum((one.labels == own.labels for one in found), np.zeros(len(table))) / len(found)
        if own.program is None:
            return cls(None, len(found), (), (), same, weights)
        matched = [_match_rules(own, refit, weights) for refit in found if refit.program is not None]
        rules = tuple(_rule_stability(own.program, place, found, matched) for place in range(len(own.program.rules)))
        learned = ((place, rule) for place, rule in enumerate(own.program.rules) if place not in locked)
        thresholds = tuple(
            chain.from_iterable(_threshold_stability(rule, place, found, matched) for place, rule in learned)
        )
        return cls(own.program, len(found), rules, thresholds, same, weights, tuple(locked))

    @property
    def agreement(self) -> float:
        """The mean share of records to which a refit gives the same label as the model."""
        return float(np.average(self.records, weights=self.weights))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A flat dict for every rule, for a data frame."""
        heads = () if self.program is None else self.program.rules
        return [
            {"order": one.rule + 1, "label": heads[one.rule].head, "returns": one.returns}
            | {"same_tests": one.same_tests, "overlap": one.overlap}
            for one in self.rules
        ]

    def unstable(self, least: float = 0.5) -> tuple[RuleStability, ...]:
        """Return the rules that come back in less than this share of refits, least stable first; no locked rules."""
        weak = (one for one in self.rules if one.returns < least and one.rule not in self.locked)
        return tuple(sorted(weak, key=lambda one: one.returns))

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports; rules count from 0."""
        heads = () if self.program is None else self.program.rules
        shares = np.sort(self.records)
        return {
            "refits": self.refits,
            "alike": MATCHING_OVERLAP,
            "agreement": self.agreement,
            "records": {
                "count": len(shares),
                "always_same": float(np.mean(shares == 1)),
                "quantiles": {str(share): float(_quantile(shares.tolist(), share)) for share in QUANTILES},
            },
            "rules": [{"label": label_to_json(heads[one.rule].head), **one.to_dict()} for one in self.rules],
            "locked": list(self.locked),
            "quantiles": list(QUANTILES),
            "thresholds": [one.to_dict() for one in self.thresholds],
        }

    @property
    def headline(self) -> str:
        """The result in a sentence."""
        always = percent(float(np.mean(self.records == 1)))
        return (
            f"{count_text(self.refits, 'refit')}: {percent(self.agreement, 1)} of decisions stay the same, "
            f"{always} of records always get the same label"
        )

    def lines(self) -> list[tuple[str, str, str, str, str]]:
        """Return a row for each rule: number, shares that come back and have the same tests, label and conditions."""
        if self.program is None:
            return []
        words = words_for(self.program)
        return [
            (
                str(one.rule + 1),
                "locked" if one.rule in self.locked else percent(one.returns),
                "" if one.rule in self.locked else percent(one.same_tests),
                printable(str(self.program.rules[one.rule].head)),
                rule_summary(self.program.rules[one.rule], words),
            )
            for one in self.rules
        ]

    def threshold_lines(self) -> list[tuple[str, str, str, str]]:
        """Return a row for each threshold: its rule, the test, the share of refits that have it, and its values."""
        if self.program is None:
            return []
        words, found = words_for(self.program), []
        for one in self.thresholds:
            where = "–"
            if one.quantiles is not None:
                low, middle, high = (words.value(one.literal.feature, one.quantiles[place]) for place in (0, 2, 4))
                where = middle if low == high else f"{low} … {middle} … {high}"
            test = " ".join(condition_signs(part, words) for part in conditions((one.literal,)))
            found.append((str(one.rule + 1), ("unless " if one.exception else "") + test, percent(one.found), where))
        return found

    def __str__(self) -> str:
        rows = [(*figures, f"{label}  {text}") for *figures, label, text in self.lines()]
        listed = align_columns([("rule", "returns", "same tests", ""), *rows], right=range(3)) if rows else []
        moved = [
            f"rule {rule}: {test}, in {share} of those refits at {where}"
            for rule, test, share, where in self.threshold_lines()
        ]
        return "\n".join([self.headline, *listed, *moved])


def _match_rules(own: Refit, other: Refit, weights: Weights | None) -> list[tuple[int, float]]:
    """Match each rule of the model with the most similar rule of a refit with the same label, and their overlap."""
    mine, theirs = ([] if one.program is None else [rule.head for rule in one.program.rules] for one in (own, other))
    height, width = len(mine) + 1, len(theirs) + 1
    both = count_pairs(own.decided, other.decided, height, width, weights).astype(np.float64)
    either = both.sum(axis=1)[:, None] + both.sum(axis=0)[None, :] - both
    overlap = np.divide(both, either, out=np.zeros_like(both), where=either > 0)[:-1, :-1]
    overlap[[[head != label for label in theirs] for head in mine]] = -1.0
    best = [int(np.argmax(row)) if len(theirs) else -1 for row in overlap]
    return [(place, float(row[place]) if place >= 0 else 0.0) for place, row in zip(best, overlap, strict=True)]


def _rule_stability(
    program: Program, place: int, found: Sequence[Refit], matched: Sequence[list[tuple[int, float]]]
) -> RuleStability:
    form = _rule_form(program.rules[place])
    forms = [{_rule_form(rule) for rule in refit.program.rules} for refit in found if refit.program is not None]
    overlaps = [max(one[place][1], 0.0) for one in matched]
    back = float(np.mean([overlap >= MATCHING_OVERLAP for overlap in overlaps]))
    return RuleStability(place, back, float(np.mean([form in one for one in forms])), float(np.mean(overlaps)))


def _rule_form(rule: Rule) -> tuple[Label | None, frozenset[tuple[object, ...]]]:
    """Return the label and the tests of a rule, without thresholds and exceptions."""
    return rule.head, frozenset(
        (one.feature, one.op, None if _is_threshold(one) else one.value) for one in rule.default
    )


def _is_threshold(literal: Literal) -> bool:
    return literal.op in ("<=", ">")


def _threshold_stability(
    rule: Rule, place: int, found: Sequence[Refit], matched: Sequence[list[tuple[int, float]]]
) -> Iterator[ThresholdStability]:
    """Yield the thresholds of a rule and its exceptions, with their counterparts where the rule comes back."""
    likes = [
        refit.program.rules[one[place][0]]
        for refit, one in zip(found, matched, strict=True)
        if refit.program is not None and one[place][1] >= MATCHING_OVERLAP
    ]
    parts = [(False, rule.default), (True, [one for part in rule.exceptions for one in part.literals()])]
    for exception, literal in [(inside, one) for inside, part in parts for one in part if _is_threshold(one)]:
        near = [
            nearest
            for like in likes
            if (nearest := _find_nearest_threshold(literal, like, exception=exception)) is not None
        ]
        values = sorted(near)
        quantiles = tuple(_quantile(values, share) for share in QUANTILES) if values else None
        yield ThresholdStability(place, literal, exception, len(near) / max(len(likes), 1), quantiles)


def _find_nearest_threshold(literal: Literal, rule: Rule, *, exception: bool) -> Value:
    """Find the nearest threshold of the same comparison in a rule, in its default or its exceptions."""
    inside = rule.default if not exception else [one for part in rule.exceptions for one in part.literals()]
    values = [one.value for one in inside if one.feature == literal.feature and one.op == literal.op]
    return min(values, key=lambda value: abs(value - literal.value), default=None)  # type: ignore[operator]


def _quantile(ordered: Sequence[Any], share: float) -> Any:
    """Return a quantile as one of the ordered values."""
    return ordered[max(ceil(share * len(ordered)) - 1, 0)]
