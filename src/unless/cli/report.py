"""`unless report`: a page about a model, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from unless.cli.completion import complete_columns
from unless.cli.console import Screen
from unless.cli.inputs import program_of, read, read_model
from unless.cli.layout import unseen_lines
from unless.cli.options import Data, Format, Model, Quiet, Seed, Strict
from unless.cli.outputs import check_files, write_document
from unless.errors import ParameterError
from unless.values import share_text

if TYPE_CHECKING:
    from unless.report import Page

__all__ = ["report"]


def report(
    model: Model,
    data: Data,
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The page, written whole or not at all; - is standard output."
        ),
    ] = "report.html",
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            help="The column of true labels, if it is not called as in training.",
            autocompletion=complete_columns,
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The heading of the page.")] = None,
    sample: Annotated[
        int, typer.Option(metavar="N", min=1, help="Records in the page at most; of more, so many drawn at random.")
    ] = 2000,
    seed: Seed = 0,
    strict: Strict = False,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Make a page about a model: its rules, what they do on the data, where they are weak, and what-if.

    One HTML file that needs no network: mail it, open it, print it. Data without the target column is fine too.

    Example: unless report model.json applicants.csv -o report.html
    """
    from unless.judge.unseen import refuse, refuse_ignorance
    from unless.report import render, summarise

    if show and output == "-":
        raise ParameterError("--open needs a file to open; name one: -o report.html")
    check_files(output, model, data, format=format)
    screen = Screen(quiet=quiet)
    found = read_model(model)
    table = read(screen, data, target, like=found, features=program_of(found).used, format=format)
    with screen.busy("writing the page"):
        page = summarise(found, table, title=title, sample=sample, seed=seed)
        if strict:
            refuse_ignorance(found, program_of(found))
            refuse(page.unseen)
        text = render(page)
        write_document(text, output)
    for line in unseen_lines(page.unseen):
        screen.note(line)
    screen.note(_summary(page, output, len(text.encode())))
    if show:
        typer.launch(output)


def _summary(page: Page, output: str, size: int) -> str:
    """What was written: "report.html (96 kB): 7 rules, 300 records, accuracy 0.923"."""
    where = "standard output" if output == "-" else output
    if page.quality is None:
        quality = f"without true labels, as there is no complete column {page.data['target']!r}"
    else:
        quality = f"accuracy {share_text(page.quality.accuracy)}"
    shown = f", {page.records.shown:,} of them to look at" if page.records.sampled else ""
    return f"{where} ({size / 1000:,.0f} kB): {page.numbered:,} rules, {page.records.total:,} records{shown}, {quality}"
