"""`unless evaluate` puts the learners side by side, on records that they have not seen."""

from __future__ import annotations

import json

import pytest

import unless.evaluation.validation
from tests.cli.command import called
from unless.demo.applicants import applicants_csv


def evaluate(data, *more):
    return called("evaluate", data, "--target", "decision", *more)


def test_table(applicants):
    """Measures in rows, learners in columns, the baseline first; what does not apply is said."""
    done = evaluate(applicants, "--cv", 3)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].endswith("900 records, 7 features; left out: applicant (unique)")
    assert lines[1] == "3 folds, seed 0: mean ± standard deviation"
    assert lines[3].split() == ["most", "frequent", "unless", "fold-rm", "committee"]
    assert [line.split()[0] for line in lines[4:10]] == ["accuracy", "precision", "recall", "F1", "rules", "time"]
    assert (lines[10], lines[11].split()[:2]) == ("", ["rules", "accuracy"])
    assert all("●" in line for line in lines[12:])
    assert lines[4].split()[1] == "0.582"
    assert done.stderr == "fold-rpp is left out: it needs two labels, and 'decision' has 3.\n"


def test_two_labels(tmp_path):
    """With two labels all learners apply."""
    path = tmp_path / "binary.csv"
    path.write_text(applicants_csv().replace(",review\n", ",accept\n"))
    done = evaluate(path, "--cv", 2, "-q")
    assert done.stdout.splitlines()[0].split() == ["most", "frequent", "unless", "fold-rm", "fold-rpp", "committee"]
    assert done.stderr == ""


def test_json(applicants):
    """Means, deviations and every fold, as JSON."""
    found = json.loads(evaluate(applicants, "--cv", 3, "-a", "unless", "--json").stdout)
    assert (found["folds"], found["asked_folds"], found["complete"]) == (3, 3, True)
    usual, ours = found["algorithms"]
    assert (usual["algorithm"], ours["algorithm"]) == ("most frequent", "unless")
    assert ours["accuracy"]["mean"] == pytest.approx(sum(fold["accuracy"] for fold in ours["folds"]) / 3)
    assert ours["accuracy"]["mean"] > 0.9 > usual["accuracy"]["mean"]
    assert set(ours) == {
        "algorithm", "accuracy", "precision", "recall", "f1", "rules", "seconds", "undecided", "folds",
    }  # fmt: skip


def test_same_seed(applicants):
    """The same seed gives the same folds."""
    first, again, other = (
        json.loads(evaluate(applicants, "--cv", 3, "-a", "unless", "--seed", seed, "--json").stdout)["algorithms"][1]
        for seed in (4, 4, 5)
    )
    assert first["accuracy"] == again["accuracy"] != other["accuracy"]


def test_test_file(applicants, tmp_path):
    """With --test all of the data is learned from, and other records are tested on."""
    header, *rows = applicants.read_text().splitlines()
    for name, part in (("train.csv", rows[:600]), ("test.csv", rows[600:])):
        (tmp_path / name).write_text("\n".join([header, *part]) + "\n")
    done = evaluate(tmp_path / "train.csv", "--test", tmp_path / "test.csv")
    lines = done.stdout.splitlines()
    assert lines[1].startswith("tested on 300 records of ")
    assert "±" not in done.stdout
    (tmp_path / "test.csv").write_text("age,income\n1,2\n")
    done = evaluate(tmp_path / "train.csv", "--test", tmp_path / "test.csv")
    assert (done.returncode, "has no column 'decision'" in done.stderr) == (1, True)


def test_interrupted(applicants, monkeypatch):
    """Ctrl-C shows the folds that are done, says so, and ends with 130; before the first fold there is nothing."""
    runs = unless.evaluation.validation.run_learners

    def stopping(after):
        def stopped(*arguments):
            for number, run in enumerate(runs(*arguments)):
                if number == after:
                    raise KeyboardInterrupt
                yield run

        monkeypatch.setattr("unless.cli.evaluate.run_learners", stopped)

    stopping(8)
    done = evaluate(applicants, "--cv", 5)
    assert done.returncode == 130
    assert done.stdout.splitlines()[1].startswith("interrupted: the 2 folds done so far")
    found = json.loads(evaluate(applicants, "--cv", 5, "--json").stdout)
    assert (found["complete"], found["folds"], found["asked_folds"]) == (False, 2, 5)
    stopping(2)
    done = evaluate(applicants, "--cv", 5)
    assert (done.returncode, done.stdout) == (130, "")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("-a", "fold-rpp"), 1, "fold-rpp needs two labels, but 'decision' has 3; leave it out"),
        (("--cv", "1000"), 1, "2 to 900 folds"),
        (("--cv", "1"), 2, "--cv"),
        (("--cv", "3", "--test", "x.csv"), 2, "leave out --cv"),
        (("-a", "fold"), 2, "fold-rm"),
        (("--test", "nowhere.csv"), 1, "no file 'nowhere.csv'"),
    ],
)
def test_failures(applicants, options, code, message):
    """Wrong usage is 2, what cannot be done 1; both say why."""
    done = evaluate(applicants, *options)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
