"""Logic programs: how texts grow, and what reading and running takes beyond clingo's own time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import generate
from benchmarks.report import Section, Target, duration, times
from benchmarks.timing import race, spent
from unless import Literal, Program, Rule, Table, fold_rm
from unless.export import to_text
from unless.logic import from_clingo, run_clingo, to_clingo, to_prolog
from unless.logic.background import read_background

__all__ = ["many_rules", "trains", "with_clingo"]

_RULES = (1000, 2000)
_SECONDS = 5.0
_MORE = 3  # records that are read back for every one that is run: 17 MB of 90,000
_FEATURES = tuple(f"x{number}" for number in range(generate.CONTINUOUS))

_WRITERS: dict[str, Callable[[Program], str]] = {
    "to_clingo": to_clingo,
    "to_prolog": to_prolog,
    "to_text, exclusive": lambda program: to_text(program, "exclusive"),
}


def with_clingo(records: int = 30_000, facts: int = 28_503, seconds: float = 1.0) -> Section:
    """Texts of many rules, background knowledge of many facts, and many records."""
    grown = {name: [len(write(many_rules(count))) for count in _RULES] for name, write in _WRITERS.items()}
    read, run = _reading(facts, seconds), _running(records, seconds)
    size, took = _read_back(_MORE * records)
    text = f"""
Written: the text of {_RULES[0]:,} and of {_RULES[1]:,} rules. Read: `read_background` of {facts:,} plain facts against
clingo's own reading and grounding of them. Run: `run_clingo` of a program learned from {records:,} generated records,
against clingo that reads, grounds and solves the text of `to_clingo`, all records at once. Read back: `from_clingo` of
{_RULES[0]:,} rules and the facts of {_MORE * records:,} records.
"""
    half, whole = (f"{count:,}" for count in _RULES)
    rows = [
        *([f"{name}: {half} → {whole} rules", _bytes(b), _bytes(a), times(b / a)] for name, (a, b) in grown.items()),
        [f"read_background: {facts:,} facts", duration(read["unless"]), duration(read["clingo"]), _ratio(read)],
        [f"run_clingo: {records:,} records", duration(run["unless"]), duration(run["clingo"]), _ratio(run)],
        [f"from_clingo: {_bytes(size)}", duration(took), "–", f"{size / took / 1e6:.1f} MB per second"],
    ]
    factor = max(b / a for a, b in grown.values())
    targets = [
        Target("text of twice the rules, worst of three languages", "≤ ×2.2", times(factor), factor <= 2.2),
        _target("read_background of plain facts, our time over clingo's", read, 5),
        _target("run_clingo, our time over clingo's", run, 1.5),
        Target(f"from_clingo of {_bytes(size)}", f"< {_SECONDS:g} s", duration(took), took < _SECONDS),
    ]
    header = ["what", "unless", "clingo, or half the rules", "ratio"]
    return Section("Logic programs", text, header, rows, targets, {"read_background": read, "run_clingo": run})


def many_rules(count: int) -> Program:
    """A program of so many rules of three literals each, every second one with an exception."""
    random = np.random.default_rng(0)
    rules = []
    for number in range(count):
        signs, places = random.choice(["<=", ">"], 3).tolist(), random.integers(0, len(_FEATURES), 3).tolist()
        bounds = random.normal(size=3).round(3).tolist()
        default = tuple(Literal(_FEATURES[n], op, bound) for n, op, bound in zip(places, signs, bounds, strict=True))
        exceptions = (Rule(None, (Literal("c0", "==", "v000"),)),) if number % 2 else ()
        rules.append(Rule(generate.LABELS[number % 3], default, exceptions))
    return Program("label", (*_FEATURES, "c0"), tuple(rules), "none")


def trains(facts: int) -> str:
    """So many plain facts about trains, their cars and what these are, one on a line."""
    kinds = ("car(t{0},c{0}_{1}).", "long(c{0}_{1}).", "load(c{0}_{1},l{0}_{1}).", "wheels(c{0}_{1},2).")
    return "\n".join(kinds[number % 4].format(number // 12, number % 3) for number in range(facts)) + "\n"


def _reading(facts: int, seconds: float) -> dict[str, float]:
    text = trains(facts)
    return race({"unless": lambda: read_background(text), "clingo": lambda: _grounded(text)}, seconds)


def _running(records: int, seconds: float) -> dict[str, float]:
    table = _records(records)
    program = fold_rm(table)
    text = to_clingo(program, table)
    contestants: dict[str, Callable[[], object]] = {
        "unless": lambda: run_clingo(program, table),
        "clingo": lambda: _grounded(text).solve(),
    }
    return race(contestants, seconds)


def _read_back(records: int) -> tuple[int, float]:
    """The size of a text of rules and facts, and the seconds to read it."""
    text = to_clingo(many_rules(_RULES[0]), _records(records))
    return len(text), min(spent(lambda: from_clingo(text)) for _ in range(3))


def _records(count: int) -> Table:
    return generate.table(generate.draw(count))


def _grounded(text: str) -> Any:
    import clingo

    control = clingo.Control(["--warn=none"])
    control.add("base", [], text)
    control.ground([("base", [])])
    return control


def _ratio(found: dict[str, float]) -> str:
    return times(found["unless"] / found["clingo"])


def _target(what: str, found: dict[str, float], most: float) -> Target:
    return Target(what, f"≤ {times(most)}", _ratio(found), found["unless"] <= most * found["clingo"])


def _bytes(count: int) -> str:
    return f"{count / 1e6:.2f} MB"
