"""clingo: imported when it is needed, and run so that only certain answers count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from unless.errors import ProgramError, UnlessError

if TYPE_CHECKING:
    from clingo import Control, Symbol

__all__ = ["atoms", "clingo", "grounded", "message_of", "undecided"]

_PLACE = re.compile(r"^<(?:string|block)>:(\d+):\d+(?:-[\d:]+)?: (?:error|info): ")


def clingo() -> Any:
    """The clingo package."""
    try:
        import clingo as package  # an extra, and slow to load
        import clingo.ast
    except ImportError as error:
        raise UnlessError('this needs clingo, which is not installed; pip install "unless[logic]"') from error
    return package


def grounded(fill: Callable[[Control], None]) -> Control:
    """A grounded program, filled by the caller.

    clingo's messages about what is undefined are errors here, except that an atom may have no rule at all, which is how
    a missing cell looks.
    """
    package = clingo()
    messages: list[str] = []

    def log(code: Any, message: str) -> None:
        if code != package.MessageCode.AtomUndefined:
            messages.append(message)

    control: Control = package.Control(logger=log)
    try:
        fill(control)
        control.ground([("base", [])])
    except RuntimeError as error:
        raise ProgramError(message_of(messages, error)) from error
    if messages:
        raise ProgramError(message_of(messages))
    return control


def undecided(control: Control) -> Symbol | None:
    """An atom that grounding alone leaves open, if there is one: it decides a stratified program, as facts."""
    return next((atom.symbol for atom in control.symbolic_atoms if not atom.is_fact), None)


def message_of(messages: list[str], error: Exception | None = None) -> str:
    """The first of clingo's messages on one line, with the line of the program in our words."""
    first = " ".join((messages[0] if messages else str(error)).split())
    first = re.sub(r":-\[#inc_base\](?=\.)|\[#inc_base\];", "", first)
    first = re.sub(r"#Anon\d+", "_", first)
    first = re.sub(r"<\w+>:\S+ note:", "here", first)
    return _PLACE.sub(lambda found: f"line {found.group(1)}: ", first, count=1)


def atoms(control: Control, name: str, arity: int) -> Iterator[tuple[Symbol, ...]]:
    """The arguments of the atoms of a predicate, in the order of the program; each must be a fact."""
    for atom in control.symbolic_atoms.by_signature(name, arity):
        if not atom.is_fact:
            raise ProgramError(f"clingo leaves {atom.symbol} open")
        yield tuple(atom.symbol.arguments)
