"""Rules with exceptions, and programs, which are lists of rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from math import isnan
from typing import ClassVar
from typing import Literal as OneOf

from unless.errors import ProgramError, UnknownNameError, suggest
from unless.rule.conditions import condition_text, conditions, conditions_as_written
from unless.rule.literal import Literal
from unless.values import Label, cell_value, count_text, number_to_text, parse_number, to_python_value
from unless.values.notation import NotatedNumber, Notation
from unless.values.spelling import quote_if_needed

MAX_DEPTH = 200
"""The maximum depth of exceptions. Learned programs stay far below; deeper files are rejected."""

_SHOWN = 100
"""The maximum number of rules that a notebook shows."""


@dataclass(frozen=True, slots=True, repr=False)
class Rule:
    """A default with exceptions: ``head`` if every literal of ``default`` holds, unless an exception covers the record.

    An exception is a rule too, with None as its head, and may have exceptions itself. An empty default is always true.
    """

    head: Label | None
    default: tuple[Literal, ...] = ()
    exceptions: tuple[Rule, ...] = ()
    """The exceptions: rules whose head is None."""

    def __post_init__(self) -> None:
        if _is_plain(self.head, self.default, self.exceptions):
            return  # the usual case: learners build thousands
        if self.head is not None and self.head.__class__ is not str:
            object.__setattr__(self, "head", _to_plain_label(self.head))
        object.__setattr__(self, "default", _tuple_of(Literal, self.default, "a default"))
        object.__setattr__(self, "exceptions", _tuple_of(Rule, self.exceptions, "a list of exceptions"))
        for rule in self.exceptions:
            if rule.head is not None:
                raise ProgramError(f"an exception has no label, but this one has {rule.head!r}; make its head None")

    def covers(self, record: Mapping[str, object]) -> bool:
        """Return whether all literals of the default hold for a record, and no exception covers it."""
        return all(literal.holds(_cell_of_record(record, literal.feature)) for literal in self.default) and not any(
            exception.covers(record) for exception in self.exceptions
        )

    def literals(self) -> Iterator[Literal]:
        """Yield every literal of the rule and its exceptions, in reading order."""
        stack = [self]
        while stack:
            rule = stack.pop()
            yield from rule.default
            stack.extend(reversed(rule.exceptions))

    def parts(self) -> Iterator[tuple[int, Rule]]:
        """Yield the rule and its exceptions in reading order, each with its depth: 0 for the rule itself."""
        stack = [(0, self)]
        while stack:
            depth, rule = stack.pop()
            yield depth, rule
            stack.extend((depth + 1, exception) for exception in reversed(rule.exceptions))

    @property
    def literal_count(self) -> int:
        """The number of literals, including those of exceptions."""
        return sum(len(rule.default) for level in _nesting_levels((self,)) for rule in level)

    @property
    def depth(self) -> int:
        """The nesting depth of the rule: 1 without exceptions."""
        return sum(1 for _ in _nesting_levels((self,)))

    def __str__(self) -> str:
        return _rule_text(self)

    __repr__ = __str__


@dataclass(frozen=True, slots=True, repr=False)
class Program:
    """An ordered list of rules: the first rule that covers a record decides.

    ``otherwise`` is the label of records that no rule covers; None leaves them undecided.
    """

    target: str
    """The name of what is predicted."""
    features: tuple[str, ...]
    """The names of the features, in order."""
    rules: tuple[Rule, ...] = ()
    """The rules, in the order in which they are tried."""
    otherwise: Label | None = None
    notations: Mapping[str, Notation] = field(init=False, compare=False)
    """The notations of features whose numbers are not written as plain numbers."""

    noun: ClassVar[str] = "program"
    by_rule: ClassVar[bool] = True
    """Whether one rule decides each record (`prediction.Decider`)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", _tuple_of(str, self.features, "a list of features"))
        object.__setattr__(self, "rules", _tuple_of(Rule, self.rules, "a list of rules"))
        object.__setattr__(self, "otherwise", _to_plain_label(self.otherwise))
        known = set(self.features)
        if len(known) < len(self.features):
            twice = next(name for name in self.features if self.features.count(name) > 1)
            raise ProgramError(f"the feature {twice!r} appears twice; rename one of them")
        if self.target in known:
            raise ProgramError(
                f"{self.target!r} is the target, so it cannot be a feature; leave it out of the features"
            )
        _check_labels([rule.head for rule in self.rules] + [self.otherwise])
        levels = list(_nesting_levels(self.rules))
        literals = _literals(levels)
        heads = [rule.head for rule in self.rules]
        if not {literal.feature for literal in literals} <= known or len(levels) > MAX_DEPTH or None in heads:
            self._refuse_first(known)
        object.__setattr__(self, "notations", _notations(literals))
        if self.notations:
            _check_notations(literals, self.notations)

    def _refuse_first(self, known: set[str]) -> None:
        """Raise an error about the first rule that is wrong."""
        for number, rule in enumerate(self.rules, 1):
            if rule.head is None:
                raise ProgramError(f"rule {number} has no label")
            if rule.depth > MAX_DEPTH:
                raise ProgramError(f"rule {number} nests {rule.depth} deep; {MAX_DEPTH} is the limit")
            for literal in rule.literals():
                if literal.feature not in known:
                    hint = suggest(literal.feature, self.features)
                    raise ProgramError(f"rule {number} tests {literal.feature!r}, not a feature of the program{hint}")

    @property
    def heads(self) -> tuple[Label | None, ...]:
        """The label of every rule and, last, ``otherwise``; `prediction.deciding_rules` gives indices into them."""
        return (*(rule.head for rule in self.rules), self.otherwise)

    @property
    def lists(self) -> tuple[Program, ...]:
        """The program itself as the only list; other deciders have several lists."""
        return (self,)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The different labels that the program can give, in the order of its rules."""
        return tuple(label for label in dict.fromkeys(self.heads) if label is not None)

    @property
    def used(self) -> tuple[str, ...]:
        """The features that literals test, in the order of ``features``; predictions need only these."""
        used = {literal.feature for literal in _literals(_nesting_levels(self.rules))}
        return tuple(feature for feature in self.features if feature in used)

    def literals(self) -> Iterator[Literal]:
        """Yield every literal of all rules, in reading order."""
        return (literal for rule in self.rules for literal in rule.literals())

    def literals_by_feature(self) -> dict[str, list[Literal]]:
        """Return the literals on each feature that the rules test, in the order of ``features``."""
        found: dict[str, list[Literal]] = {feature: [] for feature in self.used}
        for literal in self.literals():
            found[literal.feature].append(literal)
        return found

    @property
    def all_rules(self) -> Program:
        """The program itself (`prediction.Decider`)."""
        return self

    @property
    def closed(self) -> bool:
        """Whether a last rule without conditions gives the label of all other records, instead of ``otherwise``."""
        last = self.rules[-1] if self.rules else None
        return self.otherwise is None and last is not None and not last.default and not last.exceptions

    @property
    def exception_count(self) -> int:
        """The number of exceptions, including exceptions to exceptions."""
        return sum(map(len, _nesting_levels(self.rules))) - len(self.rules)

    def decides(self, record: Mapping[str, object]) -> int | None:
        """Return the index of the rule that decides a record; None if no rule covers it."""
        return next((number for number, rule in enumerate(self.rules) if rule.covers(record)), None)

    def label(self, record: Mapping[str, object]) -> Label | None:
        """Return the label of one record, read by `read`: that of the deciding rule, or else ``otherwise``."""
        number = self.decides(self.read(record))
        return self.otherwise if number is None else self.rules[number].head

    def read(self, record: Mapping[str, object]) -> dict[str, object]:
        """Return a record with the cells that rules test as ``read_table(records, like=program)`` reads them.

        Where a rule compares a feature with a number, text that spells a number is that number. Where rules compare it
        only with text, a number is its text.
        """
        found = dict(record)
        for feature, literals in self.literals_by_feature().items():
            if feature not in record:
                continue  # an error only if a rule asks for it
            value = cell_value(record[feature])
            match cells_compared_with(literals):
                case "number" if isinstance(value, str):
                    number = parse_number(value)
                    found[feature] = value if number is None else number
                case "text" if isinstance(value, float):
                    found[feature] = number_to_text(value)
        return found

    def __len__(self) -> int:
        """Return the number of rules, without exceptions."""
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __str__(self) -> str:
        target = quote_if_needed(self.target)
        lines = [f"{target}: {rule}" for rule in (self.rules[:-1] if self.closed else self.rules)]
        rest = self.rules[-1].head if self.closed else self.otherwise
        if rest is not None:
            lines.append(f"{target}: {label_text(rest)} otherwise")
        return "\n".join(lines) or f"{target}: no rules"

    def _repr_html_(self) -> str:
        rules = "".join(f"<li>{_rule_html(rule)}</li>" for rule in self.rules[:_SHOWN])
        more = f"<p>and {len(self) - _SHOWN} more rules: print(…) shows all</p>" if len(self) > _SHOWN else ""
        rest = "" if self.otherwise is None else f"<p>otherwise <b><bdi>{escape(str(self.otherwise))}</bdi></b></p>"
        return f"<p><bdi>{escape(self.target)}</bdi>:</p><ol>{rules}</ol>{more}{rest}"

    def __repr__(self) -> str:
        size = f"{count_text(len(self.rules), 'rule')} over {count_text(len(self.features), 'feature')}"
        return f"<Program for {self.target!r}: {size}>\n{self}"


def _nesting_levels(rules: Iterable[Rule]) -> Iterator[list[Rule]]:
    """Yield the rules, then all their exceptions, then the exceptions to these, and so on."""
    level = list(rules)
    while level:
        yield level
        level = [exception for rule in level for exception in rule.exceptions]


def _literals(levels: Iterable[list[Rule]]) -> list[Literal]:
    return [literal for level in levels for rule in level for literal in rule.default]


def _notations(literals: Iterable[Literal]) -> dict[str, Notation]:
    return {one.feature: one.value.notation for one in literals if one.value.__class__ is NotatedNumber}


def _check_notations(literals: Iterable[Literal], notations: Mapping[str, Notation]) -> None:
    """Reject a feature with numbers in two notations, and a test that compares the text of such a number with *is*."""
    for literal in literals:
        notation, value = notations.get(literal.feature), literal.value
        if isinstance(value, float) and notation != (value.notation if isinstance(value, NotatedNumber) else None):
            raise ProgramError(
                f"the numbers of {literal.feature!r} are written in two ways: {literal}, and as {notation}"
            )
        if isinstance(value, str) and notation is not None and notation.number(value) is not None:
            raise ProgramError(f"{literal} cannot hold: {literal.feature!r} has an order, and is compared by it")


_PLAIN_HEADS = (str, type(None))


def _is_plain(head: object, default: object, exceptions: object) -> bool:
    """Whether the parts of a rule need no conversion and no check."""
    if default.__class__ is not tuple or exceptions.__class__ is not tuple or head.__class__ not in _PLAIN_HEADS:
        return False
    for literal in default:  # a loop takes a third of the time of all()
        if literal.__class__ is not Literal:
            return False
    return all(rule.__class__ is Rule and rule.head is None for rule in exceptions) if exceptions else True


def _tuple_of(kind: type, items: object, name: str) -> tuple[object, ...]:
    """Return the items as a tuple, all of one type; reject a text or a single item."""
    found = tuple(items) if isinstance(items, Iterable) and not isinstance(items, str) else None
    wrong = [items] if found is None else [item for item in found if not isinstance(item, kind)]
    if found is None or wrong:
        raise ProgramError(f"{name} must be a tuple of {kind.__name__}, not {wrong[0]!r:.60}")
    return found


def _rule_text(rule: Rule) -> str:
    head = "" if rule.head is None else f"{label_text(rule.head)} "
    asks = " and ".join(map(condition_text, conditions_as_written(rule.default)))
    text = f"{head}if {asks}" if head and asks else asks or f"{head}always"
    for exception in rule.exceptions:  # one frame per level: through str(), 200 levels exceed Python's limit
        text += f" unless ({_rule_text(exception)})"
    return text


def label_text(label: Label) -> str:
    """Return a label as in the text of rules: the text '1' is in quotes, since 1 is the number.

    >>> [label_text(label) for label in ("refuse", "1", 1, 1.5, True)]
    ['refuse', "'1'", '1', '1.5', 'True']
    """
    return quote_if_needed(label) if isinstance(label, str) else repr(label)


def cells_compared_with(literals: Iterable[Literal]) -> OneOf["number", "text"] | None:
    """Return how cells of a feature are read for its literals: as numbers, if one compares plain numbers, or as text.

    Return None for dates and other notations, which literals read themselves, and if nothing is compared.
    """
    values = [literal.value for literal in literals if literal.value is not None]
    if any(one.notation.plain if isinstance(one, NotatedNumber) else isinstance(one, float) for one in values):
        return "number"
    return "text" if values and all(isinstance(value, str) for value in values) else None


def _rule_html(rule: Rule) -> str:
    """Return a rule as HTML with its exceptions as nested lists, for notebooks, which may not have jinja2."""
    text = "" if rule.head is None else f"<b><bdi>{escape(str(rule.head))}</bdi></b>{' if' if rule.default else ''} "
    text += (
        f"<bdi>{escape(' and '.join(map(condition_text, conditions(rule.default))))}</bdi>"
        if rule.default
        else "always"
    )
    if rule.exceptions:
        text += "<ul>"
        for exception in rule.exceptions:  # one frame per level, as in _sentence
            text += f"<li>unless {_rule_html(exception)}</li>"
        text += "</ul>"
    return text


def _cell_of_record(record: Mapping[str, object], feature: str) -> object:
    try:
        return record[feature]
    except KeyError:
        raise UnknownNameError(f"the record has no {feature!r}{suggest(feature, record)}") from None


def _to_plain_label(label: object) -> Label | None:
    """Return a label as a plain Python value; numpy scalars and enumerations print and compare differently."""
    found = to_python_value(label)
    if found is None or isinstance(found, bool):
        return found
    if isinstance(found, str):
        return str.__str__(found)  # its text: str() of an enumeration's member may be its name
    if isinstance(found, int):
        return int(found)
    if isinstance(found, float) and not isnan(found):
        return float(found)
    raise ProgramError(f"a label must be text, a number or a boolean, not {label!r}")


def _check_labels(labels: list[Label | None]) -> None:
    """Reject labels of mixed types: 1, True and '1' would be different labels that are equal or print the same."""
    kinds = {"text": str, "booleans": bool, "numbers": int | float}
    present = {label.__class__: label for label in labels if label is not None}.values()  # one of each type
    found = {next(kind for kind in kinds if isinstance(label, kinds[kind])): label for label in present}
    if len(found) > 1:
        shown = " and ".join(f"{kind} ({label!r})" for kind, label in found.items())
        raise ProgramError(f"all labels of a program must be of one kind, not {shown}; convert the target column")
