"""The score card of one record, as a table that adds up."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.explanation.examples import LOAN
from unless.explanation.score_explanation import explain_score
from unless.explanation.words import Phrase, Words
from unless.rule import Literal, Program, Rule
from unless.score.program_parts import program_parts
from unless.score.score_card import ScoreCard, point_columns

LATE = {"income": 18400, "history": "late", "guarantor": "yes"}


def card_of(program: Program, classes: tuple[str, ...]) -> ScoreCard:
    """A card whose parts have 10, 20, 30 points and so on in the first column, and more in the next ones."""
    width = point_columns(classes)
    points = 10 * np.arange(1, len(program_parts(program)) + 1)[:, None] + np.arange(width)
    return ScoreCard(program, classes, np.full(width, -5), points)


def test_the_table():
    """Each part that holds has a line in plain words; they add up to the total, and that to probabilities."""
    card = card_of(LOAN, ("accept", "ask", "refuse"))
    assert str(explain_score(card, LATE)).splitlines() == [
        "points for                                      accept     ask  refuse",
        "every record                                        -5      -5      -5",
        "no rule applies                                    +30     +31     +32",
        "the default of rule 1 holds                        +50     +51     +52",
        "an exception to rule 1 holds: guarantor is yes     +60     +61     +62",
        "income is at most 21,000                           +90     +91     +92",
        "history is late                                   +100    +101    +102",
        "guarantor is yes                                  +110    +111    +112",
        "income is above 10,000                            +140    +141    +142",
        "the list decides                                     0      +8       0",
        "total                                             +575    +590    +589",
        "probability                                     33.0 %  33.5 %  33.5 %",
    ]


def test_two_labels_have_one_column():
    """It has the points for the second label; they are lowered where the list gives the first."""
    program = Program("y", ("a",), (Rule("no", (Literal("a", "<=", 1.0),)),), "yes")
    card = card_of(program, ("no", "yes"))
    assert str(explain_score(card, {"a": 0})).splitlines() == [
        "points for           yes",
        "every record          -5",
        "rule 1 decides       +10",
        "rule 1 holds         +30",
        "a is at most 1       +40",
        "the list decides     -76",
        "total                 -1",
        "probability       50.0 %",
    ]
    assert explain_score(card, {"a": 0}).probabilities["no"] > 0.5


def test_the_lines_are_those_of_json_and_html():
    """Every form has the same lines; names are escaped."""
    program = Program("y", ("<b>",), (Rule("no", (Literal("<b>", "<=", 1.0),)),), "yes")
    found = explain_score(card_of(program, ("no", "yes")), {"<b>": 0})
    data = json.loads(json.dumps(found.to_dict()))
    assert [row["part"] for row in data["rows"]] == [row[0] for row in found.table()[1:-2]]
    assert data["total"] == [sum(row["points"][0] for row in data["rows"])] == list(found.total)
    assert sum(one["probability"] for one in data["probabilities"]) == pytest.approx(1)
    html = found._repr_html_()
    assert "<b>" not in html
    assert re.findall(r"<td>([^<]*)</td>", html) == [row[1] for row in found.table()[1:]]


def test_many_labels():
    """A text shows the most probable labels, JSON shows all."""
    classes = tuple(f"l{k:02}" for k in range(30))
    program = Program("y", ("a",), (Rule("l03", (Literal("a", "<=", 1.0),)),), "l05")
    found = explain_score(card_of(program, classes), {"a": 0})
    assert found.table()[0] == ["points for", "l03", "l25", "l26", "l27", "l28", "l29"]
    assert len(found.to_dict()["columns"]) == 30


def test_words_of_the_reader():
    """Features are called as the reader calls them; an inner exception is one to an exception."""
    inner = Rule(None, (Literal("a", "<=", 2.0),), (Rule(None, (Literal("a", "<=", 1.0),)),))
    program = Program("y", ("a",), (Rule("no", (Literal("a", "present"),), (inner,)),), "yes")
    found = explain_score(card_of(program, ("no", "yes")), {"a": 0}, Words({"a": Phrase("the age", "{} years")}))
    assert [row[0] for row in found.table()[1:-2]] == [
        "every record",
        "rule 1 decides",
        "rule 1 holds",
        "the default of rule 1 holds",
        "an inner exception to rule 1 holds: the age is at most 1 years",
        "the age is present",
        "the age is at most 2 years",
        "the age is at most 1 years",
        "the list decides",
    ]
