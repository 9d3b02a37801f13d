"""Run clingo: import it on first use, ground programs, and read atoms that are facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from unless.errors import ProgramError, UnlessError
from unless.libraries import import_extra
from unless.logic.program_writer import ClingoWriter

if TYPE_CHECKING:
    from clingo import Control, Symbol
    from numpy.typing import NDArray

    from unless.rule import Program
    from unless.table import Table

_BATCH = 2000
"""Records per run. This bounds memory: clingo stores every symbol ever seen, and each run numbers records from 1."""

_PLACE = re.compile(r"^<(?:string|block)>:(\d+):\d+(?:-[\d:]+)?: (?:error|info): ")


def run_clingo(program: Program, table: Table) -> NDArray[np.object_]:
    """Let clingo derive the label of every row: the same labels as `unless.predict`, found by a logic engine.

    Use it to check and to reason; `unless.predict` is more than a thousand times faster (on cars and on anneal).
    """
    out = np.full(len(table), None, dtype=object)
    writer = ClingoWriter(program)
    rules = "\n".join(writer.rules())
    heads = program.heads  # not its labels: 1 and 1.0 are one label, but two terms
    labels = {import_clingo().parse_term(writer.term(label)): label for label in heads if label is not None}
    for start in range(0, max(len(table), 1), _BATCH):  # an empty table too: it may lack a column
        control = grounded("\n".join([rules, *writer.facts(table[start : start + _BATCH])]))
        for row, term in atoms(control, writer.target, 2):
            place = start + row.number - 1
            if out[place] is not None:
                raise ProgramError(f"record {place + 1} has two labels: {out[place]!r} and {labels[term]!r}")
            out[place] = labels[term]
    return out


def import_clingo() -> Any:
    """Import the clingo package."""
    found = import_extra("clingo", "this needs clingo, which", "logic", UnlessError)  # slow to load
    import_module("clingo.ast")
    return found


def grounded(text: str, fill: Callable[[Control], None] | None = None) -> Control:
    """Ground the program in a text, and the rules that the caller adds.

    clingo's messages about undefined things are raised as errors, with one exception: an atom may have no rule at all,
    because a missing cell has no fact.
    """
    package = import_clingo()
    messages: list[str] = []

    def log(code: Any, message: str) -> None:
        if code != package.MessageCode.AtomUndefined:
            messages.append(message)

    control: Control = package.Control(logger=log)
    try:
        control.add("base", [], text)
        if fill is not None:
            fill(control)
        control.ground([("base", [])])
    except RuntimeError as error:
        raise ProgramError(first_message(messages, error)) from error
    if messages:
        raise ProgramError(first_message(messages))
    return control


def first_message(messages: list[str], error: Exception | None = None) -> str:
    """Return the first of clingo's messages on one line, with the program's line number in our form."""
    first = " ".join((messages[0] if messages else str(error)).split())
    first = re.sub(r":-\[#inc_base\](?=\.)|\[#inc_base\];", "", first)
    first = re.sub(r"#Anon\d+", "_", first)
    first = re.sub(r"<\w+>:\S+ note:", "here", first)
    return _PLACE.sub(lambda found: f"line {found.group(1)}: ", first, count=1)


def atoms(control: Control, name: str, arity: int) -> Iterator[tuple[Symbol, ...]]:
    """Return the arguments of the atoms of a predicate, in the order of the program.

    Each atom must be a fact. In a stratified program, grounding decides every atom.
    """
    for atom in control.symbolic_atoms.by_signature(name, arity):
        if not atom.is_fact:
            raise ProgramError(f"clingo leaves {atom.symbol} undecided")
        yield tuple(atom.symbol.arguments)
