"""Benchmarks: the harness runs, and measures what it says. No test here depends on how fast anything is."""

from __future__ import annotations

import csv
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from unless import fold_rm
from unless.read.table import read_table

pytest.importorskip("pandas")

from benchmarks import __main__ as bench
from benchmarks import (
    alone,
    datasets,
    files,
    fit,
    generate,
    importances,
    large,
    logic,
    new_records,
    peers,
    precision,
    prediction,
    protocols,
    scale,
    start,
    threads,
    timing,
    watch,
)
from benchmarks.report import Section, Target, duration, page, times

ROWS = 300
QUICK = 0.001


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like the shared one, with one small dataset that goes by the name of adult."""
    random = np.random.default_rng(1)
    drawn = zip(random.normal(size=ROWS), random.integers(0, 3, ROWS), strict=True)
    rows = [[f"{x:.2f}", "abc"[k], "?" if k == 0 else str(k), "yes" if x > 0 else "no"] for x, k in drawn]
    data = tmp_path / "data"
    data.mkdir()
    with (data / "small.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["x", "letter", "mixed", "label"], *rows])
    entry = {"file": "small.csv", "label": "label", "features": ["x", "letter", "mixed"], "numeric": ["x", "mixed"]}
    (data / "manifest.json").write_text(json.dumps({"adult": entry}))
    monkeypatch.setenv("UNLESS_SHARED", str(tmp_path))
    return tmp_path


@pytest.fixture
def boosters() -> None:
    """XGBoost and LightGBM, which only benchmarks need."""
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")


class TestGenerate:
    """Generated rows."""

    def test_the_same_seed_gives_the_same_rows(self) -> None:
        """Rows depend on their number and the seed alone."""
        first, again, other = generate.draw(50, 3), generate.draw(50, 3), generate.draw(50, 4)

        assert all(np.array_equal(a, b) for a, b in zip(first.continuous, again.continuous, strict=True))
        assert np.array_equal(first.label, again.label)
        assert not np.array_equal(first.continuous[0], other.continuous[0])

    def test_a_table_has_the_promised_columns(self) -> None:
        """There are 23 columns, ten of them continuous, eight of categories."""
        table = generate.table(generate.draw(101))

        assert len(table.columns) == generate.COLUMNS == 23
        assert sum(len(column.numbers) == 101 for column in table.columns) == generate.CONTINUOUS == 10
        assert sum(column.kind == "text" for column in table.columns) == 8

    def test_the_file_and_the_ready_table_teach_the_same_program(self, tmp_path: Path) -> None:
        """What is written to a file is what the ready table holds."""
        drawn = generate.draw(2000)
        generate.write_csv(drawn, tmp_path / "rows.csv")

        assert fold_rm(read_table(tmp_path / "rows.csv", "label")) == fold_rm(generate.table(drawn))


class TestDatasets:
    """The datasets of the paper."""

    def test_a_frame_has_numbers_only_in_columns_that_are_wholly_numeric(self, shared: Path) -> None:
        """A declared column with one cell of text stays text for all contestants."""
        (dataset,) = datasets.find()
        frame = dataset.frame()

        assert shared in dataset.path.parents
        assert dataset.categorical == ("letter",)
        assert [frame[name].dtype.kind == "f" for name in frame] == [True, False, False, False]

    def test_without_the_folder_nothing_is_found(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Absent datasets are not an error: their sections say that nothing was measured."""
        monkeypatch.setenv("UNLESS_SHARED", str(tmp_path))

        assert datasets.find() == []
        for section in (fit.on_codes([]), fit.from_frames([]), fit.by_classifiers([])):
            assert section.text == datasets.ABSENT
            assert all(target.met is None for target in section.targets)


class TestTiming:
    """Races and processes."""

    def test_the_first_run_does_not_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The first run also loads what comes lazily; after it come at least three more, in turn."""
        clock = {"a": [3.0, 1.0, 2.0, 9.0], "b": [0.5, 0.1, 0.1, 0.1, 0.1]}
        order = []

        def pretend(run: Callable[[], str], _: object) -> float:
            order.append(run())
            return clock[order[-1]].pop(0) if len(clock[order[-1]]) > 1 else clock[order[-1]][0]

        monkeypatch.setattr(timing, "spent", pretend)
        result = timing.race({"a": lambda: "a", "b": lambda: "b"}, seconds=0.01)

        assert result == {"a": 2.0, "b": pytest.approx(0.1)}
        assert order[:2] == ["a", "b"]
        assert order.count("a") == 4

    def test_a_very_long_run_is_the_only_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A contestant whose first run is very long does not run again."""
        runs = []
        monkeypatch.setattr(timing, "_LONG", 0.0)
        timing.race({"long": lambda: runs.append(1)}, seconds=1.0)

        assert len(runs) == 1

    def test_a_process_of_its_own_that_fails_says_why(self) -> None:
        """The error of the other process is shown."""
        with pytest.raises(RuntimeError, match="no such luck"):
            timing.alone_code("raise SystemExit('no such luck')")

    @pytest.mark.parametrize(("busy", "own", "others"), [(9.0, 2.0, 1.5), (4.0, 2.0, 0.25), (2.5, 2.0, 0.0)])
    def test_the_watch_counts_other_processes_only(self, busy, own, others, monkeypatch) -> None:
        """What this process worked is taken from what all cores worked, and the rest is never negative."""
        clocks = {"_busy": iter([2.0, busy]), "_own": iter([1.0, own])}
        for name, readings in clocks.items():
            monkeypatch.setattr(timing, name, readings.__next__)
        monkeypatch.setattr(timing.time, "perf_counter", iter([10.0, 14.0]).__next__)

        assert timing.Watch().others() == others

    def test_the_watch_says_nothing_where_the_system_hides_it(self, monkeypatch) -> None:
        """Without the counters of the system nobody knows what others took."""
        monkeypatch.setattr(timing, "_busy", lambda: None)

        assert timing.Watch().others() is None


class TestSections:
    """Every section on tiny data."""

    @pytest.mark.usefixtures("shared")
    def test_fit_on_codes(self) -> None:
        """Ready codes: one line per dataset, one target."""
        section = fit.on_codes(datasets.find(), QUICK)

        assert [line[0] for line in section.rows] == ["adult"]
        assert len(section.header) == len(section.rows[0])
        assert len(section.targets) == 1

    @pytest.mark.usefixtures("shared")
    def test_fit_by_classifiers(self) -> None:
        """The classifiers: a line per dataset, library and learner, one target."""
        section = fit.by_classifiers(datasets.find(), QUICK)

        assert [line[:3] for line in section.rows][-1] == ["adult", "polars", "FOLD-RM"]
        assert len(section.rows) == 4
        assert len(section.header) == len(section.rows[0])
        assert section.targets[0].met is not None

    @pytest.mark.usefixtures("shared", "boosters")
    @pytest.mark.filterwarnings("ignore")
    def test_which_figure_is_which(self) -> None:
        """A line for each way to measure; to compare runs, the one that no other section has."""
        section = protocols.side_by_side(datasets.find(), QUICK)

        assert [line[0] for line in section.rows] == [
            way.name for way in (*protocols._WAYS, *protocols._LONG_WAYS) if "numpy" not in way.name
        ]
        assert len(section.targets) == len(section.rows)
        assert {len(line) for line in section.rows} == {len(section.header)}
        assert set(section.seconds["adult"]) == {"unless", "DecisionTree"}
        assert protocols.side_by_side([]).text == datasets.ABSENT

    def test_many_labels(self) -> None:
        """A line and a target for each of two classifiers."""
        section = protocols.many_labels(30)

        assert [target.met for target in section.targets] == [True, True]
        assert [line[0] for line in section.rows] == list(section.seconds)

    @pytest.mark.usefixtures("shared", "boosters")
    @pytest.mark.filterwarnings("ignore")
    def test_fit_from_frames(self) -> None:
        """From a frame: one target per peer."""
        section = fit.from_frames(datasets.find(), QUICK)

        assert len(section.header) == len(section.rows[0]) == 8
        assert [target.what.split()[4] for target in section.targets] == ["DecisionTree's", "XGBoost's", "LightGBM's"]

    @pytest.mark.usefixtures("shared")
    def test_importances(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        """Definitions of importance: a line per dataset, then the mean of each."""
        monkeypatch.setattr(datasets.Dataset, "table", lambda _: generate.table(generate.draw(1000)))
        importances.main([["adult"], []])

        lines = capsys.readouterr().out.splitlines()
        assert len([line for line in lines if line]) == 1 + len(importances.DEFINITIONS)
        assert lines[0].startswith("adult")
        assert importances.rank_correlation(np.array([1.0, 2, 3, 3]), np.array([2.0, 4, 9, 9])) == pytest.approx(1)
        assert importances.rank_correlation(np.array([1.0, 1]), np.array([2.0, 4])) is None

    @pytest.mark.usefixtures("shared")
    def test_precision(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        """What is expected of rules: a row for each way to learn, of the tables with enough records."""
        monkeypatch.setattr(precision, "SIZES", (300,))
        monkeypatch.setattr(precision, "_SEEDS", 1)
        table = generate.table(generate.draw(3000))
        monkeypatch.setattr(precision, "_tables", lambda names: ((name, table) for name in names))
        monkeypatch.setattr(
            precision, "WAYS", {name: way for name, way in precision.WAYS.items() if not way.parameters}
        )
        precision.main({"chosen on": ("adult",)})

        rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| `")]
        assert [row.split("`")[1] for row in rows] == [name for name in precision.WAYS if "rpp" not in name.lower()]
        found = precision.measured(table, precision.WAYS["UnlessClassifier"], 300, 0)
        assert found
        assert all(one.low <= one.expected <= one.high for one in found)

    def test_many_rows(self) -> None:
        """Many rows: the time and the memory of a fit."""
        section = scale.against_tree(500, QUICK)

        assert len(section.header) == len(section.rows[0])
        assert len(section.targets) == 2

    def test_growth(self) -> None:
        """Growth: one line per size, one target per step."""
        section = scale.growth([100, 1000], QUICK)

        assert [line[0] for line in section.rows] == ["100", "1,000"]
        assert [target.target for target in section.targets] == ["≤ ×12 the time"]

    def test_what_threads_share(self) -> None:
        """The time of a fit is what one thread does alone and what all do."""
        found = alone.shared_seconds(60_000, 1)

        assert set(found) == {"one", "single", "shared", "gain"}
        assert min(found["single"], found["shared"]) > 0

    def test_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Both fits are measured, from the same files."""
        monkeypatch.setattr(large, "_PART", 1000)
        section = large.against_memory(1500)

        assert [line[:2] for line in section.rows] == [["1,500", "blocks"], ["1,500", "memory"]]
        assert section.targets[0].met is not None

    def test_threads(self) -> None:
        """Threads: a line for each fit of each size, and a target where nothing is read."""
        section = threads.against_one([200], QUICK)

        assert [line[0] for line in section.rows] == ["200"] * 3
        assert len(section.targets) == 2

    @pytest.mark.usefixtures("shared")
    def test_files(self) -> None:
        """CSV files: the dataset declared and undeclared, and the generated one."""
        section = files.from_csv(datasets.find(), 200, QUICK)

        assert len(section.rows) == len(section.targets) == len(section.seconds) == 3

    @pytest.mark.usefixtures("shared", "boosters")
    @pytest.mark.filterwarnings("ignore")
    def test_prediction(self) -> None:
        """Prediction: the dataset and generated rows, against both boosters."""
        section = prediction.rows_per_second(datasets.find(), ROWS, QUICK)

        assert [line[0] for line in section.rows] == ["adult", "generated"]
        assert len(section.header) == len(section.rows[0]) == 6
        assert len(section.targets) == 3

    @pytest.mark.usefixtures("shared", "boosters")
    @pytest.mark.filterwarnings("ignore")
    def test_new_records(self) -> None:
        """One record and many: a list and a committee, with both calls; XGBoost from the same frame."""
        one = new_records.one_record(datasets.find(), QUICK)
        many = new_records.many_records(datasets.find(), ROWS, QUICK)

        assert {tuple(line[1:4]) for line in one.rows} == {
            (name, form, call)
            for name in ("list", "committee")
            for form in ("dict", "frame of one row")
            for call in ("predict", "predict_proba")
        }
        assert len(many.header) == len(many.rows[0]) == 6
        assert len(one.targets) == len(many.targets) == 2

    def test_importing(self) -> None:
        """Imports: beside numpy, and a classifier beside what it cannot do without."""
        section = start.importing(1)

        assert len(section.rows) == 4
        assert len(section.targets) == 2

    def test_logic(self) -> None:
        """Logic programs: three languages, background knowledge, records run and read back."""
        pytest.importorskip("clingo")
        section = logic.with_clingo(20, 40, QUICK)

        assert len(section.rows) == 6
        assert {len(line) for line in section.rows} == {len(section.header)}
        assert len(section.targets) == 4
        assert logic.trains(40).count(".\n") == 40

    def test_models(self) -> None:
        """Models: one line per shape, and a target each for reading and writing the slowest of them."""
        section = start.models(scale=0.01, repeats=1)

        assert len(section.rows) == 7
        assert {len(line) for line in section.rows} == {len(section.header)}
        assert [target.target for target in section.targets] == ["≥ 20 MB"] * 2

    def test_commands(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Commands: what each takes, by what importing numpy and polars takes."""
        monkeypatch.setattr(start, "_COMMANDS", start._COMMANDS[:2])
        section = start.commands(repeats=1)

        assert [line[0].split()[1] for line in section.rows] == ["numpy,", "fit", "show"]
        assert section.targets[0].target == "≤ ×3"

    def test_memory_of_a_fit_is_its_peak_less_what_was_there(self, tmp_path: Path, monkeypatch) -> None:
        """What was resident before the fit does not count, and is measured before it."""
        path, asked = tmp_path / "table.pickle", []
        path.write_bytes(pickle.dumps(generate.table(generate.draw(500))))
        status = tmp_path / "status"
        status.write_text("VmHWM:\t    9000 kB\nVmRSS:\t    5000 kB\n")
        monkeypatch.setattr(alone, "_STATUS", status)
        monkeypatch.setattr(alone, "fold_rm", asked.append)

        assert alone.memory_of_fit(path) == 4000 * 1024
        assert [len(table) for table in asked] == [1000, 500]

    def test_memory_is_unknown_where_the_system_does_not_count_it(self, tmp_path: Path, monkeypatch) -> None:
        """Other systems than Linux do not tell."""
        monkeypatch.setattr(alone, "_STATUS", tmp_path / "nothing")

        assert alone.memory_of_fit(tmp_path / "table.pickle") is None

    def test_the_matrix_of_the_peers_holds_the_codes(self) -> None:
        """The peers learn from the same ranks."""
        table = generate.table(generate.draw(40))

        assert peers.matrix(table).dtype == np.float32
        assert np.array_equal(peers.matrix(table)[:, 3], table.columns[3].codes)


class TestPage:
    """The page."""

    TARGETS = (Target("w", "t", "m", met=False), Target("v", "t", "–", met=None))
    SECTION = Section("Title", "How.", ["data"], [["wine"]], TARGETS)

    def test_a_missed_target_is_shown_as_such(self) -> None:
        """Targets stand first, with yes, no or not measured."""
        text = page([self.SECTION])

        assert "| w | t | m | **no** |" in text
        assert "| v | t | – | not measured |" in text
        assert text.index("| w |") < text.index("## Title") < text.index("| wine |")

    def test_a_busy_machine_is_shown_as_such(self) -> None:
        """Figures that were measured beside other work are marked."""
        assert "too much" in page([self.SECTION], others=1.0)
        assert "too much" not in page([self.SECTION], others=0.0)

    def test_times_and_ratios_have_three_digits(self) -> None:
        """Times carry a fitting unit."""
        assert [duration(t) for t in (12.0, 0.00681, 0.000002)] == ["12 s", "6.81 ms", "2 µs"]
        assert [times(r) for r in (1.5, 157.4)] == ["×1.5", "×157"]

    def test_a_part_is_printed(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """``--only`` prints and leaves the page alone; ``--output`` writes to a page of that name."""
        size = bench.Size(seconds=QUICK, rows=200, steps=(100, 1000), imports=1)
        text = bench.main(["--only", "growth"], size)
        assert text in capsys.readouterr().out

        bench.main(["--only", "import", "--output", str(tmp_path / "page.md")], size)
        assert "## Import" in (tmp_path / "page.md").read_text("utf-8")


def test_alarms_are_counted():
    """Each run says whether there is an alarm, for records as they are and after each change."""
    table = generate.table(generate.draw(600))
    (found,) = watch.alarms(table, "unless", 1)
    assert set(found) == {*watch.CHANGES, watch.OPTIMISM}
    assert found["nothing"] is False
    model = watch.trained(table)
    random = np.random.default_rng(0)
    for name, change in watch.CHANGES.items():
        changed = change(table, model, random)
        assert len(changed) == len(table)
        assert name == "nothing" or changed is not table
