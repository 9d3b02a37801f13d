"""A decision and its reasons for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from unless.cli.layout import grid, hanging
from unless.explanation.proof import Proof, RuleProof
from unless.explanation.sentences import lines
from unless.explanation.why import WhyNot
from unless.explanation.words import DEFAULT
from unless.model import Statistics
from unless.values import counted

if TYPE_CHECKING:
    from unless.explanation.changes.counterfactuals import Counterfactuals

_STYLES = {"decision": "bold", "exception": "dim", "other": "dim"}
_FEW = 3  # rules that did not apply are shown, unless all are asked for


def reasons(
    proof: Proof, number: int | None = None, statistics: Statistics | None = None, *, everything: bool = False
) -> Iterator[RenderableType]:
    """Yield the decision, its reasons, and why earlier rules did not apply: the nearest few of them, or all."""
    told = list(lines(proof, number, statistics, DEFAULT))
    shown = _nearest([tried for tried in proof.tried if not tried.covers], everything=everything)
    others = [line for line in told if line.role == "other"]
    for line in told[: len(told) - len(others)] + [others[place] for place in shown]:
        yield hanging(line.lead, Text(line.text, _STYLES.get(line.role, "")))
    if more := len(others) - len(shown):
        yield _more(more, f"{counted(more, 'other earlier rule')} did not apply")


def obstacles(found: WhyNot, *, everything: bool = False) -> Iterator[RenderableType]:
    """Yield what stopped the rules of a label: the nearest few of them, or all."""
    title, *stops = found.text().split("\n")
    shown = _nearest([obstacle.rule for obstacle in found.obstacles], everything=everything)
    yield Text(title, "bold")
    yield from (hanging("  ", Text(stops[place].strip())) for place in shown)
    if more := len(stops) - len(shown):
        yield _more(more, f"{counted(more, 'other rule')} for this label")


def _nearest(rules: Sequence[RuleProof | None], *, everything: bool) -> Collection[int]:
    """Return the places of the rules that came nearest to applying, in order: those with the fewest failing literals.

    A rule that only an exception or an earlier rule stopped has none.
    """
    if everything:
        return range(len(rules))
    failing = [0 if rule is None else len(rule.failing) for rule in rules]
    return sorted(sorted(range(len(rules)), key=failing.__getitem__)[:_FEW])


def _more(count: int, said: str) -> Text:
    return Text(f"  and {said}; --all shows {'it' if count == 1 else 'them'}", "dim")


def what_changes(changes: Counterfactuals) -> RenderableType:
    """Return the changes that give another label, each with that label, or that there are none."""
    title = changes.lines(DEFAULT)[0]
    table = grid({"no_wrap": True}, {}, {})
    for one in changes:
        table.add_row("", one.text(), Text.assemble(("→ ", "dim"), (one.outcome, "green")))
    return Group(Text(title, "bold"), table)
