"""`unless edit`: edit the rules of a model as text; check, measure, compare and save them."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from unless.cli.console import Screen, print_error
from unless.cli.data_options import FileOptions
from unless.cli.diff import render_record_changes, render_rule_changes
from unless.cli.file_io import check_file_conflicts, standard_input, write_document
from unless.cli.layout import shell_word
from unless.cli.loading import DataSource, read_labelled, read_model, read_records, source_name, with_model_classes
from unless.cli.options import Changes, Json, Model, Output, Quiet, flag_option, value_option
from unless.diff import RecordComparison, RuleComparison, compare_records, compare_rules, find_unseen_records
from unless.errors import ParameterError, ProgramError, RuleTextError
from unless.estimators.model_file import file_text
from unless.evaluation.metrics import holdout_text
from unless.export.json import dumps
from unless.export.rule_parser import new_categories, parse
from unless.export.rule_text import to_rules
from unless.model import Model as FittedModel
from unless.model import find_training_overlap, program_of
from unless.rule import Program
from unless.values import count_text

_HELP = """\
# The rules of {model}. Change them, save, and close the editor; an empty text changes nothing.
# The first rule that applies decides. An exception is indented below what it is an exception to.
# Lines that start with # are comments: what they say is not read.

"""


def edit(
    model: Model,
    *,
    rules: Annotated[
        str | None,
        value_option("FILE", "Read the rules from this file, without an editor; - is standard input.", "--from"),
    ] = None,
    data: Annotated[
        str | None, value_option("DATA", "Records to measure the rules on, and to show which change label.")
    ] = None,
    output: Output = None,
    yes: Annotated[bool, flag_option("Write to MODEL without asking.", "--yes", "-y")] = False,
    most: Changes = 5,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Change the rules of a model as text: in $VISUAL or $EDITOR, or from a file.

    The text is checked, compared with the old rules, and saved. With --data, the decisions, the points and the
    importances are measured again on these records. Without --data, only the figures that are still valid are kept.
    Without an editor: unless export model.json --to rules -o rules.txt, and then --from rules.txt.

    Example: unless edit model.json --from rules.txt -o edited.json

    Example: unless edit model.json --from rules.txt --data applicants.csv -y
    """
    _check_arguments(model, rules, data, output, file, yes=yes)
    if json and output == "-":
        raise typer.BadParameter("the model and --json cannot both go to standard output", param_hint="--output")
    screen = Screen(quiet=quiet, aside=output == "-")
    found = read_model(model, "edit")
    if output is None:
        _check_writable(model)
    with _edited_program(found, model, rules) as program:
        if program is None:
            if json:
                screen.data({"model": model, "output": None, "same": True})
            screen.note("the rules are the same; nothing is written")
            return
        source = None if data is None else DataSource.of(data, file)
        result = _apply_edit(screen, found, program, source, most)
        if not json:
            screen.show(*render_rule_changes(result.rules))
            screen.show(*([] if result.effect is None else render_record_changes(result.effect)))
        for line in result.remarks:
            screen.note(line)
        place = output or model
        if output is None and not yes and not typer.confirm(f"write {place}?", err=True):
            print_error("nothing is written")
            raise typer.Exit(1)
        new = result.model
        write_document(dumps(new) + "\n" if isinstance(new, Program) else file_text(new), place)
    if json:
        screen.data({"model": model, "output": place, **result.to_dict()})
    elif place != "-":
        screen.note(f"wrote {place}")


def _check_arguments(
    model: str, rules: str | None, data: str | None, output: str | None, file: FileOptions, *, yes: bool
) -> None:
    """Reject arguments that would fail after editing."""
    check_file_conflicts(output, rules, data, None if output is None else model, format=file.format)
    if [model, rules, data].count("-") > 1:
        raise ParameterError("- is standard input, which can be read only once; give the others as files")
    if data is None and file.words:
        raise typer.BadParameter("it needs --data", param_hint=file.words.split()[0])
    if output is None and model == "-":
        raise ParameterError("the model comes from standard input; name a file to write to: -o edited.json")
    if output is None and not yes and not sys.stdin.isatty():
        raise ParameterError(
            f"no terminal to ask for confirmation; to overwrite {model}: --yes; to write another file: -o FILE"
        )
    if rules is None and "-" in (model, data):
        raise ParameterError("an editor needs standard input; give MODEL and DATA as files, or the rules: --from FILE")
    if rules is None and not _editor_command():
        text = shell_word(f"{Path(model).name.split('.')[0]}.txt")
        raise ParameterError(
            "no editor is set: set VISUAL or EDITOR; or take two steps, with any editor between them:\n"
            f"  unless export {shell_word(model)} --to rules -o {text}\n"
            f"  unless edit {shell_word(model)} --from {text}"
        )


def _check_writable(model: str) -> None:
    """Reject a file that cannot be written, before editing."""
    with Path(model).open("ab"):
        pass


# The text.


def _editor_command() -> list[str]:
    """Return the words of the user's editor command; empty if no editor is set."""
    return shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")


@contextmanager
def _edited_program(found: FittedModel | Program, model: str, rules: str | None) -> Iterator[Program | None]:
    """Yield the edited program, None if it is unchanged; if anything fails, the text is kept in a file."""
    old = program_of(found)
    if rules is not None:
        taken = _parse_rules(_read_text(rules), found, source_name(rules))
        yield None if taken == old else taken
        return
    text = _HELP.format(model=ascii(model)[1:-1]) + to_rules(found) + "\n"
    with tempfile.NamedTemporaryFile(prefix="unless-", suffix=".rules.txt", delete=False) as file:
        file.write(text.encode())
    copy = Path(file.name)
    try:
        program = _edit_until_valid(copy, found, text)
        yield None if program is None or program == old else program
    except BaseException:
        if not copy.exists() or copy.read_bytes().strip() in (b"", text.encode().strip()):
            copy.unlink(missing_ok=True)
        else:
            again = f"unless edit {shell_word(model)} --from {shell_word(str(copy))}"
            print_error(f"your text is kept in {copy}; to go on with it: {again}")
        raise
    copy.unlink(missing_ok=True)


def _edit_until_valid(file: Path, found: FittedModel | Program, text: str) -> Program | None:
    """Open the editor until the text is valid or the user gives up; return None if the text is unchanged."""
    while True:
        _run_editor(file)
        edited = _read_text(str(file))
        if edited == text:
            return None
        if not edited.strip():
            raise ProgramError("the text is empty; nothing is changed")
        try:
            return _parse_rules(edited, found, str(file))
        except RuleTextError as error:
            if not sys.stdin.isatty():
                raise
            print_error(str(error))
            if not typer.confirm("edit again?", default=True, err=True):
                raise typer.Exit(1) from None


def _run_editor(file: Path) -> None:
    """Run the editor; while it runs, Ctrl-C goes to the editor only."""
    words = [*_editor_command(), str(file)]
    before = signal.signal(signal.SIGINT, lambda *_: None)  # unlike SIG_IGN, not inherited by the editor
    try:
        code = subprocess.run(words, check=False).returncode  # noqa: S603 - what the user chose
    except OSError as error:
        why = f"cannot be started ({error.strerror}); set VISUAL or EDITOR"
        raise ParameterError(f"the editor {words[0]!r} {why}") from None
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise ParameterError(f"the editor {words[0]!r} ended with {code}; nothing is changed")


def _read_text(rules: str) -> str:
    stdin = standard_input("edit model.json --from - < rules.txt").buffer if rules == "-" else None
    content = Path(rules).read_bytes() if stdin is None else stdin.read()
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        where = f"{error.reason} at byte {error.start}"
        raise ProgramError(f"{source_name(rules)}: the text is not UTF-8: {where}") from None


def _parse_rules(text: str, found: FittedModel | Program, name: str) -> Program:
    try:
        return parse(text, like=found)
    except RuleTextError as error:
        error.args = (f"{name}: {error}",)
        raise
    except ProgramError as error:
        raise ProgramError(f"{name}: {error}") from None


# The new rules and their decisions.


@dataclass(frozen=True)
class _EditResult:
    """The new model, its rules compared with the old ones and, with data, the decisions compared."""

    model: FittedModel | Program
    rules: RuleComparison
    effect: RecordComparison | None
    measured: bool
    """Whether the decisions of all rules were counted again."""
    of: str = ""
    """A description of the measured records, if known."""

    @property
    def remarks(self) -> list[str]:
        """Notes on the figures that were measured, and the figures that are no longer known."""
        if isinstance(self.model, Program):
            return []
        if self.measured:
            records = count_text(round(self.model.statistics.total), "record")
            counts = [f"measured on {records}{self.of}: decisions, points and importances"]
            return [*counts, *self._test_lines]
        statistics = self.model.statistics
        open_rules = [row + 1 for row in range(len(self.model.program.rules)) if not statistics.known(row)]
        gone = "the points and the importances are left out"
        if not open_rules:
            return [f"not measured: {gone}; --data DATA measures them", *self._test_lines]
        which = f"the decisions of rules from rule {open_rules[0]} on are not known"
        return [f"not measured: {which}, and {gone}; --data DATA measures them", *self._test_lines]

    @property
    def _test_lines(self) -> list[str]:
        tested = None if isinstance(self.model, Program) else self.model.tested
        return [] if tested is None else [f"test: {holdout_text(tested)}"]

    def to_dict(self) -> dict[str, Any]:
        effect = None if self.effect is None else self.effect.to_dict()
        return {**self.rules.to_dict(), "data": effect, "measured": self.measured}


def _apply_edit(
    screen: Screen, found: FittedModel | Program, program: Program, data: DataSource | None, most: int
) -> _EditResult:
    from unless.estimators.editing import with_rules  # with the learners, which help does not need

    old = program_of(found)
    changes = compare_rules(old, program)
    if data is None:
        _note_broken_constraints(screen, found, program)
        new = program if isinstance(found, Program) else with_rules(found, program)
        return _EditResult(new, changes, None, measured=False)
    used = [name for name in old.features if name in {*old.used, *program.used}]
    if isinstance(found, FittedModel):
        table = read_labelled(screen, data, found, features=data.known_features(found, used))
    else:
        both = replace(old, rules=(*old.rules, *program.rules), otherwise=None)
        table = read_records(screen, data, like=both, features=used)
    effect = compare_records(old, program, table, table, most, find_unseen_records((found, table)))
    if isinstance(found, Program):
        return _EditResult(program, changes, effect, measured=False)
    labelled = None
    if table.target is not None:
        labelled = with_model_classes(found, table, data.name, "rules are measured on labels that the model knows")
    else:
        what = f"the column {old.target!r} is missing or incomplete"
        screen.note(f"{data.name} has no true labels: {what}; so the rules are not measured on it")
    _note_broken_constraints(screen, found, program)
    added = set(program.used) - set(found.domain.features)  # of the others, training knows
    for line in new_categories(program, replace(table, columns=tuple(map(table.column, sorted(added))))):
        screen.note(Text.assemble(("! ", "bold yellow"), f"{data.name}: {line}"))
    new = with_rules(found, program, labelled)
    own = None if labelled is None else find_training_overlap(found, labelled)
    of = " of training" if own is not None and own.same else ""
    return _EditResult(new, changes, effect, measured=labelled is not None and new.importances is not None, of=of)


def _note_broken_constraints(screen: Screen, model: FittedModel | Program, program: Program) -> None:
    """Print which constraints of the model the new rules violate; this is allowed."""
    from unless.evaluation.constraint_check import violations

    asked = None if isinstance(model, Program) else model.parameters.get("constraints")
    for broken in () if asked is None else violations(program, asked):
        screen.note(f"the rules break a constraint that the model was learned with: {broken}")
