"""Write and read files of committees: the lists with their points, the imitation, the columns. Safe to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from unless.estimators import model_file
from unless.estimators.model_parts import (
    read_classes,
    read_decision,
    read_holdout,
    read_importances,
    read_periods,
    read_point_rows,
    read_points,
)
from unless.estimators.model_schema import COMMITTEE, COMMITTEE_VERSION, CommitteeData
from unless.estimators.parameters import parameters_data, read_parameters
from unless.export import json
from unless.export.document_checks import at, convert, label_of
from unless.model import HoldoutResult, Model
from unless.model.costs import Costs
from unless.model.lazy_value import LazyValue
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.score_decider import ScoreDecider, committee_of
from unless.values import Label, label_to_json

LEARNER = "UnlessCommittee"


def document(model: Model) -> dict[str, Any]:
    """Convert a committee to JSON data; reject a committee that could not be read back."""
    imitation, shares = model.readable, model.importances
    committee: Any = committee_of(model.decider)
    written = model_file.document(imitation)
    found = {
        "format": COMMITTEE,
        "version": COMMITTEE_VERSION,
        "target": written["target"],
        "features": written["features"],
        **json.notations_data({**committee.all_rules.notations, **imitation.program.notations}),
        "classes": [label_to_json(label) for label in committee.classes],
        "base": committee.base.tolist(),
        "lists": [
            {"rules": json.to_dict(program)["rules"], "points": points.tolist()}
            for program, points in zip(committee.lists, committee.points, strict=True)
        ],
        "student": {
            "agreement": model.agreement,
            "otherwise": written["otherwise"],
            "rules": written["rules"],
            "statistics": written["statistics"],
        },
        "columns": {
            **written["columns"],
            "named": model.named,
            "values": [[one.name, one.numbers.tolist(), list(one.categories)] for one in model.domain.columns],
        },
        "parameters": parameters_data(model.parameters),
        **({} if shares is None else {"importances": shares.tolist()}),
        **({} if model.tested is None else {"tested": model_file.tested_data(model.tested)}),
        **({} if model.tuned is None else {"tuned": parameters_data(model.tuned)}),
        **model_file.periods_entry(model),
        **model_file.decision_entry(model),
    }
    from_document(found)
    return found


# Reading.


def from_document(document: Any) -> Model:
    """Read a committee from a parsed document; a ProgramError gives the position of the first error."""
    json.refuse_other_formats(document, COMMITTEE, COMMITTEE_VERSION)
    data = convert(document, CommitteeData)
    known = json.KnownFeatures.of(data.features, data.notations)
    imitation = _imitation(data, known)
    classes = read_classes(data.classes, "classes", ())
    committee = _committee(data, known, classes)
    if imitation.statistics.classes != classes:
        raise at("classes", "these are not the classes of the student, in the same order")
    tested = read_holdout(data.tested, "tested", classes, (*classes, None))
    found = committee_model(
        committee,
        imitation,
        data.imitation.agreement,
        read_parameters(data.parameters, "parameters"),
        read_importances(data.importances, "importances", len(data.features)),
        tested,
        None if data.tuned is UNSET else dict(data.tuned),
    )
    found = replace(found, periods=() if data.periods is UNSET else read_periods(data.periods, "periods"))
    return found if data.decision is UNSET else read_decision(found, data.decision)


def _imitation(data: CommitteeData, known: json.KnownFeatures) -> Model:
    """Read the list that imitates the committee, with the columns of the committee's file."""
    node, otherwise = data.imitation, data.imitation.otherwise
    label = None if otherwise is None else label_of(otherwise, "student.otherwise")
    rules = json.read_rules(node.rules, "student.rules", known)
    program = Program(data.target, tuple(data.features), rules, label)
    return model_file.read_model(program, data.columns, node.statistics, "student.statistics")


def _committee(data: CommitteeData, known: json.KnownFeatures, classes: tuple[Label, ...]) -> Committee:
    lists, points = [], []
    for index, node in enumerate(data.lists):
        rules = json.read_rules(node.rules, f"lists[{index}].rules", known)
        lists.append(Program(data.target, tuple(data.features), rules))
        shape = len(rules), len(classes)
        points.append(read_point_rows(node.points, f"lists[{index}].points", shape, "rule"))
    base = read_points(data.base, "base", len(classes))
    return Committee(data.target, tuple(data.features), classes, base, tuple(lists), tuple(points))


def committee_model(  # noqa: PLR0917 - what a committee has besides the list that imitates it
    committee: Committee | ScoreDecider,
    imitation: Model,
    agreement: float,
    parameters: Mapping[str, Any],
    importances: LazyValue[NDArray[np.float64]] | NDArray[np.float64] | None = None,
    tested: HoldoutResult | None = None,
    tuned: Mapping[str, float] | None = None,
    costs: Costs | None = None,
) -> Model:
    """Create the model of a committee, whose readable rules are those of the list that imitates it."""
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
        costs=costs,
    )
