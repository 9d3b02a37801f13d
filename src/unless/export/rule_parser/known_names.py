"""Find the names that a model, a program or a table provides when a text of rules is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from unless.errors import ParameterError, suggest
from unless.model import model_of
from unless.rule import Program
from unless.table import MAX_DOMAIN_VALUES, Kind, Schema, SpecialCodes, Table
from unless.values import Label, to_python_value
from unless.values.notation import Notation


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names, kinds and notations that are known; None means unknown."""

    target: str | None = None
    features: tuple[str, ...] | None = None
    labels: tuple[Label, ...] | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    notations: Mapping[str, Notation] = field(default_factory=dict)
    seen: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """All categories of some features."""
    special: Mapping[str, SpecialCodes] = field(default_factory=dict)
    """The numbers of some features that name a category."""
    closed: bool = True
    """Whether there are no other labels: a program only shows the labels that it gives."""
    ends_with_a_rule: bool = False
    """Whether a program has a last rule for all other records, which it prints as ``otherwise``."""


def find_known_names(
    like: object, target: str | None, features: Sequence[str] | None, labels: Sequence[Label] | None
) -> KnownNames:
    """Collect the names in ``like``; the other arguments take precedence."""
    if isinstance(features, str):
        raise ParameterError(f"features must be a list of names, not {features!r}")
    found = _names_from(like)
    if target is not None:
        found = replace(found, target=target)
    if features is not None:
        found = replace(found, features=tuple(features))
    if labels is not None:
        found = replace(found, labels=tuple(to_python_value(label) for label in labels), closed=True)
    return found


def _names_from(like: object) -> KnownNames:
    match like:
        case None:
            return KnownNames()
        case Program():
            known = KnownNames(like.target, like.features, like.labels or None, {}, like.notations)
            return replace(known, closed=False, ends_with_a_rule=like.closed)
        case Table():
            labels = None if like.target is None else like.target.labels
            return names_of_schema(like.schema, like.schema.target, labels, like)
        case _ if (model := model_of(like)) is not None:
            return names_of_schema(model.schema, model.program.target, model.statistics.classes, model.domain)
    raise ParameterError(f"like must be a model, a Program or a Table, not {type(like).__name__} {like!r:.60}")


def names_of_schema(schema: Schema, target: str | None, labels: tuple[Label, ...] | None, seen: Table) -> KnownNames:
    """Collect the names of a schema, with the categories of the columns of a table."""
    categories = {one.name: one.categories for one in seen.columns if 0 < len(one.categories) < MAX_DOMAIN_VALUES}
    found = KnownNames(target, tuple(schema.kinds), labels, schema.kinds, schema.notations, categories)
    return replace(found, special=schema.special)


def new_category_text(feature: str, text: str, seen: Sequence[str]) -> str:
    """Return the warning about a category that no record has."""
    return f"{feature} has no {text!r}{suggest(text, seen)}"
