"""A cluster of Spark on this machine: encoding and a fit against MLlib's decision tree, in one session.

``python -m benchmarks.spark [rows] [--executors N]`` prints the processor time and the wall time of both. Processor
time is that of all processes together: the driver, its Java, the executors and their Python workers.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import generate
from benchmarks.timing import ROOT

__all__ = ["against_mllib", "main"]

_TICKS = os.sysconf("SC_CLK_TCK")


def against_mllib(rows: int, executors: int = 2, partitions: int = 8) -> Iterator[tuple[str, float, float]]:
    """Each contestant, and its processor time and wall time."""
    with tempfile.TemporaryDirectory() as folder, _session(executors, folder) as session:
        few, path = str(Path(folder, "few")), str(Path(folder, "rows"))
        _write(8000, few, partitions)
        _write(rows, path, partitions)
        for run in (_ours, _theirs):  # what starts or is compiled once does not count
            run(session.read.parquet(few))
        frame = session.read.parquet(path)
        yield "unless", *_measured(lambda: _ours(frame))
        yield "MLlib", *_measured(lambda: _theirs(frame))


@contextmanager
def _session(executors: int, folder: str) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["SPARK_WORKER_DIR"], os.environ["SPARK_LOCAL_HOSTNAME"] = folder, "localhost"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.executor.memory": "2g",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    builder = SparkSession.builder.master(f"local-cluster[{executors},1,2048]").appName("unless")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


def _write(rows: int, path: str, partitions: int) -> None:
    """The generated rows as files of Parquet, one for each partition."""
    import polars as pl

    Path(path).mkdir()
    for number in range(partitions):
        drawn = generate.draw(rows // partitions, seed=number)
        columns: dict[str, Any] = {f"x{n}": cells for n, cells in enumerate(drawn.continuous)}
        columns |= {f"i{n}": cells.astype("int32") for n, cells in enumerate(drawn.integers)}
        columns |= {f"c{n}": [f"v{code:03d}" for code in cells.tolist()] for n, cells in enumerate(drawn.categories)}
        columns["label"] = [generate.LABELS[code] for code in drawn.label.tolist()]
        pl.DataFrame(columns).write_parquet(Path(path, f"{number}.parquet"))


def _ours(frame: Any) -> None:
    from unless.blocks.block_engine import BlockEngine
    from unless.blocks.encoding import EncodingTask
    from unless.blocks.spark_store import SparkBlockStore, frame_columns
    from unless.learn.fold import fold_rm
    from unless.read.column_plan import plan_columns
    from unless.read.options import ReadOptions

    store = SparkBlockStore(frame, EncodingTask(plan_columns(frame_columns(frame), ReadOptions(), target="label")))
    try:
        fold_rm(BlockEngine(store))
    finally:
        store.close()


def _theirs(frame: Any) -> None:
    """Texts as indices, all columns as a vector, and a tree of depth 10."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    texts = [name for name in frame.columns if name.startswith("c")]
    numbers = [name for name in frame.columns if name[0] in "xi"]
    indices = [f"{name} index" for name in (*texts, "label")]
    steps = [
        StringIndexer(inputCols=[*texts, "label"], outputCols=indices),
        VectorAssembler(inputCols=[*numbers, *indices[:-1]], outputCol="features"),
        DecisionTreeClassifier(labelCol="label index", maxDepth=10, maxBins=256),
    ]
    Pipeline(stages=steps).fit(frame)


def _measured(run: Callable[[], object]) -> tuple[float, float]:
    before, start = _processor(), time.perf_counter()
    run()
    return _processor() - before, time.perf_counter() - start


def _processor() -> float:
    """The seconds that this process and all that came from it have worked."""
    spent: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            spent[int(entry.name)] = sum(map(int, fields[11:15]))
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += spent.get(process, 0)
        waiting += children.get(process, [])
    return total / _TICKS


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description="Spark: unless against MLlib.")
    parser.add_argument("rows", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--executors", type=int, default=2)
    options = parser.parse_args()
    found: dict[str, float] = {}
    for name, processor, wall in against_mllib(options.rows, options.executors):
        print(f"{name}: {processor:.1f} s of processor time, {wall:.1f} s", flush=True)
        found[name] = processor
    print(f"{found['unless'] / found['MLlib']:.2f} of MLlib's processor time")


if __name__ == "__main__":
    main()
