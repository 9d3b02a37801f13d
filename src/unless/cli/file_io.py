"""What commands read and write: tables, models and documents, in files or standard streams."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from glob import has_magic
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from unless.cli.console import Screen, visible
from unless.cli.layout import shell_word
from unless.errors import LimitError, ParameterError, ProgramError, UnknownNameError, suggest
from unless.estimators.model_file import read as read_file
from unless.estimators.model_file import read_stream
from unless.files import FilePath, file_descriptor_named, gzip_if_named_so, refuse_inputs, write_whole
from unless.model import Model as FittedModel
from unless.rule import Program
from unless.values import DEFAULT_MISSING, Label, count_text, label_index, parse_number

if TYPE_CHECKING:
    from unless.table import Table

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".xlsx")


def check_files(output: str | None, *inputs: str | None, format: str | None = None) -> None:
    """Refuse to read standard input twice, or to write to a file that is read, be it by -o or by the shell's ``>>``."""
    given = [one for one in inputs if one is not None]
    if given.count("-") > 1:
        raise ParameterError("- is standard input, which can be read only once; give the others as files")
    read = [place for one in given for place in _read_at(one, format)]
    for place in [*_descriptor(sys.stdout), *([] if output in (None, "-") else [output])]:
        refuse_inputs(place, read)
    if output is not None:
        for folder in filter(_is_folder, given):
            from unless.read.formats import refuse_part

            refuse_part(output, folder, format)


def _read_at(one: str, form: str | None) -> list[FilePath]:
    if one == "-":
        return _descriptor(sys.stdin)
    if not _is_folder(one) and not has_magic(one):
        return [one]
    from unless.read.formats import files_of

    return list(files_of(one, form))


def _is_folder(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where a path cannot be followed


def _descriptor(stream: TextIO) -> list[FilePath]:
    """Return the number of a stream, if it has one."""
    try:
        return [stream.fileno()]
    except OSError:
        return []


# Reading.


def standard_input(example: str) -> TextIO:
    """Return standard input; refuse a terminal, where the command would wait for a person who waits for it."""
    if sys.stdin.isatty():
        raise ParameterError(f"- is standard input, but nothing is piped into it: unless {example}")
    return sys.stdin


@dataclass(frozen=True, slots=True)
class Reading:
    """The options about how a file is written, as they were typed; None leaves it to the file."""

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header_row: int | None = None
    skip: int | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of `read_table`."""
        return asdict(self)

    @property
    def words(self) -> str:
        """Return the options as they are typed."""
        given = ((name, str(said)) for name, said in asdict(self).items() if said is not None)
        return "".join(f" --{name.replace('_', '-')} {shell_word(text)}" for name, text in given)

    @property
    def piped(self) -> Reading:
        """Return the options for what has no name: it is CSV by default."""
        return replace(self, format=self.format or "csv")


def source_of(data: str, how: Reading) -> tuple[Any, Reading]:
    """Return the source for `read_table` and how to read it: a path, or the bytes of standard input, CSV by default.

    A named pipe, such as the shell's ``<(…)``, is read like standard input: both can be read only once.
    """
    if data == "-":
        return standard_input("… - < data.csv").buffer.read(), how.piped
    return (Path(data).read_bytes(), how.piped) if Path(data).is_fifo() else (data, how)


def read(
    screen: Screen, data: str, target: str | None = None, *, how: Reading, source: Any = None, **options: Any
) -> Table:
    """Read a table, while the screen says what takes so long and how the file was read, if it is not plain.

    ``source`` is what `source_of` gave, if that was asked before: a pipe can be read only once.
    """
    from unless import read_table  # show and export need no tables

    take_ctrl_c_back()
    if source is None:
        source, how = source_of(data, how)
    with screen.busy(f"reading {data}"), needed(by_model=target is None, data=data):
        table = read_table(source, target, **how.options, **options)
    tell_reading(screen, data, table.read_as)
    return table


def read_labelled(
    screen: Screen,
    data: str,
    model: Any,
    target: str | None = None,
    *,
    how: Reading,
    source: Any = None,
    features: Sequence[str] | None = None,
) -> Table:
    """Read a table like that of a model; if only some records have labels, but most, the others are left out."""
    from unless.read.column_inference import MissingLabelsError

    if source is None:
        source, how = source_of(data, how)
    options: dict[str, Any] = {"like": model, "how": how, "source": source, "features": features}
    try:
        table = read(screen, data, target, **options)
    except MissingLabelsError:
        table = replace(read(screen, data, **options), target=None)
    return with_labels(screen, data, model, table, target, how=how, source=source)


def with_labels(
    screen: Screen, data: str, model: Any, table: Table, target: str | None = None, *, how: Reading, source: Any
) -> Table:
    """Return the table, or if only some of its records have labels, but most of them have, these.

    The others are left out, too, if they were left out when the model was learned.
    """
    from unless.errors import ReadError
    from unless.model import find_training_overlap
    from unless.read.table import read_table, with_known_labels

    if table.target is not None:
        return table
    try:
        labelled = read_table(source, target, like=model, features=(), drop_unlabelled=True, **how.options)
    except ReadError:  # there are none, or they are of mixed types
        return table
    if labelled.target is None:
        return table
    some = with_known_labels(table, labelled)
    if 2 * len(some) < len(table) and (isinstance(model, Program) or find_training_overlap(model, some) is None):
        return table
    without, where = len(table) - len(some), f"{count_text(len(table), 'record')} of {data}"
    screen.note(f"{without:,} of {where} have no label in {labelled.labels.name!r}; they are left out")
    return some


def read_known(
    screen: Screen,
    data: str,
    model: Any,
    used: Sequence[str],
    target: str | None = None,
    *,
    how: Reading,
    source: Any = None,
) -> Table:
    """Read the features that rules use and, if the model may know the data as its own, all that it learned from."""
    if source is None:
        source, how = source_of(data, how)
    wanted = known_features(model, used, source, how)
    return read_labelled(screen, data, model, target, source=source, features=wanted, how=how)


def known_features(model: Any, used: Sequence[str], source: Any, how: Reading) -> list[str]:
    """Return the features that rules use and, if the model may know the data as its own, all that it learned from."""
    from unless.read.table import column_names

    if isinstance(model, Program) or model.origin is None:
        return list(used)
    there = model.schema.available(column_names(source, **how.options))
    return [name for name in model.schema.kinds if name in there or name in used]


def tell_reading(screen: Screen, data: str, read_as: str) -> None:
    """Say in one line how a file was read, if it is not plain."""
    if read_as:
        screen.note(f"{'standard input' if data == '-' else data}: {read_as}")


def take_ctrl_c_back() -> None:
    """Let Python handle Ctrl-C again, after polars took it over when it was imported.

    With polars' handler a wait for a pipe goes on, and KeyboardInterrupt may come again while we clean up.
    """
    import_module("polars")
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))


@contextmanager
def needed(by_model: bool, data: str) -> Iterator[None]:
    """Add to the error about a missing column that the model needs it."""
    try:
        yield
    except UnknownNameError as error:
        if not by_model:
            raise
        where = "standard input" if data == "-" else data
        raise UnknownNameError(f"{where}: {error}\nThe model needs it.") from None


def read_model(path: str, command: str) -> FittedModel | Program:
    """Read a model, or a program from a file that has only rules; a committee is refused, since it is neither."""
    found = read_any_model(path)
    if not isinstance(found, Program) and found.committee is not None:
        raise ParameterError(
            f"{path} is a committee of {len(found.committee)} lists, and {command} takes one list; "
            f"to see the list that imitates it: unless show {shell_word(path)}; to learn one: unless fit"
        )
    return found


def read_any_model(path: str) -> FittedModel | Program:
    """Read a model, a committee, or a program from a file that has only rules."""
    if path == "-":
        return read_stream(standard_input("… - < model.json").buffer, "standard input")
    try:
        return read_file(path)
    except (ProgramError, LimitError):
        if path.lower().removesuffix(".gz").endswith(_TABLES):
            fit = f"unless fit {shell_word(path)} --target COLUMN -o model.json"
            raise ParameterError(f"{path} is a table, not a model; to make one: {fit}") from None
        raise


def label_among(labels: Sequence[Label], text: str, complaint: str) -> Label:
    """Return the label that a text spells, whatever its type: ``1`` is 1 or 1.0, ``true`` is True."""
    place = label_index(text, labels)
    if place is None:
        texts = any(isinstance(label, str) for label in labels)
        shown = repr(text) if texts or parse_number(text) is None else text  # the shell knows only text
        raise UnknownNameError(f"{complaint} {shown}{suggest(text, labels)}")
    return labels[place]


def listed(names: Iterable[str] | None, known: Sequence[str]) -> list[str]:
    """Return the names of columns that options give: one at a time, or several with commas between them."""
    found: list[str] = []
    for name in names or ():
        found += [name] if name in known else [part.strip() for part in name.split(",")]
    return list(dict.fromkeys(found))


def written(dates: Iterable[str] | None, orders: Iterable[str] | None, known: Sequence[str]) -> dict[str, Any]:
    """Return what --date and --order declare, as `read_table` takes it."""
    formats = {name: said for name, said in (_declared(one, known, "--date") for one in dates or ()) if said}
    plain = [name for name, said in (_declared(one, known, "--date") for one in dates or ()) if not said]
    levels = dict(_declared(one, known, "--order") for one in orders or ())
    if both := [name for name in plain if name in formats]:
        raise ParameterError(f"--date names {both[0]!r} twice; leave one out")
    return {
        "dates": {**dict.fromkeys(plain), **formats} or None,
        "orders": {name: [part.strip() for part in said.split(",")] for name, said in levels.items()} or None,
    }


def _declared(given: str, known: Sequence[str], option: str) -> tuple[str, str]:
    """Return the column that an option names, which may have a = in its name, and what the option says of it."""
    places = [place for place, letter in enumerate(given) if letter == "="] or [len(given)]
    at = next((place for place in places if given[:place] in known), places[0])
    if option == "--order" and at == len(given):
        raise ParameterError(f"{option} {given} has no categories; write {option} {given}=S,M,L, least first")
    return given[:at], given[at + 1 :]


def tokens(missing: Sequence[str] | None) -> tuple[str, ...]:
    """Return the texts of missing cells: those given, or the default."""
    return DEFAULT_MISSING if missing is None else tuple(missing)


# Writing.


def terminal(output: str | None) -> TextIO | None:
    """Return the terminal that an output is, also by a path such as /dev/stdout or /dev/tty; None for anything else."""
    if output in (None, "-"):
        return sys.stdout if sys.stdout.isatty() else None
    number = file_descriptor_named(output)
    try:
        if number is None and not Path(output).is_char_device():  # opening a named pipe would wait for a reader
            return None
        opened = os.open(output, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)) if number is None else os.dup(number)
    except (OSError, ValueError):
        return None
    if os.isatty(opened):
        return os.fdopen(opened, "w", encoding=sys.stdout.encoding, errors="backslashreplace")
    os.close(opened)
    return None


def write_document(text: str, output: str | None) -> None:
    """Write a text as UTF-8 in any locale: a program with other letters would be another program.

    A file whose name ends with .gz is packed. Only a terminal gets escapes for what would move its cursor.
    """
    if (screen := terminal(output)) is not None:
        screen.write(visible(text))
        screen.flush()
    elif output not in (None, "-"):
        write_whole(Path(output), gzip_if_named_so(text.encode(), output))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
