"""Blocks that are kept, and rules so far: what was interrupted goes on, and nothing else is touched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import warnings
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np
import polars as pl
import pytest

from tests.blocks.frames import FrameStream
from tests.blocks.sources import make_blocks
from tests.lengths import LONG, fewer
from unless import UnlessClassifier, UnlessWarning, fold_rm, fold_rpp
from unless.blocks.block_arrays import map_block, write_block
from unless.blocks.block_cache import BlockCache, CacheOptions
from unless.blocks.block_dataset import BlockDataset, make_block_dataset
from unless.blocks.databases import Query
from unless.blocks.file_checkpoints import FileCheckpoint
from unless.blocks.inputs import open_source
from unless.errors import MissingFileError, ParameterError, ReadError
from unless.learn import fold_unless
from unless.learn import unless_learner as own_module
from unless.learn.list_optimiser import ListOptimiser
from unless.storage import cache_folder as kept_module

NAME = "unless-blocks.json"


def frame(rows: int = 600, seed: int = 0) -> pl.DataFrame:
    """Records whose rules need exceptions: numbers, texts, dates, flags, missing cells, three labels, weights."""
    rng = np.random.default_rng(seed)
    x, z, day = rng.normal(size=rows).round(2), rng.integers(0, 50, rows), rng.integers(0, 400, rows)
    city, flag = rng.choice(list("abcdé"), rows), rng.integers(0, 2, rows)
    label = np.where((x > 0.3) & (city != "b"), "p", np.where((z > 30) | (day < 90), "q", "r"))
    label = np.where(rng.random(rows) < 0.15, rng.choice(["p", "q", "r"], rows), label)
    when = pl.Series(day).cast(pl.Int32).cast(pl.Date)
    found = pl.DataFrame({"x": x, "z": z, "when": when, "city": city, "flag": flag, "w": rng.integers(0, 4, rows)})
    gone = pl.Series(rng.random(rows) < 0.1)
    return found.with_columns(city=pl.when(gone).then(None).otherwise(pl.col("city")), y=pl.Series(label))


class Counting(FrameStream):
    """Frames that count how often they are read; their fingerprint is given."""

    def __init__(self, data: pl.DataFrame, state: object = 1, size: int = 150) -> None:
        super().__init__(lambda: data.iter_slices(size), "some frames")
        self.state, self.reads = state, 0

    def batches(self):
        self.reads += 1
        yield from super().batches()

    def fingerprint(self):
        return self.state


def blocks_in(folder: Path, stream, **asked) -> BlockDataset:
    """The blocks of a stream, kept in a folder."""
    return make_blocks(stream, target="y", keep=CacheOptions(folder), **asked)


def learners(blocks):
    """All three learners, by name."""
    return {
        "fold_rm": lambda **more: fold_rm(blocks, **more),
        "fold_rpp": lambda **more: fold_rpp(blocks, "q", **more),
        "fold_unless": lambda **more: fold_unless(blocks, **more),
        "rule_by_rule": lambda **more: fold_unless(blocks, optimise=False, **more),
    }


# Blocks.


def test_finished_blocks_are_not_read_again(tmp_path):
    """Blocks that are there are used: the source is not read, and everything known of them is as it was."""
    stream = Counting(frame())
    with blocks_in(tmp_path / "kept", stream, weights="w", numeric=["z"]) as made:
        before = made.coding
        table, weights = made.sample()
    reads = stream.reads
    with blocks_in(tmp_path / "kept", stream, weights="w", numeric=["z"]) as found:
        after = found.coding
        again, units = found.sample()
    assert stream.reads == reads > 0
    assert (after.task, after.labels, after.unit, after.rows) == (before.task, before.labels, before.unit, before.rows)
    assert after.label_of == before.label_of
    assert after.units == before.units
    assert after.schema == before.schema
    for one, other in zip(after.bins, before.bins, strict=True):
        assert (one.column.name, one.column.categories, one.open) == (
            other.column.name,
            other.column.categories,
            other.open,
        )
        assert one.column.numbers.tolist() == other.column.numbers.tolist()
        assert one.value_counts.tolist() == other.value_counts.tolist()
    assert [column.codes.tolist() for column in again.columns] == [column.codes.tolist() for column in table.columns]
    assert units.tolist() == weights.tolist()


def test_columns_of_many_values(tmp_path):
    """Cuts, finer cuts and values that blocks have of their own are kept too."""
    rng = np.random.default_rng(1)
    rows = 80_000
    number, name = rng.normal(size=rows), pl.Series(rng.integers(0, 60_000, rows)).cast(pl.String) + " é"
    label = np.where((number > 0.5) & (rng.random(rows) < 0.9), "p", "q")
    data = pl.DataFrame({"number": number, "name": name, "y": label})
    with blocks_in(tmp_path / "kept", Counting(data, size=30_000)) as made:
        wanted = fold_rm(made, progress=lambda _, rules: rules >= 3)
        cuts = [one.cuts for one in made.coding.bins]
        finer = [one.finer for one in made.coding.bins]
        assert any(one.open for one in made.coding.bins)
    _forget(tmp_path / "kept")
    with blocks_in(tmp_path / "kept", Counting(data, size=30_000)) as found:
        assert fold_rm(found, progress=lambda _, rules: rules >= 3) == wanted
        for one, cut, fine in zip(found.coding.bins, cuts, finer, strict=True):
            assert (one.cuts is None) == (cut is None)
            if cut is not None:
                assert (one.cuts[0].tolist(), one.cuts[1]) == (cut[0].tolist(), cut[1])
            assert (None if one.finer is None else one.finer.tolist()) == (None if fine is None else fine.tolist())


def test_files_that_changed_are_read_again(tmp_path):
    """A file that has changed gives new blocks, which is said; the old rules do not count."""
    path = tmp_path / "a.csv"
    frame().write_csv(path)
    kept = BlockCache(path, tmp_path / "kept")
    fold_rm(kept, target="y")
    frame(seed=5).write_csv(path)
    with pytest.warns(UnlessWarning, match=r"are out of date: .*a\.csv has changed; they are made again"):
        program = fold_rm(kept, target="y")
    assert program == fold_rm(path, target="y")
    assert fold_rm(kept, target="y") == program


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"weights": "w"}, "weights"),
        ({"categorical": ["z"]}, "categorical"),
        ({"drop_unlabelled": True}, "drop_unlabelled"),
        ({"missing": ["a"]}, "missing"),
        ({"features": ["x", "z"]}, "features"),
        ({"orders": {"city": ["e", "é", "d", "c", "b", "a"]}}, "orders"),
    ],
)
def test_other_requests_give_other_blocks(tmp_path, more, name):
    """Blocks that were made for something else are made again, and the warning names what is different."""
    stream = Counting(frame())
    blocks_in(tmp_path / "kept", stream).close()
    reads = stream.reads
    with pytest.warns(UnlessWarning, match=f"were made for another {name}"):
        blocks_in(tmp_path / "kept", stream, **more).close()
    assert stream.reads > reads
    reads = stream.reads
    blocks_in(tmp_path / "kept", stream, **more).close()
    assert stream.reads == reads


def test_class_weights_are_compared(tmp_path):
    """Blocks have the weights of classes that they were made with; other weights give other blocks."""
    stream = Counting(frame())

    def doubled(labels, _):
        return np.where(np.array(labels) == "p", 2.0, 1.0)

    blocks_in(tmp_path / "kept", stream, factors=doubled).close()
    reads = stream.reads
    blocks_in(tmp_path / "kept", stream, factors=partial(doubled)).close()
    assert stream.reads == reads
    with pytest.warns(UnlessWarning, match="other class weights"):
        blocks_in(tmp_path / "kept", stream).close()
    with pytest.warns(UnlessWarning, match="other class weights"):
        blocks_in(tmp_path / "kept", stream, factors=doubled).close()


def test_sources_whose_changes_nobody_sees(tmp_path):
    """Where only reading tells whether a source has changed it is read again, unless the caller knows better."""
    stream = Counting(frame(), state=None)
    blocks_in(tmp_path / "kept", stream).close()
    with pytest.warns(UnlessWarning, match="only reading shows whether some frames has changed"):
        blocks_in(tmp_path / "kept", stream).close()
    reads = stream.reads
    found = open_source(BlockCache(stream, tmp_path / "kept", unchanged=True), "y")
    assert isinstance(found, BlockDataset)
    found.close()
    assert stream.reads == reads


def test_long_queries_are_told_apart(tmp_path):
    """Two queries that begin alike do not share blocks, even if the caller says that nothing has changed."""
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    table = frame()
    connection.register("t", table.to_arrow())
    columns = ", ".join(f'"{name}"' for name in table.columns)
    begin = f"SELECT {columns} FROM t WHERE {' AND '.join(['1 = 1'] * 20)}"
    folder = tmp_path / "kept"
    queries = [Query(connection, f"{begin} LIMIT {rows}") for rows in (40, 30)]
    rows = []
    for query in queries:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnlessWarning)  # blocks of another query are made anew, and that is said
            found = open_source(BlockCache(query, folder, unchanged=True), "y")
        assert isinstance(found, BlockDataset)
        rows.append(found.rows)
        found.close()
    assert rows == [40, 30]


@pytest.mark.parametrize(("name", "newer"), [("__version__", "99"), ("VERSION", kept_module.VERSION + 1)])
def test_blocks_of_another_version(tmp_path, monkeypatch, name, newer):
    """Blocks and rules of another version of unless, which may learn otherwise, do not count; nor an older layout."""
    stream = Counting(frame())
    blocks_in(tmp_path / "kept", stream).close()
    monkeypatch.setattr(kept_module, name, newer)
    with pytest.warns(UnlessWarning, match="another version"):
        blocks_in(tmp_path / "kept", stream).close()


def test_what_is_left_out_is_known_later(tmp_path):
    """Features that were left out, and why, are known of blocks that were not made now."""
    stream, keep = Counting(frame()), CacheOptions(tmp_path / "kept", {"include": ["x"]})
    with make_block_dataset(stream, target="y", keep=keep, leave_out=lambda *_: {"z": {"code": "dull"}}) as made:
        assert "z" not in made.schema.kinds
    reads = stream.reads
    with make_block_dataset(stream, target="y", keep=keep, leave_out=lambda *_: pytest.fail("asked again")) as found:
        assert found.coding.left_out == {"z": {"code": "dull"}}
        assert "z" not in found.schema.kinds
    assert stream.reads == reads


# Folders.


def test_folders_of_others_are_left_alone(tmp_path):
    """A folder with other files is refused, and stays as it is, even if the files have names like ours."""
    for name in ("letter.txt", "0.block", NAME):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text("mine")
        with pytest.raises(ParameterError, match="contains other files, which are not touched; name a new or empty"):
            blocks_in(folder, Counting(frame()))
        assert [(path.name, path.read_text()) for path in folder.iterdir()] == [(name, "mine")]


def test_other_files_in_our_folder_stay(tmp_path):
    """What somebody puts beside our blocks stays when they are made again."""
    folder = tmp_path / "kept"
    blocks_in(folder, Counting(frame())).close()
    (folder / "letter.txt").write_text("mine")
    with pytest.warns(UnlessWarning, match="some frames has changed"):
        blocks_in(folder, Counting(frame(), state=2)).close()
    assert (folder / "letter.txt").read_text() == "mine"


def test_files_and_missing_folders_are_refused(tmp_path):
    """A file is no folder, and the folder around must exist."""
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ParameterError, match="is a file; name a folder"):
        blocks_in(tmp_path / "file", Counting(frame()))
    with pytest.raises(MissingFileError, match="create it first"):
        blocks_in(tmp_path / "a" / "b", Counting(frame()))


def test_unfinished_folders_are_made_again(tmp_path):
    """Blocks without a description, as a killed process leaves them, do not count."""
    folder = tmp_path / "kept"
    stream = Counting(frame())
    blocks_in(folder, stream).close()
    _describe(folder, {"format": "unless-blocks", "version": kept_module.VERSION})
    (folder / "77.block").write_text("half")
    with pytest.warns(UnlessWarning, match="were not finished"):
        blocks_in(folder, stream).close()
    assert not (folder / "77.block").exists()


def test_newer_folders_are_refused(tmp_path):
    """A folder of a newer version is not made again: somebody else uses it."""
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / NAME).write_text(json.dumps({"format": "unless-blocks", "version": kept_module.VERSION + 1}))
    with pytest.raises(ParameterError, match="newer version"):
        blocks_in(folder, Counting(frame()))


@pytest.mark.parametrize("state", [1, 2])
def test_one_folder_for_several_processes(tmp_path, state):
    """Several may learn from the same blocks, but nobody makes blocks where others learn or make them."""
    folder = tmp_path / "kept"
    with blocks_in(folder, Counting(frame())) as first:
        if state == 1:
            with blocks_in(folder, Counting(frame())) as second:
                assert fold_rm(first) == fold_rm(second)
        else:
            with pytest.raises(ParameterError, match="others are learning from them; name another folder"):
                blocks_in(folder, Counting(frame(), state=state))
    stream = Counting(frame(), state=3)
    refused = []

    def meanwhile(*_):
        if not refused:
            with pytest.raises(ParameterError, match="another process is making blocks") as error:
                blocks_in(folder, Counting(frame()))
            refused.append(error)

    with pytest.warns(UnlessWarning, match="has changed"):
        make_block_dataset(stream, target="y", keep=CacheOptions(folder), progress=meanwhile).close()
    assert refused


def test_errors_leave_nothing(tmp_path, monkeypatch):
    """If blocks cannot be made, a new folder is gone, an old one is empty, and so is the one for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "old").mkdir()
    for stop in (OSError("the disk is full"), KeyboardInterrupt()):

        def failing(what, rows, stop=stop):
            if what == "coded" and rows > 200:
                raise stop

        for keep in (CacheOptions(tmp_path / "new"), CacheOptions(tmp_path / "old"), None):
            with pytest.raises(type(stop)):
                make_block_dataset(Counting(frame()), target="y", keep=keep, progress=failing)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "temporary"]
    assert not any((tmp_path / "old").iterdir())
    assert not any((tmp_path / "temporary").iterdir())


def test_data_that_changes_while_it_is_read(tmp_path):
    """Blocks of data that changes meanwhile are refused, and not kept."""
    stream = Counting(frame())

    def change(what, _):
        stream.state = what

    with pytest.raises(ReadError, match="changed while it was read"):
        make_block_dataset(stream, target="y", keep=CacheOptions(tmp_path / "kept"), progress=change)
    assert not (tmp_path / "kept").exists()


# Files of strangers.


@pytest.mark.parametrize("name", ["0.block", "values.block"])
@pytest.mark.parametrize("damage", ["gone", "cut", "other bytes"])
def test_damaged_files_are_noticed(tmp_path, name, damage):
    """A file that is gone, too short or different is noticed, and everything is made again."""
    folder = tmp_path / "kept"
    blocks_in(folder, Counting(frame())).close()
    path = folder / name
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(content[:-10] if damage == "cut" else content[:-70] + b"\x7f" * 70)
    with pytest.warns(UnlessWarning, match="are damaged; they are made again"):
        blocks_in(folder, Counting(frame())).close()
    assert path.read_bytes() == content


@pytest.mark.parametrize("array", ["bins", "fine", "labels", "weights", "lows", "cells", "ends 3", "type", "place"])
def test_addresses_of_strangers(tmp_path, array, monkeypatch):
    """Cells that would be addresses outside of a table never reach the kernels, even if the checksum is right."""
    from unless.blocks import column_stats

    monkeypatch.setattr(column_stats, "MANY", 3)
    folder, weights = tmp_path / "kept", "w" if array == "weights" else None
    blocks_in(folder, Counting(frame()), weights=weights).close()
    path = folder / "0.block"
    arrays = {name: found.copy() for name, found in map_block(path).items()}
    if array in arrays:
        arrays[array][-1] = 200 if arrays[array].dtype == np.uint8 else -1
        if array in ("lows", "cells"):  # whatever they are, they are no addresses; but there must be enough of them
            arrays[array] = arrays[array][:-1]
        path.unlink()
        write_block(path, arrays)
    else:
        old, new = (b'"<i4"', b'"|O8"') if array == "type" else (b", 4096]", b", -409]")
        head, _, rest = path.read_bytes().partition(b"\n")
        assert old in head
        path.write_bytes(head.replace(old, new, 1) + b"\n" + rest)
    description = json.loads((folder / NAME).read_text())
    description["blocks"][0] = [path.stat().st_size, kept_module.checksum(path)]
    _describe(folder, description)
    with pytest.warns(UnlessWarning, match="are damaged"):
        blocks_in(folder, Counting(frame()), weights=weights).close()


def test_descriptions_of_strangers(tmp_path):
    """Whatever a description says instead of what we wrote, it is refused or the blocks are made again."""
    folder = tmp_path / "kept"
    blocks_in(folder, Counting(frame())).close()
    good = json.loads((folder / NAME).read_text())
    for name in good["coding"]:
        for wrong in (None, 7, "x", [], [[]], {}, [["x"]]):
            if wrong == good["coding"][name] or name in ("drop_unlabelled", "given", "spelled", "weights", "missing"):
                continue
            bad = {**good, "coding": {**good["coding"], name: wrong}}
            _describe(folder, bad)
            with warnings.catch_warnings(record=True):
                warnings.simplefilter("always")
                with blocks_in(folder, Counting(frame())) as found:
                    assert fold_rm(found).target == "y"


def _describe(folder: Path, description: dict) -> None:
    """Write a description with its checksum, whatever it says."""
    rest = {name: one for name, one in description.items() if name != "check"}
    (folder / NAME).write_text(json.dumps({**rest, "check": kept_module._check_of(rest)}))


def _line(content: object) -> bytes:
    """A line of notes with its checksum, whatever it says."""
    text = json.dumps(content).encode()
    return b"%08x %s\n" % (crc32(text), text)


def test_any_damaged_byte_gives_the_same_program(tmp_path):
    """Whichever byte of the description, the notes or a block is another one, the program is the same."""
    folder = tmp_path / "kept"
    with blocks_in(folder, Counting(frame(200))) as blocks:
        wanted = fold_rm(blocks)
    rng = np.random.default_rng(0)
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        for place in rng.integers(0, len(content), len(fewer(150 if path.name == NAME else 30))).tolist():
            path.write_bytes(
                content[:place] + bytes([content[place] ^ int(rng.integers(1, 256))]) + content[place + 1 :]
            )
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                with blocks_in(folder, Counting(frame(200))) as blocks:
                    assert fold_rm(blocks) == wanted
            if path.name == NAME:
                assert "are damaged; they are made again" in str(said[0].message)
            content = path.read_bytes()


def test_a_damaged_description_beside_files_of_others(tmp_path):
    """Nothing is removed where other files lie beside blocks whose description is damaged."""
    folder = tmp_path / "kept"
    blocks_in(folder, Counting(frame())).close()
    (folder / "letter.txt").write_text("mine")
    (folder / NAME).write_text("{")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ParameterError, match="contains other files, which are not touched"):
        blocks_in(folder, Counting(frame()))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_kept_folders_are_private(tmp_path):
    """Only the owner of a kept folder can read it, and every file in it."""
    folder = tmp_path / "kept"
    with blocks_in(folder, Counting(frame())) as blocks:
        fold_rm(blocks)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    """An error of writing a block says which file could not be written."""
    from unless.storage import array_files

    real = array_files.open if hasattr(array_files, "open") else open
    monkeypatch.setattr(
        array_files, "open", lambda _, *rest, **how: real("/dev/full", "wb", buffering=0), raising=False
    )
    with pytest.raises(OSError, match="No space left") as caught:
        blocks_in(tmp_path / "kept", Counting(frame()))
    assert caught.value.filename == str(tmp_path / "kept" / "0.block")


# Rules so far.


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("name", ["fold_rm", "fold_rpp", "fold_unless", "rule_by_rule"])
@pytest.mark.parametrize("local", [100, 1_000_000])
def test_every_point_of_interruption(tmp_path, name, weights, local):
    """A learner that is stopped after any number of steps, by Ctrl-C or by its caller, gives the same program later."""
    with blocks_in(tmp_path / "kept", Counting(frame(300)), weights=weights) as blocks:
        blocks.local = local
        learn = learners(blocks)[name]
        seen: list[int] = []
        wanted = learn(progress=lambda _, rules: seen.append(rules))
        assert max(seen) > 1
        every = len(seen) // (5 if LONG else 3) if name == "fold_unless" else 0 if LONG else 3  # optimising has many
        for stop in range(0, len(seen), every | 1):  # an odd number, for both ways to stop
            _forget(tmp_path / "kept")
            learn(progress=_stopping(stop), keep_on_interrupt=True)
            assert learn() == wanted


@pytest.mark.parametrize("more", [{}, {"max_rules": 4}, {"penalty": 0.2}])
def test_optimising_goes_on(tmp_path, monkeypatch, more):
    """Wherever optimising is interrupted, no rule that it had improved or inserted is worked on again."""
    begun = []
    worthy = ListOptimiser.improve_if_worth_price
    monkeypatch.setattr(
        ListOptimiser,
        "improve_if_worth_price",
        lambda self, *gains_and_losses: begun.append(self.checkpoint) or worthy(self, *gains_and_losses),
    )
    with blocks_in(tmp_path / "kept", Counting(frame(400))) as blocks:
        wanted = fold_unless(blocks, **more)
        steps = sum(isinstance(page, FileCheckpoint) for page in begun)  # others are trials on parts of the rows
        assert steps > 8
        for stop in range(0, steps, 3):
            _forget(tmp_path / "kept")
            begun.clear()
            monkeypatch.setattr(ListOptimiser, "improve_if_worth_price", _interrupted(begun, worthy, stop))
            fold_unless(blocks, keep_on_interrupt=True, **more)
            begun.clear()
            monkeypatch.setattr(ListOptimiser, "improve_if_worth_price", _interrupted(begun, worthy, steps))
            assert fold_unless(blocks, **more) == wanted
            assert len(begun) == steps - stop


def _interrupted(begun: list, worthy, after: int):
    """A step of optimising all rows that Ctrl-C interrupts after some such steps."""

    def step(self, *gains_and_losses):
        if isinstance(self.checkpoint, FileCheckpoint):
            if len(begun) == after:
                raise KeyboardInterrupt
            begun.append(self.checkpoint)
        return worthy(self, *gains_and_losses)

    return step


def _stopping(after: int):
    """Progress that stops after some steps: by Ctrl-C after an odd number, else as the caller of a learner does."""
    steps = iter(range(after))

    def progress(*_) -> bool:
        if next(steps, None) is not None:
            return False
        if after % 2:
            raise KeyboardInterrupt
        return True

    return progress


def _forget(folder: Path) -> None:
    """Remove the rules so far."""
    for path in folder.glob("rules-*"):
        path.unlink()


@pytest.mark.parametrize("name", ["fold_rm", "fold_rpp", "fold_unless", "rule_by_rule"])
def test_finished_programs_come_at_once(tmp_path, name, monkeypatch):
    """Nothing is searched again for a program that was finished, and its thresholds and dates are as they were."""
    from unless.blocks.block_engine import BlockEngine
    from unless.learn.memory_engine import MemoryEngine

    with blocks_in(tmp_path / "kept", Counting(frame())) as blocks:
        wanted = learners(blocks)[name]()
    for engine in (BlockEngine, MemoryEngine):
        for method in ("find_literal", "grow_rule"):
            monkeypatch.setattr(engine, method, lambda *_, **__: pytest.fail("a search"))
    with blocks_in(tmp_path / "kept", Counting(frame())) as blocks:
        found = learners(blocks)[name]()
    assert found == wanted
    assert str(found) == str(wanted)
    assert found.notations == wanted.notations


def test_settings_have_rules_of_their_own(tmp_path):
    """What one learner noted is nothing to another, nor to other settings or other rows."""
    with blocks_in(tmp_path / "kept", Counting(frame())) as blocks:
        programs = {
            (name, ratio): learn(ratio=ratio) for name, learn in learners(blocks).items() for ratio in (0.3, 0.5, 1.0)
        }
        split, *_ = blocks.split(0.3, salt=0)
        back = fold_rm(blocks.engine(split))
    with blocks_in(tmp_path / "other", Counting(frame())) as blocks:
        assert fold_rm(blocks.engine(split)) == back
        for (name, ratio), program in programs.items():
            _forget(tmp_path / "other")
            assert learners(blocks)[name](ratio=ratio) == program


@pytest.mark.parametrize("constant", ["RULE_PRICE", "MANY_RECORDS"])
def test_another_version_of_the_learner_has_rules_of_its_own(tmp_path, monkeypatch, constant):
    """What rules cost, and when there is plenty, is no setting; yet lists learned in another way do not count."""
    with blocks_in(tmp_path / "kept", Counting(frame())) as blocks:
        fold_unless(blocks)
        before = set((tmp_path / "kept").glob("rules-*"))
        fold_unless(blocks)
        assert set((tmp_path / "kept").glob("rules-*")) == before
        monkeypatch.setattr(own_module, constant, 10 * getattr(own_module, constant))
        fold_unless(blocks)
        assert set((tmp_path / "kept").glob("rules-*")) > before


def test_torn_lines_are_skipped(tmp_path):
    """A line that was cut while it was written is learned again, at every place of the cut."""
    stream = Counting(frame())
    with blocks_in(tmp_path / "kept", stream) as blocks:
        wanted = fold_rm(blocks)
        (path,) = (tmp_path / "kept").glob("rules-*")
        content = path.read_bytes()
        for cut in (*range(0, len(content), 37), len(content) - 1):
            path.write_bytes(content[:cut])
            assert fold_rm(blocks) == wanted
            assert fold_rm(blocks) == wanted


def test_notes_of_strangers(tmp_path):
    """Notes that are no rules of these columns are refused, with the name of the file."""
    with blocks_in(tmp_path / "kept", Counting(frame())) as blocks:
        fold_rm(blocks)
        (path,) = (tmp_path / "kept").glob("rules-*")
        head = path.read_bytes().split(b"\n")[0]
        rule = {"label": "p", "default": [["nobody", "<=", 1.0]]}
        good = {"rules": [{"label": "p", "default": []}], "otherwise": None}
        shapes = (5, [["p", 1]], [[1, 2]], [[1, 2], [1]], [[1, 2], [1, -1]], [[1, 2], [1, float("nan")]], [[1, 2]] * 3)
        wrong = [[0, rule], [0, 7], [{}, None], [0, rule, [1]], ["end", {"rules": [[]]}, []], ["end", [1], []]]
        wrong += [["abc", None], [float("inf"), None], *(["end", good, left] for left in shapes)]
        for line in wrong:
            path.write_bytes(head + b"\n" + _line(line))
            with pytest.raises(ReadError, match=f"{path.name}: this is not the checkpoint of a learner"):
                fold_rm(blocks)


def test_rules_for_another_label_are_learned_again(tmp_path):
    """A rule that was noted for a label that does not come next does not count."""
    with blocks_in(tmp_path / "kept", Counting(frame())) as blocks:
        wanted = fold_rm(blocks)
        (path,) = (tmp_path / "kept").glob("rules-*")
        head, first, *_ = path.read_bytes().split(b"\n")
        step, rule = json.loads(first.partition(b" ")[2])
        rule["label"] = next(label for label in "pqr" if label != rule["label"])
        path.write_bytes(head + b"\n" + _line([step, rule]))
        assert fold_rm(blocks) == wanted


def test_estimators_go_on(tmp_path):
    """A classifier that ran out of time goes on with the next call of fit, with class weights and all."""
    path = tmp_path / "a.csv"
    frame().drop("w").write_csv(path)
    wanted = UnlessClassifier(class_weight="balanced", warn=False).fit(path, "y").program_
    kept = BlockCache(path, tmp_path / "kept")
    UnlessClassifier(class_weight="balanced", max_seconds=0, warn=False).fit(kept, "y")
    found = UnlessClassifier(class_weight="balanced", warn=False).fit(kept, "y")
    assert found.program_ == wanted
    again = UnlessClassifier(class_weight="balanced", warn=False).fit(kept, "y")
    assert again.program_ == wanted
    assert again.statistics_.counts.tolist() == found.statistics_.counts.tolist()


# Processes that are killed.

_PROGRAM = """
    import os, signal, sys, time
    from unless import fold_rm
    from unless.blocks.block_dataset import make_block_dataset
    from unless.blocks.block_cache import CacheOptions
    from unless.blocks.sources import FileStream

    path, folder, moment = sys.argv[1:]

    def die():
        os.kill(os.getpid(), signal.SIGINT if moment == "interrupted" else signal.SIGKILL)
        time.sleep(10)

    def reading(what, rows):
        if what == "coded" and moment == "encoding":
            die()

    def learning(left, rules):
        if rules == 2 and moment in ("learning", "interrupted"):
            die()

    keep = CacheOptions(folder) if folder else None
    with make_block_dataset(FileStream(path), target="y", keep=keep, progress=reading) as blocks:
        fold_rm(blocks, progress=learning)
"""


def run(path: Path, folder: Path | str, moment: str, temporary: Path) -> int:
    """Learn in another process, which dies at some moment; its exit code."""
    code = textwrap.dedent(_PROGRAM)
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.run(
        [sys.executable, "-c", code, str(path), str(folder), moment], env=environment, capture_output=True, check=False
    ).returncode


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("moment", ["encoding", "learning", "interrupted"])
def test_killed_processes(tmp_path, moment):
    """After kill -9, while blocks are made or rules learned, and after Ctrl-C, learning goes on; nothing is left."""
    path, folder, temporary = tmp_path / "a.csv", tmp_path / "kept", tmp_path / "temporary"
    frame().write_csv(path)
    temporary.mkdir()
    code = run(path, folder, moment, temporary)
    assert code == (1 if moment == "interrupted" else -signal.SIGKILL)
    noted = sum(len(page.read_text().splitlines()) - 1 for page in folder.glob("rules-*"))
    assert noted == (0 if moment == "encoding" else 2)
    wanted = fold_rm(path, target="y")
    if moment == "encoding":
        with pytest.warns(UnlessWarning, match="were not finished"):
            assert fold_rm(BlockCache(path, folder), target="y") == wanted
    else:
        assert fold_rm(BlockCache(path, folder), target="y") == wanted
    assert not any(temporary.iterdir())
    assert all(one.suffix in (".block", ".jsonl", ".json") for one in folder.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("moment", ["encoding", "learning", "interrupted"])
def test_killed_processes_without_a_folder(tmp_path, moment):
    """Without a folder, Ctrl-C leaves no temporary file, and kill -9 no file that takes memory_budget."""
    path, temporary = tmp_path / "a.csv", tmp_path / "temporary"
    frame().write_csv(path)
    temporary.mkdir()
    run(path, "", moment, temporary)
    if moment == "interrupted":
        assert not any(temporary.iterdir())
    assert not [one for one in temporary.rglob("*") if one.is_file()]
