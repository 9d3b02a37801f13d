"""Keep blocks on the executors of a Spark cluster; only counts and small sets of rows come to the driver.

The executor that reads a partition of a frame writes its blocks to files, in Spark's own folder for such files, and
returns a `SparkPartition` with their location. Spark caches these parts: it runs a query where a part is, and makes a
part and its files again if its executor is lost. The executors need the same version of ``unless`` as the driver.
"""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, TypeVar

from unless.blocks.block import Block
from unless.blocks.block_arrays import DATA_CHANGED, map_block, write_block
from unless.blocks.block_queries import BlockQuery, combine_in_groups
from unless.blocks.block_store import BlockStore, memory_budget_per_row
from unless.blocks.column_bins import ColumnBins
from unless.blocks.databases import frame_hash
from unless.blocks.encoding import BlockEncoding, ClassFactors, EncodingTask, TableStats
from unless.errors import ParameterError, ReadError, UnlessError
from unless.files import write_whole
from unless.libraries import pl
from unless.read.frames import PolarsFrame
from unless.read.headers import refuse_twins
from unless.read.source import Source

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import RDD
    from pyspark.sql import DataFrame

    Batches = Iterable[pa.RecordBatch]

Answer = TypeVar("Answer")

_CELLS = 1 << 22
"""The approximate number of cells of a block: Spark's batches of 10,000 rows would be many small blocks."""
_IN_VAIN = 3
"""The number of times that all data is encoded again if executors do not find their files."""

_READ = {
    *("boolean", "byte", "short", "integer", "long", "float", "double", "decimal", "string", "char", "varchar"),
    *("date", "timestamp", "timestamp_ntz", "time", "daytimeinterval", "void"),
}
"""The Spark types that can be read."""


@dataclass(frozen=True)
class SparkPartition:
    """A partition: its number of rows and blocks, the sum of the hashes of its rows, and the location of its files."""

    number: int
    rows: int
    blocks: int
    checksum: int
    folder: str

    def same(self, other: SparkPartition) -> bool:
        """Whether two partitions have the same rows, wherever their files are."""
        return (self.rows, self.blocks, self.checksum) == (other.rows, other.blocks, other.checksum)


class SparkBlockStore(BlockStore):
    """The rows of a Spark frame as blocks on the executors.

    The frame is computed twice, and again for a lost executor: it must return the same rows each time.
    """

    def __init__(self, frame: DataFrame, task: EncodingTask, factors: ClassFactors | None = None) -> None:
        self._names = [*task.plan.features, task.target, *([] if task.weights is None else [task.weights])]
        self._frame = _select_columns(frame, self._names)
        overview, checksum = self._first_pass(task)
        super().__init__(BlockEncoding.of(task, overview, factors))
        self._written = self._second_pass()
        try:
            self._parts = {part.number: part for part in map(_raise_refusal, self._written.collect())}
            if _sum_checksums(part.checksum for part in self._parts.values()) != checksum:
                raise ReadError(DATA_CHANGED)  # noqa: TRY301 - the files have to go
        except BaseException:
            self.close()
            raise
        executors = {os.path.dirname(part.folder) for part in self._parts.values()}  # noqa: PTH120 - not our own paths
        self._memory_budget = memory_budget_per_row(self.rows, len(executors))

    def ask(self, query: BlockQuery[Answer]) -> Answer:
        """Combine the answers of all blocks."""
        answers: dict[int, Answer] = {}
        vain = 0
        while lacking := [part.number for part in self._parts.values() if part.blocks and part.number not in answers]:
            found = self._answers(query, lacking)
            answers |= found
            if not found:
                self._encode_again(vain := vain + 1)
        return next(combine_in_groups((answers.pop(number) for number in sorted(answers)), query))

    def close(self) -> None:
        """Remove the files; Spark removes the files of lost executors."""
        with suppress(Exception):  # Spark may have been stopped
            self._written.foreach(_remove_files)
            self._written.unpersist()

    def _first_pass(self, task: EncodingTask) -> tuple[TableStats, int]:
        """Collect the statistics of all partitions; tasks merge them if there are more than four."""
        found = self._map_partitions(partial(_collect_stats, names=self._names, task=task)).treeAggregate(
            None, _merge_stats, _merge_stats
        )
        overview, checksum = (None, 0) if found is None else _raise_refusal(found)
        if overview is None:
            raise ReadError("the table has no rows to learn from")
        return overview, checksum

    def _second_pass(self) -> RDD[SparkPartition | UnlessError]:
        """Define the parts; their files are written when a part is first used."""
        return self._map_partitions(
            partial(_write_partition, names=self._names, coding=self.coding, token=token_hex(8))
        ).persist()

    def _map_partitions(self, function: Callable[[Batches], Iterator[pa.RecordBatch]]) -> RDD[Any]:
        """Apply a function to each partition, and return the results."""
        return self._frame.mapInArrow(function, "result binary").rdd.map(_unpickle_result)

    def _answers(self, query: BlockQuery[Answer], numbers: Sequence[int]) -> dict[int, Answer]:
        """Collect the answers of partitions, except those that ran on an executor without their files."""
        answer = partial(_answer_partition, query=query, memory_budget=self._memory_budget)
        found = self._frame.sparkSession.sparkContext.runJob(self._written, answer, numbers)
        for part, _ in found:
            if not _raise_refusal(part).same(self._parts[part.number]):
                raise ReadError(DATA_CHANGED)
        return {part.number: pickle.loads(answer) for part, answer in found if answer is not None}  # noqa: S301 - ours

    def _encode_again(self, vain: int) -> None:
        """Write all files once more: Spark runs the parts where their files are not."""
        if vain > _IN_VAIN:
            raise ReadError("the executors do not find the files that they wrote; are their disks full?")
        self.close()
        self._written = self._second_pass()


def frame_columns(frame: DataFrame) -> Source:
    """Return the columns of a Spark frame, without rows, for `read.column_plan.plan_columns`."""
    refuse_twins(frame.columns)
    return PolarsFrame(pl.DataFrame(schema=dict.fromkeys(frame.columns, pl.Null)))


def _select_columns(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """Select columns and number them: Spark interprets dots and backticks in names, and ignores case."""
    if not hasattr(frame.sparkSession, "sparkContext"):
        raise ParameterError("a session of Spark Connect cannot keep data on the executors; take a classic session")
    types = {field.name: field.dataType for field in frame.schema.fields}
    for name in names:
        if types[name].typeName() not in _READ:
            kind = types[name].simpleString()
            raise ParameterError(f"{name!r} is {kind:.60}, which no rule can test; leave it out, or convert it to text")
    places = {name: f"c{place}" for place, name in enumerate(frame.columns)}
    return frame.toDF(*places.values()).select(*(places[name] for name in names))


def _raise_refusal(result: Any) -> Any:
    """Return the result of a task, or raise the error that it returned."""
    if isinstance(result, UnlessError):
        raise result
    return result


# These functions run in the Python workers of the executors. They return errors: Spark would retry if they raised.


def _unpickle_result(row: Any) -> Any:
    return pickle.loads(row.result)  # noqa: S301 - ours


def _pickle_result(result: object) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.record_batch({"result": pa.array([pickle.dumps(result)], pa.binary())})


def _collect_stats(batches: Batches, names: Sequence[str], task: EncodingTask) -> Iterator[pa.RecordBatch]:
    """Collect the statistics of a partition, and the sum of the hashes of its rows."""
    result: Any = None, 0
    try:
        for frame in _join_batches(batches, names):
            result = _merge_stats(result, (TableStats.of(task, PolarsFrame(frame)), frame_hash(frame)))
    except UnlessError as error:
        result = error
    yield _pickle_result(result)


def _merge_stats(one: Any, other: Any) -> Any:
    """Merge the statistics of two sets of rows."""
    for result in (one, other):
        if isinstance(result, UnlessError):
            return result
    if one is None or one[0] is None:
        return other
    if other is not None and other[0] is not None:
        one[0].merge(other[0])
        return one[0], _sum_checksums([one[1], other[1]])
    return one


def _write_partition(
    batches: Batches, names: Sequence[str], coding: BlockEncoding, token: str
) -> Iterator[pa.RecordBatch]:
    """Write the blocks of a partition, and yield their location."""
    from pyspark import TaskContext

    number = TaskContext.get().partitionId()
    folder = _new_folder(token, number)
    rows = blocks = checksum = 0
    try:
        for frame in _join_batches(batches, names):
            arrays = coding.block(PolarsFrame(frame))
            if len(arrays["labels"]):
                write_block(folder / str(blocks), arrays)
                blocks += 1
            rows += frame.height
            checksum = _sum_checksums([checksum, frame_hash(frame)])
    except UnlessError as error:
        yield _pickle_result(error)
        return
    except KeyError:  # a value that did not occur in the first pass
        yield _pickle_result(ReadError(DATA_CHANGED))
        return
    if not (common := folder.parent / "bins").exists():  # so that queries need not send them
        write_whole(common, pickle.dumps((coding.bins, len(coding.labels))))
    yield _pickle_result(SparkPartition(number, rows, blocks, checksum, str(folder)))


def _new_folder(token: str, number: int) -> Path:
    """Make a folder for a partition within Spark's own, which Spark removes when the executor ends."""
    places = os.environ.get("SPARK_LOCAL_DIRS", gettempdir()).split(",")
    folder = Path(places[number % len(places)], f"unless-{token}", f"{number}-{token_hex(4)}")
    folder.mkdir(parents=True)
    return folder


def _answer_partition(
    parts: Iterable[Any], query: BlockQuery[Any], memory_budget: float
) -> Iterator[tuple[Any, bytes | None]]:
    """Answer a query for a partition; None if its files are not here."""
    for part in parts:
        blocks = [] if isinstance(part, UnlessError) else _open_blocks(part, memory_budget)
        answers = combine_in_groups(map(query.answer, blocks), query)
        yield part, pickle.dumps(next(answers), 5) if blocks else None


_OPEN: dict[str, list[Block]] = {}
"""The blocks of this worker by folder; a worker serves many tasks, so its blocks can cache sets of rows."""


def _open_blocks(part: SparkPartition, memory_budget: float) -> list[Block]:
    """Open the blocks of a partition; none if they are not here."""
    if part.folder not in _OPEN:
        for gone in [folder for folder in _OPEN if not Path(folder).exists()]:
            del _OPEN[gone]
        paths = [Path(part.folder, str(number)) for number in range(part.blocks)]
        if not all(path.exists() for path in paths):
            return []
        bins, labels = _read_common(Path(part.folder).parent)
        blocks = map(map_block, paths)
        _OPEN[part.folder] = [Block(bins, labels, arrays, memory_budget * len(arrays["labels"])) for arrays in blocks]
    return _OPEN[part.folder]


def _read_common(folder: Path) -> tuple[Sequence[ColumnBins], int]:
    """Read the bins and the number of labels, which all blocks share."""
    found: tuple[Sequence[ColumnBins], int] = pickle.loads((folder / "bins").read_bytes())  # noqa: S301 - ours
    return found


def _remove_files(part: SparkPartition | UnlessError) -> None:
    """Remove the files that this executor has written."""
    if isinstance(part, SparkPartition):
        shutil.rmtree(Path(part.folder).parent, ignore_errors=True)


def _join_batches(batches: Batches, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the rows of a partition in large frames."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # a task has one core; polars reads this when it is imported
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows * len(names) >= _CELLS:
            yield _batches_to_frame(waiting, names)
            waiting, rows = [], 0
    if rows:
        yield _batches_to_frame(waiting, names)


def _batches_to_frame(batches: Sequence[pa.RecordBatch], names: Sequence[str]) -> pl.DataFrame:
    """Convert batches to one frame: decimals become the nearest floats, and instants get a zone known to polars."""
    import pyarrow as pa

    table = pa.Table.from_batches(batches)
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            instants = table.column(place).cast(pa.timestamp(field.type.unit, "UTC"))
            table = table.set_column(place, field.name, instants)
    frame = pl.DataFrame(pl.from_arrow(table))
    frame.columns = list(names)  # only now: from_arrow would rename a column named ''
    return frame.with_columns(pl.selectors.decimal().cast(pl.Float64))  # Arrow's own cast is inexact for 1.15


def _sum_checksums(checksums: Iterable[int]) -> int:
    return sum(checksums) % 2**64
