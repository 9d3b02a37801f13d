"""Cells of files that mean missing, in every format, in streams and in blocks; and in models of earlier versions."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.read.test_table import values
from unless import UnlessClassifier, load, predict, read_table
from unless.blocks.block_dataset import make_block_dataset
from unless.blocks.sources import FileStream
from unless.errors import ReadError
from unless.export import to_javascript, to_python
from unless.inspection import profile_table
from unless.read.options import ReadOptions
from unless.stream import predict_file
from unless.values import DEFAULT_MISSING, EARLIER_MISSING

GAPS = ["NULL", "NA", "   ", " ", "", "null", "?", "N/A", "NaN"]
CELLS = ["red", *GAPS, "blue", "Null", "na", " x "]
FORMATS = ["csv", "tsv", "jsonl", "parquet", "arrow", "xlsx"]


def written(path: Path, frame: pl.DataFrame) -> Path:
    """A file of the format that its name ends in."""
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl":
            frame.write_ndjson(path)
        case ".parquet":
            frame.write_parquet(path)
        case ".arrow":
            frame.write_ipc(path)
        case ".xlsx":
            pytest.importorskip("xlsxwriter")
            frame.write_excel(path)
    return path


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_same_missing_cells(tmp_path, form):
    """NULL, NA, blanks and the other tokens are missing in every file format; other spellings are values."""
    frame = pl.DataFrame({"a": CELLS, "n": range(len(CELLS))})
    path = written(tmp_path / f"t.{form}", frame)
    expected = [None if cell in GAPS else cell for cell in CELLS]
    assert values(read_table(path), "a") == expected
    assert values(read_table(path, missing=["Null"]), "a")[CELLS.index("Null")] is None
    assert values(read_table(frame), "a") == CELLS


@pytest.mark.parametrize("form", FORMATS)
def test_missing_labels(tmp_path, form):
    """The same texts are missing labels, in memory and in blocks; in a frame they are labels."""
    frame = pl.DataFrame(
        {"x": [float(i % 7) for i in range(120)], "y": [["a", "NULL", "b", "  "][i % 4] for i in range(120)]}
    )
    path = written(tmp_path / f"t.{form}", frame)
    with pytest.raises(ReadError, match="missing in 60 of 120 rows"):
        read_table(path, "y")
    table = read_table(path, "y", drop_unlabelled=True)
    assert table.labels.labels == ("a", "b")
    with make_block_dataset(FileStream(path), ReadOptions(drop_unlabelled=True), target="y") as blocks:
        assert blocks.coding.labels == ("a", "b")
    assert read_table(frame, "y").labels.labels == ("  ", "NULL", "a", "b")


@pytest.mark.parametrize("form", FORMATS)
def test_streams_read_as_memory_does(tmp_path, form):
    """A model decides a file alike, whether it is read whole or streamed."""
    cells = [*CELLS, "red"] * 20
    frame = pl.DataFrame({"a": cells, "y": ["gap" if cell in GAPS else "value" for cell in cells]})
    path = written(tmp_path / f"t.{form}", frame)
    model = UnlessClassifier(warn=False).fit(read_table(path, "y"))
    whole = predict(model.program_, read_table(path, like=model)).tolist()
    assert whole == frame["y"].to_list()
    predict_file(model, path, tmp_path / "out.csv")
    assert pl.read_csv(tmp_path / "out.csv")["predicted"].to_list() == whole


def test_what_was_a_value_in_training_is_one(tmp_path):
    """A model that learned from a frame where NA is a category finds that category in a typed file."""
    frame = pl.DataFrame({"land": ["NA", "DE"] * 60, "y": ["warm", "cold"] * 60})
    model = UnlessClassifier(warn=False).fit(frame.drop("y"), frame["y"])
    path = written(tmp_path / "t.parquet", frame)
    assert model.predict(read_table(path, like=model)).tolist() == frame["y"].to_list()
    told = read_table(path, like=model, missing=["NA"])
    assert values(told, "land")[:2] == [None, "DE"]


def test_models_of_earlier_versions_read_as_they_did(tmp_path):
    """A model file that says which texts were missing then takes NULL and blanks for categories, as in training."""
    path = tmp_path / "model.json"
    frame = pl.DataFrame({"a": ["NULL", "x"] * 60, "y": ["p", "q"] * 60})
    model = UnlessClassifier(warn=False).fit(frame.drop("y"), frame["y"])
    model.save(path)
    node = json.loads(path.read_text())
    node["columns"]["missing"] = list(EARLIER_MISSING)
    path.write_text(json.dumps(node))
    old, data = load(path), written(tmp_path / "t.csv", frame)
    assert old.predict(read_table(data, like=old)).tolist() == frame["y"].to_list()
    assert old.schema_.missing == EARLIER_MISSING != DEFAULT_MISSING
    assert values(read_table(written(tmp_path / "u.jsonl", pl.DataFrame({"a": ["NA", " "]})), like=old), "a") == [
        "NA",
        " ",
    ]
    assert old.predict([{"a": "NULL"}]).tolist() == ["p"]


def test_exported_functions_know_given_blanks():
    """A space among the given tokens stands for any number of spaces in exported functions, too."""
    cells = ["x", "   ", " ", "-"] * 30
    table = read_table([{"a": cell, "y": "value" if cell == "x" else "gap"} for cell in cells], "y", missing=[" ", "-"])
    model = UnlessClassifier(warn=False).fit(table)
    names: dict = {}
    exec(to_python(model), names)
    for cell in ("x", " ", "     ", "-"):
        assert names["classify"]({"a": cell}) == model.predict([{"a": cell}])[0], cell
    assert "blank" in to_javascript(model)


def test_a_profile_says_how_missing_cells_are_written(tmp_path):
    """Blanks of any width are one way to write a missing cell."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n" * 5 + "NULL,x\n  ,x\n ,x\n")
    assert profile_table(path).columns[0].tokens == ((" ", 2), ("NULL", 1))
