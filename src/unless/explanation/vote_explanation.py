"""Explain how a committee decides a record: the points of every list, which add up to the probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from unless.explanation import proof_rendering
from unless.explanation.proof import LiteralCheck, Proof, RuleProof
from unless.explanation.sentences import check_text, checks_by_condition, words_for_checks
from unless.explanation.text_table import align_columns
from unless.explanation.why import proof_of, record_values
from unless.explanation.words import DEFAULT, Words, join_reasons, printable
from unless.model.points import probabilities_of
from unless.score.committee import Committee
from unless.values import Label, Value, count_text, label_to_json, share_text, value_to_json

_MAX_NAMED_LISTS = 3
"""How many lists the sentence names."""

_MAX_CLASS_COLUMNS = 4
"""The number of leading classes with a column in the table; `to_dict` contains all classes."""


def explain_vote(committee: Committee, record: Mapping[str, object]) -> VoteExplanation:
    """Explain how the lists of a committee vote on a record, a mapping of features to values (None if missing)."""
    values = record_values(committee.all_rules, record)
    votes = []
    for number, (program, points) in enumerate(zip(committee.lists, committee.points, strict=True)):
        proof = proof_of(program, values)
        votes.append(Vote(number, proof, tuple(points[len(proof.tried) - 1].tolist())))
    return VoteExplanation(committee, tuple(values.items()), tuple(votes))


@dataclass(frozen=True, slots=True, repr=False)
class Vote:
    """The vote of one list: the proof of its decision, and the points its deciding rule gives to each class."""

    list: int
    proof: Proof
    points: tuple[int, ...]

    @property
    def rule(self) -> RuleProof:
        """The proof of the deciding rule: the last rule tried, since the last rule of a list covers every record."""
        return self.proof.tried[-1]

    @property
    def name(self) -> str:
        """The list and the rule, counted from 1."""
        return f"list {self.list + 1}, rule {len(self.proof.tried)}"

    def reason(self, words: Words = DEFAULT) -> str:
        """Return which rule decided and why it applies: "list 3, rule 2: income is 1,000, at most 2,000"."""
        return f"{self.name}: {self.rule.reason(words)}"

    def short_reason(self, words: Words = DEFAULT) -> str:
        """Return the reason without the exceptions that do not apply."""
        checks = (check_text(one, words) for one in checks_by_condition(self.rule))
        return f"{self.name}: {join_reasons(checks) or 'otherwise'}"

    def __repr__(self) -> str:
        return f"<Vote of {self.reason()}: {self.points}>"


@dataclass(frozen=True, slots=True, repr=False)
class VoteExplanation:
    """A committee's vote: the points of the base and of every list add up to ``total``, a logit in thousandths."""

    committee: Committee
    """The committee that voted."""
    items: tuple[tuple[str, Value], ...]
    """The features and values of the record."""
    votes: tuple[Vote, ...]
    """What each list says: its deciding rule and its points."""

    @property
    def record(self) -> dict[str, Value]:
        """The record's values, by feature."""
        return dict(self.items)

    @property
    def base(self) -> tuple[int, ...]:
        """The points that each class has before any list votes."""
        return tuple(self.committee.base.tolist())

    @property
    def total(self) -> tuple[int, ...]:
        """The points of each class: exactly the sum of the base and of all votes."""
        return tuple(map(sum, zip(self.base, *(vote.points for vote in self.votes), strict=True)))

    @property
    def probabilities(self) -> dict[Label, float]:
        """The probability of each class."""
        shares = probabilities_of(np.array(self.total, dtype=np.int64)).tolist()
        return dict(zip(self.committee.classes, shares, strict=True))

    @property
    def label(self) -> Label:
        """The class with the most points; the first one if there is a tie."""
        return self.committee.classes[self._ranking[0]]

    @property
    def decided(self) -> None:
        """None, because no rule decides alone."""

    @property
    def outcome(self) -> str:
        """The label and its probability: "accept (0.812)"."""
        return f"{printable(str(self.label))} ({share_text(self.probabilities[self.label])})"

    @property
    def _ranking(self) -> list[int]:
        """The indices of the classes, most points first; ties are in the order of the classes."""
        total = self.total
        return sorted(range(len(total)), key=lambda k: -total[k])

    def lead(self, points: tuple[int, ...]) -> int:
        """Return by how many points the label leads the runner-up."""
        first, *rest = self._ranking
        return points[first] - (points[rest[0]] if rest else 0)

    @property
    def carrying(self) -> tuple[Vote, ...]:
        """The votes that favour the label over the runner-up, most points first."""
        return tuple(
            sorted((vote for vote in self.votes if self.lead(vote.points) > 0), key=lambda v: -self.lead(v.points))
        )

    def every_check(self) -> Iterator[LiteralCheck]:
        """Yield the checks of all deciding rules."""
        return chain.from_iterable(vote.rule.every_check() for vote in self.votes)

    def sentence(self, words: Words = DEFAULT) -> str:
        """Return a sentence with the decision, and the lists and rules that contributed most."""
        words = words_for_checks(words, self.every_check())
        label = words.label(self.committee.target, self.label)
        text = f"{label}, with probability {share_text(self.probabilities[self.label])}"
        if not self.votes:
            return f"{text}, because there are no lists: that is its share in training"
        rest = self._ranking[1:]
        if not rest:
            return f"{text}: there is no other class"
        other = printable(str(self.committee.classes[rest[0]]))
        votes = self.carrying
        text += f": {len(votes)} of {count_text(len(self.votes), 'list')} prefer it to {other}"
        if not votes:
            return f"{text}, which is rarer in training"
        named = "; ".join(
            f"{vote.short_reason(words)} ({self.lead(vote.points):+,})" for vote in votes[:_MAX_NAMED_LISTS]
        )
        return f"{text}, {'above all ' if len(votes) > _MAX_NAMED_LISTS else ''}{named}"

    def rows(self, words: Words = DEFAULT) -> list[tuple[str, tuple[int, ...]]]:
        """Return the table: a source of points and its points for each class per row; the last row is the sum."""
        words = words_for_checks(words, self.every_check())
        votes = sorted(self.votes, key=lambda vote: -abs(self.lead(vote.points)))
        return [("base", self.base), *((vote.reason(words), vote.points) for vote in votes), ("total", self.total)]

    def text(self, most: int | None = None, *, words: Words = DEFAULT) -> str:
        """Return the sentence and the table; with ``most``, only that many lists and the sum of the remaining ones."""
        shown = sorted(self._ranking[:_MAX_CLASS_COLUMNS])
        rows = self.rows(words)
        if most is not None and len(rows) - 2 > most:
            rest = rows[1 + most : -1]
            points = tuple(map(sum, zip(*(points for _, points in rest), strict=True)))
            rows = [*rows[: 1 + most], (count_text(len(rest), "other list"), points), rows[-1]]
        heads = [printable(str(self.committee.classes[k])) for k in shown]
        shares = [share_text(self.probabilities[self.committee.classes[k]]) for k in shown]
        cells = [[*(f"{points[k]:,}" for k in shown), name] for name, points in rows]
        table = [[*heads, "points"], *cells, [*shares, "probability"]]
        return "\n".join([self.sentence(words), *align_columns(table, right=range(len(shown)))])

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return {
            "target": self.committee.target,
            "label": label_to_json(self.label),
            "because": str(self),
            "record": {feature: value_to_json(value) for feature, value in self.items},
            "classes": [label_to_json(label) for label in self.committee.classes],
            "base": list(self.base),
            "votes": [
                {"list": vote.list, "rule": vote.proof.decided, "points": list(vote.points), "because": vote.reason()}
                for vote in self.votes
            ],
            "total": list(self.total),
            "probabilities": probabilities_to_json(self.probabilities),
        }

    def _repr_html_(self) -> str | None:
        title, *lines = self.text(most=20).split("\n")
        return proof_rendering.render_list(title, [" ".join(line.split()) for line in lines])

    def __str__(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        return f"<VoteExplanation: {self}>"


def probabilities_to_json(probabilities: Mapping[Label, float]) -> list[dict[str, Any]]:
    """Convert the probability of each label to values that JSON supports."""
    return [{"label": label_to_json(label), "probability": share} for label, share in probabilities.items()]
