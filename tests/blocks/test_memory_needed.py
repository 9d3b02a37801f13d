"""How much memory learning from files takes."""

from __future__ import annotations

import polars as pl

from unless.blocks import inputs
from unless.blocks.sources import FileStream
from unless.storage import memory_budget


def test_files_fit_if_learning_from_them_does(monkeypatch, tmp_path):
    """Text is judged by its bytes, Parquet and Arrow by their cells, packed text by what it may become."""
    frame = pl.DataFrame({"x": ["0123456789"] * 1000, "y": [1.5] * 1000})
    frame.write_csv(tmp_path / "x.csv")
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_ipc(tmp_path / "x.arrow")
    frame.write_csv(tmp_path / "x.csv.gz", compression="gzip", check_extension=False)
    needed = {
        form: inputs.needed_bytes(FileStream(tmp_path / f"x.{form}")) for form in ("csv", "parquet", "arrow", "csv.gz")
    }
    size = (tmp_path / "x.csv").stat().st_size
    assert needed["csv"] == inputs._PER_BYTE * size
    assert needed["parquet"] == needed["arrow"] == inputs._PER_CELL * 2000
    assert needed["csv.gz"] == inputs._PACKED * inputs._PER_BYTE * (tmp_path / "x.csv.gz").stat().st_size
    monkeypatch.setattr(memory_budget, "free_bytes", lambda: needed["csv"] / memory_budget._SHARE + 1024)
    assert memory_budget.fits_in_memory(inputs.needed_bytes(FileStream(tmp_path / "x.csv")))
    monkeypatch.setattr(memory_budget, "free_bytes", lambda: needed["csv"] / memory_budget._SHARE - 1024)
    assert not memory_budget.fits_in_memory(inputs.needed_bytes(FileStream(tmp_path / "x.csv")))


def test_a_folder_needs_what_its_parts_need(tmp_path):
    """The parts of a table add up."""
    for number in range(3):
        pl.DataFrame({"x": range(10), "y": range(10)}).write_parquet(tmp_path / f"{number}.parquet")
    assert inputs.needed_bytes(FileStream(tmp_path)) == inputs._PER_CELL * 60
