"""The contents of a program file, as types: checks, errors and ``program.schema.json`` are derived from them."""

from __future__ import annotations

from typing import Annotated, Any
from typing import Literal as OneOf

from msgspec import UNSET, Meta, Struct

from unless.export.document_checks import Finite, LabelData
from unless.rule import Operator

FORMAT = "unless-program"
VERSION = 1

UNIQUE = {"uniqueItems": True}
UniqueTexts = Annotated[list[str], Meta(extra_json_schema=UNIQUE)]

NotationData = (
    OneOf["date", "datetime", "instant", "time", "duration", "flag", "whole"]
    | Annotated[list[str], Meta(min_length=1, extra_json_schema=UNIQUE)]
    | Annotated[dict[OneOf["date", "datetime", "instant", "unit"], str], Meta(min_length=1, max_length=1)]
)
NotationPair = tuple[str, NotationData]
LiteralData = tuple[str, Operator, Finite | str | None]


class ExceptionData(Struct, forbid_unknown_fields=True):
    """An exception: an object with default and exceptions."""

    default: list[LiteralData]
    exceptions: list[ExceptionData] = []


class RuleData(Struct, forbid_unknown_fields=True):
    """A rule: an object with label, default and exceptions."""

    label: LabelData
    default: list[LiteralData]
    exceptions: list[ExceptionData] = []


class ProgramData(Struct, forbid_unknown_fields=True, kw_only=True):
    """A program: an object with format, version, target, features and rules."""

    format: Annotated[Any, Meta(extra_json_schema={"const": FORMAT})]
    version: Annotated[Any, Meta(description=f"the version {VERSION}", extra_json_schema={"const": VERSION})]
    target: str
    features: UniqueTexts
    notations: list[NotationPair] = []
    otherwise: LabelData | None = None
    rules: list[RuleData]
    columns: Any = UNSET
    statistics: Any = UNSET
