"""The comparison of accuracies runs, and measures what it says."""

from __future__ import annotations

import csv
import json
import os
import time
from pathlib import Path

import numpy as np
import pytest
from benchmarks import accuracy
from benchmarks.methods import METHODS, Outcome

from unless import read_table


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like the shared one, with one small dataset of two classes that goes by the name of heart."""
    random = np.random.default_rng(1)
    rows = [[f"{x:.2f}", "abc"[k % 3], "yes" if x > 0 else "no"] for k, x in enumerate(random.normal(size=100))]
    data = tmp_path / "data"
    data.mkdir()
    with (data / "small.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["x", "letter", "label"], *rows])
    entry = {"file": "small.csv", "label": "label", "features": ["x", "letter"], "numeric": ["x"]}
    entry["label_distribution"] = {"yes": 1, "no": 1}
    (data / "manifest.json").write_text(json.dumps({"heart": entry}))
    monkeypatch.setenv("UNLESS_SHARED", str(tmp_path))
    return tmp_path


def test_folds_are_a_partition(shared, monkeypatch):
    """Every record is predicted once, by a model that did not see it."""
    seen = []

    def method(train, test):
        rows = [tuple(table.record(row).values()) for table in (train, test) for row in range(len(table))]
        assert len(rows) == 100
        seen.extend(rows[len(train) :])
        return Outcome(test.target.codes, 0.0)

    monkeypatch.setitem(METHODS, "Unless", method)
    record = accuracy.cross_validate("heart", "Unless")
    assert record["accuracy"] == 1
    table = read_table(shared / "data" / "small.csv", "label", missing=())
    assert sorted(seen) == sorted(tuple(table.record(row).values()) for row in range(100))


@pytest.mark.parametrize("method", ["Unless", "FOLD-RM", "FOLD-R++", "DecisionTree"])
@pytest.mark.usefixtures("shared")
def test_methods_learn(method):
    """Each beats chance by far on what one threshold decides."""
    record = accuracy.cross_validate("heart", method)
    assert record["accuracy"] > 0.9
    assert record["rules"] >= 1
    assert record["proba"][0] < 0.5


def test_quality_of_probabilities():
    """Log-loss is of the true class; calibration is the gap between confidence and accuracy."""
    loss, gap = accuracy._quality(np.array([0, 1]), np.array([[0.5, 0.5], [0.5, 0.5]]))
    assert loss == pytest.approx(np.log(2))
    assert gap == pytest.approx(0)
    loss, gap = accuracy._quality(np.array([1, 1]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert loss == pytest.approx(-np.log(1e-6) / 2)
    assert gap == pytest.approx(0.5)


def test_a_job_has_its_own_process_and_a_limit():
    """It gives its figures, or why there are none."""
    assert accuracy._run(_quick, "heart", "Unless", 60) == {"accuracy": 1}
    assert accuracy._run(_broken, "heart", "Unless", 60) == {"failed": "RuntimeError: no | luck with heart"}
    assert accuracy._run(_gone, "heart", "Unless", 60) == {"failed": "its process ended"}
    assert accuracy._run(_slow, "heart", "Unless", 0.1) == {"failed": "not done in 0 s"}


def _quick(_name, _method):
    return {"accuracy": 1}


def _broken(name, _method):
    raise RuntimeError(f"no | luck with {name}")


def _gone(_name, _method):
    os._exit(1)


def _slow(_name, _method):
    time.sleep(60)


def test_the_page_is_written_from_the_cache(shared, monkeypatch):
    """What is kept is not measured again; a method that fails is said to."""
    options = ["--data", "heart", "--methods", "Unless", "FOLD-RM", "RIPPER", "--limit", "1"]
    options += ["--cache", str(shared / "cache"), "--output", str(shared / "page.md")]

    def run(work, name, method, _limit):
        return {"failed": "no | luck"} if method == "RIPPER" else work(name, method)

    monkeypatch.setattr(accuracy, "_run", run)
    first = accuracy.main(options)
    assert "| heart | " in first
    assert "| RIPPER | heart | no / luck |" in first
    kept = shared / "cache" / "heart.Unless.json"
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"accuracy": 0.12345}))
    assert "0.123" in accuracy.main(options)
    assert "0.123" not in accuracy.main([*options, "--again", "ours"])
    assert (shared / "page.md").read_text().startswith("# Accuracy")


def test_absent_datasets_are_said_to_be(tmp_path, monkeypatch):
    """Without the folder there is a page that says so."""
    monkeypatch.setenv("UNLESS_SHARED", str(tmp_path))
    assert "Not measured" in accuracy.main(["--cache", str(tmp_path), "--output", str(tmp_path / "page.md")])
