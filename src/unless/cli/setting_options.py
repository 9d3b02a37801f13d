"""Define the options of `unless fit` for the parameters of learners, generated from their declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import Parameter
from math import inf
from typing import Annotated, Any
from typing import Literal as OneOf

import typer

from unless.cli.options import CONSTRAINTS, COSTS, LEARNER, Algorithm
from unless.errors import join_choices
from unless.learn import SETTINGS
from unless.learn.settings import Setting
from unless.values import parse_number

_NAMES = (
    *("ratio", "penalty", "min_support", "optimise", "tune", "teacher", "probabilities", "round_thresholds"),
    *("otherwise", "positive", "size", "random_state", "class_weight", "max_rules", "max_seconds"),
    *("costs", "decide", "reject"),
)
"""The parameters that are options, in the order of the help text."""

_PANELS = {"max_rules": CONSTRAINTS, "costs": COSTS, "decide": COSTS, "reject": COSTS}
"""The group of a parameter in the help text, if not that of learners."""

_TYPES: dict[str, type] = {"number": float, "whole number": int, "seed": int, "flag": bool}


class SettingOptions(dict[str, Any]):
    """The parameters of a learner as typed, by name; None where a parameter was not given."""

    @staticmethod
    def spread_options() -> Iterator[Parameter]:
        """Yield the options in the form that `option_groups` expects."""
        for name in _NAMES:
            one = next(kind.declared()[name] for kind in SETTINGS.values() if name in kind.declared())
            annotation = Annotated[_option_type(one) | None, _make_option(name, one)]  # type: ignore[valid-type]
            yield Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)

    def refuse_foreign_options(self, algorithm: Algorithm) -> None:
        """Reject options of other learners."""
        for name, value in self.items():
            refuse_foreign_option(name, value, _learners_with(name), algorithm)

    def given(self, algorithm: Algorithm) -> dict[str, Any]:
        """Return the parameters that were given; a penalty as a number or "auto"."""
        found = {name: value for name, value in self.items() if value is not None}
        if "penalty" in found:
            found["penalty"] = _parse_penalty(found["penalty"], algorithm)
        return found


def _parse_penalty(text: str, algorithm: Algorithm) -> float | str:
    """Parse a number or the word ``auto``."""
    if text == "auto" and algorithm == Algorithm.COMMITTEE:
        raise typer.BadParameter("a committee tries several penalties itself; leave it out", param_hint="--penalty")
    number = parse_number(text)
    if text != "auto" and (number is None or number < 0):
        raise typer.BadParameter(f"{text!r} is neither a number of at least 0 nor 'auto'", param_hint="--penalty")
    return text if number is None else number


def refuse_foreign_option(name: str, value: object, owners: list[Algorithm], algorithm: Algorithm) -> None:
    """Reject an option that is for other learners."""
    if value is not None and algorithm not in owners:
        raise typer.BadParameter(
            f"it is for --algorithm {join_choices(owners)}, not for {algorithm}",
            param_hint=f"--{name.replace('_', '-')}",
        )


def _learners_with(name: str) -> list[Algorithm]:
    """Return the learners that have a parameter."""
    return [one for one in Algorithm if name in SETTINGS[one].declared()]


def _option_type(one: Setting) -> Any:
    if one.kind == "other" and one.words:
        return OneOf[one.words]
    return str if one.words else list[str] if one.repeated else _TYPES.get(one.kind, str)


def _make_option(name: str, one: Setting) -> Any:
    dashed = name.replace("_", "-")
    names = {"max_rules": ["--max-rules", "--rules"], "costs": ["--cost"]}.get(name, [])
    if one.kind == "flag":
        names = [
            f"--{dashed}/--no-{dashed}"
            if any(value is True for value, _ in _defaults_by_learner(name))
            else f"--{dashed}"
        ]
    bounds: dict[str, Any] = (
        {}
        if one.words or one.kind in {"flag", "other"}
        else {"min": one.low, "max": None if one.high == inf else one.high}
    )
    return typer.Option(
        *names, metavar=one.metavar, help=_option_help(name, one), rich_help_panel=_PANELS.get(name, LEARNER), **bounds
    )


def _option_help(name: str, one: Setting) -> str:
    """Return the help text of an option: its learners, its effect, and its default."""
    about = re.sub(r"(?=[,.])", " (repeat)", one.about, count=1) if one.repeated else one.about
    if one.audience:
        about = f"For {one.audience}{',' if ':' in about else ':'} {about[0].lower()}{about[1:]}"
    usual = one.usual or _default_text(name)
    return f"{about}  [default: {usual}]" if usual else about


def _defaults_by_learner(name: str) -> list[tuple[Any, list[Algorithm]]]:
    """Return the defaults of a parameter, each with the learners that have it."""
    found: list[tuple[Any, list[Algorithm]]] = []
    for owner in _learners_with(name):
        default = SETTINGS[owner].defaults()[name]
        same = next((owners for value, owners in found if value == default), None)
        if same is None:
            found.append((default, [owner]))
        else:
            same.append(owner)
    return found


def _default_text(name: str) -> str:
    """Return the default of a parameter in words; empty if it has no effect."""
    (value, owners), *others = _defaults_by_learner(name)
    if value is None or value is False or isinstance(value, str):
        return ""
    if value is True:
        return f"for {' and '.join(owners)}" if others else "yes"
    return f"{value:g} for {' and '.join(owners)}, else {others[0][0]:g}" if others else f"{value:g}"
