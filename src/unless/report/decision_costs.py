"""Describe a model that decides by points or costs: the page shows its rules or votes, and says what they do not do."""

from __future__ import annotations

from dataclasses import replace

from unless.evaluation.decision_costs import measure_costs
from unless.explanation.words import printable
from unless.model import Model, model_of
from unless.report.facts import DecisionFacts
from unless.rule import Program
from unless.score.score_decider import ScoreDecider, committee_of
from unless.values import count_text, percent


def without_costs(model: Program | Model) -> Program | Model:
    """Return the model whose rules or votes decide, without costs and without rejecting."""
    known = model_of(model)
    if known is None or not isinstance(known.decider, ScoreDecider):
        return model
    committee = committee_of(known.decider)
    if committee is None:
        return replace(known, decider=known.program, imitation=None, agreement=None, tested=known.readable.tested)
    return replace(known, decider=committee, tested=None)


def describe_costs(model: Model, facts: DecisionFacts) -> str:
    """Return sentences on what decides, and what its decisions on the records of the figures cost; or no text."""
    known = model_of(model)
    if known is None:
        return ""
    shown = "rules" if committee_of(known.decider) is None else "votes"
    found = []
    if isinstance(known.decider, ScoreDecider):
        share = percent(known.agreement or 0.0)
        found.append(
            f"The model is a {printable(known.decider.noun)}; this page is about its {shown} alone. "
            f"The list gives the same label as the model for {share} of the training records"
        )
    costs = None if facts.truth is None or facts.table.target is None else measure_costs(known, facts.table)
    if costs is not None:
        found.append(f"On {count_text(costs.records, 'record')}, the model's decisions: {'; '.join(costs.lines())}")
    return "".join(f"{one}. " for one in found)
