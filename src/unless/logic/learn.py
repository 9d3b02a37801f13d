"""The paper's setting: background knowledge B and examples E in, a hypothesis H over the predicates of B out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, get_args
from typing import Literal as OneOf

import numpy as np

from unless.errors import ParameterError, ProgramError, ReadError, UnknownNameError, suggest
from unless.judge.learners import held_back
from unless.kernels import Selection
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.literals import candidates, impurity
from unless.learn.memory import MemoryEngine
from unless.learn.own import fold_unless
from unless.logic.background import Background, read_background
from unless.logic.checks import Signature
from unless.logic.columns import Goals, categories, columns, without_names
from unless.logic.hypothesis import Hypothesis, Trial, Words, derived, refuse_leak
from unless.logic.run import atoms
from unless.logic.sources import Source
from unless.prediction import predict
from unless.rule import Literal, Program
from unless.table import Labels, Table
from unless.values import Label

if TYPE_CHECKING:
    from clingo import Control, Symbol

__all__ = ["Algorithm", "Hypothesis", "Trial", "learn_logic"]

Algorithm = OneOf["fold_rm", "fold_rpp", "fold_unless"]

_SHARE = 0.2
_ENOUGH = 20
"""Examples from which on a share of them is held back by default: a test on three individuals tells nothing."""


def learn_logic(  # noqa: PLR0913 - a person chooses among them by name
    background: Source | Sequence[Source],
    examples: Source,
    target: str,
    ratio: float = 0.5,
    *,
    algorithm: Algorithm = "fold_rm",
    positive: Label | None = None,
    features: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    test: float | None = 0.0,
    seed: int = 0,
) -> Hypothesis:
    """Learn rules for ``target(X,Label)`` from background knowledge B and examples E, both `.lp` text or files.

    B is grounded without E. Its unary predicates become features that are true or not, its binary ones features with a
    value; whatever else should count is a rule of B: ``owner_age(X,A) :- owner(X,P), age(P,A).`` What was learned is
    run together with B in clingo, and entails what it predicts.

    Parameters
    ----------
    background, examples
        Text, or a path (a text that ends in ``.lp`` is one). The background may be a list of them.
    target
        The predicate of the examples: ``habitat`` for facts like ``habitat(kitty,land).``
    ratio
        As in `unless.fold_rm`.
    algorithm
        ``fold_rm``, ``fold_rpp`` (rules for the label ``positive``), or our own ``fold_unless``.
    features, ignore
        The predicates of B to learn from, all if it is None, and those not to learn from: ``age``, or ``age/2`` where
        there is also another ``age``.
    test, seed
        The share of the examples to hold back: ``trial`` of the result tells how it does on them. With None it is a
        fifth if there are at least 20.
    """
    known = read_background(background)
    asked = read_background(examples, "examples")
    pairs = _examples(asked, target)
    refuse_leak(known, target)
    chosen = _chosen(known, features, ignore)
    control = known.ground()
    if why := _relation(known, control, pairs, target):
        raise ReadError(f"{asked.name}: {why}")
    given = _one_each(asked, pairs)
    terms = _label_terms(given.values(), target)
    labels = {individual: terms[symbol] for individual, symbol in given.items()}
    learned, back = _split(labels, target, test, seed)
    found, left_out = columns(control, chosen, learned, target)
    if not found:
        raise ReadError(f"{known.name}: {_nothing(left_out, learned[0])}")
    goals = {column.name: goal for column, goal in found}
    table = Table(tuple(column for column, _ in found), Labels.of(target, [labels[one] for one in learned]))
    program = _learned(table, goals, ratio, algorithm, positive)
    spelled = {label: str(symbol) for symbol, label in terms.items()}
    words = Words.beside(target, (name for name, _ in known.signatures))
    names, others = tuple(map(str, learned)), tuple(map(str, back))
    trial = Trial(others, tuple(labels[one] for one in back), (), _usual(table)) if back else None
    hypothesis = Hypothesis(
        program=program,
        table=table,
        individuals=names,
        entailed=(),
        trial=trial,
        left_out=tuple(left_out),
        _terms=spelled,
        _goals=goals,
        _words=words,
    )
    entailed = derived(known, hypothesis.to_clingo(), target, terms)
    return _checked(hypothesis, [entailed.get(one) for one in learned], [entailed.get(one) for one in back])


def _split(
    labels: dict[Symbol, Label], target: str, test: float | None, seed: int
) -> tuple[list[Symbol], list[Symbol]]:
    """The individuals to learn from, and those to hold back."""
    share = test if test is not None else _SHARE if len(labels) >= _ENOUGH else 0.0
    held = dict(zip(labels, held_back(Labels.of(target, labels.values()), share, seed).tolist(), strict=True))
    return [one for one in labels if not held[one]], [one for one in labels if held[one]]


def _usual(table: Table) -> Label:
    """The most frequent label, the first of several."""
    if table.target is None:
        raise ReadError("the table has no labels")  # never: learn_logic gives it some
    return table.target.labels[int(np.argmax(np.bincount(table.target.codes)))]


class _ClosedWorld(MemoryEngine):
    """An engine without literals that say nothing, or only a name.

    "Is missing" is none where a predicate is true or not: "is not yes" says that. Nor is a value that only one
    individual has: a rule on it would hold of no other.
    """

    def __init__(self, table: Table, unary: Collection[str]) -> None:
        told = [(column, None) if column.name in unary else without_names(column) for column in table.columns]
        super().__init__(replace(table, columns=tuple(column for column, _ in told)))
        self._banned = (
            *(Literal(feature, "missing") for feature in unary),
            *(literal for _, literal in told if literal is not None),
        )
        self._names = {(literal.feature, literal.value) for _, literal in told if literal is not None}

    def best_literal(self, positive: Selection, negative: Selection, used: tuple[Literal, ...]) -> Literal | None:
        return super().best_literal(positive, negative, self._banned + used)

    def purest_literal(self, positive: Selection, negative: Selection, support: float) -> Literal | None:
        literal = super().purest_literal(positive, negative, support)
        if literal is None or (literal.feature, literal.value) not in self._names:
            return literal
        return self._purest_other(positive, negative, support)

    def _purest_other(self, positive: Selection, negative: Selection, support: float) -> Literal | None:
        """`search.purest_literal` without names: the kernel bans none."""
        best, least = None, inf
        p, n = positive.weight(), negative.weight()
        for counts in self.counts(positive, negative):
            for literal, a, b in candidates(counts):
                fits = a >= support and a * n > b * p and (literal.feature, literal.value) not in self._names
                if fits and (mixed := impurity(tp=a, fn=p - a, tn=n - b, fp=b)) < least:
                    best, least = literal, mixed
        return best


def _learned(
    table: Table, goals: dict[str, Goals], ratio: float, algorithm: Algorithm, positive: Label | None
) -> Program:
    engine = _ClosedWorld(table, [feature for feature, goal in goals.items() if goal.yes is not None])
    match algorithm:
        case "fold_rm":
            return fold_rm(engine, ratio)
        case "fold_rpp":
            if positive is None:
                raise ParameterError("fold_rpp learns rules for one label; name it: positive=…")
            return fold_rpp(engine, positive, ratio)
        case "fold_unless":
            return fold_unless(engine, ratio)
    raise ParameterError(f"no algorithm {algorithm!r}{suggest(str(algorithm), get_args(Algorithm))}")


def _examples(read: Background, target: str) -> list[tuple[Symbol, Symbol]]:
    """The individuals and their labels, in the order of the text."""
    wanted = (target, 2)
    if wanted not in read.mentions:
        names = [name for name, _ in read.signatures]
        if target in names:
            raise ReadError(f"{read.name}: {target} takes an individual and its label: {target}(kitty,land).")
        raise UnknownNameError(f"{read.name}: no examples of {target!r}{suggest(target, names)}")
    if line := next((rule.line for rule in read.rules if rule.node.body), None):
        raise ReadError(f"{read.name.line(line)}: a rule; examples are facts, rules belong to the background")
    if other := next((signature for signature in read.signatures if signature != wanted), None):
        line = read.mentions[other]
        raise ReadError(f"{read.name.line(line)}: {_shown(other)} is not the target {_shown(wanted)}; move it to B")
    return [(individual, label) for individual, label in atoms(read.ground(), *wanted)]


def _one_each(read: Background, pairs: list[tuple[Symbol, Symbol]]) -> dict[Symbol, Symbol]:
    """The label of every individual, which has one only."""
    labels: dict[Symbol, Symbol] = {}
    for individual, label in pairs:
        if labels.setdefault(individual, label) != label:
            raise ReadError(
                f"{read.name}: {individual} has two labels, {labels[individual]} and {label}; keep one, as relations "
                "with several are not learned"
            )
    return labels


def _relation(known: Background, control: Control, pairs: list[tuple[Symbol, Symbol]], target: str) -> str | None:
    """Why the examples relate individuals, if they do.

    Then a label is an example itself, or of most labels the same predicates hold as of examples; of one label, if an
    individual has several.
    """
    given = {individual for individual, _ in pairs}
    labels = {label for _, label in pairs if label.type.name != "Number"}
    alike = dict.fromkeys(labels & given, (target, 2))
    for signature in known.signatures if labels else ():
        firsts = {arguments[0] for arguments in atoms(control, *signature) if arguments}
        if not firsts.isdisjoint(given):
            alike |= dict.fromkeys((labels & firsts) - set(alike), signature)
    enough = len(labels) // 2 + 1 if labels.isdisjoint(given) and len(pairs) == len(given) else 1
    if len(alike) < enough:
        return None
    individual, label = next(pair for pair in pairs if pair[1] in alike)
    return (
        f"{target}({individual},{label}) relates two individuals: {_shown(alike[label])} holds of {label}, as it does "
        f"of examples; what is learned is a label, as in {target}({individual},yes)"
    )


def _chosen(known: Background, features: Iterable[str] | None, ignore: Iterable[str]) -> list[Signature]:
    """The predicates to learn from, in the order of B."""
    usable = [signature for signature in known.signatures if signature[1] in {1, 2}]
    wanted = usable if features is None else _named(features, usable, "features")
    ignored = _named(ignore, usable, "ignore")
    chosen = [signature for signature in usable if signature in wanted and signature not in ignored]
    if usable and not chosen:
        raise ParameterError("features and ignore leave no predicate to learn from")
    return chosen


def _named(names: Iterable[str], usable: list[Signature], option: str) -> list[Signature]:
    if isinstance(names, str):
        raise ParameterError(f"{option} is a list of predicates, not a text; write {option}=[{names!r}]")
    found: list[Signature] = []
    for name in names:
        meant = [signature for signature in usable if name in {signature[0], _shown(signature)}]
        if not meant:
            hint = suggest(name, [one for one, _ in usable]) if usable else ""
            raise UnknownNameError(f"{option}: B has no predicate {name!r} of one or two arguments{hint}")
        found += meant
    return found


def _nothing(left_out: list[str], individual: Symbol) -> str:
    """Why there are no features, and what to do."""
    if not left_out:
        return f"no unary or binary predicate holds of any example, such as {individual}"
    relation = left_out[0]
    return (
        f"nothing to learn from: every value of {' and of '.join(left_out)} belongs to one example only; say in a rule "
        f"what they have in common, such as big_one(X) :- {relation}(X,Y), big(Y)."
    )


def _label_terms(symbols: Iterable[Symbol], target: str) -> dict[Symbol, Label]:
    """The label of every symbol: a number stays one, anything else is text."""
    distinct = sorted(set(symbols))
    texts = categories(distinct, target)
    if texts and len(texts) < len(distinct):
        raise ReadError(f"the labels of {target} are numbers and text; make them all one or the other")
    return {symbol: texts[symbol] if texts else symbol.number for symbol in distinct}


def _checked(hypothesis: Hypothesis, entailed: list[Label | None], others: list[Label | None]) -> Hypothesis:
    """The hypothesis with what B and H entail of the examples, which is what it predicts, and of those held back."""
    if entailed != predict(hypothesis.program, hypothesis.table).tolist():
        raise ProgramError("B and H do not entail what the program predicts; please report this")
    trial = hypothesis.trial and replace(hypothesis.trial, entailed=tuple(others))
    return replace(hypothesis, entailed=tuple(entailed), trial=trial)


def _shown(signature: Signature) -> str:
    return f"{signature[0]}/{signature[1]}"
