"""Define the options for constraints, and for rules to keep."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unless.cli.console import Screen
from unless.cli.data_options import ColumnOptions, split_column_option, split_names
from unless.cli.options import CONSTRAINTS, Algorithm, column_option, complete_columns, flag_option, value_option
from unless.errors import ProgramError
from unless.values import parse_number

if TYPE_CHECKING:
    from unless.constraints import Constraints
    from unless.model import Model as FittedModel
    from unless.rule import Program
    from unless.table import HoldoutSplit, SplitColumn


_option = partial(value_option, panel=CONSTRAINTS)

_MONOTONE = "A direction in which decisions never move: 'income: more never refuse', or less instead of more (repeat)."
_FILE = "A TOML file with never, apart, only_cuts and the others; options add to the file."
_CUTS = "The only thresholds on a column: age=18,65 or when=2024-01-01 (repeat)."


@dataclass(frozen=True, slots=True)
class ConstraintOptions:
    """The options for constraints, including a file with more constraints."""

    never: Annotated[list[str] | None, column_option("No rule may test this column", CONSTRAINTS)] = None
    only_exceptions: Annotated[list[str] | None, column_option("Only exceptions may test this column", CONSTRAINTS)] = (
        None
    )
    apart: Annotated[
        list[str] | None, _option("A,B", "Two columns that must not be in one rule together (repeat).", "--apart")
    ] = None
    monotone: Annotated[list[str] | None, _option("DIRECTION", _MONOTONE, "--monotone")] = None
    max_literals: Annotated[
        int | None, _option("N", "At most N tests in a rule, and in each exception; a range counts as two.", low=1)
    ] = None
    max_depth: Annotated[int | None, _option("N", "At most N levels of exceptions; 0 for no exceptions.", low=0)] = None
    no_negation: Annotated[
        bool, flag_option("No rule says 'is not' or 'is present'.", "--no-negation", panel=CONSTRAINTS)
    ] = False
    only_cuts: Annotated[list[str] | None, _option("COLUMN=X,Y", _CUTS, "--only-cuts", complete=complete_columns)] = (
        None
    )
    constraints: Annotated[str | None, _option("FILE", _FILE, "--constraints")] = None

    def to_constraints(self, names: Sequence[str], gone: Collection[str]) -> Constraints | None:
        """Combine the options with the file, given the names of the columns; None if there are no constraints.

        Columns that were left out need no constraint, because no rule can test them.
        """
        from unless.constraints import Constraints

        found = Constraints() if self.constraints is None else Constraints.read(self.constraints)
        both: dict[str, Any] = {
            "never": [one for one in (*found.never, *split_names(self.never, [*names, *gone])) if one not in gone],
            "only_exceptions": (*found.only_exceptions, *split_names(self.only_exceptions, names)),
            "apart": (*found.apart, *(_parse_column_pair(text, names) for text in self.apart or ())),
            "monotone": (*found.monotone, *(self.monotone or ())),
            "no_negation": found.no_negation or self.no_negation,
            "only_cuts": {**dict(found.only_cuts), **dict(_parse_cuts(text, names) for text in self.only_cuts or ())},
        }
        for name in ("max_literals", "max_depth"):
            given = getattr(self, name)
            both[name] = getattr(found, name) if given is None else given
        return Constraints(**both) or None


def _parse_cuts(text: str, names: Sequence[str]) -> tuple[str, tuple[float | str, ...]]:
    """Parse COLUMN=X,Y; what spells a number is a number."""
    name, values = split_column_option(text, names, "--only-cuts")
    cuts = [cut.strip() for cut in values.split(",") if cut.strip()]
    if not cuts:
        raise typer.BadParameter(f"{text!r} has no thresholds, such as age=18,65", param_hint="--only-cuts")
    numbers = map(parse_number, cuts)
    return name, tuple(cut if number is None else number for cut, number in zip(cuts, numbers, strict=True))


def _parse_column_pair(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Parse two column names, which may contain commas."""
    parts = text.split(",")
    pairs = [(",".join(parts[:k]), ",".join(parts[k:])) for k in range(1, len(parts))]
    known = [pair for pair in pairs if set(pair) <= set(names)]
    if not pairs or (len(pairs) > 1 and len(known) != 1):
        raise typer.BadParameter(f"{text!r} is not two columns, such as age,sex", param_hint="--apart")
    return known[0] if known else pairs[0]


@dataclass(frozen=True, slots=True)
class KeepOptions:
    """The options for rules to keep."""

    keep: Annotated[
        str | None,
        _option("MODEL", "Learn around the rules of this model: they stay, and new rules follow them.", "--keep"),
    ] = None
    lock: Annotated[
        str | None,
        _option("1,3", "With --keep: only these rules stay.  [default: all rules with conditions]", "--lock"),
    ] = None


@dataclass(frozen=True, slots=True)
class KeptRules:
    """A program whose rules are kept, if given, and the indices of these rules; None for all.

    ``model`` is the fitted model of the program, if any, and ``name`` its file.
    """

    program: Program | None = None
    lock: tuple[int, ...] | None = None
    model: FittedModel | None = None
    name: str = ""

    def held_back(
        self, screen: Screen, features: Sequence[str], share: float, seed: int, by: SplitColumn | None = None
    ) -> HoldoutSplit | None:
        """Return the model's test split, so that kept rules are not tested on records that they were learned from.

        If that cannot be ensured, a note is printed.
        """
        if self.model is None or not share:
            return None
        origin = self.model.origin
        known = origin is not None and tuple(self.model.schema.kinds) == tuple(features) and origin.split.by == by
        if origin is None or not origin.split.holds_back or not known:
            why = "it held back none" if origin is not None else "it does not say which those are"
            if origin is not None and origin.split.holds_back:
                why = (
                    "it identifies those by other features" if origin.split.by == by else "it split them in another way"
                )
            screen.note(
                f"if rules of {self.name} were learned from records of this test, the figures are too good: {why}"
            )
            return None
        if origin.split.salt != seed:
            screen.note(f"--seed {seed} is not used: the records that {self.name} held back are held back again")
        return origin.split

    def keep_tested_columns(self, options: ColumnOptions) -> ColumnOptions:
        """Add the columns that locked rules test to the included columns."""
        if self.program is None:
            return options
        from unless.learn.locked_rules import LockedRules

        rules = LockedRules.of(self.program, self.lock).rules
        tested = dict.fromkeys(literal.feature for rule in rules for literal in rule.literals())
        for name in options.exclude or ():
            if name in tested:
                raise typer.BadParameter(f"a locked rule tests {name!r}", param_hint="--exclude")
        return replace(options, include=[*(options.include or ()), *tested])


NO_KEPT_RULES = KeptRules()


def read_kept_rules(algorithm: Algorithm, options: KeepOptions) -> KeptRules:
    """Read the rules to keep: a model file, and the numbers of rules as in listings."""
    keep, lock = options.keep, options.lock
    if keep is None:
        if lock is not None:
            raise typer.BadParameter("name the model with these rules: --keep model.json", param_hint="--lock")
        return NO_KEPT_RULES
    if algorithm == Algorithm.COMMITTEE:
        raise typer.BadParameter("a committee has many lists; no rule can stay the same in them", param_hint="--keep")
    from unless.estimators.model_file import read
    from unless.learn.locked_rules import LockedRules
    from unless.model import Model as FittedModel
    from unless.model import decider_of, program_of

    found = read(keep)
    if not decider_of(found).by_rule:
        raise ProgramError(f"{keep} holds a committee, whose lists decide together; give a model with one list")
    program = program_of(found)
    indices = None if lock is None else _parse_rule_numbers(lock, len(program))
    LockedRules.of(program, indices)
    return KeptRules(program, indices, found if isinstance(found, FittedModel) else None, keep)


def _parse_rule_numbers(text: str, rules: int) -> tuple[int, ...]:
    """Parse the numbers of rules, from 1, into indices: ``1,3`` or ``1-3,5``."""
    found: list[int] = []
    for part in text.split(","):
        numbers = re.fullmatch(r"\s*([0-9]{1,9})(?:\s*-\s*([0-9]{1,9}))?\s*", part)
        if numbers is None:
            raise typer.BadParameter(f"{text!r} is not a list of rules, such as 1,3", param_hint="--lock")
        first = int(numbers[1])
        last = first if numbers[2] is None else int(numbers[2])
        if not 1 <= first <= last <= rules:
            raise typer.BadParameter(f"{part.strip()!r} is not one of the rules 1 to {rules}", param_hint="--lock")
        found += range(first - 1, last)
    return tuple(found)
