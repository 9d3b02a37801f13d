"""Fingerprints: the same for the same decisions, another for any change."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from tests.strategies import programs
from unless.estimators.learners import CommitteeLearner, learn
from unless.export import json
from unless.export.fingerprint import fingerprint
from unless.read.table import read_table
from unless.rule import Rule


@given(programs())
def test_a_file_has_the_fingerprint_of_its_program(program):
    """Writing and reading a program does not change it."""
    found = fingerprint(program)
    assert len(found) == 16
    assert fingerprint(json.loads(json.dumps(program))) == found


@given(programs())
def test_any_change_changes_it(program):
    """Another rule, order or default has another fingerprint."""
    label = program.labels[0] if program.labels else "a"
    longer = replace(program, rules=(*program.rules, Rule(label)))
    assert fingerprint(longer) != fingerprint(program)
    assert fingerprint(replace(program, target=program.target + "x")) != fingerprint(program)


def test_a_committee():
    """The points of a committee count too."""
    rows = [{"x": number, "y": "ab"[number > 20]} for number in range(40)]
    model = learn(CommitteeLearner(size=3, warn=False), read_table(rows, "y")).model
    committee = model.decider
    assert fingerprint(committee) == fingerprint(replace(committee))
    assert fingerprint(committee) != fingerprint(replace(committee, base=committee.base + 1))
    assert fingerprint(committee) != fingerprint(committee.first(2))
