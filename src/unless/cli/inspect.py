"""`unless inspect`: what is in a table, and what looks suspicious, before anything is learned."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.files import check_files, listed, source_of, tokens
from unless.cli.layout import command_line, grid, shell_word
from unless.cli.options import Categorical, Data, Format, Json, Missing, Numeric, Quiet, target_option
from unless.explanation.words import DEFAULT, printable
from unless.inspection import ColumnProfile, Profile, Remark, TargetProfile, profile
from unless.read.table import column_names
from unless.values import counted, percent

_MANY = 40  # columns; a wider table lists only those with remarks
_CLASSES = 12  # labels that are listed
_BAR = 24  # letters of the longest bar
_LONG = 40
_NAMES = 8


def inspect(
    data: Data,
    *,
    target: Annotated[str | None, target_option("The column with the labels.")] = None,
    numeric: Numeric = None,
    categorical: Categorical = None,
    missing: Missing = None,
    format: Format = None,
    all: Annotated[bool, typer.Option("--all", help="List every column of a wide table.")] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show what is in a table: columns, their kinds and why, missing cells, labels, and what looks suspicious.

    Example: unless inspect applicants.csv --target decision
    """
    check_files(None, data, format=format)
    screen = Screen(quiet=quiet)
    source, form = source_of(data, format)
    names = column_names(source, format=form)
    options = {"numeric": listed(numeric, names), "categorical": listed(categorical, names)}
    with screen.busy(f"reading {data}"):
        found = profile(source, target, **options, missing=tokens(missing), format=form)
    size = len(source) if isinstance(source, bytes) else _size(Path(source))
    if json:
        screen.data({"data": data, "bytes": size, **found.to_dict()})
        return
    screen.show(_heading(data, found, size))
    if found.target:
        screen.show("", *_balance(found.target))
    screen.show("", *_columns(found, everything=all or not screen.out.is_terminal), "", *_reasons(found))
    if (remarks := remark_table(found)) is not None:
        screen.show("", remarks)
    if data != "-" and len(names) > 1:
        declared = {"numeric": numeric, "categorical": categorical, "missing": missing}
        screen.note("", command_line("next", _next(data, found, format, declared)))


def _size(path: Path) -> int:
    """Return the size of a file, or of the files in a folder."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _heading(data: str, found: Profile, size: int) -> RenderableType:
    columns = counted(len(found.columns) + (found.target is not None), "column")
    said = f"  {counted(found.records, 'record')}, {columns}, {_bytes(size)}"
    name = "standard input" if data == "-" else short(Path(data).name or data)
    return Text.assemble((name, "bold"), said)


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


# Labels.


def _balance(target: TargetProfile) -> Iterator[RenderableType]:
    """Show how many records each label has, as bars."""
    table = grid(*({"justify": justify, "no_wrap": True} for justify in ("left", "right", "right", "left")))
    total = sum(count for _, count in target.classes)
    for label, count in target.classes[:_CLASSES]:
        bar = "█" * max(round(_BAR * count / target.classes[0][1]), 1)
        share = percent(count / total, 1)
        table.add_row(Text(short(label), "bold cyan"), f"{count:,}", share, Text(bar, "cyan"))
    yield Text.assemble((short(target.name), "bold"), f"  {counted(len(target.classes), 'label')}")
    yield Padding(table, (0, 0, 0, 2), expand=False)
    if rest := target.classes[_CLASSES:]:
        records = counted(sum(count for _, count in rest), "record")
        yield Text(f"  and {counted(len(rest), 'more label')} with {records}", "dim")


# Columns.


def _columns(found: Profile, *, everything: bool) -> Iterator[RenderableType]:
    """Show the columns in a table; of a wide one only those with remarks, unless everything is asked for."""
    shown = found.columns
    if len(shown) > _MANY and not everything:
        shown = tuple(column for column in shown if column.remarks)
        kinds = Counter(column.kind for column in found.columns)
        said = ", ".join(f"{kinds[kind]:,} {kind}" for kind in ("number", "text", "mixed") if kinds[kind])
        few = {0: "none has remarks, so none is", 1: "1 has remarks and is"}
        some = few.get(len(shown), f"{len(shown):,} have remarks and are")
        yield Text(f"{len(found.columns):,} features: {said}; {some} listed (--all lists all)")
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  feature", no_wrap=True, style="bold")
    table.add_column("kind", no_wrap=True)
    table.add_column("distinct", justify="right", no_wrap=True)
    table.add_column("missing", no_wrap=True)
    table.add_column("values")  # this column is cut where the terminal is too narrow
    for column in shown:
        mark = Text.assemble(("! ", "bold yellow") if column.remarks else "  ", short(column.name))
        values = Text(_values(column), no_wrap=True, overflow="ellipsis")
        table.add_row(mark, column.kind, f"{column.distinct:,}", Text(_gaps(column)), values)
    yield table


def _gaps(column: ColumnProfile) -> str:
    """Say how many cells are missing, and how they are spelled: "17 ?", "20 (? 17, empty 3)"."""
    if not column.missing:
        return "–"
    names = [short(cell) if cell.strip() else "empty" if not cell else repr(cell) for cell, _ in column.tokens]
    if len(names) < 2:
        return " ".join([f"{column.missing:,}", *names])
    each = (f"{name} {count:,}" for name, (_, count) in zip(names, column.tokens, strict=True))
    return f"{column.missing:,} ({', '.join(each)})"


def _values(column: ColumnProfile) -> str:
    """Say what is in a column, in a few words: its range, its most frequent texts."""
    parts = []
    if column.low is not None and column.high is not None:
        ends = [(column.name, end if end.is_integer() else float(f"{end:.6g}")) for end in (column.low, column.high)]
        words = DEFAULT.fitting(ends)
        low, high = (words.value(*end) for end in ends)
        parts.append(low if column.low == column.high else f"{low} … {high}")
    texts = [(value, count) for value, count in column.frequent if isinstance(value, str)]
    if texts:
        unique = column.distinct == column.present
        shown = [short(value) + ("" if unique else f" {count:,}×") for value, count in texts]
        more = ["…"] if column.low is None and column.distinct > len(texts) else []
        parts.append(", ".join(shown + more))
    return "; ".join(parts)


def _reasons(found: Profile) -> Iterator[RenderableType]:
    """Say why columns are read as they are; those with the same reason go together."""
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for column in found.columns:
        reasons[column.kind, column.why].append(column.name)
    table = grid({"no_wrap": True}, {})
    for (kind, why), names in sorted(reasons.items(), key=lambda entry: -len(entry[1])):
        table.add_row(Text(kind, "dim"), Text.assemble((why, "dim"), f": {named(names)}"))
    yield table


def _next(data: str, found: Profile, form: str | None, declared: Mapping[str, Sequence[str] | None]) -> str:
    """Return the command to run next, with the options about columns and cells that were given."""
    target = found.target.name if found.target else found.likely_target
    if target is None:
        return "to see more, name the column with the labels: --target COLUMN"
    command = f"unless {'fit' if found.target else 'inspect'} {shell_word(data)} --target {shell_word(target)}"
    command += f" --format {shell_word(form)}" if form else ""
    command += "".join(f" --{option}={shell_word(one)}" for option, given in declared.items() for one in given or ())
    if found.target:
        command += " --drop-unlabelled" if found.target.missing else ""
        command += " -o model.json"
    return command


# Remarks.

ADVICE: Mapping[str, str] = {
    "identifier": "Left out by fit; to keep: --include {name}",
    "unique": "Left out by fit; to keep: --include {name}",
    "nearly-unique": "Left out by fit; to keep: --include {name}",
    "empty": "Nothing can be learned from an empty column.",
    "constant": "Nothing can be learned from a constant.",
    "nearly-constant": "Such a column matters for few records at most.",
    "mostly-missing": "Rules can ask whether a cell is missing.",
    "leading-zeros": "If they are codes, not amounts: --categorical {name}",
    "number-as-text": "Each becomes a category of its own; write plain numbers, such as 1234.5.",
    "date-as-text": "Each becomes a category of its own; make columns for year, month or weekday.",
    "spellings": "They are different categories; correct them in the data.",
    "missing-word": "If they do: --missing={example}{tokens}",
    "missing-number": "If it does: --missing={example}{tokens}",
    "copy": "One of them is enough: --exclude {name}",
    "gives-away": "Is it known before the label is? If not: --exclude {name}",
    "no-labels": "fit leaves these records out with --drop-unlabelled.",
    "one-label": "There is nothing to learn.",
    "continuous": "Rules decide between labels; divide it into a few ranges first.",
    "unique-labels": "Is it the right column?",
    "rare-labels": "They are too few to learn from or to test on.",
    "separator": "Each line is one cell.",
    "no-header": "If so, add a first line with the names of the columns.",
    "few-records": "Rules learned from so few records are guesses.",
    "duplicates": "In a test, records that were also in training flatter the result.",
    "contradictions": "Is a feature missing that tells them apart?",
}
"""What to do about each kind of remark. It is here, not in the library, because it names options of the command."""

_TOGETHER: Mapping[str, str] = {
    "identifier": "are identifiers",
    "unique": "are unique",
    "nearly-unique": "are nearly unique",
    "empty": "are empty",
    "constant": "are constant",
    "nearly-constant": "are nearly constant",
    "mostly-missing": "are missing in more than half of the records",
    "leading-zeros": "have numbers with leading zeros",
    "number-as-text": "have numbers with separators or units",
    "date-as-text": "have dates",
}
"""What is said about several columns at once."""

_LEFT_OUT = ("identifier", "unique", "nearly-unique")
_SORTED = "Are the records sorted by their label?"


def remark_table(found: Profile) -> RenderableType | None:
    """Return what looks suspicious and what to do about it, the first few of each kind; None if nothing does."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style="bold yellow")
    grid.add_column(overflow="fold")
    # --missing replaces the default texts: those in use have to be given again.
    used = dict.fromkeys(cell for column in found.columns for cell, _ in column.tokens)
    tokens_again = "".join(f" --missing {shell_word(cell)}" for cell in used)
    left_out = {remark.column for remark in found.all_remarks if remark.code in _LEFT_OUT}
    groups: dict[str, list[Remark]] = defaultdict(list)
    for remark in found.all_remarks:
        groups[remark.code].append(remark)
    for code, remarks in groups.items():
        several = code in _TOGETHER and len(remarks) > 2 and not any("," in name for name in _columns_of(remarks))
        together = replace(remarks[0], column=",".join(_columns_of(remarks)), finding=_TOGETHER.get(code, ""))
        for remark in [together] if several else remarks[:_NAMES]:
            name = named(_columns_of(remarks)) if several else short(remark.column or "")
            column, example = (shell_word(word or "") for word in (remark.column, remark.example))
            advice = ADVICE[code].format(name=column, example=example, tokens=tokens_again)
            if code == "gives-away" and remark.column in left_out:
                advice = _SORTED
            said = (f"{name} ", "bold") if remark.column is not None else ""
            grid.add_row("!", Text.assemble(said, f"{remark.finding}. ", (advice, "dim")))
        if not several and (rest := _columns_of(remarks[_NAMES:])):
            grid.add_row("!", Text(f"{len(rest):,} more like this: {named(rest)}"))
    return grid if grid.row_count else None


def _columns_of(remarks: Sequence[Remark]) -> list[str]:
    return [str(remark.column) for remark in remarks]


def short(text: str) -> str:
    """Return a name or a cell that can be shown anywhere: printable, and not a page long."""
    return printable(text if len(text) <= _LONG else f"{text[: _LONG - 1]}…")


def named(names: Sequence[str]) -> str:
    """Return a list of names, or the first few and how many more there are."""
    shown = [short(name) for name in names[:_NAMES]]
    return ", ".join(shown) + (f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else "")
