"""How commands read European and office files: one line says how, options overrule it."""

from __future__ import annotations

import openpyxl
import pytest

from tests.cli.command import called, unless

RECORDS = [(f"{place / 8}", "Köln" if place % 3 else "Bonn", "a" if place > 40 else "b") for place in range(80)]
ROWS = "".join(";".join(record).replace(".", ",") + "\n" for record in RECORDS)
SAID = "read as semicolon-separated, decimal comma, cp1252"


@pytest.fixture
def data(tmp_path):
    """A file as a German office writes it."""
    path = tmp_path / "daten.csv"
    path.write_bytes(f"größe;ort;y\n{ROWS}".encode("cp1252"))
    return path


@pytest.fixture
def model(tmp_path, data):
    """A model learned from it."""
    path = tmp_path / "model.json"
    assert called("fit", data, "--target", "y", "-o", path, "--quiet").returncode == 0
    return path


def test_every_command_says_how(tmp_path, data, model):
    """Each command that reads a table says in one line how it was read; --quiet does not."""
    for command in (
        ["inspect", data],
        ["fit", data, "--target", "y"],
        ["evaluate", data, "--target", "y", "--cv", "2", "-a", "fold-rm"],
        ["predict", model, data, "-o", tmp_path / "out.csv"],
        ["explain", model, data, "--row", "1"],
        ["report", model, data, "-o", tmp_path / "report.html"],
        ["export", model, "--to", "clingo", "--records", data],
        ["diff", model, model, data],
    ):
        done = called(*command)
        assert (done.returncode, done.stderr.splitlines().count(f"{data}: {SAID}")) == (0, 1), command
        assert SAID not in called(*command, "--quiet").stderr


def test_told(tmp_path, data, model):
    """What is told is not said, and every command takes it."""
    told = ["--delimiter", ";", "--decimal", ",", "--encoding", "cp1252"]
    predict = ["predict", model, data, "-o", tmp_path / "out.csv"]
    for command in (["inspect", data], predict, ["explain", model, data, "--row", "1"]):
        done = called(*command, *told)
        assert done.returncode == 0
        assert "read as" not in done.stderr
    done = called("fit", data, "--target", "y", "-o", model, *told)
    assert "--delimiter ';' --decimal , --encoding cp1252" in done.stderr


def test_doubts_say_which_option(tmp_path):
    """A doubtful guess is a warning that names the option to overrule it."""
    path = tmp_path / "d.csv"
    path.write_text("a;b\n1,234;x\n2,500;y\n")
    done = unless("inspect", path)
    assert done.stderr.count("warning") == 1
    assert "may be a thousand or a fraction; it stays text; to overrule: --decimal , or ." in done.stderr
    assert "warning" not in unless("inspect", path, "--decimal", ",").stderr


def test_standard_input(tmp_path, data, model):
    """A pipe is sniffed as a file is."""
    done = unless("predict", model, "-", "-o", tmp_path / "out.csv", input=data.read_bytes())
    assert f"standard input: {SAID}" in done.stderr


def test_sheets(tmp_path):
    """A sheet is named; of several, it is said which one was read; an unknown one is an error."""
    book = openpyxl.Workbook()
    book.active.title = "eins"
    book.active.append(["a"])
    book.create_sheet("zwei").append(["b"])
    book.save(tmp_path / "d.xlsx")
    assert "read the first sheet, 'eins'; 'zwei' has cells too" in called("inspect", tmp_path / "d.xlsx").stderr
    assert "read the first" not in called("inspect", tmp_path / "d.xlsx", "--sheet", "zwei").stderr
    wrong = called("inspect", tmp_path / "d.xlsx", "--sheet", "zwie")
    assert wrong.returncode == 1
    assert "no sheet 'zwie'; did you mean 'zwei'?" in wrong.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--sheet", "x"], "the sheet is for Excel files, and this one is CSV; leave it out"),
        (["--delimiter", ";;"], "a delimiter is one sign"),
        (["--encoding", "utf-7x"], "no encoding 'utf-7x'"),
        (["--decimal", "x"], "the decimal sign is '.' or ','"),
    ],
)
def test_wrong_options(data, options, words):
    """What makes no sense is refused."""
    done = called("inspect", data, *options)
    assert done.returncode == 1
    assert words in done.stderr


def test_export_needs_records(model):
    """Options about records need records."""
    done = called("export", model, "--to", "clingo", "--decimal", ",")
    assert done.returncode == 2
    assert "--decimal" in done.stderr
    assert "--records" in done.stderr
