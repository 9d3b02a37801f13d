"""`unless reasons`, and the reasons and the log of `unless predict`."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import unless
from unless.errors import OverwriteError, ParameterError
from unless.explanation import reasons, reasons_template
from unless.export.fingerprint import fingerprint
from unless.storage.shared_log import append_lines
from unless.stream import LogOptions, log_decisions, predict_file

pytestmark = pytest.mark.usefixtures("loans")


@pytest.fixture
def codes(model) -> Path:
    """A wording for every reason of the model."""
    text = reasons_template(model)
    for number in range(text.count('text = ""')):
        text = text.replace('text = ""', f'text = "=Text {number}, “{number}” <b>"', 1)
    Path("reasons.toml").write_text(text, encoding="utf-8")
    return Path("reasons.toml")


def rows_of(path) -> list[dict[str, str]]:
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lines_of(path) -> list[dict]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_a_template_is_filled_in_and_checked(run, codes):
    """The template is refused while texts are empty; filled in, every reason has a code and a text."""
    assert run("reasons", "model.json", "--template", "-o", "new.toml").code == 0
    done = run("reasons", "model.json", "--codes", "new.toml")
    assert done.code == 1
    assert "an empty code or text" in done.err
    done = run("reasons", "model.json", "--codes", codes)
    assert done.code == 0
    assert "R01" in done.out


def test_the_check_names_what_has_no_wording(run, codes):
    """The exit code is 1, and the missing reasons are listed with their rules."""
    lines = codes.read_text(encoding="utf-8").splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("low ="))
    codes.write_text("\n".join(lines[:place] + lines[place + 1 :]), encoding="utf-8")
    done = run("reasons", "model.json", "--codes", codes)
    assert done.code == 1
    assert "1 reason without a code and a text:" in done.out
    assert " is low (" in done.out
    found = json.loads(run("reasons", "model.json", "--codes", codes, "--json").out)
    assert len(found["unworded"]) == 1
    for command in (("predict", "model.json", "new.csv", "-o", "out.csv"), ("reasons", "model.json", "new.csv")):
        done = run(*command, "--codes", codes)
        assert done.code == 1
        assert "no wording for " in done.err
    assert not Path("out.csv").exists()


def test_counts_are_those_of_the_library(run, model):
    """With data, each label has a table of its codes."""
    known = reasons(model, unless.read_table("new.csv", like=model))
    found = json.loads(run("reasons", "model.json", "new.csv", "--json").out)
    assert found["counts"] == known.to_dict()["counts"]
    assert found["records"] == 40
    shown = run("reasons", "model.json", "new.csv").out
    assert all(str(one["records"]) in shown and one["code"] in shown for one in found["counts"])


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_predict_adds_codes_and_texts(run, model, codes, ending):
    """Every format has the columns, with the reasons that Python gives."""
    done = run("predict", "model.json", "new.csv", "--codes", codes, "--most", 3, "-o", f"out.{ending}")
    assert done.code == 0
    known = model.reasons(unless.read_table("new.csv", like=model), codes, most=3)
    columns = ["reason_1", "reason_2", "reason_3", "reason_1_text", "reason_2_text", "reason_3_text"]
    if ending == "csv":
        found = rows_of("out.csv")
    elif ending == "jsonl":
        found = lines_of("out.jsonl")
    else:
        import polars as pl

        found = pl.read_parquet("out.parquet").to_dicts()
    assert list(found[0])[-6:] == columns
    for row, own in zip(found, known, strict=True):
        assert [row[name] for name in columns[:3] if row[name]] == [one.code for one in own]
        assert [row[name] for name in columns[3:] if row[name]] == [one.text for one in own]


def test_blocks_and_parts_do_not_matter(model):
    """Small blocks, and several processes for parts, give the same columns as one block."""
    predict_file(model, "new.csv", "whole.csv", reasons=True)
    predict_file(model, "new.csv", "blocks.csv", reasons=True, block=200)
    assert Path("whole.csv").read_bytes() == Path("blocks.csv").read_bytes()
    Path("parts").mkdir()
    for name in ("a.csv", "b.csv"):
        Path("parts", name).write_bytes(Path("new.csv").read_bytes())
    predict_file(model, "parts", "out/", reasons=True, log="log.jsonl", n_jobs=2)
    assert Path("out/a.csv").read_bytes() == Path("whole.csv").read_bytes()
    found = {(one["data"], one["record"]) for one in lines_of("log.jsonl")}
    assert found == {(f"parts/{name}.csv", number) for name in "ab" for number in range(1, 41)}


def test_the_log_has_a_line_for_each_decision(run, model, codes):
    """Time, fingerprint, record, label, rule, probability and codes; appended, and values only if asked for."""
    before = datetime.now(UTC)
    command = ("predict", "model.json", "new.csv", "--codes", codes, "--log", "log.jsonl", "-o", "out.csv")
    assert run(*command).code == 0
    found, rows = lines_of("log.jsonl"), rows_of("out.csv")
    assert len(found) == len(rows) == 40
    for number, (line, row) in enumerate(zip(found, rows, strict=True), 1):
        assert list(line) == ["time", "model", "data", "record", "label", "rule", "probability", "reasons"]
        assert datetime.fromisoformat(line["time"]) >= before.replace(microsecond=0)
        assert line["time"].endswith("Z")
        assert (line["model"], line["data"]) == (fingerprint(model.program_), "new.csv")
        assert (line["record"], line["label"], str(line["rule"])) == (number, row["predicted"], row["rule"])
        assert line["probability"] == float(row["probability"])
        assert line["reasons"] == [row[f"reason_{place}"] for place in range(1, 5) if row[f"reason_{place}"]]
    assert run(*command, "--log-key", "income", "--log-values").code == 0
    found = lines_of("log.jsonl")
    assert len(found) == 80
    assert found[40]["key"] == rows[0]["income"]
    record = unless.read_table("new.csv", like=model).record(0)
    assert found[40]["values"] == {name: record[name] for name in model.program_.used}


def test_the_log_may_come_without_columns(run):
    """--log alone leaves the output as it is, and logs the reasons all the same."""
    run("predict", "model.json", "new.csv", "-o", "plain.csv")
    run("predict", "model.json", "new.csv", "--log", "log.jsonl", "-o", "logged.csv")
    assert Path("plain.csv").read_bytes() == Path("logged.csv").read_bytes()
    assert all(line["reasons"] for line in lines_of("log.jsonl"))


def test_records_in_memory_are_logged(model):
    """`log_decisions` returns what it logs; keys identify records."""
    table = unless.read_table("new.csv", like=model)[:3]
    found = log_decisions(model, table, "log.jsonl", keys=["a", 2, None])
    assert [one["label"] for one in found] == model.predict(table).tolist()
    assert [[line["key"], line["record"]] for line in lines_of("log.jsonl")] == [["a", 1], ["2", 2], [None, 3]]
    assert [line["reasons"] for line in lines_of("log.jsonl")] == [one["reasons"] for one in found]
    with pytest.raises(ParameterError, match="3 records, but 1 keys"):
        log_decisions(model, table, "log.jsonl", keys=["a"])


def test_probabilities_of_other_features_are_logged(tmp_path):
    """Where the score card has points for features that no rule tests, they are read, too."""
    rng = np.random.default_rng(0)
    X = [{"income": float(income), "age": float(age)} for income, age in rng.integers(0, 100, (600, 2))]
    y = ["bad" if row["income"] < 30 or rng.random() < row["age"] / 300 else "good" for row in X]
    model = unless.UnlessClassifier(probabilities="all", warn=False).fit(X, y)
    assert set(model.program_.used) < {"income", "age"}
    found = log_decisions(model, X[:3], tmp_path / "log.jsonl")
    shares = model.predict_proba(X[:3]).max(axis=1)
    assert [one["probability"] for one in found] == [round(float(share), 6) for share in shares]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--log", "new.csv"), "'new.csv' is read, so it is not written to"),
        (("--log", "model.json"), "'model.json' is read, so it is not written to"),
        (("--log", "reasons.toml", "--codes", "reasons.toml"), "'reasons.toml' is read"),
        (("--log", "out.csv"), "'out.csv' is the output"),
        (("--log", "-"), "a log is a file"),
        (("--log", "no/log.jsonl"), "no folder"),
        (("--log", "/dev/null"), "is not a file"),
        (("--log", "words.txt"), "does not end with a line break"),
        (("--log", "log.jsonl", "--log-key", "incom"), "has no column 'incom' to identify records; did you mean"),
        (("--log-values",), "it needs --log"),
        (("--most", "2"), "it needs --reasons"),
        (("--codes", "model.json"), "model.json: not TOML: "),
    ],
)
def test_mistakes_are_named(run, codes, words, said):  # noqa: ARG001 - the file is there
    """Nothing is written over, and an error says what is wrong."""
    Path("words.txt").write_text("some words")
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    done = run("predict", "model.json", "new.csv", "-o", "out.csv", *words)
    assert done.code in {1, 2}
    assert said in done.err
    assert not Path("out.csv").exists()
    assert {path: path.read_bytes() for path in before} == before


def test_options_of_the_command_that_do_not_fit(run):
    """A template takes no data, and only a template has an output."""
    assert "it is for --template" in run("reasons", "model.json", "-o", "x").err
    assert "it takes no DATA" in run("reasons", "model.json", "new.csv", "--template").err
    assert "it needs DATA" in run("reasons", "model.json", "--most", "2").err
    assert run("reasons", "model.json", "--template", "-o", "model.json").code == 2


_APPEND = """
import sys
from unless.storage.shared_log import append_lines
for number in range(60):
    name = sys.argv[1].encode()
    lines = b"".join(b'{"time":"%s %d %d %s"}\\n' % (name, number, row, b"x" * 3000) for row in range(5))
    append_lines("log.jsonl", lines, b'{"time":"')
"""


def test_two_writers_do_not_mix_lines():
    """Two processes append at once: every line is whole, and the lines of each call are together."""
    started = [subprocess.Popen([sys.executable, "-c", _APPEND, name]) for name in "ab"]
    assert [one.wait() for one in started] == [0, 0]
    found = [line["time"].split(" ")[:3] for line in lines_of("log.jsonl")]
    assert len(found) == 600
    calls = [found[place : place + 5] for place in range(0, 600, 5)]
    assert all([*one] == [[one[0][0], one[0][1], str(row)] for row in range(5)] for one in calls)


def test_an_incomplete_line_is_removed(model):
    """A killed process leaves a part of a line, which the next one removes; other files are refused."""
    table = unless.read_table("new.csv", like=model)[:2]
    log_decisions(model, table, "log.jsonl")
    whole = Path("log.jsonl").read_bytes()
    for torn in (whole[:-20], whole + b'{"ti', whole + whole[:50]):
        Path("log.jsonl").write_bytes(torn)
        log_decisions(model, table, "log.jsonl")
        found = lines_of("log.jsonl")
        assert len(found) == (3 if torn == whole[:-20] else 4)


def test_a_failed_write_leaves_the_log_as_it_was(monkeypatch):
    """If the disk is full, or the user interrupts, no part of a line stays."""
    append_lines("log.jsonl", b'{"time":"1"}\n', b'{"time":"')
    before = Path("log.jsonl").read_bytes()
    write = os.write

    for failure in (OSError(28, "No space left on device"), KeyboardInterrupt()):

        def half(descriptor, data, failure=failure, done=[]):  # noqa: B006 - a new list for each function
            if done:
                raise failure
            done.append(write(descriptor, data[: len(data) // 2]))
            return done[0]

        with monkeypatch.context() as patched:
            patched.setattr("os.write", half)
            with pytest.raises(type(failure)):
                append_lines("log.jsonl", b'{"time":"2"}\n' * 9, b'{"time":"')
        assert Path("log.jsonl").read_bytes() == before


def test_a_log_is_never_an_input(model):
    """Also from Python, and through a link."""
    Path("link.jsonl").symlink_to("new.csv")
    with pytest.raises(OverwriteError, match="which is read"):
        predict_file(model, "new.csv", "out.csv", log=LogOptions("link.jsonl"))
    with pytest.raises(OverwriteError, match="is the output"):
        predict_file(model, "new.csv", "out.csv", log="./out.csv")


def test_explain_shows_the_reasons_of_a_record(run, model, codes):
    """--reasons and --codes add codes and texts, also as JSON."""
    known = model.reasons(unless.read_table("new.csv", like=model), codes)[7]
    shown = run("explain", "model.json", "new.csv", "--row", "8", "--codes", codes).out
    assert all(f"  {one}\n" in shown for one in known)
    found = json.loads(run("explain", "model.json", "new.csv", "--row", "8", "--codes", codes, "--json").out)
    assert found["records"][0]["reasons"] == [{"code": one.code, "text": one.text} for one in known]
    assert (
        "reasons" not in json.loads(run("explain", "model.json", "new.csv", "--row", "8", "--json").out)["records"][0]
    )
    assert "reasons:" in run("explain", "model.json", "--set", "history=late", "--reasons").out


def test_export_writes_reasons(run, codes):
    """The wording of the file is in the query and in the function."""
    done = run("export", "model.json", "--to", "sql", "--table", "new", "--what", "reasons", "--codes", codes)
    assert done.code == 0
    assert "'R01'" in done.out
    assert "AS reason_4_text" in done.out
    done = run("export", "model.json", "--to", "python", "--returns", "reasons", "--codes", codes, "--most", 2)
    assert "found[:2]" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--to", "onnx", "--codes", "reasons.toml", "-o", "x.onnx"),
            "it is for sql, python and javascript, not for onnx",
        ),
        (("--to", "sql", "--codes", "reasons.toml"), "it needs --what reasons"),
        (("--to", "python", "--most", "2"), "it needs --returns reasons"),
        (("--to", "sql", "--what", "reasons"), "in the shell --table NAME"),
    ],
)
def test_export_refuses_reasons_where_there_are_none(run, codes, words, said):  # noqa: ARG001 - the file is there
    """A language without reasons, or another result, says so."""
    done = run("export", "model.json", *words)
    assert done.code in {1, 2}
    assert said in done.err


def test_a_committee(run):
    """The reasons of a committee are shown, checked, added to predictions, and explained."""
    table = unless.read_table("applicants.csv", "decision")
    unless.UnlessCommittee(size=4, random_state=0, warn=False).fit(table).save("committee.json")
    assert "lists 1" in run("reasons", "committee.json").out
    committee = unless.load("committee.json")
    known = committee.reasons(unless.read_table("new.csv", like=committee))
    run("predict", "committee.json", "new.csv", "--reasons", "--log", "log.jsonl", "-o", "out.csv")
    codes = [[row[f"reason_{place}"] for place in range(1, 5) if row[f"reason_{place}"]] for row in rows_of("out.csv")]
    assert codes == [[one.code for one in own] for own in known] == [line["reasons"] for line in lines_of("log.jsonl")]
    shown = run("explain", "committee.json", "new.csv", "--row", "2", "--reasons").out
    assert "reasons:\n" + "".join(f"  {one}\n" for one in known[1]) in shown
    done = run("export", "committee.json", "--to", "sql", "--table", "new", "--what", "reasons")
    assert "no single rule decides" in done.err


def test_the_page_has_the_wording(run, codes):
    """--codes adds the section, with texts escaped."""
    assert run("report", "model.json", "new.csv", "--codes", codes, "-o", "page.html").code == 0
    page = Path("page.html").read_text()
    assert 'id="reasons"' in page
    assert "=Text 0, “0” &lt;b&gt;" in page
    assert run("report", "model.json", "new.csv", "-o", "plain.html").code == 0
    assert 'id="reasons"' not in Path("plain.html").read_text()
