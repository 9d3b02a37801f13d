"""Watching files of any size: the same as watching the table, in every format and in batches."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest

from unless import FoldRMClassifier, UnlessClassifier, UnlessCommittee
from unless.demo.applicants import TARGET, applicants
from unless.errors import ReadError, UnknownNameError
from unless.read.table import read_table
from unless.stream import watch_file

ROWS = [{**row, "years_at_address": str(row["years_at_address"])} for row in applicants(900)]
FEATURES = [name for name in ROWS[0] if name not in ("applicant", TARGET)]
X, Y = read_table(ROWS[:500], TARGET, features=FEATURES), None
FITTED = [UnlessClassifier(warn=False), FoldRMClassifier(warn=False)]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    """The others in every format; a third of them has no label yet."""
    folder = tmp_path_factory.mktemp("watch")
    frame = pl.DataFrame(ROWS[500:], infer_schema_length=None)
    frame = frame.with_columns(
        pl.when(pl.int_range(pl.len()) % 3 == 0).then(None).otherwise(pl.col(TARGET)).alias(TARGET)
    )
    paths = {name: folder / f"new.{name}" for name in ("csv", "tsv", "jsonl", "parquet", "arrow")}
    frame.write_csv(paths["csv"])
    frame.write_csv(paths["tsv"], separator="\t")
    frame.write_ndjson(paths["jsonl"])
    frame.write_parquet(paths["parquet"])
    frame.write_ipc(paths["arrow"])
    return paths


@pytest.fixture(scope="module")
def wanted(model):
    """What the records in memory show."""
    truth = [None if place % 3 == 0 else row[TARGET] for place, row in enumerate(ROWS[500:])]
    return model.watch(read_table(ROWS[500:], features=FEATURES), truth).to_dict()


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_a_file_is_its_records(model, files, wanted, form):
    """A file of any format shows what its records show."""
    assert watch_file(model, files[form]).to_dict() == wanted


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_batches_add_up(model, files, wanted, form):
    """A few records at a time show the same, and so does an open file; progress is told."""
    told = []
    seen = watch_file(model, files[form], block=2000, progress=lambda rows, share: told.append((rows, share)))
    assert seen.to_dict() == wanted
    assert len(told) > 5
    assert told[-1][0] == 400
    assert watch_file(model, io.BytesIO(files[form].read_bytes()), format=form).to_dict() == wanted


def test_another_column_of_labels(model, files, wanted, tmp_path):
    """The labels may be in a column of another name."""
    text = files["csv"].read_text()
    (tmp_path / "named.csv").write_text(text.replace(TARGET, "truth", 1))
    assert watch_file(model, tmp_path / "named.csv", labels="truth").to_dict() == wanted
    assert watch_file(model, tmp_path / "named.csv").labelled == 0


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_columns_that_are_not_there(model, files, form):
    """Labels that are asked for must be there, and are never a feature."""
    with pytest.raises(UnknownNameError, match="no column 'truth'"):
        watch_file(model, files[form], labels="truth")
    with pytest.raises(ReadError, match="'age' is a feature"):
        watch_file(model, files[form], labels="age")


@pytest.mark.parametrize("kind", [int, float, bool])
def test_labels_of_other_types(tmp_path, kind):
    """Numbers and booleans as labels are recognised in a text file, where they are text."""
    rows = [{"x": place, "y": kind(place % 10 > 4)} for place in range(200)]
    model = UnlessClassifier(warn=False).fit(read_table(rows, "y"))
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "new.csv")
    frame.write_parquet(tmp_path / "new.parquet")
    for name in ("new.csv", "new.parquet"):
        seen = watch_file(model, tmp_path / name)
        assert seen.labelled == 200
        assert seen.accuracy.value == pytest.approx(model.score(read_table(rows, "y")))


def test_a_committee_in_batches(files):
    """A committee is watched in batches as well."""
    model = UnlessCommittee(size=3, warn=False).fit(read_table(ROWS[:500], TARGET, features=FEATURES))
    assert watch_file(model, files["csv"]).to_dict() == watch_file(model, files["csv"], block=3000).to_dict()


def test_a_reference_file(model, files):
    """An earlier file can be compared with; a file compared with itself has not moved."""
    seen = watch_file(model, files["csv"], reference=files["parquet"])
    assert not seen.moved
    assert all(one.before.value == one.now.value for one in seen.checks if one.kind == "decides")
