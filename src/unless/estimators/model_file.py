"""Write and read model files: JSON with a program, its columns and the statistics of its rules. Safe to read."""

from __future__ import annotations

import os
from dataclasses import astuple, replace
from typing import Any, BinaryIO

from msgspec import UNSET

from unless.errors import ProgramError
from unless.estimators.cost_input import to_cost_pairs
from unless.estimators.model_parts import (
    read_card,
    read_decision,
    read_domain,
    read_holdout,
    read_importances,
    read_locked,
    read_missing_counts,
    read_origin,
    read_periods,
    read_relations,
    read_schema,
    read_statistics,
    read_trade_off,
)
from unless.estimators.model_schema import COMMITTEE, ColumnsData, ModelData, StatisticsData
from unless.estimators.parameters import costs_data, parameters_data, read_parameters
from unless.evaluation.decision_costs import DecisionCosts, Mean
from unless.evaluation.tradeoff import TradeOff
from unless.export import json
from unless.export.document_checks import convert
from unless.export.json_text import content, layout, parse, refuse_long, uncollected, unpacked
from unless.limits import limit
from unless.model import DataOrigin, HoldoutResult, Model
from unless.read.special_codes import special_to_json
from unless.rule import Program
from unless.score.score_card import ScoreCard
from unless.score.score_decider import ScoreDecider, committee_of
from unless.table import SplitColumn
from unless.values import label_to_json


def file_text(model: Model) -> str:
    """Return the text of the model's file."""
    with uncollected():
        return layout(document(model)) + "\n"


def document(model: Model) -> dict[str, Any]:
    """Convert a model to JSON data; reject a model that could not be read back."""
    if committee_of(model.decider) is None:
        return _list_document(model)
    from unless.estimators import committee_file  # which imports this module

    return committee_file.document(model)


def _list_document(given: Model) -> dict[str, Any]:
    """Convert the model of a list; if points decide, the list and its figures are those of the readable model."""
    model = given if given.imitation is None else readable_list(given)
    schema, statistics, shares = model.schema, model.statistics, model.importances
    card, missing = model.card, model.missing_counts
    written = [[name, notation.data()] for name, notation in schema.notations.items()]
    found = {
        **json.to_dict(model.program),
        "columns": {
            "kinds": [[name, kind] for name, kind in schema.kinds.items()],
            **({"notations": written} if written else {}),
            **({"typed": typed} if (typed := [name for name in schema.kinds if name in schema.typed]) else {}),
            "missing": list(schema.missing),
            **({"parts": [list(pair) for pair in schema.parts.items()]} if schema.parts else {}),
            **({"special": special_to_json(schema.special)} if schema.special else {}),
            "named": model.named,
            "values": [[one.name, one.numbers.tolist(), list(one.categories)] for one in model.domain.columns],
            **({} if missing is None else {"gaps": [[name, count] for name, count in missing.items()]}),
            **({} if model.relations is None else {"relations": model.relations.to_dict()}),
        },
        "statistics": {
            "learner": model.learner,
            "parameters": parameters_data(model.parameters),
            "classes": [label_to_json(label) for label in statistics.classes],
            "counts": [line if statistics.known(row) else None for row, line in enumerate(statistics.counts.tolist())],
            **({} if statistics.unmeasured is None else {"unmeasured": statistics.unmeasured.tolist()}),
            **({"weighted": True} if statistics.weighted else {}),
            **({} if shares is None else {"importances": shares.tolist()}),
            **({} if card is None else _card_data(card)),
            **({} if model.distillation is None else {"taught": list(astuple(model.distillation))}),
            **({} if model.tuned is None else {"tuned": parameters_data(model.tuned)}),
            **_origin_entry(model),
            **({} if model.trade_off is None else {"trade_off": _choices_data(model.trade_off)}),
            **periods_entry(model),
            **({"locked": list(model.locked)} if model.locked else {}),
        },
        **decision_entry(given),
    }
    from_document(found)
    return found


def readable_list(model: Model) -> Model:
    """Return the model of the list whose points decide, with the current parameters."""
    inner = model.readable
    return replace(model, decider=inner.decider, tested=inner.tested, imitation=None, agreement=None)


def decision_entry(model: Model) -> dict[str, Any]:
    """Return the file's entry about costs and how a model decides; empty if it has none and decides as learned."""
    decider = model.decider if isinstance(model.decider, ScoreDecider) else None
    if decider is None and model.costs is None:
        return {}
    own = decider is not None and committee_of(decider) is None  # a committee's file has these in other places
    found = {
        "by": decider.by if decider is not None else "rules" if model.decider.by_rule else "score",
        **({} if model.costs is None else {"costs": costs_data(to_cost_pairs(model.costs))}),
        **({} if decider is None or decider.reject is None else {"reject": decider.reject}),
        **({"agreement": model.agreement} if own else {}),
        **({"tested": tested_data(model.tested)} if own and model.tested is not None else {}),
    }
    return {"decision": found}


def _card_data(card: ScoreCard) -> dict[str, Any]:
    """Return the points of a score card for JSON, and its cuts if it has any."""
    points = {"base": card.base.tolist(), "points": card.points.tolist()}
    return {**points, "cuts": json.literals_data(card.cuts)} if card.cuts else points


def _origin_entry(model: Model) -> dict[str, Any]:
    """Return the file's entry about the data, with the test results if there was a test."""
    if model.tested is not None:
        return {"tested": tested_data(model.tested)}
    return {} if model.origin is None else {"origin": _origin_data(model.origin)}


def _choices_data(found: TradeOff) -> list[list[Any]]:
    return [[parameters_data(one.settings), one.rules, one.right, one.records] for one in found.choices]


def periods_entry(model: Model) -> dict[str, Any]:
    """Return the file's entry about the tests by period, if there were any."""
    return {"periods": [list(astuple(one)) for one in model.periods]} if model.periods else {}


def tested_data(tested: HoldoutResult) -> dict[str, Any]:
    """Return the results on held-out records as JSON data."""
    costs = {} if tested.costs is None else {"costs": _decision_costs_data(tested.costs)}
    return {**_origin_data(tested.origin), "counts": tested.statistics.counts.tolist(), **costs}


def _decision_costs_data(found: DecisionCosts) -> dict[str, Any]:
    """Return what decisions cost as JSON data; labels are in the order of the classes."""
    return {
        "records": found.records,
        **_mean_data(found.mean),
        "always": [cost for _, cost in found.always],
        "decided": found.decided,
        "right": found.right,
        **({} if found.priced else {"priced": False}),
        **({} if found.compared is None else {"compared": _mean_data(found.compared)}),
    }


def _mean_data(found: Mean) -> dict[str, Any]:
    return {"mean": found.value, "interval": [found.low, found.high]}


def _origin_data(origin: DataOrigin) -> dict[str, Any]:
    """Return the identification of a model's data as JSON data."""
    split = origin.split
    return {
        "salt": split.salt,
        "cuts": [[label_to_json(label), cut] for label, cut in zip(split.labels, split.cuts, strict=True)],
        "fingerprint": origin.fingerprint,
        "records": origin.records,
        "usual": label_to_json(origin.usual),
        **({"sample": [f"{one:016x}" for one in origin.sample]} if origin.sample else {}),
        **({} if split.by is None else {"by": _split_column_data(split.by)}),
    }


def _split_column_data(by: SplitColumn) -> dict[str, Any]:
    """Return the column by which records were held back as JSON data; moments in a notation are text."""
    written = by.notation is not None and not by.notation.plain
    return {
        "column": by.name,
        **({"notation": by.notation.data()} if by.notation is not None else {}),
        **({} if by.since is None else {"since": by.start if written else by.since}),
    }


# Reading.


def read(path: str | os.PathLike[str]) -> Model | Program:
    """Read a model from a file, or a `Program` if the file contains only a program."""
    return parsed(content(path), os.fspath(path))


def read_stream(file: BinaryIO, name: str) -> Model | Program:
    """Read a model from a stream, such as standard input, up to a limit of length."""
    text = file.read(limit("model") + 1)
    refuse_long(text, name)
    return parsed(unpacked(text, name), name)


def parsed(text: bytes, name: str) -> Model | Program:
    """Parse a model from the bytes of a file; error messages use ``name`` for the file."""
    try:
        with uncollected():
            return _any_model(parse(text))
    except ProgramError as error:
        raise ProgramError(f"{name}: {error}") from error


def _any_model(document: Any) -> Model | Program:
    """Read a model, a committee or a program from a parsed document."""
    if isinstance(document, dict) and document.get("format") == COMMITTEE:
        from unless.estimators import committee_file

        return committee_file.from_document(document)
    return from_document(document)


def from_document(document: Any) -> Model | Program:
    """Read a model from a parsed document, or only a program if there is no more; see `export.json.from_dict`."""
    json.refuse_other_formats(document, json.FORMAT, json.VERSION)
    data = convert(document, ModelData)
    program = json.read_program(data)
    if data.statistics is UNSET:
        return program
    if data.columns is UNSET:
        raise ProgramError("there are statistics but no columns; a model has both, a program has neither")
    found = read_model(program, data.columns, data.statistics, "statistics")
    return found if data.decision is UNSET else read_decision(found, data.decision)


def read_model(program: Program, columns: ColumnsData, data: StatisticsData, place: str) -> Model:
    """Read the model of a program from the other parts of a document; ``place`` is the position of the statistics."""
    from unless.learn.distillation import DistillationResult

    schema, statistics = read_schema(columns, program), read_statistics(data, program, place)
    seen = read_domain(columns.values, schema)
    found = Model(
        program,
        statistics,
        schema,
        seen,
        data.learner,
        read_parameters(data.parameters, f"{place}.parameters"),
        columns.named,
        lazy_importances=read_importances(data.importances, f"{place}.importances", len(program.features)),
        lazy_card=read_card(data, place, program, statistics.classes, seen),
        distillation=None if data.distillation is UNSET else DistillationResult(*data.distillation),
        tuned=None if data.tuned is UNSET else dict(data.tuned),
        trade_off=None if data.trade_off is UNSET else read_trade_off(data.trade_off, f"{place}.trade_off"),
        missing_counts=read_missing_counts(columns, schema),
        origin=None if data.origin is UNSET else read_origin(data.origin, f"{place}.origin", statistics.classes),
        periods=() if data.periods is UNSET else read_periods(data.periods, f"{place}.periods"),
        locked=read_locked(data.locked, f"{place}.locked", len(program.rules)),
        relations=read_relations(columns, program),
    )
    tested = read_holdout(data.tested, f"{place}.tested", statistics.classes, statistics.labels)
    return found if tested is None else found.after(tested)
