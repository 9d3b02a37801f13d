"""How large things may be: small files that hold much are refused before they take memory."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path

import openpyxl
import polars as pl
import pytest

from unless import Program, UnlessClassifier, fold_rm, load, read_table
from unless.errors import LimitError, ParameterError, ReadError
from unless.export import json as programs
from unless.limits import DEFAULTS, limit, parse_amount, raised
from unless.read.table import column_names
from unless.stream import predict_file

BOMB = gzip.compress(b"a,b\n" + b"0,0\n" * 500_000, 9)  # 2 MB in 2 kB: a thousandth
WITHIN = {"unpacked": "1MB"}


def test_a_gzip_bomb(tmp_path: Path) -> None:
    """A file that unpacks to more than the limit, and to more than a hundred times its size, is refused."""
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(BOMB)
    with raised(**WITHIN):
        for source in (path, BOMB):
            form = None if source is path else "csv"
            with pytest.raises(
                LimitError, match=r"kB that take .* MB or more, unpacked; the limit is 1 MB; to allow it"
            ):
                read_table(source, format=form)
        assert column_names(path) == ["a", "b"]  # which takes no more than a line
    assert len(read_table(path)) == 500_000


def test_real_data_is_packed_less(tmp_path: Path) -> None:
    """A large file that unpacks to less than a hundred times its size is read whatever the limit is."""
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (k, k * k % 997) for k in range(20_000))))
    with raised(unpacked=1000):
        assert len(read_table(path)) == 20_000


def test_a_packed_line_without_end(tmp_path: Path) -> None:
    """A header that unpacks to more than the limit is refused too."""
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a" * 3_000_000))
    with raised(**WITHIN):
        for read in (column_names, read_table):
            with pytest.raises(LimitError, match="unpacked"):
                read(path)


def test_a_packed_table_in_a_stream(tmp_path: Path) -> None:
    """Predictions for text need no such limit: only what is unpacked as a whole has one."""
    program = Program("y", (), (), "x")
    frame = io.BytesIO()
    pl.DataFrame({"a": [0] * 1_000_000}).write_ipc(frame)
    with raised(**WITHIN):
        assert predict_file(program, io.BytesIO(BOMB), io.BytesIO(), format="csv").rows == 500_000
        (tmp_path / "a.arrow.gz").write_bytes(gzip.compress(frame.getvalue()))
        with pytest.raises(LimitError, match="unpacked"):
            predict_file(program, tmp_path / "a.arrow.gz", io.BytesIO(), to="csv")


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_columns_that_are_packed_within(tmp_path: Path, form: str) -> None:
    """A million equal cells take a few bytes, packed."""
    path = tmp_path / f"a.{form}"
    frame = pl.DataFrame({"a": pl.repeat(7, 1_000_000, eager=True)})
    frame.write_parquet(path) if form == "parquet" else frame.write_ipc(path, compression="zstd")
    assert path.stat().st_size < 20_000
    with raised(**WITHIN), pytest.raises(LimitError, match="that take 8 MB or more, unpacked"):
        read_table(path)
    assert len(read_table(path)) == 1_000_000


def workbook(*cells: tuple[str, object]) -> bytes:
    """A workbook with some cells."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    for place, value in cells:
        book.active[place] = value
    book.save(out)
    return out.getvalue()


def test_cells_that_are_far_apart() -> None:
    """Two cells in the corners of a sheet would be laid out as seventeen billion."""
    for corner in ("XFD1048576", "XFD100000", "AZ1048576"):
        with pytest.raises(LimitError, match=r"that take .* GB or more, unpacked"):
            read_table(workbook(("A1", "a"), ("A2", 1), (corner, 2)), format="excel")
    assert len(read_table(workbook(("A1", "a"), ("A100000", 2)), format="excel")) == 99_999


def test_cells_without_content_do_not_count() -> None:
    """A cell that has only a colour does not count as a cell."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"], book.active["A2"] = "a", 1
    book.active["XFD1048576"].font = openpyxl.styles.Font(bold=True)
    book.save(out)
    assert read_table(out.getvalue(), format="excel").record(0) == {"a": 1.0}


@pytest.mark.parametrize("claimed", [None, 10])
def test_a_workbook_that_is_a_bomb(claimed: int | None) -> None:
    """What a workbook unpacks to is counted, whatever it claims."""
    out = io.BytesIO(workbook(("A1", "a"), ("A2", 1)))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b" " * 3_000_000)
        if claimed is not None:
            archive.getinfo("xl/more.xml").file_size = claimed
    with raised(**WITHIN), pytest.raises(LimitError, match="unpacked"):
        read_table(out.getvalue(), format="excel")
    if claimed is None:
        assert len(read_table(out.getvalue(), format="excel")) == 1


def test_columns() -> None:
    """Too many columns are refused, also in JSON lines where each line has only a few."""
    with raised(columns=10):
        for form, data in (
            ("csv", b",".join(b"c%d" % k for k in range(11)) + b"\n"),
            ("jsonl", json.dumps({f"c{k}": 1 for k in range(11)}).encode()),
        ):
            with pytest.raises(LimitError, match=r"the data: 11 columns; the limit is 10; .*raised\(columns='11'\)"):
                read_table(data, format=form)
        with pytest.raises(LimitError, match="11 columns"):
            predict_file(Program("y", ()), io.BytesIO(b"," * 10 + b"\n"), io.BytesIO(), format="csv")
    lines = b"".join(b'{"c%d":1}\n' % k for k in range(2_000))
    with raised(unpacked=100_000), pytest.raises(LimitError, match="unpacked"):
        read_table(lines, format="jsonl")
    with raised(unpacked=100_000), pytest.raises(LimitError, match="unpacked"):
        predict_file(Program("y", (), (), "x"), io.BytesIO(lines), io.BytesIO(), format="jsonl", to="csv")
    assert len(read_table(lines, format="jsonl").columns) == 2_000


def test_labels() -> None:
    """The learners refuse a target with a label for every record; reading it is fine."""
    rows = [{"n": k % 7, "id": f"a{k}"} for k in range(30)]
    with raised(labels=20):
        table = read_table(rows, "id")
        for learn in (fold_rm, UnlessClassifier().fit):
            with pytest.raises(LimitError, match="'id' has 30 labels: is it the right column\\?; the limit is 20"):
                learn(table)
    assert fold_rm(table)


def test_models(tmp_path: Path) -> None:
    """A file that is too large is not even read, and an endless one is not read to its end."""
    path = tmp_path / "model.json"
    programs.save(Program("y", ("a" * 2000,)), path)
    with raised(model="1kB"):
        for read in (load, programs.load):
            for name in (path, "/dev/zero"):
                with pytest.raises(LimitError, match=r": too large for a model; the limit is 1 kB"):
                    read(name)
    assert load(path) == programs.load(path)


def test_limits_hold_within() -> None:
    """Limits are raised for a block, where all others stay as they are; unknown names are refused."""
    with raised(columns=5, unpacked="1.5 GB"):
        assert (limit("columns"), limit("unpacked"), limit("labels")) == (5, 1_500_000_000, DEFAULTS["labels"])
        with raised(columns=6):
            assert limit("columns") == 6
        assert limit("columns") == 5
    assert {name: limit(name) for name in DEFAULTS} == DEFAULTS
    with pytest.raises(ParameterError, match="no limit 'colums'; did you mean 'columns'"), raised(colums=3):
        pass
    for text in ("", "much", "8 XB", "-1", "1e9"):
        with pytest.raises(ParameterError, match="is not an amount"):
            parse_amount(text)
    assert issubclass(LimitError, ReadError)
