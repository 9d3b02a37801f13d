"""Run commands, and report their errors."""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from types import FrameType, TracebackType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from unless import __version__
from unless.cli.console import Screen, escape_invisible, print_error
from unless.cli.layout import shell_word
from unless.cli.option_groups import expand_option_groups
from unless.cli.options import OUTPUT, PANELS
from unless.errors import (
    FormatError,
    GuessWarning,
    LimitError,
    OverwriteError,
    ParameterError,
    UnlessError,
    join_choices,
    without_passwords,
)
from unless.limits import DEFAULTS, raised, refuse_small_address_space

_INTERRUPTED = 128 + signal.SIGINT

COMMANDS = {
    "inspect": "Describe a table and its suspicious findings.",
    "fit": "Learn rules from a table, test them and save them.",
    "evaluate": "Compare the learners by cross-validation.",
    "show": "Show the rules of a model.",
    "predict": "Predict the label of every record in a file.",
    "explain": "Explain a decision, and what would change the decision.",
    "reasons": "Show, check and count the reasons for decisions.",
    "effects": "Show how each feature changes the log-odds of the labels.",
    "watch": "Find what has changed in new records since training.",
    "stability": "Learn rules again from samples, and show which rules come back.",
    "report": "Write an HTML page about a model.",
    "card": "Write a model card: data, test figures, subgroups, limits.",
    "export": "Write the rules as SQL, Python, JavaScript, clingo or Prolog.",
    "edit": "Change the rules of a model as text.",
    "learn": "Learn rules from background knowledge in logic programs.",
    "diff": "Compare the rules of two models, and their decisions.",
    "demo": "Show an example, or write example files.",
}
"""Every command with its line in the list of commands; its module and its function have the same name."""


def load_command(name: str) -> Callable[..., None]:
    """Return the function behind a command."""
    return expand_option_groups(getattr(import_module(f"unless.cli.{name}"), name))


# Help.

_TITLES = "|".join(("Usage", "Arguments", "Options", "Commands", *PANELS))
_NAMES = re.compile(rf"^(?:{_TITLES}):|^  (?:(?:-\w, )?--[\w-]+|[A-Za-z]+(?=  ))", re.MULTILINE)
_TYPES = re.compile(r"(?<=[A-Z]) <(?:str|list\[str\])>")


def _tidy_help(text: str) -> str:
    """Return typer's help without the types of arguments and, in a terminal, with names in bold."""
    usage, line, rest = text.partition("\n")
    plain = usage.replace("{", "").replace("}", "") + line + _TYPES.sub(lambda found: " " * len(found.group()), rest)
    if Screen().out.color_system is None:
        return plain
    return _NAMES.sub(lambda found: typer.style(found.group(), bold=True), plain)


class _Command(TyperCommand):
    def get_help(self, ctx: Any) -> str:
        return _tidy_help(super().get_help(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options under the titles of their panels; typer does so only in boxes."""
        panels: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Arguments", "Options", *PANELS)}
        for one in self.get_params(ctx):
            line = one.get_help_record(ctx)
            usual = "Arguments" if one.param_type_name == "argument" else "Options"
            panel = getattr(one, "rich_help_panel", None) or (OUTPUT if one.name == "help" else usual)
            if line is not None:
                panels[panel].append(line)
        shown = {title: lines for title, lines in panels.items() if lines}
        for title, lines in shown.items():
            with formatter.section(title):
                formatter.write_dl(lines)


class _LazyCommand(TyperCommand):
    """A command that is imported when it is called; importing all commands takes 0.2 seconds, mostly for numpy."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        alone = typer.Typer(rich_markup_mode=None, add_completion=False)
        alone.command(self.name, cls=_Command)(load_command(str(self.name)))
        return typer.main.get_command(alone).make_context(info_name, args, parent, **extra)


class _Commands(TyperGroup):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: _LazyCommand(name, short_help=summary) for name, summary in COMMANDS.items()}

    def get_help(self, ctx: Any) -> str:
        return _tidy_help(super().get_help(ctx))


app = typer.Typer(
    name="unless",
    cls=_Commands,
    help="Learn rules that people can read: classify as A if …, unless …, unless …\n\nTry: unless demo",
    no_args_is_help=True,
    rich_markup_mode=None,  # typer's boxes leave a third of the line for the text, and show flags as `--json <bool>`
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"unless {__version__}")
        raise typer.Exit


def _raise_limits(context: typer.Context, given: list[str] | None) -> list[str] | None:
    """Raise limits until the command ends."""
    for text in given or ():
        name, sign, amount = text.partition("=")
        if not sign:
            raise typer.BadParameter(f"{text!r} has no =; write {text}=8GB")
        try:
            context.with_resource(raised(**{name: amount}))
        except ParameterError as error:
            raise typer.BadParameter(str(error)) from None
    return given


@app.callback()
def _global_options(
    *,
    limit: Annotated[  # noqa: ARG001 - its callback is all it takes
        list[str] | None,
        typer.Option(
            metavar="NAME=AMOUNT",
            callback=_raise_limits,
            help=f"Raise a limit (can be repeated): {join_choices(DEFAULTS)}, such as unpacked=8GB.",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    refuse_small_address_space()


def main() -> None:
    """Run the command and exit: 0 for success, 1 for failure, 2 for wrong usage, 130 after Ctrl-C.

    `unless watch` exits with 3 if it finds a change.
    """
    signal.signal(signal.SIGTERM, _exit_on_signal)
    sys.excepthook = _print_traceback
    warnings.showwarning = _print_warning  # type: ignore[assignment]  # only the message is needed
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ≤ gets \u2264, not a traceback.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        sys.exit(_run_command(lambda: app(prog_name="unless", standalone_mode=False)))
    finally:
        _drop_unwritten_output()


def _run_command(call: Callable[[], object]) -> int:
    try:
        result = call()
        sys.stdout.flush()
        if result == _INTERRUPTED:  # typer makes Ctrl-C an exit of its own
            print_error("interrupted")
    except (KeyboardInterrupt, typer.Abort):
        print_error("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:  # as in `unless show model.json | head`: the reader has closed the pipe
        return 1
    except Exception as error:  # noqa: BLE001 - _failed raises those that it does not expect
        return _report_error(error)
    return result if isinstance(result, int) else 0  # typer returns the code of typer.Exit


def _drop_unwritten_output() -> None:
    """Drop output that a stream refused; otherwise Python would retry at exit, print an error, and return 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # the error was already reported
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _report_error(error: Exception) -> int:
    """Report an error; an error that neither the data nor the caller caused is a bug, and keeps its traceback."""
    match error:
        case LimitError():
            said = f"{error.finding}; to allow it: unless --limit {error.limit}={error.enough} …"
        case MemoryError():
            said = "there is not enough memory for this; try a smaller file, or fewer columns"
        case FormatError():
            said = f"{error.finding}: --{error.parameter} {join_choices(error.formats)}"
        case UnlessError():
            said = str(error)
        case OSError():
            said = ": ".join(str(part) for part in (error.filename, error.strerror) if part) or str(error)
        case _ if hasattr(error, "format_message"):  # typer's usage errors, which have a private class
            return _report_usage_error(error)
        case _:
            raise error
    print_error(without_passwords(said))
    return 2 if isinstance(error, OverwriteError) else 1


def _report_usage_error(error: Any) -> int:
    """Report how the command was called wrongly."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError" and context is not None:
        typer.echo(context.get_help())
        return 2
    path = context.command_path if context is not None else "unless"
    message = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
    message = without_passwords(message)
    print_error(f"{message[:1].lower()}{message[1:]}\nSee {path} --help")
    return int(getattr(error, "exit_code", 2))


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a bug, without control characters."""
    sys.stderr.write(escape_invisible(without_passwords("".join(traceback.format_exception(kind, error, trace)))))


def _print_warning(message: Warning | str, *_: object) -> None:
    said = str(message)
    if isinstance(message, GuessWarning):
        said = f"{message.finding}; to overrule: --{message.parameter} {join_choices(map(shell_word, message.choices))}"
    print_error(f"warning: {without_passwords(said)}")


def _exit_on_signal(number: int, _: FrameType | None) -> None:
    """Exit as after an error, so that half-written files are removed."""
    sys.exit(128 + number)
