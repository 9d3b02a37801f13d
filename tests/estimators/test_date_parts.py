"""Dates that later records do not have: a warning, and weekday, month and hour in their place."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

from tests.cli.command import called
from unless import (
    FoldRMClassifier,
    FoldRPPClassifier,
    UnlessClassifier,
    UnlessCommittee,
    load,
    predict,
    read_table,
    why_not,
)
from unless.errors import ParameterError, ProgramError, ReadError, TrainingWarning, UnknownNameError
from unless.export import to_python, to_sql
from unless.stream import predict_file

START, MARCH = datetime.fromisoformat("2022-05-01"), datetime.fromisoformat("2031-03-01")
LEARNERS = [UnlessClassifier, FoldRMClassifier, FoldRPPClassifier, UnlessCommittee]


@pytest.fixture(scope="module")
def frame():
    """Records of a year and some; weekends and early hours are quiet, some dates are missing."""
    rng = np.random.default_rng(1)
    minutes = rng.integers(0, 400 * 24 * 60, 600).tolist()
    when = [START + timedelta(minutes=minute) for minute in minutes]
    label = ["quiet" if one.weekday() > 4 or one.hour < 7 else "busy" for one in when]
    cells = [None if k % 50 == 0 else one for k, one in enumerate(when)]
    return pl.DataFrame({"when": cells, "size": rng.integers(1, 9, 600), "y": label})


def test_parts_are_those_of_the_calendar(frame):
    """Weekday and month are levels of an order, the hour is a number; a missing date has no parts."""
    table = read_table(frame, "y", parts=["when"])
    assert table.features == ("when.weekday", "when.month", "when.hour", "size")
    for row, when in enumerate(frame["when"].to_list()):
        record = table.record(row)
        if when is None:
            assert [record[f"when.{part}"] for part in ("weekday", "month", "hour")] == [None] * 3
            continue
        said = when.strftime("%A"), when.strftime("%B"), float(when.hour)
        assert (str(record["when.weekday"]), str(record["when.month"]), record["when.hour"]) == said


@pytest.mark.parametrize("learner", LEARNERS)
def test_later_records_are_decided_by_their_parts(learner, frame, tmp_path):
    """A model reads new dates as parts, by itself and from its file, also of records with the parts themselves."""
    X, y = frame.drop("y"), frame["y"]
    model = learner(parts=["when"], warn=False).fit(X, y)
    assert model.score(X, y) > 0.95
    assert list(model.feature_names_in_) == ["when", "size"]
    later = [{"when": MARCH.replace(day=day, hour=hour), "size": 3} for day in range(1, 15) for hour in (3, 12)]
    wanted = ["quiet" if one["when"].weekday() > 4 or one["when"].hour < 7 else "busy" for one in later]
    assert np.mean(model.predict(later) == wanted) > 0.95
    parts = [
        {"when.weekday": f"{one['when']:%A}", "when.month": "March", "when.hour": one["when"].hour, "size": 3}
        for one in later
    ]
    model.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert again.predict(later).tolist() == model.predict(parts).tolist() == model.predict(later).tolist()
    assert again.predict([{**one, "when": str(one["when"])} for one in later]).tolist() == model.predict(later).tolist()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_streams_and_blocks(frame, tmp_path, ending):
    """Files in blocks give the same model as in memory, and streams the same labels, in any format of dates."""
    path, form = tmp_path / f"t.{ending}", "%d/%m/%Y %H:%M"
    dates = {"when": form} if ending == "csv" else None
    written = frame.with_columns(pl.col("when").dt.strftime(form)) if ending == "csv" else frame
    {"csv": written.write_csv, "jsonl": written.write_ndjson, "parquet": written.write_parquet}[ending](path)
    table = read_table(path, "y", parts=["when"], dates=dates)
    model = UnlessClassifier(warn=False).fit(table)
    whole = predict(model.program_, read_table(path, like=model)).tolist()
    found = predict_file(model, path, tmp_path / "out.csv", block=3000)
    assert pl.read_csv(tmp_path / "out.csv")["predicted"].to_list() == whole
    assert found.accuracy > 0.95
    assert not found.unseen
    from tests.blocks.sources import make_blocks
    from unless.blocks.sources import FileStream

    with make_blocks(FileStream(path), target="y", parts=["when"], dates=dates) as blocks:
        assert blocks.schema == table.schema
        assert UnlessClassifier(warn=False).fit(blocks).program_ == model.program_


def test_explanations_and_exports_name_the_parts(frame):
    """Sentences say Saturday; what would change a decision is said in parts; exported functions take the parts."""
    model = UnlessClassifier(parts=["when"], warn=False).fit(frame.drop("y"), frame["y"])
    saturday = {"when": "2031-03-01 12:00", "size": 3}
    assert "when.weekday is Saturday" in model.explain(saturday).story()
    assert "Friday" in str(why_not(model, saturday, "busy"))
    assert any("when.weekday at most Friday" in one.text() for one in model.counterfactuals(saturday))
    names: dict = {}
    exec(to_python(model), names)
    assert names["classify"]({"when.weekday": "Saturday", "when.month": "March", "when.hour": 12, "size": 3}) == "quiet"
    assert '"when.weekday"' in to_sql(model)


def test_dates_without_times_have_no_hour():
    """An hour that is 0 everywhere says nothing."""
    records = [{"when": f"2022-05-{1 + k % 28:02}", "y": k % 2} for k in range(56)]
    assert read_table(records, "y", parts=["when"]).features == ("when.weekday", "when.month")


def test_what_is_no_date_is_refused(frame, tmp_path):
    """A column that is absent or has no dates, one that is there twice, tables, and a file without its parts."""
    X, y = frame.drop("y"), frame["y"]
    with pytest.raises(UnknownNameError, match="no column 'whem'; did you mean 'when'"):
        UnlessClassifier(parts=["whem"]).fit(X, y)
    with pytest.raises(ReadError, match="no cell of 'city' is a date"):
        read_table([{"city": "Oslo", "y": "a"}, {"city": "Rome", "y": "b"}], "y", parts=["city"])
    with pytest.raises(ReadError, match=r"'when\.hour' appears twice"):
        read_table(X.with_columns(pl.lit(1).alias("when.hour")), parts=["when"])
    with pytest.raises(ParameterError, match="pass parts to read_table"):
        UnlessClassifier(parts=["when"]).fit(read_table(frame, "y"))
    model = UnlessClassifier(parts=["when"], warn=False).fit(X, y)
    with pytest.raises(UnknownNameError, match=r"X lacks .*'when\.weekday'"):
        model.predict(X.drop("when"))
    model.save(tmp_path / "m.json")
    node = json.loads((tmp_path / "m.json").read_text())
    for parts in ([["size", None]], [["when", 3]], [["other", None]], [["when", None], ["when", None]]):
        node["columns"]["parts"] = parts
        (tmp_path / "bad.json").write_text(json.dumps(node))
        with pytest.raises(ProgramError, match=r"columns\.parts"):
            load(tmp_path / "bad.json")


@pytest.mark.parametrize("learner", [UnlessClassifier, FoldRMClassifier, UnlessCommittee])
def test_fit_warns_of_conditions_that_no_later_date_meets(learner):
    """A rule about dates up to a day of training decides no later record, and one after it every one."""
    rng = np.random.default_rng(2)
    days = [START + timedelta(days=int(day)) for day in rng.integers(0, 300, 400)]
    y = ["old" if day < START + timedelta(days=120) else "new" for day in days]
    X = pl.DataFrame({"when": days, "size": rng.integers(1, 9, 400)})
    with pytest.warns(
        TrainingWarning, match=r"when is a date, and .* that (no|every) later date meets \(.*2022-0"
    ) as told:
        learner(**({} if learner is not UnlessCommittee else {"size": 5})).fit(X, y)
    remark = next(one for one in told[0].message.remarks if one.code == "past-dates")
    assert remark.column == "when"
    assert "parts=['when']" in str(told[0].message)


def test_the_command_takes_parts(frame, tmp_path):
    """`fit --parts` says what it advises, and predict reads the dates of new files."""
    path = tmp_path / "t.csv"
    frame.with_columns(pl.col("when").dt.strftime("%d/%m/%Y %H:%M")).write_csv(path)
    absolute = ["when", "size"]
    marks = ["old" if one is not None and one < START + timedelta(days=120) else "new" for one in frame["when"]]
    frame.with_columns(y=pl.Series(marks)).select(*absolute, "y").write_csv(tmp_path / "old.csv")
    done = called("fit", tmp_path / "old.csv", "-t", "y")
    assert "no later date meets" in done.stdout + done.stderr or "every later date meets" in done.stdout + done.stderr
    assert "--parts when" in done.stdout + done.stderr
    for more in ((), ("--blocks", tmp_path / "kept")):
        done = called(
            "fit", path, "-t", "y", "--date", "when=%d/%m/%Y %H:%M", "--parts", "when", "-o", tmp_path / "m.json", *more
        )
        assert done.returncode == 0, done.stderr
        assert re.search("when.weekday [>≤] Friday", done.stdout)
        out = tmp_path / f"out{len(more)}.csv"
        done = called("predict", tmp_path / "m.json", path, "-o", out)
        assert done.returncode == 0, done.stderr
        assert (pl.read_csv(out)["predicted"] == frame["y"]).mean() > 0.95
    done = called("explain", tmp_path / "m.json", path, "--row", "2")
    assert "when.weekday" in done.stdout
