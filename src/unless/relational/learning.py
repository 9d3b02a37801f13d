"""Find features: learn a list from the columns so far, then search for conditions on parts where the list makes errors.

This is column generation. It starts with cheap columns, adds conjunctions that separate one label from the others, and
after each learned list adds conjunctions that separate its errors from its correct decisions. The list with the
lowest number of errors plus price of its parts determines which columns stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from unless.model.prediction import deciding_rules
from unless.relational.attributes import Attributes, Reach
from unless.relational.feature_pool import FeaturePool, PartValues, add_individual, add_parts
from unless.relational.part_search import SUPPORT, Gains, PartSearch, Question
from unless.relational.part_tables import ROWS, PartTable, PartTables
from unless.relational.program import FeatureSet, RelationalProgram, positively
from unless.relational.sampling import fold_numbers, sample_rows
from unless.relational.world import World
from unless.rule import Program
from unless.table import Labels, Table
from unless.table.columns import take_rows

Learn = Callable[[Table], Program]
"""Learns a program from a table of features with labels."""

_PART_PRICE = 0.35
"""The number of errors that a rule or exception must save, in units of ln(n) for n individuals, as in `fold_unless`."""


_FOLDS = 3
"""The number of folds used to choose the depth of the search."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The limits of the search for features."""

    depth: int = 2
    """The maximum number of relations from an individual to a part."""
    rounds: int = 4
    """The maximum number of searches where the list makes errors."""
    per_table: int = 6
    """The maximum number of features from one table for one question."""
    rows: int = ROWS
    """The maximum total number of rows in the tables of parts; with more parts, the search samples individuals."""
    work: int = 400_000_000
    """The maximum number of words of the search tables to read: a budget independent of the machine's load."""


@dataclass(frozen=True, eq=False)
class FoundFeatures:
    """The columns to learn from, their definitions, and statistics of the search."""

    features: FeatureSet
    table: Table
    program: Program
    """The best list learned during the search, from some of the columns."""
    left_out: tuple[str, ...]
    """What exceeded the limits: tables and attributes."""
    searched: int
    """The number of conjunctions examined."""


def find_features(world: World, labels: Labels, learn: Learn, settings: SearchSettings | None = None) -> FoundFeatures:
    """Find features of the individuals of a world that a learner needs to predict their labels.

    With too many parts, the search samples individuals; the columns that lists test and the attributes of the
    individuals are then computed for all individuals.
    """
    settings = settings or SearchSettings()
    some = sample_rows(world, settings.rows)
    sample, own = world.of(some), take_rows(labels, some)
    finder = _deep_enough(sample, own, learn, settings)
    found = finder.run()
    if len(some) == len(world):
        return found
    features = found.features.only({*finder.tested, *finder.of_individuals})
    table = features.table(world)
    left_out = f"the search looked at {len(some):,} of {len(world):,} individuals"
    return replace(
        found,
        features=features,
        table=Table(table.columns, labels, rows=len(world)),
        left_out=(left_out, *found.left_out),
    )


def _deep_enough(world: World, labels: Labels, learn: Learn, settings: SearchSettings) -> FeatureFinder:
    """Choose the depth of the search by its errors on held-out individuals."""
    errors = {settings.depth: 0, 1: 0}
    folds = fold_numbers(world, _FOLDS)
    for fold in range(_FOLDS) if settings.depth > 1 else ():
        seen, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        mine = take_rows(labels, seen)
        if not len(held) or len(np.unique(mine.codes)) < 2:
            continue
        for depth in errors:
            found = FeatureFinder(world.of(seen), mine, learn, replace(settings, depth=depth)).run()
            given = RelationalProgram(found.program, found.features).predict(world.of(held))
            wanted = [labels.labels[code] for code in labels.codes[held]]
            errors[depth] += sum(one != other for one, other in zip(given, wanted, strict=True))
    best = 1 if errors[1] < errors[settings.depth] else settings.depth
    return FeatureFinder(world, labels, learn, replace(settings, depth=best))


class FeatureFinder:
    """One search for features."""

    def __init__(self, world: World, labels: Labels, learn: Learn, settings: SearchSettings) -> None:
        self.labels, self.learn, self.settings = labels, learn, settings
        reach = Reach.of(world, settings.depth)
        self.world = reach.world
        attributes = Attributes(reach, settings.depth)
        tables = PartTables(attributes, self.world, settings.depth, settings.rows)
        gains = Gains(len(world))
        self.searches = [PartSearch(table, self.world, gains) for table in tables.tables]
        self.values = [PartValues(table, self.world) for table in tables.tables]
        self.left_out = tuple(dict.fromkeys((*attributes.left_out, *tables.left_out)))
        self.pool = FeaturePool(self.world, labels.name)
        self.asked: set[tuple[bytes, bytes]] = set()
        add_individual(self.pool, attributes)
        self.of_individuals = tuple(self.pool.definitions)
        self.tested: set[str] = set()
        """The columns that lists tested."""
        for values, search in zip(self.values, self.searches, strict=True):
            add_parts(self.pool, values, search.tests)

    def run(self) -> FoundFeatures:
        """Search, learn, and search again where the list makes errors; the best list determines which columns stay."""
        questions = list(self._first_questions())
        lists: list[tuple[tuple[float, int], int, Program]] = []
        for attempt in range(self.settings.rounds):
            new = sum(self._answer(question) for question in questions)
            if attempt and not new:
                break
            table = self.pool.table(self.labels)
            program = self.learn(table)
            self.tested |= set(program.used)
            decided = deciding_rules(program, table)
            wrong = self._labels_given(program, decided) != self.labels.codes
            lists.append((self._price(program, int(wrong.sum())), len(table.columns), program))
            if not wrong.any():
                break
            questions = list(self._questions(program, decided, wrong))
        _, columns, program = min(lists, key=lambda one: one[:2])
        return self._result(program, columns)

    def _result(self, program: Program, columns: int) -> FoundFeatures:
        names = [one.name for one in self.pool.columns[:columns]]
        table = Table(tuple(self.pool.columns[:columns]), self.labels, rows=len(self.world))
        features = FeatureSet({name: self.pool.definitions[name] for name in names}, self.world.root)
        searched = sum(one.searched for one in self.searches)
        return FoundFeatures(features, table, positively(program, features), self.left_out, searched)

    def _price(self, program: Program, errors: int) -> tuple[float, int]:
        parts = len(program) + program.exception_count
        return errors + _PART_PRICE * log(len(self.world)) * parts, len(program)

    def _labels_given(self, program: Program, decided: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the index of the label predicted for each individual; -1 for none."""
        place = {label: k for k, label in enumerate(self.labels.labels)}
        heads = [*(rule.head for rule in program.rules), program.otherwise]
        given: NDArray[np.int64] = np.array([-1 if one is None else place[one] for one in heads])[decided]
        return given

    # Questions for the search.

    def _first_questions(self) -> Iterator[Question]:
        """Ask for each label against all others; with two labels, ask once."""
        everyone = np.ones(len(self.world), np.bool_)
        labels = range(1 if len(self.labels.labels) == 2 else len(self.labels.labels))
        for label in labels:
            yield Question(self.labels.codes == label, everyone)

    def _questions(self, program: Program, decided: NDArray[np.int32], wrong: NDArray[np.bool_]) -> Iterator[Question]:
        """Yield the errors of each rule and, for each label, the individuals that earlier rules leave undecided."""
        decided = np.where(decided < 0, len(program), decided)
        for rule in range(len(program)):
            here = decided == rule
            if min(int((wrong & here).sum()), int((~wrong & here).sum())) >= SUPPORT:
                yield Question(wrong & here, here)
        for k, label in enumerate(self.labels.labels):
            mine = self.labels.codes == k
            first = min((r for r, rule in enumerate(program.rules) if rule.head == label), default=0)
            here = decided >= first
            if min(int((mine & here).sum()), int((~mine & here).sum())) >= SUPPORT:
                yield Question(mine, here)
            if int((missed := mine & wrong).sum()) >= SUPPORT:
                yield Question(missed, missed | ~mine)

    def _answer(self, question: Question) -> int:
        """Search all tables for features that answer a question; return the number of new columns."""
        if question.key in self.asked or not self.searches:
            return 0
        self.asked.add(question.key)
        return sum(self._search(k, question) for k in range(len(self.searches)))

    def _search(self, k: int, question: Question) -> int:
        search, values, added = self.searches[k], self.values[k], 0
        budget = self.settings.work // (10 * len(self.searches))
        for found in search.conjunctions(question, budget):
            if added >= self.settings.per_table:
                break
            if search.is_worth(found, question):
                tests = search.part_tests(found.keys)
                table: PartTable = search.table
                added += self.pool.add(table.definition("exists", tests), values.exists(tests))
        return added
