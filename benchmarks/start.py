"""What comes before any work: the time of ``import unless``, of starting a command, of reading a model."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.report import OURS, Section, Target, duration, times
from benchmarks.timing import alone_code, median
from unless import Literal, Program, Rule
from unless.estimators.model_file import file_text, parsed
from unless.model import Model
from unless.model.rule_statistics import RuleStatistics
from unless.table import Column, Schema, Table

__all__ = ["commands", "generated", "importing", "models"]

LIMIT = 0.3
MOST = 3.0
"""Times of ``python -c "import numpy, polars"`` that a command may take on small files."""
LEAST = 20.0
"""Megabytes of a model that are read in a second."""

NEEDED = "sklearn.base, polars"
"""What a classifier needs to be imported, at least."""

_CODE = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
from unless import read_table, fold_rm, predict, explain, Program
print({})
"""


def importing(repeats: int = 11) -> Section:
    """What the import costs beyond numpy's, in fresh processes."""
    numpy = median(alone_code(_CODE.format("middle - start")) for _ in range(repeats))
    ours = median(alone_code(_CODE.format("time.perf_counter() - middle")) for _ in range(repeats))
    text = (
        "Fresh processes that import numpy, then the functions of unless, which load with their first use: "
        f"medians of {repeats}, files in the cache of the system."
    )
    classifier, needed = (
        min(_importing(code) for _ in range(repeats))
        for code in ("from unless import UnlessClassifier", f"import {NEEDED}")
    )
    rows = [["numpy", duration(numpy)], ["unless, beyond numpy", duration(ours)]]
    rows += [[f"{NEEDED}, of the processor", duration(needed)], ["UnlessClassifier, the same", duration(classifier)]]
    targets = [
        Target("import of unless beyond numpy's", f"< {LIMIT} s", duration(ours), ours < LIMIT),
        Target(
            f"import of UnlessClassifier over {NEEDED}",
            "≤ ×1.15",
            times(classifier / needed),
            classifier <= 1.15 * needed,
        ),
    ]
    spent = {"import": {OURS: ours, "numpy": numpy}, "classifier": {OURS: classifier, NEEDED: needed}}
    return Section("Import", text, ["import", "time"], rows, targets, spent)


def _importing(code: str) -> float:
    """The processor's time of an import in a fresh process."""
    return alone_code(f"import time\nstart = time.process_time()\n{code}\nprint(time.process_time() - start)")


# Commands.

_COMMANDS = (
    "fit applicants.csv --target decision",
    "show model.json",
    "explain model.json new.csv --row 8",
    "export model.json --to python",
    "export model.json --to sql",
    "predict model.json new.csv -o predicted.csv",
    "inspect applicants.csv",
    "report model.json applicants.csv",
    "diff old.json model.json applicants.csv",
    "evaluate applicants.csv --target decision --cv 2",
)


def commands(repeats: int = 5) -> Section:
    """What a command takes on the small files of the demo, by what importing numpy and polars takes."""
    unless = [sys.executable, "-m", "unless"]
    with TemporaryDirectory() as folder:
        subprocess.run([*unless, "demo", folder, "--force"], check=True, capture_output=True)
        unit = [sys.executable, "-c", "import numpy, polars"]
        lines = [unit, *([*unless, *line.split()] for line in _COMMANDS)]
        rounds = [[_cpu(line, folder) for line in lines] for _ in range(repeats)]
    base, *found = (min(seconds) for seconds in zip(*rounds, strict=True))
    rows = [["`import numpy, polars`", duration(base), "×1"]]
    rows += [[f"`unless {line}`", duration(one), times(one / base)] for line, one in zip(_COMMANDS, found, strict=True)]
    ratios = {line.split()[0]: one / base for line, one in zip(_COMMANDS, found, strict=True)}
    most = max(ratios, key=ratios.__getitem__)
    targets = [
        Target(f"`unless {name}` on a small file, of `import numpy, polars`", f"≤ ×{MOST:g}", times(one), one <= MOST)
        for name, one in {"fit": ratios["fit"], most: ratios[most]}.items()
    ]
    text = (
        "The commands on the files of `unless demo`, 900 records and 8 rules: seconds of CPU, the least of "
        f"{repeats} runs, by those of `python -c 'import numpy, polars'`, which is what reading a table needs. "
        "The targets are about `fit`, and about the command that takes longest."
    )
    spent = {line: {OURS: one, "import numpy, polars": base} for line, one in zip(_COMMANDS, found, strict=True)}
    return Section("Commands on small files", text, ["command", "CPU", "ratio"], rows, targets, spent)


def _cpu(command: list[str], folder: str) -> float:
    """The seconds of CPU that a process takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True, env=_environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}


# Models.


def models(scale: float = 1.0, repeats: int = 5) -> Section:
    """How fast models of several shapes are read and written."""
    spent: dict[str, dict[str, float]] = {}
    rows, slowest = [], {"read": float("inf"), "written": float("inf")}
    for name, model in generated(scale):
        text = file_text(model).encode()
        speeds = {
            "read": _speed(lambda: parsed(text, name), len(text), repeats),  # noqa: B023 - called at once
            "written": _speed(lambda: file_text(model).encode(), len(text), repeats),  # noqa: B023
        }
        plain = _speed(lambda: json.loads(text), len(text), repeats)  # noqa: B023
        rows.append([name, f"{len(text) / 1e6:.1f} MB", *(f"{one:.0f} MB/s" for one in (*speeds.values(), plain))])
        spent |= {f"{name}, {key}": {OURS: 1 / speed, "json.loads": 1 / plain} for key, speed in speeds.items()}
        slowest = {key: min(slowest[key], speed) for key, speed in speeds.items()}
    targets = [
        Target(
            f"models {key} per second of CPU, the slowest shape", f"≥ {LEAST:.0f} MB", f"{speed:.0f} MB", speed >= LEAST
        )
        for key, speed in slowest.items()
    ]
    text = (
        "Generated models, parsed and checked until they can predict, and written; Python's own `json.loads`, which "
        f"checks nothing, beside them. Megabytes of the file per second of CPU, the best of {repeats} runs."
    )
    return Section("Model files", text, ["model", "file", "read", "written", "`json.loads`"], rows, targets, spent)


def _speed(run: Callable[[], object], size: int, repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return size / 1e6 / max(min(seconds), 1e-9)


def generated(scale: float = 1.0) -> Iterator[tuple[str, Model]]:
    """Models that are large in one way each: in rules, exceptions, depth, features, categories, classes."""

    def many(count: int) -> int:
        return max(1, round(scale * count))

    yield "3,368 rules, two exceptions each", _model(many(3368), exceptions=2)
    yield "20,000 rules", _model(many(20_000))
    yield "16,000 exceptions of one rule", _model(1, exceptions=many(16_000))
    yield "50 rules, 200 deep", _model(many(50), depth=200)
    yield "3,368 rules over 5,000 features", _model(many(3368), features=many(5000))
    yield "1,000 categories of each of 100 features", _model(many(20), features=100, categories=many(1000))
    yield "2,000 rules for 100 classes", _model(many(2000), classes=many(100))


def _model(
    rules: int, *, exceptions: int = 0, depth: int = 1, features: int = 20, categories: int = 50, classes: int = 3
) -> Model:
    draw = random.Random(0)
    names = tuple(f"feature {place}" for place in range(features))
    labels = sorted(f"label {place}" for place in range(classes))

    def literal() -> Literal:
        place = draw.randrange(features)
        if place % 2:
            return Literal(names[place], draw.choice(["<=", ">"]), round(draw.uniform(0, 100), 3))
        return Literal(names[place], draw.choice(["==", "!="]), f"category {draw.randrange(50)}")

    def nested(levels: int) -> tuple[Rule, ...]:
        return () if levels < 2 else (Rule(None, (literal(),), nested(levels - 1)),)

    def rule(place: int) -> Rule:
        those = tuple(Rule(None, (literal(), literal())) for _ in range(exceptions))
        return Rule(labels[place % classes], (literal(), literal()), those + nested(depth))

    program = Program("y", names, tuple(map(rule, range(rules))), labels[0])
    heads = (*(rule.head for rule in program.rules), program.otherwise)
    counts = np.random.default_rng(0).integers(1, 100, (len(heads), classes)).astype(np.float64)
    schema = Schema({name: "number" if place % 2 else "text" for place, name in enumerate(names)}, target="y")
    texts = tuple(sorted(f"category {place}" for place in range(categories)))
    columns = [
        Column(name, kind, np.array([0.5, 99.25] * (kind == "number")), texts * (kind == "text"), np.empty(0, np.uint8))
        for name, kind in schema.kinds.items()
    ]
    domain = Table(tuple(columns), rows=0)
    return Model(
        program, RuleStatistics(tuple(labels), heads, counts), schema, domain, "UnlessClassifier", {}, named=True
    )
