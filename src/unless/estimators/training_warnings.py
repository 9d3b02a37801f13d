"""Find problems in a training: columns and labels that look wrong, and rules that decide little.

`fit` warns of them, and the command prints them.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from numbers import Real
from typing import Any

import numpy as np

from unless.constraints import to_constraints
from unless.errors import TrainingWarning
from unless.estimators.learners import FoldRMLearner, FoldRPPLearner, Learner, learn
from unless.estimators.training_data import TrainingData
from unless.evaluation.constraint_check import violations
from unless.explanation.words import join_reasons
from unless.inspection import (
    Remark,
    check_labels,
    find_column_disguise,
    find_giveaways,
    find_useless_columns,
    labels_as_texts,
    single_label_remark,
)
from unless.learn.rule_pruning import doubtful_rules, promises_less
from unless.model import Model
from unless.model.prediction import head_indices, predict, tested_columns
from unless.model.value_bins import fillers
from unless.report.finding_text import remark_lines
from unless.table import Labels, Table
from unless.values import count_text, number_to_text, percent, to_python_value
from unless.values.notation import DateNotation, NotatedNumber

_LEAK = 0.99  # share of records that a feature alone decides
_GOOD = 0.97  # least training accuracy of rules for a warning about such a feature
_MUCH, _OFTEN = 1 / 4, 1 / 3
"""The least share that a rule decides, and its least error rate, for a warning."""
_FEW = 0.01  # share of records: rules that decide fewer hardly matter
_ENOUGH = 30  # records: fewer decided records prove nothing
_PATIENCE = 5.0  # seconds to find out which setting leaves no rules

_SETTINGS: Mapping[str, str] = {
    "max_rules": "without a limit of {given} for its rules",
    "penalty": "with the default penalty instead of {given}",
    "min_support": "with a minimal support of {default} instead of {given}",
    "ratio": "with a ratio of {default} instead of {given}",
}
_PLAIN: Mapping[str, Any] = {
    "verbose": False, "tune": False, "teacher": None, "size": 10, "random_state": 0, "max_seconds": _PATIENCE,
}  # fmt: skip
"""The settings of a fast learner that tests the effect of a setting."""


def warn_of(remarks: Sequence[Remark]) -> None:
    """Warn the caller of `fit` of all remarks at once."""
    if not remarks:
        return
    first = f"{count_text(len(remarks), 'remark')} (unless.inspect shows more, warn=False silences this):"
    text = "\n".join([first, *(f"- {line}" for line in remark_lines(remarks))])
    warnings.warn(TrainingWarning(text, tuple(remarks)), stacklevel=3)


def all_remarks(learner: Learner, data: TrainingData, model: Model, seconds: float) -> tuple[Remark, ...]:
    """Return all remarks about a training that took this many ``seconds``."""
    about = (*on_labels(data.labels), *find_useless_columns(_own_columns(data)))
    return tuple(dict.fromkeys((*about, *on_learning(learner, data, model, seconds))))


def _own_columns(data: TrainingData) -> Table:
    """Return the columns of the input, without features computed from several tables."""
    if data.features is None:
        return data.table
    own = {name for name, one in data.features.definitions.items() if one.how == "value"}
    return replace(data.table, columns=tuple(one for one in data.table.columns if one.name in own))


def on_labels(labels: Labels) -> Iterator[Remark]:
    """Yield remarks about labels: a target that is not a label, or has a single value."""
    if len(labels.labels) == 1:
        yield single_label_remark(labels.name, str(labels.labels[0]))
    elif (remark := check_labels(labels.name, list(map(str, labels.labels)), len(labels.codes))) is not None:
        yield remark


def on_learning(learner: Learner, data: TrainingData, model: Model, seconds: float) -> tuple[Remark, ...]:
    """Return the remarks after learning: text that should be numbers, features that reveal the label, idle rules."""
    decides = _idle(learner, data, model, seconds) or _weak(model)
    said = (
        decides,
        _unpromising(learner, data, model),
        _sampled(learner, data),
        _one_decision(model),
        *_on_constraints(learner, data, model),
        *_on_special_codes(data),
        *_on_dates(model),
    )
    return (*_on_texts(data.table), *_leaks(data, model), *(one for one in said if one is not None))


def _on_constraints(learner: Learner, data: TrainingData, model: Model) -> Iterator[Remark]:
    """Yield remarks about idle cuts, and about locked rules that decide nothing or violate constraints."""
    from unless.learn.given_cuts import idle_cuts, numeric_notations

    program, asked = model.program, to_constraints(learner.constraints)
    if asked is not None:
        asked = asked.among(data.table.features, data.labels.labels, numeric_notations(data.table.columns))
        for name, cut in idle_cuts(asked, data.domain(dict(asked.only_cuts)).columns):
            yield Remark("idle-cut", name, f"has no number on one side of the given threshold {number_to_text(cut)}")
    if data.keep is None:
        return
    for place, number in data.locked_in(program).items():
        if not model.statistics.support[place]:
            was = "" if number == place + 1 else f", which was rule {number},"
            yield Remark("locked-idle", None, f"Rule {place + 1}{was} is locked and decides no record")
    if asked is not None:
        for broken in violations(program, asked):
            yield Remark("locked-breaks", None, f"A locked rule breaks a constraint: {broken}")


def _on_special_codes(data: TrainingData) -> Iterator[Remark]:
    """Yield remarks about special codes that no record has."""
    for column in data.domain(data.table.schema.special).columns:
        for code, name in column.special:
            if name not in column.categories:
                yield Remark("idle-code", column.name, f"has no cell with the code {number_to_text(code)}, {name!r}")


def _on_dates(model: Model) -> Iterator[Remark]:
    """Yield remarks about dates compared with days of training: no later date satisfies ``<=`` such a day.

    Every later date satisfies ``>`` such a day.
    """
    lists = model.decider.lists
    dated = [program for program in lists if program.notations]
    numbered = [(number, rule) for program in dated for number, rule in enumerate(program.rules, 1)]
    found: dict[str, dict[str, dict[int, NotatedNumber]]] = {}
    for number, literal in ((number, literal) for number, rule in numbered for literal in rule.literals()):
        value = literal.value
        if isinstance(value, NotatedNumber) and isinstance(value.notation, DateNotation):
            days = found.setdefault(literal.feature, {}).setdefault(literal.op, {})
            days[number] = max(value, days.get(number, value))
    for name, asked in found.items():
        op = "<=" if "<=" in asked else ">"
        days, met = asked[op], "no later date meets" if op == "<=" else "every later date meets"
        rules = (
            f"rule{'s' * (len(days) > 1)} {join_reasons(map(str, sorted(days)))}" if len(lists) == 1 else "its rules"
        )
        have = "has a condition" if rules.startswith("rule ") else "have conditions"
        last = max(days.values())
        bound = f"at most {last}" if op == "<=" else f"above {last}"
        yield Remark("past-dates", name, f"is a date, and {rules} {have} that {met} ({bound})", str(last))


def _unpromising(learner: Learner, data: TrainingData, model: Model) -> Remark | None:
    """Return a remark about FOLD rules that `UnlessClassifier` would drop because later rules promise more."""
    program, trained = model.program, model.statistics
    sampled = data.blocks is not None and len(data.table) < trained.total
    if not isinstance(learner, FoldRMLearner | FoldRPPLearner) or sampled or trained.total < _ENOUGH:
        return None
    doubtful = doubtful_rules(program, trained, data.locked_in(program))
    if sum(trained.coverage[k] for k in doubtful) < _FEW:
        return None
    found = [k + 1 for k in _promising_less(data, model, doubtful)]
    if sum(trained.coverage[k - 1] for k in found) < _FEW:
        return None
    which = f"Rule {found[0]} is" if len(found) == 1 else f"{len(found):,} of {len(program.rules):,} rules are"
    first = "" if len(found) == 1 else f", rule {found[0]} first"
    return Remark("unpromising", None, f"{which} expected to be wrong more often than what comes after{first}")


def _promising_less(data: TrainingData, model: Model, doubtful: Collection[int]) -> list[int]:
    """Return the indices of doubtful rules that promise less than the rules after them, for the rows they decide."""
    program, trained, asked = model.program, model.statistics, sorted(doubtful)
    columns, heads = tested_columns(program, data.table), head_indices(program, trained.classes)
    code = model.code
    deciding = code.decide(fillers(code.bins, columns), len(data.table))
    rows = np.flatnonzero(np.isin(deciding, asked))
    own, truth, counts = deciding[rows], data.labels.codes[rows], None if data.counts is None else data.counts[rows]
    fills = fillers(code.bins, columns, [column.codes[rows] for column in columns])
    after = code.decide(fills, len(rows), after=own)
    right, mine = heads[after] == truth, heads[own] == truth
    same, others = (
        np.bincount(own, which if counts is None else which * counts, len(program.rules))
        for which in (right & mine, right & ~mine)
    )
    rights, supports = (np.cumsum(each[::-1])[::-1] for each in (trained.right, trained.support))
    usual = rights[1:] / np.maximum(supports[1:], 1e-9)
    return [k for k in asked if promises_less(trained, k, float(same[k]), float(others[k]), float(usual[k]))]


def _sampled(learner: Learner, data: TrainingData) -> Remark | None:
    """Return a remark if lists were learned from only a sample of the records in blocks."""
    if data.blocks is None or (who := learner._learns_from_sample) is None:  # noqa: SLF001 - of this package
        return None
    engine = data.blocks.engine(data.held_back)
    every = int(engine.records(engine.all_rows()).sum())
    if len(data.table) >= every:
        return None
    return Remark("sampled", None, f"{who} learned from {len(data.table):,} of {every:,} records, evenly spread")


def _on_texts(table: Table) -> Iterator[Remark]:
    """Yield remarks about columns whose numbers or dates are text."""
    for column in table.columns:
        if len(column.categories) > 2 and (disguise := find_column_disguise(column)) is not None:
            yield disguise


def _leaks(data: TrainingData, model: Model) -> list[Remark]:
    """Return remarks about features that reveal the label, unless rules do not test them or are often wrong."""
    statistics, used = model.statistics, set(model.program.used)
    if not used or statistics.right.sum() < _GOOD * statistics.total:
        return []
    tested = [column for column in _own_columns(data).columns if column.name in used]
    return find_giveaways(tested, labels_as_texts(data.labels), _LEAK, quick=True)


# Rules that decide little.


def _idle(learner: Learner, data: TrainingData, model: Model, seconds: float) -> Remark | None:
    """Explain why a model gives every record the same label; None if it does not, or training had only one label."""
    if _used(model) or len(data.labels.labels) < 2:
        return None
    said = f"The model says the same of every record, {_only_label(model)!r}"
    limit = to_python_value(learner.max_seconds)
    if limit is not None and seconds >= limit:
        return Remark("too-late", None, f"{said}: the time was up before there was a rule")
    for without, other, some in _trials(learner, data):
        if _used(found := learn(other, some).model):
            rules = count_text(len(found.program), "rule") if found.decider.by_rule else "rules"
            return Remark("limited", None, f"{said}; {without} it would have {rules}")
    why = f"{said}: no rule would be right more often, other than by chance"
    return Remark("no-knowledge" if model.decider.by_rule else "no-knowledge-of-many", None, why)


def _trials(learner: Learner, data: TrainingData) -> Iterator[tuple[str, Learner, TrainingData]]:
    """Yield the learner with each setting, then all settings, at their defaults; and the records without weights."""
    defaults: dict[str, Any] = {field.name: field.default for field in fields(learner)}
    quick = replace(learner, **{name: value for name, value in _PLAIN.items() if name in defaults})
    given = {name: to_python_value(getattr(learner, name)) for name in _SETTINGS if name in defaults}
    changed: dict[str, Any] = {name: defaults[name] for name, value in given.items() if value != defaults[name]}
    for name, default in changed.items():
        words = {"given": f"{given[name]:g}", "default": f"{default:g}" if isinstance(default, Real) else default}
        yield _SETTINGS[name].format(**words), replace(quick, **{name: default}), data
    if learner.constraints is not None:
        yield "without the constraints", replace(quick, constraints=None), data
    unweighted = replace(data, counts=None)
    if data.counts is not None:
        yield "without the weights", quick, unweighted
    if len(changed) + (data.counts is not None) > 1:
        yield "with default settings and without weights", replace(quick, **changed), unweighted


def _one_decision(model: Model) -> Remark | None:
    """Return a remark if costs make one label the best decision, whatever is true."""
    best = None if model.costs is None else model.costs.always_best()
    if best is None:
        return None
    return Remark("one-decision", None, f"With these costs, {best!r} is the best decision whatever label is true")


def _used(model: Model) -> Any:
    """Return the features that affect decisions."""
    return model.decider.used


def _only_label(model: Model) -> object:
    """Return the only label of a model that tests nothing."""
    return predict(model.decider, Table((), rows=1))[0]


def _weak(model: Model) -> Remark | None:
    """Return a remark if one rule, usually the last, or the label for no rule decides much and is often wrong."""
    if not model.decider.by_rule:
        return None
    statistics, rules = model.statistics, model.program.rules
    has_label = np.array([label is not None for label in statistics.labels])
    weak = has_label & (statistics.coverage >= _MUCH) & (statistics.precision < 1 - _OFTEN)
    if not weak.any() or statistics.total < _ENOUGH:
        return None
    place = int(np.argmax(np.where(weak, statistics.support - statistics.right, -1.0)))
    what = "weight" if statistics.weighted else "records"
    label, decided = statistics.labels[place], f"{percent(statistics.coverage[place])} of the {what}"
    wrong = f"wrong for {percent(1 - statistics.precision[place])} of them"
    if place == len(rules):
        return Remark("uncovered", None, f"No rule covers {decided}; they get {label!r}, which is {wrong}")
    which = "The last rule" if place == len(rules) - 1 else f"Rule {place + 1}"
    return Remark("weak-rule", None, f"{which} says {label!r} for {decided}, and is {wrong}")
