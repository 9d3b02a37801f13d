"""Parts of models from what files hold: checks what types cannot say, so that an error names its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from unless.errors import UnlessError, suggest
from unless.estimators.model_schema import (
    MOST_RECORDS,
    ChoiceData,
    ColumnsData,
    DecisionCostsData,
    DecisionData,
    HoldoutData,
    OriginData,
    PeriodData,
    SeenValues,
    SplitColumnData,
    StatisticsData,
)
from unless.estimators.parameters import read_costs, read_special
from unless.evaluation.decision_costs import DecisionCosts, Mean
from unless.evaluation.tradeoff import Choice, TradeOff
from unless.export.document_checks import LabelData, at, label_of, shown, unique, unique_keys
from unless.export.json import KnownFeatures, read_literals, read_notations
from unless.model import DataOrigin, HoldoutResult, Model
from unless.model.costs import Costs
from unless.model.points import Points
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Literal, Program
from unless.score.program_parts import program_parts
from unless.score.score_card import ScoreCard, point_columns
from unless.score.score_decider import ScoreDecider, committee_of
from unless.table import Column, HoldoutSplit, Schema, SplitColumn, Table, part_names
from unless.values import Label, count_text
from unless.values.notation import notation_from_json

if TYPE_CHECKING:
    from unless.evaluation.periods import PeriodResult
    from unless.relational import FeatureSet

# Columns.


def read_schema(data: ColumnsData, program: Program) -> Schema:
    """How columns were read."""
    kinds = dict(data.kinds)
    if tuple(kinds) != program.features or len(kinds) < len(data.kinds):
        raise at("columns.kinds", "these are not the features of the program, in the same order")
    notations = read_notations(data.notations, "columns.notations", kinds)
    for name, notation in program.notations.items():
        if notations.get(name) != notation:
            raise at("columns.notations", f"the numbers of {shown(name)} are written otherwise than in the program")
    unique(data.typed, "columns.typed", kinds)
    for index, (name, _) in enumerate(data.parts):
        if name in kinds or not set(part_names([name], [name])) & set(kinds):
            raise at(f"columns.parts[{index}][0]", f"no feature is a part of {shown(name)}")
    unique_keys(data.parts, "columns.parts")
    special = read_special(data.special, "columns.special", kinds)
    typed, parts = frozenset(data.typed), dict(data.parts)
    return Schema(kinds, tuple(data.missing), program.target, notations, typed, parts, special)


def read_domain(values: Sequence[SeenValues], schema: Schema) -> Table:
    """The columns without rows that `unless.table.domain_of` gave; files of older versions have none."""
    unique_keys(values, "columns.values", schema.kinds)
    columns = []
    for index, (name, ends, categories) in enumerate(values):
        unique(categories, f"columns.values[{index}][2]")
        numbers = np.array(sorted(set(ends)), dtype=np.float64)
        kind, notation, special = schema.kinds[name], schema.notations.get(name), schema.special.get(name, ())
        column = Column(name, kind, numbers, tuple(sorted(categories)), np.empty(0, np.uint8), notation)
        columns.append(replace(column, special=special))
    return Table(tuple(columns), rows=0, missing=schema.missing)


def read_relations(data: ColumnsData, program: Program) -> FeatureSet | None:
    """The definitions of the features, if they are of several tables or of facts."""
    from unless.relational import FeatureSet

    if data.relations is UNSET:
        return None
    found = FeatureSet.from_data(data.relations)
    if lacking := [name for name in program.features if name not in found.definitions]:
        raise at("columns.relations.features", f"there is no definition of the feature {shown(lacking[0])}")
    return found


def read_missing_counts(data: ColumnsData, schema: Schema) -> dict[str, float] | None:
    """How many cells of features were missing in training, if the file says so."""
    if data.missing_counts is UNSET:
        return None
    unique_keys(data.missing_counts, "columns.gaps", schema.kinds)
    return dict(data.missing_counts)


# What rules decided.


def read_statistics(data: StatisticsData, program: Program, place: str) -> RuleStatistics:
    """What the rules decided in training."""
    classes = read_classes(data.classes, f"{place}.classes", program.labels)
    unmeasured = None if data.unmeasured is UNSET else np.array(data.unmeasured, dtype=np.float64)
    if unmeasured is not None and len(unmeasured) != len(classes):
        raise at(f"{place}.unmeasured", f"expected {count_text(len(classes), 'count')}, one for each class")
    shape = len(program.heads), len(classes)
    counts = _counts(data.counts, f"{place}.counts", shape, unmeasured)
    if not data.weighted:
        _refuse_many(counts, f"{place}.counts")
        _refuse_many(counts[:0] if unmeasured is None else unmeasured, f"{place}.unmeasured")
    found = RuleStatistics.of(program, classes, counts, weighted=data.weighted)
    return replace(found, unmeasured=unmeasured, distilled=data.distillation is not UNSET)


def read_classes(data: Sequence[LabelData], place: str, labels: Sequence[Label]) -> tuple[Label, ...]:
    """The classes, which include all labels."""
    classes = tuple(label_of(one, f"{place}[{index}]") for index, one in enumerate(data))
    kinds = {str if isinstance(one, str) else isinstance(one, bool) for one in (*classes, *labels)}
    if len(kinds) > 1:
        raise at(place, "classes and labels of the program must be all text, all numbers or all booleans")
    if any(not one < other for one, other in pairwise(classes)):  # type: ignore[operator]
        raise at(place, "the classes are not sorted, or one appears twice")
    if unknown := set(labels) - set(classes):
        raise at(place, f"{min(unknown)!r} is a label of the program, but not a class")
    return classes


def _counts(
    lines: Sequence[list[float] | None],
    place: str,
    shape: tuple[int, int],
    unmeasured: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """How many records of each class every rule decided; NaN for a rule that was edited and not measured since."""
    known = [line for line in lines if line is not None]
    if len(lines) != shape[0] or any(len(line) != shape[1] for line in known):
        raise at(place, f"expected {shape[0]} rows of {shape[1]} counts, a row for each rule and one for no rule")
    if unmeasured is None and len(known) < len(lines):
        raise at(f"{place}[{lines.index(None)}]", "expected a list of counts, not null: no records are unmeasured")
    if unmeasured is not None and len(known) == len(lines):
        raise at(place, "every rule has counts, so no records are unmeasured; leave unmeasured out")
    counts = np.full(shape, np.nan)
    counts[[line is not None for line in lines]] = np.array(known).reshape(-1, shape[1])
    if not np.nansum(counts) and (unmeasured is None or not unmeasured.any()):
        raise at(place, "all counts are 0, but the rules of a model have decided something")
    return counts


def _refuse_many(counts: NDArray[np.float64], place: str) -> None:
    """Refuse counts of more records than there can be."""
    if np.nanmax(counts, initial=0.0) > MOST_RECORDS:
        raise at(place, f"there are counts above {MOST_RECORDS}; without weights, counts are numbers of records")


def read_importances(data: list[float] | UnsetType, place: str, count: int) -> NDArray[np.float64] | None:
    """The importance of every feature; files of older versions have none."""
    if data is UNSET:
        return None
    if len(data) != count:
        raise at(place, f"expected {count} shares, one for each feature")
    return np.array(data, dtype=np.float64)


# What held-out records have shown.


def read_holdout(
    data: HoldoutData | UnsetType, place: str, classes: tuple[Label, ...], labels: tuple[Label | None, ...]
) -> HoldoutResult | None:
    """What held-out records have shown, if there were any; a row of counts belongs to each of the labels."""
    if data is UNSET:
        return None
    origin = read_origin(data, place, classes)
    counts = _counts(data.counts, f"{place}.counts", (len(labels), len(classes)))
    if (counts != np.rint(counts)).any():
        raise at(f"{place}.counts", "expected whole numbers of records")
    _refuse_many(counts, f"{place}.counts")
    costs = None if data.costs is UNSET else _read_decision_costs(data.costs, f"{place}.costs", classes)
    return HoldoutResult(origin, RuleStatistics(classes, labels, counts), costs)


def _read_decision_costs(data: DecisionCostsData, place: str, classes: tuple[Label, ...]) -> DecisionCosts:
    """What the decisions on held-out records cost."""
    if len(data.always) != len(classes):
        raise at(f"{place}.always", f"expected {count_text(len(classes), 'cost')}, one for each class")
    if not data.right <= data.decided <= data.records:
        raise at(place, "more records are right than decided, or more decided than there are")
    always = tuple(zip(classes, data.always, strict=True))
    compared = None if data.compared is UNSET else Mean(data.compared.mean, *data.compared.interval)
    mean = Mean(data.mean, *data.interval)
    return DecisionCosts(data.records, mean, always, data.decided, data.right, data.priced, compared)


def read_origin(data: OriginData, place: str, classes: tuple[Label, ...]) -> DataOrigin:
    """The data that a model is from."""
    if [label_of(label, f"{place}.cuts") for label, _ in data.cuts] != list(classes):
        raise at(f"{place}.cuts", "these are not the classes, in the same order")
    usual = label_of(data.usual, f"{place}.usual")
    if usual not in classes or type(usual) not in map(type, classes):
        raise at(f"{place}.usual", f"{shown(data.usual)} is not one of the classes{suggest(usual, classes)}")
    unique(data.sample, f"{place}.sample")
    by = None if data.by is UNSET else _read_split_column(data.by, f"{place}.by")
    split = HoldoutSplit(data.salt, classes, tuple(cut for _, cut in data.cuts), by)
    return DataOrigin(split, data.fingerprint, data.records, usual, tuple(int(one, 16) for one in data.sample))


def _read_split_column(data: SplitColumnData, place: str) -> SplitColumn:
    """The column by which records were held back: the first moment is a number, or text in the column's notation."""
    notation = None if data.notation is UNSET else notation_from_json(data.notation)
    if data.notation is not UNSET and notation is None:
        raise at(f"{place}.notation", f"{shown(data.notation)} is not a notation")
    if data.since is UNSET:
        return SplitColumn(data.column, notation)
    written = notation is not None and not notation.plain
    since = notation.back(data.since) if notation is not None and isinstance(data.since, str) else data.since
    if isinstance(since, str) or since is None or written is not isinstance(data.since, str):
        raise at(f"{place}.since", f"{shown(data.since)} is not a moment of the column")
    return SplitColumn(data.column, notation, float(since))


def read_trade_off(choices: Sequence[ChoiceData], place: str) -> TradeOff:
    """Accuracy against the number of rules."""
    for index, (_, _, right, records) in enumerate(choices):
        if right > records:
            raise at(f"{place}[{index}][2]", f"more records are right than there are, {records}")
    return TradeOff(tuple(Choice(dict(one[0]), *one[1:]) for one in choices))


def read_periods(tests: Sequence[PeriodData], place: str) -> tuple[PeriodResult, ...]:
    """The tests on one period after the other."""
    from unless.evaluation.periods import PeriodResult  # which loads what learns again

    found = tuple(PeriodResult(*one) for one in tests)
    for index, one in enumerate(found):
        if not one.records or max(one.right, one.usual) > one.records:
            raise at(f"{place}[{index}]", f"of {count_text(one.records, 'record')}, more are right than there are")
    return found


def read_locked(indices: Sequence[int], place: str, rules: int) -> tuple[int, ...]:
    """The indices of the rules that were locked."""
    if list(indices) != sorted(set(indices)):
        raise at(place, "the indices are not sorted, or one appears twice")
    if indices and indices[-1] >= rules:
        raise at(place, f"there is no rule with the index {indices[-1]}; there are {count_text(rules, 'rule')}")
    return tuple(indices)


# Points.


def read_card(
    data: StatisticsData, place: str, program: Program, classes: tuple[Label, ...], seen: Table
) -> ScoreCard | None:
    """The points of the parts of the program, and of every record; files of older versions have none.

    ``seen`` has the values of features in training.
    """
    if data.base is UNSET and data.points is UNSET and not data.cuts:
        return None
    if data.base is UNSET or data.points is UNSET:
        missing = "base" if data.base is UNSET else "points"
        raise at(place, f'there is no "{missing}"; a score card has base and points')
    if len(classes) < 2:
        raise at(f"{place}.points", "there is only one class, and a score card has at least two")
    hint = "; if the rules were edited, leave base, points and cuts out"
    cuts = _card_cuts(data.cuts, f"{place}.cuts", program, seen, hint)
    width, height = point_columns(classes), len(program_parts(program, cuts))
    base = read_points(data.base, f"{place}.base", width)
    return ScoreCard(
        program, classes, base, read_point_rows(data.points, f"{place}.points", (height, width), "part", hint), cuts
    )


def _card_cuts(data: Sequence[Any], place: str, program: Program, seen: Table, hint: str) -> tuple[Literal, ...]:
    """The cuts of a score card: literals of features with known values, each once, and in no rule."""
    names = dict(zip(program.features, program.features, strict=True))
    cuts = read_literals(data, place, KnownFeatures(names, {**seen.schema.notations, **program.notations}))
    taken, readable = {*program.literals()}, {*program.used, *seen.features}
    for index, cut in enumerate(cuts):
        if cut in taken:
            raise at(f"{place}[{index}]", f"a cut is a literal that is in no rule, once{hint}")
        if cut.feature not in readable:
            raise at(f"{place}[{index}][0]", f"no rule tests {shown(cut.feature)}, and columns.values lacks it{hint}")
        taken.add(cut)
    return cuts


def read_point_rows(rows: Sequence[list[int]], place: str, shape: tuple[int, int], each: str, hint: str = "") -> Points:
    """A row of points for each thing, which errors name; ``hint`` is advice if there are others."""
    height, width = shape
    if len(rows) != height:
        raise at(place, f"expected {count_text(height, 'row')}, one for each {each}; there are {len(rows)}{hint}")
    points = [read_points(line, f"{place}[{index}]", width) for index, line in enumerate(rows)]
    return np.array(points, np.int64).reshape(shape)


def read_points(points: list[int], place: str, width: int) -> Points:
    """The points of one thing, for each class."""
    if len(points) != width:
        raise at(place, f"expected {count_text(width, 'number')}; there are {len(points)}")
    return np.array(points, np.int64)


# Decisions.


def read_decision(model: Model, data: DecisionData) -> Model:
    """How a model decides: by costs, by its score, or by its rules with costs or with records that it rejects."""
    classes, voting = model.statistics.classes, committee_of(model.decider)
    costs = None
    if data.costs is not UNSET:
        try:
            costs = Costs.of(read_costs(data.costs, "decision.costs"), classes)
        except UnlessError as error:
            raise at("decision.costs", str(error)) from error
        if unknown := [name for name in costs.used if name not in model.schema.kinds]:
            raise at(
                "decision.costs", f"there is no column {shown(unknown[0])}{suggest(unknown[0], model.schema.kinds)}"
            )
    model, reject = replace(model, costs=costs), None if data.reject is UNSET else data.reject
    if data.by == "costs" and costs is None:
        raise at("decision", 'there are no "costs", by which it decides')
    if reject is None and data.by == ("rules" if voting is None else "score"):
        return model
    if data.by == "rules" and voting is not None:
        raise at("decision.by", "in a committee no single rule decides")
    score = voting or model.card
    if score is None or model.untested:
        raise at("decision.by", "the list has no points to decide with, or some of features that no rule tests")
    decider = ScoreDecider(score, data.by, costs or Costs.of_errors(classes), reject)
    if voting is not None:
        return replace(model, decider=decider)
    if data.agreement is UNSET:
        raise at("decision", 'there is no "agreement"')
    tested = read_holdout(data.tested, "decision.tested", classes, (*classes, None))
    return replace(model, decider=decider, imitation=model, agreement=data.agreement, tested=tested)
