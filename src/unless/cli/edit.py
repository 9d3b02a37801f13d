"""`unless edit`: the rules of a model as text, in the user's editor; checked, measured, compared and saved."""

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
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from unless.cli.console import Screen, complain
from unless.cli.data_options import FileOptions
from unless.cli.diff import record_changes, rule_changes
from unless.cli.file_io import check_files, standard_input, write_document
from unless.cli.layout import shell_word
from unless.cli.loading import DataSource, read_labelled, read_model, read_records
from unless.cli.options import Changes, Json, Model, Output, Quiet, flag_option, value_option
from unless.diff import Comparison, Effect, compare_records, compare_rules, unseen_by
from unless.errors import ParameterError, ProgramError, ReadError, RuleTextError
from unless.estimators.model_file import file_text
from unless.evaluation.metrics import tested_text
from unless.export.json import dumps
from unless.export.rule_parser import new_categories, parse
from unless.export.rule_text import to_rules
from unless.model import Model as FittedModel
from unless.model import find_training_overlap, program_of
from unless.rule import Program
from unless.values import count_text

if TYPE_CHECKING:
    from unless.table import Table

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
        value_option("FILE", "Take the rules from this text, without an editor; - is standard input.", "--from"),
    ] = None,
    data: Annotated[
        str | None, value_option("DATA", "Records to measure the rules on, and to see which change label.")
    ] = None,
    output: Output = None,
    yes: Annotated[bool, flag_option("Write to MODEL without asking.", "--yes", "-y")] = False,
    most: Changes = 5,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Change the rules of a model as text: in $VISUAL or $EDITOR, or from a file.

    The text is checked, compared with the old rules, and saved; with --data, what the rules decide, the points
    and the importances are measured again on these records. Without, only what is still true is kept.
    Without an editor: unless export model.json --to rules -o rules.txt, and then --from rules.txt.

    Example: unless edit model.json --from rules.txt -o edited.json

    Example: unless edit model.json --from rules.txt --data applicants.csv -y
    """
    _check(model, rules, data, output, file, yes=yes)
    if json and output == "-":
        raise typer.BadParameter("standard output is for the model or for --json, not for both", param_hint="--output")
    screen = Screen(quiet=quiet, aside=output == "-")
    found = read_model(model, "edit")
    if output is None:
        _check_writable(model)
    with _edited(found, model, rules) as program:
        if program is None:
            _unchanged(screen, json, model)
            return
        source = None if data is None else DataSource.of(data, file)
        result = _result(screen, found, program, source, most)
        if not json:
            screen.show(*rule_changes(result.rules))
            screen.show(*([] if result.effect is None else record_changes(result.effect)))
        for line in result.remarks:
            screen.note(line)
        place = output or model
        if output is None and not yes and not typer.confirm(f"write {place}?", err=True):
            complain("nothing is written")
            raise typer.Exit(1)
        new = result.model
        write_document(dumps(new) + "\n" if isinstance(new, Program) else file_text(new), place)
    if json:
        screen.data({"model": model, "output": place, **result.to_dict()})
    elif place != "-":
        screen.note(f"wrote {place}")


def _check(
    model: str, rules: str | None, data: str | None, output: str | None, file: FileOptions, *, yes: bool
) -> None:
    """Refuse what cannot end well before anybody edits anything."""
    check_files(output, rules, data, None if output is None else model, format=file.format)
    if [model, rules, data].count("-") > 1:
        raise ParameterError("- is standard input, which can be read only once; give the others as files")
    if data is None and file.words:
        raise typer.BadParameter("it needs --data", param_hint=file.words.split()[0])
    if output is None and model == "-":
        raise ParameterError("the model comes from standard input; name a file to write to: -o edited.json")
    if output is None and not yes and not sys.stdin.isatty():
        raise ParameterError(f"nobody can be asked here; to write over {model}: --yes; to write another file: -o FILE")
    if rules is None and "-" in (model, data):
        raise ParameterError("an editor needs standard input; give MODEL and DATA as files, or the rules: --from FILE")
    if rules is None and not _editor():
        text = shell_word(f"{Path(model).name.split('.')[0]}.txt")
        raise ParameterError(
            "no editor is known: set VISUAL or EDITOR; or take two steps, with any editor between them:\n"
            f"  unless export {shell_word(model)} --to rules -o {text}\n"
            f"  unless edit {shell_word(model)} --from {text}"
        )


def _check_writable(model: str) -> None:
    """Refuse a file that cannot be written now, rather than after an hour of work."""
    with Path(model).open("ab"):
        pass


def _unchanged(screen: Screen, json: bool, model: str) -> None:
    if json:
        screen.data({"model": model, "output": None, "same": True})
    screen.note("the rules are the same; nothing is written")


# The text.


def _editor() -> list[str]:
    """Return the words of the user's editor; none if no editor is set."""
    return shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")


@contextmanager
def _edited(found: FittedModel | Program, model: str, rules: str | None) -> Iterator[Program | None]:
    """Give the edited program, None if it is the old one; if anything fails, the text stays where the user finds it."""
    old = program_of(found)
    if rules is not None:
        taken = _parsed(_text_of(rules), found, "standard input" if rules == "-" else rules)
        yield None if taken == old else taken
        return
    text = _HELP.format(model=ascii(model)[1:-1]) + to_rules(found) + "\n"
    copy = _new_file(text)
    try:
        program = _asked(copy, found, text)
        yield None if program is None or program == old else program
    except BaseException:
        if _bytes(copy).strip() in (b"", text.encode().strip()):
            copy.unlink(missing_ok=True)
        else:
            again = f"unless edit {shell_word(model)} --from {shell_word(str(copy))}"
            complain(f"your text is kept in {copy}; to go on with it: {again}")
        raise
    copy.unlink(missing_ok=True)


def _bytes(file: Path) -> bytes:
    return file.read_bytes() if file.exists() else b""


def _new_file(text: str) -> Path:
    descriptor, name = tempfile.mkstemp(prefix="unless-", suffix=".rules.txt")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return Path(name)


def _asked(file: Path, found: FittedModel | Program, text: str) -> Program | None:
    """Open the editor until the text is right, or the user gives up; None if the text is as it was."""
    while True:
        _open(file)
        edited = _content(file)
        if edited == text:
            return None
        if not edited.strip():
            raise ProgramError("the text is empty; nothing is changed")
        try:
            return _parsed(edited, found, str(file))
        except RuleTextError as error:
            if not sys.stdin.isatty():
                raise
            complain(str(error))
            if not typer.confirm("edit again?", default=True, err=True):
                raise typer.Exit(1) from None


def _open(file: Path) -> None:
    """Run the editor. Ctrl-C is for the editor while it runs."""
    words = [*_editor(), str(file)]
    before = signal.signal(signal.SIGINT, lambda *_: None)  # unlike SIG_IGN, not inherited by the editor
    try:
        code = subprocess.run(words, check=False).returncode  # noqa: S603 - what the user chose
    except OSError as error:
        raise ParameterError(
            f"the editor {words[0]!r} cannot be started ({error.strerror}); set VISUAL or EDITOR"
        ) from None
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise ParameterError(f"the editor {words[0]!r} ended with {code}; nothing is changed")


def _content(file: Path) -> str:
    return _decoded(file.read_bytes(), str(file))


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ProgramError(f"{name}: the text is not UTF-8: {error.reason} at byte {error.start}") from None


def _text_of(rules: str) -> str:
    if rules != "-":
        return _content(Path(rules))
    return _decoded(standard_input("edit model.json --from - < rules.txt").buffer.read(), "standard input")


def _parsed(text: str, found: FittedModel | Program, name: str) -> Program:
    try:
        return parse(text, like=found)
    except RuleTextError as error:
        error.args = (f"{name}: {error}",)
        raise
    except ProgramError as error:
        raise ProgramError(f"{name}: {error}") from None


# What the new rules are and do.


@dataclass(frozen=True)
class _Result:
    """The new model, its rules compared with the old ones and, with data, what they do to the records."""

    model: FittedModel | Program
    rules: Comparison
    effect: Effect | None
    measured: bool
    """Whether all rules were counted again."""
    of: str = ""
    """Which records these are, if that is known."""

    @property
    def remarks(self) -> list[str]:
        """What was measured, or is not known any more."""
        if isinstance(self.model, Program):
            return []
        if self.measured:
            records = count_text(round(self.model.statistics.total), "record")
            counts = [f"measured on {records}{self.of}: decisions, points and importances"]
            return [*counts, *self._test]
        statistics = self.model.statistics
        open_rules = [row + 1 for row in range(len(self.model.program.rules)) if not statistics.known(row)]
        gone = "the points and the importances are left out"
        if not open_rules:
            return [f"not measured: {gone}; --data DATA measures them", *self._test]
        which = f"from rule {open_rules[0]} on, what each decides is not known"
        return [f"not measured: {which}, and {gone}; --data DATA measures them", *self._test]

    @property
    def _test(self) -> list[str]:
        tested = None if isinstance(self.model, Program) else self.model.tested
        return [] if tested is None else [f"test: {tested_text(tested)}"]

    def to_dict(self) -> dict[str, Any]:
        effect = None if self.effect is None else self.effect.to_dict()
        return {**self.rules.to_dict(), "data": effect, "measured": self.measured}


def _result(
    screen: Screen, found: FittedModel | Program, program: Program, data: DataSource | None, most: int
) -> _Result:
    from unless.estimators.editing import with_rules  # with the learners, which help does not need

    old = program_of(found)
    changes = compare_rules(old, program)
    if data is None:
        _tell_broken(screen, found, program)
        new = program if isinstance(found, Program) else with_rules(found, program)
        return _Result(new, changes, None, measured=False)
    used = [name for name in old.features if name in {*old.used, *program.used}]
    if isinstance(found, FittedModel):
        table = read_labelled(screen, data, found, features=data.known_features(found, used))
    else:
        table = read_records(screen, data, like=_both(old, program), features=used)
    effect = compare_records(old, program, table, table, most, unseen_by((found, table)))
    if isinstance(found, Program):
        return _Result(program, changes, effect, measured=False)
    labelled = _labelled(found, table, data.name)
    if labelled is None:
        what = f"the column {old.target!r} is missing or incomplete"
        screen.note(f"{data.name} has no true labels: {what}; so the rules are not measured on it")
    _tell_broken(screen, found, program)
    added = set(program.used) - set(found.domain.features)  # of the others, training knows
    for line in new_categories(program, replace(table, columns=tuple(map(table.column, sorted(added))))):
        screen.note(Text.assemble(("! ", "bold yellow"), f"{data.name}: {line}"))
    new = with_rules(found, program, labelled)
    own = None if labelled is None else find_training_overlap(found, labelled)
    of = " of training" if own is not None and own.same else ""
    return _Result(new, changes, effect, measured=labelled is not None and new.importances is not None, of=of)


def _tell_broken(screen: Screen, model: FittedModel | Program, program: Program) -> None:
    """Say which constraints of the model the new rules break: people may decide so."""
    from unless.evaluation.constraint_check import violations

    asked = None if isinstance(model, Program) else model.parameters.get("constraints")
    for broken in () if asked is None else violations(program, asked):
        screen.note(f"the rules break a constraint that the model was learned with: {broken}")


def _both(old: Program, new: Program) -> Program:
    """A program that tests all that two programs test, so that a table for both is read."""
    return replace(old, rules=(*old.rules, *new.rules), otherwise=None)


def _labelled(model: FittedModel, table: Table, data: str) -> Table | None:
    """The records with labels as classes of the model; None without labels."""
    if table.target is None:
        return None
    from unless.evaluation.metrics import aligned
    from unless.evaluation.unseen_values import unknown_labels
    from unless.table import Labels

    if strange := unknown_labels(model, table.target):
        raise ReadError(f"{data}: {strange[0]}; rules are measured on labels that the model knows")
    classes = model.statistics.classes
    return replace(table, target=Labels(model.program.target, classes, aligned(table.target, classes).codes))
