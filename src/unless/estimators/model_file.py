"""Model files: a program with how its columns were read and what its rules decided. JSON, safe to read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import astuple, replace
from typing import Any, BinaryIO

from unless.constraints import to_constraints
from unless.errors import ProgramError
from unless.estimators.model_schema import (
    columns_in,
    count_missing,
    domain_in,
    locked_in,
    origin_of,
    taught_in,
    tested_of,
    trade_off_in,
    training_in,
    tuned_in,
)
from unless.evaluation.tradeoff import TradeOff
from unless.export import json
from unless.export.json_text import content, layout, parse, refuse_long, uncollected, unpacked
from unless.limits import limit
from unless.model import DataOrigin, HoldoutResult, Model
from unless.rule import Program
from unless.score.score_card import ScoreCard
from unless.values import label_to_json, to_python_value

COMMITTEE = "unless-committee"
"""The format of a file that holds a committee."""


def file_text(model: Model) -> str:
    """Return the text of a model file."""
    with uncollected():
        return layout(document(model)) + "\n"


def document(model: Model) -> dict[str, Any]:
    """Return a model as JSON holds it; refuse one that could not be read back."""
    if model.imitation is None:
        return _list_document(model)
    from unless.estimators import committee_file  # it writes the imitation as this module does

    return committee_file.document(model)


def _list_document(model: Model) -> dict[str, Any]:
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
            "named": model.named,
            "values": [[one.name, one.numbers.tolist(), list(one.categories)] for one in model.domain.columns],
            **({} if missing is None else {"gaps": [[name, count] for name, count in missing.items()]}),
        },
        "statistics": {
            "learner": model.learner,
            "parameters": spelled_parameters(model.parameters),
            "classes": [label_to_json(label) for label in statistics.classes],
            "counts": [line if statistics.known(row) else None for row, line in enumerate(statistics.counts.tolist())],
            **({} if statistics.unmeasured is None else {"unmeasured": statistics.unmeasured.tolist()}),
            **({"weighted": True} if statistics.weighted else {}),
            **({} if shares is None else {"importances": shares.tolist()}),
            **({} if card is None else _card_data(card)),
            **({} if model.distillation is None else {"taught": list(astuple(model.distillation))}),
            **({} if model.tuned is None else {"tuned": spelled_parameters(model.tuned)}),
            **_origin_entry(model),
            **({} if model.trade_off is None else {"trade_off": _choices_data(model.trade_off)}),
            **({"locked": list(model.locked)} if model.locked else {}),
        },
    }
    from_document(found)
    return found


def _card_data(card: ScoreCard) -> dict[str, Any]:
    """The points of a score card, and its cuts if it has any."""
    points = {"base": card.base.tolist(), "points": card.points.tolist()}
    return {**points, "cuts": json.literals_data(card.cuts)} if card.cuts else points


def _origin_entry(model: Model) -> dict[str, Any]:
    """What the file says of the data, with the test if there was one."""
    if model.tested is not None:
        return {"tested": tested_data(model.tested)}
    return {} if model.origin is None else {"origin": _origin_data(model.origin)}


def _choices_data(found: TradeOff) -> list[list[Any]]:
    return [[spelled_parameters(one.settings), one.rules, one.right, one.records] for one in found.choices]


def tested_data(tested: HoldoutResult) -> dict[str, Any]:
    """What records held back have shown, as JSON holds it."""
    return {**_origin_data(tested.origin), "counts": tested.statistics.counts.tolist()}


def _origin_data(origin: DataOrigin) -> dict[str, Any]:
    """The data that a model is from, as JSON holds it."""
    split = origin.split
    return {
        "salt": split.salt,
        "cuts": [[label_to_json(label), cut] for label, cut in zip(split.labels, split.cuts, strict=True)],
        "fingerprint": origin.fingerprint,
        "records": origin.records,
        "usual": label_to_json(origin.usual),
        **({"sample": [f"{one:016x}" for one in origin.sample]} if origin.sample else {}),
    }


def spelled_parameters(parameters: Mapping[str, Any]) -> list[list[Any]]:
    """Parameters as JSON holds them, by name."""
    return [[name, _spelled(name, value)] for name, value in sorted(parameters.items())]


def _spelled(name: str, value: Any) -> Any:
    """A parameter as JSON holds it."""
    if name == "constraints" and value is not None:
        asked = to_constraints(value)
        return None if asked is None else {"constraints": asked.to_dict()}
    if isinstance(value, Mapping) and name in ("dates", "orders"):
        return {
            "columns": [
                [to_python_value(one), said if isinstance(said, str) else list(said)] for one, said in value.items()
            ]
        }
    if isinstance(value, Mapping):
        return {"weights": [[label_to_json(to_python_value(label)), float(weight)] for label, weight in value.items()]}
    value = to_python_value(value)
    if value is None or isinstance(value, bool | int | float | str):
        return label_to_json(value)
    try:
        return [to_python_value(column) for column in value]
    except TypeError:
        raise ProgramError(f"the parameter {name} is {value!r}, which a model file cannot hold") from None


# Reading.


def read(path: str | os.PathLike[str]) -> Model | Program:
    """Read a model file; a file that holds only a program gives the `Program`."""
    return parsed(content(path), os.fspath(path))


def read_stream(file: BinaryIO, name: str) -> Model | Program:
    """Read a model from a stream, such as standard input, but not all of a stream that is too long."""
    text = file.read(limit("model") + 1)
    refuse_long(text, name)
    return parsed(unpacked(text, name), name)


def parsed(text: bytes, name: str) -> Model | Program:
    """The model in the bytes of a file; ``name`` is what error messages call the file."""
    try:
        with uncollected():
            return _any_model(parse(text))
    except ProgramError as error:
        raise ProgramError(f"{name}: {error}") from error


def _any_model(document: Any) -> Model | Program:
    """The model, the committee or the program in a parsed document."""
    if isinstance(document, dict) and document.get("format") == COMMITTEE:
        from unless.estimators import committee_file

        return committee_file.from_document(document)
    return from_document(document)


def from_document(document: Any) -> Model | Program:
    """The model in a parsed document, or its program where there is no more; see `export.json.from_dict`."""
    program = json.from_dict(document)
    if "columns" in document:
        schema, ranges, named = columns_in(document["columns"], program)
    if "statistics" not in document:
        return program
    if "columns" not in document:
        raise ProgramError("it has statistics but no columns; a model has both, a program has neither")
    node = document["statistics"]
    statistics, learner, parameters, shares, card = training_in(node, program)
    distillation = taught_in(node)
    statistics = replace(statistics, distilled=distillation is not None)
    found = Model(
        program,
        statistics,
        schema,
        domain_in(ranges, schema),
        learner,
        parameters,
        named,
        lazy_importances=shares,
        lazy_card=card,
        distillation=distillation,
        tuned=tuned_in(node),
        trade_off=trade_off_in(node),
        missing_counts=count_missing(document["columns"], schema),
        origin=origin_of(node, statistics),
        locked=locked_in(node, program),
    )
    tested = tested_of(node, statistics)
    return found if tested is None else found.after(tested)
