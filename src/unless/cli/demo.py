"""`unless demo`: show an example, and write files to try things on."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.explain_output import render_changes, render_reasons
from unless.cli.fit import learn_and_test
from unless.cli.fit_output import FitResult, show_fit_result
from unless.cli.layout import shell_word
from unless.cli.loading import DataSource
from unless.cli.options import Quiet, flag_option
from unless.cli.training_data import read_training_table
from unless.demo.applicants import TARGET, applicants, applicants_csv, csv_text
from unless.errors import UnlessError
from unless.estimators.model_file import file_text
from unless.explanation.counterfactuals.nearest import counterfactuals
from unless.explanation.sentences import words_for
from unless.explanation.why import proof_of
from unless.export.rule_text import to_rules
from unless.files import write_whole
from unless.model import Model as FittedModel
from unless.model import program_of
from unless.table import Table

_COMMANDS = (
    "unless inspect applicants.csv --target decision",
    "unless fit applicants.csv --target decision -o model.json",
    "unless show model.json --style paper",
    "unless predict model.json new.csv -o decided.csv",
    "unless explain model.json new.csv --row 8 --what-if",
    "unless diff old.json model.json applicants.csv",
    "unless edit model.json --from rules.txt --data applicants.csv -o edited.json",
    "unless export model.json --to sql --table applicants",
    "unless learn zoo.lp examples.lp --target habitat",
)
_NEW = 40  # applicants that are not yet decided

_ZOO = """\
% Background knowledge: what is known of some animals.
mammal(kitty).    cat(kitty).
mammal(john).     whale(john).
mammal(smoky).    bear(smoky).
mammal(charlie).  dog(charlie).
fish(nemo).       clownfish(nemo).
"""

_EXAMPLES = """\
% Examples: where they live.
habitat(charlie,land).
habitat(john,water).
habitat(smoky,land).
habitat(nemo,water).
habitat(kitty,land).
"""


def demo(
    folder: Annotated[
        str | None, typer.Argument(metavar="FOLDER", help="A folder to write example files to.", show_default=False)
    ] = None,
    *,
    force: Annotated[bool, flag_option("Overwrite files that exist.", "--force")] = False,
    quiet: Quiet = False,
) -> None:
    """Learn rules from an invented table and explain a decision; with FOLDER, write files to try things on.

    Example: unless demo

    Example: unless demo loans
    """
    from unless.estimators.learners import UnlessLearner  # with narwhals, which takes 40 ms: help needs neither

    screen = Screen(quiet=quiet)
    training = read_training_table(DataSource("applicants.csv", applicants_csv().encode(), FileOptions("csv")), TARGET)
    fitted = learn_and_test(screen, "applicants.csv", training, UnlessLearner(), test=0.2, seed=0, keep=False)
    if folder is None:
        _show_example(screen, fitted)
    else:
        _write_demo_files(screen, fitted, folder, force=force)


def _show_example(screen: Screen, fitted: FitResult) -> None:
    """Show the rules, and one refusal with the changes that would have reversed it."""
    model, table = fitted.model, fitted.training.table
    screen.note("Invented applicants for a loan, and what was decided. The rules behind it:\n")
    show_fit_result(screen, fitted)
    proofs = ((number, proof_of(model.program, table.record(number - 1))) for number in fitted.held_back)
    number, proof = next((number, proof) for number, proof in proofs if proof.label == "refuse")
    words = words_for(model.program, record=proof.record)
    screen.show("", *render_reasons(proof, number, model.statistics, words, everything=True))
    screen.show(render_changes(counterfactuals(model.program, proof.record, table=model.domain), words))
    screen.out.file.flush()
    screen.note("\nnext            unless demo loans       files to try things on")
    screen.note("                unless inspect FILE     what your own data looks like")


def _write_demo_files(screen: Screen, fitted: FitResult, folder: str, *, force: bool) -> None:
    """Write files to a folder, which need not exist, and suggest commands to try on them."""
    where, files = Path(folder), _make_demo_files(fitted.model, fitted.training.table)
    if where.exists() and not where.is_dir():
        raise UnlessError(f"{folder!r} is a file; name a folder")
    there = [name for name in files if (where / name).exists()]
    if there and not force:
        raise UnlessError(f"{folder!r} already has {', '.join(there)}; name another folder, or add --force")
    where.mkdir(parents=True, exist_ok=True)
    for name, (about, content) in files.items():
        write_whole(where / name, content.encode())
        screen.note(f"{name:<15} {about}")
    screen.note("\nTry:")
    for command in (f"cd {shell_word(folder)}", *_COMMANDS):
        screen.show(f"  {command}" if not screen.quiet else command)


def _add_example_rule(model: FittedModel) -> str:
    """Return the rules as text, with one more rule."""
    head, gap, rules = to_rules(program_of(model)).partition("\n\n")
    return f"{head}{gap}refuse if age < 21 and income < 15_000     # one more, written by hand\n{rules}\n"


def _make_demo_files(model: FittedModel, table: Table) -> dict[str, tuple[str, str]]:
    """Make a description and the content of each file."""
    from unless.estimators.learners import UnlessLearner, learn

    decided = len(table)
    people = [{name: cell for name, cell in one.items() if name != TARGET} for one in applicants(decided + _NEW)]
    earlier = learn(UnlessLearner(), table[: decided // 3]).model
    files = {
        "applicants.csv": (f"{decided} invented applicants for a loan, and what was decided", applicants_csv()),
        "new.csv": (f"{_NEW} more, not yet decided", csv_text(people[decided:])),
        "model.json": ("the rules learned from them", file_text(model)),
        "old.json": ("rules learned when a third of them were known", file_text(earlier)),
        "rules.txt": ("the rules as text, with one more at the top", _add_example_rule(model)),
        "zoo.lp": ("background knowledge, a logic program", _ZOO),
        "examples.lp": ("examples for it", _EXAMPLES),
    }
    if find_spec("jinja2") is not None:  # needs the extra `report`
        from unless.report import render, summarise

        page = render(summarise(model, table, title="Applicants for a loan"))
        files["report.html"] = ("a page about the model, for your browser", page)
    return files
