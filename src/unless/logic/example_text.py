"""Read the examples of logic programs: ``pos(f(x))`` and ``neg(f(x))``, or ``f(x,label)``.

The examples are about one individual, about a pair, or about an individual and its label. The form of the examples
shows which; ``arguments`` declares how many arguments name the individual.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.logic.background_checks import Signature, shown
from unless.logic.fact_text import NUMBER, FactText, parse_atom
from unless.values import Label, count_text

POSITIVE, NEGATIVE = "pos", "neg"

Row = tuple[str, ...]

_MOST = 0.8
_SIGNED = re.compile(r"^\s*(?:pos|neg)\(\s*[^\W\d]\w*\s*\(", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Examples:
    """The individuals, each named by one entity or several, and their labels.

    ``labelled`` means that the last argument of the target is the label: ``f(x,label)``. Otherwise the labels are
    `POSITIVE` and `NEGATIVE`.
    """

    target: str
    individuals: tuple[Row, ...]
    labels: tuple[Label, ...]
    labelled: bool
    left_out: int = 0
    """The number of individuals that have only negative examples, and so no label."""

    @property
    def signature(self) -> Signature:
        """The target and the number of its arguments."""
        return self.target, len(self.individuals[0]) + self.labelled


def has_signs(text: str) -> bool:
    """Whether a text has examples of the form ``pos(f(x)).`` or ``neg(f(x)).``."""
    return _SIGNED.search(text) is not None


def read_examples(found: FactText, origin: str, target: str | None = None, arguments: int | None = None) -> Examples:
    """Read the examples in a text; repeated examples are merged, contradictory examples are rejected."""
    if found.rules:
        raise ReadError(
            f"{origin}, line {found.rules[0][0]}: a rule; examples are facts, rules belong to the background"
        )
    if found.left_out:
        line, text = found.left_out[0]
        raise ReadError(f"{origin}, line {line}: an example is a fact without variables, not {text[:60]}")
    if arguments is not None and (not isinstance(arguments, int) or arguments < 1):
        raise ParameterError(f"arguments is how many arguments name an individual, 1 or 2; not {arguments!r}")
    if {(POSITIVE, 1), (NEGATIVE, 1)} & set(found.facts):
        return _signed(found, origin, target, arguments)
    return _labelled(found, origin, target, arguments)


def _signed(found: FactText, origin: str, target: str | None, arguments: int | None) -> Examples:
    """Read examples written as ``pos(…)`` and ``neg(…)``."""
    sides: dict[str, dict[Signature, dict[Row, None]]] = {POSITIVE: {}, NEGATIVE: {}}
    for name, rows in sides.items():
        for (text,) in found.facts.get((name, 1), ()):
            atom = parse_atom(text)
            if atom is None or not atom.arguments:
                raise ReadError(f"{origin}: {name}({text}) is not an example; write {name}(f(x)).")
            rows.setdefault(atom.signature, {})[atom.arguments] = None
    _refuse_others(found, origin, sides)
    signature = _chosen({one for rows in sides.values() for one in rows}, origin, target)
    positive, negative = list(sides[POSITIVE].get(signature, ())), list(sides[NEGATIVE].get(signature, ()))
    _refuse_contradiction(signature, positive, sides[NEGATIVE].get(signature, {}), origin)
    if _has_labels(signature, positive, negative, arguments):
        return _with_labels(signature[0], positive, negative, origin)
    if arguments not in (None, signature[1]):
        raise ParameterError(f"arguments={arguments}: {shown(signature)} has {signature[1]} and no label")
    labels = [POSITIVE] * len(positive) + [NEGATIVE] * len(negative)
    return Examples(signature[0], (*positive, *negative), tuple(labels), labelled=False)


def _refuse_others(found: FactText, origin: str, sides: Mapping[str, object]) -> None:
    other = next((one for one in found.facts if one[0] not in sides or one[1] != 1), None)
    if other is not None:
        raise ReadError(f"{origin}, line {found.lines[other]}: {shown(other)} beside pos/1 and neg/1; move it to B")


def _chosen(signatures: set[Signature], origin: str, target: str | None) -> Signature:
    """Choose the predicate to learn: the only one, or the one given as ``target``."""
    names = sorted(signatures)
    if target is not None:
        wanted = [one for one in names if target in (one[0], shown(one))]
        if not wanted:
            raise UnknownNameError(f"{origin}: no examples of {target!r}{suggest(target, [one for one, _ in names])}")
        names = wanted
    if len(names) != 1:
        several = " and ".join(map(shown, names)) or "none"
        raise ReadError(f"{origin}: the examples are of {several}; learn one predicate at a time: target=…")
    return names[0]


def _refuse_contradiction(signature: Signature, positive: list[Row], negative: Mapping[Row, None], origin: str) -> None:
    if both := next((one for one in positive if one in negative), None):
        example = f"{signature[0]}({','.join(both)})"
        raise ReadError(f"{origin}: {example} is a positive and a negative example; remove one of them")


def refuse_one_side(examples: Examples, origin: str) -> None:
    """Reject examples that are all positive or all negative."""
    if len(set(examples.labels)) > 1:
        return
    positive, count = examples.labels[0] == POSITIVE, len(examples.labels)
    present, absent, write = ("positive", "negative", NEGATIVE) if positive else ("negative", "positive", POSITIVE)
    raise ReadError(
        f"{origin}: {count_text(count, f'{present} example')} of {shown(examples.signature)} and no {absent} ones: "
        f"nothing to tell apart; add examples such as {write}({examples.target}(…))."
    )


def _has_labels(signature: Signature, positive: list[Row], negative: list[Row], arguments: int | None) -> bool:
    """Whether the last argument is a label: one per individual, few in all, and none names an individual."""
    if signature[1] < 2:
        return False
    if arguments is not None:
        return arguments == signature[1] - 1
    heads, labels = {one[:-1] for one in positive}, {one[-1] for one in positive}
    single = len(heads) == len(positive) and len(labels) <= max(2, len(positive) // 5)
    named = {text for one in (*positive, *negative) for text in one[:-1]}
    matching = [one for one in negative if one[:-1] in heads and one[-1] in labels]
    described = len(matching) >= _MOST * len(negative) if negative else len(labels) > 1
    return single and described and not labels & named


def _with_labels(target: str, positive: list[Row], negative: list[Row], origin: str) -> Examples:
    individuals, labels = [one[:-1] for one in positive], [one[-1] for one in positive]
    unlabelled = {one[:-1] for one in negative} - set(individuals)
    found = _unique(target, individuals, labels, origin)
    return Examples(target, tuple(found), _typed_labels(found.values()), labelled=True, left_out=len(unlabelled))


def _labelled(found: FactText, origin: str, target: str | None, arguments: int | None) -> Examples:
    """Read examples written as ``f(x,label)``."""
    name, arity = _chosen(set(found.facts), origin, target)
    if other := next((one for one in found.facts if one != (name, arity)), None):
        line = found.lines[other]
        raise ReadError(f"{origin}, line {line}: {shown(other)} is not the target {shown((name, arity))}; move it to B")
    if arity < 2 or (arguments is not None and arguments != arity - 1):
        raise ReadError(
            f"{origin}: facts of {shown((name, arity))} without labels are positive examples only; write "
            f"pos({name}(…)) and neg({name}(…)), or give each its label: {name}({'x' if arity < 2 else 'x,y'},yes)"
        )
    rows = list(found.facts[name, arity])
    pairs = _unique(name, [one[:-1] for one in rows], [one[-1] for one in rows], origin)
    if arguments is None and arity == 2 and (both := {text for (text,) in pairs} & set(pairs.values())):
        one = min(both)
        if not NUMBER.fullmatch(one):
            raise ReadError(
                f"{origin}: {name}/2 relates individuals: {one} is an individual and a label; write pos({name}(…)) and "
                f"neg({name}(…)) to learn a relation, or arguments=1 if it is a label"
            )
    return Examples(name, tuple(pairs), _typed_labels(pairs.values()), labelled=True)


def _unique(target: str, individuals: Sequence[Row], labels: Sequence[str], origin: str) -> dict[Row, str]:
    found: dict[Row, str] = {}
    for one, label in zip(individuals, labels, strict=True):
        if found.setdefault(one, label) != label:
            raise ReadError(
                f"{origin}: {target}({','.join(one)},…) has two labels, {found[one]} and {label}; remove one, as "
                "relations with several are not learned"
            )
    if len(set(found.values())) < 2:
        raise ReadError(
            f"{origin}: all examples have the label {next(iter(found.values()), None)!r}; nothing to distinguish"
        )
    return found


def _typed_labels(names: object) -> tuple[Label, ...]:
    """Convert labels to numbers if all are whole numbers; otherwise leave them as texts."""
    texts = [str(one) for one in names]  # type: ignore[attr-defined]
    whole = all(one.lstrip("-").isdecimal() for one in texts)
    return tuple(int(one) if whole else one for one in texts)
