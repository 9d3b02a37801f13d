"""Groups of options: a command takes one value for the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, get_type_hints


def spread_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes every option by itself, as typer needs it.

    A parameter whose type is a dataclass stands for the options that its fields declare, in their order; a field may
    be a group, too. The command itself is given an instance of the dataclass.
    """
    given = signature(command, eval_str=True)
    groups = {one.name: one.annotation for one in given.parameters.values() if is_dataclass(one.annotation)}

    @wraps(command)
    def call(**options: Any) -> None:
        command(
            **{name: _group(groups[name], options) if name in groups else options[name] for name in given.parameters}
        )

    spread = (option for one in given.parameters.values() for option in _spread(one))
    call.__signature__ = given.replace(parameters=list(spread))  # type: ignore[attr-defined]  # what `signature` looks for
    return call


def _fields(kind: type) -> Iterator[Parameter]:
    """Yield the fields of a group as parameters of a function."""
    kinds = get_type_hints(kind, include_extras=True)
    for one in signature(kind).parameters.values():
        yield one.replace(annotation=kinds[one.name], kind=Parameter.KEYWORD_ONLY)


def _spread(one: Parameter) -> Iterator[Parameter]:
    """Yield a parameter, or the options of the group that it is."""
    if not is_dataclass(one.annotation):
        yield one
        return
    for field in _fields(one.annotation):  # type: ignore[arg-type]  # a class, not an instance
        yield from _spread(field)


def _group(kind: Any, options: Mapping[str, Any]) -> Any:
    """Return a group with the values of its options."""
    return kind(
        **{
            one.name: _group(one.annotation, options) if is_dataclass(one.annotation) else options[one.name]
            for one in _fields(kind)
        }
    )
