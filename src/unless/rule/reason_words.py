"""Codes and wording of reasons: an organisation's own, or the names of factors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from unless.errors import ParameterError
from unless.rule.reason_factors import Factor, Kind

MOST_REASONS = 4
"""How many reasons a decision has at most, by default."""

Key = tuple[Kind | None, str | None]
"""What a wording is for: a kind, with its category if it has one; (None, None) is any factor of a feature."""

ANY: Key = (None, None)


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """A reason as people get it: its code, and its text."""

    code: str
    text: str

    def __post_init__(self) -> None:
        for name, value in (("code", self.code), ("text", self.text)):
            if not value.strip():
                raise ParameterError(f"the {name} of a reason is empty; write one, such as {_EXAMPLES[name]!r}")

    def __str__(self) -> str:
        return self.code if self.code == self.text else f"{self.code}: {self.text}"


_EXAMPLES = {"code": "R01", "text": "the income is too low"}


@dataclass(frozen=True, slots=True)
class ReasonWords:
    """The reason that each factor is called.

    Of several that fit, the most precise one is used: for the condition, for the kind (and category), for the feature.
    A text in a column of numbers is *other*; without a wording of its own it is called like a missing value. Without
    any wording, a factor has its name as the code and the text (``income is low``).
    """

    features: Mapping[str, Mapping[Key, Reason]] = field(default_factory=dict)
    conditions: Mapping[str, Reason] = field(default_factory=dict)
    """Reasons for conditions as the text of rules writes them: ``income <= 2000``."""

    def __post_init__(self) -> None:
        texts: dict[str, str] = {}
        for reason in self.reasons():
            if (known := texts.setdefault(reason.code, reason.text)) != reason.text:
                raise ParameterError(
                    f"the code {reason.code!r} has two texts, {known!r} and {reason.text!r}; a code needs one text"
                )

    def reasons(self) -> Iterable[Reason]:
        """Return all reasons."""
        return [*(one for some in self.features.values() for one in some.values()), *self.conditions.values()]

    def find(self, factor: Factor) -> Reason | None:
        """Return the reason that a factor is called; None if there is no wording for it."""
        known = self.features.get(factor.feature, {})
        keys: list[Key] = [(factor.kind, factor.category), *_ALSO.get(factor.kind, ()), ANY]
        found = self.conditions.get(factor.condition_text)
        return found or next((known[key] for key in keys if key in known), None)

    def reason(self, factor: Factor) -> Reason:
        """Return the reason that a factor is called, by default its name."""
        return self.find(factor) or Reason(str(factor), str(factor))


_ALSO: dict[Kind, tuple[Key, ...]] = {"other": (("missing", None),)}


DEFAULT_REASONS = ReasonWords()
