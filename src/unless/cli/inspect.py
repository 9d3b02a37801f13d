"""`unless inspect`: describe a table and its suspicious findings before learning."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.data_options import ColumnKinds, FileOptions
from unless.cli.file_io import check_file_conflicts
from unless.cli.layout import command_line, grid, shell_word
from unless.cli.loading import DataSource, note_how_read, source_name
from unless.cli.options import Data, Json, Missing, Quiet, flag_option, target_option
from unless.inspection import Profile, Remark, TargetProfile, profile_table
from unless.read.special_codes import check_special
from unless.report.finding_text import IDENTIFIER_CODES, SHARED_ADVICE, AdviceStyle, remark_lines, shorten
from unless.report.table_overview import (
    TITLES,
    column_row,
    hidden_columns_text,
    kind_reasons,
    label_count_text,
    label_rows,
    missing_tokens,
    more_labels_text,
    shown_columns,
    size_text,
)
from unless.values import DEFAULT_MISSING, number_to_text


def inspect(
    data: Data,
    *,
    target: Annotated[str | None, target_option("The column with the labels.")] = None,
    kinds: ColumnKinds,
    missing: Missing = None,
    file: FileOptions,
    all: Annotated[bool, flag_option("List every column of a wide table.", "--all")] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Describe a table: columns, their kinds and the reasons, missing cells, labels, and suspicious findings.

    Example: unless inspect applicants.csv --target decision
    """
    check_file_conflicts(None, data, format=file.format)
    screen = Screen(quiet=quiet)
    opened = DataSource.of(data, file)
    source, names = opened.source, opened.column_names()
    with screen.busy(f"reading {data}"):
        found = profile_table(source, target, opened.file.read_options(**kinds.declared(names, missing)))
    note_how_read(screen, data, found.read_as)
    size = len(source) if isinstance(source, bytes) else _file_size(Path(source))
    if json:
        screen.data({"data": data, "bytes": size, **found.to_dict()})
        return
    name = source_name(data) if data == "-" else shorten(Path(data).name or data)
    screen.show(Text.assemble((name, "bold"), f"  {size_text(found)}, {_size_text(size)}"))
    blocks = {} if screen.out.encoding.startswith("utf") else _IN_ASCII
    if found.target:
        screen.show("", *_label_table(found.target, blocks))
    screen.show(
        "", *_column_table(found, blocks, everything=all or not screen.out.is_terminal), "", *_reason_table(found)
    )
    if (remarks := render_remarks(found.all_remarks, missing_tokens(found))) is not None:
        screen.show("", remarks)
    if data != "-" and len(names) > 1:
        given = kinds.declared(names)
        known = {name for option in ("numeric", "categorical", "dates", "orders") for name in given[option] or ()}
        codes = {number_to_text(code) for one in check_special(given["special"] or {}).values() for code, _ in one}
        declared = {**asdict(kinds), "missing": missing}
        screen.note("", command_line("next", _next_command(data, found, file, declared, (known, codes))))


def _file_size(path: Path) -> int:
    """Return the size of a file, or of the files in a folder."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _size_text(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


# The library's rows, in colour.


_IN_ASCII = str.maketrans("▁▂▃▄▅▆▇█", "_.:-=+*#")
"""Bars for a stream that cannot encode block characters."""


def _label_table(target: TargetProfile, blocks: Mapping[int, int]) -> Iterator[RenderableType]:
    """Render the number of records of each label, with bars."""
    table = grid(*({"justify": justify, "no_wrap": True} for justify in ("left", "right", "right", "left")))
    for row in label_rows(target):
        table.add_row(
            Text(row.label, "bold cyan"), f"{row.records:,}", row.share, Text(row.bar.translate(blocks), "cyan")
        )
    yield Text.assemble((shorten(target.name), "bold"), f"  {label_count_text(target)}")
    yield Padding(table, (0, 0, 0, 2), expand=False)
    if more := more_labels_text(target):
        yield Text(f"  {more}", "dim")


def _column_table(found: Profile, blocks: Mapping[int, int], *, everything: bool) -> Iterator[RenderableType]:
    """Render the columns as a table; for a wide table only columns with remarks, unless everything is requested."""
    if hidden := hidden_columns_text(found, everything=everything):
        yield Text(f"{hidden} (--all lists all)")
    feature, kind, distinct, missing, picture, values = TITLES
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(f"  {feature}", no_wrap=True, style="bold")
    table.add_column(kind, no_wrap=True)
    table.add_column(distinct, justify="right", no_wrap=True)
    table.add_column(missing, no_wrap=True)
    table.add_column(picture, no_wrap=True, style="cyan")
    table.add_column(values)  # this column is cut where the terminal is too narrow
    for row in map(column_row, shown_columns(found, everything=everything)):
        mark = Text.assemble(("! ", "bold yellow") if row.marked else "  ", row.name)
        cut = Text(row.values, no_wrap=True, overflow="ellipsis")
        table.add_row(mark, row.kind, row.distinct, Text(row.missing), Text(row.picture.translate(blocks)), cut)
    yield table


def _reason_table(found: Profile) -> Iterator[RenderableType]:
    """Render the reasons for the kinds of columns."""
    table = grid({"no_wrap": True}, {})
    for kind, why in kind_reasons(found):
        table.add_row(Text(kind, "dim"), Text(why))
    yield table


def _next_command(
    data: str,
    found: Profile,
    file: FileOptions,
    declared: Mapping[str, Sequence[str] | None],
    known: tuple[Collection[str], Collection[str]],
) -> str:
    """Return the command to run next, with the options that were given and options that follow the advice.

    ``known`` are the columns whose kind is set by options, and the special codes.
    """
    target = found.target.name if found.target else found.likely_target
    if target is None or (found.target and found.target.remarks and found.target.remarks[-1].code in _NO_LABELS):
        return "to see more, name the column with the labels: --target COLUMN"
    path = data if data[:1] != "-" else f"./{data}"
    command = f"unless {'fit' if found.target else 'inspect'} {shell_word(path)} --target {shell_word(target)}"
    options = [(option, one) for option, given in declared.items() for one in given or ()]
    options += _advised_options(found, known, declared["missing"]) if found.target else ()
    command += file.words + "".join(f" --{option}={shell_word(one)}" for option, one in options)
    if found.target:
        command += " --drop-unlabelled" if found.target.missing else ""
        command += " -o model.json"
    return command


_SPLITS = {"repeated-group": "group", "drifting-date": "time"}
"""The options for a test as the model will be used, by the codes of remarks; a command takes only one of them."""

_NO_LABELS = ("one-label", "continuous", "unique-labels")


def _advised_options(
    found: Profile, known: tuple[Collection[str], Collection[str]], missing: Sequence[str] | None
) -> Iterator[tuple[str, str]]:
    """Yield the options that follow the advice about columns; at least one feature is kept."""
    remarks = [remark for column in found.columns for remark in column.remarks]
    apart = {remark.column for remark in remarks if remark.code in IDENTIFIER_CODES}
    gone = {remark.column for remark in remarks if remark.code in ("copy", "gives-away")} - apart
    useless = {remark.column for remark in remarks if remark.code in ("constant", "empty")}
    if not {column.name for column in found.columns} - apart - gone - useless:
        gone = set()
    yield from (("exclude", column.name) for column in found.columns if column.name in gone)
    kind = [remark for remark in remarks if remark.code in _SPLITS and remark.column not in gone]
    for remark in sorted(kind, key=lambda remark: list(_SPLITS).index(remark.code))[:1]:
        yield _SPLITS[remark.code], str(remark.column)
    words: dict[str, None] = {}
    kept = [remark for remark in remarks if remark.column not in gone]
    apart_codes = {*known[1]} | {
        code for one in kept if one.code == "special-number" for code in (one.example or "", *one.others)
    }
    for remark in kept:
        codes = (remark.example or "", *remark.others)
        # --missing applies to every column, so a number that is a code in one column becomes a code here, too.
        if remark.code == "special-number" or (remark.code == "missing-number" and apart_codes.intersection(codes)):
            yield from (("special", _code_option(remark.column or "", code)) for code in codes)
            continue
        if remark.code == "date-as-text" and remark.column not in known[0]:
            yield "date", f"{remark.column}={remark.example}"
        if remark.code in ("missing-word", "missing-number"):
            words |= dict.fromkeys(codes)
    if words:
        before = DEFAULT_MISSING if missing is None else ()
        yield from (("missing", word) for word in dict.fromkeys([*words, *before]))


def _code_option(name: str, code: str) -> str:
    """Write the option for a special code, with a name to replace."""
    return f"{name}:{code}=code {code}"


# Remarks.

COMMAND = AdviceStyle(
    {
        **SHARED_ADVICE,
        **dict.fromkeys(("identifier", "unique", "nearly-unique"), "Left out by fit; to keep: --include {name}"),
        "sentences": "Left out by fit; its words could be columns. To keep: --include {name}",
        "date-as-text": "Each is a category without order; say how they are written: --date {name}={example}",
        "missing-word": "If they do: --missing={example}{tokens}",
        "missing-number": "If it does: --missing={example}{tokens}",
        "special-number": "Name what each means: {codes}",
        "copy": "One of them is enough: --exclude {name}",
        "gives-away": "Is it known before the label is? If not: --exclude {name}",
        "no-labels": "fit leaves these records out with --drop-unlabelled.",
        "limited": "Is that meant?",
        "too-late": "Give it more --max-seconds.",
        "sampled": "A single list without a teacher learns from all of them.",
        "no-knowledge": "Weaker patterns may show with --class-weight balanced or -a committee.",
        "no-knowledge-of-many": "Weaker patterns may show with --class-weight balanced.",
        "one-decision": "A cost is TRUE:DECIDED=COST: is one of them the wrong way round?",
        "past-dates": "If new records have later ones, learn from weekday, month and hour instead: --parts {name}",
        "repeated-group": "A random split overstates accuracy on new ones; keep equal ones together: --group {name}",
        "drifting-date": "A random split overstates accuracy on later records; test on those: --time {name}",
        "weak-rule": "Try a smaller --penalty, a larger --max-rules, --tune, --teacher committee or -a committee.",
        "unpromising": "With -a unless such rules are dropped.",
        "uncovered": "Try -a unless or -a committee.",
    },
    lambda names: shell_word(",".join(names)),
    shell_word,
    " --missing={}",
    lambda name, code: f"--special {shell_word(_code_option(name, code))}",
)
"""Advice with options of the command."""


def render_remarks(remarks: Sequence[Remark], missing: Sequence[str] = ()) -> RenderableType | None:
    """Render suspicious findings with advice, the first few of each kind; None if there are none."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style="bold yellow")
    grid.add_column(overflow="fold")
    for line in remark_lines(remarks, COMMAND, missing):
        about = (f"{line.about} ", "bold") if line.about else ""
        finding = f"{line.finding}. " if line.advice else line.finding
        grid.add_row("!", Text.assemble(about, finding, (line.advice, "dim")))
    return grid if grid.row_count else None
