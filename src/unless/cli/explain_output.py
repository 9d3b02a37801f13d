"""Render the explanation of a record: the decision, its reasons, what stopped a label, changes, and points."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from rich.console import Group, RenderableType
from rich.text import Text

from unless.cli.layout import grid, hanging_indent
from unless.explanation.cost_explanation import CostExplanation
from unless.explanation.decision_reasons import reasons_to_json, table_reasons
from unless.explanation.proof import Proof, RuleProof
from unless.explanation.score_explanation import ScoreExplanation, untested_text
from unless.explanation.sentences import failing_conditions, story_lines, words_for
from unless.explanation.why import Explanation, WhyNot
from unless.explanation.words import DEFAULT, Words, printable
from unless.model import Model as FittedModel
from unless.model import decider_of
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program
from unless.rule.reason_words import MOST_REASONS, Reason, ReasonWords
from unless.table import Column, Table
from unless.values import Label, Value, count_text, label_to_json, same_label, value_to_json

if TYPE_CHECKING:
    from unless.explanation.counterfactuals.nearest import Counterfactuals

_STYLES = {"decision": "bold", "exception": "dim", "other": "dim"}
_FEW = 3  # rules that did not apply are shown, unless all are requested
_LISTS = 8  # lists of a committee are shown one by one, unless all are requested


@dataclass(frozen=True, slots=True)
class ExplainedRecord:
    """The explanation of one record; ``number`` is None if all values come from the command line."""

    model: FittedModel | Program
    explanation: Explanation
    number: int | None = None
    changed: Mapping[str, Value] = field(default_factory=dict)
    label_in_data: Label | None = None
    held_back: bool | None = None
    """Whether the rules were tested on this record, and not learned from it."""
    why_not: WhyNot | None = None
    changes: Counterfactuals | None = None
    points: ScoreExplanation | None = None
    reasons: tuple[Reason, ...] | None = None

    @property
    def proof(self) -> Proof | None:
        """The proof, if one rule decides."""
        return self.explanation if isinstance(self.explanation, Proof) else None

    @property
    def statistics(self) -> RuleStatistics | None:
        """The statistics of the rules in training."""
        return None if isinstance(self.model, Program) else self.model.statistics

    @property
    def probability(self) -> float | None:
        """The probability of the label; None if unknown."""
        label, decided = self.explanation.label, self.explanation.decided
        if isinstance(self.model, Program) or label is None:
            return None
        place = self.model.statistics.classes.index(label)
        shares = self.model.probabilities(records_table([self.explanation.record]))
        if shares is not None:
            return float(shares[0, place])
        rules = None if self.proof is None else self.model.statistics.probabilities()
        return None if rules is None else float(rules[-1 if decided is None else decided, place])

    def to_dict(self) -> dict[str, Any]:
        """Convert the explanation for JSON."""
        changes = None if self.changes is None else self.changes.to_dict()["changes"]
        found = {
            "row": self.number,
            "set": {name: value_to_json(value) for name, value in self.changed.items()},
            "label_in_data": label_to_json(self.label_in_data),
            "held_back": self.held_back,
            "probability": self.probability,
            **({} if self.reasons is None else {"reasons": reasons_to_json(self.reasons)}),
        }
        if isinstance(self.explanation, CostExplanation):
            points = None if self.points is None else self.points.to_dict()
            return {**found, "decision": self.explanation.to_dict(), "points": points}
        if self.proof is None:
            return {**found, "vote": self.explanation.to_dict(), "changes": changes}
        return {
            **found,
            "proof": self.proof.to_dict(),
            "statistics": self.statistics and _rule_statistics_to_json(self.statistics, self.proof.decided),
            "why_not": self.why_not and {key: self.why_not.to_dict()[key] for key in ("label", "rules")},
            "changes": changes,
            "points": None if self.points is None else self.points.to_dict(),
        }

    def lines(self, style: OneOf["plain", "tree", "rules"], *, everything: bool) -> Iterator[RenderableType]:
        """Yield the explanation for a terminal."""
        words = words_for(decider_of(self.model).all_rules, record=self.explanation.record)
        changed = " and ".join(words.has(name, value) for name, value in self.changed.items())
        if changed and self.number is not None:
            yield hanging_indent(f"Record {self.number}, if ", Text(f"{changed}:"))
        yield from self._decision_lines(style, None if changed else self.number, words, everything=everything)
        yield from self._data_label_lines()
        if self.why_not is not None:
            yield from render_obstacles(self.why_not, words, everything=everything)
        if self.reasons is not None:
            yield from render_principal_reasons(self.reasons)
        if self.changes is not None:
            yield render_changes(self.changes, words)
        if self.points is not None:
            yield render_points(self.points)

    def _decision_lines(
        self, style: OneOf["plain", "tree", "rules"], number: int | None, words: Words, *, everything: bool
    ) -> Iterator[RenderableType]:
        """Yield the decision and its reasons."""
        if self.proof is None:
            start = "" if number is None else f"Record {number}: "
            title, *rows = self.explanation.text(None if everything else _LISTS, words=words).split("\n")
            yield hanging_indent(start, Text(title, "bold"))
            yield from map(Text, rows)
        elif style == "plain":
            yield from render_reasons(
                self.proof, number, self.statistics, words, probability=self.probability, everything=everything
            )
        else:
            yield self.proof.text(style, number=number)
        if not isinstance(self.model, Program) and (note := untested_text(self.model.untested, words)):
            yield hanging_indent("  ", Text(f"({note.removesuffix('.')})", "dim"))

    def _data_label_lines(self) -> Iterator[RenderableType]:
        """Yield notes on the label in the data, and on whether the record was held back."""
        said, label = self.label_in_data, self.explanation.label
        if said is not None and (label is None or not same_label(said, label)):
            yield hanging_indent("  ", Text(f"(its label in the data is {printable(str(said))})", "yellow"))
        if self.held_back:
            yield hanging_indent("  ", Text("(the rules were not learned from this record, but tested on it)", "dim"))


def records_table(records: Sequence[Mapping[str, Value]]) -> Table:
    """Convert records to a table of the features that all of them have."""
    names = [name for name in records[0] if all(name in record for record in records)]
    return Table(tuple(Column.of(name, [one[name] for one in records]) for name in names), rows=len(records))


def record_reasons(model: FittedModel | Program, record: Mapping[str, Value], words: ReasonWords) -> tuple[Reason, ...]:
    """Return the principal reasons for the decision on a record."""
    return table_reasons(decider_of(model), records_table([record]), words, MOST_REASONS)[0]


def render_principal_reasons(reasons: Sequence[Reason]) -> Iterator[RenderableType]:
    """Yield the reasons with their codes."""
    yield Text("reasons:" if reasons else "no reasons", "bold")
    for one in reasons:
        yield hanging_indent("  ", Text(printable(str(one))))


def _rule_statistics_to_json(statistics: RuleStatistics, decided: int | None) -> dict[str, Any]:
    """Convert the figures of the deciding rule in training, and its expected precision."""
    index = -1 if decided is None else decided
    known = statistics.known(index)
    return {
        "decided": float(statistics.support[index]) if known else None,
        "right": float(statistics.right[index]) if known else None,
        **statistics.expectation(index),
        "weighted": statistics.weighted,
    }


def render_reasons(
    proof: Proof,
    number: int | None = None,
    statistics: RuleStatistics | None = None,
    words: Words = DEFAULT,
    *,
    probability: float | None = None,
    everything: bool = False,
) -> Iterator[RenderableType]:
    """Yield the decision, its reasons, and why earlier rules did not apply: the few nearest rules, or all."""
    lines = list(story_lines(proof, number, statistics, words, probability))
    shown = _nearest_rules([tried for tried in proof.tried if not tried.covers], everything=everything)
    others = [line for line in lines if line.role == "other"]
    for line in lines[: len(lines) - len(others)] + [others[place] for place in shown]:
        yield hanging_indent(line.lead, Text(line.text, _STYLES.get(line.role, "")))
    if more := len(others) - len(shown):
        yield _more_line(more, f"{count_text(more, 'other earlier rule')} did not apply")


def render_obstacles(found: WhyNot, words: Words, *, everything: bool = False) -> Iterator[RenderableType]:
    """Yield what stopped the rules for a label: the few nearest rules, or all."""
    title, *stops = found.text(words).split("\n")
    shown = _nearest_rules([obstacle.rule for obstacle in found.obstacles], everything=everything)
    yield Text(title, "bold")
    yield from (hanging_indent("  ", Text(stops[place].strip())) for place in shown)
    if more := len(stops) - len(shown):
        yield _more_line(more, f"{count_text(more, 'other rule')} for this label")


def _nearest_rules(rules: Sequence[RuleProof | None], *, everything: bool) -> Collection[int]:
    """Return the indices of the rules with the fewest failing conditions, in order.

    A rule that only an exception or an earlier rule stopped has no failing conditions.
    """
    if everything:
        return range(len(rules))
    fails = [0 if rule is None else len(failing_conditions(rule)) for rule in rules]
    return sorted(sorted(range(len(rules)), key=fails.__getitem__)[:_FEW])


def _more_line(count: int, said: str) -> Text:
    return Text(f"  and {said}; --all shows {'it' if count == 1 else 'them'}", "dim")


def render_changes(changes: Counterfactuals, words: Words = DEFAULT) -> RenderableType:
    """Render the changes that give another label, each with that label, or a line that there are none."""
    title = changes.lines(words)[0]
    table = grid({"no_wrap": True}, {}, {})
    for one in changes:
        table.add_row("", one.text(words), Text.assemble(("→ ", "dim"), (one.outcome, "green")))
    return Group(Text(title, "bold"), table)


def render_points(points: ScoreExplanation) -> RenderableType:
    """Return a table of points that add up to the probabilities."""
    head, *rows, total, shares = points.table()
    table = grid({}, *({"justify": "right", "no_wrap": True} for _ in head[1:]))
    for row, style in ((head, "bold"), *((row, "") for row in rows), (total, "bold"), (shares, "bold")):
        table.add_row(*(Text(cell, style) for cell in row))
    return Group(table, Text(points.note)) if points.note else table
