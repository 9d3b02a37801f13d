"""Expand groups of options: a command takes one value for the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, get_type_hints


def expand_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes every option separately, as typer requires.

    A parameter whose type is a dataclass represents the options that its fields declare, in order; a field may also be
    a group. A class may instead have a function `spread_options` that yields the options. The original command gets an
    instance of the class.
    """
    given = signature(command, eval_str=True)
    groups = {one.name: one.annotation for one in given.parameters.values() if _is_group(one.annotation)}

    @wraps(command)
    def call(**options: Any) -> None:
        command(
            **{
                name: _make_group(groups[name], options) if name in groups else options[name]
                for name in given.parameters
            }
        )

    spread = (option for one in given.parameters.values() for option in _expand_parameter(one))
    call.__signature__ = given.replace(parameters=list(spread))  # type: ignore[attr-defined]  # what `signature` looks for
    return call


def _is_group(kind: Any) -> bool:
    return is_dataclass(kind) or hasattr(kind, "spread_options")


def _group_parameters(kind: Any) -> Iterator[Parameter]:
    """Yield the fields of a group as parameters of a function."""
    if hasattr(kind, "spread_options"):
        yield from kind.spread_options()
        return
    kinds = get_type_hints(kind, include_extras=True)
    for one in signature(kind).parameters.values():
        yield one.replace(annotation=kinds[one.name], kind=Parameter.KEYWORD_ONLY)


def _expand_parameter(one: Parameter) -> Iterator[Parameter]:
    """Yield a parameter, or the options of its group."""
    if not _is_group(one.annotation):
        yield one
        return
    for field in _group_parameters(one.annotation):
        yield from _expand_parameter(field)


def _make_group(kind: Any, options: Mapping[str, Any]) -> Any:
    """Return a group with the values of its options."""
    return kind(
        **{
            one.name: _make_group(one.annotation, options) if _is_group(one.annotation) else options[one.name]
            for one in _group_parameters(kind)
        }
    )
