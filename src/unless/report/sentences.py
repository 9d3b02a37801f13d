"""Rules in a reader's words, ready for a template: sentences of conditions, and exceptions with their depth.

Everything that comes from data is a `Text`: printable, and shortened if it is long. The full text is at the end of the
page, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unless.explanation.sentences import condition_parts
from unless.explanation.words import DEFAULT, Words, printable
from unless.judge.unseen import Unseen, summary
from unless.rule import Rule, conditions
from unless.values import Label

LONG = 80
"""A text with more characters is shortened."""

_KEPT = 60
_COLOURS = 10


class Text(NamedTuple):
    """A text as shown and, if it is shortened, the number of the full text at the end of the page."""

    shown: str
    long: int | None = None


class LabelName(NamedTuple):
    """A label: its place among the labels, what it is called, and the number of its colour."""

    place: int
    text: Text

    @property
    def colour(self) -> int:
        """One of ten colours. With more labels some share a colour, but every label is shown with its name."""
        return self.place % _COLOURS


class Condition(NamedTuple):
    """A condition in words: ``income`` *is at most* ``21,000``; of a range, ``tests`` has both bounds."""

    name: Text
    tests: tuple[tuple[str, Text | None], ...]


class Line(NamedTuple):
    """An exception: how deep it is nested, from 1, and its conditions; without conditions it always applies."""

    depth: int
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A rule in words: its conditions, and all exceptions in the order of reading, each with its depth."""

    conditions: tuple[Condition, ...]
    exceptions: tuple[Line, ...]

    @property
    def direct(self) -> int:
        """How many exceptions the rule itself has; the others are exceptions to these."""
        return sum(line.depth == 1 for line in self.exceptions)


class Speaker:
    """Puts labels and rules into a reader's words, and remembers the texts that were too long to show."""

    def __init__(self, labels: Sequence[Label], words: Words = DEFAULT, *, alone: bool = False) -> None:
        """If ``alone``, there is no place for full texts: a shortened text says how long it is instead."""
        self._words, self._alone = words, alone
        self._long: dict[str, int] = {}
        self.labels = tuple(LabelName(place, self.label(label)) for place, label in enumerate(labels))

    @property
    def long_texts(self) -> tuple[str, ...]:
        """The full texts, in the order of their numbers."""
        return tuple(self._long)

    def text(self, text: str) -> Text:
        """A text that can be shown: shortened if it is long."""
        if len(text) <= LONG:
            return Text(text)
        if self._alone:
            return Text(f"{text[:_KEPT]}… ({len(text):,} characters)")
        return Text(f"{text[:_KEPT]}…", self._long.setdefault(text, len(self._long) + 1))

    def label(self, label: Label) -> Text:
        """What a label is called."""
        return self.text(self._words.labels.get(label) or printable(str(label)))

    def feature(self, name: str) -> Text:
        """What a feature is called."""
        return self.text(self._words.name(name))

    def unseen(self, found: Sequence[Unseen]) -> tuple[str, ...]:
        """The values that training did not have, a sentence for each feature."""
        return tuple(summary(found, self._words))

    def sentence(self, rule: Rule) -> Sentence:
        """A rule in words."""
        lines = tuple(Line(depth, self._conditions(inner)) for depth, inner in _exceptions(rule))
        return Sentence(self._conditions(rule), lines)

    def _conditions(self, rule: Rule) -> tuple[Condition, ...]:
        return tuple(
            Condition(self.feature(condition[0].feature), tuple(self._tests(condition_parts(condition, self._words))))
            for condition in conditions(rule.default)
        )

    def _tests(self, parts: Iterable[tuple[str, str | None]]) -> Iterator[tuple[str, Text | None]]:
        return ((verb, None if value is None else self.text(value)) for verb, value in parts)


def _exceptions(rule: Rule) -> Iterator[tuple[int, Rule]]:
    """Every exception with its depth, in the order of reading, without recursion."""
    stack = [(1, exception) for exception in reversed(rule.exceptions)]
    while stack:
        depth, exception = stack.pop()
        yield depth, exception
        stack.extend((depth + 1, inner) for inner in reversed(exception.exceptions))
