"""Put rules into a reader's words for templates: sentences of conditions, and exceptions with their depth.

All text from data is a `Text`: printable, and shortened if it is long. The full text appears once, at the end of the
page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unless.evaluation.unseen_values import Unseen, unseen_summary
from unless.explanation.sentences import condition_parts
from unless.explanation.words import DEFAULT, Words, printable
from unless.rule import Rule, conditions
from unless.values import Label

LONG = 80
"""A text with more characters is shortened."""

_KEPT = 60
_COLOURS = 10
_GREY = 7
"""The index of grey among the colours: with more labels than colours, all but the most frequent labels are grey."""


class Text(NamedTuple):
    """A text as shown and, if it is shortened, the number of the full text at the end of the page."""

    shown: str
    long: int | None = None


class LabelName(NamedTuple):
    """A label: its index, its name, and the number of its colour (`assign_colours`)."""

    place: int
    text: Text
    colour: int = 0


def assign_colours(often: Sequence[float]) -> list[int]:
    """Assign a colour to each of up to ten labels; of more labels, the nine most frequent, and grey to the rest.

    >>> assign_colours([3, 1, 2]), assign_colours([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5])
    ([0, 1, 2], [1, 2, 3, 4, 5, 6, 8, 9, 7, 7, 0])
    """
    if len(often) <= _COLOURS:
        return list(range(len(often)))
    own = [colour for colour in range(_COLOURS) if colour != _GREY]
    ranked = sorted(range(len(often)), key=lambda place: (-often[place], place))
    given = dict(zip(ranked, own, strict=False))
    return [given.get(place, _GREY) for place in range(len(often))]


class Condition(NamedTuple):
    """A condition in words: ``income`` *is at most* ``21,000``; for a range, ``tests`` has both bounds."""

    name: Text
    tests: tuple[tuple[str, Text | None], ...]


class ExceptionLine(NamedTuple):
    """An exception: how deep it is nested, from 1, and its conditions; without conditions it always applies."""

    depth: int
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A rule in words: its conditions, and all exceptions in reading order, each with its depth."""

    conditions: tuple[Condition, ...]
    exceptions: tuple[ExceptionLine, ...]

    @property
    def direct(self) -> int:
        """The number of exceptions to the rule itself, without exceptions to exceptions."""
        return sum(line.depth == 1 for line in self.exceptions)


class Speaker:
    """Puts labels and rules into a reader's words, and collects the texts that were shortened."""

    def __init__(
        self, labels: Sequence[Label], words: Words = DEFAULT, *, alone: bool = False, often: Sequence[float] = ()
    ) -> None:
        """``often`` is the frequency of each label: the most frequent labels get a colour of their own.

        If ``alone``, full texts are not listed elsewhere, so a shortened text includes its full length instead.
        """
        self._words, self._alone = words, alone
        self._long: dict[str, int] = {}
        given = assign_colours(often or [0.0] * len(labels))
        self.labels = tuple(LabelName(place, self.label(label), given[place]) for place, label in enumerate(labels))

    @property
    def long_texts(self) -> tuple[str, ...]:
        """The full texts, in the order of their numbers."""
        return tuple(self._long)

    def text(self, text: str) -> Text:
        """Return a text for the page, shortened if it is long."""
        if len(text) <= LONG:
            return Text(text)
        if self._alone:
            return Text(f"{text[:_KEPT]}… ({len(text):,} characters)")
        return Text(f"{text[:_KEPT]}…", self._long.setdefault(text, len(self._long) + 1))

    def label(self, label: Label) -> Text:
        """Return the name of a label."""
        return self.text(self._words.labels.get(label) or printable(str(label)))

    def feature(self, name: str) -> Text:
        """Return the name of a feature."""
        return self.text(self._words.name(name))

    def unseen(self, found: Sequence[Unseen]) -> tuple[str, ...]:
        """Return a sentence for each feature with unseen values."""
        return tuple(unseen_summary(found, self._words))

    def sentence(self, rule: Rule) -> Sentence:
        """Put a rule into words."""
        own, *exceptions = (ExceptionLine(depth, tuple(self._conditions(part))) for depth, part in rule.parts())
        return Sentence(own.conditions, tuple(exceptions))

    def _conditions(self, rule: Rule) -> Iterator[Condition]:
        for condition in conditions(rule.default):
            parts = condition_parts(condition, self._words)
            tests = tuple((verb, None if value is None else self.text(value)) for verb, value in parts)
            yield Condition(self.feature(condition[0].feature), tests)
