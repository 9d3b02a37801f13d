"""A model with edited rules: what stays true of its training, and what records show again.

Nothing is kept that may be wrong. With labelled records, everything is found again: what the rules decide, points,
importances, ranges. Without, only that is kept which follows from what was counted before: a rule decides what it did
as long as no rule before it has changed. The points, the importances and what taught the list are gone. Which records
were held back stays known in any case: whoever changes rules does not change which records they were learned from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError, suggest
from unless.estimators.training_data import count_missing, known_label_index
from unless.evaluation.importance import lazy_importances
from unless.evaluation.metrics import count_rule_decisions
from unless.learn.score_fitting import later_card
from unless.model import HoldoutResult, Model, holdout_rows
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program, Rule
from unless.table import Table, domain_table
from unless.values import Label


def with_rules(
    model: Model, program: Program, labelled: Table | None = None, counts: NDArray[np.float64] | None = None
) -> Model:
    """The model with other rules; labelled records, each with its weight, show what these decide."""
    program = fitting(program, model.program, model.statistics.classes)
    if labelled is None and program == model.program:
        return model
    stay = {model.program.rules[place] for place in model.locked}
    locked = tuple(place for place, rule in enumerate(program.rules) if rule in stay)
    bare = replace(
        model, decider=program, distillation=None, tuned=None, trade_off=None, locked=locked
    )  # nothing taught it
    held = None if labelled is None or counts is not None else holdout_rows(model, labelled)
    if labelled is None or (held is not None and held.all()):
        tested = _still_tested(model, program) if held is None else _tested(model, program, labelled)
        return _with(_unmeasured(bare, model), tested)
    tested = None if held is None or not held.any() else _tested(model, program, labelled[held])
    labelled = labelled if held is None else labelled[~held]
    there = labelled if counts is None else labelled[counts > 0]
    found = replace(
        bare,
        statistics=count_rule_decisions(program, labelled, counts),
        domain=domain_table(there, program.used),
        missing_counts=count_missing(labelled, program.used, counts),
        lazy_importances=lazy_importances(program, labelled, counts),
        lazy_card=later_card(program, labelled, counts, model.parameters.get("constraints")),
    )
    return _with(found, tested)


def _with(model: Model, tested: HoldoutResult | None) -> Model:
    """The model with what is known of a test."""
    return replace(model, tested=None) if tested is None else model.after(tested)


def _unmeasured(bare: Model, old: Model) -> Model:
    """The model with what is still true of training."""
    used = bare.program.used
    return replace(
        bare,
        statistics=still_true(old.statistics, old.program, bare.program),
        domain=replace(old.domain, columns=tuple(one for one in old.domain.columns if one.name in used)),
        lazy_importances=None,
        lazy_card=None,
        missing_counts=old.missing_counts
        and {name: count for name, count in old.missing_counts.items() if name in used},
    )


def _still_tested(model: Model, program: Program) -> HoldoutResult | None:
    """What the test still shows, without records: all of it, or nothing if it is not known of every rule."""
    if model.tested is None:
        return None
    found = still_true(model.tested.statistics, model.program, program)
    return replace(model.tested, statistics=found) if found.unmeasured is None else None


def _tested(model: Model, program: Program, held: Table | None) -> HoldoutResult | None:
    """What records held back show of the new rules."""
    if held is None or model.origin is None:
        return None
    return HoldoutResult(model.origin, count_rule_decisions(program, held))


def fitting(program: Program, old: Program, classes: tuple[Label, ...]) -> Program:
    """A program about the target, the features and the labels of a model, whatever the types of its own labels."""
    if unknown := [name for name in program.features if name not in old.features]:
        raise ProgramError(
            f"the program has other features than the model: no feature {unknown[0]!r}"
            f"{suggest(unknown[0], old.features)}; edit its rules: unless.parse(text, like=model)"
        )
    known = {label: classes[known_label_index(label, classes, "the program has")] for label in program.labels}
    rules = tuple(replace(rule, head=known[head]) for rule in program.rules if (head := rule.head) is not None)
    otherwise = None if program.otherwise is None else known[program.otherwise]
    return Program(old.target, old.features, rules, otherwise)


def still_true(statistics: RuleStatistics, old: Program, new: Program) -> RuleStatistics:
    """What is known of the rules of a new program from what those of an old one decided.

    The rules before the first change decide what they did. If the next rule takes all other records, or there is no
    such rule, that is known too: all the others.
    """
    same = next((k for k, (one, other) in enumerate(zip(old.rules, new.rules)) if one != other), None)  # noqa: B905
    kept = min(len(old.rules), len(new.rules)) if same is None else same
    counts = np.full((len(new.rules) + 1, len(statistics.classes)), np.nan)
    counts[:kept] = statistics.counts[:kept]
    rest = np.maximum(statistics.by_class - np.nansum(counts[:kept], axis=0), 0.0)
    unmeasured: NDArray[np.float64] | None = None
    if np.isnan(counts[:kept]).any():  # what is left of earlier edits is mixed with these
        unmeasured = rest
    elif kept == len(old.rules) == len(new.rules):
        counts[kept] = statistics.counts[kept]
    elif kept == len(new.rules) or _takes_all(new.rules[kept]):
        counts[kept:] = 0.0
        counts[kept] = rest
    else:
        unmeasured = rest
    found = RuleStatistics.of(new, statistics.classes, counts, weighted=statistics.weighted)
    return replace(found, unmeasured=unmeasured)


def _takes_all(rule: Rule) -> bool:
    return not rule.default and not rule.exceptions
