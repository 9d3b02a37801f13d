"""Learn from logic programs, as in the paper: from background knowledge B and examples E, a hypothesis H."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args
from typing import Literal as OneOf

import numpy as np

from unless.errors import ParameterError, ProgramError, ReadError, suggest
from unless.kernels import Selection
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.literals import purest_literal
from unless.learn.memory import MemoryEngine
from unless.learn.own import fold_unless
from unless.logic.background import Source, read_background
from unless.logic.columns import Goals, chosen, columns, without_names
from unless.logic.examples import Examples, read_examples
from unless.logic.hypothesis import Hypothesis, Trial, Words, derived, refuse_leak
from unless.prediction import predict
from unless.rule import Literal, Program
from unless.table import Labels, Table
from unless.values import Label

if TYPE_CHECKING:
    from clingo import Symbol

Algorithm = OneOf["fold_rm", "fold_rpp", "fold_unless"]


def learn_logic(  # noqa: PLR0913 - options that people give by name
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

    B is grounded without E. Its unary predicates become features that are true or not, its binary predicates features
    with a value. To learn from anything else, add a rule to B: ``owner_age(X,A) :- owner(X,P), age(P,A).`` clingo runs
    the result together with B, to check that the two entail what the program predicts.

    Parameters
    ----------
    background, examples
        Text, or a path (a string that ends in ``.lp`` is a path). The background may be a list of these.
    target
        The predicate of the examples: ``habitat`` for facts like ``habitat(kitty,land).``
    ratio
        The same as in `unless.fold_rm`.
    algorithm
        ``fold_rm``, ``fold_rpp`` (rules for the label ``positive``), or our own ``fold_unless``.
    features, ignore
        The predicates of B to learn from (None: all), and those to leave out: ``age``, or ``age/2`` if several are
        called ``age``.
    test, seed
        The share of the examples to hold back, and the random seed. ``trial`` of the result says how it does on them.
        None holds back a fifth if there are at least 20 examples.
    """
    known = read_background(background)
    refuse_leak(known, target)
    predicates = chosen(known, features, ignore)
    control = known.ground()
    given = read_examples(examples, target, known, control)
    learned, held = given.split(test, seed)
    found, left_out = columns(control, predicates, learned, target)
    if not found:
        raise ReadError(f"{known.name}: {_nothing(left_out, learned[0])}")
    labels = Labels.of(target, [given.labels[one] for one in learned])
    table = Table(tuple(column for column, _ in found), labels)
    goals = {column.name: goal for column, goal in found}
    hypothesis = Hypothesis(
        program=_learned(table, goals, ratio, algorithm, positive),
        table=table,
        individuals=tuple(map(str, learned)),
        entailed=(),
        trial=_trial(held, given, labels),
        left_out=tuple(left_out),
        _terms={label: str(term) for term, label in given.terms.items()},
        _goals=goals,
        _words=Words.beside(target, (name for name, _ in known.mentions)),
    )
    entailed = derived(known, hypothesis.to_clingo(), target, given.terms)
    return _checked(hypothesis, [entailed.get(one) for one in learned], [entailed.get(one) for one in held])


def _trial(held: list[Symbol], given: Examples, learned: Labels) -> Trial | None:
    """The individuals that are held back; what is entailed comes later."""
    if not held:
        return None
    usual = learned.labels[int(np.argmax(np.bincount(learned.codes)))]  # the first one if several are as frequent
    return Trial(tuple(map(str, held)), tuple(given.labels[one] for one in held), (), usual)


class _ClosedWorld(MemoryEngine):
    """An engine that leaves out literals which say nothing new, or only a name.

    A predicate that is true or not is never "missing": "is not yes" says that already. A value that only one individual
    has is a name: a rule on it would hold of nobody else.
    """

    def __init__(self, table: Table, unary: Collection[str]) -> None:
        told = [(column, None) if column.name in unary else without_names(column) for column in table.columns]
        super().__init__(replace(table, columns=tuple(column for column, _ in told)))
        names = [literal for _, literal in told if literal is not None]
        self._names = {(literal.feature, literal.value) for literal in names}
        self._banned = (*(Literal(feature, "missing") for feature in unary), *names)

    def best_literal(self, positive: Selection, negative: Selection, used: tuple[Literal, ...]) -> Literal | None:
        return super().best_literal(positive, negative, self._banned + used)

    def purest_literal(self, positive: Selection, negative: Selection, support: float) -> Literal | None:
        literal = super().purest_literal(positive, negative, support)
        if literal is None or (literal.feature, literal.value) not in self._names:
            return literal
        return purest_literal(self.counts(positive, negative), support, self._banned)  # the kernel cannot leave out any


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


def _nothing(left_out: list[str], individual: Symbol) -> str:
    """Why there are no features, and what to do."""
    if not left_out:
        return f"no unary or binary predicate holds of any example, such as {individual}"
    relation = left_out[0]
    return (
        f"nothing to learn from: every value of {' and of '.join(left_out)} belongs to one example only; say in a rule "
        f"what they have in common, such as big_one(X) :- {relation}(X,Y), big(Y)."
    )


def _checked(hypothesis: Hypothesis, entailed: list[Label | None], others: list[Label | None]) -> Hypothesis:
    """Add the labels that B and H entail; for the examples they must be what the program predicts."""
    if entailed != predict(hypothesis.program, hypothesis.table).tolist():
        raise ProgramError("B and H do not entail what the program predicts; please report this bug")
    trial = hypothesis.trial and replace(hypothesis.trial, entailed=tuple(others))
    return replace(hypothesis, entailed=tuple(entailed), trial=trial)
