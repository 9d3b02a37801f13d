"""Compare the rules of two programs: which are kept, moved, changed, added or removed.

Each rule of one program is matched with at most one rule of the other, with the same label. Rules with the same meaning
are matched first. The other rules are paired so that the total similarity is largest and each pair has at least
`MIN_SIMILARITY`. The order of literals and of exceptions does not change the meaning of a rule; the order of rules
does. A text and the label that it spells are equal: one program may come from a text file, the other from a data frame.
Thresholds are compared only if they are on the same number line: a date is never compared with a plain number or a
duration, nor a level with a level of another order.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, cast
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.explanation.proof_rendering import literal_to_json
from unless.rule import Literal, Operator, Program, Rule
from unless.values import Label, Value, label_index, label_to_json, same_label
from unless.values.notation import DateNotation, NotatedNumber

MIN_SIMILARITY = 0.35
"""The least similarity at which two rules count as one changed rule: 0 is nothing in common, 1 is equal.

One of two literals in common is enough (0.5), and so is the same test with other numbers (0.67). A common feature with
another test is not enough (at most 0.33).
"""

Status = OneOf["kept", "changed", "added", "removed"]

_Pair = tuple[int | None, int | None]
"""The numbers of a rule in the old and the new program; None where the rule does not exist."""


def _edit_status(old: object, new: object, *, same: bool) -> Status:
    if old is None or new is None:
        return "added" if old is None else "removed"
    return "kept" if same else "changed"


@dataclass(frozen=True, slots=True)
class LiteralEdit:
    """A literal of the old rule and its counterpart in the new rule, perhaps with another value; one may be None."""

    old: Literal | None
    new: Literal | None

    @property
    def literal(self) -> Literal:
        """The new literal, or the old one if it was removed."""
        return cast("Literal", self.old if self.new is None else self.new)

    @property
    def status(self) -> Status:
        """Whether the literal was kept, changed, added or removed."""
        return _edit_status(self.old, self.new, same=self.old == self.new)

    def to_dict(self) -> dict[str, Any]:
        """Convert the edit to lists, dicts and values that JSON supports."""
        old, new = (None if one is None else literal_to_json(one) for one in (self.old, self.new))
        return {"status": self.status, "old": old, "new": new}


@dataclass(frozen=True, slots=True)
class RuleEdit:
    """A rule or exception of the old program and its counterpart in the new program; one of them may be None.

    ``old_number`` and ``new_number`` count from 0. A rule has ``moved`` if its order relative to other kept rules
    changed; rules added before it do not count.
    """

    old: Rule | None
    new: Rule | None
    old_number: int | None
    new_number: int | None
    literals: tuple[LiteralEdit, ...] = ()
    exceptions: tuple[RuleEdit, ...] = ()
    moved: bool = False

    @property
    def rule(self) -> Rule:
        """The new rule, or the old one if it was removed."""
        return cast("Rule", self.old if self.new is None else self.new)

    @property
    def status(self) -> Status:
        """Whether the rule was kept, changed, added or removed, regardless of its position."""
        parts: list[LiteralEdit | RuleEdit] = [*self.literals, *self.exceptions]
        return _edit_status(self.old, self.new, same=all(edit.status == "kept" for edit in parts))

    def to_dict(self) -> dict[str, Any]:
        """Convert the edit to lists, dicts and values that JSON supports."""
        label = {} if self.rule.head is None else {"label": label_to_json(self.rule.head)}
        return {
            "status": self.status,
            **({"moved": self.moved} if label else {}),
            "old": self.old_number,
            "new": self.new_number,
            **label,
            "literals": [edit.to_dict() for edit in self.literals],
            "exceptions": [edit.to_dict() for edit in self.exceptions],
        }


@dataclass(frozen=True)
class RuleComparison:
    """The changes between two programs. ``rules`` are in the new order; removed rules follow their old predecessors."""

    old: Program
    new: Program
    rules: tuple[RuleEdit, ...]

    @property
    def same(self) -> bool:
        """Whether both programs have the same rules in the same order, and the same label if no rule applies."""
        kept = all(edit.status == "kept" and not edit.moved for edit in self.rules)
        return kept and self.old.target == self.new.target and self.same_otherwise

    @property
    def same_otherwise(self) -> bool:
        """Whether both programs give the same label, or both none, to records that no rule covers."""
        old, new = self.old.otherwise, self.new.otherwise
        return old is new if old is None or new is None else same_label(old, new)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The numbers of rules that were kept in place, moved, changed, added and removed."""
        found = Counter("moved" if edit.moved and edit.status == "kept" else edit.status for edit in self.rules)
        return {status: found[status] for status in ("kept", "moved", "changed", "added", "removed")}

    @property
    def new_features(self) -> tuple[str, ...]:
        """The features that only the new program has."""
        return tuple(name for name in self.new.features if name not in self.old.features)

    @property
    def lost_features(self) -> tuple[str, ...]:
        """The features that only the old program has."""
        return tuple(name for name in self.old.features if name not in self.new.features)

    def to_dict(self) -> dict[str, Any]:
        """Convert the comparison to values that JSON supports; rule numbers count from 0."""
        return {
            "same": self.same,
            "target": [self.old.target, self.new.target],
            "otherwise": [label_to_json(self.old.otherwise), label_to_json(self.new.otherwise)],
            "features": {"added": list(self.new_features), "removed": list(self.lost_features)},
            "counts": self.counts,
            "rules": [edit.to_dict() for edit in self.rules],
        }


def compare_rules(old: Program, new: Program) -> RuleComparison:
    """Compare two programs rule by rule."""
    pairs = [pair for group in _group_by_label(old.rules, new.rules) for pair in _match_rules(*group)]
    moved = _find_moved_rules(pairs)
    edits = [_compare_rule(old.rules, new.rules, pair, moved=pair in moved) for pair in pairs]
    return RuleComparison(old, new, tuple(_order_edits(edits)))


# The changes of one rule.


def _compare_rule(old: Sequence[Rule], new: Sequence[Rule], pair: _Pair, *, moved: bool = False) -> RuleEdit:
    """Compare a rule with its counterpart: literals, then exceptions."""
    first, second = pair
    before = None if first is None else old[first]
    after = None if second is None else new[second]
    literals = _literal_edits(before.default if before else (), after.default if after else ())
    inner = before.exceptions if before else (), after.exceptions if after else ()
    exceptions = _order_edits(
        [_compare_rule(*inner, place) for place in _match_rules(*(dict(enumerate(side)) for side in inner))]
    )
    return RuleEdit(before, after, first, second, tuple(literals), tuple(exceptions), moved)


def _literal_edits(old: Sequence[Literal], new: Sequence[Literal]) -> Iterator[LiteralEdit]:
    """Yield edits in the order of the new rule, removed literals last; a test with a new value is a changed literal."""
    before = {_literal_test(literal): literal for literal in old}
    left = Counter(map(_literal_test, old))
    left.subtract(map(_literal_test, new))
    spare: dict[Hashable, list[_LiteralTest]] = defaultdict(list)
    for asked in left.elements():
        if asked[1] is not None:
            insort(spare[asked[0]], asked, key=itemgetter(1))  # the values of one test are all numbers or all texts
    known = Counter(map(_literal_test, old))
    for literal in new:
        test, _ = asked = _literal_test(literal)
        known[asked] -= 1
        if known[asked] >= 0:
            yield LiteralEdit(before[asked], literal)
        elif group := spare[test]:
            left[group[0]] -= 1
            yield LiteralEdit(before[group.pop(0)], literal)
        else:
            yield LiteralEdit(None, literal)
    yield from (LiteralEdit(before[asked], None) for asked in left.elements())


_LiteralTest = tuple[tuple[str, tuple[Operator, Hashable]], Value]
"""A test and its value; a test is a feature, an operator and the number line of the comparison."""


def _literal_test(literal: Literal) -> _LiteralTest:
    return (literal.feature, (literal.op, _number_line(literal.value))), literal.value


def _number_line(value: Value) -> Hashable:
    """Return the number line of a value: times, an order, or None for plain numbers and for texts."""
    if not isinstance(value, NotatedNumber) or value.notation.plain:
        return None
    return "time" if isinstance(value.notation, DateNotation) else value.notation


# Matching old and new rules.


_Numbered = Mapping[int, Rule]
"""Rules or exceptions by their numbers, in order."""


def _group_by_label(old: Sequence[Rule], new: Sequence[Rule]) -> Iterator[tuple[_Numbered, _Numbered]]:
    """Return, for each label, its rules in the old and in the new program."""
    known: list[Label] = []
    groups: dict[int, tuple[dict[int, Rule], dict[int, Rule]]] = defaultdict(lambda: ({}, {}))
    for side, rules in enumerate((old, new)):
        for number, rule in enumerate(rules):
            label = cast("Label", rule.head)  # every rule of a program has a label
            place = label_index(label, known)
            if place is None:
                place = len(known)
                known.append(label)
            groups[place][side][number] = rule
    yield from groups.values()


def _match_rules(old: _Numbered, new: _Numbered) -> list[_Pair]:
    """Match every rule with its counterpart in the other program, or with None."""
    equal = _pair_equal_rules(old, new)
    similar = _pair_similar_rules(*_unpaired_rules(old, new, equal))
    left, right = _unpaired_rules(old, new, equal + similar)
    return [*equal, *similar, *((number, None) for number in left), *((None, number) for number in right)]


def _unpaired_rules(old: _Numbered, new: _Numbered, pairs: Sequence[tuple[int, int]]) -> tuple[_Numbered, _Numbered]:
    """Return the rules of both programs that are in no pair."""
    olds, news = ({pair[side] for pair in pairs} for side in (0, 1))
    return {k: rule for k, rule in old.items() if k not in olds}, {k: rule for k, rule in new.items() if k not in news}


def _pair_equal_rules(old: _Numbered, new: _Numbered) -> list[tuple[int, int]]:
    """Pair rules with the same meaning, in order."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for number, rule in old.items():
        places[_rule_meaning(rule)].append(number)
    pairs = []
    for number, rule in new.items():
        if found := places[_rule_meaning(rule)]:
            pairs.append((found.pop(0), number))
    return pairs


def _rule_meaning(rule: Rule) -> Hashable:
    """Return what a rule requires, regardless of the order of its literals and exceptions."""
    exceptions = map(_rule_meaning, rule.exceptions)  # one frame per level: 200 levels stay within Python's limit
    return frozenset(Counter(map(_literal_test, rule.default)).items()), frozenset(Counter(exceptions).items())


def _pair_similar_rules(old: _Numbered, new: _Numbered) -> list[tuple[int, int]]:
    """Pair rules so that their total similarity is largest; among equal pairings, keep the order best."""
    if not old or not new:
        return []
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

    likeness = _similarity([*old.values()], [*new.values()])
    likeness[likeness < MIN_SIMILARITY] = 0
    distance = np.abs(np.linspace(0, 1, len(old))[:, None] - np.linspace(0, 1, len(new)))
    places = zip(*linear_sum_assignment(likeness - 1e-6 * distance, maximize=True), strict=True)
    olds, news = list(old), list(new)
    return [(olds[i], news[j]) for i, j in places if likeness[i, j] > 0]


def _similarity(old: Sequence[Rule], new: Sequence[Rule]) -> NDArray[np.float64]:
    """Return the similarity of each old and new rule: twice the weight of common traits / the weight of all."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

    traits = [_rule_traits(rule) for rule in (*old, *new)]
    place = {trait: k for k, trait in enumerate({trait: None for found in traits for trait in found})}
    rows = np.repeat(np.arange(len(traits)), [len(found) for found in traits])
    columns = [place[trait] for found in traits for trait in found]
    # Each rule is a vector of square roots of weights, so that a product is the weight of the common traits.
    roots = np.sqrt([weight for found in traits for weight in found.values()])
    table = csr_array((roots, (rows, columns)), shape=(len(traits), len(place)))
    total = table.multiply(table).sum(axis=1)
    shared = (table[: len(old)] @ table[len(old) :].T).toarray()
    likeness: NDArray[np.float64] = 2 * shared / (total[: len(old), None] + total[None, len(old) :])
    return likeness


def _rule_traits(rule: Rule) -> dict[Hashable, float]:
    """Return the traits of a rule: features, operators and values of its tests. Deeper tests weigh less."""
    counts: Counter[Hashable] = Counter()
    weights: dict[Hashable, float] = {}
    for depth, part in rule.parts():
        tests: list[tuple[Hashable, ...]] = [(*test, value) for test, value in map(_literal_test, part.default)]
        for test in tests or [("always",) * 3]:
            for trait in (test[:1], test[:2], test):
                counts[depth, trait] += 1  # a repeated trait counts as two traits
                weights[depth, trait, counts[depth, trait]] = 1 / (1 + depth) ** 2
    return weights


def _find_moved_rules(pairs: Sequence[_Pair]) -> set[_Pair]:
    """Find the smallest set of common rules such that all other common rules are in the same order."""
    ordered = sorted(((old, new) for old, new in pairs if old is not None and new is not None), key=itemgetter(1))
    ends: list[int] = []  # for each length, the last old number of the best increasing sequence
    lengths = []
    for first, _ in ordered:
        length = bisect_left(ends, first)
        ends[length : length + 1] = [first]
        lengths.append(length)
    wanted, stay = len(ends) - 1, set()
    for pair, length in zip(reversed(ordered), reversed(lengths), strict=True):
        if length == wanted:
            stay.add(pair)
            wanted -= 1
    return {pair for pair in ordered if pair not in stay}


def _order_edits(edits: Sequence[RuleEdit]) -> list[RuleEdit]:
    """Sort edits by new number; a removed rule comes after the nearest earlier rule that still exists."""
    after = sorted((edit for edit in edits if edit.new_number is not None), key=lambda edit: edit.new_number or 0)
    gone = sorted((edit for edit in edits if edit.new_number is None), key=lambda edit: edit.old_number or 0)
    for edit in gone:
        place = 0
        for before, other in enumerate(after, 1):
            if other.old_number is not None and not other.moved and other.old_number < (edit.old_number or 0):
                place = before
        after.insert(place, edit)
    return after
