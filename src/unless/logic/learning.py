"""Learn from logic programs, as in the paper: from background knowledge B and examples E, a hypothesis H."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

import numpy as np

from unless.errors import ParameterError, ProgramError, ReadError, UnknownNameError, UnlessError, suggest
from unless.evaluation.validation import draw_holdout
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.memory_engine import MemoryEngine
from unless.learn.unless_learner import fold_unless
from unless.logic.background import Background, Source, read_background, source_texts
from unless.logic.background_checks import Signature, shown
from unless.logic.clingo_runner import atoms
from unless.logic.example_text import has_signs
from unless.logic.grounding import Goals, category_texts, choose_predicates, make_columns, merge_unique_categories
from unless.logic.hypothesis import Hypothesis, Trial, derive_labels, refuse_leak
from unless.logic.relational_hypothesis import RelationalHypothesis
from unless.logic.relational_learning import Algorithm, learn_task
from unless.logic.relational_task import Task, Types, read_task
from unless.model.prediction import predict
from unless.rule import Literal, Program
from unless.table import Labels, Table
from unless.values import Label

if TYPE_CHECKING:
    from clingo import Control, Symbol

_SHARE = 0.2
_ENOUGH = 20
"""The minimum number of examples for a default held-out share: a test on three individuals shows nothing."""


def learn_logic(  # noqa: PLR0913 - options that people give by name
    background: Source | Sequence[Source],
    examples: Source | None = None,
    target: str | None = None,
    ratio: float = 0.5,
    *,
    algorithm: Algorithm | None = None,
    positive: Label | None = None,
    features: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    arguments: int | None = None,
    types: Types = (),
    depth: int = 2,
    strict: bool = False,
    test: float | None = None,
    seed: int = 0,
) -> Hypothesis | RelationalHypothesis:
    """Learn rules from background knowledge B and examples E: texts or files in the syntax of Prolog or clingo.

    Examples are ``pos(f(x)).`` and ``neg(f(x)).``, or ``f(x,label).``; they are about one individual or about a pair.
    If B describes parts of individuals, or pairs, conditions on these are searched for, and the result
    is a `RelationalHypothesis`. Otherwise B's unary predicates are true/false features and its binary ones features
    with a value; B is grounded without E, and clingo runs the result, a `Hypothesis`, together with B, to check that
    the two entail what the program predicts.

    Parameters
    ----------
    background, examples
        Text, or a path (a string that ends in ``.lp`` or ``.pl`` is a path). The background may be a list of these, or
        a folder with ``bk.pl`` and ``exs.pl``.
    target
        The predicate to learn, such as ``habitat`` for facts like ``habitat(kitty,land).``, if there are several.
    ratio
        The same as in `unless.fold_rm`.
    algorithm
        ``fold_rm``, ``fold_rpp`` (rules for the label ``positive``), or our own ``fold_unless``. By default
        ``fold_unless`` if B has relations, otherwise ``fold_rm``.
    features, ignore
        The predicates of B to learn from (None: all), and those to leave out: ``age``, or ``age/2`` if several are
        called ``age``; if B has relations, ``atm/5.4`` leaves out an argument.
    arguments
        The number of arguments of the target that name the individual; by default the examples show it.
    types, depth
        If B has relations: the types of arguments that are inferred wrongly, such as ``["size/2: piece, state"]``;
        and the maximum number of relations from an individual to a part. With depth 0 only unary and binary predicates
        of the individuals are learned from.
    strict
        Reject facts with variables, instead of leaving them out with a warning.
    test, seed
        The share of the examples to hold out, and the random seed. ``trial`` of the result has the accuracy on them.
        None holds out a fifth if there are at least 20 examples.
    """
    task = _relational(background, examples, target, arguments, types, features, ignore, depth=depth, strict=strict)
    if isinstance(task, Task):
        return learn_task(task, ratio, algorithm=algorithm, positive=positive, depth=depth, test=test, seed=seed)
    if examples is None or task is None:
        raise ParameterError("examples are missing")
    known_algorithm = algorithm or "fold_rm"
    return _learn_columns(background, examples, task, ratio, known_algorithm, positive, features, ignore, test, seed)


def _relational(  # noqa: PLR0913, PLR0917 - options of learn_logic
    background: Source | Sequence[Source],
    examples: Source | None,
    target: str | None,
    arguments: int | None,
    types: Types,
    features: Iterable[str] | None,
    ignore: Iterable[str],
    *,
    depth: int,
    strict: bool,
) -> Task | str | None:
    """Read the relational task of B and E; return the target's name if columns of a table can express all of it."""
    features = None if features is None else list(features)
    ignore = list(ignore)

    def read() -> Task:
        chosen = {"arguments": arguments, "types": types, "features": features, "ignore": ignore}
        return read_task(background, examples, target, strict=strict, **chosen)  # type: ignore[arg-type]

    if not depth and target is not None and examples is not None and arguments is None and not types:
        return target  # only predicates of the individuals themselves
    if examples is None or arguments is not None or types or has_signs(source_texts(examples, "examples")[1][0]):
        return read()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            task = read()
    except UnlessError:
        if target is None:
            raise
        return target  # the other reader reports the error in its own words
    if task.relational or not task.plain:
        for one in caught:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return task
    return task.target


def _learn_columns(  # noqa: PLR0913, PLR0917 - options of learn_logic
    background: Source | Sequence[Source],
    examples: Source,
    target: str,
    ratio: float,
    algorithm: Algorithm,
    positive: Label | None,
    features: Iterable[str] | None,
    ignore: Iterable[str],
    test: float | None,
    seed: int,
) -> Hypothesis:
    """Learn from columns made of B's unary and binary predicates."""
    known = read_background(background)
    refuse_leak(known, target)
    predicates = choose_predicates(known, features, ignore)
    control = known.ground()
    given = _read_examples(examples, target, known, control)
    learned, held = given.split(test, seed)
    found, left_out = make_columns(control, predicates, learned, target)
    if not found:
        raise ReadError(f"{known.name}: {_no_features_message(left_out, learned[0])}")
    labels = Labels.of(target, [given.labels[one] for one in learned])
    table = Table(tuple(column for column, _ in found), labels)
    goals = {column.name: goal for column, goal in found}
    hypothesis = Hypothesis(
        program=_learn_program(table, goals, ratio, algorithm, positive),
        table=table,
        individuals=tuple(map(str, learned)),
        entailed=(),
        trial=_make_trial(held, given, labels),
        left_out=tuple(left_out),
        _terms={label: str(term) for term, label in given.terms.items()},
        _goals=goals,
        _taken=frozenset(name for name, _ in known.mentions),
    )
    entailed = derive_labels(known, hypothesis.to_clingo(), target, given.terms)
    return _check_entailment(hypothesis, [entailed.get(one) for one in learned], [entailed.get(one) for one in held])


def _make_trial(held: list[Symbol], given: _Examples, learned: Labels) -> Trial | None:
    """Choose the held-out individuals; the entailed labels are added later."""
    if not held:
        return None
    usual = learned.labels[int(np.argmax(np.bincount(learned.codes)))]  # the first one if several are as frequent
    return Trial(tuple(map(str, held)), tuple(given.labels[one] for one in held), (), usual)


def _closed_world_engine(table: Table, unary: Collection[str]) -> MemoryEngine:
    """Return a learner without literals that are redundant, or that only name an individual.

    A true/false predicate is never "missing": "is not yes" expresses that already. A value of only one individual
    is a name: a rule on it would hold for no other individual.
    """
    renamed = [(column, None) if column.name in unary else merge_unique_categories(column) for column in table.columns]
    names = [literal for _, literal in renamed if literal is not None]
    banned = (*(Literal(feature, "missing") for feature in unary), *names)
    return MemoryEngine(replace(table, columns=tuple(column for column, _ in renamed)), banned=banned)


def _learn_program(
    table: Table, goals: dict[str, Goals], ratio: float, algorithm: Algorithm, positive: Label | None
) -> Program:
    engine = _closed_world_engine(table, [feature for feature, goal in goals.items() if goal.yes is not None])
    match algorithm:
        case "fold_rm":
            return fold_rm(engine, ratio)
        case "fold_rpp":
            if positive is None:
                raise ParameterError("fold_rpp learns rules for one label; set positive=…")
            return fold_rpp(engine, positive, ratio)
        case "fold_unless":
            return fold_unless(engine, ratio)
    raise ParameterError(f"no algorithm {algorithm!r}{suggest(str(algorithm), get_args(Algorithm))}")


def _no_features_message(left_out: list[str], individual: Symbol) -> str:
    """Explain why there are no features, and what to do."""
    if not left_out:
        return f"no unary or binary predicate holds of any example, such as {individual}"
    relation = left_out[0]
    return (
        f"nothing to learn from: every value of {' and of '.join(left_out)} belongs to one example only; say in a rule "
        f"what the values have in common, such as big_one(X) :- {relation}(X,Y), big(Y)."
    )


def _check_entailment(hypothesis: Hypothesis, entailed: list[Label | None], others: list[Label | None]) -> Hypothesis:
    """Add the labels that B and H entail; for the examples they must be what the program predicts."""
    if entailed != predict(hypothesis.program, hypothesis.table).tolist():
        raise ProgramError("B and H do not entail what the program predicts; please report this bug")
    trial = hypothesis.trial and replace(hypothesis.trial, entailed=tuple(others))
    return replace(hypothesis, entailed=tuple(entailed), trial=trial)


# Examples: facts that give each individual a label.


@dataclass(frozen=True, eq=False)
class _Examples:
    """The label of every individual, in the order of the text, and the label behind each of clingo's terms."""

    target: str
    labels: dict[Symbol, Label]
    terms: dict[Symbol, Label]

    def split(self, share: float | None, seed: int) -> tuple[list[Symbol], list[Symbol]]:
        """Split the individuals into those to learn from and those to hold out."""
        if share is None:
            share = _SHARE if len(self.labels) >= _ENOUGH else 0.0
        held = draw_holdout(Labels.of(self.target, self.labels.values()), share, seed).tolist()
        pairs = list(zip(self.labels, held, strict=True))
        return [one for one, back in pairs if not back], [one for one, back in pairs if back]


def _read_examples(source: Source, target: str, known: Background, control: Control) -> _Examples:
    """Read the facts of the target; ``control`` is the grounded background knowledge."""
    read = read_background(source, "examples")
    pairs = _read_facts(read, (target, 2))
    _refuse_relation(read, pairs, target, known, control)
    labels: dict[Symbol, Symbol] = {}
    for individual, label in pairs:
        if labels.setdefault(individual, label) != label:
            raise ReadError(
                f"{read.name}: {individual} has two labels, {labels[individual]} and {label}; keep one, as relations "
                "with several are not learned"
            )
    terms = _label_terms(labels.values(), target)
    return _Examples(target, {individual: terms[term] for individual, term in labels.items()}, terms)


def _read_facts(read: Background, wanted: Signature) -> list[tuple[Symbol, Symbol]]:
    """Read the individuals and their labels, in the order of the text."""
    target = wanted[0]
    if wanted not in read.mentions:
        names = [name for name, _ in read.mentions]
        if target in names:
            raise ReadError(f"{read.name}: {target} takes an individual and its label: {target}(kitty,land).")
        raise UnknownNameError(f"{read.name}: no examples of {target!r}{suggest(target, names)}")
    if line := next((rule.line for rule in read.rules if rule.node.body), None):
        raise ReadError(f"{read.name.line(line)}: a rule; examples are facts, rules belong to the background")
    if other := next((signature for signature in read.mentions if signature != wanted), None):
        line = read.mentions[other]
        raise ReadError(f"{read.name.line(line)}: {shown(other)} is not the target {shown(wanted)}; move it to B")
    return [(individual, label) for individual, label in atoms(read.ground(), *wanted)]


def _refuse_relation(
    read: Background, pairs: list[tuple[Symbol, Symbol]], target: str, known: Background, control: Control
) -> None:
    """Reject examples that relate individuals to each other.

    Examples do so if a label is an example itself, or if most labels share a predicate with examples. If an individual
    has several labels, one such label is enough.
    """
    given = {individual for individual, _ in pairs}
    labels = {label for _, label in pairs if label.type.name != "Number"}
    shared = dict.fromkeys(labels & given, (target, 2))
    for signature in known.mentions if labels else ():
        firsts = {arguments[0] for arguments in atoms(control, *signature) if arguments}
        if not firsts.isdisjoint(given):
            shared |= dict.fromkeys((labels & firsts) - set(shared), signature)
    enough = len(labels) // 2 + 1 if labels.isdisjoint(given) and len(pairs) == len(given) else 1
    if len(shared) < enough:
        return
    individual, label = next(pair for pair in pairs if pair[1] in shared)
    raise ReadError(
        f"{read.name}: {target}({individual},{label}) relates two individuals: {shown(shared[label])} holds of "
        f"{label}, as it does of examples; what is learned is a label, as in {target}({individual},yes)"
    )


def _label_terms(terms: Iterable[Symbol], target: str) -> dict[Symbol, Label]:
    """Return the label behind each term: a number stays a number, anything else is text."""
    distinct = sorted(set(terms))
    texts = category_texts(distinct, target)
    if texts and len(texts) < len(distinct):
        raise ReadError(f"the labels of {target} are numbers and text; make them all one or the other")
    return {term: texts[term] if texts else term.number for term in distinct}
