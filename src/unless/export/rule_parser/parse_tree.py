"""The parse tree of a text of rules: rules, exceptions, conditions and declared features, with positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from unless.rule import SpokenOperator


class Span(NamedTuple):
    """A name, a value or a label: its text, whether the text was in quotes, and its position."""

    text: str
    quoted: bool
    start: int
    length: int


class ParsedCondition(NamedTuple):
    """A condition: a feature, an operator and a value, if the operator takes one."""

    feature: Span
    op: SpokenOperator
    value: Span | None


class ParsedFeature(NamedTuple):
    """A feature in the line of features, and the notation of its numbers: a name with a format, or levels."""

    name: Span
    notation: Span | None = None
    levels: tuple[Span, ...] = ()


@dataclass(slots=True)
class ParsedRule:
    """A rule, or an exception, which has no head."""

    head: Span | None
    depth: int
    default: list[ParsedCondition] = field(default_factory=list)
    exceptions: list[ParsedRule] = field(default_factory=list)


@dataclass(slots=True)
class ParsedText:
    """A parsed text; None for each part that is absent."""

    text: str
    target: Span | None = None
    features: list[ParsedFeature] | None = None
    rules: list[ParsedRule] = field(default_factory=list)
    otherwise: Span | None = None
    empty: bool = True
    """Whether the text is blank; "no rules" is not."""
