"""The parts of model files, read with every check: how columns were read, what rules decided, how they were learned."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Constraints
from unless.errors import ParameterError, suggest
from unless.evaluation.tradeoff import Choice, TradeOff
from unless.export import document_checks, json
from unless.export.document_checks import FEATURE, Object, Place, at, row, shown, typed, wrong
from unless.learn.distillation import DistillationResult
from unless.model import DataOrigin, HoldoutResult
from unless.model.points import Points
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Literal, Program
from unless.score.program_parts import program_parts
from unless.score.score_card import MOST_POINTS, ScoreCard, can_cut, point_columns, tested_numbers
from unless.table import Column, HoldoutSplit, Kind, Schema, Table, part_names
from unless.table.holdout_split import LARGEST_SALT, PARTS, SAMPLE
from unless.values import Label, count_text

_COLUMNS = Object(
    "an object that says how columns were read, with kinds, missing and named", ("kinds", "missing", "named")
)
_STATISTICS = Object(
    "an object that says what rules decided, with learner, parameters, classes and counts",
    ("learner", "parameters", "classes", "counts"),
)
_ORIGIN = Object(
    "an object that says which data the model is from, with salt, cuts, fingerprint, records and usual",
    ("salt", "cuts", "fingerprint", "records", "usual"),
    ("sample",),
)
_TESTED = Object(
    "an object that says what records held back have shown, with salt, cuts, fingerprint, records, usual and counts",
    (*_ORIGIN.required, "counts"),
    ("sample",),
)
_CHOICES = "a list of choices, at least one: settings, rules, right records and all records"
_SAMPLE, _HASH = f"a list of at most {SAMPLE} hashes", "a hash, 16 hexadecimal digits"
_MARK = "a fingerprint, 32 hexadecimal digits"
_ENDS = "a list of at most two numbers, the least and the largest"
_MOST = 1e200
"""The largest sum of weights."""
_MOST_RECORDS = 1 << 53
_PARAMETER = (
    'a parameter: null, a label, a list of columns, {"weights": [[label, weight], …]}, '
    '{"columns": [[column, text or texts], …]} or {"constraints": {…}}'
)


_FORMS = {"class_weight": "weights", "dates": "columns", "orders": "columns", "constraints": "constraints"}
"""What an object says that is the value of a parameter."""


def columns_in(node: Any, program: Program) -> tuple[Schema, list[Any], bool]:
    """How the columns were read, what training saw in them, and whether the features have names of their own."""
    place = (None, "columns")
    _COLUMNS.check(node, place)
    missing = document_checks.texts(
        node["missing"], (place, "missing"), "a list of cells that are missing", "a cell, a text"
    )
    kinds = _kinds(node["kinds"], (place, "kinds"), program)
    notations = json.notations_in(node.get("notations", []), (place, "notations"), kinds)
    for name, notation in program.notations.items():
        if notations.get(name) != notation:
            raise at((place, "notations"), f"the numbers of {shown(name)} are written otherwise than in the program")
    parts = _parts(node.get("parts", []), (place, "parts"), kinds)
    schema = Schema(kinds, tuple(missing), program.target, notations, _typed(node, place, kinds), parts)
    ranges = _ranges(node.get("values", []), (place, "values"), schema)  # older versions did not write them
    return schema, ranges, typed(bool, node["named"], (place, "named"), "true or false")


def _kinds(value: Any, place: Place, program: Program) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for index, pair in enumerate(typed(list, value, place, "a list of features and kinds")):
        name, kind = row(pair, (place, index), "a feature and its kind", 2)
        if kind not in ("number", "text", "mixed"):
            raise wrong(((place, index), 1), "a kind: number, text or mixed", kind)
        kinds[typed(str, name, ((place, index), 0), FEATURE)] = kind
    if tuple(kinds) != program.features or len(kinds) < len(value):
        raise at(place, "these are not the features of the program, in the same order")
    return kinds


def _typed(node: dict[str, Any], place: Place, kinds: dict[str, Kind]) -> frozenset[str]:
    """The features whose cells were numbers in training; older versions did not write them."""
    found = document_checks.texts(node.get("typed", []), (place, "typed"), "a list of features", FEATURE, unique=True)
    for index, name in enumerate(found):
        if name not in kinds:
            raise at(((place, "typed"), index), f"{shown(name)} is not one of the features{suggest(name, kinds)}")
    return frozenset(found)


def _parts(value: Any, place: Place, kinds: Collection[str]) -> dict[str, str | None]:
    """The columns of dates of which there are parts instead, and their formats."""
    found: dict[str, str | None] = {}
    for index, pair in enumerate(typed(list, value, place, "a list of columns of dates and their formats")):
        name, form = row(pair, (place, index), "a column of dates and its format, null as in ISO 8601", 2)
        if form is not None:
            typed(str, form, ((place, index), 1), "a format of dates, or null")
        parts = part_names([typed(str, name, ((place, index), 0), "the name of a column, a text")], [name])
        if name in kinds or name in found or not set(parts) & set(kinds):
            raise at(((place, index), 0), f"no feature is a part of {shown(name)}, or it appears twice")
        found[name] = form
    return found


def _ranges(value: Any, place: Place, schema: Schema) -> list[Any]:
    """Features with their least and largest number, and their categories."""
    names = set[str]()
    for index, one in enumerate(typed(list, value, place, "a list of the values that features had in training")):
        here = (place, index)
        name, ends, categories = row(one, here, "a feature, its least and largest number, and its categories", 3)
        if typed(str, name, (here, 0), FEATURE) not in schema.kinds:
            raise at((here, 0), f"{shown(name)} is not one of the features{suggest(name, schema.kinds)}")
        if name in names:
            raise at((here, 0), f"{shown(name)} appears twice; remove one")
        names.add(name)
        if len(document_checks.numbers(ends, (here, 1), _ENDS, "a finite number")) > 2:
            raise wrong((here, 1), _ENDS, ends)
        document_checks.texts(categories, (here, 2), "a list of categories", "a category, a text", unique=True)
    return value  # type: ignore[no-any-return]  # a list


def count_missing(node: dict[str, Any], schema: Schema) -> dict[str, float] | None:
    """How many cells of features were missing in training, if the file says so."""
    if "gaps" not in node:
        return None
    place: Place = ((None, "columns"), "gaps")
    found: dict[str, float] = {}
    for index, pair in enumerate(typed(list, node["gaps"], place, "a list of features and counts of missing cells")):
        name, count = row(pair, (place, index), "a feature and how many of its cells were missing", 2)
        if typed(str, name, ((place, index), 0), FEATURE) not in schema.kinds or name in found:
            raise at(((place, index), 0), f"{shown(name)} is not one of the features, or appears twice")
        if not document_checks.is_number(count, 0, _MOST):
            raise wrong(((place, index), 1), "a count, a number from 0 to 1e200", count)
        found[name] = float(count)
    return found


def domain_in(ranges: list[Any], schema: Schema) -> Table:
    """The columns without rows that `unless.table.domain_of` gave."""
    columns = []
    for name, ends, categories in ranges:
        ordered = np.array(sorted(set(ends)), dtype=np.float64)
        kind, notation = schema.kinds[name], schema.notations.get(name)
        columns.append(Column(name, kind, ordered, tuple(sorted(categories)), np.empty(0, np.uint8), notation))
    return Table(tuple(columns), rows=0, missing=schema.missing)


def training_in(
    node: Any, program: Program
) -> tuple[RuleStatistics, str, dict[str, Any], NDArray[np.float64] | None, ScoreCard | None]:
    """What the rules decided, the classifier, its parameters and, if the file has them, importances and score card."""
    place = (None, "statistics")
    _STATISTICS.check(node, place)
    learner = typed(str, node["learner"], (place, "learner"), "the name of a classifier, a text")
    parameters = parameters_of(node["parameters"], (place, "parameters"))
    classes = classes_of(node["classes"], (place, "classes"), program.labels)
    heads = program.heads
    unmeasured = _unmeasured(node, place, len(classes))
    counts = _counts(node["counts"], (place, "counts"), len(heads), len(classes), unmeasured)
    weighted = typed(
        bool, node.get("weighted", False), (place, "weighted"), "true or false: whether counts are sums of weights"
    )
    for name, found in (("counts", counts), ("unmeasured", unmeasured)):
        if not weighted and found is not None:
            _refuse_many(found, (place, name))
    shares = None
    if "importances" in node:  # older versions did not write them
        shares = shares_of(node["importances"], (place, "importances"), len(program.features))
    card = None
    if any(key in node for key in ("base", "points", "cuts")):  # older versions have none, and one label needs none
        card = _card(node, place, program, classes)
    statistics = replace(RuleStatistics.of(program, classes, counts, weighted=weighted), unmeasured=unmeasured)
    return statistics, learner, parameters, shares, card


def taught_in(node: dict[str, Any]) -> DistillationResult | None:
    """What taught the list, if the file says so."""
    if "taught" not in node:
        return None
    place = ((None, "statistics"), "taught")
    teacher, agreement, records = row(node["taught"], place, "a teacher, an agreement and a number of records", 3)
    typed(str, teacher, (place, 0), "the name of a teacher, a text")
    if not document_checks.is_number(agreement, 0, 1):
        raise wrong((place, 1), "a share, a number from 0 to 1", agreement)
    if not document_checks.is_number(records, 0, _MOST) or records != int(records):
        raise wrong((place, 2), "a number of records", records)
    return DistillationResult(teacher, float(agreement), int(records))


def tuned_in(node: dict[str, Any]) -> dict[str, float] | None:
    """The settings that cross-validation chose, if the file says so."""
    return settings_of(node["tuned"], ((None, "statistics"), "tuned")) if "tuned" in node else None


def trade_off_in(node: dict[str, Any]) -> TradeOff | None:
    """Accuracy against the number of rules, if the file says so."""
    if "trade_off" not in node:
        return None
    place = ((None, "statistics"), "trade_off")
    lines = typed(list, node["trade_off"], place, _CHOICES)
    if not lines:
        raise wrong(place, _CHOICES, lines)
    return TradeOff(tuple(_choice(line, (place, index)) for index, line in enumerate(lines)))


def locked_in(node: dict[str, Any], program: Program) -> tuple[int, ...]:
    """The indices of the rules that were locked, if the file says so."""
    if "locked" not in node:
        return ()
    place, what = ((None, "statistics"), "locked"), "a list of indices of rules, the smallest first"
    found = [
        _whole(one, (place, index), "the index of a rule", _MOST_RECORDS)
        for index, one in enumerate(typed(list, node["locked"], place, what))
    ]
    if found != sorted(set(found)):
        raise at(place, "the indices are not sorted, or one appears twice")
    if found and found[-1] >= len(program.rules):
        raise at(
            place, f"there is no rule with the index {found[-1]}; there are {count_text(len(program.rules), 'rule')}"
        )
    return tuple(found)


def _choice(value: Any, place: Place) -> Choice:
    settings, rules, right, records = row(value, place, "settings, a number of rules, of right records and of all", 4)
    if not document_checks.is_number(rules, 0, _MOST):
        raise wrong((place, 1), "a number of at least 0", rules)
    total = _whole(records, (place, 3), "a number of records", _MOST_RECORDS)
    found = _whole(right, (place, 2), "a number of records", _MOST_RECORDS)
    if found > total:
        raise at((place, 2), f"more records are right than there are, {shown(records)}")
    return Choice(settings_of(settings, (place, 0)), float(rules), found, total)


def settings_of(value: Any, place: Place) -> dict[str, float]:
    """Settings, by name."""
    found: dict[str, float] = {}
    for index, pair in enumerate(typed(list, value, place, "a list of settings and values")):
        name, value = row(pair, (place, index), "a setting and its value", 2)
        if not document_checks.is_number(value, 0, _MOST):
            raise wrong(((place, index), 1), "a number of at least 0", value)
        found[typed(str, name, ((place, index), 0), "the name of a setting, a text")] = float(value)
    return found


def tested_of(node: dict[str, Any], trained: RuleStatistics) -> HoldoutResult | None:
    """What records held back have shown, if the file says so."""
    if "tested" not in node:
        return None
    return tested_in(node["tested"], ((None, "statistics"), "tested"), trained.classes, trained.labels)


def tested_in(value: Any, place: Place, classes: tuple[Label, ...], labels: tuple[Label | None, ...]) -> HoldoutResult:
    """What records held back have shown; each row of counts belongs to the rule, or decision, of one of the labels."""
    node = _TESTED.check(value, place)
    origin = _origin_in(node, place, classes)
    counts = _counts(node["counts"], (place, "counts"), len(labels), len(classes))
    if (counts != np.rint(counts)).any():
        raise at((place, "counts"), "expected whole numbers of records")
    _refuse_many(counts, (place, "counts"))
    return HoldoutResult(origin, RuleStatistics(classes, labels, counts))


def origin_of(node: dict[str, Any], trained: RuleStatistics) -> DataOrigin | None:
    """The data that the model is from, if the file says so; with a test, that does."""
    if "origin" not in node:
        return None
    place = ((None, "statistics"), "origin")
    return _origin_in(_ORIGIN.check(node["origin"], place), place, trained.classes)


def _origin_in(node: dict[str, Any], place: Place, classes: tuple[Label, ...]) -> DataOrigin:
    split = HoldoutSplit(
        _whole(node["salt"], (place, "salt"), "a salt", LARGEST_SALT),
        classes,
        _cuts(node["cuts"], (place, "cuts"), classes),
    )
    mark = typed(str, node["fingerprint"], (place, "fingerprint"), _MARK)
    if re.fullmatch("[0-9a-f]{32}", mark) is None:
        raise wrong((place, "fingerprint"), _MARK, mark)
    usual = document_checks.label(node["usual"], (place, "usual"))
    if usual not in classes or type(usual) not in map(type, classes):
        raise at((place, "usual"), f"{shown(node['usual'])} is not one of the classes{suggest(usual, classes)}")
    records = _whole(node["records"], (place, "records"), "a number of records", _MOST_RECORDS)
    return DataOrigin(split, mark, records, usual, _sample(node.get("sample", []), (place, "sample")))


def _sample(value: Any, place: Place) -> tuple[int, ...]:
    """The hashes of a few records."""
    found = document_checks.texts(value, place, _SAMPLE, _HASH, unique=True)
    for index, one in enumerate(found):
        if re.fullmatch("[0-9a-f]{16}", one) is None:
            raise wrong((place, index), _HASH, one)
    if len(found) > SAMPLE:
        raise wrong(place, _SAMPLE, found)
    return tuple(int(one, 16) for one in found)


def _cuts(value: Any, place: Place, classes: tuple[Label, ...]) -> tuple[int, ...]:
    """How many parts of each class are held back."""
    cuts = []
    for index, pair in enumerate(typed(list, value, place, "a list of labels and cuts")):
        label, cut = row(pair, (place, index), "a label and its cut", 2)
        if index >= len(classes) or document_checks.label(label, ((place, index), 0)) != classes[index]:
            raise at(place, "these are not the classes, in the same order")
        cuts.append(_whole(cut, ((place, index), 1), "a cut", PARTS))
    if len(cuts) < len(classes):
        raise at(place, "these are not the classes, in the same order")
    return tuple(cuts)


def _whole(value: Any, place: Place, what: str, most: int) -> int:
    """A whole number from 0 to ``most``."""
    if not document_checks.is_number(value, 0, most) or value != int(value):
        raise wrong(place, f"{what}, a whole number from 0 to {most}", value)
    return int(value)


def _card(node: dict[str, Any], place: Place, program: Program, classes: tuple[Label, ...]) -> ScoreCard:
    """The points of the parts of the program, and of every record."""
    for key in ("base", "points"):
        if key not in node:
            raise at(place, f'"{key}" is missing; a score card has base and points')
    if len(classes) < 2:
        raise at((place, "points"), "there is only one class, and a score card has at least two")
    hint = "; if the rules were edited, leave base, points and cuts out"
    cuts = _card_cuts(node.get("cuts", []), (place, "cuts"), program, hint)
    width, height = point_columns(classes), len(program_parts(program, cuts))
    base = points_in(node["base"], (place, "base"), width, MOST_POINTS)
    points = point_rows(node["points"], (place, "points"), (height, "part"), width, MOST_POINTS, hint)
    return ScoreCard(program, classes, base, points, cuts)


def _card_cuts(value: Any, place: Place, program: Program, hint: str) -> tuple[Literal, ...]:
    """The cuts of a score card: each once, on numbers that rules test."""
    cuts, known = json.literals_in(value, place, program), tested_numbers(program)
    for index, cut in enumerate(cuts):
        if not can_cut(cut, known):
            raise at((place, index), f"a cut compares numbers that rules compare, with another number, once{hint}")
        known[cut.feature].add(cut)
    return cuts


def point_rows(value: Any, place: Place, rows: tuple[int, str], width: int, most: int, hint: str = "") -> Points:
    """A row of points for each of so many things, which errors name; ``hint`` is advice if there are others."""
    height, each = rows
    found = typed(list, value, place, f"a list of points per {each}")
    if len(found) != height:
        raise at(place, f"expected {count_text(height, 'row')}, one for each {each}; there are {len(found)}{hint}")
    points = [points_in(line, (place, index), width, most) for index, line in enumerate(found)]
    return np.array(points, np.int64).reshape(height, width)


def points_in(value: Any, place: Place, width: int, most: int) -> Points:
    """So many whole numbers, none of them larger than ``most`` or smaller than its negative."""
    points = f"whole points, from -{most} to {most}"
    found: list[Any] = typed(list, value, place, f"a list of {points}")
    for index, one in enumerate(found):
        if not document_checks.is_number(one, -most, most) or one != int(one):
            raise wrong((place, index), points, one)
    if len(found) != width:
        raise at(place, f"expected {count_text(width, 'number')}; there are {len(found)}")
    return np.array(found, np.int64)


def parameters_of(value: Any, place: Place) -> dict[str, Any]:
    """The parameters of a classifier, by name."""
    parameters: dict[str, Any] = {}
    for index, pair in enumerate(typed(list, value, place, "a list of parameters and values")):
        name, found = row(pair, (place, index), "a parameter and its value", 2)
        name = typed(str, name, ((place, index), 0), "the name of a parameter, a text")
        if name in parameters:
            raise at(((place, index), 0), f"{shown(name)} appears twice; remove one")
        parameters[name] = _parameter(name, found, ((place, index), 1))
    return parameters


def _parameter(name: str, value: Any, place: Place) -> Any:
    """The value of a parameter; an object says what it is, and only some parameters are that."""
    form = _FORMS.get(name)
    if form == "constraints" and not isinstance(value, dict | None):
        raise at(place, f'{shown(value)} are no constraints; these are null or {{"constraints": …}}')
    if isinstance(value, dict) and any(other in value for other in _FORMS.values() if other != form):
        raise at(place, f"{shown(value)} is not a value for {name}")
    match value:
        case None:
            return None
        case list() if all(isinstance(one, str) or document_checks.is_number(one) for one in value):
            return value
        case {"weights": list(pairs), **others} if not others:
            if all(isinstance(pair, list) and len(pair) == 2 and document_checks.is_number(pair[1]) for pair in pairs):
                return {document_checks.label(label, place, _PARAMETER): weight for label, weight in pairs}
        case {"columns": list(pairs), **others} if not others and all(map(_declares, pairs)):
            return {name if isinstance(name, str) else int(name): said for name, said in pairs}
        case {"constraints": dict(asked), **others} if not others and all(_asks(*one) for one in asked.items()):
            try:
                return Constraints.from_dict(asked)
            except ParameterError as error:
                raise at(place, str(error)) from error
    return document_checks.label(value, place, _PARAMETER)


def _asks(name: str, value: Any) -> bool:
    """Whether this is the name of a constraint, and looks like its value."""
    if name in ("max_literals", "max_depth"):
        return value.__class__ in (int, float) and value % 1 == 0 and bool(value >= (name == "max_literals"))
    if not isinstance(value, list):
        return False
    match name:
        case "never" | "only_exceptions":
            return all(isinstance(one, str) for one in value)
        case "apart":
            return all(_texts(one, 2) for one in value)
        case "monotone":
            return all(isinstance(one, str) or _moves(one) for one in value)
    return False


def _texts(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(isinstance(one, str) for one in value)


def _moves(value: Any) -> bool:
    """Whether these are a feature, a direction and a label."""
    if not isinstance(value, list) or len(value) != 3 or not _texts(value[:2], 2):
        return False
    return value[1] in ("more", "less") and isinstance(value[2], str | bool | int | float)


def _declares(pair: Any) -> bool:
    """Whether this is a column, by name or number, and what is declared of it: a text or texts."""
    if (
        not isinstance(pair, list)
        or len(pair) != 2
        or not (isinstance(pair[0], str) or document_checks.is_number(pair[0]))
    ):
        return False
    return isinstance(pair[1], str) or (isinstance(pair[1], list) and all(isinstance(one, str) for one in pair[1]))


def classes_of(value: Any, place: Place, labels: tuple[Label, ...]) -> tuple[Label, ...]:
    """The classes, among which are all labels."""
    found = typed(list, value, place, "a list of labels, at least one")
    if not found:
        raise wrong(place, "a list of labels, at least one", found)
    classes = tuple(document_checks.label(one, (place, index)) for index, one in enumerate(found))
    kinds = {str if isinstance(one, str) else isinstance(one, bool) for one in (*classes, *labels)}
    if len(kinds) > 1:
        raise at(place, "classes and labels of the program must be all text, all numbers or all booleans")
    if any(not one < other for one, other in pairwise(classes)):  # type: ignore[operator]
        raise at(place, "the classes are not sorted, or one appears twice")
    if unknown := set(labels) - set(classes):
        raise at(place, f"{min(unknown)!r} is a label of the program, but not a class")
    return classes


def _unmeasured(node: dict[str, Any], place: Place, width: int) -> NDArray[np.float64] | None:
    """The records, by class, that the rules without counts decide together; None if every rule has counts."""
    if "unmeasured" not in node:
        return None
    found = node["unmeasured"]
    inside = (place, "unmeasured")
    document_checks.numbers(found, inside, "a list of counts", "a count, a number from 0 to 1e200", 0.0, _MOST)
    if len(found) != width:
        raise at(inside, f"expected {count_text(width, 'count')}, one for each class")
    return np.array(found, dtype=np.float64)


def _counts(
    value: Any, place: Place, rows: int, width: int, unmeasured: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """How many records of each class every rule decided; NaN for a rule that was edited and not measured since."""
    lines = typed(list, value, place, "a list of counts per rule")
    known = lines if unmeasured is None else [line for line in lines if line is not None]
    # There can be many: types and range are checked at once, which takes a third of the time of one by one.
    if not ({list}.issuperset(map(type, known)) and {float}.issuperset(map(type, chain.from_iterable(known)))):
        _check_counts(lines, place, gaps=unmeasured is not None)
    if len(lines) != rows or any(len(line) != width for line in known):
        raise at(place, f"expected {rows} rows of {width} counts, a row for each rule and one for no rule")
    if unmeasured is not None and len(known) == rows:
        raise at(place, "every rule has counts, so no records are unmeasured; leave unmeasured out")
    found = np.array(known, dtype=np.float64).reshape(len(known), width)
    if not (found.min(initial=0.0) >= 0 and found.max(initial=0.0) <= _MOST):
        _check_counts(lines, place, gaps=unmeasured is not None)
    if not found.any() and (unmeasured is None or not unmeasured.any()):
        raise at(place, "all counts are 0, but the rules of a model have decided something")
    if unmeasured is None:
        return found
    counts = np.full((rows, width), np.nan)
    counts[[line is not None for line in lines]] = found
    return counts


def _refuse_many(counts: NDArray[np.float64], place: Place) -> None:
    """Refuse counts of more records than there can be."""
    if np.nanmax(counts, initial=0.0) > _MOST_RECORDS:
        raise at(place, f"there are counts above {_MOST_RECORDS}; without weights, counts are numbers of records")


def _check_counts(lines: list[Any], place: Place, *, gaps: bool) -> None:
    """Refuse the first count that is wrong; where there are ``gaps``, null is none."""
    for index, line in enumerate(lines):
        if line is not None or not gaps:
            document_checks.numbers(
                line, (place, index), "a list of counts", "a count, a number from 0 to 1e200", 0.0, _MOST
            )


def shares_of(value: Any, place: Place, count: int) -> NDArray[np.float64]:
    """The importance of every feature."""
    shares = document_checks.numbers(
        value, place, "a list of shares, one for each feature", "a share, a number from 0 to 1", 0.0, 1.0
    )
    if len(shares) != count:
        raise at(place, f"expected {count} shares, one for each feature")
    return np.array(shares, dtype=np.float64)
