"""Committees in files: every list with its points, the list that imitates them, how columns were read. Safe to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.estimators import modelfile, modelparts
from unless.estimators.modelfile import SavedModel
from unless.export import checks, json
from unless.export.checks import FEATURE, Object, Place, at, shown, typed, wrong
from unless.judge.importance import Evidence, importances
from unless.model import Origin, Statistics, Tested
from unless.rule import Program
from unless.score.card import ScoreCard
from unless.score.committee import Committee
from unless.score.points import Points
from unless.table import Schema, Table
from unless.values import label_data

FORMAT = modelfile.COMMITTEE
VERSION = 1


@dataclass(frozen=True, slots=True)
class SavedCommittee:
    """A committee as a file holds it, with its student: one list that imitates it, for people who want to read it.

    As a `Model` it shows the student's rules. What decides is ``committee_``.
    """

    committee_: Committee
    student: SavedModel
    agreement: float
    """The share of training records, by weight, that get the same label from both."""
    schema_: Schema
    domain_: Table
    parameters: Mapping[str, Any]
    named: bool
    importances: Evidence | NDArray[np.float64] | None = None
    tested_: Tested | None = None
    """What the committee did on records that were held back, if any were; the student has its own."""
    tuned: Mapping[str, float] | None = None
    """The settings of its lists that trials chose; None if the given ones stay."""

    learner = "UnlessCommittee"

    @property
    def program_(self) -> Program:
        """The student's rules."""
        return self.student.program_

    @property
    def statistics_(self) -> Statistics:
        """What the student's rules decided in training."""
        return self.student.statistics_

    @property
    def card_(self) -> ScoreCard | None:
        """The points of the student's parts."""
        return self.student.card_

    @property
    def origin_(self) -> Origin | None:
        """The data that it is from, which the student knows too."""
        return self.student.origin_

    @property
    def gaps_(self) -> Mapping[str, float] | None:
        """How many cells of each feature were missing in training."""
        return self.student.gaps_

    @property
    def schema(self) -> Schema:
        """How the columns were read, so that ``read_table(source, like=model)`` reads new records the same way."""
        return self.schema_


def document(model: SavedCommittee) -> dict[str, Any]:
    """A committee as JSON holds it; refuses one that could not be read back."""
    committee, shares = model.committee_, importances(model.importances)
    student = modelfile.document(model.student)
    found = {
        "format": FORMAT,
        "version": VERSION,
        "target": student["target"],
        "features": student["features"],
        **json.notations_data({**committee.rules.notations, **model.student.program_.notations}),
        "classes": [label_data(label) for label in committee.classes],
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
            "values": [[one.name, one.numbers.tolist(), list(one.categories)] for one in model.domain_.columns],
        },
        "parameters": modelfile.spelled_parameters(model.parameters),
        **({} if shares is None else {"importances": shares.tolist()}),
        **({} if model.tested_ is None else {"tested": modelfile.tested_data(model.tested_)}),
        **({} if model.tuned is None else {"tuned": modelfile.spelled_parameters(model.tuned)}),
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


def from_document(document: Any) -> SavedCommittee:
    """The committee in a parsed document; a ProgramError names the place of the first thing that is wrong."""
    _check_version(document)
    node = _COMMITTEE.check(document, None)
    target = typed(str, node["target"], (None, "target"), "the name of the target, a text")
    features = checks.texts(node["features"], (None, "features"), "a list of names", FEATURE, unique=True)
    shell = {"format": json.FORMAT, "version": json.VERSION, "target": target, "features": features}
    shell |= {"notations": node["notations"]} if "notations" in node else {}
    student = _student(node["student"], shell, node["columns"])
    classes = modelparts.classes_of(node["classes"], (None, "classes"), ())
    lists, points = _lists(node["lists"], shell, len(classes))
    base = modelparts.points_in(node["base"], (None, "base"), len(classes), _MOST_POINTS)
    committee = Committee(target, tuple(features), classes, base, lists, points)
    if student.statistics_.classes != classes:
        raise at((None, "classes"), "these are not the classes of the student, in the same order")
    shares = None
    if "importances" in node:
        shares = modelparts.shares_of(node["importances"], (None, "importances"), len(features))
    tested = None
    if "tested" in node:
        tested = modelparts.tested_in(node["tested"], (None, "tested"), classes, (*classes, None))
    tuned = modelparts.settings_of(node["tuned"], (None, "tuned")) if "tuned" in node else None
    parameters = modelparts.parameters_of(node["parameters"], (None, "parameters"))
    agreement = checks.numbers(
        [node["student"]["agreement"]], ((None, "student"), "agreement"), "a share", _SHARE, 0, 1
    )[0]
    return SavedCommittee(
        committee,
        student,
        agreement,
        student.schema_,
        student.domain_,
        parameters,
        student.named,
        shares,
        tested,
        tuned,
    )


_SHARE = "a share, a number from 0 to 1"


def _check_version(document: Any) -> None:
    version, place = document.get("version", VERSION), (None, "version")
    if isinstance(version, int | float) and version > VERSION:
        raise at(place, f"{shown(version)} is newer than {VERSION}, the newest known here; update unless")
    if version != VERSION or isinstance(version, bool):
        raise wrong(place, f"the version {VERSION}", version)


def _student(node: Any, shell: dict[str, Any], columns: Any) -> SavedModel:
    """The list that imitates the committee, with what the committee's file says about columns."""
    _STUDENT.check(node, (None, "student"))
    inner = {key: node[key] for key in ("otherwise", "rules", "statistics") if key in node}
    found = _inside("student", modelfile.from_document, {**shell, **inner, "columns": columns})
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
        points.append(modelparts.point_rows(node["points"], (place, "points"), rows, classes, _MOST_POINTS))
    return tuple(lists), tuple(points)


def _inside(where: str, read: Any, document: dict[str, Any]) -> Any:
    """Read a part of the document; an error says in which part it is."""
    try:
        return read(document)
    except ProgramError as error:
        raise ProgramError(f"{where}.{error}") from error
