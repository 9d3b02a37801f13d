"""Keep blocks in a folder (`unless.storage.cache_folder`), so that learning can be resumed after an interruption.

The shared encoding of the blocks is written as JSON and arrays; reading it checks all that the kernels rely on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block_arrays import RARE, UNCACHED, TextArray, bytes_per_cell, check_block_arrays, padded_bin_count
from unless.blocks.column_bins import ColumnBins
from unless.blocks.encoding import BlockEncoding, ClassFactors, EncodingTask
from unless.learn.weights import Weights
from unless.read.column_plan import ColumnPlan
from unless.rule import Program
from unless.storage.array_files import Arrays, StoredArrays
from unless.storage.cache_folder import CacheFolder, CacheKey, CacheMismatchError
from unless.storage.memory_budget import fits_in_memory
from unless.table import Column, Labels
from unless.values import Label, label_from_json, label_to_json
from unless.values.notation import Notation, notation_from_json

_MOST_UNITS = 2**31
_BINS = 256


@dataclass(frozen=True)
class BlockCache:
    """A source whose blocks and rules are kept in a folder, so that learning can be resumed.

    ``source`` is anything that learners read: the path of a file or of a folder of parts, a pattern, a `Query` or a
    relation. ``folder`` is new, empty, or contains earlier blocks. With ``unchanged``, the caller asserts that the
    source has not changed; for databases, only reading all rows could detect a change.
    """

    source: Any
    folder: str | os.PathLike[str]
    unchanged: bool = False

    @property
    def keep(self) -> CacheOptions:
        """The options for keeping blocks in the folder."""
        return CacheOptions(self.folder, unchanged=self.unchanged)


@dataclass(frozen=True)
class CacheOptions:
    """The folder in which blocks are kept (`BlockCache`); ``asked`` holds other options that the blocks depend on."""

    folder: str | os.PathLike[str]
    asked: Mapping[str, Any] | None = None
    unchanged: bool = False


@dataclass
class RecordedFactors:
    """Computes the weights of classes, and records them with the totals they come from for a later comparison."""

    function: ClassFactors
    totals: Weights | None = None
    found: Weights | None = None

    def __call__(self, labels: tuple[Label, ...], totals: Weights) -> Weights:
        """Compute and record the weight of every class."""
        self.totals, self.found = totals, self.function(labels, totals)
        return self.found

    @property
    def data(self) -> list[list[float]]:
        """The recorded weights, as JSON."""
        return [list(map(float, one)) for one in (self.totals, self.found)]  # type: ignore[arg-type]


def reopen_blocks(
    folder: CacheFolder, key: CacheKey, factors: RecordedFactors | None, *, unchanged: bool, threads: int = 1
) -> tuple[BlockEncoding, list[StoredArrays]] | None:
    """Reopen the blocks of a folder that have this key; warn and return None if they must be made again."""

    def load(description: Mapping[str, Any], values: Arrays) -> tuple[BlockEncoding, list[StoredArrays]]:
        coding = encoding_from_json(description["coding"], values)
        large = not fits_in_memory(coding.rows * sum(map(bytes_per_cell, coding.bins)))

        def open_block(numbered: tuple[int, Any]) -> StoredArrays:
            number, (size, check) = numbered
            arrays = folder.map_file(f"{number}.block", size, check, UNCACHED if large else (), RARE)
            check_block_arrays(coding.bins, len(coding.labels), arrays)
            return arrays

        with ThreadPoolExecutor(threads) as pool:
            blocks = list(pool.map(open_block, enumerate(description["blocks"])))
        if sum(map(_weight_of, blocks)) >= _MOST_UNITS:
            raise ValueError("the weights are too large")
        if not _are_same_factors(description["factors"], coding.labels, factors):
            raise CacheMismatchError("have other class weights")
        return coding, blocks

    return folder.reopen(key, load, unchanged=unchanged)


def write_block_cache(
    folder: CacheFolder, key: CacheKey, coding: BlockEncoding, blocks: int, factors: RecordedFactors | None
) -> None:
    """Complete a folder in which all blocks have been written."""
    node, values = encoding_to_json(coding)
    folder.finish(key, {"factors": None if factors is None else factors.data, "coding": node}, values, blocks)


def _weight_of(block: Arrays) -> int:
    """Sum the weights of the rows of a block; without weights, each row weighs 1."""
    weights = block["weights"]
    return int(weights.sum(dtype=np.int64)) if len(weights) else len(block["labels"])


def _are_same_factors(before: Any, labels: tuple[Label, ...], factors: RecordedFactors | None) -> bool:
    """Whether the weights of classes equal those with which the blocks were made."""
    if before is None or factors is None:
        return before is None and factors is None
    totals, found = before
    return bool((factors(labels, np.array(totals, np.float64)) == np.array(found)).all())


# The encoding as JSON and arrays.


def encoding_to_json(coding: BlockEncoding) -> tuple[dict[str, Any], Arrays]:
    """Convert a coding to JSON and arrays, which `encoding_from_json` reads."""
    task, plan = coding.task, coding.task.plan
    node = {
        "target": plan.target,
        "declared": [[name, kind] for name, kind in plan.features.items()],
        "notations": [[name, notation.data()] for name, notation in plan.notations.items()],
        "missing": list(plan.missing),
        "given": plan.given,
        "filed": plan.filed,
        "parts": [list(pair) for pair in plan.parts.items()],
        **(
            {"special": [[name, list(map(list, codes))] for name, codes in plan.special.items()]}
            if plan.special
            else {}
        ),
        "spelled": task.plan.spelled,
        "weights": task.weights,
        "drop_unlabelled": task.drop_unlabelled,
        "drop_weightless": task.drop_weightless,
        "columns": [_column_data(one) for one in coding.bins],
        "labels": [label_to_json(label) for label in coding.labels],
        "unit": coding.unit,
        "rows": coding.rows,
        "left_out": dict(coding.left_out),
    }
    arrays: dict[str, NDArray[Any]] = {}
    for i, one in enumerate(coding.bins):
        arrays.update({f"{name} {i}": array for name, array in _bins_data(one).items()})
    numbers = [value for value in coding.label_of if not isinstance(value, str)]
    texts = [value for value in coding.label_of if isinstance(value, str)]
    arrays["cell numbers"] = np.array(numbers, np.float64)
    arrays.update(_texts_data("cell text", texts))
    arrays["labels"] = np.array([coding.label_of[value] for value in [*numbers, *texts]], np.int64)
    arrays["weights"] = np.array([weight for weight, _ in coding.units], np.float64)
    arrays["places"] = np.array([place for _, place in coding.units], np.int64)
    arrays["units"] = np.array(list(coding.units.values()), np.int64)
    return node, arrays


def _column_data(bins: ColumnBins) -> list[Any]:
    column = bins.column
    written = None if column.notation is None else column.notation.data()
    return [column.name, column.kind, written, bins.open, column.typed]


def _bins_data(bins: ColumnBins) -> Arrays:
    column = bins.column
    found = {"numbers": column.numbers, "times": bins.value_counts, **_texts_data("text", column.categories)}
    if bins.cuts is not None:
        found |= {"cuts": bins.cuts[0], **_texts_data("cut text", bins.cuts[1])}
    if bins.finer is not None:
        found["finer"] = bins.finer
    return found


def _texts_data(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    data, ends = TextArray.packed(texts)
    return {f"{name}s": data, f"{name} ends": ends}


def encoding_from_json(node: Mapping[str, Any], arrays: Arrays) -> BlockEncoding:
    """Read the output of `encoding_to_json`; anything else raises ValueError, TypeError or LookupError."""
    labels = Labels(node["target"], tuple(map(label_from_json, node["labels"])), np.empty(0, np.uint8)).labels
    notations = {name: _notation(data) for name, data in node["notations"]}
    plan = ColumnPlan(
        dict(node["declared"]),
        node["target"],
        tuple(node["missing"]),
        node["given"],
        notations=notations,
        spelled=node["spelled"],
        filed=node.get("filed", False),
        parts=dict(node.get("parts", [])),
        special={
            name: tuple((float(code), str(text)) for code, text in codes) for name, codes in node.get("special", [])
        },
    )
    task = EncodingTask(plan, node["weights"], node["drop_unlabelled"], node["drop_weightless"])
    bins = tuple(_bins(i, one, arrays, plan) for i, one in enumerate(node["columns"]))
    Program(node["target"], tuple(one.column.name for one in bins))  # rejects names that no program may combine
    values = [*arrays["cell numbers"].tolist(), *_texts("cell text", arrays)]
    label_of = dict(zip(values, arrays["labels"].tolist(), strict=True))
    pairs = zip(arrays["weights"].tolist(), arrays["places"].tolist(), strict=True)
    units = dict(zip(pairs, arrays["units"].tolist(), strict=True))
    return BlockEncoding(
        task, bins, labels, label_of, units, float(node["unit"]), int(node["rows"]), dict(node["left_out"])
    )


def _bins(i: int, node: Any, arrays: Arrays, plan: ColumnPlan) -> ColumnBins:
    name, kind, notation, is_open, *typed = node  # older versions did not write the last item
    own = {key.rpartition(" ")[0]: array for key, array in arrays.items() if key.rpartition(" ")[2] == str(i)}
    written = None if notation is None else _notation(notation)
    texts, no_rows = tuple(_texts("text", own)), np.empty(0, np.uint8)
    column = Column(
        name, kind, own["numbers"], texts, no_rows, written, typed=typed == [True], special=plan.special.get(name, ())
    )
    cuts = (own["cuts"], tuple(_texts("cut text", own))) if "cuts" in own else None
    found = ColumnBins(column, own["times"], bool(is_open), cuts, own.get("finer"))
    if (
        len(found.value_counts) != column.missing + 1
        or padded_bin_count(found) > _BINS
        or (found.open and cuts is None)
    ):
        raise ValueError(f"the bins of {name!r} do not fit its values")
    return found


def _texts(name: str, arrays: Arrays) -> list[str]:
    return list(TextArray(arrays[f"{name}s"], arrays[f"{name} ends"]))


def _notation(data: Any) -> Notation:
    found = notation_from_json(data)
    if found is None:
        raise ValueError(f"no notation: {data!r:.60}")
    return found
