"""Examples, E: facts that give each individual a label."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unless.errors import ReadError, UnknownNameError, suggest
from unless.judge.learners import held_back
from unless.logic.background import Background, read_background
from unless.logic.checks import Signature, shown
from unless.logic.columns import categories
from unless.logic.run import atoms
from unless.table import Labels
from unless.values import Label

if TYPE_CHECKING:
    from clingo import Control, Symbol

    from unless.logic.background import Source

_SHARE = 0.2
_ENOUGH = 20
"""The fewest examples that the default share is held back from: a test on three individuals tells nothing."""


@dataclass(frozen=True, eq=False)
class Examples:
    """The label of every individual, in the order of the text, and the label behind each of clingo's terms."""

    target: str
    labels: dict[Symbol, Label]
    terms: dict[Symbol, Label]

    def split(self, share: float | None, seed: int) -> tuple[list[Symbol], list[Symbol]]:
        """The individuals to learn from, and those to hold back."""
        if share is None:
            share = _SHARE if len(self.labels) >= _ENOUGH else 0.0
        held = held_back(Labels.of(self.target, self.labels.values()), share, seed).tolist()
        pairs = list(zip(self.labels, held, strict=True))
        return [one for one, back in pairs if not back], [one for one, back in pairs if back]


def read_examples(source: Source, target: str, known: Background, control: Control) -> Examples:
    """Read the facts of the target; ``control`` is the grounded background knowledge."""
    read = read_background(source, "examples")
    pairs = _facts(read, (target, 2))
    _refuse_relation(read, pairs, target, known, control)
    labels = _one_each(read, pairs)
    terms = _label_terms(labels.values(), target)
    return Examples(target, {individual: terms[term] for individual, term in labels.items()}, terms)


def _facts(read: Background, wanted: Signature) -> list[tuple[Symbol, Symbol]]:
    """The individuals and their labels, in the order of the text."""
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


def _one_each(read: Background, pairs: list[tuple[Symbol, Symbol]]) -> dict[Symbol, Symbol]:
    """The label of every individual; it may have only one."""
    labels: dict[Symbol, Symbol] = {}
    for individual, label in pairs:
        if labels.setdefault(individual, label) != label:
            raise ReadError(
                f"{read.name}: {individual} has two labels, {labels[individual]} and {label}; keep one, as relations "
                "with several are not learned"
            )
    return labels


def _refuse_relation(
    read: Background, pairs: list[tuple[Symbol, Symbol]], target: str, known: Background, control: Control
) -> None:
    """Refuse examples that relate individuals to each other.

    They do if a label is an example itself, or if most labels share a predicate with examples. If an individual has
    several labels, one such label is enough.
    """
    given = {individual for individual, _ in pairs}
    labels = {label for _, label in pairs if label.type.name != "Number"}
    alike = dict.fromkeys(labels & given, (target, 2))
    for signature in known.mentions if labels else ():
        firsts = {arguments[0] for arguments in atoms(control, *signature) if arguments}
        if not firsts.isdisjoint(given):
            alike |= dict.fromkeys((labels & firsts) - set(alike), signature)
    enough = len(labels) // 2 + 1 if labels.isdisjoint(given) and len(pairs) == len(given) else 1
    if len(alike) < enough:
        return
    individual, label = next(pair for pair in pairs if pair[1] in alike)
    raise ReadError(
        f"{read.name}: {target}({individual},{label}) relates two individuals: {shown(alike[label])} holds of {label}, "
        f"as it does of examples; what is learned is a label, as in {target}({individual},yes)"
    )


def _label_terms(terms: Iterable[Symbol], target: str) -> dict[Symbol, Label]:
    """The label behind each term: a number stays a number, anything else is text."""
    distinct = sorted(set(terms))
    texts = categories(distinct, target)
    if texts and len(texts) < len(distinct):
        raise ReadError(f"the labels of {target} are numbers and text; make them all one or the other")
    return {term: texts[term] if texts else term.number for term in distinct}
