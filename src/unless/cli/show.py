"""`unless show`: the rules of a model."""

from __future__ import annotations

from typing import Annotated
from typing import Literal as OneOf

import typer

from unless.cli.console import Screen
from unless.cli.files import check_files, program_of, read_model, write_document
from unless.cli.options import Json, Model, Quiet
from unless.cli.rules import rule_table
from unless.estimators.file import SavedModel, document
from unless.explanation.words import printable
from unless.export import to_text
from unless.export.json import to_dict
from unless.values import counted


def show(
    model: Model,
    *,
    style: Annotated[
        OneOf["plain", "paper", "exclusive"],
        typer.Option(
            help="plain is a table; paper is a logic program in order, exclusive is one whose order does not matter."
        ),
    ] = "plain",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the rules of a model, how many records each decided in training, and how often it was right.

    Example: unless show model.json --style paper
    """
    screen = Screen(quiet=quiet)
    check_files(None, model)
    found = read_model(model)
    program = program_of(found)
    if json:
        screen.data(document(found) if isinstance(found, SavedModel) else to_dict(found))
    elif style == "plain":
        exceptions = program.exception_count
        screen.note(f"{printable(program.target)}: {counted(len(program), 'rule')}, {counted(exceptions, 'exception')}")
        screen.show(rule_table(program, getattr(found, "statistics_", None)))
    else:
        write_document(to_text(program, style) + "\n", None)
