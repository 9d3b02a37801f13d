"""The paper's tables: what the authors printed, what we measured, and the page that has both."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

pytest.importorskip("pandas")

from benchmarks import contests, datasets, jrip, paper, raw, run, tables, tables_page, tables_plot
from benchmarks.contests import CONTESTS, measure, rows_of, split
from benchmarks.figures import Figures
from benchmarks.raw import Raw
from benchmarks.results import Results

from unless import fold_rm, read_table
from unless.learn.fold import learn_rm

ROOT = Path(tables.__file__).parents[1]
LATEX = Path(os.environ.get("UNLESS_SHARED") or ROOT.parent / "shared") / "paper" / "fold-rm.tex"
ROWS = 90


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like the shared one, with three small datasets that go by names of the paper."""
    random = np.random.default_rng(1)
    drawn = zip(random.normal(size=ROWS), random.integers(0, 3, ROWS), strict=True)
    rows = [[f"{x:.2f}", "abc"[k], "low" if x < -0.4 else "mid" if x < 0.4 else "high"] for x, k in drawn]
    with (tmp_path / "small.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["x", "letter", "label"], *rows])
    entry = {"file": "small.csv", "label": "label", "features": ["x", "letter"], "numeric": ["x"], "rows": ROWS}
    known = {"wine": entry, "glass": entry, "acute": entry | {"foldrpp_positive": "low"}}
    known["parkinson"] = {"file": None, "note": "Not at hand: a file. Some advice."}
    (tmp_path / "manifest.json").write_text(json.dumps(known))
    monkeypatch.setenv("UNLESS_DATA", str(tmp_path))
    contests._table.cache_clear()
    yield tmp_path
    contests._table.cache_clear()


def options(folder: Path) -> list[str]:
    """Everything that is written goes to a folder."""
    names = {"journal": "journal.jsonl", "raw": "raw.json", "output": "page.md", "images": "images"}
    return [word for name, file in names.items() for word in (f"--{name}", str(folder / file))]


class TestPaper:
    """What the authors printed."""

    def test_every_row_is_there(self):
        """Fourteen, seventeen and eight datasets, none missing."""
        assert [len(paper.load()[label]) for label in (*paper.CROSS, paper.RIPPER)] == [14, 17, 17, 8]
        assert paper.load()[paper.BINARY]["rain"]["FOLD-R++"] == {
            "accuracy": 0.78,
            "precision": 0.87,
            "recall": 0.84,
            "f1": 0.85,
            "ms": 21868,
            "rules": 40.5,
        }
        assert paper.load()[paper.RIPPER]["nursery"] == {"RIPPER": {"accuracy": 0.72}, "FOLD-RM": {"accuracy": 0.96}}

    @pytest.mark.skipif(not LATEX.exists(), reason="the paper is not there")
    def test_the_file_is_what_the_paper_prints(self):
        """Read from its LaTeX again, the figures are the same."""
        text = LATEX.read_text("utf-8")
        assert paper.from_latex(text) == paper.load()
        assert paper.records_from_latex(text) == paper.records()

    def test_latex_is_read_without_what_is_commented_out(self):
        """A row after a percent sign, or in a part that is switched off, is none."""
        cells = "0.9 & \\textbf{1} & .8 & .7 & 2.5 & \\textbf{1,234} & .5 & .4 & .3 & .2 & 5 \\\\"
        table = "\\begin{table}\n%s\n\\label{%s}\n"
        rows = f"Dataset & Acc \\\\\nwine & {cells}\n% gone & {cells}"
        ripper = table % ("wine & 0.5 & 1 & glass & .2 & .3 \\\\", paper.RIPPER)
        text = table % (rows, paper.XGBOOST) + table % (rows, paper.MLP) + table % ("", paper.BINARY)
        found = paper.from_latex(
            text + f"\\iffalse\n{table % ('old & 1 & 1 & old & 1 & 1', paper.RIPPER)}\\fi\n" + ripper
        )
        assert found[paper.XGBOOST]["wine"]["FOLD-RM"] == {
            "accuracy": 0.9,
            "precision": 1,
            "recall": 0.8,
            "f1": 0.7,
            "rules": 2.5,
            "ms": 1234,
        }
        assert list(found[paper.MLP]) == ["wine"]
        assert list(found[paper.RIPPER]) == ["wine", "glass"]


@pytest.mark.usefixtures("data")
class TestFolds:
    """What is learned from, and what is predicted."""

    @staticmethod
    def numbers(table):
        return sorted(tuple(table.record(row).values()) for row in range(len(table)))

    @pytest.mark.parametrize("shuffled", [True, False])
    def test_folds_are_a_partition(self, shuffled):
        """Every record is predicted once, by a model that did not see it."""
        parts = [split("wine", fold, shuffled=shuffled) for fold in range(contests.FOLDS)]
        whole = self.numbers(parts[0][0]) + self.numbers(parts[0][1])
        assert sorted(record for _, test in parts for record in self.numbers(test)) == sorted(whole)
        assert all(sorted(self.numbers(train) + self.numbers(test)) == sorted(whole) for train, test in parts)

    def test_file_order_keeps_stretches(self):
        """The first fold is the first tenth of the file; shuffled folds are not, and another seed gives others."""
        (found,) = datasets.find(["wine"])
        first = self.numbers(found.table()[: ROWS // 10])
        assert self.numbers(split("wine", 0, shuffled=False)[1]) == first
        assert self.numbers(split("wine", 0)[1]) != first
        assert self.numbers(split("wine", 0)[1]) != self.numbers(split("wine", contests.FOLDS)[1])

    def test_repeats_learn_from_two_thirds(self):
        """Each repeat shuffles anew."""
        train, test = split("glass 2/3", 0)
        assert (len(train), len(test)) == (60, 30)
        assert self.numbers(test) != self.numbers(split("glass 2/3", 1)[1])

    def test_more_labels_than_two_become_two(self):
        """Yes is the label that the manifest calls positive; the paper's table of two labels has only those."""
        train, test = split("acute", 0)
        (found,) = datasets.find(["acute"])
        low = int(np.sum(found.table().y == "low"))
        assert train.labels.labels == ("no", "yes")
        assert int(np.sum(train.y == "yes")) + int(np.sum(test.y == "yes")) == low

    def test_without_the_file_the_reason_is_told(self):
        """The note of the manifest, without its advice; or that the folder does not have it."""
        assert contests.absent("parkinson") == "Not at hand: a file"
        assert "UNLESS_DATA" in contests.absent("rain")
        assert contests.absent("glass 2/3") is None


class TestMeasures:
    """Figures of a fold."""

    @pytest.mark.usefixtures("data")
    @pytest.mark.parametrize(
        ("row", "method"),
        [
            *(("acute", "FOLD-R++"), ("acute", "FOLD-R++ other label"), ("acute", "Unless")),
            *(("wine", "FOLD-RM"), ("wine", "FOLD-RM keeping E-"), ("glass 2/3", "FOLD-RM")),
        ],
    )
    def test_ours_learn(self, row, method):
        """What two thresholds decide is learned well; rules and times are counted."""
        line = measure(row, method, 0)
        assert min(line["accuracy"], line["f1"]) > 0.7
        assert line["rules"] >= 1
        assert line["wall"] > 0

    @pytest.mark.usefixtures("data")
    @pytest.mark.filterwarnings("ignore")
    def test_peers_learn(self):
        """Networks on indicators of every value know nothing about new numbers; on scaled ones they do."""
        assert measure("wine", "MLP", 0)["accuracy"] > measure("wine", "MLP one-hot", 0)["accuracy"] > 0.2

    @pytest.mark.usefixtures("data")
    @pytest.mark.filterwarnings("ignore")
    def test_boosters_learn(self):
        """The same for boosters."""
        pytest.importorskip("xgboost")
        assert measure("wine", "XGBoost", 0)["accuracy"] > measure("wine", "XGBoost one-hot", 0)["accuracy"] > 0.2

    @pytest.mark.usefixtures("data")
    @pytest.mark.skipif(not jrip.installed(), reason="Weka is not there")
    def test_weka_learns(self):
        """Its rules are counted, and its classes are those of its matrix."""
        line = measure("glass 2/3", "JRip", 0)
        assert line["accuracy"] > 0.7
        assert 2 <= line["rules"] <= line["literals"] + 1
        assert line["cpu"] > 0

    def test_figures_of_labels_are_weighted(self):
        """As scikit-learn does it; a record without a class is wrong, and no label's."""
        from sklearn.metrics import precision_recall_fscore_support

        truth, found = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, -1, 0])
        line = contests._quality(truth, found, positive=False)
        expected = precision_recall_fscore_support(truth, found, labels=[0, 1, 2], average="weighted", zero_division=0)
        assert [line[name] for name in ("precision", "recall", "f1")] == pytest.approx(expected[:3])
        assert line["accuracy"] == 0.5

    def test_with_two_labels_the_positive_one_counts(self):
        """Precision and recall are those of yes."""
        line = contests._quality(np.array([1, 1, 1, 0]), np.array([1, 0, 0, 1]), positive=True)
        assert (line["precision"], line["recall"], line["f1"]) == pytest.approx((1 / 2, 1 / 3, 2 / 5))

    def test_keeping_negatives_differs_only_in_what_is_removed(self, data):
        """Where no rule covers a record of another label both give the same program; else it may differ."""
        pure = read_table(data / "small.csv", "label", features=["x"], missing=())
        assert contests._learn_keeping(pure) == fold_rm(pure)
        engine = contests.make_engine(split("wine", 0)[0], 0.5)
        assert len(learn_rm(engine, 0.5).program.rules) >= 1


class TestRaw:
    """All folds in one file."""

    LINES = (
        *({"data": "wine", "method": "FOLD-RM", "fold": fold, "accuracy": fold / 10} for fold in range(10)),
        {"data": "wine", "method": "Unless", "fold": 0, "accuracy": 0.123456789},
        {"data": "rain", "method": "RIPPER", "fold": 0, "failed": "not done in 300 s"},
    )

    def test_what_is_written_is_read(self, tmp_path):
        """Line for line, to five digits; a failure is one."""
        results = Results(tmp_path / "none", self.LINES)
        first = Raw.of(results, {"limit": 1})
        (tmp_path / "raw.json").write_text(first.text())
        again = Raw.read(tmp_path / "raw.json")
        lines = Results(tmp_path / "none", again.lines()).lines
        assert lines.keys() == results.lines.keys()
        assert lines["wine", "Unless", 0]["accuracy"] == 0.12346
        assert lines["rain", "RIPPER", 0]["failed"] == "not done in 300 s"
        assert Raw.of(Results(tmp_path / "none", again.lines()), {"limit": 1}).text() == first.text()

    def test_only_whole_cells_have_figures(self):
        """A cell with some folds has none yet, and is counted."""
        found = Raw.of(Results(Path(os.devnull), self.LINES), {})
        assert found.figures().found == {("wine", "FOLD-RM"): {"accuracy": pytest.approx(0.45)}}
        assert found.figures().failures == {("rain", "RIPPER"): "not done in 300 s"}
        assert (len(found.part("wine", "Unless")), len(found.part("rain", "RIPPER"))) == (1, 0)

    def test_shuffles_are_told_apart(self):
        """Ten folds each; one that is not whole does not count, nor does it change the figure."""
        more = [{"data": "wine", "method": "FOLD-RM", "fold": fold, "accuracy": 1.0} for fold in range(10, 25)]
        found = Raw.of(Results(Path(os.devnull), [*self.LINES, *more]), {})
        assert found.shuffles("wine", "FOLD-RM") == pytest.approx([0.45, 1])
        assert found.figures().get("wine", "FOLD-RM") == pytest.approx(0.45)


class TestRun:
    """The command."""

    def test_a_run_that_was_killed_goes_on(self, data, monkeypatch):
        """Finished folds are kept at once, a torn line is not, and nothing is measured twice."""
        asked = []

        def pretend(todo, *_):
            for row, tasks in todo.items():
                for method, fold in tasks:
                    asked.append((row, method, fold))
                    yield {"data": row, "method": method, "fold": fold, "accuracy": 0.5, "rules": 3}, 0
                    if len(asked) == 7:
                        raise KeyboardInterrupt

        monkeypatch.setattr(run, "run", pretend)
        words = [*options(data), "--only", "FOLD-RM", "--data", "wine"]
        with pytest.raises(SystemExit, match="the same command goes on"):
            tables.main(words)
        assert "7 folds done: `make tables` goes on" in (data / "page.md").read_text("utf-8")
        with (data / "journal.jsonl").open("a") as file:
            file.write('{"data": "wine", "met')
        (data / "raw.json").unlink()  # a run that was killed has not written it
        tables.main(words)
        assert asked == [("wine", "FOLD-RM", fold) for fold in range(50)]
        (data / "journal.jsonl").unlink()  # as in a fresh clone
        assert "0.500 (0.94)" in tables.main(words)
        assert len(asked) == 50

    def test_a_twin_lends_its_figures_where_all_columns_are_numbers(self, data):
        """There XGBoost one-hot is the same fit as XGBoost; elsewhere it must run itself."""
        known = json.loads((data / "manifest.json").read_text("utf-8"))
        known["pendigits"] = known["wine"] | {"features": ["x"]}
        (data / "manifest.json").write_text(json.dumps(known))
        lines = [
            {"data": row, "method": "XGBoost", "fold": fold, "accuracy": 0.1 * fold, "rules": 3, "cpu": 1.0}
            for row in ("wine", "pendigits")
            for fold in range(2)
        ]
        (data / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        tables.main([*options(data), "--page"])
        found = Raw.read(data / "raw.json").results
        assert found["pendigits"]["XGBoost one-hot"] == {"accuracy": [0.0, 0.1], "cpu": [1.0, 1.0], "fold": [0, 1]}
        assert "XGBoost one-hot" not in found["wine"]

    def test_it_runs(self, data):
        """The real thing on one row: the page has our figure beside the paper's."""
        text = tables.main([*options(data), "--only", "FOLD-R++", "--data", "acute"])
        known = Raw.read(data / "raw.json")
        accuracy = known.figures().get("acute", "FOLD-R++")
        assert f"| {accuracy:.3f} (0.99) |" in text
        assert len(known.results["acute"]["FOLD-R++"]["fold"]) == 50
        assert {path.name for path in (data / "images").iterdir()} == set(tables_plot.PLOTS)

    def test_missing_data_is_said(self, tmp_path, monkeypatch):
        """Without the folder every row is there, and says that there is no data."""
        monkeypatch.setenv("UNLESS_DATA", str(tmp_path))
        text = tables.main(options(tmp_path))
        for label in (*paper.CROSS, paper.RIPPER):
            for row in rows_of(label):
                assert f"| {contests.dataset_of(row)} | no data (" in text
        assert "not in the folder of datasets (UNLESS_DATA)" in text

    def test_names_are_checked(self, data, capsys):
        """A typing error does not run for hours."""
        with pytest.raises(SystemExit):
            tables.main([*options(data), "--only", "FOLD-RN"])
        assert "no 'FOLD-RN'" in capsys.readouterr().err


class TestPage:
    """The page, from the results."""

    CONDITIONS = raw.conditions(300)

    def page(self, lines):
        return tables_page.page(Raw.of(Results(Path(os.devnull), lines), self.CONDITIONS | {"absent": {}}))

    @staticmethod
    def folds(row, method, **figures):
        return [{"data": row, "method": method, "fold": fold} | figures for fold in range(10)]

    def test_the_page_is_current(self):
        """It is what the results in the repository give, and so are the plots."""
        known = Raw.read(Path(tables.__file__).with_suffix(".json"))
        assert (ROOT / "docs" / "paper.md").read_text("utf-8") == tables_page.page(known)
        for name, plot in tables_plot.PLOTS.items():
            assert (ROOT / "docs" / "images" / name).read_text("utf-8") == plot(known.figures())

    def test_every_difference_has_a_reason(self):
        """Nothing that differs from the paper is left without a word about why."""
        figures = Raw.read(Path(tables.__file__).with_suffix(".json")).figures()
        told = {cell for reason in tables_page.reasons() for cell in reason.cells}
        assert {one.key for one in tables_page.differences(figures)} <= told

    def test_reasons_are_about_what_there_is(self):
        """Their rows and experiments have the names of the tables."""
        for reason in tables_page.reasons():
            assert all(row in CONTESTS[method].rows or row in rows_of(paper.MLP) for row, method in reason.cells)
            assert set(reason.shown_by.values()) <= CONTESTS.keys()

    def test_two_points_or_a_fifth_of_the_rules_differ(self):
        """Less does not; a method that the paper does not have never does."""
        close = self.folds("wine", "FOLD-RM", accuracy=0.925, rules=8.5)
        figures = Raw.of(Results(Path(os.devnull), close), {}).figures()
        assert list(tables_page.differences(figures)) == []
        for changed in ({"accuracy": 0.91, "rules": 7.6}, {"accuracy": 0.94, "rules": 9.5}):
            lines = self.folds("wine", "FOLD-RM", **changed) + self.folds("wine", "Unless", accuracy=0.1, rules=1)
            figures = Raw.of(Results(Path(os.devnull), lines), {}).figures()
            assert [one.key for one in tables_page.differences(figures)] == [("wine", "FOLD-RM")]
            assert "[wine](#why-rows-differ)" in self.page(lines)

    def test_a_failure_is_said_where_the_figure_would_be(self):
        """And the reason at the end."""
        lines = [{"data": "rain", "method": "RIPPER", "fold": 0, "failed": "not done in 300 s"}]
        lines += [{"data": "acute", "method": "RIPPER", "fold": 0, "failed": "ValueError: a | b"}]
        text = self.page([*lines, *self.folds("rain", "FOLD-R++", accuracy=0.5)[:3]])
        assert "| rain | 0.500 in 3 folds (0.78) | not run yet (0.83) | not run yet (0.83) | too slow |" in text
        assert "| rain | RIPPER | not done in 300 s |" in text
        assert "| acute | RIPPER | ValueError: a / b |" in text

    def test_a_row_that_was_begun_says_what_is_left(self):
        """The mean of some folds is in the table, with how many; the end has what the others would take."""
        text = self.page(self.folds("rain", "FOLD-R++", accuracy=0.5, cpu=2.0)[:4])
        assert "| rain | 0.500 in 4 folds (0.78) |" in text
        assert (
            "| rain | FOLD-R++ | 4 folds done; the other fits would take about 12 s of CPU: `make tables` goes on |"
            in text
        )

    def test_plots_are_whole(self):
        """Well-formed, for light and dark pages, whether there are figures or not."""
        sizes = {"accuracy": 0.9, "rules": 10.0, "cpu": 0.01, "wall": 0.02}
        rows = {paper.BINARY: "FOLD-R++", paper.XGBOOST: "FOLD-RM"}
        found = {(row, method): sizes for label, method in rows.items() for row in rows_of(label)}
        found |= {(row, method): sizes for row, _ in found for method in ("Unless", "XGBoost", "XGBoost one-hot")}
        for name, plot in tables_plot.PLOTS.items():
            for figures in (Figures({}, {}), Figures(found, {})):
                drawn = plot(figures)
                texts = [element.text for element in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
                assert ("Unless" in texts) == bool(figures.found), name
                assert "prefers-color-scheme: dark" in drawn
