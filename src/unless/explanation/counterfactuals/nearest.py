"""Find what would change a decision: the nearest records with another label, exactly.

A program only distinguishes between which thresholds a number lies, and whether a category is one that it names. So
every feature has finitely many *cells*: the intervals between thresholds, each named category, any other category,
missing. Each cell is represented by its value nearest to the record's (`feature_cells`). `box_search` finds the
cheapest combinations of cells that give a label, `committee_search` finds some for a committee, and this module
converts them to values and words.

*Nearest* compares the number of changed features first, then the distance: the sum of |change| / scale over numbers,
and 1 for every other change. *Minimal* means that a change is not listed if a smaller one gives the same label: fewer
of its features, or a shorter way in the same direction.

A change may go further than the nearest number: "income above 21,000". Where going too far would give another label
again, it has a second bound: "income above 21,000 and at most 40,000", as long as the other changes are the nearest
ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.explanation.counterfactuals.box_search import cheapest_changes
from unless.explanation.counterfactuals.feature_cells import Axis, NearestValue, Step, make_axes, sum_in_order
from unless.explanation.input_records import find_method, read_one_record
from unless.explanation.proof_rendering import render_list
from unless.explanation.sentences import single_number_in_range, words_for_checks
from unless.explanation.why import Explanation, explain_record, find_label
from unless.explanation.words import DEFAULT, Words, printable
from unless.model import Model, decider_of, model_of
from unless.model.prediction import Decider, predict
from unless.rule import OPERATOR_WORDS, Literal, Program
from unless.score.committee import Committee
from unless.table import Column, Table
from unless.values import Label, Value, label_to_json, to_python_value, value_to_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def counterfactuals(
    model: Decider | Model,
    record: Any,
    label: Label | None = None,
    *,
    fixed: Collection[str] = (),
    ranges: Mapping[str, object] | None = None,
    most: int = 3,
    table: Table | None = None,
) -> Counterfactuals:
    """Find the nearest minimal changes of a record that give another (or the named) label, verified by `predict`.

    For a committee these are changes of at most three features: ``proven`` of them, at the beginning, are the nearest,
    because all changes of as many features were tried. After them nearer changes may exist.

    Parameters
    ----------
    model, record
        As in `explain`; a fitted classifier has the ranges of its training data, and takes no ``table``.
    fixed
        Features that must not change.
    ranges
        The values that a feature may take: ``(low, high)`` for numbers, with None at an open end; or a list of
        categories, single numbers and such pairs, with None if the value may be missing. By default: any number, the
        categories of ``table`` (without a table, those that the program names), and never missing.
    most
        The maximum number of answers.
    table
        The training data (or columns without rows): it gives the categories, and the range of the numbers as their
        scale.
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ParameterError(f"most is {most!r}; it must be a whole number of at least 1")
    if table is None and (ask := find_method(model, "counterfactuals")) is not None:
        return ask(record, label, fixed=fixed, ranges=ranges, most=most)  # type: ignore[no-any-return]
    decider = decider_of(model)
    program, known = decider.all_rules, model_of(model)
    record, table = read_one_record(model, record), known.domain if table is None and known is not None else table
    _check_names(program, record, fixed, "fixed")
    _check_names(program, record, ranges or {}, "ranges")
    now = explain_record(decider, record)
    axes = make_axes(program, now.record, frozenset(fixed), ranges or {}, table)
    found, proven, exhaustive = find_steps(decider, axes, now.label, to_python_value(label), most)
    changed = tuple(_make_counterfactual(decider, now.record, axes, steps) for _, steps in found)
    _verify_labels(decider, changed, [goal for goal, _ in found])
    free = tuple(axis.feature for axis in axes if axis.can_change)
    return Counterfactuals(now, label, free, changed, proven, exhaustive)


FoundSteps = tuple[list[tuple[Label, tuple[Step, ...]]], int, bool]
"""Changes and their labels, how many of them are proven to be the nearest, and whether there are no others."""


@singledispatch
def find_steps(
    decider: Any,
    axes: Sequence[Axis],  # noqa: ARG001
    now: Label | None,  # noqa: ARG001
    label: Label | None,  # noqa: ARG001
    most: int,  # noqa: ARG001
) -> FoundSteps:
    """Find the changes that give the named (or any other) label, and the label that each change gives."""
    raise ParameterError(f"changes of the decision cannot be searched for with a {decider.noun}")


@find_steps.register(Program)
def _find_program_steps(
    program: Program, axes: Sequence[Axis], now: Label | None, label: Label | None, most: int
) -> FoundSteps:
    others = [other for other in program.labels if other != now]
    goals = others if label is None else [find_label(program, label)]
    found = list(islice(cheapest_changes(program, axes, goals), most))
    return found, len(found), len(found) < most


@find_steps.register(Committee)
def _find_committee_steps(
    committee: Committee, axes: Sequence[Axis], now: Label | None, label: Label | None, most: int
) -> FoundSteps:
    from unless.explanation.counterfactuals.committee_search import find_committee_changes

    if label is not None and label not in committee.classes:
        raise UnknownNameError(f"no class {label!r}{suggest(label, committee.classes)}")
    goals = [one for one in committee.classes if one != now and label in (None, one)]
    return find_committee_changes(committee, axes, goals, most)


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """A feature's new value. For "above 21,000" that is the next number after 21,000, which is the ``bound``.

    ``end`` is the bound on the other side, if any: beyond it the label would be different.
    """

    feature: str
    old: Value
    new: Value
    how: str = "is"
    bound: Value = None
    end: Value = None

    def text(self, words: Words = DEFAULT) -> str:
        """Describe the new value: "income above 21,000", "age above 30 and at most 40"."""
        low, high = (self.bound, self.end) if self.how == "above" else (self.end, self.bound)
        bounds = [] if low is None else [Literal(self.feature, ">", low)]
        bounds += [] if high is None else [Literal(self.feature, "<=", high)]
        if self.how == "is" or single_number_in_range(tuple(bounds), words) == self.new:
            return words.has(self.feature, self.new)
        parts = (
            f"{OPERATOR_WORDS[op].removeprefix('is ')} {words.value(self.feature, value)}"
            for op, value in map(Literal.as_short_bound, bounds)
        )
        return f"{words.name(self.feature)} {' and '.join(parts)}"

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__


@dataclass(frozen=True, slots=True, repr=False)
class Counterfactual:
    """A changed record, the explanation of its decision, and its distance from the original."""

    proof: Explanation
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

    @property
    def outcome(self) -> str:
        """The new label and the rule that decides: "accept (rule 4)"."""
        return self.proof.outcome

    def text(self, words: Words = DEFAULT) -> str:
        """Describe the changes: "income above 21,000 and guarantor is yes"."""
        bounds = [(change.feature, change.end) for change in self.changes]
        words = words_for_checks(words, self.proof.every_check()).for_values(bounds)
        return " and ".join(change.text(words) for change in self.changes) or "nothing has to change"

    def __str__(self) -> str:
        return f"{self.text()} → {self.outcome}"

    __repr__ = __str__


@dataclass(frozen=True, slots=True, repr=False)
class Counterfactuals(Sequence[Counterfactual]):
    """The changes that were found, nearest first: a sequence, empty if no allowed change gives the label.

    The first ``proven`` ones are the nearest; the others were verified, but nearer ones may exist. If ``exhaustive``,
    there are no others.
    """

    proof: Explanation
    wanted: Label | None
    free: tuple[str, ...]
    found: tuple[Counterfactual, ...]
    proven: int
    exhaustive: bool = True

    def lines(self, words: Words = DEFAULT) -> list[str]:
        """Return a title and a line for each change, or one line if nothing would change the decision."""
        if not self.found:
            return [self._none_found(words)]
        texts = [one.text(words) for one in self.found]
        width = min(max(map(len, texts)), 50)
        lines = [f"  {text:<{width}}  → {one.outcome}" for text, one in zip(texts, self.found, strict=True)]
        return [f"What would change it{self._proof_note()}:", *lines]

    def _proof_note(self) -> str:
        """Say which changes are not proven to be the nearest."""
        if self.proven == len(self.found):
            return ""
        if not self.proven:
            return " (verified, not proven to be the nearest)"
        first = "first is" if self.proven == 1 else f"first {self.proven} are"
        return f" (the {first} proven to be the nearest)"

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return {
            "label": label_to_json(self.proof.label),
            "wanted": label_to_json(self.wanted),
            "changes": [
                {
                    "label": label_to_json(one.label),
                    "decided": one.proof.decided,
                    "distance": value_to_json(one.distance),
                    "proven": place < self.proven,
                    "set": {change.feature: value_to_json(change.new) for change in one.changes},
                    "text": one.text(),
                }
                for place, one in enumerate(self.found)
            ],
        }

    def _none_found(self, words: Words) -> str:
        goal = "another label" if self.wanted is None else printable(str(self.wanted))
        if not self.free:
            return "Nothing would change it: no feature that the rules use may change."
        if not self.exhaustive:
            tried = "no change of at most three features that was tried"
            return f"No change was found: {tried} gives {goal}."
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


def _check_names(program: Program, record: Mapping[str, object], names: Collection[str], parameter: str) -> None:
    """Reject a feature that does not exist; a feature that the program does not use is accepted."""
    if isinstance(names, str):
        raise ParameterError(f"{parameter} is {names!r}; it must be a list of features: {parameter}=[{names!r}]")
    for name in names:
        if name not in program.features and name not in record:
            raise UnknownNameError(f"{parameter}: no feature {name!r}{suggest(str(name), program.features)}")


def _make_counterfactual(
    decider: Decider, record: Mapping[str, Value], axes: Sequence[Axis], steps: Sequence[Step]
) -> Counterfactual:
    """Apply steps to a record: each feature gets the nearest value of its new cell."""
    moved = [(axes[axis], value) for axis, cell in steps if (value := axes[axis].nearest[cell])]
    changed = {**record, **{axis.feature: value.value for axis, value in moved}}
    changes = tuple(
        Change(axis.feature, axis.value, value.value, value.how, value.bound, _far_bound(decider, changed, axis, value))
        for axis, value in moved
    )
    distance = sum_in_order(value.distance for _, value in moved)
    return Counterfactual(explain_record(decider, changed), changes, distance)


def _far_bound(decider: Decider, changed: Mapping[str, Value], axis: Axis, near: NearestValue) -> float | None:
    """Return the nearest bound beyond which a changed record has another label; None if there is no such bound."""
    further = axis.further(near)
    if not further:
        return None
    records = [{**changed, axis.feature: number} for number in (near.value, *(number for _, number in further))]
    label, *labels = _decide_records(decider, records)
    return next((bound for (bound, _), other in zip(further, labels, strict=True) if other != label), None)


def _decide_records(decider: Decider, records: Sequence[Mapping[str, Value]]) -> NDArray[np.object_]:
    """Decide records with the functions that decide tables, and return their labels."""
    columns = tuple(Column.of(name, [one[name] for one in records]) for name in decider.used)
    return predict(decider, Table(columns, rows=len(records)))


def _verify_labels(decider: Decider, found: Sequence[Counterfactual], goals: Sequence[Label]) -> None:
    """Check with `predict`, which shares no code with the search, that changed records have the wanted labels."""
    labels = _decide_records(decider, [one.record for one in found])
    for one, goal, label in zip(found, goals, labels, strict=True):
        if not one.label == goal == label:
            raise AssertionError(f"the counterfactual {one} does not hold; please report this program and record")
