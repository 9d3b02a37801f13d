"""Committees in files: every list with its points, the list that imitates them, how columns were read. Safe to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.estimators import model_file, model_schema
from unless.export import document_checks, json
from unless.export.document_checks import FEATURE, Object, Place, at, shown, typed, wrong
from unless.model import HoldoutResult, Model
from unless.model.lazy_value import LazyValue
from unless.model.points import Points
from unless.rule import Program
from unless.score.committee import Committee
from unless.values import label_to_json

FORMAT = model_file.COMMITTEE
VERSION = 1
LEARNER = "UnlessCommittee"


def document(model: Model) -> dict[str, Any]:
    """A committee as JSON holds it; refuses one that could not be read back."""
    committee, imitation, shares = model.committee, model.imitation, model.importances
    if committee is None or imitation is None:
        raise AssertionError("this model has no committee")
    student = model_file.document(imitation)
    found = {
        "format": FORMAT,
        "version": VERSION,
        "target": student["target"],
        "features": student["features"],
        **json.notations_data({**committee.all_rules.notations, **imitation.program.notations}),
        "classes": [label_to_json(label) for label in committee.classes],
        "base": committee.base.tolist(),
        "lists": [
            {"rules": json.to_dict(program)["rules"], "points": points.tolist()}
            for program, points in zip(committee.lists, committee.points, strict=True)
        ],
        "student": {
            "agreement": model.agreement,
            "otherwise": student["otherwise"],
            "rules": student["rules"],
            "statistics": student["statistics"],
        },
        "columns": {
            **student["columns"],
            "named": model.named,
            "values": [[one.name, one.numbers.tolist(), list(one.categories)] for one in model.domain.columns],
        },
        "parameters": model_file.spelled_parameters(model.parameters),
        **({} if shares is None else {"importances": shares.tolist()}),
        **({} if model.tested is None else {"tested": model_file.tested_data(model.tested)}),
        **({} if model.tuned is None else {"tuned": model_file.spelled_parameters(model.tuned)}),
    }
    from_document(found)
    return found


# Reading.

_COMMITTEE = Object(
    "a committee: an object with format, version, target, features, classes, base, lists, student and columns",
    ("format", "version", "target", "features", "classes", "base", "lists", "student", "columns", "parameters"),
    ("importances", "notations", "tested", "tuned"),
)
_LIST = Object("a list of a committee: an object with rules and points", ("rules", "points"), ())
_STUDENT = Object(
    "the student: an object with agreement, rules and statistics", ("agreement", "rules", "statistics"), ("otherwise",)
)
_MOST_POINTS = 2**31 - 1


def from_document(document: Any) -> Model:
    """The committee in a parsed document; a ProgramError names the place of the first thing that is wrong."""
    _check_version(document)
    node = _COMMITTEE.check(document, None)
    target = typed(str, node["target"], (None, "target"), "the name of the target, a text")
    features = document_checks.texts(node["features"], (None, "features"), "a list of names", FEATURE, unique=True)
    shell = {"format": json.FORMAT, "version": json.VERSION, "target": target, "features": features}
    shell |= {"notations": node["notations"]} if "notations" in node else {}
    student = _student(node["student"], shell, node["columns"])
    classes = model_schema.classes_of(node["classes"], (None, "classes"), ())
    lists, points = _lists(node["lists"], shell, len(classes))
    base = model_schema.points_in(node["base"], (None, "base"), len(classes), _MOST_POINTS)
    committee = Committee(target, tuple(features), classes, base, lists, points)
    if student.statistics.classes != classes:
        raise at((None, "classes"), "these are not the classes of the student, in the same order")
    shares = None
    if "importances" in node:
        shares = model_schema.shares_of(node["importances"], (None, "importances"), len(features))
    tested = None
    if "tested" in node:
        tested = model_schema.tested_in(node["tested"], (None, "tested"), classes, (*classes, None))
    tuned = model_schema.settings_of(node["tuned"], (None, "tuned")) if "tuned" in node else None
    parameters = model_schema.parameters_of(node["parameters"], (None, "parameters"))
    agreement = document_checks.numbers(
        [node["student"]["agreement"]], ((None, "student"), "agreement"), "a share", _SHARE, 0, 1
    )[0]
    return committee_model(committee, student, agreement, parameters, shares, tested, tuned)


def committee_model(  # noqa: PLR0917 - what a committee has besides the list that imitates it
    committee: Committee,
    imitation: Model,
    agreement: float,
    parameters: Mapping[str, Any],
    importances: LazyValue[NDArray[np.float64]] | NDArray[np.float64] | None = None,
    tested: HoldoutResult | None = None,
    tuned: Mapping[str, float] | None = None,
) -> Model:
    """Return the model of a committee; people read the rules of the list that imitates it."""
    return replace(
        imitation,
        decider=committee,
        learner=LEARNER,
        parameters=parameters,
        lazy_importances=importances,
        tuned=tuned,
        tested=tested,
        imitation=imitation,
        agreement=agreement,
    )


_SHARE = "a share, a number from 0 to 1"


def _check_version(document: Any) -> None:
    version, place = document.get("version", VERSION), (None, "version")
    if isinstance(version, int | float) and version > VERSION:
        raise at(place, f"{shown(version)} is newer than {VERSION}, the newest known here; update unless")
    if version != VERSION or isinstance(version, bool):
        raise wrong(place, f"the version {VERSION}", version)


def _student(node: Any, shell: dict[str, Any], columns: Any) -> Model:
    """The list that imitates the committee, with what the committee's file says about columns."""
    _STUDENT.check(node, (None, "student"))
    inner = {key: node[key] for key in ("otherwise", "rules", "statistics") if key in node}
    found = _inside("student", model_file.from_document, {**shell, **inner, "columns": columns})
    if isinstance(found, Program):  # it has columns and statistics, so it is a model
        raise at((None, "student"), "it has no statistics")
    return found  # type: ignore[no-any-return]


def _lists(value: Any, shell: dict[str, Any], classes: int) -> tuple[tuple[Program, ...], tuple[Points, ...]]:
    lists, points = [], []
    for index, node in enumerate(typed(list, value, (None, "lists"), "a list of lists of rules")):
        place: Place = ((None, "lists"), index)
        _LIST.check(node, place)
        lists.append(_inside(f"lists[{index}]", json.from_dict, {**shell, "rules": node["rules"]}))
        rows = len(lists[-1].rules), "rule"
        points.append(model_schema.point_rows(node["points"], (place, "points"), rows, classes, _MOST_POINTS))
    return tuple(lists), tuple(points)


def _inside(where: str, read: Any, document: dict[str, Any]) -> Any:
    """Read a part of the document; an error says in which part it is."""
    try:
        return read(document)
    except ProgramError as error:
        raise ProgramError(f"{where}.{error}") from error
