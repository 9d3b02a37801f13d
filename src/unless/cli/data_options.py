"""Define groups of options for data: the format of files, the kinds of columns, the records to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from unless.cli.layout import shell_word
from unless.cli.options import (
    DATA,
    FORMATS,
    Missing,
    column_option,
    complete_columns,
    complete_formats,
    data_option,
    flag_option,
)
from unless.errors import ParameterError
from unless.read.options import ReadOptions
from unless.read.special_codes import parse_special_option, read_special_file
from unless.values import DEFAULT_MISSING

_DATE = "Read this column as dates: when=%d.%m.%Y (repeat). Dates like 2020-08-01 or 31/12/2020 need no option."
_SPECIAL = (
    "A number that names a category: 'months:-7=no inquiry', or a TOML file with a table for each column (repeat)."
)
_HEADER = "The line, or row of a sheet, with the names of the columns; lines above it are skipped."
_BLOCKS = "Keep the encoded data and the rules so far in this folder; after an interruption, the same command resumes."


@dataclass(frozen=True, slots=True)
class FileOptions:
    """The options for the format of a file; None means that the format is detected."""

    format: Annotated[
        str | None,
        data_option(
            "FORMAT",
            f"The format of the data, if the file extension does not determine it: {', '.join(FORMATS)}.",
            complete=complete_formats,
        ),
    ] = None
    delimiter: Annotated[
        str | None, data_option("SIGN", "The separator of fields in a text file: ',', ';', '|', tab.")
    ] = None
    decimal: Annotated[str | None, data_option("SIGN", "The decimal sign of a text file: a point or a comma.")] = None
    encoding: Annotated[str | None, data_option("NAME", "The encoding of a text file, such as cp1252 or utf-16.")] = (
        None
    )
    sheet: Annotated[
        str | None, data_option("NAME", "The sheet of a workbook, by name or number.  [default: the first]")
    ] = None
    header_row: Annotated[int | None, data_option("N", _HEADER, low=1)] = None
    skip: Annotated[int | None, data_option("N", "Skip N lines before the names of the columns.", low=0)] = None

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of `read_table`."""
        return asdict(self)

    def read_options(self, **columns: Any) -> ReadOptions:
        """Return how to read the file, including options for its columns and cells."""
        return ReadOptions(**asdict(self), **columns)

    @property
    def words(self) -> str:
        """Return the options as a user types them."""
        given = ((name, str(said)) for name, said in asdict(self).items() if said is not None)
        return "".join(f" --{name.replace('_', '-')} {shell_word(text)}" for name, text in given)

    @property
    def piped(self) -> FileOptions:
        """Return the options for input without a file name: CSV by default."""
        return replace(self, format=self.format or "csv")


@dataclass(frozen=True, slots=True)
class ColumnKinds:
    """The options for the kinds of columns."""

    numeric: Annotated[list[str] | None, column_option("Read this column as numbers")] = None
    categorical: Annotated[list[str] | None, column_option("Read this column as categories")] = None
    date: Annotated[list[str] | None, data_option("COLUMN=FORMAT", _DATE, "--date", complete=complete_columns)] = None
    order: Annotated[
        list[str] | None,
        data_option(
            "COLUMN=A,B,…",
            "The order of a column's categories, least first: size=S,M,L (repeat).",
            "--order",
            complete=complete_columns,
        ),
    ] = None

    special: Annotated[
        list[str] | None, data_option("COLUMN:CODE=NAME", _SPECIAL, "--special", complete=complete_columns)
    ] = None

    def declared(self, names: Sequence[str], missing: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the options for columns and cells in the form of `read_table`, given the names of the columns."""
        return {
            "numeric": split_names(self.numeric, names),
            "categorical": split_names(self.categorical, names),
            **_parse_dates_and_orders(self.date, self.order, names),
            "special": _parse_special(self.special or (), names),
            "missing": DEFAULT_MISSING if missing is None else tuple(missing),
        }


@dataclass(frozen=True, slots=True)
class ColumnOptions(ColumnKinds):
    """The options for the columns and cells of a table to learn from, and for its file."""

    parts: Annotated[
        list[str] | None, column_option("Replace this column of dates by its weekday, month and hour, as when.weekday")
    ] = None
    exclude: Annotated[list[str] | None, column_option("Leave this column out")] = None
    include: Annotated[
        list[str] | None, column_option("Keep this column although it looks like an identifier or is constant")
    ] = None
    missing: Missing = None
    file: FileOptions = field(default_factory=FileOptions)

    def reading(self, names: Sequence[str]) -> dict[str, Any]:
        """Return all options for columns and cells in the form of `read_table`."""
        return {**self.declared(names, self.missing), "parts": split_names(self.parts, names)}


@dataclass(frozen=True, slots=True)
class LargeOptions:
    """The options for data that is learned from in blocks."""

    query: Annotated[
        str | None, data_option("SQL", "The table or SELECT to learn from, if DATA is a DuckDB file or postgresql://…")
    ] = None
    blocks: Annotated[str | None, data_option("FOLDER", _BLOCKS)] = None
    unchanged: Annotated[
        bool,
        flag_option(
            "With --blocks: assume that the database has not changed, without reading it again.",
            "--unchanged",
            panel=DATA,
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """The options for the labels of a table to learn from."""

    drop_unlabelled: Annotated[
        bool, flag_option("Leave out records without a label.", "--drop-unlabelled", panel=DATA)
    ] = False
    classes: Annotated[
        bool, flag_option("Treat the many numbers of the target as labels, not as a quantity.", "--classes", panel=DATA)
    ] = False


def split_names(given: Iterable[str] | None, known: Sequence[str]) -> list[str]:
    """Split the column names that options give: one per option, or several separated by commas."""
    found: list[str] = []
    for name in given or ():
        found += [name] if name in known else [part.strip() for part in name.split(",")]
    return list(dict.fromkeys(found))


def _parse_dates_and_orders(
    dates: Iterable[str] | None, orders: Iterable[str] | None, known: Sequence[str]
) -> dict[str, Any]:
    """Parse --date and --order into the form of `read_table`."""
    said = [split_column_option(one, known, "--date") for one in dates or ()]
    formats, plain = {name: form for name, form in said if form}, [name for name, form in said if not form]
    levels = dict(split_column_option(one, known, "--order") for one in orders or ())
    if both := [name for name in plain if name in formats]:
        raise ParameterError(f"--date is given twice for {both[0]!r}; leave one out")
    return {
        "dates": {**dict.fromkeys(plain), **formats} or None,
        "orders": {name: [part.strip() for part in text.split(",")] for name, text in levels.items()} or None,
    }


def split_column_option(given: str, known: Sequence[str], option: str) -> tuple[str, str]:
    """Split COLUMN=VALUE into the column, whose name may contain =, and the value."""
    positions = [index for index, letter in enumerate(given) if letter == "="] or [len(given)]
    at = next((index for index in positions if given[:index] in known), positions[0])
    if option == "--order" and at == len(given):
        raise ParameterError(f"{option} {given} has no categories; write {option} {given}=S,M,L, least first")
    return given[:at], given[at + 1 :]


def _parse_special(given: Iterable[str], known: Sequence[str]) -> dict[str, dict[float | str, str]] | None:
    """Parse --special into the form of `read_table`; a later option adds to the codes of a column."""
    found: dict[str, dict[float | str, str]] = {}
    for text in given:
        if (parts := parse_special_option(text, known)) is not None:
            if more := next((one for one in known if f",{one}:" in parts[2]), None):
                raise ParameterError(f"--special {text} names {more!r}, too; give --special once for each code")
            found.setdefault(parts[0], {})[parts[1]] = parts[2]
        elif text.endswith(".toml"):
            for column, codes in read_special_file(text).items():
                found.setdefault(column, {}).update(dict(codes))
        else:
            raise ParameterError(f"--special {text} is not COLUMN:CODE=NAME, such as 'months:-7=no inquiry'")
    return found or None
