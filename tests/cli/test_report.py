"""`unless report`: what it writes and says."""

from __future__ import annotations

import pytest

from tests.cli.command import called as run
from tests.cli.command import unless
from tests.report.examples import loans
from unless.demo.applicants import applicants_csv
from unless.export import json


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, a program, and applicants with and without decisions."""
    folder = tmp_path_factory.mktemp("report")
    model, _ = loans()
    model.save(folder / "model.json")
    json.save(model.program_, folder / "program.json")
    rows = applicants_csv(200).splitlines()
    (folder / "data.csv").write_text("\n".join(rows))
    (folder / "new.csv").write_text("\n".join(row.rpartition(",")[0] for row in rows))
    (folder / "other.csv").write_text("\n".join([rows[0].replace("decision", "outcome"), *rows[1:]]))
    return folder


def test_writes_a_page(folder):
    """The page is written, and a line on standard error says what is in it."""
    done = run(
        "report", "model.json", "data.csv", "-o", "page.html", "--title", "For the board", "--sample", "50", cwd=folder
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "page.html (" in done.stderr
    assert "200 records, 50 of them shown, accuracy 0." in done.stderr
    assert "For the board</h1>" in (folder / "page.html").read_text()


def test_pipes(folder):
    """Data from standard input, the page to standard output, nothing else said with --quiet; a program is enough."""
    data = (folder / "data.csv").read_text()
    done = unless("report", "program.json", "-", "-o", "-", "-q", input=data, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert done.stdout.rstrip().endswith("</html>")


def test_columns_that_rules_do_not_use(folder):
    """Identifiers of the file are in the page, so that people find a record by its name; also from a pipe."""
    run("report", "model.json", "data.csv", "-o", "page.html", cwd=folder)
    piped = unless("report", "model.json", "-", "-o", "-", "-q", input=(folder / "data.csv").read_text(), cwd=folder)
    for text in ((folder / "page.html").read_text(), piped.stdout):
        assert '"name":"applicant","shown":"applicant","identifier":true' in text


def test_words(folder):
    """Words of a file are those of the page; a mistake in the file is named, with a suggestion."""
    (folder / "words.toml").write_text(
        'purpose = "For <you>"\n[features.income]\nname = "pay"\nnumber = "{} €"\n[labels]\nrefuse = "no loan"\n'
    )
    done = run("report", "model.json", "data.csv", "-o", "page.html", "--words", "words.toml", cwd=folder)
    assert done.returncode == 0
    text = (folder / "page.html").read_text()
    assert "For &lt;you&gt;" in text
    assert '<bdi class="f">pay</bdi>' in text
    assert "<bdi>no loan</bdi>" in text
    (folder / "words.toml").write_text("[features.incom]\nname = 'pay'")
    done = run("report", "model.json", "data.csv", "--words", "words.toml", cwd=folder)
    assert done.returncode == 1
    assert "words.toml: [features.incom]: the model has no feature 'incom'; did you mean 'income'?" in done.stderr


def test_without_true_labels(folder):
    """Data without the target column gives a page that says so; another column of labels can be named."""
    done = run("report", "model.json", "new.csv", cwd=folder)
    assert done.returncode == 0
    assert "no true labels: column 'decision' is missing or incomplete" in done.stderr
    assert "no true labels" in (folder / "report.html").read_text()
    done = run("report", "model.json", "other.csv", "--target", "outcome", cwd=folder)
    assert "accuracy 0." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("model.json", "nothing.csv"), 1, "no file 'nothing.csv'"),
        (("model.json", "data.csv", "--target", "decison"), 1, "did you mean 'decision'?"),
        (("model.json", "data.csv", "--sample", "0"), 2, "--sample"),
        (("-", "-"), 1, "can be read only once"),
        (("model.json", "data.csv", "-o", "-", "--open"), 1, "--open needs a file"),
        (("model.json", "data.csv", "-o", "no/folder/page.html"), 1, "no folder"),
        (("data.csv", "data.csv"), 1, "is a table, not a model"),
    ],
)
def test_mistakes(folder, arguments, code, said):
    """A mistake is told in a line or two on standard error, with a remedy."""
    done = run("report", *arguments, cwd=folder)
    assert done.returncode == code
    assert said in done.stderr
    assert len(done.stderr.splitlines()) <= 2
    assert "Traceback" not in done.stderr


def test_a_page_among_parts(folder):
    """A page may be written beside the parts of a folder, but not under a name that makes it one of them."""
    (folder / "parts").mkdir()
    (folder / "parts" / "1.csv").write_text((folder / "data.csv").read_text())
    done = run("report", "model.json", "parts", "-o", "parts/2.csv", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "'parts/2.csv' would be a part of the folder that is read; write it elsewhere" in done.stderr
    assert run("report", "model.json", "parts", "-o", "parts/page.html", cwd=folder).returncode == 0
