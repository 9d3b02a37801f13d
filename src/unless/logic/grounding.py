"""Turn grounded background knowledge into columns, and literals on these columns back into goals.

A unary predicate becomes a column of ``yes`` and missing cells. A binary predicate with one value per individual
becomes a column of values. A binary predicate with several values becomes a column of ``yes`` and missing cells for
each value that two individuals share. A value of only one individual, such as a car of a train, does not generalise: a
rule on it would be a list of names. A column of values keeps such values, but the learner treats them as one value
(`merge_unique_categories`) and makes no literal of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.logic.background_checks import Signature, shown
from unless.logic.clingo_runner import atoms
from unless.logic.predicates import HIGHEST
from unless.rule import Literal
from unless.table import Column, Kind
from unless.values import Value

if TYPE_CHECKING:
    from clingo import Control, Symbol

    from unless.logic.background import Background

YES = "yes"

_FEW = 10
"""With fewer individuals than this, a value of a single individual may be more than a name."""


@dataclass(frozen=True, slots=True)
class Goals:
    """How literals on one column are written as goals.

    ``yes`` is the whole goal for a column of ``yes`` and missing cells. Otherwise ``predicate`` has a value, ``terms``
    are its categories in clingo's syntax, and ``mixed`` means that not all of its values are numbers.
    """

    predicate: str
    variable: str
    yes: str | None = None
    terms: dict[str, str] | None = None
    mixed: bool = False

    @property
    def signature(self) -> Signature:
        """The predicate and the number of its arguments."""
        return self.predicate, 1 if self.yes == f"{self.predicate}(X)" else 2

    def of(self, literal: Literal) -> list[str]:
        """Write the goals of a literal: first the goals that bind its variable, then the test."""
        if isinstance(literal.value, float):
            # clingo orders every text after every number: without the upper bound, text would be above 3
            bound = [f"{self.variable} <= {HIGHEST}"] if self.mixed and literal.op == ">" else []
            return [
                f"{self.predicate}(X,{self.variable})",
                *bound,
                f"{self.variable} {literal.op} {int(literal.value)}",
            ]
        holds = "" if literal.op in {"==", "present"} else "not "
        if self.yes is not None:
            return [holds + self.yes]
        value = "_" if literal.value is None else (self.terms or {})[literal.value]
        return [f"{holds}{self.predicate}(X,{value})"]


def choose_predicates(known: Background, features: Iterable[str] | None, ignore: Iterable[str]) -> list[Signature]:
    """Choose the predicates to learn from, in the order of B: ``features`` or all, without those in ``ignore``."""
    usable = [signature for signature in known.mentions if signature[1] in {1, 2}]
    wanted = usable if features is None else _find_predicates(features, usable, "features")
    ignored = _find_predicates(ignore, usable, "ignore")
    chosen = [signature for signature in usable if signature in wanted and signature not in ignored]
    if usable and not chosen:
        raise ParameterError("features and ignore leave no predicate to learn from")
    return chosen


def _find_predicates(names: Iterable[str], usable: list[Signature], option: str) -> list[Signature]:
    if isinstance(names, str):
        raise ParameterError(f"{option} must be a list, not a text; write {option}=[{names!r}]")
    found: list[Signature] = []
    for name in names:
        meant = [signature for signature in usable if name in {signature[0], shown(signature)}]
        if not meant:
            hint = suggest(name, [one for one, _ in usable]) if usable else ""
            raise UnknownNameError(f"{option}: B has no predicate {name!r} of one or two arguments{hint}")
        found += meant
    return found


def make_columns(
    control: Control, signatures: Iterable[Signature], individuals: Sequence[Symbol], target: str
) -> tuple[list[tuple[Column, Goals]], list[str]]:
    """Make columns of the unary and binary predicates that hold of the individuals.

    Also return the predicates left out because no two individuals share a value. If two predicates have one
    name, or one has the name of the target, the column's name includes the number of arguments.
    """
    found: list[tuple[Column, Goals]] = []
    left_out: list[str] = []
    features = {target}
    rows = {individual: row for row, individual in enumerate(individuals)}
    for name, arity in signatures:
        cells: list[list[Symbol]] = [[] for _ in individuals]
        numeric = True
        for individual, *values in atoms(control, name, arity):
            numeric = numeric and all(value.type.name == "Number" for value in values)
            if individual in rows:
                cells[rows[individual]] += values or [individual]
        if any(cells):
            feature = name if name not in features else f"{name}/{arity}"
            if arity == 1:
                column = Column.of(feature, [YES if cell else None for cell in cells], "text")
                new = [(column, Goals(name, "", f"{name}(X)"))]
            else:
                new = _columns_of_binary(feature, cells, Goals(name, f"N{len(found)}", mixed=not numeric))
            features.update(column.name for column, _ in new)
            found += new
            left_out += [name] * (not new)
    return found, left_out


def _columns_of_binary(feature: str, cells: list[list[Symbol]], goals: Goals) -> list[tuple[Column, Goals]]:
    holders = Counter(symbol for cell in cells for symbol in set(cell))
    symbols = sorted(holders)
    texts = category_texts(symbols, goals.predicate)
    if max(map(len, cells)) > 1:
        return [
            (
                Column.of(f"{feature}(X,{symbol})", [YES if symbol in cell else None for cell in cells], "text"),
                replace(goals, yes=f"{goals.predicate}(X,{symbol})"),
            )
            for symbol in symbols
            if holders[symbol] > 1
        ]
    if len(texts) == sum(holders.values()) >= _FEW:
        return []
    values = [_symbol_value(cell[0], texts) if cell else None for cell in cells]
    kind: Kind = "number" if not texts else "text" if len(texts) == len(symbols) else "mixed"
    return [
        (Column.of(feature, values, kind), replace(goals, terms={text: str(symbol) for symbol, text in texts.items()}))
    ]


def merge_unique_categories(column: Column) -> tuple[Column, Literal | None]:
    """Merge all categories that only one individual has into the first of them; also return the literal on that one.

    If few individuals have a value, or there is no such category, the column stays the same and there is no literal.
    """
    held = np.bincount(column.codes, minlength=column.missing + 1)[: column.missing]
    names = np.flatnonzero(held == 1)
    names = names[names >= len(column.numbers)]
    if held.sum() < _FEW or not names.size:
        return column, None
    first = str(column.value(int(names[0])))
    gone = set(names.tolist())
    cells = [first if code in gone else column.value(code) for code in column.codes.tolist()]
    return Column.of(column.name, cells, column.kind), Literal(column.name, "==", first)


def category_texts(symbols: Iterable[Symbol], name: str) -> dict[Symbol, str]:
    """Return the text of every symbol that is not a number: the name of a constant, the content of a string.

    Strings keep their quotes if a constant would otherwise have the same text.
    """
    others = [symbol for symbol in symbols if symbol.type.name != "Number"]
    if bad := next((symbol for symbol in others if symbol.type.name not in {"Function", "String"}), None):
        raise ReadError(f"{name} has {bad}, which is not a value; add a condition to its rule that excludes it")
    strings = {symbol: symbol.string for symbol in others if symbol.type.name == "String"}
    constants = {symbol: str(symbol) for symbol in others if symbol not in strings}
    if set(strings.values()) & set(constants.values()):
        strings = {symbol: str(symbol) for symbol in strings}
    return constants | strings


def _symbol_value(symbol: Symbol, texts: dict[Symbol, str]) -> Value:
    return texts[symbol] if symbol in texts else float(symbol.number)
