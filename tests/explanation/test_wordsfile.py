"""Words in a TOML file."""

from __future__ import annotations

import re

import pytest

from tests.explanation.examples import LOAN
from unless.errors import MissingFileError, ParameterError
from unless.explanation import Phrase, Words, explain, read_words
from unless.explanation.words_file import parse_words

TEXT = """
purpose = "Who gets a loan"

[labels]
refuse = "the loan is refused"

[features.income]
name = "yearly income"
number = "{} €"
grouped = true

[features.history.values]
late = "late with payments"
"""


def test_reads_what_python_says(tmp_path):
    """A file says what `Words` says in Python, and explanations use it."""
    (tmp_path / "words.toml").write_text(TEXT)
    found = read_words(tmp_path / "words.toml", features=LOAN.features, labels=LOAN.labels)
    assert found == Words(
        {"income": Phrase("yearly income", "{} €"), "history": Phrase(values={"late": "late with payments"})},
        {"refuse": "the loan is refused"},
        grouped=frozenset({"income"}),
        purpose="Who gets a loan",
    )
    record = {"income": 18400.0, "history": "late", "guarantor": None}
    assert found.label("loan", "refuse") == "the loan is refused"
    assert "yearly income is 18,400 €" in explain(LOAN, record).story(1, words=found)


def test_labels_are_those_of_the_model():
    """A file spells a label; the model knows its type."""
    assert parse_words('[labels]\n1 = "yes"', labels=[0, 1]).labels == {1: "yes"}
    assert parse_words('[labels]\ntrue = "yes"', labels=[False, True]).labels == {True: "yes"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("purpos = 'x'", "the file has 'purpos', which is not known here; did you mean 'purpose'?"),
        ("[features.incom]\nname = 'x'", "[features.incom]: the model has no feature 'incom'; did you mean 'income'?"),
        ("[features.income]\nunit = '€'", "[features.income] has 'unit', which is not known here"),
        (
            "[features.income]\nnumber = '{x} €'",
            "[features.income]: the template '{x} €' has an unknown placeholder {x}",
        ),
        ("[features.income]\nname = 3", 'name in [features.income] must be a text, not 3; write name = "3"'),
        ("[features.income]\ngrouped = 'yes'", "grouped in [features.income] must be true or false, not 'yes'"),
        ("features = 3", "features must be a table, [features], not 3"),
        ("[labels]\nrefus = 'x'", "[labels]: the model has no label 'refus'; did you mean 'refuse'?"),
        ("[labels", "not TOML: "),
    ],
)
def test_errors_name_show_and_suggest(tmp_path, text, complaint):
    """What is wrong is named with its place, and the file."""
    path = tmp_path / "words.toml"
    path.write_text(text)
    with pytest.raises(ParameterError, match=re.escape(f"{path}: {complaint}")):
        read_words(path, features=LOAN.features, labels=LOAN.labels)


def test_files_that_are_not_there(tmp_path):
    """A missing file is named, with one that is nearly called that; a file that is no text is refused."""
    (tmp_path / "words.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(MissingFileError, match=r"word.toml.*did you mean 'words.toml'"):
        read_words(tmp_path / "word.toml")
    with pytest.raises(ParameterError, match="cannot be read as UTF-8 text"):
        read_words(tmp_path / "words.toml")
