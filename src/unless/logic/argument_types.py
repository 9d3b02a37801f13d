"""Infer the types of arguments: which arguments hold numbers, and which hold entities of the same type.

Two arguments have the same type if they share a fifth of the constants of the smaller one. An argument that holds only
numbers has the type `NUMBER`, unless its numbers are names: names of examples, or of parts, if each number occurs once
in one relation and starts facts of other relations. Declared types take precedence, and guesses are reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.logic.background_checks import Signature, shown
from unless.logic.fact_text import NUMBER as NUMBER_TEXT
from unless.relational import NUMBER

Position = tuple[Signature, int]
"""A relation and one of its arguments, counted from 0. The examples have the name `EXAMPLES`."""

EXAMPLES = ""
_SHARED = 0.2
_COVERED = 0.8
_FEW = 10


@dataclass(eq=False)
class TypedArguments:
    """The type of every argument; ``guesses`` lists the arguments whose numbers were taken as names."""

    types: dict[Position, str]
    root: tuple[str, ...]
    guesses: list[str] = field(default_factory=list)


def parse_types(given: Iterable[str] | Mapping[str, Sequence[str]]) -> dict[Signature, tuple[str, ...]]:
    """Read declared types: ``size/2: piece, number``, or a mapping with these texts; ``_`` leaves a type undeclared.

    >>> parse_types(["size/2: piece, number"])
    {('size', 2): ('piece', 'number')}
    """
    if isinstance(given, str):
        raise ParameterError(f"types must be a list or a mapping, not a text; write types=[{given!r}]")
    pairs = given.items() if isinstance(given, Mapping) else [_split(one) for one in given]
    found = dict[Signature, tuple[str, ...]]()
    for key, types in pairs:
        name, _, arity = key.rpartition("/")
        kinds = tuple(one.strip() or "_" for one in ([types] if isinstance(types, str) else types))
        if not name or not arity.isdecimal() or int(arity) != len(kinds):
            raise ParameterError(f"types: {key!r} with {len(kinds)} types; write them as 'size/2: piece, number'")
        found[name, int(arity)] = kinds
    return found


def _split(text: str) -> tuple[str, list[str]]:
    key, _, types = text.partition(":")
    return key.strip(), types.split(",")


def find_types(
    facts: Mapping[Signature, Collection[tuple[str, ...]]],
    individuals: Sequence[tuple[str, ...]],
    target: str,
    declared: Mapping[Signature, Sequence[str]],
) -> TypedArguments:
    """Infer the types of all arguments of the facts and of the examples, except declared types."""
    finder = _Finder(facts, individuals, _known(declared, facts, target, len(individuals[0])))
    numbers, guesses = finder.numbers(target)
    types = finder.names(finder.groups(numbers), target)
    types |= dict.fromkeys(numbers, NUMBER)
    width = len(individuals[0])
    root = tuple(types.pop(((EXAMPLES, width), place)) for place in range(width))
    return TypedArguments(types, root, guesses)


def _known(
    declared: Mapping[Signature, Sequence[str]], facts: Mapping[Signature, object], target: str, width: int
) -> dict[Position, str]:
    """Return the declared type of each argument."""
    found: dict[Position, str] = {}
    for signature, kinds in declared.items():
        if signature == (target, width):
            signature = EXAMPLES, width  # noqa: PLW2901 - the same under its own name
        elif signature not in facts:
            names = [shown(one) for one in facts]
            raise UnknownNameError(f"types: B has no facts of {shown(signature)}{suggest(shown(signature), names)}")
        found |= {(signature, place): kind for place, kind in enumerate(kinds) if kind != "_"}
    return found


class _Finder:
    """Finds types from the distinct constants of each argument, stored as codes."""

    def __init__(
        self,
        facts: Mapping[Signature, Collection[tuple[str, ...]]],
        individuals: Sequence[tuple[str, ...]],
        declared: Mapping[Position, str],
    ) -> None:
        self.declared = declared
        self.codes: dict[str, int] = {}
        self.columns: dict[Position, NDArray[np.int64]] = {}
        every = {**facts, (EXAMPLES, len(individuals[0])): individuals}
        for signature in sorted(every):
            for place, column in enumerate(zip(*every[signature], strict=True)):
                codes = [self.codes.setdefault(one, len(self.codes)) for one in column]
                self.columns[signature, place] = np.array(codes, np.int64)
        self.constants = {one: np.unique(codes) for one, codes in self.columns.items()}
        self.numeric = np.array([NUMBER_TEXT.fullmatch(one) is not None for one in self.codes], np.bool_)
        self.whole = np.array([one.lstrip("-").isdecimal() for one in self.codes], np.bool_)
        self.roots = [one for one in self.columns if one[0][0] == EXAMPLES]

    def numbers(self, target: str) -> tuple[list[Position], list[str]]:
        """Find the arguments that hold numbers, and report guesses about them."""
        numeric = [one for one, codes in self.constants.items() if self.numeric[codes].all() and one not in self.roots]
        for one, kind in self.declared.items():
            if kind == NUMBER and one not in numeric:
                raise ReadError(f"types: {_shown(one)} is declared as numbers, but it has {self._first_text(one)!r}")
        free = [one for one in numeric if one not in self.declared]
        names, of_parts = self._names_of_examples(free), self._names_of_parts(free)
        values = [one for one in free if one not in names and one not in of_parts]
        guesses = [self._guess(names, values, target)] if names and self._collides(values) else []
        if of_parts:
            guesses.append(f"the numbers of {_list(of_parts)} are taken as names of parts, not as values")
        return [
            one for one in numeric if self.declared.get(one, NUMBER) == NUMBER and one not in (*names, *of_parts)
        ], [f"{one}; to overrule: types=['{shown(names[0][0] if names else of_parts[0][0])}: …']" for one in guesses]

    def _names_of_examples(self, free: list[Position]) -> list[Position]:
        """Find the arguments whose numbers are the names of examples."""
        roots = [self.constants[one] for one in self.roots if self.whole[self.constants[one]].all()]
        found: list[Position] = []
        for root in roots:
            covering = [one for one in free if len(np.intersect1d(root, self.constants[one])) >= _COVERED * len(root)]
            similar = [one for one in covering if 2 * len(root) >= len(np.union1d(root, self.constants[one]))]
            found += similar or [one for one in covering if one[1] == 0]
        return list(dict.fromkeys(found))

    def _names_of_parts(self, free: list[Position]) -> list[Position]:
        """Find the arguments whose whole numbers name parts: each occurs once in one relation and starts others."""
        whole = [one for one in free if self.whole[self.constants[one]].all() and len(self.constants[one]) >= _FEW]
        found: list[Position] = []
        for one in whole:
            if one[1] == 0 or len(self.constants[one]) < len(self.columns[one]):
                continue
            starts = [
                other
                for other in whole
                if other[1] == 0
                and other[0] != one[0]
                and 2 * len(np.intersect1d(self.constants[one], self.constants[other]))
                >= len(np.union1d(self.constants[one], self.constants[other]))
            ]
            found += [one, *starts] if starts else []
        return list(dict.fromkeys(found))

    def _collides(self, values: list[Position]) -> bool:
        """Whether numbers that are values are also names of examples."""
        root = np.unique(np.concatenate([self.constants[one] for one in self.roots]))
        return any(len(np.intersect1d(root, self.constants[one])) for one in values)

    def _guess(self, names: list[Position], values: list[Position], target: str) -> str:
        like = f"{_list(names)} {'is' if len(names) == 1 else 'are'} taken as names of examples of {target}"
        return f"{like}, and {_list(values)} as numbers, although they share some"

    def _first_text(self, one: Position) -> str:
        texts = list(self.codes)
        return str(min(texts[code] for code in self.constants[one].tolist() if not self.numeric[code]))

    def groups(self, numbers: Iterable[Position]) -> list[list[Position]]:
        """Group the arguments of each type: join arguments that share constants, those that share most first."""
        numbers = set(numbers)
        open_ = [one for one in self.constants if one not in numbers]
        group = {one: index for index, one in enumerate(open_)}
        kinds = {group[one]: kind for one, kind in self.declared.items() if one in group}
        same = {kind: min(index for index, other in kinds.items() if other == kind) for kind in set(kinds.values())}
        group = {one: same[kinds[index]] if index in kinds else index for one, index in group.items()}
        kinds = {index: kind for kind, index in same.items()}
        for _, one, other in sorted(self._shared(open_), key=lambda pair: (-pair[0], pair[1:])):
            left, right = sorted((group[one], group[other]))
            if left != right and not (left in kinds and right in kinds):
                kinds |= {left: kinds[right]} if right in kinds else {}
                group = {key: left if index == right else index for key, index in group.items()}
        members: dict[int, list[Position]] = {}
        for one, index in group.items():
            members.setdefault(index, []).append(one)
        return list(members.values())

    def _shared(self, open_: list[Position]) -> Iterator[tuple[float, Position, Position]]:
        """Find the pairs of arguments that share enough constants, with the shared part of the smaller one."""
        common = Counter[tuple[int, int]]()
        for places, count in self._sets_of_arguments(open_).items():
            for pair in combinations(np.frombuffer(places, np.intp).tolist(), 2):
                common[pair] += count
        for (left, right), count in common.items():
            one, other = open_[left], open_[right]
            share = count / min(len(self.constants[one]), len(self.constants[other]))
            if share >= _SHARED:
                yield share, one, other

    def _sets_of_arguments(self, open_: list[Position]) -> Counter[bytes]:
        """Return the distinct sets of arguments that share a constant, as bytes of indices, with constant counts."""
        if not open_:
            return Counter()
        codes = np.concatenate([self.constants[one] for one in open_])
        places = np.repeat(np.arange(len(open_)), [len(self.constants[one]) for one in open_])
        order = np.argsort(codes, kind="stable")
        cuts = np.flatnonzero(np.diff(codes[order])) + 1
        return Counter(part.tobytes() for part in np.split(places[order], cuts))

    def names(self, groups: list[list[Position]], target: str) -> dict[Position, str]:
        """Name each type: by its declaration, by the target, or by the first relation that leads to its entities."""
        found: dict[Position, str] = {}
        taken = {NUMBER, *self.declared.values()}
        roots = set(self.roots)
        for members in sorted(groups, key=lambda group: (not roots & set(group), min(group))):
            name = next((self.declared[one] for one in members if one in self.declared), None)
            if name is None:
                first = min(members, key=lambda one: (one not in roots, one[1] == 0, one))
                name = target if first in roots else f"{first[0][0]}.{first[1] + 1}"
                while name in taken:
                    name += "_"
            taken.add(name)
            found |= dict.fromkeys(members, name)
        return found


def _shown(one: Position) -> str:
    return f"argument {one[1] + 1} of {shown(one[0])}"


def _list(positions: Sequence[Position]) -> str:
    texts = [_shown(one) for one in positions[:4]] + ([f"{len(positions) - 4} more"] if len(positions) > 4 else [])
    return " and ".join(texts)
