"""`unless export`."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unless
from tests.cli.command import COMMAND, environment
from unless.export import json as programs
from unless.export import to_javascript, to_python, to_text
from unless.export.sql_dialects import UNTRIED
from unless.logic import from_clingo, to_clingo, to_prolog

pytestmark = pytest.mark.usefixtures("loans")


def test_output_is_exactly_the_program(run, model):
    """A pipe gets what the library writes, and nothing else."""
    program, table = model.program_, unless.read_table("new.csv", like=model, features=model.program_.used)
    texts = {
        ("clingo",): to_clingo(program),
        ("clingo", "--records", "new.csv"): to_clingo(program, table),
        ("prolog",): to_prolog(program),
        ("scasp",): to_prolog(program, dialect="scasp"),
        ("scasp", "--records", "new.csv"): to_prolog(program, table, "scasp"),
        ("prolog", "--dialect", "swi", "--records", "new.csv"): to_prolog(program, table, "swi"),
        ("python", "--name", "decide", "--returns", "both"): to_python(model, name="decide", what="both"),
        ("javascript",): to_javascript(model),
        ("json",): programs.dumps(program) + "\n",
        ("text",): to_text(program) + "\n",
        ("text", "--style", "exclusive"): to_text(program, "exclusive") + "\n",
    }
    for options, text in texts.items():
        done = run("export", "model.json", "--to", *options)
        assert (done.code, done.err, done.out) == (0, "", text), options


def test_clingo_is_read_back(run, model):
    """What is exported to clingo is the same program."""
    assert from_clingo(run("export", "model.json", "--to", "clingo").out) == model.program_


def test_sql_decides_alike(run, model):
    """The expression and the query give what `predict` gives, the rule's number and a reason."""
    duckdb = pytest.importorskip("duckdb")
    expression = run("export", "model.json", "--to", "sql").out
    query = run("export", "model.json", "--to", "sql", "--table", "people").out
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT * FROM read_csv('new.csv')")
    labels = unless.predict(model.program_, unless.read_table("new.csv", like=model)).tolist()
    assert [row[0] for row in connection.execute(f"SELECT {expression} FROM people").fetchall()] == labels
    found = connection.execute(query)
    assert [column[0] for column in found.description][-3:] == ["predicted", "rule", "because"]
    rows = found.fetchall()
    assert [row[-3] for row in rows] == labels
    assert rows[7][-2] == model.apply(unless.read_table("new.csv", like=model))[7] + 1
    assert rows[7][-1].startswith("decision review, because amount is 31000")


def test_probabilities(run, model):
    """A query has those of `predict_proba`, and so has a function; rules alone have none."""
    duckdb = pytest.importorskip("duckdb")
    query = run("export", "model.json", "--to", "sql", "--what", "probability", "--table", "people").out
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT * FROM read_csv('new.csv')")
    table = unless.read_table("new.csv", like=model)
    shares = model.predict_proba(table)
    rows = connection.execute(query).fetchall()
    assert np.array([row[-3:] for row in rows]) == pytest.approx(shares, abs=1e-9)
    names: dict = {}
    exec(run("export", "model.json", "--to", "python", "--returns", "probability").out, names)
    assert list(names["classify"](table.record(0)).values()) == pytest.approx(shares[0], abs=1e-9)
    done = run("export", "model.json", "--to", "sql", "--what", "probability")
    assert "--table" in done.err
    programs.save(model.program_, "rules.json")
    done = run("export", "rules.json", "--to", "python", "--returns", "probability")
    assert (done.code, done.out) == (1, "")
    assert "pass the model" in done.err


def test_a_query_spells_the_table_as_it_is_given(run):
    """A plain name stays plain, what is quoted or could not stand bare is quoted; one column can be asked for."""
    export = ["export", "model.json", "--to", "sql", "--what", "rule", "--table"]
    endings = {"Loans.people": "FROM Loans.people;", '"My t"': 'FROM "My t";', "my t": 'FROM "my t";'}
    for table, ending in endings.items():
        text = run(*export, table).out
        assert text.splitlines()[-1] == ending
        assert text.count("END AS ") == 1
    done = run(*export, "a.'b")
    assert (done.code, done.out) == (1, "")
    assert "is not the name of a table" in done.err


def test_new_columns_have_names_of_their_own(run, tmp_path):
    """A query does not give two columns one name."""
    pytest.importorskip("sqlglot")
    rule = unless.Rule("a", (unless.Literal("Rule", "<=", 3),))
    programs.save(unless.Program("predicted", ("Rule",), (rule,)), tmp_path / "p.json")
    text = run("export", tmp_path / "p.json", "--to", "sql", "--table", "t").out
    assert "AS predicted_2" in text
    assert "AS rule_2" in text


def test_dialects_and_kinds_of_columns(run):
    """SQL has dialects, and kinds of columns where a model does not know them."""
    assert "`amount`" in run("export", "model.json", "--to", "sql", "--dialect", "mysql").out
    mixed = run("export", "model.json", "--to", "sql", "--column", "amount=mixed").out
    assert mixed != run("export", "model.json", "--to", "sql").out
    done = run("export", "model.json", "--to", "sql", "--column", "amout=mixed")
    assert "did you mean 'amount'" in done.err
    done = run("export", "model.json", "--to", "sql", "--dialect", "postgresql")
    assert (done.code, done.err.splitlines()[0]) == (
        2,
        "unless: invalid value for --dialect: no dialect 'postgresql'; did you mean 'postgres'?",
    )


@pytest.mark.parametrize(
    ("to", "option", "owners"),
    [
        ("python", ("--dialect", "swi"), "prolog and sql"),
        ("sql", ("--style", "paper"), "text"),
        ("json", ("--name", "f"), "python and javascript"),
        ("text", ("--records", "new.csv"), "clingo, prolog and scasp"),
    ],
)
def test_an_option_of_another_language(run, to, option, owners):
    """An option that the language does not have is refused with those that have it."""
    done = run("export", "model.json", "--to", to, *option)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"unless: invalid value for {option[0]}: it is for {owners}, not for {to}")


def test_to_a_file(run, model):
    """With -o the program is written to the file, and a note says so; - is standard output."""
    done = run("export", "model.json", "--to", "python", "-o", "rules.py")
    assert (done.code, done.out, done.err) == (0, "", "wrote rules.py\n")
    assert Path("rules.py").read_text() == to_python(model)
    assert run("export", "model.json", "--to", "python", "-o", "-").out == to_python(model)


def test_a_language_without_its_library(run, monkeypatch):
    """Without sqlglot it says what to install."""
    for name in ("unless.export.sql", "unless.export.sql_query", "unless.export.sql_dialects"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    done = run("export", "model.json", "--to", "sql")
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("pip install 'unless[sql]'\n")


HOSTILE = "\x1b[2J[bold]é\u202e"


@pytest.fixture
def hostile(tmp_path):
    """A program whose names and values would do something to a terminal."""
    rule = unless.Rule("a", (unless.Literal(HOSTILE, "==", HOSTILE),))
    programs.save(unless.Program("y", (HOSTILE,), (rule,)), tmp_path / "hostile.json")
    return tmp_path / "hostile.json"


def test_a_pipe_gets_utf8_whatever_the_locale(tmp_path):
    """A program is the same in a locale that has no such letters."""
    path = tmp_path / "letters.json"
    programs.save(unless.Program("y", ("[bold]é",), (unless.Rule("a", (unless.Literal("[bold]é", "present"),)),)), path)
    outputs = [
        subprocess.run(
            [*COMMAND, "export", path, "--to", "sql"],
            capture_output=True,
            check=True,
            env=environment({"PYTHONIOENCODING": encoding, "LC_ALL": "C"}),
        ).stdout
        for encoding in ("ascii", "utf-8")
    ]
    assert outputs[0] == outputs[1]
    assert '"[bold]é"' in outputs[0].decode()


def test_a_terminal_is_not_moved(hostile):
    """For a terminal, what would move its cursor is escaped."""
    ours, theirs = pty.openpty()
    subprocess.run([*COMMAND, "export", hostile, "--to", "sql"], stdout=theirs, check=True, env=environment())
    os.close(theirs)
    seen = b""
    while chunk := _read(ours):
        seen += chunk
    assert b"\x1b" not in seen
    assert "\\x1b[2J[bold]é\\u202e" in seen.decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how a terminal ends
        return b""


def test_both_from_standard_input(run):
    """Model and records cannot both be standard input."""
    done = run("export", "-", "--to", "clingo", "--records", "-")
    assert (done.code, "can be read only once" in done.err) == (1, True)


def test_json_is_a_program(run, model):
    """The JSON is the rules alone, without what the model knows of its training."""
    document = json.loads(run("export", "model.json", "--to", "json").out)
    assert "statistics" not in document
    assert programs.from_dict(document) == model.program_


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "tsql"])
def test_sql_that_was_never_run_says_so(run, dialect):
    """The first line of SQL for a database that no test runs is a comment about that; others have none."""
    assert set(UNTRIED) == {"bigquery", "snowflake", "tsql"}
    assert run("export", "model.json", "--to", "sql", "--dialect", dialect).out.startswith("-- Written from the manual")
    for other in ("duckdb", "mysql"):
        assert "--" not in run("export", "model.json", "--to", "sql", "--dialect", other).out


CONTROLS = re.compile(r"[^\n\t -~\xa0-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("to", ["clingo", "prolog", "scasp", "sql", "python", "javascript", "json", "rules", "text"])
def test_a_pipe_gets_no_control_characters(run, to):
    """What names and values would do to a terminal is escaped, also in a pipe; the program stays the same."""
    escape = "\x1b[31m\x9b\u202e\r\x07"
    name = "a" if to == "sql" else f"a{escape}"
    rule = unless.Rule(f"yes{escape}", (unless.Literal(name, "==", f"v{escape}"), unless.Literal(name, "!=", "\n\t")))
    target = f"y{escape}" if to != "sql" else "y"
    programs.save(unless.Program(target, (name,), (rule,), f"no{escape}"), "p.json")
    done = run("export", "p.json", "--to", to)
    assert (done.code, done.err) == (0, "")
    assert not CONTROLS.search(done.out)
    if to in ("clingo", "json", "rules"):
        read_back = {"clingo": from_clingo, "json": programs.loads, "rules": unless.parse}[to]
        assert read_back(done.out) == programs.load("p.json")


def test_names_with_control_characters_are_not_piped_as_sql(run):
    """SQL has no escapes in names: a file gets them as they are, a pipe gets an error that says so."""
    rule = unless.Rule("yes", (unless.Literal("a\x1b[31m", "==", "v"),))
    programs.save(unless.Program("y", ("a\x1b[31m",), (rule,), "no"), "p.json")
    done = run("export", "p.json", "--to", "sql")
    assert (done.code, done.out) == (1, "")
    assert "a name has the control character '\\x1b', which SQL has no escape for" in done.err
    assert "\x1b" not in done.err
    assert run("export", "p.json", "--to", "sql", "-o", "p.sql").code == 0
    assert '"a\x1b[31m"' in Path("p.sql").read_text()
