"""Random tables of every kind of cell, written to files and databases; and blocks compared with memory."""

from __future__ import annotations

import gzip
import json
import uuid
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from unless.blocks.block_dataset import BlockDataset, make_block_dataset
from unless.blocks.sources import Stream
from unless.learn.fold import fold_rm
from unless.learn.unless_learner import fold_unless
from unless.read.options import ReadOptions
from unless.read.table import read_table
from unless.table import Table, domain_table, drop_unused_values

__all__ = ["KINDS", "WRITERS", "assert_alike", "make_blocks", "random_frame", "texts_of"]

_MOMENT = datetime(2020, 1, 1)  # noqa: DTZ001 - without a zone
KINDS: dict[str, tuple[pl.DataType, Callable[[float], Any]]] = {
    "whole": (pl.Int64(), lambda x: int(9 * x)),
    "number": (pl.Float64(), lambda x: round(x, 1)),
    "extreme": (pl.Float64(), lambda x: [-np.inf, -0.0, 0.0, np.inf, np.nan, 1e300, 5e-324][int(7 * x) % 7]),
    "huge": (pl.Int64(), lambda x: 2**53 + int(5 * x)),
    "late": (pl.Float64(), lambda x: round(x, 1) if x > 1 else float(int(5 * x))),
    "decimal": (pl.Decimal(10, 2), lambda x: Decimal(int(100 * x) * 5 + 115) / 100),
    "flag": (pl.Boolean(), lambda x: x > 0),
    "bit": (pl.Int64(), lambda x: int(x > 0)),
    "word": (pl.String(), lambda x: ["a", "", " b", 'quo"te', "it's", "se;mi, colon", "é日"][int(3 * x) % 7]),
    "name": (pl.String(), lambda x: f"name {int(40 * x)}"),
    "junk": (pl.String(), lambda x: "abc"[int(-x) % 3] if x < -1.2 else f"{x:.1f}"),
    "zip": (pl.String(), lambda x: "007" if x > 1.9 else f"{int(50 * x) % 90 + 10}"),
    "date": (pl.Date(), lambda x: date(2020, 1, 1) + timedelta(int(9 * x))),
    "midnight": (pl.Datetime("us"), lambda x: _MOMENT + timedelta(int(9 * x), hours=1 if x > 1.5 else 0)),
    "moment": (pl.Datetime("us"), lambda x: _MOMENT + timedelta(minutes=int(99 * x))),
    "instant": (pl.Datetime("us", "UTC"), lambda x: _MOMENT.replace(tzinfo=UTC) + timedelta(hours=int(9 * x))),
    "clock": (pl.Time(), lambda x: time(int(5 * x) % 24, 30)),
    "written": (pl.String(), lambda x: "soon" if x > 1.9 else str(date(2020, 1, 1) + timedelta(int(9 * x)))),
    "uuid": (pl.String(), lambda x: str(uuid.UUID(int=int(7 * x) % 5))),
    "nothing": (pl.String(), lambda _: None),
}
"""What a column may hold, and how a cell comes from a number that tells something about the label."""

_LABELS: list[Callable[[int], Any]] = [
    lambda k: f"l{k}",
    lambda k: k,
    lambda k: k > 0,
    lambda k: date(2020, 1, 1 + k),
    lambda k: _MOMENT + timedelta(k, hours=1 if k > 1 else 0),
    float,
    lambda k: ["it's", "", '"', "no; \n"][k],
]


def random_frame(rng: np.random.Generator, rows: int, kinds: list[str] | None = None, label: int = 0) -> pl.DataFrame:
    """A table with a target ``y`` and columns of these kinds, or of some; some columns have gaps."""
    y = rng.integers(0, 4, rows)
    kinds = kinds or rng.choice(list(KINDS), int(rng.integers(2, 6)), replace=False).tolist()
    columns = {}
    for kind in kinds:
        dtype, cell = KINDS[kind]
        tells = y * rng.normal() * 0.5 + rng.normal(size=rows) * 0.8
        gaps = rng.random(rows) < (0.2 if rng.random() < 0.5 else 0)
        cells = [None if gap else cell(float(x)) for x, gap in zip(tells, gaps, strict=True)]
        columns[f'{kind} "x"'] = pl.Series(cells, dtype=dtype, strict=False)
    return pl.DataFrame({**columns, "y": [_LABELS[label](int(k)) for k in y]})


def texts_of(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame as text files can hold it: no cell is a list, all is text or numbers."""
    decimals = [name for name, dtype in frame.schema.items() if dtype.is_decimal()]
    return frame.with_columns(pl.col(decimals).cast(pl.String))


def _csv(frame: pl.DataFrame, folder: Path) -> Path:
    texts_of(frame).write_csv(path := folder / "x.csv")
    return path


def _european(frame: pl.DataFrame, folder: Path) -> Path:
    numbers = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    commas = pl.col(numbers).cast(pl.String).str.replace(".", ",", literal=True)
    texts_of(frame).with_columns(commas).write_csv(path := folder / "x.csv", separator=";")
    return path


def _tsv(frame: pl.DataFrame, folder: Path) -> Path:
    texts_of(frame).write_csv(path := folder / "x.tsv", separator="\t")
    return path


def _gz(frame: pl.DataFrame, folder: Path) -> Path:
    path = folder / "x.csv.gz"
    path.write_bytes(gzip.compress(_csv(frame, folder).read_bytes()))
    return path


def _jsonl(frame: pl.DataFrame, folder: Path) -> Path:
    """Members that are null are left out, so that some come late."""
    path = folder / "x.jsonl"
    rows = frame.with_columns(pl.selectors.temporal().cast(pl.String), pl.selectors.decimal().cast(pl.Float64))
    lines = [{key: cell for key, cell in row.items() if cell is not None} for row in rows.to_dicts()]
    finite = [{key: None if str(cell) == "nan" else cell for key, cell in line.items()} for line in lines]
    path.write_text("".join(json.dumps(line).replace("Infinity", "1e999") + "\n" for line in finite))
    return path


def _parquet(frame: pl.DataFrame, folder: Path) -> Path:
    frame.write_parquet(path := folder / "x.parquet", row_group_size=17)
    return path


def _arrow(frame: pl.DataFrame, folder: Path) -> Path:
    frame.write_ipc(path := folder / "x.arrow", record_batch_size=17)
    return path


def _parts(frame: pl.DataFrame, folder: Path, write: Callable[[pl.DataFrame, Path], object], suffix: str) -> Path:
    """Three parts, one with another order of columns, and one that may have few rows."""
    (parts := folder / "parts").mkdir()
    third = frame.height // 3
    pieces = [frame[:third], frame[third:-2].select(reversed(frame.columns)), frame[-2:]]
    for number, piece in enumerate(pieces):
        write(piece, parts / f"{number}.{suffix}")
    return parts


def _csv_parts(frame: pl.DataFrame, folder: Path) -> Path:
    return _parts(texts_of(frame), folder, pl.DataFrame.write_csv, "csv")


def _parquet_parts(frame: pl.DataFrame, folder: Path) -> Path:
    return _parts(frame, folder, pl.DataFrame.write_parquet, "parquet")


def _excel(frame: pl.DataFrame, folder: Path) -> Path:
    finite = pl.selectors.float().map_batches(lambda x: x.replace([np.inf, -np.inf], [1e9, -1e9]).fill_nan(None))
    zoneless = pl.selectors.datetime(time_zone="*").dt.replace_time_zone(None)
    frame.with_columns(finite, pl.selectors.decimal().cast(pl.Float64)).with_columns(zoneless).write_excel(
        path := folder / "x.xlsx"
    )
    return path


WRITERS: dict[str, Callable[[pl.DataFrame, Path], Path]] = {
    "csv": _csv,
    "european": _european,
    "tsv": _tsv,
    "gz": _gz,
    "jsonl": _jsonl,
    "parquet": _parquet,
    "arrow": _arrow,
    "csv parts": _csv_parts,
    "parquet parts": _parquet_parts,
    "excel": _excel,
}
"""Files of every format."""


def make_blocks(stream: Stream, **how: Any) -> BlockDataset:
    """The blocks of a stream; what `ReadOptions` takes may be given by name."""
    said = {field.name: how.pop(field.name) for field in fields(ReadOptions) if field.name in how}
    return make_block_dataset(stream, ReadOptions(**said), **how)


def assert_alike(stream: Stream, memory: object, *, programs: bool = True, **how: Any) -> None:
    """What is read from a stream in blocks is what is read into memory, and so are the programs."""
    table = drop_unused_values(read_table(memory, "y", **how))
    with make_blocks(stream, target="y", threads=2, **how) as blocks:
        assert blocks.schema == table.schema
        assert_same_cells(blocks, table)
        if programs:
            blocks.local = 0
            assert fold_rm(blocks) == fold_rm(table)
            assert fold_unless(blocks) == fold_unless(table)


def assert_same_cells(blocks: BlockDataset, table: Table) -> None:
    """Every row of the blocks is that of the table, and so is what is known of values."""
    found = drop_unused_values(blocks.sample()[0])
    assert blocks.coding.labels == table.labels.labels
    assert [*map(type, blocks.coding.labels)] == [*map(type, table.labels.labels)]
    assert found.labels.codes.tolist() == table.labels.codes.tolist()
    for one, other in zip(found.columns, table.columns, strict=True):
        assert (one.name, one.kind, one.notation) == (other.name, other.kind, other.notation)
        assert one.numbers.tolist() == other.numbers.tolist(), one.name
        assert tuple(one.categories) == tuple(other.categories), one.name
        assert one.codes.tolist() == other.codes.tolist(), one.name
    mine, known = blocks.domain(table.features), domain_table(table, table.features)
    for one, other in zip(mine.columns, known.columns, strict=True):
        assert (one.name, one.kind, one.notation) == (other.name, other.kind, other.notation)
        assert one.numbers.tolist() == other.numbers.tolist()
        assert tuple(one.categories) == tuple(other.categories)
