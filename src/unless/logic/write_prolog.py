"""Write a program for SWI-Prolog or for s(CASP), each with what only that engine wants, or one text for both.

Numbers stay decimals, texts are quoted atoms. SWI-Prolog needs directives, for ``not`` and for predicates without
facts; s(CASP) takes them for constraints, which nothing violates but every explanation mentions. s(CASP) makes its
explanations from sentences (``#pred``); with the right operators, SWI-Prolog takes them for facts that nobody asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, get_args
from typing import Literal as OneOf

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.logic.names import StandIns, as_json, commented, prolog_atom
from unless.logic.writer import Writer

if TYPE_CHECKING:
    from unless.logic.predicates import Feature
    from unless.rule import Operator, Program
    from unless.table import Table

Dialect = OneOf["swi", "scasp", "both"]

_AVOIDED = {
    *("term_expansion", "goal_expansion"),  # SWI-Prolog asks a program for these while it loads it
    *("is", "mod", "rem", "inf", "sup", "findall", "goal_origin", "prolog", "writef"),  # s(CASP) has its own
}
"""Names that mean something else to an engine. Unlike other system predicates, a program cannot redefine them."""

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

    Ask ``?- class(5,L).`` for the label of record 5. Numbers are exact. Where a predicate has another name than its
    column, a comment explains it.

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
    writer = _Writer(program, dialect)
    rules = list(map(str, writer.clauses()))
    records = [] if table is None else [*writer.facts(table)]
    said = [] if dialect == "swi" else [*writer.sentences(sentences or {})]
    directives = [] if dialect == "scasp" else [*writer.directives()]
    return "\n".join([*writer.comments(), *directives, *said, *rules, *records]) + "\n"


class _Writer(Writer):
    """Writes one program in one dialect."""

    def __init__(self, program: Program, dialect: Dialect) -> None:
        super().__init__(program, StandIns("text({})"), _AVOIDED)
        self.dialect = dialect
        # s(CASP) counts in rationals, which have no infinity: use a number beyond every float
        self.infinity = "1" + "0" * 309 if dialect == "scasp" else "1.0Inf"

    def _quoted(self, text: str) -> str:
        return prolog_atom(text)

    def _cell(self, _: Feature, number: float, /) -> str:
        return self._numeral(number)

    def _bound(self, _: Feature, op: Operator, number: float, /) -> str:
        return f"{'>' if op == '>' else '=<'} {self._numeral(number)}"

    def _numeral(self, label: float) -> str:
        """Spell a number as Prolog does: an exponent needs a decimal point before it."""
        if isinstance(label, int):
            return str(label)
        if math.isinf(label):
            return self.infinity if label > 0 else f"-{self.infinity}"
        digits, exponent, power = repr(label).partition("e")
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
        """What SWI-Prolog needs: operators, and no error about predicates without facts or with a system's name.

        The operators for sentences are there only if the sentences are.
        """
        sentences = "" if self.dialect == "swi" else ", op(950, xfx, ::), op(1150, fx, pred), op(1200, fx, #)"
        yield f":- op(900, fy, not){sentences}."
        yield ":- style_check(-singleton)."
        yield ":- dynamic record/1."
        predicates = [self.words.target]
        for feature in self.words.features.values():
            predicates += [name for name in (feature.number, feature.text) if name]
        # a column may be called length; elsewhere the system's own length/2 does not change
        for predicate in predicates:
            yield f":- redefine_system_predicate({predicate}(_,_))."
            yield f":- dynamic(({predicate})/2)."  # in parentheses because it may be an operator, such as rem

    def sentences(self, own: Mapping[str, str]) -> Iterator[str]:
        """The ``#pred`` lines that s(CASP) makes its explanations from."""
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
    """A name inside a sentence, where braces would have a meaning."""
    return name.replace("{", "(").replace("}", ")")
