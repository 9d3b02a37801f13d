"""Replace the rules of a model by edited ones: keep figures that are still true, and measure the others again.

Nothing is kept that may be wrong. With labelled records, everything is measured again: what the rules decide, points,
importances, ranges. Without records, only figures that follow from earlier counts are kept: a rule decides the same
records as long as no rule before it has changed. The points, the importances and the teacher are dropped. The list of
held-out records is always kept: editing rules does not change which records the model was learned from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ProgramError, suggest
from unless.estimators.holdout import count_decisions
from unless.estimators.training_data import count_missing, known_label_index
from unless.evaluation.decision_costs import measure_costs
from unless.evaluation.importance import lazy_importances
from unless.evaluation.metrics import count_rule_decisions
from unless.learn.score_fitting import later_card, scored_features
from unless.model import HoldoutResult, Model, holdout_rows
from unless.model.prediction import label_places
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program, Rule
from unless.score.score_decider import ScoreDecider
from unless.table import Table, domain_table
from unless.values import Label


def with_rules(
    model: Model, program: Program, labelled: Table | None = None, counts: NDArray[np.float64] | None = None
) -> Model:
    """Return the model with other rules; labelled records with weights, if given, measure what these rules decide."""
    if isinstance(model.decider, ScoreDecider):
        return _with_scored_rules(model, model.decider, program, labelled, counts)
    program = fitting(program, model.program, model.statistics.classes)
    if labelled is None and program == model.program:
        return model
    stay = {model.program.rules[place] for place in model.locked}
    locked = tuple(place for place, rule in enumerate(program.rules) if rule in stay)
    bare = replace(
        model, decider=program, distillation=None, tuned=None, trade_off=None, periods=(), locked=locked
    )  # no teacher
    held = None if labelled is None or counts is not None else holdout_rows(model, labelled)
    if labelled is None or (held is not None and held.all()):
        tested = _still_tested(model, program) if held is None else _tested(model, program, labelled)
        return _with(_unmeasured(bare, model), tested)
    tested = None if held is None or not held.any() else _tested(model, program, labelled[held])
    labelled = labelled if held is None else labelled[~held]
    there = labelled if counts is None else labelled[counts > 0]
    scored = scored_features(model.parameters, labelled)
    known = [name for name in program.features if name in {*program.used, *scored}]
    found = replace(
        bare,
        statistics=count_rule_decisions(program, labelled, counts),
        domain=domain_table(there, known),
        missing_counts=count_missing(labelled, known, counts),
        lazy_importances=lazy_importances(program, labelled, counts),
        lazy_card=later_card(program, labelled, counts, model.parameters.get("constraints"), every=scored),
    )
    return _with(found, tested)


def _with_scored_rules(
    model: Model, decider: ScoreDecider, program: Program, labelled: Table | None, counts: NDArray[np.float64] | None
) -> Model:
    """Return a model that decides by points or costs with other rules, whose points are fitted to labelled records."""
    listed = replace(model, decider=model.program, imitation=None, agreement=None, tested=model.readable.tested)
    found = with_rules(listed, program, labelled, counts)
    if found is listed:
        return model
    if labelled is None or found.card is None:
        raise ParameterError(
            f"a {decider.noun}, and points of edited rules are fitted to labelled records: "
            "with_program(program, X, y), or unless edit --data"
        )
    changed, labels = replace(decider, score=found.card), found.statistics.classes
    same = label_places(changed, labelled, labels) == label_places(found.decider, labelled, labels)
    agreed = float(np.average(same, weights=counts))
    scored = replace(found, decider=changed, imitation=found, agreement=agreed, tested=None)
    held = None if counts is not None else holdout_rows(model, labelled)
    if model.origin is None or held is None or not held.any():
        return scored
    tests = labelled[held]
    return replace(
        scored, tested=HoldoutResult(model.origin, count_decisions(changed, tests), measure_costs(scored, tests))
    )


def _with(model: Model, tested: HoldoutResult | None) -> Model:
    """Return the model with the results of a test, if there are any."""
    return replace(model, tested=None) if tested is None else model.after(tested)


def _unmeasured(bare: Model, old: Model) -> Model:
    """Return the model with the figures from training that are still true."""
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
    """Return the test results that still hold without records: all, or None if a rule's results are unknown."""
    if model.tested is None:
        return None
    found = still_true(model.tested.statistics, model.program, program)
    costs = model.tested.costs if program == model.program else None
    return replace(model.tested, statistics=found, costs=costs) if found.unmeasured is None else None


def _tested(model: Model, program: Program, held: Table | None) -> HoldoutResult | None:
    """Return the results of the new rules on held-out records."""
    if held is None or model.origin is None:
        return None
    costs = measure_costs(replace(model, decider=program), held)
    return HoldoutResult(model.origin, count_rule_decisions(program, held), costs)


def fitting(program: Program, old: Program, classes: tuple[Label, ...]) -> Program:
    """Return a program with the target, features and labels of a model, converting the types of its labels."""
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
    """Return the statistics of a new program that follow from the statistics of the old one.

    The rules before the first change decide the same records as before. If the next rule covers every record, or there
    is no next rule, it decides all other records.
    """
    same = next((k for k, (one, other) in enumerate(zip(old.rules, new.rules)) if one != other), None)  # noqa: B905
    kept = min(len(old.rules), len(new.rules)) if same is None else same
    counts = np.full((len(new.rules) + 1, len(statistics.classes)), np.nan)
    counts[:kept] = statistics.counts[:kept]
    rest = np.maximum(statistics.by_class - np.nansum(counts[:kept], axis=0), 0.0)
    unmeasured: NDArray[np.float64] | None = None
    if np.isnan(counts[:kept]).any():  # the rest of earlier edits is mixed with these counts
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
