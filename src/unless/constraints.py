"""Constraints on rules: features and their combinations, directions in which decisions may change, sizes.

`Constraints` rejects requirements that contradict each other, and `Constraints.among` those that do not fit certain
features and labels. `unless.learn.rule_limits` applies them in learners, and `unless.evaluation.constraint_check`
checks whether a program satisfies them.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self
from typing import Literal as OneOf

from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError, suggest
from unless.values import (
    Label,
    Value,
    cell_value,
    class_index,
    count_text,
    number_to_text,
    parse_number,
    to_python_value,
    value_to_json,
)
from unless.values import value_in_notation as in_notation
from unless.values.notation import Amounts, Notation

Direction = OneOf["more", "less"]

Cuts = tuple[float | str, ...]
"""The numbers at which a feature may be cut; dates and levels of an order are texts until the columns are known."""

CutPairs = tuple[tuple[str, Cuts], ...]

NO_CUTS: Mapping[str, Cuts] = MappingProxyType({})

_MONOTONE = re.compile(r"(?P<feature>.+?)(?<!\s)\s*+:\s*(?P<direction>more|less)\s+never\s+(?P<label>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Monotone:
    """If a feature increases ("more") or decreases ("less"), all else equal, the decision never changes to a label.

    Only numbers, and values compared as numbers (dates, durations, ordered categories), can be more or less. Missing
    values and other categories cannot. A record that is not decided counts as one with another label.

    >>> Monotone.parse("income: more never refuse")
    Monotone(feature='income', direction='more', label='refuse')
    """

    feature: str
    """The name of the feature."""
    direction: Direction
    """``more`` if it increases, ``less`` if it decreases."""
    label: Label
    """The label to which the decision never changes."""

    def __post_init__(self) -> None:
        if self.direction not in ("more", "less"):
            raise ParameterError(f"a direction is 'more' or 'less', not {self.direction!r}")
        label = to_python_value(self.label)
        if not isinstance(self.feature, str) or not isinstance(label, str | bool | int | float):
            raise ParameterError(
                f"a feature is text, and a label is text, a number or a boolean, unlike in {self!r:.80}"
            )
        object.__setattr__(self, "label", label)

    @classmethod
    def parse(cls, text: object) -> Self:
        """Parse a text such as ``income: more never refuse``."""
        found = _MONOTONE.fullmatch(text.strip()) if isinstance(text, str) else None
        if found is None:
            raise ParameterError(
                f"{text!r} is not 'FEATURE: more never LABEL' or 'FEATURE: less never LABEL', "
                "such as 'income: more never refuse'"
            )
        return cls(found["feature"], "more" if found["direction"] == "more" else "less", found["label"])

    def __str__(self) -> str:
        return f"{self.feature}: {self.direction} never {self.label}"


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints that a program must satisfy, whatever the training data.

    Parameters
    ----------
    never
        Features that no rule may test.
    only_exceptions
        Features that only exceptions may test, at any level, and no default of a rule.
    apart
        Pairs of features that must not occur together in one rule, including its exceptions.
    monotone
        Directions in which decisions must not change, as `Monotone`, as text, ``"income: more never refuse"``, or as
        ``("income", "more", "refuse")``. They hold for the whole program: of two records that
        differ only in income, it never refuses only the one with more.
    max_literals
        The most literals of a default, and of each exception.
    max_depth
        The most levels of exceptions: 0 allows none, 1 allows exceptions without exceptions.
    no_negation
        Whether rules have no literal that holds for all values but one: *is not*, and *is present*.
    only_cuts
        The only thresholds that rules may have on some features, ``{"age": [18, 65]}``: *at most 18*, *above 65*. Dates
        and levels of an order are texts, ``{"when": ["2024-01-01"], "size": ["S"]}``. The values are kept as pairs.
    """

    never: tuple[str, ...] = ()
    only_exceptions: tuple[str, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    monotone: tuple[Monotone, ...] = ()
    max_literals: int | None = None
    max_depth: int | None = None
    no_negation: bool = False
    only_cuts: CutPairs = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "never", _check_feature_names("never", self.never))
        object.__setattr__(self, "only_exceptions", _check_feature_names("only_exceptions", self.only_exceptions))
        object.__setattr__(self, "apart", tuple(map(_check_feature_pair, _to_tuple("apart", self.apart))))
        constraints = (
            (self.monotone,) if isinstance(self.monotone, str | Monotone) else _to_tuple("monotone", self.monotone)
        )
        object.__setattr__(self, "monotone", tuple(dict.fromkeys(map(_to_monotone, constraints))))
        for name, least in (("max_literals", 1), ("max_depth", 0)):
            value = to_python_value(getattr(self, name))
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise ParameterError(f"{name} must be a whole number of at least {least}, or None, not {value!r}")
            object.__setattr__(self, name, value)
        if not isinstance(to_python_value(self.no_negation), bool):
            raise ParameterError(f"no_negation must be True or False, not {self.no_negation!r}")
        object.__setattr__(self, "no_negation", bool(self.no_negation))
        object.__setattr__(self, "only_cuts", _check_only_cuts(self.only_cuts))
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        for name in self.never:
            if name in self.only_exceptions:
                raise ParameterError(f"{name!r} is in never and in only_exceptions; keep one")
            if constraint := next((one for one in self.monotone if one.feature == name), None):
                raise ParameterError(
                    f"no rule may test {name!r}, so {str(constraint)!r} has no effect; keep one of them"
                )
            if name in dict(self.only_cuts):
                raise ParameterError(f"no rule may test {name!r}, so only_cuts has no effect on it; keep one of them")
        _refuse_opposites(self.monotone)

    def __bool__(self) -> bool:
        return any(_is_asked(getattr(self, one.name)) for one in fields(self))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all features in the constraints, without repetition."""
        pairs = (name for pair in self.apart for name in pair)
        wished = (one.feature for one in self.monotone)
        return tuple(dict.fromkeys((*self.never, *self.only_exceptions, *pairs, *wished, *dict(self.only_cuts))))

    def among(
        self, features: Collection[str], labels: Sequence[Label], numeric: Mapping[str, Notation | None] | None = None
    ) -> Self:
        """Check the constraints against features and labels; convert labels given as text to the labels they spell.

        ``numeric`` are the features with numbers, and how these are written: cuts become such numbers. None if unknown.
        """
        for name in self.names:
            if name not in features:
                raise UnknownNameError(
                    f"the constraints name {name!r}, which is not a feature{suggest(name, features)}"
                )
        if features and {*self.never, *self.only_exceptions}.issuperset(features):
            raise ParameterError("the constraints leave no feature that the default of a rule may test")
        constraints = tuple(replace(one, label=_label_of_monotone(one, labels)) for one in self.monotone)
        for one in constraints:
            if numeric is not None and one.feature not in numeric:
                raise ParameterError(
                    f"{str(one)!r} is not possible: {one.feature!r} has no numbers, and its categories have no order; "
                    f"declare one (orders={{{one.feature!r}: [...]}}, --order), or use never"
                )
        _refuse_opposites(constraints)
        for feature in dict.fromkeys(one.feature for one in constraints):
            if len(labels) > 1 and not any(allowed_directions(constraints, feature, label) for label in labels):
                said = " and ".join(repr(str(one)) for one in constraints if one.feature == feature)
                raise ParameterError(
                    f"{said} leave nothing that {feature!r} may change; keep one, or never={(feature,)!r}"
                )
        if numeric is None:
            return replace(self, monotone=constraints)
        return replace(self, monotone=constraints, only_cuts=_convert_cuts(self.only_cuts, numeric))

    def lines(self) -> list[str]:
        """Describe the constraints in words, one line per constraint.

        >>> Constraints(never="age", monotone="income: more never refuse", max_depth=1).lines()
        ['no rule tests age', 'income: more never refuse', 'at most 1 level of exceptions']
        """
        found = [f"no rule tests {name}" for name in self.never]
        found += [f"only exceptions test {name}" for name in self.only_exceptions]
        found += [f"no rule tests both {one} and {other}" for one, other in self.apart]
        found += map(str, self.monotone)
        found += [f"thresholds on {name} only at {_list_cuts(cuts)}" for name, cuts in self.only_cuts]
        if self.no_negation:
            found.append("no rule says 'is not' or 'is present'")
        if self.max_literals is not None:
            found.append(f"at most {count_text(self.max_literals, 'literal')} in a default or an exception")
        if self.max_depth is not None:
            found.append(f"at most {count_text(self.max_depth, 'level')} of exceptions")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Convert the constraints to a dict for JSON and TOML; `from_dict` reads it."""
        found: dict[str, Any] = {name: list(getattr(self, name)) for name in ("never", "only_exceptions")}
        found |= {"apart": [list(pair) for pair in self.apart], "monotone": list(map(_monotone_text, self.monotone))}
        found |= {"max_literals": self.max_literals, "max_depth": self.max_depth, "no_negation": self.no_negation}
        found["only_cuts"] = [[name, list(map(value_to_json, cuts))] for name, cuts in self.only_cuts]
        return {name: value for name, value in found.items() if _is_asked(value)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make constraints from a mapping of parameter names to values."""
        known = [one.name for one in fields(cls)]
        if unknown := next((name for name in data if name not in known), None):
            raise ParameterError(f"constraints have no {unknown!r}{suggest(unknown, known)}")
        return cls(**data)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read constraints from a TOML file, whose keys are the names of the parameters."""
        try:
            return cls.from_dict(tomllib.loads(Path(path).read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise MissingFileError(f"no file {os.fspath(path)!r}") from None
        except OSError as error:
            raise ReadError(f"{os.fspath(path)!r} cannot be read: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, ParameterError) as error:
            raise ParameterError(f"{os.fspath(path)}: {error}") from error


def to_constraints(given: object) -> Constraints | None:
    """Convert constraints given as a value or a mapping; None if there are none."""
    if given is None:
        return None
    found = Constraints.from_dict(given) if isinstance(given, Mapping) else given
    if not isinstance(found, Constraints):
        raise ParameterError(f"constraints are unless.Constraints(never=...), or a dict of the same, not {given!r:.60}")
    return found or None


def cut_numbers(name: str, cuts: Iterable[float | str], notation: Notation | None) -> tuple[float, ...]:
    """Convert the cuts of a feature to numbers in the notation of its column, ascending."""
    found = set[float]()
    for cut in cuts:
        value: Value = in_notation(cut, notation)
        if isinstance(value, str) and isinstance(notation, Amounts):
            value = notation.amount(value) if (number := parse_number(value)) is None else number
        elif isinstance(value, str) and (notation is None or notation.plain):
            value = parse_number(value)
        if not isinstance(value, float):
            forms = "as its numbers" if notation is None or notation.plain else f"as its values ({notation.text(0.0)})"
            raise ParameterError(f"only_cuts has {cut!r} for {name!r}, which is not written {forms}")
        found.add(value if notation is None else notation.value(value))
    return tuple(sorted(found))


def cuts_of_points(given: object) -> Mapping[str, Cuts]:
    """Return the only cuts of some features in a score card; the argument is as in `to_constraints`."""
    asked = to_constraints(given)
    return NO_CUTS if asked is None else dict(asked.only_cuts)


def directions_among(given: object, labels: Sequence[Label]) -> tuple[Monotone, ...]:
    """Return the monotone constraints about some labels; the argument is as in `to_constraints`."""
    asked = to_constraints(given)
    found = () if asked is None else asked.monotone
    return tuple(replace(one, label=_label_of_monotone(one, labels)) for one in found if _names_label(one, labels))


def allowed_directions(constraints: Iterable[Monotone], feature: str, label: Label) -> frozenset[Direction]:
    """Find the directions in which a feature may change while a rule of a label must keep covering a record.

    Under "more never LABEL", a rule of that label may lose records as the feature increases, but never gain any: a
    record that it covers stays covered with less. For rules of other labels the direction is reversed.
    """
    found: frozenset[Direction] = frozenset(("more", "less"))
    for one in constraints:
        if one.feature == feature:
            towards: Direction = "less" if (one.direction == "more") == _is_same_label(one.label, label) else "more"
            found &= {towards}
    return found


def _to_monotone(given: object) -> Monotone:
    """Parse a monotone constraint given as a value, a text, or its three parts."""
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 3:
        return Monotone(*given)
    return given if isinstance(given, Monotone) else Monotone.parse(given)


def _monotone_text(constraint: Monotone) -> str | list[Any]:
    """Write a monotone constraint as text, or as three parts if no text has the same meaning."""
    text = str(constraint)
    unambiguous = _MONOTONE.fullmatch(text) and Monotone.parse(text) == constraint
    endless = isinstance(constraint.label, float) and not isfinite(constraint.label)
    return text if unambiguous or endless else [constraint.feature, constraint.direction, constraint.label]


def _is_same_label(one: Label, other: Label) -> bool:
    return type(one) is type(other) and one == other


def _refuse_opposites(constraints: Sequence[Monotone]) -> None:
    for one in constraints:
        for other in constraints:
            if (
                one.feature == other.feature
                and _is_same_label(one.label, other.label)
                and one.direction != other.direction
            ):
                raise ParameterError(
                    f"{str(one)!r} and {str(other)!r} contradict each other: {one.feature!r} could not change whether "
                    f"the decision is {one.label!r}; keep one"
                )


def _label_of_monotone(constraint: Monotone, labels: Sequence[Label]) -> Label:
    """Return the label that a constraint names; "refuses" means "refuse", if there is no label "refuses"."""
    label = to_python_value(constraint.label)
    spelled = [label] if not isinstance(label, str) else [label, label.removesuffix("s")]
    for one in spelled:
        if (place := class_index(one, tuple(labels))) is not None:
            return labels[place]
    raise UnknownNameError(f"{str(constraint)!r} names an unknown label{suggest(label, labels)}")


def _names_label(constraint: Monotone, labels: Sequence[Label]) -> bool:
    """Return whether a constraint names one of the labels."""
    try:
        _label_of_monotone(constraint, labels)
    except UnknownNameError:
        return False
    return True


def _is_asked(value: object) -> bool:
    """Return whether the value of a parameter is a constraint: a limit of 0 is."""
    return value is not None and value is not False and value not in ((), [], {})


def _check_only_cuts(given: object) -> CutPairs:
    try:
        pairs = dict(given)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        message = f"only_cuts must map features to thresholds, such as {{'age': [18, 65]}}, not {given!r:.60}"
        raise ParameterError(message) from None
    return tuple((name, _check_cuts(name, pairs[name])) for name in _check_feature_names("only_cuts", pairs))


def _check_cuts(name: str, given: object) -> Cuts:
    found: dict[float | str, None] = {}
    for cut in given if isinstance(given, Iterable) and not isinstance(given, str) else (given,):
        value = cell_value(cut)
        if isinstance(cut, bool) or value is None or (isinstance(value, float) and not isfinite(value)):
            raise ParameterError(f"only_cuts has {cut!r} for {name!r}, which is neither a number nor a text of a date")
        found[value] = None
    if not found:
        raise ParameterError(f"only_cuts has no threshold for {name!r}; name some, or use never")
    return tuple(found)


def _convert_cuts(given: CutPairs, numeric: Mapping[str, Notation | None]) -> CutPairs:
    """Convert the cuts of all features to numbers; reject features without numbers."""
    for name, _ in given:
        if name not in numeric:
            raise ParameterError(
                f"only_cuts is not possible for {name!r}, which has no numbers, and whose categories have no order; "
                f"declare one (orders={{{name!r}: [...]}}, --order)"
            )
    return tuple((name, cut_numbers(name, cuts, numeric[name])) for name, cuts in given)


def _list_cuts(cuts: Cuts) -> str:
    texts = [number_to_text(cut) if isinstance(cut, float) else cut for cut in cuts]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _to_tuple(name: str, given: object) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError(f"{name} must be a list, not {given!r:.60}")
    return tuple(given)


def _check_feature_names(name: str, given: object) -> tuple[str, ...]:
    found = (given,) if isinstance(given, str) else _to_tuple(name, given)
    if wrong := [one for one in found if not isinstance(one, str)]:
        raise ParameterError(f"{name} must name features, not {wrong[0]!r:.60}")
    return tuple(dict.fromkeys(found))


def _check_feature_pair(given: object) -> tuple[str, str]:
    found = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if len(found) != 2 or not all(isinstance(one, str) for one in found):
        raise ParameterError(f"apart must have pairs of features, such as ('age', 'sex'), not {given!r:.60}")
    if found[0] == found[1]:
        raise ParameterError(f"{found[0]!r} cannot be apart from itself; use never, or max_literals")
    return found
