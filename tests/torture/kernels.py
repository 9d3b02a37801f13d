"""The kernels, compiled against interpreted, on hostile buffers: those that read, that learn rules, and decide.

Every buffer is exactly as large as a kernel may use. In a build with sanitizers (`make sanitize`), where a byte too far
ends the process, the same search looks for memory that is misused and for arithmetic that C leaves undefined.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import random
import sys
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

from tests.torture.counts import Counts
from unless import kernels
from unless.model.prediction import ProgramCode
from unless.rule import Literal, Program, Rule

__all__ = ["NAMES", "search"]

LEARNING = ("binning", "counting", "row_filtering", "literal_search", "rule_growing", "row_masks", "rule_improving")
"""The kernels that learn a list; each may use those before."""

NAMES = ("ranking", "json_scan", "append_fields", *LEARNING, "deciding")
_COMPILED = {name: importlib.import_module(f"unless.kernels.{name}") for name in NAMES}
_SOURCE = Path(kernels.__file__).parent


def search(budget: int, seed: int) -> Counts:
    """Compare so many calls of every kind."""
    counts = Counts()
    if not kernels.compiled:
        counts.lacking.append("compiled kernels")
        return counts
    for number in range(seed, seed + budget):
        for name, fuzz in FUZZERS.items():
            rng = random.Random(f"{name} {number}")
            found, wanted = fuzz(rng)
            told = f"{found} compiled, {wanted} interpreted" if found != wanted else ""
            counts.check(name, number, lambda: told, same=not told)  # noqa: B023 - at once
    return counts


@cache
def interpreted(name: str) -> ModuleType:
    """The source of a kernel, run by the interpreter."""
    spec = importlib.util.spec_from_file_location(f"interpreted_{name}", _SOURCE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = LEARNING[: LEARNING.index(name)] if name in LEARNING else ()
    others = {f"unless.kernels.{one}": interpreted(one) for one in before}
    with mock.patch.dict(sys.modules, others):
        spec.loader.exec_module(module)
    return module


def _both(name: str, call: Callable[[ModuleType], Any]) -> tuple[Any, Any]:
    """What a call gives of the compiled kernel and of its source."""
    with np.errstate(all="ignore"):
        return call(_COMPILED[name]), call(interpreted(name))


def _learning(call: Callable[[Callable[[str], Any]], Any]) -> tuple[Any, Any]:
    """What a call gives of the compiled kernels that learn, by name, and of their sources."""
    return call(_COMPILED.__getitem__), call(interpreted)


def _array(values: Any, kind: Any) -> np.ndarray:
    """A copy in memory of its own, of exactly its size: what lies behind it is nobody's."""
    return np.array(values, dtype=kind, copy=True)


def _bytes(data: bytes) -> np.ndarray:
    return _array(np.frombuffer(data, dtype=np.uint8), np.uint8)


# Numbers and texts: ranking.

NUMBERS = [0.0, -0.0, 1.0, 2.0, 2.5, -1.0, 1e300, -1e300, 5e-324, -5e-324, 2.0**53, 2.0**53 - 1, -(2.0**53), 1 / 3]
ENDS = [float("inf"), float("-inf"), float("nan"), -float("nan"), 1.7976931348623157e308]


def _values(rng: random.Random) -> np.ndarray:
    size = rng.choice([0, 1, 2, 5, 40, 300])
    few = [rng.choice(NUMBERS + ENDS) for _ in range(rng.randint(1, 6))]
    near = rng.uniform(-1e3, 1e3)
    draws = [
        lambda: rng.choice(few),
        lambda: float(rng.randint(-50, 50)),
        lambda: near * (1 + rng.randrange(40) * 2.0**-52),  # differ in the last bits only
        lambda: rng.gauss(0, 10.0 ** rng.randint(-300, 300)),
    ]
    draw = rng.choice(draws)
    return _array([draw() if rng.random() < 0.9 else rng.choice(NUMBERS + ENDS) for _ in range(size)], np.float64)


def _rank_numbers(rng: random.Random) -> tuple[Any, Any]:
    values = _values(rng)

    def call(module: ModuleType) -> Any:
        low, high, whole = module.find_number_range(values)
        found: list[Any] = [float(low), float(high), bool(whole)]
        codes, firsts = np.zeros(len(values), np.uint32), np.zeros(len(values), np.intp)
        if whole and high - low < 4096:
            ranks = np.zeros(int(high - low) + 1, np.uint32)
            found += [module.rank_whole(values, low, ranks, codes), ranks.tolist(), codes.tolist()]
        count = module.rank_ordered(values, np.argsort(values), codes, firsts)
        found += [count, codes.tolist(), values[firsts[:count]].tolist()]
        bits, packed, room = values.view(np.int64), np.zeros(len(values), np.uint64), len(values).bit_length()
        present, lost = module.pack(bits, packed, room)
        words = packed[:present].copy()
        words.sort()
        codes, firsts = np.zeros(len(values), np.uint32), np.zeros(len(values), np.intp)
        count = module.rank_packed(words, room, lost, bits, codes, firsts)
        kept = ~np.isnan(values)
        # of twins such as 0.0 and -0.0 either may be the first
        return [*found, present, lost, count, codes[kept].tolist() if count >= 0 else None]

    return _both("ranking", call)


def _rank_texts(rng: random.Random) -> tuple[Any, Any]:
    texts = [bytes(rng.choices(b"ab\0\xff", k=rng.choice([0, 1, 2, 9]))) for _ in range(rng.choice([0, 1, 7, 60]))]
    ends = _array(np.cumsum([0, *map(len, texts)]), np.int64)
    data, room = _bytes(b"".join(texts)), 1 << rng.choice([1, 2, 3, 7, 9])

    def call(module: ModuleType) -> Any:
        codes, firsts = np.zeros(len(texts), np.int32), np.zeros(len(texts), np.int32)
        count = module.group(ends, data, np.full(room, -1, np.int32), codes, firsts)
        return [count, codes.tolist(), firsts.tolist()] if count >= 0 else [count]

    return _both("ranking", call)


def _pieces(rng: random.Random, alphabet: list[bytes]) -> np.ndarray:
    return _bytes(b"".join(rng.choices(alphabet, k=rng.choice([0, 1, 2, 5, 20, 60]))))


def _inspect(rng: random.Random) -> tuple[Any, Any]:
    data = _pieces(rng, [b'"', b'""', b",", b"\t", b"\n", b"\r", b"\r\n", b"x", b" ", b"\0", b"\xff", b"0", b"-7"])
    separator, fields = rng.choice([44, 9]), rng.randint(1, 3)

    def call(module: ModuleType) -> Any:
        return [bool(module.is_regular(data, separator, fields)), bool(module.has_any(data, 34, 13))]

    return _both("ranking", call)


# JSON lines: json_scan.


def _members(rng: random.Random) -> tuple[Any, Any]:
    keys = [b"a", b"", b"bb", b"a\\n", b'q\\"', b"\xc3\xa9"][: rng.randint(1, 6)]
    values = [b"1", b'"x"', b'"\\""', b'"\\', b"[1,{]", b'{"a":"}"}', b"", b"null", b'"', b"tru\\", b"[[[", b"1 2"]
    text = b""
    for _ in range(rng.choice([0, 1, 2, 6])):
        pairs = [b'"' + rng.choice([*keys, b"new"]) + b'":' + rng.choice(values) for _ in range(rng.randint(0, 3))]
        text += b"{" + b",".join(pairs) + rng.choice([b"}", b"} ", b"", b"}}", b"}\r"]) + b"\n"
    for _ in range(rng.choice([0, 0, 1, 3])):  # spoiled
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice([b"", b'"', b"\\", b"\n", b"{", b" "]) + text[place + rng.randint(0, 2) :]
    data, rows = _bytes(text.rstrip(b"\n") + b"\n"), text.count(b"\n") + 1
    ends = _array(np.cumsum([0, *map(len, keys)]), np.int64)
    columns = _array([rng.choice([-1, place]) for place in range(len(keys))], np.int64)

    def call(module: ModuleType) -> Any:
        last = np.full(len(keys), -1, np.int64)
        starts, stops = np.zeros((2, len(keys) * rows), np.int64)
        starts, stops = starts.copy(), stops.copy()
        names = np.arange(len(keys), dtype=np.int64)
        status = module.scan_members(
            data, 0, 0, _bytes(b"".join(keys)), ends, names, columns, last, rows, starts, stops
        )
        where, out = np.zeros(len(starts) + 1, np.int64), np.zeros(int((stops - starts).sum()), np.uint8)
        module.gather(data, starts, stops, where, out)
        return [tuple(map(int, status)), starts.tolist(), stops.tolist(), where.tolist(), out.tobytes()]

    return _both("json_scan", call)


# Records and pieces: append_fields.


def _splice(rng: random.Random) -> tuple[Any, Any]:
    data = _pieces(rng, [b'"', b",", b"\n", b"\r", b" ", b"x", b"{", b"}", b"\t"])
    blank, final = rng.random() < 0.5, rng.random() < 0.5
    texts = [b"", b"one", b",two"]
    starts, pieces = _array(np.cumsum([0, *map(len, texts)]), np.int64), _bytes(b"".join(texts))

    def call(module: ModuleType) -> Any:
        places, empty = np.zeros(len(data) + 1, np.int64), np.zeros(len(data) + 1, np.uint8)
        found: list[Any] = [tuple(module.record_ends(data, 44, blank, final, places)), places.tolist()]
        found += [tuple(module.line_ends(data, blank, places)), places.tolist(), module.count_lines(data)]
        count = module.object_ends(data, places, empty)
        choices = _array([place % 3 for place in range(count)], np.int32)
        out = np.zeros(len(data) + sum(len(texts[choice]) for choice in choices), np.uint8)
        module.insert_pieces(data, places[:count].copy(), choices, starts, pieces, out)
        return [*found, count, places.tolist(), empty.tolist(), out.tobytes()]

    return _both("append_fields", call)


# Learning: rows, the best literal, rules, and rules improved.


def _table(rng: random.Random) -> dict[str, Any]:
    """Columns as codes: narrow, of exactly 256 bins, wide; labels, and weights of which some are 0."""
    rows, labels = rng.choice([1, 2, 31, 33, 100, 700]), rng.randint(1, 4)
    numbers, ranks, codes = [], [], []
    for _ in range(rng.randint(1, 4)):
        count = rng.choice([0, 1, 3, 15, 16, 17, 240, 255, 256, 257, 600])
        others = rng.choice([0, 1, 2, 16, 300])
        numbers.append(count)
        ranks.append(count + others + 1)
        used = [rng.randrange(ranks[-1]) for _ in range(rng.choice([1, 4, rows]))]
        codes.append([rng.choice(used) for _ in range(rows)])
    weights = rng.choice([[1], [0, 1, 2], [1, 1000]])
    return {
        "labels": [rng.randrange(labels) for _ in range(rows)],
        "count": labels,
        "weights": [rng.choice(weights) for _ in range(rows)],
        "numbers": numbers,
        "ranks": ranks,
        "codes": codes,
    }


def _loaded(make: Any, table: dict[str, Any]) -> tuple[Any, list[bool]]:
    labels, weights = _array(table["labels"], np.int32), _array(table["weights"], np.int32)
    made, fits = make(labels, weights, table["numbers"], table["ranks"]), []
    for place, codes in enumerate(table["codes"]):
        if made.is_wide(place):
            fits.append(bool(made.load_wide(place, _array(codes, np.int32), table["ranks"][place])))
        else:
            fits.append(bool(made.load_narrow(place, _array(codes, np.uint8))))
    made.loaded()
    return made, fits


def _test(table: dict[str, Any], rng: random.Random) -> tuple[int, int, bool]:
    """A literal: a feature, a rank, and which of its two literals."""
    feature = rng.randrange(len(table["ranks"]))
    return feature, rng.randrange(table["ranks"][feature]), rng.random() < 0.5


def _tests(table: dict[str, Any], rng: random.Random, depth: int = 0) -> tuple[list[Any], list[Any]]:
    """A rule: literals, and exceptions."""
    exceptions = rng.randint(0, 2 if depth < 3 else 0)
    return [_test(table, rng) for _ in range(rng.randint(0, 3))], [
        _tests(table, rng, depth + 1) for _ in range(exceptions)
    ]


def _optimising(made: Any, table: dict[str, Any], rng: random.Random) -> list[Any]:
    """What the optimiser asks: what rules cover, what literals fail, what is at stake, and the worthiest literal."""
    everything, label = made.all_rows(), rng.randrange(table["count"])
    rule, literals = _tests(table, rng), [_test(table, rng) for _ in range(rng.randint(0, 4))]
    covered = made.covered_by_rule(everything, rule)
    reach = made.minus(everything, made.covered_by_rule(everything, _tests(table, rng)))
    right = made.plus(made.of_label(covered, label), made.minus(reach, covered))
    index = _array(sorted(rng.sample(range(len(table["labels"])), rng.randint(0, len(table["labels"])))), np.int32)
    gains, losses = made.gains_and_losses(reach, label, right)
    some = [covered, reach, right, gains, losses, made.of_rows(index), *made.split_by_failing_literal(reach, literals)]
    found: list[Any] = [[one.weight(), one.rows().tolist()] for one in some]
    found += [
        made.neighbouring_numbers(reach, place, rng.randint(0, number)) for place, number in enumerate(table["numbers"])
    ]
    return [*found, made.best(gains, losses, "net") if hasattr(made, "best") else None]


def _walk(made: Any, table: dict[str, Any], rng: random.Random, best: Callable[..., Any]) -> list[Any]:
    """A random walk over selections, as a learner takes: what every step gives."""
    everything = rows = made.all_rows()
    found: list[Any] = [[made.distinct(place, ranks) for place, ranks in enumerate(table["ranks"])]]
    for _ in range(rng.randint(1, 4)):
        label = rng.randrange(table["count"])
        found.append([rows.weight(), rows.rows().tolist(), list(map(int, made.label_weights(rows, table["count"])))])
        positive, negative = made.by_label(rows, label, table["count"])
        used: list[Any] = []
        for _ in range(rng.randint(1, 4)):
            found.append([side.rows().tolist() for side in (positive, negative)])
            test = best(made, positive, negative, used)
            found.append(test)
            other = _test(table, rng)
            test = other if test is None or rng.random() < 0.3 else test
            used.append(test)
            positive, negative = made.covered_by_literal(positive, *test), made.covered_by_literal(negative, *test)
        rows = made.minus(rows, positive)
    return [*found, made.minus(everything, rows).rows().tolist()]


def _demands(made: Any, table: dict[str, Any], rng: random.Random) -> tuple[Any, ...]:
    """What is demanded of rules."""
    distinct = [made.distinct(place, ranks) for place, ranks in enumerate(table["ranks"])]
    least = rng.choice([1e-9, 1.0, 3.0])
    return rng.choice([0.0, 0.5, 1.0]), rng.choice([0.0, 0.1, 1.0]), least, distinct, rng.choice([1.0, 0.25, 0.3])


def _growing(made: Any, rules: Any, table: dict[str, Any], rng: random.Random) -> list[Any]:
    """Rules and exceptions, and what they cover or leave; the learner is stopped sometimes."""
    criteria, levels, found = _demands(made, table, rng), rng.choice([0, 1, 199]), list[Any]()
    steps = iter(range(rng.choice([3, 1000])))
    positive, negative = made.by_label(made.all_rows(), rng.randrange(table["count"]), table["count"])

    def check_stop() -> None:
        next(steps)

    try:
        for grow in (rules.grow, rules.grow_all):
            grown = grow(positive, negative, criteria, levels, check_stop)
            found.append(grown and [grown[0], *([some.weight(), some.rows().tolist()] for some in grown[1:])])
        rule, *some = rules.fold(
            positive, negative, criteria[0], criteria[4], ([_test(table, rng)], levels, check_stop)
        )
        found.append([rule, *([one.weight(), one.rows().tolist()] for one in some)])
    except StopIteration:
        found.append("stopped")
    return found


def _improving(made: Any, improver: Any, table: dict[str, Any], rng: random.Random) -> list[Any]:
    """Sets of rows as masks, and rules improved given what they gain and lose; the learner is stopped sometimes."""
    everything, label = improver.of_selection(made.all_rows()), rng.randrange(table["count"])
    covered = improver.covered_by_rule(everything, _tests(table, rng))
    reach = improver.minus(everything, covered)
    some = improver.plus(improver.of_label(covered, label), improver.covered_by_literal(reach, _test(table, rng)))
    gains, losses = improver.gains_and_losses(everything, label, some)
    masks = [everything, covered, reach, some, improver.others(reach, label), gains, losses]
    found: list[Any] = [[one.weight(), improver.selection(one).rows().tolist()] for one in masks]
    found.append([list(map(int, improver.label_weights(one, table["count"]))) for one in masks])
    found += [
        improver.neighbouring_numbers(reach, place, rng.randint(0, number))
        for place, number in enumerate(table["numbers"])
    ]
    criteria = *_demands(made, table, rng), rng.choice([0, 1, 199])
    price, step = rng.choice([0.0, 1.7]), 1e-9
    for rule in (None, _tests(table, rng), ([_test(table, rng)], []), None):
        with suppress(StopIteration):
            found.append(improver.improve_rule(rule, gains, losses, criteria, price, step))
    return found


def _grid(rng: random.Random) -> tuple[Any, Any]:
    table, seed = _table(rng), rng.random()

    def call(kernel: Callable[[str], Any]) -> Any:
        made, fits = _loaded(kernel("row_filtering").RowGrid, table)
        return [
            fits,
            _walk(made, table, random.Random(seed), lambda *_: None),
            _optimising(made, table, random.Random(seed)),
        ]

    return _learning(call)


def _search(rng: random.Random) -> tuple[Any, Any]:
    table, seed, support = _table(rng), rng.random(), rng.choice([1, 1, 5])

    def best(made: Any, positive: Any, negative: Any, used: Any) -> Any:
        found = made.best(positive, negative, *[("gain", 0, used), ("purity", support)][len(used) % 2])
        return None if found is None else found[0]

    def call(kernel: Callable[[str], Any]) -> Any:
        made, fits = _loaded(kernel("literal_search").LiteralSearch, table)
        return [
            fits,
            _walk(made, table, random.Random(seed), best),
            _optimising(made, table, random.Random(seed)),
            _growing(made, kernel("rule_growing").RuleGrower(made), table, random.Random(seed)),
        ]

    return _learning(call)


def _improve(rng: random.Random) -> tuple[Any, Any]:
    table, seed, memory = _table(rng), rng.random(), rng.choice([0, 100, 1 << 24])

    def call(kernel: Callable[[str], Any]) -> Any:
        made, _ = _loaded(kernel("literal_search").LiteralSearch, table)
        steps = iter(range(random.Random(seed).choice([3, 1000])))
        improver = kernel("rule_improving").MaskedRuleImprover(
            made, kernel("rule_growing").RuleGrower(made), lambda: next(steps)
        )
        with mock.patch.object(kernel("row_masks"), "MEMORY", memory):
            return _improving(made, improver, table, random.Random(seed))

    return _learning(call)


# Predicting: deciding.


def _decide(rng: random.Random) -> tuple[Any, Any]:
    names = ["a", "b"]

    def rule(head: str | None, depth: int) -> Rule:
        literals = [
            Literal("a", "<=", 0.5), Literal("b", ">", 0.0), Literal("a", "==", "x"), Literal("b", "!=", "never"),
            Literal("b", "missing"), Literal("a", "present"),
        ]  # fmt: skip
        default = tuple(rng.choices(literals, k=rng.randint(0, 3)))
        return Rule(head, default, tuple(rule(None, depth + 1) for _ in range(rng.randint(0, 2 if depth < 3 else 0))))

    program = Program("y", tuple(names), tuple(rule("l", 0) for _ in range(rng.randint(0, 4))))
    made, rows = ProgramCode(program), rng.randint(0, 11)
    code, starts = made.numbers, made.starts
    code[::5] = np.where(code[::5] > 0, rows, 0)  # columns begin where the rows of the one before end
    block = _array([rng.randrange(-1, 6) for _ in range(2 * rows)], np.int32)

    def call(module: ModuleType) -> Any:
        out = starts[np.arange(rows) % len(starts)]
        module.decide_rows(_array(code, np.int32), block, out)
        return out.tolist()

    return _both("deciding", call)


def _bin(rng: random.Random) -> tuple[Any, Any]:
    values = [
        rng.choice([math.nan, math.inf, -math.inf, -0.0, 0.0, 1.5, rng.gauss(0, 1)]) for _ in range(rng.randint(0, 9))
    ]
    thresholds = sorted(
        {rng.choice([math.inf, -math.inf, 0.0, 1.5, rng.gauss(0, 1)]) for _ in range(rng.randint(0, 9))}
    )

    def call(module: ModuleType) -> Any:
        out = np.zeros(len(values), np.int32)
        module.bin_numbers(_array(values, np.float64), _array(thresholds, np.float64), -1, out)
        return out.tolist()

    assert call(_COMPILED["deciding"]) == [-1 if x != x else bisect_left(thresholds, x) for x in values]  # noqa: PLR0124
    return _both("deciding", call)


FUZZERS: dict[str, Callable[[random.Random], tuple[Any, Any]]] = {
    "rank: numbers": _rank_numbers,
    "rank: texts": _rank_texts,
    "rank: text files": _inspect,
    "members": _members,
    "splice": _splice,
    "grid": _grid,
    "search": _search,
    "improve": _improve,
    "bins": _bin,
    "decide": _decide,
}
