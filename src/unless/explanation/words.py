"""Words for sentences: names for features, values and labels, by default or chosen by the reader.

A category appears without quotes only where it is unambiguous: ``condition is S``, but ``size is '5'`` (the text, not
the number), ``city is ''`` and ``name is 'a, not b'``. Unprintable characters are escaped.

Numbers have groups of three digits from 10,000 on, so that years stay 2024. If one number of a feature has groups, all
numbers of that feature in the same text have groups, from 1,000 on (`Words.for_values`): amount is 6,000, at most
27,500.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from unless.errors import ParameterError
from unless.values import Label, Value, number_to_text, parse_number
from unless.values.notation import WHOLE, Amounts, LevelNotation, NotatedNumber

_BARE = re.compile(r"[^\W_](?:[\w .%/+&()<>=*-]*[\w.%+)*])?")
_SPEAKING = re.compile(r"\b(?:and|not|missing|present|above|below|at most|because|unless|inf)\b")
_PLACE = re.compile(r"\{(\w*)\}")

_GROUPED = 10_000
"""The smallest number with groups of digits."""

_EXPONENT = 1e16
"""The smallest number written with an exponent, and so without groups."""


def plain_text(category: str) -> str:
    """Write a category for a sentence, in quotes unless it is unambiguous without them.

    >>> [plain_text(text) for text in ("S", "New York", "85", "", "a, not b")]
    ['S', 'New York', "'85'", "''", "'a, not b'"]
    """
    plain = _BARE.fullmatch(category) and category.isprintable() and parse_number(category) is None
    return category if plain and not _SPEAKING.search(category) else repr(category)


def number_text(number: float, *, grouped: bool = False) -> str:
    """Write a number exactly, with groups of three digits from 10,000 on, or from 1,000 on if ``grouped``.

    >>> [number_text(number) for number in (3.0, 0.1, 2024.0, 18400.0, -1234567.5, 1e300)]
    ['3', '0.1', '2024', '18,400', '-1,234,567.5', '1e+300']
    >>> number_text(6000.0, grouped=True)
    '6,000'
    """
    if not (1_000 if grouped else _GROUPED) <= abs(number) < _EXPONENT:
        return number_to_text(number)
    whole, point, decimals = number_to_text(number).partition(".")
    return f"{int(whole):,}{point}{decimals}"


def is_notated(value: Value) -> bool:
    """Return whether a value is a number with its own notation: a date, a time, or a level of an order."""
    return isinstance(value, NotatedNumber) and not value.notation.plain


def join_reasons(parts: Iterable[str]) -> str:
    """Join reasons with "and", after a comma if the preceding reason contains one; equal reasons appear once.

    >>> join_reasons(["condition is S", "steel is R, not A", "width is 3"])
    'condition is S and steel is R, not A, and width is 3'
    """
    text = ""
    last = ""
    for part in dict.fromkeys(parts):
        text += part if not text else f"{',' if ',' in last else ''} and {part}"
        last = part
    return text


def join_names(names: Iterable[str], most: int = 1000) -> str:
    """Join names with commas and "and"; beyond ``most`` names, write only how many more there are.

    >>> join_names(["a"]), join_names(["a", "b", "c"]), join_names("abcd", most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    known = list(names)
    *others, last = known if len(known) <= most else [*known[:most], f"{len(known) - most:,} more"]
    return f"{', '.join(others)} and {last}" if others else last


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words for one feature and its values.

    Parameters
    ----------
    name
        What the feature is called; by default its own name.
    number
        How numbers are written, with their unit: ``"{} €"``, ``"${}"``.
    values
        Words for some of the categories.
    sentence, missing
        How a record's value is stated: ``"{name} is {value}"`` and, without a value, ``"{name} is missing"``.
    """

    name: str | None = None
    number: str = "{}"
    values: Mapping[str, str] = field(default_factory=dict)
    sentence: str = "{name} is {value}"
    missing: str = "{name} is missing"

    def __post_init__(self) -> None:
        _check_placeholders(self.number, {""})
        _check_placeholders(self.sentence, {"name", "value"})
        _check_placeholders(self.missing, {"name"})


@dataclass(frozen=True, slots=True)
class Words:
    """The words of explanations: a phrase per feature, a sentence per label, and the form of a decision.

    ``labels={"refuse": "the loan is refused"}`` gives a sentence for a label; labels without one use ``decision``.
    ``grouped`` are the features whose numbers have groups of three digits from 1,000 on, instead of from 10,000 on.
    ``whole`` are the features of whole numbers: a whole number above 2 and at most 3 is 3.
    ``purpose`` describes what the rules are for; a page shows it under its title.
    """

    features: Mapping[str, Phrase] = field(default_factory=dict)
    labels: Mapping[Label, str] = field(default_factory=dict)
    decision: str = "{target} {label}"
    grouped: Collection[str] = frozenset()
    whole: Collection[str] = frozenset()
    purpose: str = ""

    def __post_init__(self) -> None:
        _check_placeholders(self.decision, {"target", "label"})

    def for_values(self, said: Iterable[tuple[str, Value]]) -> Words:
        """Return words for a text with these values; numbers of a feature all have digit groups if one has.

        Features with cells in the notation of whole numbers are added to ``whole``.

        >>> words = Words().for_values([("amount", 6000.0), ("amount", 27500.0), ("year", 2024.0)])
        >>> words.has("amount", 6000.0), words.has("year", 2024.0)
        ('amount is 6,000', 'year is 2024')
        """
        numbers = [(name, value) for name, value in said if isinstance(value, float) and not is_notated(value)]
        large = {name for name, value in numbers if _GROUPED <= abs(value) < _EXPONENT}
        whole = {name for name, value in numbers if isinstance(value, NotatedNumber) and value.notation == WHOLE}
        if large <= set(self.grouped) and whole <= set(self.whole):
            return self
        return replace(self, grouped={*self.grouped, *large}, whole={*self.whole, *whole})

    def label(self, target: str, label: Label) -> str:
        """Name a decision: "loan refuse", or the sentence of that label."""
        if label in self.labels:
            return self.labels[label]
        return _fill_template(self.decision, {"target": printable(target), "label": printable(str(label))})

    @staticmethod
    def undecided(target: str) -> str:
        """Name the outcome of a record without a decision."""
        return f"{printable(target)} is not decided"

    def name(self, feature: str) -> str:
        """Return what a feature is called."""
        return self.phrase(feature).name or printable(feature)

    def value(self, feature: str, value: Value) -> str:
        """Write a value of a feature with its unit or in its own words, or "missing"."""
        phrase = self.phrase(feature)
        match value:
            case None:
                return "missing"
            case NotatedNumber() if is_notated(value):
                text = plain_text(str(value)) if isinstance(value.notation, LevelNotation) else str(value)
                return phrase.values.get(str(value)) or _fill_template(phrase.number, {"": text})
            case float():
                template, notation = phrase.number, value.notation if isinstance(value, NotatedNumber) else None
                if template == _PHRASE.number and isinstance(notation, Amounts):
                    template = notation.template  # with the unit that it has in the data
                return _fill_template(template, {"": number_text(value, grouped=feature in self.grouped)})
            case str():
                return phrase.values.get(value) or plain_text(value)

    def has(self, feature: str, value: Value) -> str:
        """State a record's value: "income is 18,400 €"."""
        phrase = self.phrase(feature)
        words = {"name": self.name(feature), "value": self.value(feature, value)}
        return _fill_template(phrase.missing if value is None else phrase.sentence, words)

    def phrase(self, feature: str) -> Phrase:
        """Return the phrase of a feature, or the default one."""
        return self.features.get(feature, _PHRASE)


def _check_placeholders(template: str, known: set[str]) -> None:
    """Reject a template with an unknown placeholder, which would appear in every sentence."""
    for place in _PLACE.findall(template):
        if place not in known:
            places = " and ".join(f"{{{name}}}" for name in sorted(known))
            raise ParameterError(
                f"the template {template!r} has an unknown placeholder {{{place}}}; the placeholders are {places}"
            )


def _fill_template(template: str, words: Mapping[str, str]) -> str:
    # Not str.format: a template may come from a file, and "{name.__class__}" must not mean anything.
    return _PLACE.sub(lambda place: words[place.group(1)], template)


def printable(name: str) -> str:
    """Return a name unchanged, or quoted if it is invisible or would move the cursor of a terminal."""
    return name if name.isprintable() and name.strip() else repr(name)


_PHRASE = Phrase()
DEFAULT = Words()
