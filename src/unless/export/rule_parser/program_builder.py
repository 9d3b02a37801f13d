"""Build a program from a parsed text of rules: look up features and labels, and read values in their notations.

``income <= 21000`` becomes a literal. Comparisons without a literal of their own are expressed by others: ``age < 30``
is ``age <= 29.999999999999996``, the last number before 30 (printed as ``age < 30``); for dates and levels, the bound
is the previous date or level; ``age = 30`` is ``age >= 30 and age <= 30``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NoReturn

from unless.errors import ProgramError, RuleTextError, suggest
from unless.export.rule_parser.condition_reader import OPPOSITE
from unless.export.rule_parser.known_names import KnownNames, new_category_text
from unless.export.rule_parser.parse_tree import ParsedCondition, ParsedFeature, ParsedRule, ParsedText, Span
from unless.export.rule_parser.value_texts import (
    INFINITE,
    guess_notation,
    label_type,
    number_before,
    read_label,
    read_number,
    read_plain_number,
)
from unless.rule import Literal, Program, Rule, SpokenOperator
from unless.table import Kind
from unless.values import Label, label_index, parse_number
from unless.values.notation import FLAG, LevelNotation, Notation, common_notation, notation_from_json
from unless.values.spelling import quote_if_needed

_TARGET = "label"
"""The name of the target if none is given."""

_WRITTEN = {
    "date": "a date like 2020-08-01",
    "datetime": "a time like 2020-08-01 12:30",
    "instant": "a time like 2020-08-01 12:30Z",
    "time": "a time like 12:30",
    "duration": "a duration like 2 d 3 h",
}
_BOUNDS: tuple[SpokenOperator, ...] = ("<=", ">", "<", ">=")
_NOT = re.compile(r"not\s+", re.IGNORECASE)
_WORDS: Mapping[SpokenOperator, str] = {"==": "is", "!=": "is not", "missing": "is missing", "present": "is present"}
_KINDS: dict[type, str] = {bool: "booleans", float: "numbers"}


class ProgramBuilder:
    """Builds a program from a parsed text and known names."""

    def __init__(self, parsed: ParsedText, known: KnownNames) -> None:
        self._parsed, self._known = parsed, known
        self._features: dict[str, str] = {}
        self._unseen: dict[tuple[str, str], None] = {}
        self._notations: dict[str, Notation] = {}

    def program(self) -> Program:
        """Build the program."""
        declared = self._read_declarations()
        self._features = {name: name for name in self._known.features or declared or ()}
        self._open = self._known.features is None and declared is None
        self._notations |= self._known.notations
        if not self._known.kinds:  # tables and models have all notations, a program only those it tests
            self._notations |= self._infer_notations()
        heads = self._find_labels()
        rules = [self._make_rule(node, head) for node, head in zip(self._parsed.rules, heads, strict=False)]
        otherwise = None if self._parsed.otherwise is None else heads[-1]
        if otherwise is not None and self._known.ends_with_a_rule:
            rules, otherwise = [*rules, Rule(otherwise)], None
        return Program(self._find_target(), tuple(self._features), tuple(rules), otherwise)

    def _fail(self, span: Span, finding: str) -> NoReturn:
        raise RuleTextError(finding, self._parsed.text, span.start, span.length)

    # Looking up names.

    def _find_target(self) -> str:
        said, known = self._parsed.target, self._known.target
        if said is None:
            if known is None and _TARGET in self._features:
                raise ProgramError(f"{_TARGET!r} is a feature of these rules; name the target: parse(text, target=…)")
            return _TARGET if known is None else known
        if known is not None and said.text != known:
            self._fail(said, f"the target is {known!r}, not {said.text!r}")
        if said.text in self._features:
            self._fail(said, f"{said.text!r} is the target, and a feature too; rename one of them")
        return said.text

    def _read_declarations(self) -> list[str] | None:
        """Read the features that the text declares, with their notations."""
        found = self._parsed.features
        if found is None:
            return None
        names: dict[str, None] = {}
        for one in found:
            if one.name.text in names:
                self._fail(one.name, f"the feature {one.name.text!r} appears twice")
            if self._known.features is not None and one.name.text not in self._known.features:
                self._fail(one.name, f"no feature {one.name.text!r}{suggest(one.name.text, self._known.features)}")
            names[one.name.text] = None
            notation = self._make_notation(one)
            if notation is not None:
                self._check_notation(one.name, notation)
                self._notations[one.name.text] = notation
        return list(names)

    def _check_notation(self, name: Span, notation: Notation) -> None:
        known = self._known.notations.get(name.text)
        if known is None and not self._known.kinds:
            return
        if type(known) is not type(notation) or (isinstance(known, LevelNotation) and known != notation):
            written = "number" if known is None or known.plain else known.name
            self._fail(name, f"{name.text!r} is a {written}, which a text cannot change")

    def _make_notation(self, one: ParsedFeature) -> Notation | None:
        if one.notation is None:
            return self._make_order(one.levels) if one.levels else None
        word, form = one.notation, one.levels
        node: object = {word.text: form[0].text} if form else word.text
        notation = notation_from_json(node)
        if notation is None:
            known = ("date", "datetime", "instant", "time", "duration", "flag")
            self._fail(word, f"no way to write numbers {word.text!r}{suggest(word.text, known)}; levels: (S < M < L)")
        return notation

    def _make_order(self, levels: tuple[Span, ...]) -> Notation:
        names: dict[str, None] = {}
        for one in levels:
            if one.text in names:
                self._fail(one, f"the level {one.text!r} appears twice")
            names[one.text] = None
        return LevelNotation(tuple(names))

    def _infer_notations(self) -> dict[str, Notation]:
        """Infer the notations of undeclared features that are compared with dates, times and durations."""
        found: dict[str, set[Notation]] = {}
        stack = list(self._parsed.rules)
        while stack:
            node = stack.pop()
            stack += node.exceptions
            for feature, op, value in node.default:
                if value is not None and op in _BOUNDS and read_plain_number(value) is None:
                    notation = guess_notation(value.text)
                    if notation is not None and feature.text not in self._notations:
                        found.setdefault(feature.text, set()).add(notation)
        return {name: one for name, some in found.items() if (one := common_notation(some)) is not None}

    def _find_feature(self, span: Span) -> str:
        name = self._features.get(span.text)
        if name is None:
            if not self._open:
                self._fail(span, f"no feature {span.text!r}{suggest(span.text, self._features)}")
            name = self._features[span.text] = span.text
        return name

    # Looking up labels.

    def _find_labels(self) -> list[Label]:
        """Find the labels of the rules and, last, the label of ``otherwise`` if there is one."""
        spans = [node.head for node in self._parsed.rules if node.head is not None]
        spans += [] if self._parsed.otherwise is None else [self._parsed.otherwise]
        if self._known.labels is not None:
            return self._match_labels(spans, self._known.labels)
        read_labels = {span: read_label(span) for span in spans}
        kinds = {label_type(label) for label in read_labels.values()}
        # 1 together with "other" is the text "1": all labels of a program are of one kind
        return [span.text if len(kinds) > 1 else read_labels[span] for span in spans]

    def _match_labels(self, spans: Iterable[Span], known: tuple[Label, ...]) -> list[Label]:
        one_spelling = {type(label) for label in known} in ({str}, {int})  # such labels are looked up by their text
        places: dict[str, Label] = {str(label): label for label in known} if one_spelling else {}
        found = []
        for span in spans:
            if span.text not in places:
                place = label_index(span.text, known)
                if place is None and not self._known.closed:
                    places[span.text] = self._make_label(span, known[0])
                    found.append(places[span.text])
                    continue
                if place is None:
                    shown = span.text if parse_number(span.text) is not None and not span.quoted else repr(span.text)
                    self._fail(span, f"no label {shown}{suggest(span.text, known)}")
                places[span.text] = known[place]
            found.append(places[span.text])
        return found

    def _make_label(self, span: Span, known: Label) -> Label:
        """Read a label that is new, but of the same type as the known labels."""
        label = read_label(span)
        if isinstance(known, str):
            return span.text
        if label_type(label) != label_type(known):
            self._fail(
                span, f"the labels are {_KINDS[label_type(known)]}, such as {known!r}; {span.text!r} is another kind"
            )
        return label

    # Building rules.

    def _make_rule(self, node: ParsedRule, head: Label | None) -> Rule:
        default: list[Literal] = []
        for asked in node.default:
            default += self._make_literals(asked)
        exceptions = [self._make_rule(one, None) for one in node.exceptions]  # the grammar rejects more than 200 levels
        return Rule(head, tuple(default), tuple(exceptions))

    def _make_literals(self, asked: ParsedCondition) -> list[Literal]:
        if _NOT.match(asked.feature.text) and not asked.feature.quoted and asked.feature.text not in self._features:
            self._refuse_negation(asked)
        feature, op, value = self._find_feature(asked.feature), asked.op, asked.value
        if value is None:
            return [Literal(feature, op)]  # type: ignore[arg-type]
        if op in _BOUNDS:
            return [self._make_bound(feature, op, self._read_number(feature, value), value)]
        return self._make_equality(asked, feature, value)

    def _refuse_negation(self, asked: ParsedCondition) -> NoReturn:
        """Reject ``not x > y``, which is ambiguous for a missing x and could be a name; suggest an unambiguous form."""
        name, value = _NOT.sub("", asked.feature.text), "" if asked.value is None else f" {asked.value.text}"
        opposite = f"{name} {_WORDS.get(op := OPPOSITE[asked.op], op)}{value}"
        missing = f", or for missing cells too an exception: unless {name} {asked.op}{value}"
        self._fail(
            asked.feature,
            f"'not' comes after the name of a feature: write {opposite}{missing if asked.op in _BOUNDS else ''}; "
            "a name that starts with 'not' is written in quotes",
        )

    def _read_number(self, feature: str, value: Span) -> float:
        """Read the number that a feature is compared with, in its notation."""
        notation = self._notations.get(feature)
        if self._known.kinds.get(feature) == "text":
            self._fail(value, f"{feature!r} has categories, not numbers; compare it with: is, is not")
        if value.text.startswith("number ") and not value.quoted:
            number = read_number(value.text.removeprefix("number "))
        elif notation is not None and not notation.plain:
            number = notation.back(value.text)
            if number is None:
                number = notation.number(value.text)
            if number is None and not value.quoted:
                number = INFINITE.get(value.text)
        else:
            number = read_plain_number(value)
        if number is None:
            self._fail(value, f"{value.text!r} is not {self._expected(notation, value)}")
        return number if notation is None else notation.value(number)

    def _expected(self, notation: Notation | None, value: Span) -> str:
        match notation:
            case LevelNotation(levels):
                return f"one of the levels{suggest(value.text, levels)}"
            case Notation(plain=False, name=name):
                return _WRITTEN[name]
        if value.quoted and read_number(value.text) is not None:
            return "a number, but a text; leave out the quotes"
        return "a number; for levels, say their order: features: size (S < M < L)" if self._open else "a number"

    def _make_bound(self, feature: str, op: SpokenOperator, number: float, value: Span) -> Literal:
        if op in ("<=", ">"):
            return Literal(feature, op, number)
        below = number_before(number)
        if below is None:
            self._fail(value, f"nothing is below {value.text}, so this says nothing; leave it out")
        return Literal(feature, "<=" if op == "<" else ">", below)

    def _make_equality(self, asked: ParsedCondition, feature: str, value: Span) -> list[Literal]:
        """Build the test that a feature is, or is not, a category; or that it equals a number, as two bounds."""
        notation, kind = self._notations.get(feature), self._known.kinds.get(feature)
        number, codes = self._equal_number(value, notation, kind), dict(self._known.special.get(feature, ()))
        if value.text in codes.values() or number in codes:  # a code means the category that it names
            return [Literal(feature, asked.op, codes.get(number, value.text))]  # type: ignore[arg-type]
        if number is None:
            if kind == "number":
                self._fail(value, f"{feature!r} has numbers, and {value.text!r} is not a number")
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
        return [self._make_bound(feature, ">=", number, value), at_most]

    def _equal_number(self, value: Span, notation: Notation | None, kind: Kind | None) -> float | None:
        if notation is not None and not notation.plain:
            number = notation.number(value.text)
            if number is None and not value.quoted:  # in quotes it is a cell's text, which may be in another format
                number = notation.back(value.text)
        elif kind == "text" or value.quoted:
            return None
        else:
            number = read_number(value.text)
        return number if number is None or notation is None else notation.value(number)

    def unseen_categories(self) -> list[str]:
        """Return warnings about categories that no record has: a rule with a typing error never holds."""
        return [new_category_text(feature, text, self._known.seen[feature]) for feature, text in self._unseen]
