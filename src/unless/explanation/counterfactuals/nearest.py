"""What would change a decision: the nearest records with another label, exactly.

Of a number a program sees only between which of its thresholds it lies, and of a category only whether it is one that
the program names. So every feature has finitely many *cells*: the intervals between thresholds, each named category,
any other category, missing. The value of a cell that is nearest to the record's represents the cell (`axes`). `boxes`
finds the cheapest combinations of cells that give a label; this module puts them into values and words.

*Nearest* counts changed features first, then the distance: the sum of |change| / scale over numbers, 1 for every other
change. *Minimal* leaves out what changes more than needed: a change is not listed if a part of it gives the same label,
either fewer of its features or a shorter way in the same direction.

A change may go further than the nearest number: "income above 21,000". Where going too far would give another label
again, it says how far: "income above 21,000 and at most 40,000", as long as the other changes are the nearest ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.explanation.counterfactuals.box_search import cheapest_points
from unless.explanation.counterfactuals.feature_cells import Axis, NearestValue, axes_of, sum_in_order
from unless.explanation.input_records import find_method, read_one_record
from unless.explanation.proof import Proof
from unless.explanation.proof_rendering import render_list
from unless.explanation.sentences import only_number, rule_name, words_for_checks
from unless.explanation.why import find_label, proof_of
from unless.explanation.words import DEFAULT, Words, printable
from unless.model import Model, program_of
from unless.prediction import predict
from unless.rule import OPERATOR_WORDS, Literal, Program
from unless.table import Column, Table
from unless.values import Label, Value, label_to_json, value_to_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unless.explanation.vote_explanation import VoteExplanation


def counterfactuals(
    model: Program | Model,
    record: Any,
    label: Label | None = None,
    *,
    fixed: Collection[str] = (),
    ranges: Mapping[str, object] | None = None,
    most: int = 3,
    table: Table | None = None,
) -> Counterfactuals:
    """The nearest minimal changes of a record that give another label, or the named one, verified by `predict`.

    Parameters
    ----------
    model, record
        As in `explain`; a fitted classifier knows its training data, and takes no ``table``.
    fixed
        Features that must not change.
    ranges
        What a feature may become: ``(low, high)`` for numbers, with None at an open end; or a list of categories,
        single numbers and such pairs, with None if the value may be missing. By default: any number, the categories of
        ``table`` (without a table, those that the program names), and never missing.
    most
        The largest number of answers.
    table
        The training data (or columns without rows): its categories, and the range of its numbers as their scale.
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ParameterError(f"most is {most!r}; it must be a whole number, 1 or more")
    if table is None and (ask := find_method(model, "counterfactuals")) is not None:
        return ask(record, label, fixed=fixed, ranges=ranges, most=most)  # type: ignore[no-any-return]
    program, record = program_of(model), read_one_record(model, record)
    check_names(program, record, fixed, "fixed")
    check_names(program, record, ranges or {}, "ranges")
    proof = proof_of(program, record)
    others = tuple(other for other in program.labels if other != proof.label)
    labels = others if label is None else (find_label(program, label),)
    axes = axes_of(program, proof.record, frozenset(fixed), ranges or {}, table)
    points = list(islice(cheapest_points(program, axes, labels), most))
    found = tuple(_counterfactual(proof, axes, cells) for _, cells in points)
    _verify(program, found, [goal for goal, _ in points])
    return Counterfactuals(proof, label, tuple(axis.feature for axis in axes if axis.free), found)


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """A feature's new value. For "above 21,000" that is the next number after 21,000, which is the ``bound``.

    ``end`` is the bound on the other side, if there is one: beyond it the label would be another.
    """

    feature: str
    old: Value
    new: Value
    how: str = "is"
    bound: Value = None
    end: Value = None

    def text(self, words: Words = DEFAULT) -> str:
        """What the feature becomes: "income above 21,000", "age above 30 and at most 40"."""
        if self.how == "is":
            return words.has(self.feature, self.new)
        above, most = (self.bound, self.end) if self.how == "above" else (self.end, self.bound)
        asked = [Literal(self.feature, ">", above)] if above is not None else []
        asked += [Literal(self.feature, "<=", most)] if most is not None else []
        if only_number(tuple(asked), words) == self.new:
            return words.has(self.feature, self.new)
        said = (
            f"{OPERATOR_WORDS[op]} {words.value(self.feature, value)}"
            for op, value in map(Literal.as_short_bound, asked)
        )
        return f"{words.name(self.feature)} {' and '.join(one.removeprefix('is ') for one in said)}"

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__


@dataclass(frozen=True, slots=True, repr=False)
class Counterfactual:
    """A changed record: the proof of its decision (of a committee, the tally), and its distance from the original."""

    proof: Proof | VoteExplanation
    changes: tuple[Change, ...]
    distance: float

    @property
    def label(self) -> Label | None:
        """The label of the changed record."""
        return self.proof.label

    @property
    def record(self) -> dict[str, Value]:
        """The changed record."""
        return self.proof.record

    def text(self, words: Words = DEFAULT) -> str:
        """The changes: "income above 21,000 and guarantor is yes"."""
        bounds = [(change.feature, change.end) for change in self.changes]
        words = words_for_checks(words, self.proof.every_check()).fitting(bounds)
        return " and ".join(change.text(words) for change in self.changes) or "nothing has to change"

    @property
    def outcome(self) -> str:
        """The new decision and its rule: "accept (rule 4)"."""
        return f"{printable(str(self.label))} ({rule_name(self.proof.decided)})"

    def __str__(self) -> str:
        return f"{self.text()} → {self.outcome}"

    __repr__ = __str__


@dataclass(frozen=True, slots=True, repr=False)
class Counterfactuals(Sequence[Counterfactual]):
    """The changes that were found, nearest first: a sequence, which is empty if no allowed change gives the label."""

    proof: Proof | VoteExplanation
    wanted: Label | None
    free: tuple[str, ...]
    found: tuple[Counterfactual, ...]

    def lines(self, words: Words = DEFAULT) -> list[str]:
        """A title and a line for each change, or one line that says there is none."""
        if not self.found:
            return [self._nothing(words)]
        texts = [one.text(words) for one in self.found]
        width = min(max(map(len, texts)), 50)
        lines = [f"  {text:<{width}}  → {one.outcome}" for text, one in zip(texts, self.found, strict=True)]
        return ["What would change it:", *lines]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, dicts and values that JSON can hold."""
        return {
            "label": label_to_json(self.proof.label),
            "wanted": label_to_json(self.wanted),
            "changes": [
                {
                    "label": label_to_json(one.label),
                    "decided": one.proof.decided,
                    "distance": value_to_json(one.distance),
                    "set": {change.feature: value_to_json(change.new) for change in one.changes},
                    "text": one.text(),
                }
                for one in self.found
            ],
        }

    def _nothing(self, words: Words) -> str:
        goal = "another label" if self.wanted is None else printable(str(self.wanted))
        if not self.free:
            return "Nothing would change it: no feature that the rules use may change."
        if not isinstance(self.proof, Proof):  # of a committee not all combinations are tried
            tried = "no change of at most three features that was tried"
            return f"Nothing was found that would change it: {tried} gives {goal}."
        names = ", ".join(words.name(feature) for feature in self.free)
        return f"Nothing would change it: no allowed change of {names} gives {goal}."

    def _repr_html_(self) -> str | None:
        title, *lines = self.lines()
        return render_list(title, [" ".join(line.split()) for line in lines])

    @overload
    def __getitem__(self, index: int) -> Counterfactual: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Counterfactual]: ...
    def __getitem__(self, index: int | slice) -> Counterfactual | Sequence[Counterfactual]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__


def check_names(program: Program, record: Mapping[str, object], names: Collection[str], what: str) -> None:
    """Refuse a feature that does not exist; one that the program does not use is fine, since it cannot matter."""
    if isinstance(names, str):
        raise ParameterError(f"{what} is {names!r}; it takes a list of features: {what}=[{names!r}]")
    for name in names:
        if name not in program.features and name not in record:
            raise UnknownNameError(f"{what}: no feature {name!r}{suggest(str(name), program.features)}")


Decide = Callable[[Table], "NDArray[np.object_]"]
"""Gives the labels of the records of a table."""


def changes_of(
    record: Mapping[str, Value], moved: Sequence[tuple[Axis, NearestValue]], decide: Decide
) -> tuple[Change, ...]:
    """The changes that take offers of axes, each with the bound that it must not cross while the others stay."""
    changed = {**record, **{axis.feature: offer.value for axis, offer in moved}}
    return tuple(
        Change(axis.feature, axis.value, offer.value, offer.how, offer.bound, _far_bound(changed, axis, offer, decide))
        for axis, offer in moved
    )


def _far_bound(changed: Mapping[str, Value], axis: Axis, offer: NearestValue, decide: Decide) -> float | None:
    """The nearest bound beyond which a changed record has another label; None if it keeps its label all the way."""
    further = axis.further(offer)
    if not further:
        return None
    numbers = [offer.value, *(number for _, number in further)]
    cells = {name: [value] * len(numbers) for name, value in changed.items()} | {axis.feature: numbers}
    label, *labels = decide(Table(tuple(Column.of(*column) for column in cells.items()), rows=len(numbers)))
    return next((bound for (bound, _), other in zip(further, labels, strict=True) if other != label), None)


def _counterfactual(proof: Proof, axes: Sequence[Axis], cells: Sequence[int]) -> Counterfactual:
    moved = [(axis, offer) for axis, cell in zip(axes, cells, strict=True) if (offer := axis.offers[cell])]
    changes = changes_of(proof.record, moved, partial(predict, proof.program))
    changed = {**proof.record, **{change.feature: change.new for change in changes}}
    distance = sum_in_order(offer.distance for _, offer in moved)
    return Counterfactual(proof_of(proof.program, changed), changes, distance)


def _verify(program: Program, found: Sequence[Counterfactual], goals: Sequence[Label]) -> None:
    """Ask `predict`, which shares no code with the search, whether the changed records have the labels searched for."""
    columns = tuple(Column.of(name, [one.record[name] for one in found]) for name in program.used)
    labels = predict(program, Table(columns, rows=len(found)))
    checked = zip(found, goals, labels, strict=True)
    if wrong := next((one for one, goal, label in checked if not one.label == goal == label), None):
        raise AssertionError(f"the counterfactual {wrong} does not hold; please report this program and record")
