"""Constraints, and rules that stay, as the command takes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from unless.cli.console import Screen
from unless.cli.file_io import listed
from unless.cli.options import Algorithm
from unless.errors import ProgramError

if TYPE_CHECKING:
    from unless.constraints import Constraints
    from unless.model import Model as FittedModel
    from unless.rule import Program
    from unless.table import HoldoutSplit


@dataclass(frozen=True, slots=True)
class Asked:
    """The options about constraints, as they were typed, and a file that has more."""

    never: Sequence[str] | None = None
    only_exceptions: Sequence[str] | None = None
    apart: Sequence[str] | None = None
    monotone: Sequence[str] | None = None
    max_literals: int | None = None
    max_depth: int | None = None
    file: str | None = None

    def value(self, names: Sequence[str], gone: Collection[str]) -> Constraints | None:
        """What they ask for together, given the names of the columns; None if nothing is asked for.

        Of columns that are gone it goes without saying that no rule tests them.
        """
        from unless.constraints import Constraints

        found = Constraints() if self.file is None else Constraints.read(self.file)
        both: dict[str, Any] = {
            "never": [one for one in (*found.never, *listed(self.never, [*names, *gone])) if one not in gone],
            "only_exceptions": (*found.only_exceptions, *listed(self.only_exceptions, names)),
            "apart": (*found.apart, *(_pair(text, names) for text in self.apart or ())),
            "monotone": (*found.monotone, *(self.monotone or ())),
        }
        for name in ("max_literals", "max_depth"):
            given = getattr(self, name)
            both[name] = getattr(found, name) if given is None else given
        return Constraints(**both) or None


def _pair(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Two columns; a name may have commas itself."""
    parts = text.split(",")
    pairs = [(",".join(parts[:k]), ",".join(parts[k:])) for k in range(1, len(parts))]
    known = [pair for pair in pairs if set(pair) <= set(names)]
    if not pairs or (len(pairs) > 1 and len(known) != 1):
        raise typer.BadParameter(f"{text!r} is not two columns, such as age,sex", param_hint="--apart")
    return known[0] if known else pairs[0]


@dataclass(frozen=True, slots=True)
class Kept:
    """A program to learn around, if there is one, and the indices of its rules that stay; None for all.

    ``model`` is what it comes from, if it is more than rules, and ``name`` is its file.
    """

    program: Program | None = None
    lock: tuple[int, ...] | None = None
    model: FittedModel | None = None
    name: str = ""

    def held_back(self, screen: Screen, features: Sequence[str], share: float, seed: int) -> HoldoutSplit | None:
        """The split of the model: rules that stay are tested on no record that they were learned from.

        What cannot be known is said.
        """
        if self.model is None or not share:
            return None
        origin = self.model.origin
        if origin is None or not any(origin.split.cuts) or tuple(self.model.schema.kinds) != tuple(features):
            why = _UNKNOWN if origin is None else _OTHERS if any(origin.split.cuts) else _NONE
            screen.note(f"if rules of {self.name} were learned from records of this test, it is too good: {why}")
            return None
        if origin.split.salt != seed:
            screen.note(f"--seed {seed} is not used: what {self.name} held back is held back again")
        return origin.split

    def included(self, include: Sequence[str] | None, exclude: Sequence[str] | None) -> Sequence[str] | None:
        """The columns to keep, whatever they look like: those that were asked for, and those that locked rules test."""
        if self.program is None:
            return include
        from unless.learn.locked_rules import LockedRules

        rules = LockedRules.of(self.program, self.lock).rules
        tested = dict.fromkeys(literal.feature for rule in rules for literal in rule.literals())
        for name in exclude or ():
            if name in tested:
                raise typer.BadParameter(f"a rule that stays tests {name!r}", param_hint="--exclude")
        return [*(include or ()), *tested]


_UNKNOWN = "it does not say which those are"
_OTHERS = "it knows those by other features"
_NONE = "it held back none"

NOTHING = Kept()


def kept_rules(algorithm: Algorithm, keep: str | None, lock: str | None) -> Kept:
    """The rules that stay, by a model file and the numbers of rules, as the listings count them."""
    if keep is None:
        if lock is not None:
            raise typer.BadParameter("say which rules: --keep model.json", param_hint="--lock")
        return NOTHING
    if algorithm == Algorithm.COMMITTEE:
        raise typer.BadParameter("a committee has many lists; no rule can stay in them", param_hint="--keep")
    from unless.estimators.model_file import read
    from unless.learn.locked_rules import LockedRules
    from unless.model import Model as FittedModel
    from unless.rule import Program
    from unless.score.committee import committee_of

    found = read(keep)
    if committee_of(found) is not None:
        raise ProgramError(f"{keep} holds a committee, whose lists decide together; give a model with one list")
    program = found if isinstance(found, Program) else found.program
    indices = None if lock is None else _indices(lock, len(program))
    LockedRules.of(program, indices)
    return Kept(program, indices, found if isinstance(found, FittedModel) else None, keep)


def _indices(text: str, rules: int) -> tuple[int, ...]:
    """The indices of rules that are numbered from 1: ``1,3`` or ``1-3,5``."""
    found: list[int] = []
    for part in text.split(","):
        numbers = re.fullmatch(r"\s*([0-9]{1,9})(?:\s*-\s*([0-9]{1,9}))?\s*", part)
        if numbers is None:
            raise typer.BadParameter(f"{text!r} is not a list of rules, such as 1,3", param_hint="--lock")
        first = int(numbers[1])
        last = first if numbers[2] is None else int(numbers[2])
        if not 1 <= first <= last <= rules:
            raise typer.BadParameter(f"{part.strip()!r} is not among the rules 1 to {rules}", param_hint="--lock")
        found += range(first - 1, last)
    return tuple(found)
