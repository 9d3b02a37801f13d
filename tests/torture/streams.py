"""Predictions for files against predictions in memory: every format, blocks from one byte on, hostile cells and labels.

A case is a program and the bytes of a file. It is predicted in memory, and as a stream into every format that can be
written with several sizes of blocks. Whatever the block, labels are those of the plain definition (`Program.decides`),
no record and no cell is lost, text is the same byte for byte, and what is refused is refused everywhere.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import polars as pl
import python_calamine

from tests.torture.counts import Counts
from unless import predict, read_table
from unless.errors import UnlessError
from unless.rule import Literal, Program, Rule
from unless.stream import predict_file
from unless.stream.writers import PACKED, WRITERS
from unless.values import DEFAULT_MISSING, parse_number

__all__ = ["search"]

FORMS = ("csv", "tsv", "jsonl", "parquet", "arrow")
BLOCKS = (1, 2, 3, 5, 7, 16, 64, 1000)
WHOLE = 1 << 23

NAMES = ["a", "b", "c", "predicted", "rule", "rule_2", "y", "x,y", 'say "x"', "tab\t", "new\nline", "é", "", " "]
TEXTS = [
    *("k", "", "NA", "?", "a,b", 'say "x"', '"', "x\ny", "x\r\ny", "\r", " k", "k ", "ü", "\ufeff1", "\u2028", "😀"),
    *("\t1", "{", "}", "\\", "true", "True", "null", "None", "'", "=1+1", "\x1b[31m", "0x", "x" * 300),
]
NUMBERS = ["0", "1", "-1", "2.5", "1e1", " 7", "5.", ".5", "007", "1e999", "-0", "9007199254740993", "0.1", "1e-310"]
LABELS = [
    ["x", "y"],
    ["low, indeed", '"k"', "tab\t"],
    ["a\nb", "a\rb", "a\r\nb", "\n", " "],
    ["é", "😀\u2028", "{}", "\\"],
    [1, 2, -7],
    [0.5, 1e300, math.inf],
    [True, False],
]

# What depends on how many records are seen at first, as the documentation says.
DOCUMENTED = re.compile(
    "which the first lines do not have|cells that follow|holds an infinite number, which JSON cannot|write .*parquet"
)


@dataclass(frozen=True)
class Case:
    """A program and a file; how many records it has, None where it was spoiled on purpose."""

    program: Program
    form: str
    data: bytes
    rows: int | None
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of a file: its bytes, or why it was refused."""

    data: bytes = b""
    rows: int = 0
    refused: str = ""
    raised: str = ""


def search(budget: int, seed: int) -> Counts:
    """Compare so many files."""
    counts = Counts()
    for number in range(seed, seed + budget):
        _compare(counts, number, case_of(number))
    return counts


# What is drawn.


def case_of(seed: int) -> Case:
    """The case of a seed."""
    rng = random.Random(seed)
    program = _program(rng)
    names = [*program.used, *(name for name in rng.sample(NAMES, rng.randint(0, 3)) if name not in program.used)]
    rng.shuffle(names)
    names = names or ["a"]
    form = rng.choice(FORMS)
    rows = rng.choice([0, 1, 2, 3, 5, 20])
    data = {"csv": _text, "tsv": _text, "jsonl": _lines}.get(form, _frame)(rng, form, names, rows)
    spoiled = form in ("csv", "tsv", "jsonl") and rng.random() < 0.3
    if spoiled:
        data = _spoiled(rng, data)
    elif rng.random() < 0.1 and form in ("csv", "tsv", "jsonl"):
        data = gzip.compress(data)
    blocks = (WHOLE, 1, *rng.sample(BLOCKS[1:], 2))
    return Case(program, form, data, None if spoiled else rows, blocks)


def _program(rng: random.Random) -> Program:
    names = rng.sample(NAMES, rng.randint(1, 4))
    labels = rng.choice(LABELS)
    rules = tuple(_rule(rng, names, rng.choice(labels), 0) for _ in range(rng.choice([0, 1, 2, 4])))
    return Program("y!" if rng.random() < 0.5 else "target", tuple(names), rules, rng.choice([None, *labels]))


def _rule(rng: random.Random, names: Sequence[str], head: object, depth: int) -> Rule:
    default = tuple(_literal(rng, rng.choice(names)) for _ in range(rng.choice([0, 1, 1, 2])))
    exceptions = tuple(_rule(rng, names, None, depth + 1) for _ in range(rng.choice([0, 0, 1]) if depth < 2 else 0))
    return Rule(head, default, exceptions)


def _literal(rng: random.Random, name: str) -> Literal:
    op = rng.choice(["<=", ">", "==", "!=", "missing", "present"])
    if op in ("missing", "present"):
        return Literal(name, op)
    return Literal(name, op, rng.choice([0.0, 1.0, 2.5, 7.0, 0.1]) if op in ("<=", ">") else rng.choice(TEXTS))


def _cell(rng: random.Random) -> str:
    return rng.choice(TEXTS if rng.random() < 0.5 else NUMBERS)


def _text(rng: random.Random, form: str, names: Sequence[str], rows: int) -> bytes:
    """A CSV or TSV file: cells in quotes where they need them or by chance, blank lines, any line endings."""
    separator = "," if form == "csv" else "\t"
    endings = rng.choice([["\n"], ["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"]])
    records = [names, *([_cell(rng) for _ in names] for _ in range(rows))]
    quoting, blank = rng.random() < 0.3, rng.random() < 0.3 and len(names) > 1
    text = "\ufeff" if rng.random() < 0.1 else ""
    for record in records:
        fields = (_field(rng, cell, separator, quoting=quoting, alone=len(names) == 1) for cell in record)
        text += separator.join(fields) + rng.choice(endings)
        if blank and rng.random() < 0.3:
            text += rng.choice(endings)
    if rng.random() < 0.3:
        text = text.rstrip("\r\n") if records[-1][-1] else text
    return text.encode()


def _field(rng: random.Random, cell: str, separator: str, *, quoting: bool, alone: bool) -> str:
    # A field that is empty and alone would be a blank line, which before a header is none.
    needs = (
        any(sign in cell for sign in (separator, "\n", "\r"))
        or cell.startswith(('"', "\ufeff"))
        or (alone and not cell)
    )
    return '"' + cell.replace('"', '""') + '"' if needs or (quoting and rng.random() < 0.5) else cell


def _lines(rng: random.Random, form: str, names: Sequence[str], rows: int) -> bytes:  # noqa: ARG001 - as `_text`
    """JSON lines: members in any order, some absent, with or without spaces, blank lines."""
    absent, blank = rng.random() < 0.3, rng.random() < 0.2
    lines = []
    for _ in range(rows):
        kept = [name for name in names if not absent or rng.random() < 0.8]
        if rng.random() < 0.3:
            rng.shuffle(kept)
        separators = (", ", ": ") if rng.random() < 0.3 else (",", ":")
        spelled = (json.dumps(name, ensure_ascii=rng.random() < 0.5) + separators[1] + _value(rng) for name in kept)
        lines.append("{" + separators[0].join(spelled) + "}" + rng.choice(["", "", " ", "\r"]))
        if blank and rng.random() < 0.3:
            lines.append(rng.choice(["", " "]))
    return "\n".join([*lines, *([""] if rng.random() < 0.7 else [])]).encode()


def _value(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.01:
        return '"\\ud800"'
    if kind < 0.5:
        return json.dumps(rng.choice(TEXTS), ensure_ascii=rng.random() < 0.5)
    return rng.choice(["0", "1", "-1", "2.5", "1E1", "7.00", "1e400", "9007199254740993", "true", "false", "null"])


def _frame(rng: random.Random, form: str, names: Sequence[str], rows: int) -> bytes:
    """A Parquet or Arrow file of columns of numbers, texts and booleans with nulls."""
    kinds = {
        pl.Float64: [0.0, 1.0, -1.5, 2.5, 7.0, 0.1, -0.0, None],
        pl.Int64: [0, 1, 7, -3, None],
        pl.String: [*TEXTS, *NUMBERS, None],
        pl.Boolean: [True, False, None],
    }
    columns = {}
    for name in names:
        kind = rng.choice(list(kinds))
        columns[name] = pl.Series(name, [rng.choice(kinds[kind]) for _ in range(rows)], dtype=kind)
    frame, out = pl.DataFrame(columns), io.BytesIO()
    if form == "parquet":
        frame.write_parquet(out, row_group_size=rng.choice([1, 3, 1000]))
    elif rng.random() < 0.5:
        frame.write_ipc(out)
    else:
        frame.write_ipc_stream(out)
    return out.getvalue()


def _spoiled(rng: random.Random, data: bytes) -> bytes:
    """A file after a few changes to its bytes."""
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(data) + 1)
        piece = rng.choice([b"", b"\xff", b"\xc3", b"\xed\xa0\x80", b'"', b"\n", b"\r", b",", b"{", b"}", b"\0", b"\\"])
        data = data[:place] + piece + data[place + rng.choice([0, 0, 1, 5]) :]
    return data


# What is compared.


def _compare(counts: Counts, seed: int, case: Case) -> None:
    kind = f"{case.form} in memory"
    known = _in_memory(case)
    counts.check(kind, seed, lambda: f"{known.raised} of {case}", same=not known.raised)
    if not known.refused and case.rows is not None:
        told = f"{known.rows} rows of {case.rows} of {case}"
        counts.check(kind, seed, lambda: told, same=known.rows == case.rows)
    for out in WRITERS:
        _compare_stream(counts, seed, case, out, known)


@dataclass(frozen=True)
class Known(Outcome):
    """What is predicted in memory."""

    labels: tuple[object, ...] = ()
    rules: tuple[int | None, ...] = ()


def _in_memory(case: Case) -> Known:
    try:
        table = read_table(_unpacked(case.data), format=case.form, like=case.program)
        rules = [case.program.decides(table.record(row)) for row in range(len(table))]
        labels = predict(case.program, table).tolist()
    except UnlessError as error:
        return Known(refused=str(error))
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - which is what is looked for
        return Known(raised=repr(error))
    heads = [case.program.otherwise if rule is None else case.program.rules[rule].head for rule in rules]
    if labels != heads:
        return Known(raised=f"{labels} instead of {heads}")
    numbers = tuple(None if rule is None else rule + 1 for rule in rules)
    return Known(rows=len(table), labels=tuple(labels), rules=numbers)


def _unpacked(data: bytes) -> bytes:
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def _streamed(case: Case, to: str, block: int) -> Outcome:
    out = io.BytesIO()
    try:
        done = predict_file(case.program, io.BytesIO(case.data), out, format=case.form, to=to, block=block)
    except UnlessError as error:
        return Outcome(refused=str(error))
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001
        return Outcome(raised=repr(error))
    return Outcome(out.getvalue(), done.rows)


def _compare_stream(counts: Counts, seed: int, case: Case, to: str, known: Known) -> None:
    kind = f"{case.form} to {to}"
    texts = set()
    for block in case.blocks:
        found = _streamed(case, to, block)
        reason = _fault(case, to, found, known)
        told = f"block {block}: {reason}, of {case}" if reason else ""
        counts.check(kind, seed, lambda: told, same=not told)  # noqa: B023 - at once
        if reason is None and not found.refused:
            texts.add(found.data)
    if to not in PACKED and "parquet" not in kind and "arrow" not in kind:
        counts.check(kind, seed, lambda: f"the bytes depend on the block: {texts} of {case}", same=len(texts) < 2)


def _fault(case: Case, to: str, found: Outcome, known: Known) -> str | None:
    """What is wrong with what became of a file; None if nothing is."""
    if found.raised:
        return f"raised {found.raised}"
    if found.refused:
        expected = known.refused or DOCUMENTED.search(found.refused) or not _is_whole(case)
        return None if expected else f"refused, but not in memory: {found.refused}"
    if known.refused:  # objects without members have no columns to be read, and a program that tests none needs none
        expected = case.form == "jsonl" and "no columns" in known.refused
        return None if expected else f"accepted, but refused in memory: {known.refused}"
    return _wrong(case, to, found, known)


def _is_whole(case: Case) -> bool:
    """Whether a file is what it says, also where no rule looks: there it may be copied as it is, or refused."""
    try:
        _rows(case.form, _unpacked(case.data))
    except json.JSONDecodeError:
        return False
    except (ValueError, csv.Error):  # of text that is no UTF-8 there is one decision
        pass
    return True


def _wrong(case: Case, to: str, found: Outcome, known: Known) -> str | None:
    """What is wrong with what was written."""
    if to == "jsonl" and not _is_whole(case):
        return None
    try:
        rows = _rows(to, found.data)
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001
        return f"what was written cannot be read: {error!r}: {found.data!r}"
    if to == "excel":  # which does not have the last rows if they are empty
        width = max(map(len, rows), default=2)
        rows += [[None] * width] * (found.rows - len(rows))
    answers = [(_spelled(label, to), _spelled(rule, to)) for label, rule in zip(known.labels, known.rules, strict=True)]
    if (given := [tuple(row[-2:]) for row in rows]) != answers or found.rows != len(answers):
        return f"{found.rows} answers {given} instead of {len(answers)} {answers}"
    before, after = _cells(case, to), [row[:-2] for row in rows]
    return None if before is None or _same(before, after) else f"the cells became {after} from {before}"


def _same(before: list[list[object]], after: list[list[object]]) -> bool:
    """Whether cells are the same; a column of text may have become exactly the numbers that it spells."""
    if before == after:
        return True
    if len(before) != len(after) or len({len(row) for row in (*before, *after)}) > 1:
        return False
    columns = zip(zip(*before, strict=True), zip(*after, strict=True), strict=True)
    return all(one == other or _numbers_of(one, other) for one, other in columns)


def _numbers_of(texts: Sequence[object], cells: Sequence[object]) -> bool:
    """Whether these cells are the numbers that all these texts spell, with None for those that are missing."""
    pairs = list(zip(texts, cells, strict=True))
    lost = all(text in (None, *DEFAULT_MISSING) for text, cell in pairs if cell is None)
    there = [(str(text), cell) for text, cell in pairs if cell is not None]
    named = any(re.match(" *[+-]?0[0-9]", text) for text, _ in there)
    kept = all(
        parse_number(text) is not None and Decimal(text.strip(" ")) == Decimal(repr(cell)) for text, cell in there
    )
    return lost and kept and not named


def _spelled(cell: object, to: str) -> object:
    """An answer as it stands in a file of a format."""
    if to in ("csv", "tsv"):
        return "" if cell is None else str(cell)
    return str(cell) if to == "jsonl" and cell == math.inf else cell


def _cells(case: Case, to: str) -> list[list[object]] | None:
    """The cells of the input as they should stand in the output; None where another format spells them otherwise."""
    data, same = _unpacked(case.data), case.form == to or {case.form, to} <= {"parquet", "arrow"}
    if case.form in ("csv", "tsv"):
        rows = _rows(case.form, data)
        return rows if to in ("csv", "tsv") else [[cell or None for cell in row] for row in rows]  # but for numbers
    return _rows(case.form, data) if same else None


def _decoded(data: bytes) -> str:
    """The text of a file: what is not UTF-8, and not refused, is cp1252, with control characters for five bytes."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in data)


def _rows(form: str, data: bytes) -> list[list[object]]:
    """The rows of a file, as the plainest reader of its format has them."""
    if form in ("csv", "tsv"):
        text = _decoded(data)
        found = csv.reader(io.StringIO(text, newline=""), delimiter="," if form == "csv" else "\t", strict=True)
        header = next(filter(None, found), [])
        return [row or [""] for row in found if row or len(header) == 1]
    if form == "jsonl":
        lines = data.decode("utf-8-sig").split("\n")
        return [list(json.loads(line).values()) for line in lines if line.strip()]
    if form == "excel":
        cells = python_calamine.load_workbook(io.BytesIO(data)).get_sheet_by_index(0).to_python(skip_empty_area=False)
        return [[None if cell == "" else cell for cell in row] for row in cells[1:]]
    if form == "arrow" and data.startswith(b"\xff\xff\xff\xff"):
        return list(map(list, pl.read_ipc_stream(io.BytesIO(data)).rows()))
    read = pl.read_parquet if form == "parquet" else pl.read_ipc
    return list(map(list, read(io.BytesIO(data)).rows()))
