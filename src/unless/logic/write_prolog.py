"""Programs for SWI-Prolog and for s(CASP), each with what only that one wants, or in one text for both.

Numbers are decimals as they are, texts are quoted atoms. SWI-Prolog needs directives, for ``not`` and for predicates
without facts; to s(CASP) they are constraints, which nothing violates but every explanation mentions. s(CASP) takes
sentences (``#pred``) for its explanations; to SWI-Prolog, given the operators, they are facts that nobody asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, get_args
from typing import Literal as OneOf

from unless.errors import ParameterError, ProgramError, UnknownNameError, suggest
from unless.logic.names import StandIns, as_json, commented, prolog_atom
from unless.logic.predicates import Clause, Words, clauses, facts, helpers, vocabulary
from unless.rule import Literal, Program
from unless.values import Label

if TYPE_CHECKING:
    from unless.table import Table

__all__ = ["Dialect", "to_prolog"]

Dialect = OneOf["swi", "scasp", "both"]

_AVOIDED = {
    *("term_expansion", "goal_expansion"),  # SWI-Prolog asks a program for these while it loads it
    *("is", "mod", "rem", "inf", "sup", "findall", "goal_origin", "prolog", "writef"),  # s(CASP) has its own
}
"""Names that mean something else to the engines, and cannot be had back as those of other system predicates can."""


_SENTENCES = {
    "rule": "rule {} covers {{record}}",
    "undecided": "no rule up to {} covers {{record}}",
    "ab": "exception {} covers {{record}}",
}


def to_prolog(
    program: Program,
    table: Table | None = None,
    dialect: Dialect = "swi",
    *,
    sentences: Mapping[str, str] | None = None,
) -> str:
    """The program for SWI-Prolog or s(CASP), in the mutually exclusive form; with a table also its records' facts.

    Ask ``?- class(5,L).`` for the label of record 5. Numbers and names are exact; a predicate that is not the name of
    its column is explained in a comment.

    Parameters
    ----------
    dialect
        ``swi`` has the directives that SWI-Prolog needs, ``scasp`` a sentence for every predicate and nothing else that
        would clutter its explanations. ``both`` has both: one file for both, at that price.
    sentences
        For s(CASP), by feature or target: ``{"age": "{record} is {value} years old"}``.
    """
    if dialect not in get_args(Dialect):
        raise ParameterError(f"no dialect {dialect!r}{suggest(str(dialect), get_args(Dialect))}")
    if sentences and dialect == "swi":
        raise ParameterError("sentences are for s(CASP); say so: dialect='scasp'")
    writer = _Writer(program, dialect)
    rules = list(map(str, writer.clauses()))
    records = [] if table is None else [*writer.facts(table)]
    said = [] if dialect == "swi" else [*writer.sentences(sentences or {})]
    directives = [] if dialect == "scasp" else [*writer.directives()]
    return "\n".join([*writer.comments(), *directives, *said, *rules, *records]) + "\n"


class _Writer:
    """Spells one program in one dialect."""

    def __init__(self, program: Program, dialect: Dialect) -> None:
        self.program = program
        self.dialect = dialect
        # s(CASP) counts in rationals, which have no infinity: a number beyond every float takes its place
        self.infinity = "1" + "0" * 309 if dialect == "scasp" else "1.0Inf"
        self.words = vocabulary(program, _AVOIDED)
        self.stand_ins = StandIns("text({})")
        self.place = {name: place for place, name in enumerate(program.features)}

    def clauses(self) -> Iterator[Clause]:
        yield from clauses(self.program, Words(self.words.target), self.goals, self.term)
        yield from helpers(self.words)

    def facts(self, table: Table) -> Iterator[str]:
        return facts(self.words, table, lambda _, number: self.number(number), self.text)

    def goals(self, literal: Literal) -> list[str]:
        feature = self.words.features[literal.feature]
        if isinstance(literal.value, float):
            variable, op = f"N{self.place[literal.feature]}", ">" if literal.op == ">" else "=<"
            return [f"{feature.number}(X,{variable})", f"{variable} {op} {self.number(literal.value)}"]
        holds = "" if literal.op in {"==", "present"} else "not "
        if literal.value is None:
            return [f"{holds}{feature.present}(X)"]
        return [f"{holds}{feature.text}(X,{self.text(literal.value)})"]

    def term(self, label: Label) -> str:
        match label:
            case str():
                return self.text(label)
            case bool():
                return str(label).lower()
            case float():
                return self.number(label)
            case _ if abs(label) >= 10**400:
                raise ProgramError("a label has more than 400 digits; use text instead")
        return str(label)

    def text(self, text: str) -> str:
        return self.stand_ins.spell(text, prolog_atom)

    def number(self, number: float) -> str:
        """A number in the syntax of Prolog, where an exponent needs a decimal point before it."""
        if math.isinf(number):
            return self.infinity if number > 0 else f"-{self.infinity}"
        digits, exponent, power = repr(number).partition("e")
        return (digits if "." in digits else f"{digits}.0") + exponent + power.replace("+", "")

    def comments(self) -> Iterator[str]:
        if self.words.target != self.program.target:
            yield f"% {self.words.target}: {commented(self.program.target)}"
        for feature in self.words.features.values():
            for predicate in (feature.number, feature.text, feature.present):
                if predicate not in {None, feature.name}:
                    yield f"% {predicate}: {commented(feature.name)}"
        yield from (f"% {name}: {as_json(text)}" for text, name in self.stand_ins.texts.items())

    def directives(self) -> Iterator[str]:
        """What SWI-Prolog needs: operators, and no error where a predicate has no facts or a system's name.

        The operators of sentences are only for a text that has them.
        """
        sentences = "" if self.dialect == "swi" else ", op(950, xfx, ::), op(1150, fx, pred), op(1200, fx, #)"
        yield f":- op(900, fy, not){sentences}."
        yield ":- style_check(-singleton)."
        yield ":- dynamic record/1."
        predicates = [self.words.target]
        for feature in self.words.features.values():
            predicates += [name for name in (feature.number, feature.text) if name]
        # a column may be called length; the system's own length/2 stays as it is elsewhere
        for predicate in predicates:
            yield f":- redefine_system_predicate({predicate}(_,_))."
            yield f":- dynamic(({predicate})/2)."  # in parentheses for the sake of operators, such as rem

    def sentences(self, own: Mapping[str, str]) -> Iterator[str]:
        """The ``#pred`` lines, from which s(CASP) makes its explanations."""
        known = [self.program.target, *self.program.features]
        if unknown := next((name for name in own if name not in known), None):
            raise UnknownNameError(f"a sentence for {unknown!r}, neither target nor feature{suggest(unknown, known)}")
        target = self.program.target
        yield _template(f"{self.words.target}(X,V)", own.get(target, f"the {_safe(target)} of {{record}} is {{value}}"))
        yield _template("record(X)", "{record} is a record")
        for feature in self.words.features.values():
            name = _safe(feature.name)
            sentence = own.get(feature.name, f"the {name} of {{record}} is {{value}}")
            yield from (
                _template(f"{predicate}(X,V)", sentence) for predicate in (feature.number, feature.text) if predicate
            )
            if feature.present:
                yield _template(f"{feature.present}(X)", f"the {name} of {{record}} is known")
        for clause in self.clauses():
            if found := re.fullmatch(r"(rule|undecided|ab)([0-9]+)\(X\)", clause.head):
                yield _template(clause.head, _SENTENCES[found[1]].format(found[2]))


def _template(predicate: str, sentence: str) -> str:
    filled = commented(sentence).replace("@(", "@ (").replace("{record}", "@(X)").replace("{value}", "@(V)")
    return f"#pred {predicate} :: {prolog_atom(filled)}."


def _safe(name: str) -> str:
    """A name inside a sentence, where braces have a meaning."""
    return name.replace("{", "(").replace("}", ")")
