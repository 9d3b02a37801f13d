"""Parts of a table: each becomes a part in another folder, whichever process writes it."""

from __future__ import annotations

import gzip
import io
import json
import pickle
from pathlib import Path

import polars as pl
import pytest

from tests.cli.command import called
from tests.stream.test_stream import people, written
from unless import UnlessClassifier, limits, read_table
from unless.errors import (
    FormatError,
    GuessWarning,
    LimitError,
    MissingFileError,
    OverwriteError,
    ParameterError,
    ReadError,
    UnseenValuesError,
)
from unless.rule import Literal, Program, Rule
from unless.stream import predict_file
from unless.stream.partitions import process_count

PROGRAM = Program("y", ("a", "b"), (Rule("low", (Literal("a", "<=", 5.0),)), Rule("k", (Literal("b", "==", "k"),))))


X, Y, FITTED = read_table(people(400), "y"), None, [UnlessClassifier(warn=False)]


@pytest.fixture
def parts(tmp_path) -> Path:
    """A folder of four parts of people, with other files in it."""
    folder, rows = tmp_path / "parts", people(400)
    folder.mkdir()
    for number in range(4):
        (folder / f"part-{number}.csv").write_bytes(written(rows[number * 100 : number * 100 + 100]))
    (folder / "_SUCCESS").touch()
    (folder / "notes.txt").write_text("none")
    return folder


def folder_of(path: Path, **files: str) -> Path:
    """A folder of files; two underscores in a name are a point."""
    path.mkdir(parents=True)
    for name, text in files.items():
        (path / name.replace("__", ".")).write_text(text)
    return path


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_part_is_what_it_would_be_alone(model, parts, tmp_path, n_jobs):
    """Byte for byte, in any number of processes; and what is counted is what one file gives."""
    calls = []
    out = tmp_path / "out"
    done = predict_file(model, parts, f"{out}/", n_jobs=n_jobs, progress=lambda *call: calls.append(call))
    assert sorted(path.name for path in out.iterdir()) == [f"part-{number}.csv" for number in range(4)]
    assert done.files == tuple(str(out / f"part-{number}.csv") for number in range(4))
    for part in sorted(parts.glob("*.csv")):
        predict_file(model, part, tmp_path / "alone.csv")
        assert (out / part.name).read_bytes() == (tmp_path / "alone.csv").read_bytes()
    whole = predict_file(model, parts, tmp_path / "whole.csv")
    same = ("rows", "labels", "columns", "renamed", "right", "unseen", "read_as")
    assert [getattr(done, name) for name in same] == [getattr(whole, name) for name in same]
    assert calls[-1] == (400, 1.0)
    assert calls == sorted(calls)


def test_one_file_has_the_parts_in_the_order_of_their_names(model, parts, tmp_path):
    """Of a folder and of a pattern alike."""
    predict_file(model, parts, tmp_path / "a.csv")
    predict_file(model, str(parts / "part-?.csv"), tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    lines = (tmp_path / "a.csv").read_text().replace("x\ny", "").splitlines()
    assert [line[:4] for line in lines[1:] if line[:4].isdigit()] == sorted(row["id"] for row in people(400))


@pytest.mark.parametrize("pattern", ["*.csv", "part-[0-2].csv", "**/*"])
def test_a_pattern_is_read_like_a_folder(parts, pattern):
    """The files that match are the parts of one table; others are left out."""
    table = read_table(str(parts / pattern), "y")
    assert len(table) == (300 if "2" in pattern else 400)


def test_folders_below_stay_folders(tmp_path):
    """Where a pattern matches files in several folders, so does the output."""
    for year in (2020, 2021):
        folder_of(tmp_path / "in" / f"year={year}", part__csv=f"a,b\n{year},k\n")
    done = predict_file(PROGRAM, str(tmp_path / "in" / "*" / "*.csv"), tmp_path / "out")
    assert [Path(one).relative_to(tmp_path / "out").as_posix() for one in done.files] == [
        "year=2020/part.csv",
        "year=2021/part.csv",
    ]
    assert (tmp_path / "out" / "year=2021" / "part.csv").read_text() == "a,b,predicted,rule\n2021,k,k,2\n"


def test_names_get_the_ending_of_the_format(tmp_path):
    """Unless they have one of its endings already; a file may be written to a folder too."""
    folder = folder_of(tmp_path / "in", one__csv="a,b\n1,k\n", two__CSV="a,b\n9,k\n")
    (folder / "three.csv.gz").write_bytes(gzip.compress(b"a,b\n,\n"))
    kept = predict_file(PROGRAM, folder, tmp_path / "same")
    assert [Path(one).name for one in kept.files] == ["one.csv", "three.csv.gz", "two.CSV"]
    assert gzip.decompress((tmp_path / "same" / "three.csv.gz").read_bytes()) == b"a,b,predicted,rule\n,,,\n"
    changed = predict_file(PROGRAM, folder, f"{tmp_path}/other/", to="jsonl")
    assert [Path(one).name for one in changed.files] == ["one.jsonl", "three.jsonl", "two.jsonl"]
    assert predict_file(PROGRAM, folder / "one.csv", tmp_path / "same").files == (str(tmp_path / "same" / "one.csv"),)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_column_has_the_same_type_in_all_parts(tmp_path, n_jobs):
    """What one part shows is true of all: 1 beside 1.5 is a float, and beside a word it is text."""
    folder = folder_of(tmp_path / "in", a__csv="a,b,c,d\n1,k,1,1\n", b__csv="a,b,c,d\n2.5,k,2,x\n", c__csv="a,b,c,d\n")
    predict_file(PROGRAM, folder, f"{tmp_path}/out/", to="parquet", n_jobs=n_jobs)
    frames = [pl.read_parquet(path) for path in sorted((tmp_path / "out").iterdir())]
    types = {"a": pl.Float64, "b": pl.String, "c": pl.Int64, "d": pl.String, "predicted": pl.String, "rule": pl.Int64}
    assert [dict(frame.schema) for frame in frames] == [types] * 3
    assert pl.concat(frames)["d"].to_list() == ["1", "x"]


def test_numbers_are_written_in_one_way_in_all_parts(tmp_path):
    """A part that does not show its decimal sign has that of the others."""
    folder = folder_of(tmp_path / "in", a__csv="a;b\n1,5;k\n", b__csv="a;b\n1.234;k\n")
    done = predict_file(PROGRAM, folder, tmp_path / "out")
    assert "decimal comma" in done.read_as
    assert [path.read_text().splitlines()[1] for path in sorted((tmp_path / "out").iterdir())] == [
        "1,5;k;low;1",
        "1.234;k;k;2",
    ]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_names_the_part_and_leaves_what_is_done(tmp_path, n_jobs):
    """The part that is wrong is not written; the parts before it stay."""
    folder = folder_of(tmp_path / "in", a__csv="a,b\n1,k\n", b__csv='a,b\n1,"k\n', c__csv="a,b\n1,k\n")
    with pytest.raises(ReadError, match=r"b\.csv"):
        predict_file(PROGRAM, folder, tmp_path / "out", n_jobs=n_jobs)
    left = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert "b.csv" not in left
    assert all((tmp_path / "out" / name).read_text() == "a,b,predicted,rule\n1,k,low,1\n" for name in left)
    assert n_jobs > 1 or left == ["a.csv"]


def test_parts_have_the_same_columns(tmp_path):
    """In any order; a part that lacks one is named, with the part that has it."""
    folder = folder_of(tmp_path / "in", a__csv="a,b\n1,k\n", b__csv="b,a\nk,9\n", c__csv="a,c\n1,k\n")
    with pytest.raises(ReadError, match=r"c\.csv: no column 'b', which .*a\.csv has"):
        predict_file(PROGRAM, folder, tmp_path / "out")
    assert (tmp_path / "out" / "b.csv").read_text() == "b,a,predicted,rule\nk,9,k,2\n"


def test_strict_names_the_part(model, parts, tmp_path):
    """Values that training did not have are refused where they are."""
    row = people(1)[0] | {"age": 1000}
    (parts / "part-2.csv").write_bytes(written([row] * 50))
    with pytest.raises(UnseenValuesError, match=r"part-2\.csv: values that training did not have"):
        predict_file(model, parts, tmp_path / "out", strict=True, n_jobs=1)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["part-0.csv", "part-1.csv"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_training_did_not_see_adds_up(model, parts, tmp_path, n_jobs):
    """Categories and numbers of all parts are told together."""
    for number, (age, city) in enumerate([(1000, "Bergen"), (-7, "Bergen"), (2000, "Rome")]):
        (parts / f"part-{number}.csv").write_bytes(written([people(1)[0] | {"age": age, "city": city}] * 9))
    done = predict_file(model, parts, tmp_path / "out", n_jobs=n_jobs)
    assert done.unseen == predict_file(model, parts, tmp_path / "whole.csv").unseen
    assert [one.records for one in done.unseen] == [27, 27]


def test_ctrl_c_leaves_the_parts_that_are_done(model, parts, tmp_path):
    """What is not done is not there at all."""

    def interrupt(rows, share):  # noqa: ARG001 - as progress is called
        if rows > 150:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predict_file(model, parts, tmp_path / "out", n_jobs=1, progress=interrupt)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["part-0.csv"]


def test_no_part_is_written_over_an_input(parts, tmp_path):
    """Not into the folder that is read, by whatever name, and not through a link."""
    linked = tmp_path / "linked"
    linked.symlink_to(parts)
    for out in (parts, linked):
        with pytest.raises(OverwriteError, match="is the folder that is read; write to another folder"):
            predict_file(PROGRAM, parts, out, to="jsonl")
    other = tmp_path / "out"
    other.mkdir()
    (other / "part-1.csv").symlink_to(parts / "part-0.csv")
    with pytest.raises(OverwriteError, match=r"part-1\.csv' is the same file as .*part-0\.csv'"):
        predict_file(PROGRAM, parts, other)


@pytest.mark.parametrize(("pattern", "out"), [("*.csv", "new.csv"), ("**/*.csv", "new/"), ("**/*.csv", "new.csv")])
def test_no_part_is_written_where_the_pattern_would_find_it(parts, pattern, out):
    """The next time it would be read."""
    with pytest.raises(OverwriteError, match=r"new.* would match .*, which is read; write it elsewhere"):
        predict_file(PROGRAM, str(parts / pattern), f"{parts}/{out}")
    assert not list(parts.glob("new*"))


def test_parts_that_would_be_one_file(tmp_path):
    """They are refused before anything is written."""
    folder = folder_of(tmp_path / "in", a__csv="a,b\n1,k\n")
    (folder / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,k\n"))
    with pytest.raises(ParameterError, match=r"a\.csv and .*a\.csv\.gz would both be written to .*a\.parquet; rename"):
        predict_file(PROGRAM, folder, f"{tmp_path}/out/", to="parquet")
    assert not (tmp_path / "out").exists()


def test_new_columns_have_the_same_names_in_all_parts(tmp_path):
    """Lines of JSON may have other members in another part."""
    lines = ['{"a": 1, "b": "k"}\n', '{"a": 1, "b": "k", "rule": 3}\n']
    folder = folder_of(tmp_path / "in", a__jsonl=lines[0], b__jsonl=lines[1])
    with pytest.raises(ReadError, match=r"call their new columns differently, since one of them has 'rule' already"):
        predict_file(PROGRAM, folder, tmp_path / "out")
    predict_file(PROGRAM, folder, tmp_path / "out", prefix="new_")
    assert json.loads((tmp_path / "out" / "b.jsonl").read_text()) == json.loads(lines[1]) | {
        "new_predicted": "low",
        "new_rule": 1,
    }


def test_what_makes_no_sense_is_refused(parts, tmp_path):
    """Several processes for one file, none at all, a pattern without files, a folder for a stream."""
    with pytest.raises(ParameterError, match="several processes are for parts: write to a folder"):
        predict_file(PROGRAM, parts, tmp_path / "out.csv", n_jobs=2)
    with pytest.raises(ParameterError, match="at least 1, or -1 for all cores, not 0"):
        predict_file(PROGRAM, parts, tmp_path / "out", n_jobs=0)
    with pytest.raises(MissingFileError, match=r"no data file matches '.*\*\.parquet'"):
        predict_file(PROGRAM, str(parts / "*.parquet"), tmp_path / "out")
    with pytest.raises(ReadError, match=r"matches files of several formats: a\.jsonl is JSON lines, b\.csv is CSV"):
        predict_file(PROGRAM, str(folder_of(tmp_path / "in", a__jsonl="{}", b__csv="a\n")) + "/*", tmp_path / "out")
    with (
        (parts / "part-0.csv").open("rb") as file,
        pytest.raises(ParameterError, match="what is read is not a file or a fol"),
    ):
        predict_file(PROGRAM, file, tmp_path, format="csv")
    with pytest.raises(ParameterError, match="no format 'parket' to write; did you mean 'parquet'"):
        predict_file(PROGRAM, parts, f"{tmp_path}/out/", to="parket")
    assert not (tmp_path / "out").exists()


def test_a_limit_holds_in_other_processes(tmp_path):
    """Limits that were raised, or lowered, are those of the processes too; their errors come back whole."""
    folder = folder_of(tmp_path / "in")
    pl.DataFrame({"a": [1.0], "b": ["k"]}).write_ipc(folder / "a.arrow")
    content = io.BytesIO()
    pl.DataFrame({"a": [0.0] * 100_000, "b": ["k"] * 100_000}).write_ipc(content, compression="uncompressed")
    (folder / "b.arrow.gz").write_bytes(gzip.compress(content.getvalue()))
    with limits.raised(unpacked=1000), pytest.raises(LimitError, match=r"b\.arrow\.gz.*the limit is 1 kB") as caught:
        predict_file(PROGRAM, folder, tmp_path / "out", n_jobs=2)
    assert caught.value.limit == "unpacked"
    done = predict_file(PROGRAM, folder, tmp_path / "out", n_jobs=2)
    assert done.rows == 100_001
    assert [Path(one).name for one in done.files] == ["a.arrow", "b.arrow"]  # packed inside


@pytest.mark.parametrize(
    "error",
    [
        FormatError("a", "csv", "tsv"),
        LimitError("a", "columns", "3"),
        MissingFileError("a"),
        GuessWarning("a", "b", "c"),
    ],
)
def test_errors_come_back_from_other_processes(error):
    """With their message, their type and what they know."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize(
    ("wanted", "parts", "size", "found"),
    [(3, 9, 0, 3), (3, 2, 0, 2), (None, 9, 1 << 20, 1), (1, 9, 1 << 40, 1), (-99, 9, 0, 1)],
)
def test_the_number_of_processes(wanted, parts, size, found):
    """As asked for, but never more than parts; a little work is done in this one."""
    assert process_count(wanted, parts, size) == found


def test_the_command_writes_parts(model, parts, tmp_path):
    """It says how many there are; --json names them."""
    model.save(tmp_path / "model.json")
    out = tmp_path / "out"
    done = called("predict", tmp_path / "model.json", parts, "-o", f"{out}/", "--jobs", "1")
    assert done.returncode == 0
    assert "400 records in 4 parts in " in done.stderr
    done = called("predict", tmp_path / "model.json", parts / "*.csv", "-o", out, "--to", "jsonl", "--json")
    assert json.loads(done.stdout)["files"] == [str(out / f"part-{number}.jsonl") for number in range(4)]
    assert "write to another folder" in called("predict", tmp_path / "model.json", parts, "-o", parts).stderr
