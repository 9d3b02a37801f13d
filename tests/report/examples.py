"""Programs and records for pages: an ordinary one, hostile ones, a long one, a deep one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

import numpy as np

import unless
from tests.strategies import chain
from unless.demo.applicants import TARGET, applicants
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table
from unless.values.notation import FLAG, WHOLE, LevelNotation, NotatedNumber

__all__ = ["HOSTILE", "deep", "hostile", "loans", "long", "many_labels", "parcels"]

HOSTILE = (
    "</script><img src=x onerror=\"document.title='bad'\">",
    "\"'`><b>bold</b>&amp;&#60;",
    "10 kB " + "x" * 10_000,
    "\u202eright to left \u05e2\u05d1\u05e8\u05d9\u05ea",
    "\u0639\u0631\u0628\u064a",
    "half \ud800 pair",
    "bell \x07 nul \x00 escape \x1b[31m line\nbreak\u2028",
    "{{ 7*7 }}{% raw %}${7*7}",
    "javascript:alert(1)",
    "--><!-- ]]>",
    "",
)


@cache
def loans() -> tuple[unless.UnlessClassifier, Table]:
    """A model of invented applicants, and others to report on."""
    rows = applicants()
    features = [name for name in rows[0] if name not in ("applicant", TARGET)]
    training = unless.read_table(rows[:600], TARGET, features=features)
    return unless.UnlessClassifier().fit(training), unless.read_table(rows[600:], TARGET, like=training)


def hostile() -> tuple[Program, Table]:
    """Every name, value and label is one that a page could misunderstand."""
    rules = [
        Rule(label, (Literal(name, "==", value),), (Rule(None, (Literal(HOSTILE[0], "==", label),)),))
        for name, value, label in zip(HOSTILE, HOSTILE[1:] + HOSTILE[:1], HOSTILE[2:] + HOSTILE[:2], strict=True)
    ]
    program = Program(f"y{HOSTILE[0]}", HOSTILE, tuple(rules), HOSTILE[1])
    rng = np.random.default_rng(0)
    columns = [Column.of(name, rng.permutation(np.array([*HOSTILE, None] * 5, dtype=object))) for name in HOSTILE]
    labels = Labels.of(program.target, rng.permutation(np.array([*HOSTILE, "x"] * 5, dtype=object)).tolist())
    return program, Table(tuple(columns), labels)


def long(rules: int, rows: int = 4000, features: int = 12) -> tuple[Program, Table]:
    """A program with this many rules over numbers and categories, and records with noisy labels."""
    rng = np.random.default_rng(1)
    names = [f"feature {place}" for place in range(features)]
    labels = ["accept", "refuse", "review", "ask again"]
    columns = [
        Column.of(name, rng.normal(size=rows).round(3) if place % 2 else rng.choice([*"abcdefgh"], rows))
        for place, name in enumerate(names)
    ]

    def literal() -> Literal:
        place = int(rng.integers(features))
        if place % 2:
            return Literal(names[place], "<=" if rng.random() < 0.5 else ">", round(float(rng.normal()), 3))
        return Literal(names[place], "==" if rng.random() < 0.7 else "!=", str(rng.choice([*"abcdefgh"])))

    def rule(head: str | None, depth: int) -> Rule:
        exceptions = tuple(rule(None, depth + 1) for _ in range(int(rng.integers(0, 3 - depth))))
        return Rule(head, tuple(literal() for _ in range(3 if head else 2)), exceptions)

    program = Program("decision", tuple(names), tuple(rule(str(rng.choice(labels)), 0) for _ in range(rules)), "accept")
    table = Table(tuple(columns), rows=rows)
    truth = unless.predict(program, table)
    noise = rng.random(rows) < 0.1
    truth[noise] = rng.choice(labels, int(noise.sum()))
    return program, Table(tuple(columns), Labels.of("decision", truth.tolist()))


def deep() -> tuple[Program, Table]:
    """A rule with exceptions nested as deep as allowed."""
    program = Program("y", ("n", "t"), (chain(200),), "flat")
    cells = [*range(-3, 40), None]
    columns = Column.of("n", cells), Column.of("t", ["a"] * len(cells))
    return program, Table(columns, Labels.of("y", ["deep", "flat"] * (len(cells) // 2)))


def many_labels(count: int) -> tuple[Program, Table]:
    """A program with this many labels, some of them confused."""
    labels = [f"class {place:03}" for place in range(count)]
    rules = tuple(Rule(label, (Literal("n", "<=", float(place)),)) for place, label in enumerate(labels))
    rng = np.random.default_rng(2)
    numbers = rng.integers(0, count, 20 * count)
    truth = np.clip(numbers + rng.integers(-1, 2, len(numbers)), 0, count - 1)
    column = Column.of("n", numbers.tolist(), "number")
    return Program("y", ("n",), rules), Table((column,), Labels.of("y", [labels[place] for place in truth]))


SIZE = LevelNotation(("S", "M", "L"))


def parcels() -> tuple[Program, Table]:
    """Numbers that people write as dates, times, durations, levels of an order and flags, and whole numbers."""
    noon, hour = datetime(2021, 3, 1, 12, 30, tzinfo=UTC), timedelta(hours=1)
    gift = Rule(None, (Literal("gift", ">", NotatedNumber(0.0, FLAG)),))
    rules = (
        Rule(
            "early",
            (Literal("ordered", "<=", date(2020, 8, 1)), Literal("size", "<=", NotatedNumber(1.0, SIZE))),
            (gift,),
        ),
        Rule("late", (Literal("sent", ">", noon), Literal("at", ">", time(12, 30)))),
        Rule("slow", (Literal("took", ">", 2 * hour), Literal("pieces", ">", 2.0))),
    )
    program = Program("parcel", ("ordered", "sent", "size", "gift", "pieces", "at", "took"), rules, "usual")
    rows = range(40)
    columns = {
        "ordered": [date(2020, 7, 1) + timedelta(days=2 * row) for row in rows],
        "sent": [noon + (row - 20) * hour for row in rows],
        "size": [NotatedNumber(row % 3, SIZE) for row in rows],
        "gift": [row // 2 % 2 for row in rows],
        "pieces": [row % 6 for row in rows],
        "at": [time(row % 24, 15) for row in rows],
        "took": [timedelta(minutes=10 * row) for row in rows],
    }
    plain = {"gift": FLAG, "pieces": WHOLE}
    made = [Column.of(name, cells, "number") for name, cells in columns.items()]
    made = [replace(column, notation=plain.get(column.name, column.notation)) for column in made]
    table = Table(tuple(made), rows=len(rows))
    return program, Table(table.columns, Labels.of("parcel", unless.predict(program, table).tolist()))
