"""Model files: a program with how its columns were read and what its rules decided. JSON, safe to read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from unless.constraints import constraints_of
from unless.errors import ProgramError
from unless.estimators.modelparts import (
    columns_in,
    domain_in,
    gaps_in,
    locked_in,
    origin_of,
    taught_in,
    tested_of,
    trade_off_in,
    training_in,
    tuned_in,
)
from unless.export import json
from unless.export.jsontext import content, layout, parse, refuse_long, uncollected, unpacked
from unless.judge.importance import Evidence, importances
from unless.judge.tradeoff import TradeOff
from unless.learn.distil import Taught
from unless.limits import limit
from unless.model import Origin, Statistics, Tested
from unless.rule import Program
from unless.score.card import ScoreCard
from unless.table import Schema, Table
from unless.values import label_data, plain

if TYPE_CHECKING:
    from unless.estimators.committeefile import SavedCommittee

COMMITTEE = "unless-committee"
"""The format of a file that holds a committee."""

PURE = ("FoldRMClassifier", "FoldRPPClassifier")
"""The classifiers whose rules are learned until they are right for all."""


@dataclass(frozen=True, slots=True)
class SavedModel:
    """A model as a file holds it: a program, what it did in training, how columns were read, and how it was learned.

    The commands use it instead of a classifier: importing scikit-learn would take most of the time of a short command.
    """

    program_: Program
    statistics_: Statistics
    schema_: Schema
    domain_: Table
    learner: str
    """The name of the classifier that learned it."""
    parameters: Mapping[str, Any]
    named: bool
    """Whether the features have names of their own; the columns of an array only have numbers."""
    importances: Evidence | NDArray[np.float64] | None = None
    """The importance of every feature, or the records to compute it from; None if neither is known."""
    card_: ScoreCard | None = None
    """The points of each part of the program; None if they are unknown, as in files of earlier versions."""
    taught: Taught | None = None
    """What taught the list, if something did."""
    tuned: Mapping[str, float] | None = None
    """The settings that cross-validation chose, if it was asked to."""
    tested_: Tested | None = None
    """What records that were held back have shown, if any were."""
    trade_off: TradeOff | None = None
    """Accuracy against the number of rules, if it was asked for."""
    gaps_: Mapping[str, float] | None = None
    """How many cells of each feature that rules test were missing in training, or their weight, if that is known."""
    origin_: Origin | None = None
    """The data that it is from, if that is known: then it is known again, and which records were held back."""
    locked: tuple[int, ...] = ()
    """The indices of rules that were locked when it was learned: they are not from these records."""

    def after(self, tested: Tested) -> SavedModel:
        """The model after a test, which also tells what to expect of each rule."""
        statistics = replace(self.statistics_, unseen=tested.statistics.counts)
        return replace(self, statistics_=statistics, tested_=tested, origin_=tested.origin)

    @property
    def schema(self) -> Schema:
        """How the columns were read, so that ``read_table(source, like=model)`` reads new records the same way."""
        return self.schema_


def file_text(model: SavedModel | SavedCommittee) -> str:
    """The text of a model file."""
    with uncollected():
        return layout(any_document(model)) + "\n"


def any_document(model: SavedModel | SavedCommittee) -> dict[str, Any]:
    """A model or a committee as JSON holds it."""
    if isinstance(model, SavedModel):
        return document(model)
    from unless.estimators import committeefile  # it reads its student as this module does

    return committeefile.document(model)


def document(model: SavedModel) -> dict[str, Any]:
    """A model as JSON holds it; refuses a model that could not be read back."""
    schema, statistics, shares = model.schema_, model.statistics_, importances(model.importances)
    card = model.card_
    written = [[name, notation.data()] for name, notation in schema.notations.items()]
    found = {
        **json.to_dict(model.program_),
        "columns": {
            "kinds": [[name, kind] for name, kind in schema.kinds.items()],
            **({"notations": written} if written else {}),
            **({"typed": typed} if (typed := [name for name in schema.kinds if name in schema.typed]) else {}),
            "missing": list(schema.missing),
            **({"parts": [list(pair) for pair in schema.parts.items()]} if schema.parts else {}),
            "named": model.named,
            "values": [[one.name, one.numbers.tolist(), list(one.categories)] for one in model.domain_.columns],
            **({} if model.gaps_ is None else {"gaps": [[name, count] for name, count in model.gaps_.items()]}),
        },
        "statistics": {
            "learner": model.learner,
            "parameters": spelled_parameters(model.parameters),
            "classes": [label_data(label) for label in statistics.classes],
            "counts": [line if statistics.known(row) else None for row, line in enumerate(statistics.counts.tolist())],
            **({} if statistics.unmeasured is None else {"unmeasured": statistics.unmeasured.tolist()}),
            **({"weighted": True} if statistics.weighted else {}),
            **({} if shares is None else {"importances": shares.tolist()}),
            **({} if card is None else _card_data(card)),
            **({} if model.taught is None else {"taught": list(astuple(model.taught))}),
            **({} if model.tuned is None else {"tuned": spelled_parameters(model.tuned)}),
            **_origin_entry(model),
            **({} if model.trade_off is None else {"trade_off": _choices_data(model.trade_off)}),
            **({"locked": list(model.locked)} if model.locked else {}),
        },
    }
    gaps_in(found["columns"], columns_in(found["columns"], model.program_)[0])
    training_in(found["statistics"], model.program_)
    taught_in(found["statistics"]), tuned_in(found["statistics"])
    origin_of(found["statistics"], statistics), tested_of(found["statistics"], statistics)
    trade_off_in(found["statistics"]), locked_in(found["statistics"], model.program_)
    return found


def _card_data(card: ScoreCard) -> dict[str, Any]:
    """The points of a score card, and its cuts if it has any."""
    points = {"base": card.base.tolist(), "points": card.points.tolist()}
    return {**points, "cuts": json.literals_data(card.cuts)} if card.cuts else points


def _origin_entry(model: SavedModel) -> dict[str, Any]:
    """What the file says of the data, with the test if there was one."""
    if model.tested_ is not None:
        return {"tested": tested_data(model.tested_)}
    return {} if model.origin_ is None else {"origin": _origin_data(model.origin_)}


def _choices_data(found: TradeOff) -> list[list[Any]]:
    return [[spelled_parameters(one.settings), one.rules, one.right, one.records] for one in found.choices]


def tested_data(tested: Tested) -> dict[str, Any]:
    """What records held back have shown, as JSON holds it."""
    return {**_origin_data(tested.origin), "counts": tested.statistics.counts.tolist()}


def _origin_data(origin: Origin) -> dict[str, Any]:
    """The data that a model is from, as JSON holds it."""
    split = origin.split
    return {
        "salt": split.salt,
        "cuts": [[label_data(label), cut] for label, cut in zip(split.labels, split.cuts, strict=True)],
        "fingerprint": origin.fingerprint,
        "records": origin.records,
        "usual": label_data(origin.usual),
        **({"sample": [f"{one:016x}" for one in origin.sample]} if origin.sample else {}),
    }


def spelled_parameters(parameters: Mapping[str, Any]) -> list[list[Any]]:
    """Parameters as JSON holds them, by name."""
    return [[name, _spelled(name, value)] for name, value in sorted(parameters.items())]


def _spelled(name: str, value: Any) -> Any:
    """A parameter as JSON holds it."""
    if name == "constraints" and value is not None:
        asked = constraints_of(value)
        return None if asked is None else {"constraints": asked.to_dict()}
    if isinstance(value, Mapping) and name in ("dates", "orders"):
        return {"columns": [[plain(one), said if isinstance(said, str) else list(said)] for one, said in value.items()]}
    if isinstance(value, Mapping):
        return {"weights": [[label_data(plain(label)), float(weight)] for label, weight in value.items()]}
    value = plain(value)
    if value is None or isinstance(value, bool | int | float | str):
        return label_data(value)
    try:
        return [plain(column) for column in value]
    except TypeError:
        raise ProgramError(f"the parameter {name} is {value!r}, which a model file cannot hold") from None


# Reading.


def read(path: str | os.PathLike[str]) -> SavedModel | SavedCommittee | Program:
    """Read a model file; a file that holds only a program gives the `Program`."""
    return parsed(content(path), os.fspath(path))


def read_stream(file: BinaryIO, name: str) -> SavedModel | SavedCommittee | Program:
    """Read a model from a stream, such as standard input, but not all of a stream that is too long."""
    text = file.read(limit("model") + 1)
    refuse_long(text, name)
    return parsed(unpacked(text, name), name)


def parsed(text: bytes, name: str) -> SavedModel | SavedCommittee | Program:
    """The model in the bytes of a file; ``name`` is what error messages call the file."""
    try:
        with uncollected():
            return _any_model(parse(text))
    except ProgramError as error:
        raise ProgramError(f"{name}: {error}") from error


def _any_model(document: Any) -> SavedModel | SavedCommittee | Program:
    """The model, the committee or the program in a parsed document."""
    if isinstance(document, dict) and document.get("format") == COMMITTEE:
        from unless.estimators import committeefile

        return committeefile.from_document(document)
    return from_document(document)


def from_document(document: Any) -> SavedModel | Program:
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
    statistics = replace(statistics, pure=learner in PURE)
    found = SavedModel(program, statistics, schema, domain_in(ranges, schema), learner, parameters, named, shares, card)
    found = replace(found, taught=taught_in(node), tuned=tuned_in(node), trade_off=trade_off_in(node))
    found = replace(found, locked=locked_in(node, program))
    found = replace(found, gaps_=gaps_in(document["columns"], schema), origin_=origin_of(node, statistics))
    tested = tested_of(node, statistics)
    return found if tested is None else found.after(tested)
