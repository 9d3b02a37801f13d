"""Draws one fit step by step, from what the learner does: `python docs/images/steps.py`.

178 wines by two of their measurements. An engine that notes every question of the learner gives the steps; where rules
decide is worked out by asking the program about every rectangle between its thresholds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from sklearn.datasets import load_wine

from unless import Literal, Program, Rule, Table, fold_rm, fold_unless, predict, read_table
from unless.learn.literals import GAIN, FoundLiteral, information_gain
from unless.learn.memory_engine import MemoryEngine

HERE = Path(__file__).parent
FEATURES = ("flavanoids", "proline")
RANGES = ((0.2, 5.3), (230.0, 1730.0))
SIDE, TALL, GAP, TOP = 330, 250, 44, 58
"""The width and the height of a panel, what is left beside it, and what is above it for its title."""

STYLE = """
  svg { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; }
  .page { fill: #ffffff; } text { fill: #24292f; } .note { fill: #57606a; font-size: 12px; }
  .title { font-weight: 600; } rect { shape-rendering: crispEdges; }
  .frame { fill: none; stroke: #d8dee4; } .shade { fill: #24292f; opacity: .09; }
  .A { fill: #0969da; } .B { fill: #bc4c00; } .C { fill: #1a7f37; } .area { opacity: .22; } .gone { opacity: .13; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; } text { fill: #e6edf3; } .note { fill: #9198a1; } .frame { stroke: #30363d; }
    .shade { fill: #e6edf3; opacity: .13; }
    .A { fill: #58a6ff; } .B { fill: #f0883e; } .C { fill: #3fb950; }
  }
"""


@dataclass(frozen=True)
class Step:
    """A search for a literal: the examples, the literal that was found, and how many of them it covers."""

    positive: frozenset[int]
    negative: frozenset[int]
    used: tuple[Literal, ...]
    literal: Literal
    covered: tuple[int, int]

    @property
    def gain(self) -> float:
        """The information gain of the literal."""
        (tp, fp), p, n = self.covered, len(self.positive), len(self.negative)
        return information_gain(tp, p - tp, n - fp, fp)


class Watched(MemoryEngine):
    """The engine of every fit in memory, which notes what is asked."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.steps: list[Step] = []

    def learn_paper_rule(self, *_: Any) -> None:
        """Literal by literal, not a rule at once."""

    def find_literal(
        self, positive: Any, negative: Any, score: Any, used: Any = (), allowed: Any = None
    ) -> FoundLiteral | None:
        """Find the literal, and note it."""
        found = super().find_literal(positive, negative, score, used, allowed)
        if found is not None and score is GAIN:
            covered = tuple(len(self.covered_by_literal(rows, found.literal).rows()) for rows in (positive, negative))
            examples = (frozenset(rows.rows().tolist()) for rows in (positive, negative))
            self.steps.append(Step(*examples, used, found.literal, covered))  # type: ignore[arg-type]  # two of each
        return found


def wines() -> Table:
    """The wines, by two measurements."""
    frame, y = load_wine(return_X_y=True, as_frame=True)
    return read_table(frame[list(FEATURES)].assign(cultivar=["ABC"[k] for k in y]), "cultivar")


def pictures() -> dict[str, str]:
    """Every picture, by the name of its file."""
    table = wines()
    engine = Watched(table)
    program = fold_rm(engine)
    return {
        "steps-rule.svg": picture("The first rule of FOLD-RM, literal by literal", _steps(table, engine.steps[:4])),
        "steps-list.svg": picture("FOLD-RM, rule after rule", _rules(table, program)),
        "steps-own.svg": picture("Our own learner beside it", _lists(table, program)),
    }


def _steps(table: Table, steps: Sequence[Step]) -> Iterator[str]:
    for number, step in enumerate(steps, 1):
        exception = number > 1 and step.positive & steps[0].negative
        title = f"{number}. {'Exception' if exception else 'Default'}: {_said(step.literal)}"
        positive, negative = len(step.positive), len(step.negative)
        (tp, fp), minus = step.covered, f"{step.gain:.3f}".replace("-", "−")
        note = f"gain {minus}; it covers {tp} of {positive} E⁺ and {fp} of {negative} E⁻"
        here = Program("", FEATURES, (Rule("yes", (*step.used, step.literal)),))
        shaded = ((box, "shade") for box, label in boxes(here) if label)
        yield panel(title, note, shaded, table, step.positive | step.negative)


def _rules(table: Table, program: Program) -> Iterator[str]:
    left = set(range(len(table)))
    for number, rule in enumerate(program.rules[:4], 1):
        alone = replace(program, rules=(rule,))
        decided = {row for row in left if alone.label(table.record(row)) is not None}
        right = sum(table.y[row] == rule.head for row in decided)
        first = replace(program, rules=program.rules[:number])
        shaded = ((box, f"{label} area") for box, label in boxes(first) if label)
        left -= decided
        note = f"it decides {len(decided)}, {right} of them rightly; {len(left)} wines are left"
        yield panel(f"Rule {number}: {rule.head}", note, shaded, table, left)


def _lists(table: Table, published: Program) -> Iterator[str]:
    lists = {
        "FOLD-RM": published,
        "Ours, rule by rule": fold_unless(table, optimise=False),
        "The same, optimised as a whole": fold_unless(table, round_thresholds=False),
        "With thresholds that people remember": fold_unless(table),
    }
    for title, program in lists.items():
        wrong = int((predict(program, table) != table.y).sum())
        parts = sum(1 + _exceptions(rule) for rule in program.rules)
        note = f"{len(program)} rules, {parts - len(program)} exceptions; {wrong} of {len(table)} wrong in training"
        shaded = ((box, f"{label} area") for box, label in boxes(program) if label)
        yield panel(title, note, shaded, table, range(len(table)))


def _exceptions(rule: Rule) -> int:
    return sum(1 + _exceptions(exception) for exception in rule.exceptions)


def _said(literal: Literal) -> str:
    return f"{literal.feature} {'≤' if literal.op == '<=' else literal.op} {literal.value:g}"


Box = tuple[float, float, float, float]


def boxes(program: Program) -> Iterator[tuple[Box, object]]:
    """The rectangles between the thresholds of a program, with the label that it gives them."""
    cuts = [sorted({*ends, *_thresholds(program.rules, name)}) for name, ends in zip(FEATURES, RANGES, strict=True)]
    for x0, x1 in pairwise(cuts[0]):
        for y0, y1 in pairwise(cuts[1]):
            yield (x0, y0, x1, y1), program.label({FEATURES[0]: (x0 + x1) / 2, FEATURES[1]: (y0 + y1) / 2})


def _thresholds(rules: Iterable[Rule], feature: str) -> Iterator[float]:
    for rule in rules:
        yield from (float(literal.value) for literal in rule.default if literal.feature == feature)  # type: ignore[arg-type]
        yield from _thresholds(rule.exceptions, feature)


def _at(x: float, y: float) -> tuple[float, float]:
    (left, right), (low, high) = RANGES
    return SIDE * (x - left) / (right - left), TALL * (high - y) / (high - low)


def panel(title: str, note: str, shaded: Iterable[tuple[Box, str]], table: Table, lit: Iterable[int]) -> str:
    """Areas and wines; those that are not lit are faint."""
    parts = [f'<text class="title" y="-26">{escape(title)}</text>', f'<text class="note" y="-9">{escape(note)}</text>']
    for (x0, y0, x1, y1), kind in shaded:
        (left, top), (right, bottom) = _at(x0, y1), _at(x1, y0)
        size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
        parts.append(f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" {size}/>')
    here = frozenset(lit)
    for row in range(len(table)):
        wine = table.record(row)
        x, y = _at(*(float(wine[name]) for name in FEATURES))  # type: ignore[arg-type]
        parts.append(_mark(str(table.y[row]), x, y, faint=row not in here))
    parts.append(f'<rect class="frame" width="{SIDE}" height="{TALL}"/>')
    parts.append(f'<text class="note" x="{SIDE}" y="{TALL + 16}" text-anchor="end">flavanoids →</text>')
    parts.append(f'<text class="note" x="0" y="{TALL + 16}">proline ↑</text>')
    return "\n".join(parts)


def _mark(label: str, x: float, y: float, *, faint: bool) -> str:
    kind = f'class="{label}{" gone" * faint}"'
    if label == "A":
        return f'<circle {kind} cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'
    if label == "B":
        return f'<rect {kind} x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>'
    return f'<path {kind} d="M{x:.1f} {y - 4:.1f}l4 7h-8z"/>'


def picture(title: str, panels: Iterable[str]) -> str:
    """Panels, two in a row, below a title with the names of the marks."""
    drawn = list(panels)
    width, height = 2 * SIDE + GAP + 48, 52 + (len(drawn) + 1) // 2 * (TALL + TOP + 24)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"',
        f' aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}" rx="6"/>',
        f'<text x="24" y="30" style="font-size:15px;font-weight:600">{escape(title)}</text>',
    ]
    for place, label in enumerate("ABC"):
        x = width - 20 - 86 * (3 - place)
        lines.append(
            _mark(label, x, 26, faint=False) + f'<text class="note" x="{x + 9}" y="30">cultivar {label}</text>'
        )
    for place, one in enumerate(drawn):
        x, y = 24 + place % 2 * (SIDE + GAP), 52 + TOP - 12 + place // 2 * (TALL + TOP + 24)
        lines.append(f'<g transform="translate({x} {y})">\n{one}\n</g>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    for name, text in pictures().items():
        (HERE / name).write_text(text)
