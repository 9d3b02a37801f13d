"""Rules in a reader's words, ready for a template: sentences of conditions, and exceptions with their depth.

Everything that comes from data is a `Text`: printable, and shortened if it is long. The full text is at the end of the
page, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unless.evaluation.unseen_values import Unseen, summary
from unless.explanation.sentences import condition_parts
from unless.explanation.words import DEFAULT, Words, printable
from unless.rule import Rule, conditions
from unless.values import Label

LONG = 80
"""A text with more characters is shortened."""

_KEPT = 60
_COLOURS = 10
_GREY = 7
"""The place of grey among the colours: with more labels than colours, all but the most frequent labels are grey."""


class Text(NamedTuple):
    """A text as shown and, if it is shortened, the number of the full text at the end of the page."""

    shown: str
    long: int | None = None


class LabelName(NamedTuple):
    """A label: its place among the labels, what it is called, and the number of its colour (`colours`)."""

    place: int
    text: Text
    colour: int = 0


def colours(often: Sequence[float]) -> list[int]:
    """A colour for each label: ten labels have one each; of more, the nine most frequent, and all others are grey.

    >>> colours([3, 1, 2]), colours([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5])
    ([0, 1, 2], [1, 2, 3, 4, 5, 6, 8, 9, 7, 7, 0])
    """
    if len(often) <= _COLOURS:
        return list(range(len(often)))
    own = [colour for colour in range(_COLOURS) if colour != _GREY]
    ranked = sorted(range(len(often)), key=lambda place: (-often[place], place))
    given = dict(zip(ranked, own, strict=False))
    return [given.get(place, _GREY) for place in range(len(often))]


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

    def __init__(
        self, labels: Sequence[Label], words: Words = DEFAULT, *, alone: bool = False, often: Sequence[float] = ()
    ) -> None:
        """``often`` says how frequent each label is: the most frequent ones get a colour of their own.

        If ``alone``, there is no place for full texts: a shortened text says how long it is instead.
        """
        self._words, self._alone = words, alone
        self._long: dict[str, int] = {}
        given = colours(often or [0.0] * len(labels))
        self.labels = tuple(LabelName(place, self.label(label), given[place]) for place, label in enumerate(labels))

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
