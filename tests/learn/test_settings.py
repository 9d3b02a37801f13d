"""Parameters are declared once: signatures, docstrings and documents say what the declarations say."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import unless
from unless.errors import ParameterError
from unless.estimators.learners import LEARNERS
from unless.learn import SETTINGS

DOCS = Path(__file__).parents[2] / "docs"
CLASSIFIERS = {
    "unless": unless.UnlessClassifier,
    "fold-rm": unless.FoldRMClassifier,
    "fold-rpp": unless.FoldRPPClassifier,
    "committee": unless.UnlessCommittee,
}
FUNCTIONS = {"unless": unless.fold_unless, "fold-rm": unless.fold_rm, "fold-rpp": unless.fold_rpp}
EVERYWHERE = sorted(set.intersection(*(set(kind.declared()) for kind in SETTINGS.values())))


def defaults(function):
    """The parameters of a function with their defaults."""
    return {name: one.default for name, one in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize("name", SETTINGS)
def test_signatures_repeat_the_declarations(name):
    """A learner and its classifier take the parameters that the settings declare, with their defaults."""
    declared = SETTINGS[name].defaults()
    assert defaults(LEARNERS[name]) == declared
    assert defaults(CLASSIFIERS[name]) == CLASSIFIERS[name]().get_params() == declared


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_repeat_the_defaults(name):
    """A function has the defaults of the settings, but for threads, and for a label that has to be named."""
    declared = SETTINGS[name].defaults()
    given = {key: value for key, value in defaults(FUNCTIONS[name]).items() if key in declared}
    assert {"ratio", "round_thresholds", "constraints"} <= set(given)
    assert {key: value for key, value in given.items() if key != "positive"}.items() <= declared.items()


def first_words(about):
    """What a text about a parameter begins with: the sentence of the declaration, up to a colon."""
    return re.split(r"[:.]", about)[0]


@pytest.mark.parametrize("name", SETTINGS)
def test_docstrings_begin_with_the_sentence(name):
    """The docstring of a classifier has every parameter, and says of it what the declaration says."""
    text = inspect.getdoc(CLASSIFIERS[name]).split("Parameters\n----------\n")[1]
    text = re.split(r"\n\n\w+\n---", text)[0]
    entries = re.findall(r"^(\w[\w, ]*)\n((?:    .*(?:\n|$))+)", text, re.MULTILINE)
    said = {key: " ".join(body.split()) for keys, body in entries for key in keys.split(", ")}
    declared = SETTINGS[name].declared()
    assert set(said) == set(declared)
    for key, body in said.items():
        assert body.startswith((first_words(declared[key].about), "As in `UnlessClassifier`")), key


def test_the_page_about_parameters_says_the_same():
    """The list of parameters in docs/estimators.md begins with the sentences, and its table has the defaults."""
    page = (DOCS / "estimators.md").read_text()
    section = page.split("## The parameters of our learner")[1].split("\n## ")[0]
    listed = dict(re.findall(r"^- `(\w+)`: (.*)", section, re.MULTILINE))
    declared = SETTINGS["unless"].declared()
    known = {"ratio", "penalty", "min_support", "optimise", "round_thresholds", "probabilities", "max_rules"}
    assert known == set(listed)
    for key, body in listed.items():
        assert body.lower().startswith(first_words(declared[key].about).lower()), key
    calls = [ast.parse(call).body[0].value for call in re.findall(r"^\| `([A-Z]\w+\(.*?\))` \|", page, re.MULTILINE)]
    assert len(calls) == 3
    kinds = {kind.__name__: SETTINGS[name].defaults() for name, kind in CLASSIFIERS.items()}
    for call in calls:
        shown = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
        assert shown.items() <= kinds[call.func.id].items()


def test_the_page_about_choices_has_the_defaults():
    """docs/parameters.md quotes defaults as they are."""
    page = (DOCS / "parameters.md").read_text().split("## What to leave alone")[1]
    quoted = re.findall(r"\*\*`(\w+)=(.+?)`\*\*", page)
    assert len(quoted) >= 3
    for name, value in quoted:
        assert SETTINGS["unless"].defaults()[name] == ast.literal_eval(value)


REFUSED = [
    ("ratio", 1.5, "ratio must be a number from 0 to 1, not 1.5"),
    ("ratio", True, "ratio must be a number from 0 to 1, not True"),
    ("penalty", float("inf"), "penalty must be a number of at least 0"),
    ("penalty", "car", "not 'car'"),
    ("min_support", -1, "min_support must be a number of at least 0, not -1"),
    ("optimise", 1, "optimise must be True or False, not 1"),
    ("size", 2.0, "size must be a whole number of at least 1, not 2.0"),
    ("rate", float("nan"), "rate must be a number from 0 to 1, not nan"),
    ("max_rules", 0, "max_rules must be a whole number of at least 1, or None, not 0"),
    ("max_seconds", float("nan"), "max_seconds must be a number of at least 0, or None, not nan"),
    ("warn", None, "warn must be True or False, not None"),
]


@pytest.mark.parametrize(
    ("name", "setting", "value", "finding"),
    [(name, *one) for name, kind in SETTINGS.items() for one in REFUSED if one[0] in kind.declared()],
)
def test_values_out_of_bounds_are_refused(name, setting, value, finding):
    """The error names the parameter, its bounds and the value."""
    with pytest.raises(ParameterError) as error:
        SETTINGS[name](**{setting: value})
    assert finding in str(error.value)


@pytest.mark.parametrize("name", SETTINGS)
def test_numbers_of_numpy_are_numbers(name):
    """Settings hold Python's numbers, so that files can: users search over arrays."""
    found = SETTINGS[name](ratio=np.float64(0.25), max_rules=np.int64(7), max_seconds=np.inf)
    assert (type(found.ratio), type(found.max_rules)) == (float, int)
    assert found == replace(found, ratio=0.25)


def test_files_keep_what_can_be_written():
    """A model's file keeps all parameters but the number of threads; of teachers only names, of sources only seeds."""
    kept = SETTINGS["unless"](teacher=object(), random_state=np.random.default_rng(0), n_jobs=4).parameters()
    assert (kept["teacher"], kept["random_state"], "n_jobs" in kept) == (None, None, False)
    assert SETTINGS["unless"](teacher="committee", random_state=3).parameters()["random_state"] == 3
    assert sorted(set(SETTINGS["fold-rm"].declared()) - {"otherwise", "round_thresholds"}) == EVERYWHERE
