"""Explain a decision by points or costs: what each decision is expected to cost, and what the rules say themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unless.explanation import proof_rendering
from unless.explanation.proof import LiteralCheck, Proof
from unless.explanation.sentences import rule_name
from unless.explanation.vote_explanation import VoteExplanation, probabilities_to_json
from unless.explanation.why import explain_record
from unless.explanation.words import DEFAULT, Words, printable
from unless.model.points import probabilities_of
from unless.score.score_decider import ScoreDecider
from unless.values import Label, Value, cost_text, label_to_json, share_text

_SHOWN = 6
"""The number of labels that a sentence names, the cheapest or most probable ones."""


def explain_score_decision(decider: ScoreDecider, record: Mapping[str, object]) -> CostExplanation:
    """Explain the decision on a record, given as a mapping from features to values (None where missing)."""
    inner: Any = explain_record(decider.source, record)
    cells = {name: inner.record.get(name) for name in decider.used}
    decisions = decider.decide_cells(cells, 1)
    place = int(decisions.choices[0])
    return CostExplanation(
        decider,
        inner,
        decider.heads[place],
        place == decider.rejected,
        tuple(probabilities_of(decisions.points)[0].tolist()),  # type: ignore[arg-type]  # points are known
        tuple(decider.expected_costs_of_cells(cells, 1)[0].tolist()),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostExplanation:
    """A decision by points or costs; ``inner`` explains what the rules or votes say themselves."""

    decider: ScoreDecider
    inner: Proof | VoteExplanation
    label: Label | None
    rejected: bool
    """Whether the record is passed on, because each label (or that of the rules) is expected to cost too much."""
    shares: tuple[float, ...]
    """The probability of each label."""
    costs: tuple[float, ...]
    """The expected cost of each label, and of rejecting if that is possible."""

    @property
    def record(self) -> dict[str, Value]:
        """The record's values, by feature."""
        return self.inner.record

    @property
    def decided(self) -> None:
        """None, because no rule decides alone."""

    @property
    def probabilities(self) -> dict[Label, float]:
        """The probability of each label."""
        return dict(zip(self.decider.classes, self.shares, strict=True))

    @property
    def expected_costs(self) -> dict[Label, float]:
        """The expected cost of each label."""
        return dict(zip(self.decider.classes, self.costs, strict=False))

    @property
    def outcome(self) -> str:
        """The decision and its expected cost: "accept (0.43)"; or its probability, if points decide."""
        if self.label is None:
            return "rejected" if self.rejected else "no label"
        known = self.probabilities if self.decider.by == "score" else self.expected_costs
        text = share_text if self.decider.by == "score" else cost_text
        return f"{printable(str(self.label))} ({text(known[self.label])})"

    def every_check(self) -> Iterator[LiteralCheck]:
        """Yield the checks of the rules."""
        return self.inner.every_check()

    def sentence(self, words: Words = DEFAULT) -> str:
        """Return a sentence with the decision and its reason: "accept costs least: 0.43 is expected, decline 1.2"."""
        if self.rejected:
            return f"no decision, ask somebody: {self._too_dear}"
        if self.label is None:
            return f"no decision: {self.inner.text(words=words)}"
        label = words.label(self.decider.target, self.label)
        if self.decider.by == "costs":
            return f"{label}, because it is expected to cost least: {self._costs_text}"
        share = share_text(self.probabilities[self.label])
        if self.decider.by == "score":
            return f"{label}, because it has the most points: its probability is {share}"
        cost = f"it is expected to cost {cost_text(self.expected_costs[self.label])}"
        return f"{label}, as the rules say; {cost}, not more than {cost_text(self.decider.reject or 0.0)}"

    @property
    def _too_dear(self) -> str:
        price = f"more than {cost_text(self.decider.reject or 0.0)}"
        if self.decider.by == "costs":
            return f"every label is expected to cost {price}: {self._costs_text}"
        label = self.inner.label if self.decider.by == "rules" else self._most_probable
        place = self.decider.heads.index(label)  # a label: a record without one is not rejected
        return f"{printable(str(label))} is expected to cost {cost_text(self.costs[place])}, {price}"

    @property
    def _most_probable(self) -> Label:
        return max(self.probabilities, key=self.probabilities.__getitem__)

    @property
    def _costs_text(self) -> str:
        ranked = sorted(self.expected_costs.items(), key=lambda item: item[1])[:_SHOWN]
        return ", ".join(f"{printable(str(label))} {cost_text(cost)}" for label, cost in ranked)

    def lines(self, words: Words = DEFAULT) -> list[str]:
        """Return the sentence, the probabilities, and what the rules say."""
        ranked = sorted(self.probabilities.items(), key=lambda item: -item[1])[:_SHOWN]
        shares = ", ".join(f"{printable(str(label))} {share_text(share)}" for label, share in ranked)
        found = [self.sentence(words), f"probabilities: {shares}"]
        if isinstance(self.inner, Proof) and self.inner.label is not None:
            verb = "gives the same label" if self.inner.label == self.label else "alone would decide"
            said = self.inner.text(words=words)
            found.append(f"{rule_name(self.inner.decided)} {verb}: {said}")
        return found

    def text(self, most: Any = None, *, words: Words = DEFAULT) -> str:
        """Return the decision, the probabilities, and what the rules say, or the table of votes."""
        votes = [f"by points: {self.inner.text(most, words=words)}"] if isinstance(self.inner, VoteExplanation) else []
        return "\n".join([*self.lines(words), *votes])

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        costs = [{"label": label_to_json(label), "cost": cost} for label, cost in self.expected_costs.items()]
        return {
            "target": self.decider.target,
            "label": label_to_json(self.label),
            "rejected": self.rejected,
            "by": self.decider.by,
            "because": str(self),
            "probabilities": probabilities_to_json(self.probabilities),
            "costs": costs,
            "reject": self.decider.reject,
            "proof" if isinstance(self.inner, Proof) else "vote": self.inner.to_dict(),
        }

    def _repr_html_(self) -> str | None:
        title, *lines = self.text(20).split("\n")
        return proof_rendering.render_list(title, [" ".join(line.split()) for line in lines])

    def __str__(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        return f"<CostExplanation: {self}>"
