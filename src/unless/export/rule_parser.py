"""The program that a text of rules means: `parse`. What names, values and labels are, the text says, or a model.

`grammar` reads the words. Here ``income <= 21000`` becomes a literal: the feature is looked up, the value is read in
the notation of the feature, and what the language has no literal for is said by those it has. ``age < 30`` is ``age <=
29.999999999999996``, the last number before 30 (and is printed as ``age < 30``), and of dates and levels the last one
before; ``age = 30`` is ``age >= 30 and age <= 30``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, nextafter
from typing import NoReturn

from unless.errors import ParameterError, ProgramError, RuleTextError, UnlessWarning, suggest
from unless.export.json_text import uncollected
from unless.export.rule_grammar import OPPOSITE, Asked, Declared, Node, Phrase, Script, read
from unless.limits import refuse_above_limit
from unless.model import model_of
from unless.rule import Literal, Program, Rule, SpokenOperator
from unless.table import MAX_DOMAIN_VALUES, Kind, Schema, Table
from unless.values import Label, label_index, parse_number, to_python_value
from unless.values.notation import (
    DATE,
    DATETIME,
    DURATION,
    FLAG,
    INSTANT,
    TIME,
    LevelNotation,
    Notation,
    common_notation,
    notation_from_json,
)
from unless.values.spelling import quote_if_needed

__all__ = ["new_categories", "parse"]

_TARGET = "label"
"""What the target is called where nobody says."""

_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[+-]?[0-9]+(?:_[0-9]+)+(?:\.[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")
_INFINITE = {"inf": inf, "+inf": inf, "-inf": -inf}
_WRITTEN = {
    "date": "a date like 2020-08-01",
    "datetime": "a time like 2020-08-01 12:30",
    "instant": "a time like 2020-08-01 12:30Z",
    "time": "a time like 12:30",
    "duration": "a duration like 2 d 3 h",
}


def parse(
    text: str,
    *,
    like: object = None,
    target: str | None = None,
    features: Sequence[str] | None = None,
    labels: Sequence[Label] | None = None,
) -> Program:
    """The program that a text of rules says.

    It reads what people write, and what is printed: `unless.export.to_rules` writes all of a program, so that
    ``parse(to_rules(program)) == program`` for every program, and ``parse(str(program), like=program) == program``.
    ``parse(str(model), like=model)`` says the same as its program, with each condition once, as it is printed.

    A rule is ``label if condition and condition unless condition``, on one line or on several; ``label otherwise`` is
    for the records that no rule covers, and ``label if true`` for all. An exception to an exception is in parentheses,
    ``unless (a is b unless …)``, or on a line of its own, indented below it; exceptions on one line are all exceptions
    to the same rule. ``#`` starts a comment. Operators are signs (``<= < >= > = !=``) or words: is, is not, is at most,
    is at least, is above, is below, is missing, is present. Texts are in quotes where they have signs or words of rules
    in them, or look like numbers: ``size is '5'`` is the text, ``size is 5`` the number.

    Parameters
    ----------
    text
        The rules.
    like
        A model, a `Program` or a `Table`: the rules are about its target and its features, compare them as it does,
        and give its labels, whatever their type. Names that it does not know are errors, and categories that it has not
        seen are warnings.
    target, features, labels
        The name of the target, all features, in order, and all labels, where neither the text nor ``like`` tells them,
        or to overrule these. By default the target is called ``label``, and the features are those of the rules.

    Raises
    ------
    RuleTextError
        With the line, the column and a mark below the place, if the text cannot be read or names what is not there.

    Examples
    --------
    >>> from unless import parse
    >>> print(parse("refuse if income <= 21000 and history is late unless guarantor is yes"))
    label: refuse if income <= 21000 and history is 'late' unless (guarantor is 'yes')
    >>> print(parse('''
    ... loan: refuse if age < 18                # nobody below 18
    ...     unless guarantor is yes
    ...         unless income is above 5,000 and at most 9,000
    ... loan: accept otherwise
    ... '''))
    loan: refuse if age < 18 unless (guarantor is 'yes' unless (income is above 5000 and at most 9000))
    loan: accept otherwise
    """
    if not isinstance(text, str):
        raise ParameterError(
            f"rules are read from a text, not from {type(text).__name__}; for a file: path.read_text()"
        )
    refuse_above_limit("model", len(text), f"a text of {len(text):,} letters")
    known = _known(like, target, features, labels)
    with uncollected():
        script = read(text)
        if script.empty:
            raise ProgramError("there are no rules in this text; write: refuse if income <= 21000")
        meaning = _Meaning(script, known)
        program = meaning.program()
    if lines := meaning.unseen():
        warnings.warn("\n".join(["values that training did not have:", *lines]), UnlessWarning, stacklevel=2)
    return program


@dataclass(frozen=True, slots=True)
class _Known:
    """What a model, or the caller, says about the names in a text; None where nobody says."""

    target: str | None = None
    features: tuple[str, ...] | None = None
    labels: tuple[Label, ...] | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    notations: Mapping[str, Notation] = field(default_factory=dict)
    seen: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """All categories of some features."""
    closed: bool = True
    """Whether there are no other labels: a program only shows those that it gives."""
    ends_with_a_rule: bool = False
    """Whether a program has a last rule for all other records, which it prints as ``otherwise``."""


def _known(like: object, target: str | None, features: Sequence[str] | None, labels: Sequence[Label] | None) -> _Known:
    found = _told(like)
    if isinstance(features, str):
        raise ParameterError(f"features is a list of names, not {features!r}")
    return _Known(
        found.target if target is None else target,
        found.features if features is None else tuple(features),
        found.labels if labels is None else tuple(to_python_value(label) for label in labels),
        found.kinds,
        found.notations,
        found.seen,
        labels is not None or found.closed,
        found.ends_with_a_rule,
    )


def _told(like: object) -> _Known:
    match like:
        case None:
            return _Known()
        case Program():
            known = _Known(like.target, like.features, like.labels or None, {}, like.notations)
            return replace(known, closed=False, ends_with_a_rule=like.closed)
        case Table():
            labels = None if like.target is None else like.target.labels
            return _of_schema(like.schema, like.schema.target, labels, like)
        case _ if (model := model_of(like)) is not None:
            return _of_schema(model.schema, model.program.target, model.statistics.classes, model.domain)
    raise ParameterError(f"like is a model, a Program or a Table, not {type(like).__name__} {like!r:.60}")


def _of_schema(schema: Schema, target: str | None, labels: tuple[Label, ...] | None, seen: Table) -> _Known:
    categories = {one.name: one.categories for one in seen.columns if 0 < len(one.categories) < MAX_DOMAIN_VALUES}
    return _Known(target, tuple(schema.kinds), labels, schema.kinds, schema.notations, categories)


class _Meaning:
    """Makes the program of what a text says and what is known."""

    def __init__(self, script: Script, known: _Known) -> None:
        self._script, self._known = script, known
        self._features: dict[str, str] = {}
        self._unseen: dict[tuple[str, str], None] = {}
        self._notations: dict[str, Notation] = {}

    def program(self) -> Program:
        declared = self._declared()
        self._features = {name: name for name in self._known.features or declared or ()}
        self._open = self._known.features is None and declared is None
        self._notations |= self._known.notations
        if not self._known.kinds:  # a table and a model know how all numbers are written, a program only those it tests
            self._notations |= self._inferred()
        heads = self._labels()
        rules = [self._rule(node, head) for node, head in zip(self._script.rules, heads, strict=False)]
        otherwise = None if self._script.otherwise is None else heads[-1]
        if otherwise is not None and self._known.ends_with_a_rule:
            rules, otherwise = [*rules, Rule(otherwise)], None
        return Program(self._target(), tuple(self._features), tuple(rules), otherwise)

    def _fail(self, phrase: Phrase, finding: str) -> NoReturn:
        raise RuleTextError(finding, self._script.text, phrase.start, phrase.length)

    # Names.

    def _target(self) -> str:
        said, known = self._script.target, self._known.target
        if said is None:
            if known is None and _TARGET in self._features:
                raise ProgramError(f"{_TARGET!r} is a feature of these rules; name the target: parse(text, target=…)")
            return _TARGET if known is None else known
        if known is not None and said.text != known:
            self._fail(said, f"the target is {known!r}, not {said.text!r}")
        if said.text in self._features:
            self._fail(said, f"{said.text!r} is the target, and a feature too; rename one of them")
        return said.text

    def _declared(self) -> list[str] | None:
        """The features that the text declares, and how their numbers are written."""
        found = self._script.features
        if found is None:
            return None
        names: dict[str, None] = {}
        for one in found:
            if one.name.text in names:
                self._fail(one.name, f"the feature {one.name.text!r} appears twice")
            if self._known.features is not None and one.name.text not in self._known.features:
                self._fail(one.name, f"no feature {one.name.text!r}{suggest(one.name.text, self._known.features)}")
            names[one.name.text] = None
            notation = self._notation(one)
            if notation is not None:
                self._check_notation(one.name, notation)
                self._notations[one.name.text] = notation
        return list(names)

    def _check_notation(self, name: Phrase, notation: Notation) -> None:
        known = self._known.notations.get(name.text)
        if known is None and not self._known.kinds:
            return
        if type(known) is not type(notation) or (isinstance(known, LevelNotation) and known != notation):
            written = "number" if known is None or known.plain else known.name
            self._fail(name, f"{name.text!r} is a {written}, which a text cannot change")

    def _notation(self, one: Declared) -> Notation | None:
        if one.notation is None:
            return self._order(one.levels) if one.levels else None
        word, form = one.notation, one.levels
        node: object = {word.text: form[0].text} if form else word.text
        notation = notation_from_json(node)
        if notation is None:
            known = ("date", "datetime", "instant", "time", "duration", "flag")
            self._fail(word, f"no way to write numbers {word.text!r}{suggest(word.text, known)}; levels: (S < M < L)")
        return notation

    def _order(self, levels: tuple[Phrase, ...]) -> Notation:
        names: dict[str, None] = {}
        for one in levels:
            if one.text in names:
                self._fail(one, f"the level {one.text!r} appears twice")
            names[one.text] = None
        return LevelNotation(tuple(names))

    def _inferred(self) -> dict[str, Notation]:
        """The notations of features that are compared with dates, times and durations, and are not declared."""
        found: dict[str, set[Notation]] = {}
        stack = list(self._script.rules)
        while stack:
            node = stack.pop()
            stack += node.exceptions
            for feature, op, value in node.default:
                if value is not None and op in _BOUNDS and _plain_number(value) is None:
                    notation = _guessed(value.text)
                    if notation is not None and feature.text not in self._notations:
                        found.setdefault(feature.text, set()).add(notation)
        return {name: one for name, some in found.items() if (one := common_notation(some)) is not None}

    def _feature(self, phrase: Phrase) -> str:
        name = self._features.get(phrase.text)
        if name is None:
            if not self._open:
                self._fail(phrase, f"no feature {phrase.text!r}{suggest(phrase.text, self._features)}")
            name = self._features[phrase.text] = phrase.text
        return name

    # Labels.

    def _labels(self) -> list[Label]:
        """The labels of the rules and, last, of all other records if they have one."""
        phrases = [node.head for node in self._script.rules if node.head is not None]
        phrases += [] if self._script.otherwise is None else [self._script.otherwise]
        if self._known.labels is not None:
            return self._known_labels(phrases, self._known.labels)
        read_labels = {phrase: _label(phrase) for phrase in phrases}
        kinds = {_kind(label) for label in read_labels.values()}
        # 1 beside "other" is the text "1": all labels of a program are of one kind
        return [phrase.text if len(kinds) > 1 else read_labels[phrase] for phrase in phrases]

    def _known_labels(self, phrases: Iterable[Phrase], known: tuple[Label, ...]) -> list[Label]:
        alike = {type(label) for label in known} in ({str}, {int})  # each is spelled in one way, and looked up by it
        places: dict[str, Label] = {str(label): label for label in known} if alike else {}
        found = []
        for phrase in phrases:
            if phrase.text not in places:
                place = label_index(phrase.text, known)
                if place is None and not self._known.closed:
                    places[phrase.text] = self._another(phrase, known[0])
                    found.append(places[phrase.text])
                    continue
                if place is None:
                    shown = (
                        phrase.text
                        if parse_number(phrase.text) is not None and not phrase.quoted
                        else repr(phrase.text)
                    )
                    self._fail(phrase, f"no label {shown}{suggest(phrase.text, known)}")
                places[phrase.text] = known[place]
            found.append(places[phrase.text])
        return found

    def _another(self, phrase: Phrase, known: Label) -> Label:
        """A new label, of the kind of the known ones."""
        label = _label(phrase)
        if isinstance(known, str):
            return phrase.text
        if _kind(label) != _kind(known):
            self._fail(
                phrase, f"the labels are {_KINDS[_kind(known)]}, such as {known!r}; {phrase.text!r} is another kind"
            )
        return label

    # Rules.

    def _rule(self, node: Node, head: Label | None) -> Rule:
        default: list[Literal] = []
        for asked in node.default:
            default += self._literals(asked)
        exceptions = [self._rule(one, None) for one in node.exceptions]  # the grammar refuses more than 200 levels
        return Rule(head, tuple(default), tuple(exceptions))

    def _literals(self, asked: Asked) -> list[Literal]:
        if _NOT.match(asked.feature.text) and not asked.feature.quoted and asked.feature.text not in self._features:
            self._negated(asked)
        feature, op, value = self._feature(asked.feature), asked.op, asked.value
        if value is None:
            return [Literal(feature, op)]  # type: ignore[arg-type]
        if op in _BOUNDS:
            return [self._bound(feature, op, self._number(feature, value), value)]
        return self._equality(asked, feature, value)

    def _negated(self, asked: Asked) -> NoReturn:
        """Refuse ``not x > y``, which says nothing of a missing x, and could be a name; say what to write."""
        name, value = _NOT.sub("", asked.feature.text), "" if asked.value is None else f" {asked.value.text}"
        opposite = f"{name} {_WORDS.get(op := OPPOSITE[asked.op], op)}{value}"
        missing = f", or for missing cells too an exception: unless {name} {asked.op}{value}"
        self._fail(
            asked.feature,
            f"'not' comes after the name of a feature: write {opposite}{missing if asked.op in _BOUNDS else ''}; "
            "a name that starts with 'not' is written in quotes",
        )

    def _number(self, feature: str, value: Phrase) -> float:
        """The number that a feature is compared with, which knows how it is written."""
        notation = self._notations.get(feature)
        if self._known.kinds.get(feature) == "text":
            self._fail(value, f"{feature!r} has categories, not numbers; compare it with: is, is not")
        if value.text.startswith("number ") and not value.quoted:
            number = _number_in(value.text.removeprefix("number "))
        elif notation is not None and not notation.plain:
            number = notation.back(value.text)
            if number is None:
                number = notation.number(value.text)
            if number is None and not value.quoted:
                number = _INFINITE.get(value.text)
        else:
            number = _plain_number(value)
        if number is None:
            self._fail(value, f"{value.text!r} is not {self._sort(notation, value)}")
        return number if notation is None else notation.value(number)

    def _sort(self, notation: Notation | None, value: Phrase) -> str:
        match notation:
            case LevelNotation(levels):
                return f"one of the levels{suggest(value.text, levels)}"
            case Notation(plain=False, name=name):
                return _WRITTEN[name]
        if value.quoted and _number_in(value.text) is not None:
            return "a number, but a text; leave out the quotes"
        return "a number; for levels, say their order: features: size (S < M < L)" if self._open else "a number"

    def _bound(self, feature: str, op: SpokenOperator, number: float, value: Phrase) -> Literal:
        if op in ("<=", ">"):
            return Literal(feature, op, number)
        below = _before(number)
        if below is None:
            self._fail(value, f"nothing is below {value.text}, so this says nothing; leave it out")
        return Literal(feature, "<=" if op == "<" else ">", below)

    def _equality(self, asked: Asked, feature: str, value: Phrase) -> list[Literal]:
        """A category that a feature is or is not; or a number that it is, as two bounds."""
        notation, kind = self._notations.get(feature), self._known.kinds.get(feature)
        number = self._equal_number(value, notation, kind)
        if number is None:
            if kind == "number":
                self._fail(value, f"{feature!r} has numbers, and {value.text!r} is none")
            seen = self._known.seen.get(feature)
            if seen is not None and value.text not in seen:
                self._unseen[feature, value.text] = None
            return [Literal(feature, asked.op, value.text)]  # type: ignore[arg-type]
        if asked.op == "!=":
            self._fail(
                value,
                f"{value.text} is a number here, and a test whether a number is not another does not exist; "
                f"write: unless {quote_if_needed(feature)} = {value.text}; or, if it is a text: {value.text!r}",
            )
        if notation == FLAG and number in (0, 1):
            return [Literal(feature, ">" if number else "<=", FLAG.value(0.0))]
        at_most = Literal(feature, "<=", number)
        if isinstance(notation, LevelNotation) and number == 0:
            return [at_most]
        return [self._bound(feature, ">=", number, value), at_most]

    def _equal_number(self, value: Phrase, notation: Notation | None, kind: Kind | None) -> float | None:
        if notation is not None and not notation.plain:
            number = notation.number(value.text)
            if number is None and not value.quoted:  # in quotes it is what a cell has, which may be in another format
                number = notation.back(value.text)
        elif kind == "text" or value.quoted:
            return None
        else:
            number = _number_in(value.text)
        return number if number is None or notation is None else notation.value(number)

    def unseen(self) -> list[str]:
        """The categories that nobody has seen: a typing error makes a rule that never holds."""
        return [_new_category(feature, text, self._known.seen[feature]) for feature, text in self._unseen]


def new_categories(program: Program, table: Table) -> list[str]:
    """What to say of categories that rules ask for and no record of a table has."""
    seen = _of_schema(table.schema, None, None, table).seen
    asked = dict.fromkeys(
        (one.feature, one.value)
        for rule in program.rules
        for one in rule.literals()
        if one.op in ("==", "!=") and isinstance(one.value, str)
    )
    return [
        _new_category(feature, text, seen[feature])
        for feature, text in asked
        if feature in seen and text not in seen[feature]
    ]


def _new_category(feature: str, text: str, seen: Sequence[str]) -> str:
    return f"{feature} has no {text!r}{suggest(text, seen)}"


_BOUNDS: tuple[SpokenOperator, ...] = ("<=", ">", "<", ">=")
_NOT = re.compile(r"not\s+", re.IGNORECASE)
_WORDS: Mapping[SpokenOperator, str] = {"==": "is", "!=": "is not", "missing": "is missing", "present": "is present"}


def _before(number: float) -> float | None:
    """The last value before a number: of dates the day before, of levels the one below; None if there is none.

    >>> _before(30.0), _before(DATE.value(DATE.number("2020-08-01")))
    (29.999999999999996, 2020-07-31)
    """
    notation: Notation | None = getattr(number, "notation", None)
    if notation is None:
        return nextafter(number, -inf) if number > -inf else None
    below = float(number) - notation.step
    if below == number:  # too large to have a step
        below = nextafter(float(number), -inf)
    found = notation.value(below)
    return found if notation.plain or notation.back(notation.text(below)) == below else None


def _number_in(text: str) -> float | None:
    """The number that a text spells, which may have signs between its thousands: 21,000 and 21_000."""
    found = parse_number(text)
    if found is not None:
        return found
    if _GROUPED.fullmatch(text):
        return parse_number(text.replace(",", "").replace("_", ""))
    return _INFINITE.get(text.lower())


def _plain_number(value: Phrase) -> float | None:
    return None if value.quoted else _number_in(value.text)


def _guessed(text: str) -> Notation | None:
    """The notation of a text that is hardly anything else."""
    if DATETIME.back(text) is not None:
        zoned = ":" in text and (text.rstrip().endswith("Z") or re.search(r":.*[+-]", text) is not None)
        return INSTANT if zoned else DATE if len(text.strip()) == len("2020-08-01") else DATETIME
    return next((one for one in (TIME, DURATION) if one.number(text) is not None), None)


def _label(phrase: Phrase) -> Label:
    """A label as it is spelled: 1 is a whole number, 1.0 a number, True a boolean; all else, and in quotes, is text."""
    text = phrase.text
    if phrase.quoted:
        return text
    if text in ("True", "False"):
        return text == "True"
    if _WHOLE.fullmatch(text) and str(int(text)) == text.removeprefix("+"):
        return int(text)
    number = parse_number(text)
    if number is None:
        number = _INFINITE.get(text)
    return text if number is None or re.match(r"[+-]?0[0-9]", text) else number


_KINDS: dict[type, str] = {bool: "booleans", float: "numbers"}


def _kind(label: Label) -> type:
    return bool if isinstance(label, bool) else str if isinstance(label, str) else float
