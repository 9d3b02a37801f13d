"""Spark: the programs of memory from a cluster of two executors, some of which are killed."""

# ruff: noqa: DTZ001 - times without a zone
from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.blocks.frames import stats_of_columns
from tests.docs.pages import PAGES, blocks, named
from tests.engines import QUICK
from tests.lengths import LONG
from unless.blocks import column_bins as bins_module
from unless.blocks import column_stats
from unless.blocks.block_engine import BlockEngine
from unless.blocks.block_queries import (
    BlockQuery,
    DistinctValues,
    FetchRows,
    FiniteRanges,
    HeaviestTexts,
    LabelSizes,
    NeighbouringNumbers,
    PartWeights,
    SizesAndHistograms,
    SliceWeights,
    SplitCensus,
    ValuesInRegions,
)
from unless.blocks.block_store import LocalBlockStore
from unless.blocks.column_regions import ColumnRegion, Interval
from unless.blocks.encoding import BlockEncoding, EncodingTask
from unless.blocks.local_rows import join_pieces
from unless.blocks.row_set_definitions import RowSetDefinition, flatten_definitions
from unless.errors import ParameterError, ReadError
from unless.learn import given_cuts as own_module
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.unless_learner import fold_unless
from unless.read.column_plan import plan_columns
from unless.read.frames import PolarsFrame
from unless.read.options import ReadOptions
from unless.read.table import read_table

pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java (Debian: openjdk-17-jre-headless)", allow_module_level=True)

from unless.blocks.spark_store import SparkBlockStore, frame_columns

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

ROOT = Path(__file__).parents[2]
LEARNERS = {
    "rm": fold_rm,
    "rpp": lambda table, **more: fold_rpp(table, "l1", **more),
    "own": lambda table, **more: fold_unless(table, optimise=False, **more),
}


@pytest.fixture(scope="module")
def session(tmp_path_factory) -> Iterator[Any]:
    """A cluster on this machine: two executors with a core each, in processes of their own."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    settings = {
        **QUICK,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "spark.deploy.maxExecutorRetries": "-1",  # tests kill more executors than a cluster would bear
        "spark.sql.session.timeZone": "America/New_York",
        "spark.shuffle.io.retryWait": "100ms",  # it would wait 15 s for an executor that is gone
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",  # what an Arrow table without zones has
    }
    own = {"SPARK_WORKER_DIR": str(tmp_path_factory.mktemp("spark")), "SPARK_LOCAL_HOSTNAME": "localhost"}
    own["PYSPARK_PYTHON"] = sys.executable
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        _end_java(SparkContext)  # one that is left from other tests does not have these variables
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("unless")
        for name, value in settings.items():
            builder = builder.config(name, value)
        found = builder.getOrCreate()
        found.sparkContext.setLogLevel("OFF")
        yield found
        found.stop()
        _end_java(SparkContext)


def _end_java(context) -> None:
    if context._gateway is not None:
        context._gateway.shutdown()
        context._gateway.proc.stdin.close()
        context._gateway.proc.wait(60)
        context._gateway = context._jvm = None


def task_of(
    frame: pl.DataFrame, target: str = "y", kind: type[EncodingTask] = EncodingTask, **more: Any
) -> EncodingTask:
    """What to learn from a frame, and how."""
    features = [name for name in frame.columns if name not in (target, more.get("weights"))]
    return kind(plan_columns(PolarsFrame(frame), ReadOptions(), target=target, features=features), **more)


def mixed(seed: int, rows: int = 240) -> pl.DataFrame:
    """Rows of numbers and texts, few and many, some missing."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, rows)
    shifted = [y * random.normal() + random.normal(size=rows) for _ in range(5)]
    gone = random.random(rows) < 0.2
    return pl.DataFrame(
        {
            "many": shifted[0],
            "few": np.round(shifted[1]),
            "names": [f"t{int(3 * x)}" for x in shifted[2]],
            "numerals": [f"{x:.2f}" if x > 0 else "abc"[int(-x) % 3] for x in shifted[3]],
            "gaps": [None if lost else round(x, 1) for x, lost in zip(shifted[4].tolist(), gone, strict=True)],
            "y": [f"l{k}" for k in y],
        }
    )


@pytest.fixture
def spread(session):
    """Put a polars frame into Spark, in some partitions; the store of the frame is closed after the test."""
    stores = []

    def spread(frame: pl.DataFrame, task: EncodingTask | None = None, parts: int = 3, **more: Any) -> SparkBlockStore:
        stores.append(SparkBlockStore(in_spark(session, frame, parts), task or task_of(frame), **more))
        return stores[-1]

    yield spread
    for store in stores:
        store.close()


def in_spark(session, frame: pl.DataFrame, parts: int):
    return session.createDataFrame(frame.to_arrow()).repartition(parts)


def many(monkeypatch, number: int) -> None:
    """Let a number of values be too many."""
    for place in (column_stats, bins_module, own_module):
        monkeypatch.setattr(place, "MANY", number)


@pytest.mark.parametrize("weighted", [False, True])
def test_programs_are_those_of_memory(spread, monkeypatch, weighted):
    """All learners, from rows that stay on the executors until they are few."""
    many(monkeypatch, 20)
    frame = mixed(10)
    weights = np.random.default_rng(0).integers(1, 4, frame.height) if weighted else None
    given = frame if weights is None else frame.with_columns(pl.Series("w", weights))
    store = spread(given, task_of(given, weights="w" if weighted else None))
    assert store.rows == frame.height
    table = read_table(frame, target="y")
    for name, learn in LEARNERS.items():
        assert learn(BlockEngine(store, local=210)) == learn(table, **({"weights": weights} if weighted else {})), name


def test_the_best_program_is_that_of_memory(spread):
    """Our own learner, which asks the most: it improves what it has learned, rule by rule."""
    frame = mixed(10)
    assert fold_unless(BlockEngine(spread(frame), local=225)) == fold_unless(read_table(frame, target="y"))


def test_classes_weigh_what_factors_say(spread):
    """The factors multiply the weights of the records of each class."""
    frame = mixed(2)
    store = spread(frame, factors=lambda labels, totals: np.array([1.0, 5.0, 2.0]))
    weights = frame["y"].replace_strict({"l0": 1, "l1": 5, "l2": 2}).to_numpy()
    assert fold_rm(BlockEngine(store, local=100)) == fold_rm(read_table(frame, target="y"), weights=weights)


# Cells.

TYPES = {
    "flag": pl.Series([True, False, None, True]),
    "tiny": pl.Series([1, 2, None, 3], dtype=pl.Int8),
    "long": pl.Series([2**53 + 1, 2, None, 3]),
    "float": pl.Series([0.1, float("nan"), None, -0.0], dtype=pl.Float32),
    "double": pl.Series([0.1, float("nan"), None, float("inf")]),
    "decimal": pl.Series([Decimal("1.15"), Decimal("2.55"), None, Decimal("4.35")], dtype=pl.Decimal(10, 2)),
    "digits": pl.Series([*(Decimal(f"{k}2345678901234567890.{k}7") for k in (1, 2, 3)), None], dtype=pl.Decimal(38, 2)),
    "text": pl.Series(["a", "", None, "é😀"]),
    "day": pl.Series([date(2020, 8, 1), date(1999, 12, 31), None, date(1583, 1, 1)]),
    "moment": pl.Series([datetime(2020, 8, 1), datetime(2020, 8, 1, 12, 30), None, datetime(1999, 1, 1, 0, 0, 0, 1)]),
    "instant": pl.Series([datetime(2020, 8, 1, hour, tzinfo=UTC) for hour in (0, 4, 12)] + [None]),
    "while": pl.Series([timedelta(1), timedelta(seconds=1, microseconds=1), None, timedelta(-1)]),
    "void": pl.Series([None] * 4, dtype=pl.Null),
}
"""Columns of every type that Spark has and rules can test."""


@pytest.mark.parametrize("target", ["y", "flag", "tiny", "decimal", "day"])
def test_cells_mean_what_they_mean_in_memory(spread, target):
    """Whatever the type of the column, and also as labels."""
    frame = pl.DataFrame({**TYPES, "y": [1.5, 2.5, 1.5, 2.5]}).drop_nulls(target)
    store = spread(frame, task_of(frame, target), parts=2)
    table = read_table(frame, target=target)
    assert store.labels == table.target.labels
    assert store.coding.schema == table.schema
    for one, column in zip(store.bins, table.columns, strict=True):
        assert one.column.numbers.tolist() == column.numbers.tolist(), column.name
        assert tuple(one.column.categories) == column.categories, column.name
        assert bool(one.value_counts[-1]) == (column.missing in column.codes), column.name


def test_any_name_is_a_column(spread):
    """Whatever the characters: dots, backticks, quotes, and names that differ only in case."""
    names = ["a.b", "`tick`", 'say "hi"', "it's", "x", "X", "", " ", "ünï"]
    frame = mixed(3)
    frame = pl.DataFrame({name: frame.to_series(k % 5) for k, name in enumerate(names)} | {"the.label": frame["y"]})
    store = spread(frame, task_of(frame, "the.label"))
    assert fold_rm(BlockEngine(store)) == fold_rm(read_table(frame, target="the.label"))


def test_what_no_rule_can_test_is_refused(session):
    """With its name and type; a column that is not read does not matter."""
    types = {"array(1)": "array<int>", "map(1, 2)": "map<int,int>", "named_struct('a', 1)": "struct<a:int>"}
    types |= {"X'1'": "binary", "INTERVAL '1' MONTH": "interval month"}
    cells = ", ".join(f"{cell} AS c{place}" for place, cell in enumerate(types))
    frame = session.sql(f"SELECT 1 AS x, 'a' AS y, {cells}")
    for place, kind in enumerate(types.values()):
        name = f"c{place}"
        plan = plan_columns(frame_columns(frame), ReadOptions(), target="y", features=["x", name])
        with pytest.raises(ParameterError, match=f"'{name}' is {kind}, which no rule can test"):
            SparkBlockStore(frame, EncodingTask(plan))
    plan = plan_columns(frame_columns(frame), ReadOptions(), target="y", features=["x"])
    SparkBlockStore(frame, EncodingTask(plan)).close()


def test_columns_of_one_name_are_refused(session):
    """Before Spark says that it does not know which is meant."""
    with pytest.raises(ReadError, match="'x' appears twice"):
        frame_columns(session.sql("SELECT 1 AS x, 2 AS x"))


# Rows.


def test_partitions_may_be_empty(spread):
    """Those without rows, and those whose rows have no label."""
    frame = mixed(4, 9).with_columns(y=pl.when(pl.int_range(9) < 4).then(pl.col("y")))
    store = spread(frame, task_of(frame, drop_unlabelled=True), parts=20)
    assert len(store._parts) == 20
    assert store.ask(sizes()).sum() == 2 * 4
    assert fold_rm(BlockEngine(store)) == fold_rm(read_table(frame.drop_nulls("y"), target="y"))


def test_no_rows_are_refused(session):
    """A frame without rows, with partitions and without any."""
    for frame in (in_spark(session, mixed(0), 2).where("few > 1000"), in_spark(session, mixed(0), 2).limit(0)):
        with pytest.raises(ReadError, match="no rows to learn from"):
            SparkBlockStore(frame, task_of(mixed(0)))


def test_what_a_task_refuses_is_said_once(session):
    """As the same error that memory raises, not as a failure of Spark."""
    frame = mixed(5).with_columns(w=pl.lit("heavy"))
    with pytest.raises(ParameterError, match="weights must be numbers, but 'w' has 'heavy'"):
        SparkBlockStore(in_spark(session, frame, 2), task_of(frame, weights="w"))


def sizes() -> LabelSizes:
    everything = RowSetDefinition.one("all_rows")
    return LabelSizes((everything.number,), flatten_definitions([everything]))


@pytest.fixture
def changing(session, tmp_path):
    """A frame of files, and what changes them."""

    def write(text: str) -> None:
        for name in "ab":
            (tmp_path / f"{name}.csv").write_text(text)

    write("1,u,p\n2,v,q\n")
    return session.read.csv(str(tmp_path), schema="x DOUBLE, t STRING, y STRING"), write


@pytest.mark.parametrize("row", ["2,w,q", "3,v,q", "2,v,r", "2,v,p", ""])
def test_data_that_changes_between_the_passes_is_refused(changing, monkeypatch, row):
    """A new text, number or label, another label, and a row less."""
    frame, write = changing
    of = BlockEncoding.of
    monkeypatch.setattr(BlockEncoding, "of", lambda *given: (of(*given), write(f"1,u,p\n{row}\n"))[0])
    with pytest.raises(ReadError, match="the data changed while it was read"):
        SparkBlockStore(frame, EncodingTask(plan_columns(frame_columns(frame), ReadOptions(), target="y")))


def test_data_that_changes_before_it_is_read_again_is_refused(changing):
    """Blocks that are lost are not replaced by others."""
    frame, write = changing
    store = SparkBlockStore(frame, EncodingTask(plan_columns(frame_columns(frame), ReadOptions(), target="y")))
    store._written.unpersist()
    assert store.ask(sizes()).sum() == 8
    write("1,u,p\n2,u,q\n")
    with pytest.raises(ReadError, match="the data changed while it was read"):
        store.ask(sizes())
    store.close()


# Losses.


def test_files_are_gone_after_close(spread):
    """Nothing is left in the folders of the executors; closing twice does no harm."""
    store = spread(mixed(6))
    folders = {Path(part.folder).parent for part in store._parts.values()}
    assert all((folder / "bins").exists() for folder in folders)
    store.close()
    assert not any(folder.exists() for folder in folders)
    store.close()


def test_files_that_are_removed_are_written_again(spread):
    """By whomever: all is encoded once more, for this question and those that follow."""
    store = spread(mixed(7))
    shutil.rmtree(store._parts[1].folder)
    assert store.ask(sizes()).sum() == 480
    assert store.ask(sizes()).sum() == 480


def kill(what: str, folder: str) -> None:
    """Kill the Python worker or the whole executor that this runs in, once."""
    try:
        Path(folder, what).touch(exist_ok=False)
    except FileExistsError:
        return
    if what.endswith("worker"):
        os.kill(os.getpid(), signal.SIGKILL)
    daemon = os.getppid()
    java = int(Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(java, signal.SIGKILL)
    time.sleep(60)  # the worker ends with the executor


@dataclass(frozen=True)
class Deadly(BlockQuery[Any]):
    """A question that kills the first one who is asked."""

    own: BlockQuery[Any]
    what: str
    folder: str

    def answer(self, block):
        kill(self.what, self.folder)
        return self.own.answer(block)

    def combine(self, answers):
        return self.own.combine(answers)


@dataclass(frozen=True)
class DeadlyTask(EncodingTask):
    """What kills the first one who reads in a pass."""

    folder: str = ""
    what: str = ""
    second: bool = False

    def load(self, source, texts=()):
        if self.second == self.plan.like_training:
            kill(self.what, self.folder)
        super().load(source, texts)


def questions(store: LocalBlockStore) -> list[BlockQuery[Any]]:
    """One of every kind, about rows that have to be worked out."""
    everything = RowSetDefinition.one("all_rows")
    first, others = RowSetDefinition.several(2, "split", (everything,), (0,))
    pair = [first, others]
    both = tuple(one.number for one in pair), flatten_definitions(pair)
    one = (first.number,), flatten_definitions([first])
    numbers = [place for place, bins in enumerate(store.bins) if bins.open and not bins.column.categories]
    place = numbers[0]
    cut = [(place, bins.cuts[1]) for place, bins in enumerate(store.bins) if bins.cuts and bins.column.categories]
    return [
        SplitCensus((), {}, store.labels, 7),
        DistinctValues(*one, len(store.bins)),
        FiniteRanges((), {}, numbers),
        HeaviestTexts(*one, cut),
        SizesAndHistograms(*both),
        LabelSizes(*both),
        PartWeights(*both, [(place, 0, 3), (place, 1, 2)]),
        SliceWeights(*both, ColumnRegion.of([Interval(place, texts=False, low=0.0, high=1.0)])),
        ValuesInRegions(*both, ColumnRegion.of([Interval(place, texts=False, low=0.0), Interval(2, texts=True)])),
        NeighbouringNumbers(*one, place, 0.0),
        FetchRows(*both),
    ]


def kinds(kind: type) -> list[type]:
    """All questions that can be asked."""
    return [one for sub in kind.__subclasses__() for one in (kinds(sub) or [sub])]


def plain(answer: Any, store: Any) -> Any:
    """An answer as what can be compared; rows come in any order, and in any pieces."""
    if isinstance(answer, np.ndarray):
        return answer.tolist()
    if isinstance(answer[0], np.ndarray):
        return [one.tolist() for one in answer]
    if hasattr(answer[0], "weights") and hasattr(answer[0], "labels"):
        table, weights = join_pieces(store, answer)
        sets = np.concatenate([piece.sets for piece in answer])
        rows = range(len(table))
        return sorted((str(table.record(k)), int(table.labels.codes[k]), weights[k], int(sets[k])) for k in rows)
    return [(list(one.values), one.weights.tolist()) for one in answer]


def all_there(session) -> None:
    """Wait until there are two executors again: with none left, Spark would wait for a new one anyway."""
    while session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < 3:  # the driver is one of them
        time.sleep(0.1)


@pytest.mark.parametrize("what", ["worker", "executor"])
def test_a_loss_costs_time_and_not_the_answer(session, spread, monkeypatch, tmp_path, what):
    """Whether a Python worker or an executor is killed, in whatever question: the answer is that of memory."""
    many(monkeypatch, 20)
    frame = mixed(8)
    task = task_of(frame)

    def batches():
        return iter([PolarsFrame(frame)])

    coding = BlockEncoding.of(task, stats_of_columns(task, batches))
    here = LocalBlockStore(coding, [coding.block(batch) for batch in batches()])
    store = spread(frame)
    every = questions(here)
    assert {type(query) for query in every} == set(kinds(BlockQuery)) - {Deadly}
    few = [query for query in every if isinstance(query, ValuesInRegions)]  # an executor takes ten seconds to come back
    for query in every if what == "worker" or LONG else few:
        name = f"{type(query).__name__} {what}"
        all_there(session)
        deadly = Deadly(query.sets, query.steps, query, name, str(tmp_path))
        assert plain(store.ask(deadly), store) == plain(here.ask(query), here), name
        assert (tmp_path / name).exists()


@pytest.mark.parametrize("what", ["worker", "executor"])
def test_a_loss_while_encoding_costs_time_and_not_the_fit(session, spread, tmp_path, what):
    """In the first pass, and in the second."""
    frame = mixed(9)
    for second in (False, True):
        all_there(session)
        task = task_of(frame, kind=DeadlyTask, folder=str(tmp_path), what=f"{second} {what}", second=second)
        store = spread(frame, task)
        assert (tmp_path / f"{second} {what}").exists()
        assert store.ask(sizes()).sum() == 2 * frame.height
    assert fold_rm(BlockEngine(store)) == fold_rm(read_table(frame, target="y"))


SPARK_PAGES = [page for page in PAGES if any(block.language == "python spark" for block in blocks(page))]


@pytest.mark.parametrize("page", SPARK_PAGES, ids=named)
def test_the_examples_of_pages_run(session, page, tmp_path, monkeypatch):
    """What they claim they assert, each after the Python before it."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"spark": session}
    for block in blocks(page):
        if block.language.startswith("python"):
            exec(compile(block.text, page.name, "exec"), names)
