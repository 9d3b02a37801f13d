"""Write a program for clingo, SWI-Prolog or s(CASP), exactly: thresholds are not rounded, and values are unchanged.

    class(X,"1") :- rule2(X), not rule1(X).
    rule2(X) :- record(X), flavanoids(X,N0), N0 > 203, not ab1(X).

Clauses have the exclusive form. Every body with negation starts with a goal that makes it safe, mostly ``record(X)``.

clingo has no decimals: numbers become integers. Dates and times are texts, which clingo and SWI-Prolog compare; s(CASP)
does not, so there they are microseconds. Levels of an order are texts, with facts that give the position of each
(``size_level("M",1)``); for s(CASP) they are just positions. If a goal does not show what its number stands for, a
comment does: ``N2 > 183600.  % wait > 2 d 3 h``.

Whatever clingo cannot write (names of columns, decimals, labels that are not text) is in comments that begin with
``%:`` and hold one JSON object each; `from_clingo` reads them.

For Prolog, numbers stay decimals and texts are quoted atoms. SWI-Prolog needs directives, for ``not`` and for
predicates without facts; s(CASP) takes them for constraints, which nothing violates but every explanation mentions.
s(CASP) makes its explanations from sentences (``#pred``); with the right operators, SWI-Prolog takes them for facts
that no query uses.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, get_args
from typing import Literal as OneOf

from unless.errors import ParameterError, ProgramError, UnknownNameError, suggest
from unless.export.clauses import Clause, Spelling, flatten, write_exclusive
from unless.export.conditions import list_of
from unless.logic.engine_names import (
    clingo_string,
    exact_json,
    for_comment,
    is_spellable,
    is_visible,
    new_name,
    prolog_atom,
)
from unless.logic.predicates import HIGHEST, Decimals, Feature, Ranks, name_predicates, sorted_text
from unless.model import Model
from unless.rule import Literal, Operator, Program
from unless.table import Column, Table
from unless.values import Label, number_to_json
from unless.values.notation import DateNotation, DurationNotation, LevelNotation, NotatedNumber, Notation, TimeNotation

FIRST_LINE = "% unless-program 2"
LABEL_KINDS = {str: "text", bool: "boolean", int: "number", float: "number"}
Dialect = OneOf["swi", "scasp", "both"]

_TOO_LARGE = 10**400
"""Python refuses to print much larger integers."""

_AVOIDED = {
    *("term_expansion", "goal_expansion"),  # SWI-Prolog asks a program for these while it loads it
    *("is", "mod", "rem", "inf", "sup", "findall", "goal_origin", "prolog", "writef"),  # s(CASP) has its own
}
"""Names that an engine reserves; unlike other system predicates, a program cannot redefine them."""

_SENTENCES = {
    "rule": "rule {} covers {{record}}",
    "undecided": "no rule up to {} covers {{record}}",
    "ab": "exception {} covers {{record}}",
}


def to_clingo(model: Program | Model, table: Table | None = None) -> str:
    """Write a program, or that of a model, for clingo, in the mutually exclusive form; with a table also its records.

    ``class(5,"2")`` in the answer means that record 5 (the first is 1) has label 2. Numbers become integers in a way
    that preserves the result of every comparison. The text is a whole program, and
    ``from_clingo(to_clingo(program)) == program``.
    """
    writer = ClingoWriter(list_of(model, "a clingo program"))
    rules = writer.rules()
    records = [] if table is None else [*writer.facts(table)]
    header = [f"%: {exact_json(parts)}" for parts in writer.header()]
    return "\n".join([FIRST_LINE, *header, *rules, *records]) + "\n"


def to_prolog(
    model: Program | Model,
    table: Table | None = None,
    dialect: Dialect = "swi",
    *,
    sentences: Mapping[str, str] | None = None,
) -> str:
    """Write a program, or that of a model, for SWI-Prolog or s(CASP), mutually exclusive; with a table also records.

    Ask ``?- class(5,L).`` for the label of record 5. Numbers are exact. If a predicate and its column have different
    names, a comment gives the name of the column.

    Parameters
    ----------
    dialect
        ``swi`` writes the directives that SWI-Prolog needs. ``scasp`` writes a sentence for every predicate, and
        nothing that would clutter its explanations. ``both`` writes one file for both engines, clutter included.
    sentences
        Sentences for s(CASP) by feature or target: ``{"age": "{record} is {value} years old"}``.
    """
    if dialect not in get_args(Dialect):
        raise ParameterError(f"no dialect {dialect!r}{suggest(str(dialect), get_args(Dialect))}")
    if sentences and dialect == "swi":
        raise ParameterError("sentences are for s(CASP); say so: dialect='scasp'")
    writer = PrologWriter(list_of(model, "a Prolog program"), dialect)
    rules = writer.rules()
    records = [] if table is None else [*writer.facts(table)]
    said = [] if dialect == "swi" else [*writer.sentences(sentences or {})]
    directives = [] if dialect == "scasp" else [*writer.directives()]
    return "\n".join([*writer.comments(), *directives, *said, *rules, *records]) + "\n"


class EngineWriter(ABC):
    """Writes one program for one engine; subclasses define how the engine writes numbers and texts.

    ``target`` is the predicate of the program's target, ``features`` has those of its features. ``stand_ins`` are the
    texts that the engine cannot write, each with its placeholder, numbered in order of appearance.
    """

    stand_in = "text{}"
    quoted: Callable[[str], str]
    """Writes a text that the engine can hold."""

    def __init__(self, program: Program, avoided: Collection[str] = (), *, texts: bool = True) -> None:
        taken = set(avoided)
        self.program = program
        self.target = new_name(program.target, taken)
        self.features = name_predicates(program, taken, texts=texts)
        self.stand_ins: dict[str, str] = {}
        self._place = {name: place for place, name in enumerate(program.features)}

    @abstractmethod
    def _number_label(self, label: float) -> str:
        """Write a label that is a number."""

    @abstractmethod
    def _number_cell(self, feature: Feature, number: float, /) -> str:
        """Write a number of a feature in a fact."""

    @abstractmethod
    def _comparison(self, feature: Feature, op: Operator, number: float, /) -> str:
        """Write the part of a comparison after the variable: ``> 203``."""

    @abstractmethod
    def _needs_comment(self, literal: Literal, /) -> bool:
        """Whether the number in the goals of a literal needs a comment that explains it."""

    def rules(self) -> list[str]:
        """Write the lines of the clauses, with the learned literals as comments if goals are less clear."""
        return [str(clause) + self._comment(clause) for clause in self.clauses()]

    def _comment(self, clause: Clause) -> str:
        unclear = [
            str(literal)
            for literal in clause.literals
            if isinstance(literal.value, float)
            and not self.features[literal.feature].spelled
            and self._needs_comment(literal)
        ]
        return f"  % {for_comment(', '.join(unclear))}" if unclear else ""

    def clauses(self) -> Iterator[Clause]:
        """Write the program in the exclusive form, then rules for present cells, and facts for the order of levels.

        A cell is present if it has a number or a text.
        """
        spelling = Spelling(lambda label: f"{self.target}(X,{self.term(label)})", self.goals, record=("record(X)",))
        yield from write_exclusive(flatten(self.program, exact=True), spelling)
        for feature in self.features.values():
            if feature.present:
                yield from (Clause(f"{feature.present}(X)", (f"{name}(X,_)",)) for name in feature.cells)
            for place, level in enumerate(feature.levels):
                yield Clause(f"{feature.level}({self.text(level)},{self._number_cell(feature, float(place))})")

    def facts(self, table: Table) -> Iterator[str]:
        """Write the records of a table, numbered from 1, and their cells, one predicate after the other."""
        for row in range(1, len(table) + 1):
            yield f"record({row})."
        for feature in self.features.values():
            if feature.cells and feature.name not in table.features:
                hint = suggest(feature.name, table.features)
                raise UnknownNameError(f"the program uses {feature.name!r}, which the table lacks{hint}")
            if feature.cells:
                yield from self._cells(feature, table.column(feature.name).in_notation(feature.notation))

    def _cells(self, feature: Feature, column: Column) -> Iterator[str]:
        codes, first = column.codes.tolist(), len(column.numbers)
        used = set(codes) - {column.missing}
        if feature.number:
            numbers = {code: self._fact(feature, float(column.numbers[code])) for code in used if code < first}
            yield from _row_facts(feature.number, codes, numbers)
        if feature.text:
            texts = {code: self.text(column.categories[code - first]) for code in used if code >= first}
            yield from _row_facts(feature.text, codes, texts)

    def _fact(self, feature: Feature, number: float) -> str:
        if feature.level and feature.notation:
            return self.text(feature.notation.text(number))
        return self._comparable(feature, number)

    def _comparable(self, feature: Feature, number: float) -> str:
        if feature.spelled and feature.notation:
            return self.quoted(sorted_text(feature.notation, number))
        return self._number_cell(feature, number)

    def goals(self, literal: Literal) -> list[str]:
        """Write the goals of a literal: one, two if a number is compared, or three if a level is compared."""
        feature = self.features[literal.feature]
        if isinstance(literal.value, float):
            place = self._place[literal.feature]
            test = f"N{place} {self._comparison(feature, literal.op, literal.value)}"
            if feature.level:
                return [f"{feature.number}(X,V{place})", f"{feature.level}(V{place},N{place})", test]
            return [f"{feature.number}(X,N{place})", test]
        holds = "" if literal.op in {"==", "present"} else "not "
        if literal.value is None:
            return [f"{holds}{feature.present}(X)"]
        return [f"{holds}{feature.text}(X,{self.text(literal.value)})"]

    def term(self, label: Label) -> str:
        """Write a label."""
        match label:
            case str():
                return self.text(label)
            case bool():
                return str(label).lower()
            case int() if abs(label) >= _TOO_LARGE:
                raise ProgramError("a label has more than 400 digits; use text instead")
        return self._number_label(label)

    def can_spell(self, text: str) -> bool:
        """Whether the engine can hold and show a text."""
        return is_spellable(text)

    def text(self, text: str) -> str:
        """Quote a text as a constant, or return the placeholder for a text that the engine cannot hold."""
        if self.can_spell(text):
            return self.quoted(text)
        return self.stand_ins.setdefault(text, self.stand_in.format(len(self.stand_ins) + 1))


def _row_facts(predicate: str, codes: list[int], values: dict[int, str]) -> Iterator[str]:
    return (f"{predicate}({row},{values[code]})." for row, code in enumerate(codes, 1) if code in values)


class ClingoWriter(EngineWriter):
    """Writes one program for clingo."""

    quoted = staticmethod(clingo_string)

    def can_spell(self, text: str) -> bool:
        """Whether a string can hold and show a text: there are no escapes for control characters."""
        return is_spellable(text) and is_visible(text)

    def header(self) -> Iterator[dict[str, Any]]:
        """Write the header that `from_clingo` needs, as JSON in comments; complete once rules and facts are written."""
        labels = self.program.labels
        kind = LABEL_KINDS[type(labels[0])] if labels else "text"
        yield {"target": self.program.target, "predicate": self.target, "labels": kind}
        yield from map(_feature_header, self.features.values())
        yield from ({"stand_in": name, "text": text} for text, name in self.stand_ins.items())

    def _number_label(self, label: float) -> str:
        return str(label) if isinstance(label, int) and abs(label) <= HIGHEST else clingo_string(repr(label))

    def _number_cell(self, feature: Feature, number: float, /) -> str:
        return str(feature.scale.code(number))

    def _comparison(self, feature: Feature, op: Operator, number: float, /) -> str:
        if feature.spelled:
            return f"{op} {self._comparable(feature, number)}"
        code = feature.scale.code(number)
        return f"> {code}" if op == ">" else f"< {code + 1}"

    def _needs_comment(self, _: Literal, /) -> bool:
        return True


def _feature_header(feature: Feature) -> dict[str, Any]:
    names = {"number": feature.number, "text": feature.text, "present": feature.present, "level": feature.level}
    parts: dict[str, Any] = {"feature": feature.name} | {key: name for key, name in names.items() if name}
    match feature.scale:
        case Decimals(places) if feature.number and not feature.spelled:
            parts["decimals"] = places
        case Ranks(thresholds) if not feature.spelled:
            parts["thresholds"] = [number_to_json(number) for number in thresholds]
    return parts if feature.notation is None else parts | {"notation": feature.notation.data()}


class PrologWriter(EngineWriter):
    """Writes one program for one Prolog, or for both."""

    stand_in = "text({})"
    quoted = staticmethod(prolog_atom)

    def __init__(self, program: Program, dialect: Dialect) -> None:
        super().__init__(program, _AVOIDED, texts=dialect == "swi")  # s(CASP) takes @> for a predicate without clauses
        self.dialect = dialect
        # s(CASP) counts in rationals, which have no infinity: use a number beyond every float
        self.infinity = "1" + "0" * 309 if dialect == "scasp" else "1.0Inf"

    def _number_cell(self, feature: Feature, number: float, /) -> str:
        counted = feature.notation is not None and not feature.notation.plain  # microseconds, or positions
        return str(int(number)) if counted and number.is_integer() else self._number_label(float(number))

    def _comparison(self, feature: Feature, op: Operator, number: float, /) -> str:
        compares = "@" * feature.spelled + (">" if op == ">" else "=<")
        return f"{compares} {self._comparable(feature, number)}"

    def _needs_comment(self, literal: Literal, /) -> bool:
        return isinstance(literal.value, NotatedNumber)

    def _number_label(self, label: float) -> str:
        """Write a number as Prolog does: an exponent needs a decimal point before it."""
        if isinstance(label, int):
            return str(label)
        if math.isinf(label):
            return self.infinity if label > 0 else f"-{self.infinity}"
        digits, exponent, power = repr(label).partition("e")
        return (digits if "." in digits else f"{digits}.0") + exponent + power.replace("+", "")

    def comments(self) -> Iterator[str]:
        """List the column of each predicate with another name, and the text behind each placeholder."""
        if self.target != self.program.target:
            yield f"% {self.target}: {for_comment(self.program.target)}"
        for feature in self.features.values():
            for predicate in (*feature.binary, feature.present):
                if predicate not in {None, feature.name}:
                    yield f"% {predicate}: {for_comment(feature.name)}"
            if (
                feature.number
                and not feature.spelled
                and not feature.level
                and (unit := _counted_unit(feature.notation))
            ):
                yield f"% {feature.number}: {for_comment(unit)}"
        yield from (f"% {name}: {exact_json(text)}" for text, name in self.stand_ins.items())

    def directives(self) -> Iterator[str]:
        """Write the directives that SWI-Prolog needs: operators, and permission for missing or redefined predicates.

        The operators for sentences are written only with the sentences.
        """
        sentences = "" if self.dialect == "swi" else ", op(950, xfx, ::), op(1150, fx, pred), op(1200, fx, #)"
        yield f":- op(900, fy, not){sentences}."
        yield ":- style_check(-singleton)."
        yield ":- dynamic record/1."
        # a column may be called length; elsewhere the system's own length/2 does not change
        for predicate in (self.target, *(name for feature in self.features.values() for name in feature.binary)):
            yield f":- redefine_system_predicate({predicate}(_,_))."
            yield f":- dynamic(({predicate})/2)."  # in parentheses because it may be an operator, such as rem

    def sentences(self, own: Mapping[str, str]) -> Iterator[str]:
        """Write the ``#pred`` lines from which s(CASP) makes its explanations."""
        known = [self.program.target, *self.program.features]
        if unknown := next((name for name in own if name not in known), None):
            raise UnknownNameError(f"a sentence for {unknown!r}, neither target nor feature{suggest(unknown, known)}")
        target = self.program.target
        yield _sentence_line(f"{self.target}(X,V)", own.get(target, f"the {_plain(target)} of {{record}} is {{value}}"))
        yield _sentence_line("record(X)", "{record} is a record")
        for feature in self.features.values():
            name = _plain(feature.name)
            unit = _plain(_counted_unit(feature.notation))
            said = f"the {name} of {{record}} is {{value}}" + (f" ({unit})" if unit else "")
            sentence = own.get(feature.name, said)
            yield from (_sentence_line(f"{predicate}(X,V)", sentence) for predicate in feature.cells)
            if feature.present:
                yield _sentence_line(f"{feature.present}(X)", f"the {name} of {{record}} is known")
        for clause in self.clauses():
            if found := re.fullmatch(r"(rule|undecided|ab)([0-9]+)\(X\)", clause.head):
                yield _sentence_line(clause.head, _SENTENCES[found[1]].format(found[2]))


def _sentence_line(predicate: str, sentence: str) -> str:
    filled = for_comment(sentence).replace("@(", "@ (").replace("{record}", "@(X)").replace("{value}", "@(V)")
    return f"#pred {predicate} :: {prolog_atom(filled)}."


def _counted_unit(notation: Notation | None) -> str:
    """Return the unit of the numbers in a notation, if they are written as plain numbers."""
    match notation:
        case LevelNotation():
            return f"place among {', '.join(notation.levels)}, counted from 0"
        case DateNotation():
            return "microseconds after 1970-01-01"
        case TimeNotation():
            return "microseconds after midnight"
        case DurationNotation():
            return "microseconds"
    return ""


def _plain(name: str) -> str:
    """Write a name inside a sentence, where braces would have a meaning."""
    return name.replace("{", "(").replace("}", ")")
