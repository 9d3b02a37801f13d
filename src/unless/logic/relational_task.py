"""Read a relational task from logic programs: background knowledge B as a world, examples as labelled individuals.

`fact_text` and `example_text` read the texts, `rule_evaluation` adds the facts that B's rules entail, and
`argument_types` infers which arguments hold numbers and which hold entities of the same type.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError, UnlessWarning, suggest
from unless.logic.argument_types import TypedArguments, find_types, parse_types
from unless.logic.background import Origin, Source, source_texts
from unless.logic.background_checks import Signature, shown
from unless.logic.example_text import Examples, Row, read_examples, refuse_one_side
from unless.logic.fact_text import NUMBER as NUMBER_TEXT
from unless.logic.fact_text import FactText, read_fact_text
from unless.logic.recursion import refuse_recursion
from unless.logic.rule_evaluation import Rows, with_rules
from unless.relational import NUMBER, Relation, World
from unless.values import Label, count_text

IGNORED = "ignored"
"""The type of an argument that is not learned from: the type has one entity, so all rows are equal."""

_BACKGROUND = ("bk.pl", "bk.lp", "background.pl", "background.lp")
_EXAMPLES = ("exs.pl", "exs.lp", "examples.pl", "examples.lp")

Types = Iterable[str] | Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Task:
    """The task to learn: the labels of the individuals of a world.

    ``labelled`` means that the target's last argument is the label, ``f(x,label)``; otherwise the labels are ``pos``
    and ``neg``.
    """

    target: str
    world: World
    labels: tuple[Label, ...]
    labelled: bool
    plain: bool = True
    """Whether clingo itself can read the facts of B: no decimals, quoted constants, lists or terms."""

    @property
    def types(self) -> dict[Signature, tuple[str, ...]]:
        """The types of the arguments of every relation, used to read other background knowledge."""
        return {signature: one.types for signature, one in self.world.relations.items()}

    @property
    def relational(self) -> bool:
        """Whether B describes more than the individuals' own properties: pairs, or parts with properties."""
        if len(self.world.root) > 1:
            return True
        root = self.world.root[0]
        positions = [kind for one in self.world.relations.values() for kind in one.types]
        for one in self.world.relations.values():
            place = next((k for k, kind in enumerate(one.types) if kind == root), None)
            others = [] if place is None else [kind for k, kind in enumerate(one.types) if k != place]
            entities = [kind for kind in others if kind not in (NUMBER, IGNORED)]
            if root in entities or len(others) > 1:
                return True
            if place is not None and not one.functional(place) and any(positions.count(kind) > 1 for kind in entities):
                return True
        return False


def read_task(
    background: Source | Sequence[Source],
    examples: Source | None = None,
    target: str | None = None,
    *,
    arguments: int | None = None,
    types: Types = (),
    features: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    strict: bool = False,
) -> Task:
    """Read background knowledge and examples from texts or files, or both from a folder.

    Parameters
    ----------
    background, examples
        Text, or a path. A folder has ``bk.pl`` and ``exs.pl``.
    target
        The predicate to learn, if there are examples of several.
    arguments
        The number of arguments that name an individual; by default the examples show it.
    types
        Types of arguments: ``["size/2: piece, number"]``. ``_`` leaves one to be inferred.
    features, ignore
        The relations to learn from, and those to leave out: ``size`` or ``size/2``; ``atm/5.4`` is an argument.
    strict
        Reject facts with variables, instead of leaving them out with a warning.
    """
    background, examples = _sources(background, examples)
    name, texts = source_texts(examples, "examples")
    found = read_examples(read_fact_text(texts[0], str(name)), str(name), target, arguments)
    facts, lines, plain = _facts(background, strict=strict)
    _refuse_target(found, facts, lines)
    facts = _selected(facts, features, ignore)
    typed = find_types(facts, found.individuals, found.target, parse_types(types))
    if found.labelled and arguments is None:
        _refuse_related(found, facts, typed)
    refuse_recursion(found, facts, typed, str(name))
    refuse_one_side(found, str(name))
    _refuse_unknown(found, facts, typed)
    _warn(found, typed)
    by_signature = {one: tuple(typed.types[one, place] for place in range(one[1])) for one in facts}
    by_signature = _without(by_signature, ignore)
    world = world_of(facts, by_signature, typed.root, found.individuals)
    return Task(found.target, world, found.labels, found.labelled, plain)


def read_world(
    background: Source | Sequence[Source],
    types: Mapping[Signature, tuple[str, ...]],
    root: tuple[str, ...],
    individuals: Iterable[str | Sequence[str]] | None = None,
    *,
    strict: bool = False,
) -> World:
    """Read other background knowledge with the types of a task.

    By default, ``individuals`` are all entities of their type that B mentions.
    """
    facts, _, _ = _facts(background, strict=strict)
    facts = {signature: rows for signature, rows in facts.items() if signature in types}
    if individuals is None:
        rows = _mentioned(facts, types, root)
    else:
        if isinstance(individuals, str):
            raise ParameterError(f"individuals must be a list, not a text; write individuals=[{individuals!r}]")
        rows = [(one,) if isinstance(one, str) else tuple(map(str, one)) for one in individuals]
    if wrong := next((one for one in rows if len(one) != len(root)), None):
        raise ParameterError(f"an individual has {count_text(len(root), 'name')}, not {wrong!r}")
    return world_of(facts, {one: types[one] for one in facts}, root, rows)


def world_of(
    facts: Mapping[Signature, Iterable[Row]],
    types: Mapping[Signature, tuple[str, ...]],
    root: tuple[str, ...],
    individuals: Sequence[Row],
) -> World:
    """Store facts as columns; the entities of each type are sorted by name."""
    columns = {
        signature: list(zip(*sorted(rows), strict=True)) for signature, rows in sorted(facts.items()) if signature[1]
    }
    named: dict[str, set[str]] = {kind: set() for kind in root}
    for signature, texts in columns.items():
        for kind, column in zip(types[signature], texts, strict=True):
            if kind not in (NUMBER, IGNORED):
                named.setdefault(kind, set()).update(column)
    for place, kind in enumerate(root):
        named[kind].update(one[place] for one in individuals)
    names = {kind: sorted(texts) for kind, texts in named.items()} | {IGNORED: [IGNORED]}
    codes = {kind: {text: code for code, text in enumerate(texts)} for kind, texts in names.items()}

    def encoded(column: Sequence[str], kind: str) -> NDArray[Any]:
        if kind == NUMBER:
            return np.array([float(one) if NUMBER_TEXT.fullmatch(one) else np.nan for one in column])
        if kind == IGNORED:
            return np.zeros(len(column), np.int32)
        known = codes[kind]
        return np.array([known[one] for one in column], np.int32)

    relations = {
        signature: Relation(signature[0], types[signature], tuple(map(encoded, texts, types[signature])))
        for signature, texts in columns.items()
    }
    roots = tuple(encoded([one[place] for one in individuals], kind) for place, kind in enumerate(root))
    return World(relations, names, root, roots)


def _sources(
    background: Source | Sequence[Source], examples: Source | None
) -> tuple[Source | Sequence[Source], Source]:
    """Return the sources of B and of the examples, also from a folder."""
    if examples is not None:
        return background, examples
    if not isinstance(background, str | os.PathLike) or not Path(background).is_dir():
        raise ParameterError("without examples, background is a folder with bk.pl and exs.pl")
    folder = Path(background)
    return _in(folder, _BACKGROUND), _in(folder, _EXAMPLES)


def _in(folder: Path, names: Sequence[str]) -> Path:
    found = next((folder / name for name in names if (folder / name).exists()), None)
    if found is None:
        present = sorted(one.name for one in folder.iterdir())[:8]
        raise MissingFileError(f"{folder}: it has no {names[0]}; it has {', '.join(present) or 'no files'}")
    return found


def _facts(
    background: Source | Sequence[Source], *, strict: bool
) -> tuple[dict[Signature, Rows], dict[Signature, str], bool]:
    """Return the facts of B, including entailed ones, the first mention of each predicate, and whether all is plain."""
    name, texts = source_texts(background, "background")
    found = [read_fact_text(text, one) for text, one in zip(texts, name.names, strict=True)]
    _report_left_out(found, name, strict=strict)
    return *with_rules(found, name), all(one.plain for one in found)


def _report_left_out(found: Sequence[FactText], name: Origin, *, strict: bool) -> None:
    left_out = [
        (before + line, text) for one, before in zip(found, name.before, strict=True) for line, text in one.left_out
    ]
    if not left_out:
        return
    line, text = left_out[0]
    what = f"{count_text(len(left_out), 'fact')} with variables, or unreadable"
    if strict:
        raise ReadError(f"{name.line(line)}: {what}; remove them, or leave out strict; the first is {text[:80]}")
    warnings.warn(f"{what}, left out; the first: {name.line(line)}: {text[:80]}", UnlessWarning, stacklevel=4)


def _refuse_target(found: Examples, facts: Mapping[Signature, object], lines: Mapping[Signature, str]) -> None:
    """Reject background knowledge that mentions the target, in facts or in rules."""
    if (signature := found.signature) in lines or signature in facts:
        raise ReadError(
            f"{lines[signature]}: B mentions {shown(signature)}, the target; labels would leak into features, and "
            "rules do not call themselves; remove it, or give it another name"
        )


def _selected(
    facts: dict[Signature, Rows], features: Iterable[str] | None, ignore: Iterable[str]
) -> dict[Signature, Rows]:
    """Select the facts of the relations to learn from."""
    usable = {signature: rows for signature, rows in facts.items() if signature[1]}
    wanted = set(usable) if features is None else _named(features, usable, "features")
    dropped = _named([one for one in ignore if "." not in one], usable, "ignore")
    found = {one: rows for one, rows in usable.items() if one in wanted and one not in dropped}
    if not found:
        raise ReadError("B has no facts to learn from" + (" except those that are ignored" if usable else ""))
    return found


def _named(names: Iterable[str], usable: Mapping[Signature, object], option: str) -> set[Signature]:
    if isinstance(names, str):
        raise ParameterError(f"{option} must be a list, not a text; write {option}=[{names!r}]")
    found: set[Signature] = set()
    for name in names:
        meant = {one for one in usable if name in (one[0], shown(one))}
        if not meant:
            raise UnknownNameError(f"{option}: B has no facts of {name!r}{suggest(name, [one for one, _ in usable])}")
        found |= meant
    return found


def _without(types: dict[Signature, tuple[str, ...]], ignore: Iterable[str]) -> dict[Signature, tuple[str, ...]]:
    """Give ignored arguments a type of their own."""
    for text in (one for one in ignore if "." in one):
        relation, _, place = text.rpartition(".")
        for name, arity in _named([relation], types, "ignore"):
            if not place.isdecimal() or not 1 <= int(place) <= arity:
                raise UnknownNameError(
                    f"ignore: {name}/{arity} has no argument {place!r}; the first is {name}/{arity}.1"
                )
            kinds = list(types[name, arity])
            kinds[int(place) - 1] = IGNORED
            types = types | {(name, arity): tuple(kinds)}
    return types


def _mentioned(
    facts: Mapping[Signature, Iterable[Row]], types: Mapping[Signature, tuple[str, ...]], root: tuple[str, ...]
) -> list[Row]:
    """Return the individuals that B mentions; pairs must be given."""
    if len(root) > 1:
        raise ParameterError("the rules are about pairs; name them: individuals=[('a','b'), …]")
    found = {
        row[place]
        for signature, rows in facts.items()
        for place, kind in enumerate(types[signature])
        if kind == root[0]
        for row in rows
    }
    return [(one,) for one in sorted(found)]


def _refuse_unknown(found: Examples, facts: Mapping[Signature, Iterable[Row]], typed: TypedArguments) -> None:
    """Reject examples if no fact mentions any of them; some may be without facts."""
    known: dict[str, set[str]] = {kind: set() for kind in typed.root}
    for (signature, place), kind in typed.types.items():
        if kind in known and signature in facts:
            known[kind].update(row[place] for row in facts[signature])
    if not any(name in known[kind] for one in found.individuals for name, kind in zip(one, typed.root, strict=True)):
        example = f"{found.target}({','.join(found.individuals[0])}{',…' if found.labelled else ''})"
        raise ReadError(
            f"no fact of B mentions any example, such as {example}; check that both write the names in the same way, "
            "or declare the types of numbers that are names: types=['p/2: thing, number']"
        )


def _refuse_related(found: Examples, facts: Mapping[Signature, Iterable[Row]], typed: TypedArguments) -> None:
    """Reject labels that are individuals like those of the examples: then the target is a relation."""
    texts = {one for one in found.labels if isinstance(one, str)}
    known = {
        row[place]
        for (signature, place), kind in typed.types.items()
        if kind in typed.root and signature in facts
        for row in facts[signature]
    }
    if 2 * len(texts & known) > len(set(found.labels)):
        one = min(texts & known)
        raise ReadError(
            f"{found.target} relates two individuals: B has facts about {one}, as about examples; write "
            f"pos({found.target}(…)) and neg({found.target}(…)) to learn a relation, or arguments=1 if it is a label"
        )


def _warn(found: Examples, typed: TypedArguments) -> None:
    for one in typed.guesses:
        warnings.warn(one, UnlessWarning, stacklevel=3)
    if found.left_out:
        text = f"{count_text(found.left_out, 'individual')} with negative examples only, left out: they have no label"
        warnings.warn(text, UnlessWarning, stacklevel=3)
