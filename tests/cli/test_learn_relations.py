"""`unless learn`, where the background is about parts of individuals, or about pairs."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path

import pytest

from unless.logic import RelationalHypothesis, learn_logic
from unless.logic.relational_header import relational_from_text

pytest.importorskip("clingo")


def trains(count: int = 60) -> tuple[str, str]:
    """Trains that go east if they have a car that is long and closed."""
    rng = random.Random(1)
    facts, examples = [], []
    for train in range(count):
        east = False
        for car in range(rng.randint(1, 4)):
            name, long, closed = f"c{train}_{car}", rng.random() < 0.4, rng.random() < 0.4
            facts.append(f"has_car(t{train},{name}). size({name},{rng.randint(1, 30) / 10}).")
            facts += [f"long({name})."] * long + [f"closed({name})."] * closed
            east |= long and closed
        examples.append(f"{'pos' if east else 'neg'}(east(t{train})).")
    return "\n".join(facts), "\n".join(examples)


@pytest.fixture
def task(tmp_path, monkeypatch) -> Path:
    """A folder with the trains."""
    monkeypatch.chdir(tmp_path)
    background, examples = trains()
    folder = Path("trains")
    folder.mkdir()
    (folder / "bk.pl").write_text(background)
    (folder / "exs.pl").write_text(examples)
    return folder


def test_a_folder_is_a_task(run, task):
    """A folder has the background and the examples; rules about parts are printed in words, with a test."""
    done = run("learn", str(task))
    assert done.code == 0
    first, second, right, test = done.out.splitlines()
    assert (first, second) == ("east if it has a car that is closed and long", "not east otherwise")
    assert right == "% with trains: right on 48 of 48 examples"
    assert test.startswith("% test: 12 examples held back: accuracy 1.000")
    files = run("learn", "trains/bk.pl", "trains/exs.pl")
    assert files.out.splitlines()[:2] == [first, second]


@pytest.mark.usefixtures("task")
def test_models_in_other_languages(run):
    """The ending of the file says what is written; each can be read or run."""
    for ending in ("json", "lp", "pl", "sql", "txt"):
        assert run("learn", "trains", "-o", f"rules.{ending}", "-q").code == 0
    model = RelationalHypothesis.load("rules.json")
    assert relational_from_text(Path("rules.lp").read_text()).program == model.program
    assert relational_from_text(Path("rules.pl").read_text()).program == model.program
    assert Path("rules.sql").read_text().startswith("WITH f1 AS (")
    assert model.predict("has_car(x,a). long(a). closed(a). has_car(y,b). long(b).") == {"x": "pos", "y": "neg"}


@pytest.mark.usefixtures("task")
def test_json(run):
    """The document has rules, definitions, and every example with the label that the rules give."""
    document = json.loads(run("learn", "trains", "--json", "--test", "0").out)
    assert document["rules"][0] == "east if it has a car that is closed and long"
    assert document["features"]["root"] == ["east"]
    assert (document["right"], len(document["examples"]), document["test"]) == (60, 60, None)
    assert document["searched"] > 0


@pytest.mark.usefixtures("task")
def test_options(run):
    """Relations are left out, learners chosen, and types declared."""
    assert "closed" not in run("learn", "trains", "--ignore", "closed").out.splitlines()[0]
    done = run("learn", "trains", "--learner", "fold-rm")
    assert (done.code, "car that is closed and long" in done.out) == (0, True)
    done = run("learn", "trains", "--types", "size/2: car, heigth", "--types", "siz/2: car, number")
    assert (done.code, done.err) == (1, "unless: types: B has no facts of siz/2; did you mean 'size/2'?\n")
    assert run("learn", "trains", "--arguments", "2").code == 1


@pytest.mark.usefixtures("task")
def test_facts_with_variables(run):
    """They are left out with a warning, and refused with --strict."""
    with Path("trains/bk.pl").open("a") as file:
        file.write("\nlong(X).\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "east if" in run("learn", "trains").out
    done = run("learn", "trains", "--strict")
    assert (done.code, "1 fact with variables" in done.err) == (1, True)


@pytest.mark.usefixtures("task")
def test_the_examples_are_missing(run):
    """One file is not enough, and a folder without examples names what it has."""
    assert run("learn", "trains/bk.pl").code == 2
    Path("trains/exs.pl").unlink()
    done = run("learn", "trains")
    assert (done.code, done.err) == (1, "unless: trains: it has no exs.pl; it has bk.pl\n")


def test_what_is_learned_explains_and_is_saved(task):
    """A hypothesis explains its examples, agrees with clingo, and labels the same after it was saved and loaded."""
    learned = learn_logic(task)
    assert learned.check() == len(learned.individuals) == 48
    name = learned.individuals[learned.examples.index("pos")]
    assert str(learned.explain(name)).startswith(
        f"{name}: east (rule 1)\n  because it has a car that is closed and long: car c"
    )
    learned.save("model.json")
    loaded = RelationalHypothesis.load("model.json")
    assert loaded.predict(task / "bk.pl", learned.individuals) == dict(
        zip(learned.individuals, learned.entailed, strict=True)
    )
    assert "why not" in loaded.why_not(name, label="neg", background=task / "bk.pl")
