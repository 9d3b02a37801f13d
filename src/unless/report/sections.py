"""Compute the sections of a page as values: rules and their decisions, flow of records, errors, features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unless.evaluation.metrics import ClassQuality, Quality
from unless.evaluation.unseen_values import number_kind_text
from unless.model.prediction import label_places
from unless.report.facts import DecisionFacts, expected_precision
from unless.report.rule_sentences import LabelName, Sentence, Speaker, Text
from unless.rule import Program, Rule
from unless.table import Table
from unless.values.notation import FLAG

_STEPS = 25
"""The maximum number of rules that the flow shows one by one."""

_CONFUSIONS = 12
"""The maximum number of confusions to list, worst first."""

_CLASSES = 12
"""The maximum number of classes in the matrix; with more classes, the most confused ones and the rest as one group."""

_ABREAST = 60
"""The maximum number of characters of labels side by side above a matrix; longer labels are written upright."""

_WHOLE = 60
"""The maximum number of classes for which the page also has the whole matrix, folded."""

_REPEATS = 5
_RECORDS = 50_000
_WORK = 500_000_000
"""The maximum number of records whose values are shuffled, and of literals tested for it: about a second."""

# Rules.


@dataclass(frozen=True, slots=True)
class LabelPart:
    """The records of one true label among those that a rule decides."""

    label: LabelName
    count: int
    share: float
    right: bool


@dataclass(frozen=True, slots=True)
class RuleView:
    """A rule in words, and its decisions.

    ``number`` and ``sentence`` are None for the records that no rule decides. ``right`` is None without true labels.
    ``length`` is the length of the bar, where 1 is the rule that decides most records. ``trained`` is the number (or
    weight) of records that the rule decided in training, and the share that was right; None if unknown or the same as
    here. ``expected_precision`` is the share of new records for which the rule is expected to be right, and its 95 %
    interval.
    """

    number: int | None
    label: LabelName | None
    sentence: Sentence | None
    features: tuple[int, ...]
    decided: int
    share: float
    right: int | None
    parts: tuple[LabelPart, ...]
    length: float
    trained: tuple[float, float] | None
    expected_precision: tuple[float, float, float] | None = None

    @property
    def precision(self) -> float | None:
        """The share of the rule's records that it decides correctly; None if unknown."""
        return None if self.right is None or not self.decided else self.right / self.decided


def describe_rules(facts: DecisionFacts, speaker: Speaker) -> tuple[RuleView, ...]:
    """Describe every rule and, last, the records without a rule, if any exist or they get a label."""
    views = [_describe_rule(facts, speaker, place, rule) for place, rule in enumerate(facts.program.rules)]
    if facts.decided[-1] or facts.program.otherwise is not None:
        views.append(_describe_rule(facts, speaker, len(views), None))
    return tuple(views)


def _describe_rule(facts: DecisionFacts, speaker: Speaker, place: int, rule: Rule | None) -> RuleView:
    tested = set() if rule is None else {literal.feature for literal in rule.literals()}
    decided, head, trained = int(facts.decided[place]), int(facts.heads[place]), facts.trained
    return RuleView(
        number=None if rule is None else place + 1,
        label=None if head < 0 else speaker.labels[head],
        sentence=None if rule is None else speaker.sentence(rule),
        features=tuple(k for k, feature in enumerate(facts.used) if feature in tested),
        decided=decided,
        share=decided / facts.records,
        right=None if facts.truth is None else int(facts.right[place]),
        parts=_label_parts(facts, speaker, place),
        length=decided / max(int(facts.decided.max()), 1),
        trained=_training_figures(facts, place),
        expected_precision=None if trained is None or head < 0 else expected_precision(trained, place),
    )


def _label_parts(facts: DecisionFacts, speaker: Speaker, place: int) -> tuple[LabelPart, ...]:
    """Count the true labels of the records that a rule decides: its own label first, then most frequent first."""
    decided, head = int(facts.decided[place]), int(facts.heads[place])
    if facts.truth is None or not decided:
        return ()
    row = facts.counts[place]
    order = sorted(np.flatnonzero(row).tolist(), key=lambda label: (label != head, -row[label]))
    return tuple(
        LabelPart(speaker.labels[label], int(row[label]), float(row[label] / decided), label == head) for label in order
    )


def _training_figures(facts: DecisionFacts, place: int) -> tuple[float, float] | None:
    """Return a rule's number of records and precision in training; None if both are the same here."""
    if facts.trained is None or not facts.trained.known(place):
        return None
    decided, right = float(facts.trained.support[place]), float(facts.trained.right[place])
    comparable = facts.truth is not None and not facts.trained.weighted
    if comparable and (decided, right) == (facts.decided[place], facts.right[place]):
        return None
    return decided, right / decided if decided else 0.0


# How records flow down the list.


@dataclass(frozen=True, slots=True)
class FlowStep:
    """One rule or several: how many records reach it, are decided by it and, with true labels, are right."""

    first: int | None
    last: int | None
    label: LabelName | None
    reaching: int
    taken: int
    right: int | None

    @property
    def left(self) -> int:
        """The number of records that the step does not decide."""
        return self.reaching - self.taken


def trace_flow(facts: DecisionFacts, speaker: Speaker) -> tuple[FlowStep, ...]:
    """Trace how records flow down the list: first rules one by one, the rest together, then records without a rule."""
    rules = len(facts.program.rules)
    single = rules if rules <= _STEPS + 1 else _STEPS
    ends = [*range(single + 1), *([rules] if single < rules else []), *([rules + 1] if facts.decided[-1] else [])]
    return tuple(_flow_step(facts, speaker, start, end) for start, end in pairwise(ends))


def _flow_step(facts: DecisionFacts, speaker: Speaker, start: int, end: int) -> FlowStep:
    rules = len(facts.program.rules)
    head = int(facts.heads[start]) if end == start + 1 else -1
    return FlowStep(
        first=start + 1 if start < rules else None,
        last=end if start < rules else None,
        label=None if head < 0 else speaker.labels[head],
        reaching=int(facts.decided[start:].sum()),
        taken=int(facts.decided[start:end].sum()),
        right=None if facts.truth is None else int(facts.right[start:end].sum()),
    )


# Errors.


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """True labels against decisions: a row has a label and counts; ``columns`` are the labels of the counts.

    A label that is None stands for all other labels, whose indices are ``rest``. If ``undecided``, the last count of
    every row is the number of records without a decision.
    """

    columns: tuple[LabelName | None, ...]
    rows: tuple[tuple[LabelName | None, tuple[int, ...]], ...]
    undecided: bool
    rest: tuple[int, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """The indices of the labels of each row and column, as links to records use them."""
        found = [self.rest if label is None else (label.place,) for label in self.columns]
        return tuple(",".join(map(str, places)) for places in found)

    @property
    def upright(self) -> bool:
        """Whether the labels above the columns are written upright, because they would not fit side by side."""
        return sum(len(label.text.shown) for label in self.columns if label is not None) > _ABREAST


@dataclass(frozen=True, slots=True)
class ErrorsView:
    """The matrix to show, the whole matrix if it is larger but not too large, and the most frequent confusions."""

    matrix: ConfusionMatrix
    whole: ConfusionMatrix | None
    confusions: tuple[tuple[LabelName, LabelName | None, int], ...]


def find_errors(quality: Quality, speaker: Speaker) -> ErrorsView:
    """Find the confused labels; labels that are neither true nor decided for any record are left out."""
    present = [k for k, one in enumerate(quality.classes) if one.support or one.decided]
    everything, ranked, names = (
        _confusion_matrix(quality, speaker, present, []),
        _rank_confusions(quality),
        (*speaker.labels, None),
    )
    confusions = tuple((speaker.labels[true], names[given], count) for true, given, count in ranked[:_CONFUSIONS])
    if len(present) <= _CLASSES:
        return ErrorsView(everything, None, confusions)
    confused = [k for true, given, _ in ranked for k in (true, given) if k < len(quality.labels)]
    largest = sorted(present, key=lambda k: -quality.classes[k].support)
    worst = list(dict.fromkeys([*confused, *largest]))[: _CLASSES - 1]
    shown = _confusion_matrix(quality, speaker, sorted(worst), [k for k in present if k not in worst])
    return ErrorsView(shown, everything if len(present) <= _WHOLE else None, confusions)


def _confusion_matrix(quality: Quality, speaker: Speaker, shown: list[int], rest: list[int]) -> ConfusionMatrix:
    groups = [[k] for k in shown] + ([rest] if rest else [])
    names = (*(speaker.labels[k] for k in shown), *([None] if rest else []))
    ends = [[len(quality.labels)]] if quality.undecided else []
    columns = np.transpose([quality.confusion[:, group].sum(axis=1) for group in (*groups, *ends)])
    counts = [tuple(columns[group].sum(axis=0).tolist()) for group in groups]
    return ConfusionMatrix(names, tuple(zip(names, counts, strict=True)), bool(ends), tuple(rest))


def _rank_confusions(quality: Quality) -> list[tuple[int, int, int]]:
    """Rank the confusions, worst first: true label, decided label (the last index for no label), count."""
    wrong = quality.confusion.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[: np.count_nonzero(wrong)]
    return [(*map(int, divmod(place, wrong.shape[1])), int(wrong.flat[place])) for place in order.tolist()]  # type: ignore[misc]


def list_classes(quality: Quality, speaker: Speaker) -> tuple[tuple[LabelName, ClassQuality], ...]:
    """List every class that occurs or is given, with its measures."""
    rows = zip(speaker.labels, quality.classes, strict=True)
    return tuple((name, one) for name, one in rows if one.support or one.decided)


# Which features matter: the records decided by rules that test them, and the cost of shuffling their values.


@dataclass(frozen=True, slots=True)
class FeatureView:
    """A feature: how many rules test it, the share of records they decide, and the cost of shuffling its values.

    For a committee, the share is the share of lists with such rules. ``kind`` names the kind of values. ``cost`` is the
    loss of accuracy or, without true labels, the share of decisions that change: the mean of all repeats. ``place`` is
    the feature's index among the features that rules test.
    """

    place: int
    name: Text
    kind: str
    rules: int
    share: float
    cost: float


@dataclass(frozen=True, slots=True)
class Shuffling:
    """How values were shuffled: the numbers of records and of repeats, and the accuracy before (None if unknown)."""

    records: int
    repeats: int
    accuracy: float | None


def describe_features(facts: DecisionFacts, speaker: Speaker, seed: int) -> tuple[tuple[FeatureView, ...], Shuffling]:
    """Describe the features that rules test, most important first."""
    rules = facts.decider.all_rules
    work = max(sum(1 for rule in rules.rules for _ in rule.literals()), 1) * max(len(facts.used), 1) * _REPEATS
    rows = sample_rows(facts.records, min(max(_WORK // work, 1000), _RECORDS), seed)
    given, table = facts.given[rows], facts.table[rows]
    right = given if facts.truth is None else facts.truth[rows]
    testing, shares, views, before = (
        _rules_by_feature(rules),
        _feature_shares(facts),
        [],
        float(np.mean(given == right)),
    )
    for feature, found in zip(rules.used, _decide_shuffled(facts, table, seed), strict=True):
        cost = float((before - np.mean(found.reshape(_REPEATS, -1) == right, axis=1)).mean())
        place, name, kind = facts.used.index(feature), speaker.feature(feature), _feature_kind(facts, feature)
        views.append(FeatureView(place, name, kind, len(testing[feature]), shares[feature], cost))
    views.sort(key=lambda view: (-view.cost, -view.share))
    return tuple(views), Shuffling(len(table), _REPEATS, None if facts.truth is None else before)


def sample_rows(total: int, most: int, seed: int) -> NDArray[np.intp]:
    """Return the indices of all records or, if there are more than ``most``, of a random sample, ascending."""
    if total <= most:
        return np.arange(total)
    drawn = np.random.default_rng(seed).choice(total, most, replace=False)
    return np.sort(drawn)


def _feature_shares(facts: DecisionFacts) -> dict[str, float]:
    """Return, for each feature, the share of records decided by rules that test it, or of lists that test it."""
    if facts.decider.by_rule:
        tested = _rules_by_feature(facts.program)
        return {name: float(facts.decided[rules].sum() / facts.records) for name, rules in tested.items()}
    lists = facts.decider.lists
    found = Counter(name for program in lists for name in program.used)
    return {name: count / len(lists) for name, count in found.items()}


def _rules_by_feature(program: Program) -> dict[str, list[int]]:
    """Return the indices of the rules that test each feature."""
    found: dict[str, list[int]] = {}
    for place, rule in enumerate(program.rules):
        for feature in {literal.feature for literal in rule.literals()}:
            found.setdefault(feature, []).append(place)
    return found


def _feature_kind(facts: DecisionFacts, feature: str) -> str:
    """Name the kind of a feature: "dates", "numbers and categories"."""
    column, known = facts.column(feature), facts.known(feature)
    notation = column.notation if known is None else known.notation
    numbers = "0 or 1" if notation == FLAG else number_kind_text(notation)
    return {"number": numbers, "text": "categories", "mixed": f"{numbers} and categories"}[column.kind]


def _decide_shuffled(facts: DecisionFacts, table: Table, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield, for each feature that decides, the labels given when its values are shuffled, repeat by repeat.

    The repeats are one table, since a program of 1,000 rules takes 50 ms to assemble for a table of any size.
    """
    columns = [table.column(name) for name in facts.decider.all_rules.used]
    repeated = [replace(column, codes=np.tile(column.codes, _REPEATS)) for column in columns]
    for place, column in enumerate(columns):
        rng = np.random.default_rng([seed, place])
        codes = np.concatenate([rng.permutation(column.codes) for _ in range(_REPEATS)])
        changed = (*repeated[:place], replace(column, codes=codes), *repeated[place + 1 :])
        yield label_places(facts.decider, Table(changed), facts.labels)
