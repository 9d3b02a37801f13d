"""How strict our own learner has to be, by measurement."""

from itertools import product

import numpy as np
import pytest

import unless
from unless import UnlessClassifier
from unless.errors import ParameterError
from unless.learn import fold_unless, penalty_search
from unless.learn.engine import StopLearning
from unless.learn.memory_engine import MemoryEngine
from unless.learn.unless_learner import AUTO, MANY_RECORDS, UnlessLearner, UnlessSettings, learn_unless
from unless.table import Column, Labels, Table

USUAL = UnlessSettings().initial_penalty(MANY_RECORDS)


def distances(side: int = 46) -> Table:
    """All pairs of two numbers, and how far they are apart: no noise, but many small rules."""
    pairs = list(product(range(side), repeat=2))
    labels = Labels.of("y", [str(abs(a - b) // 5) for a, b in pairs])
    return Table((Column.of("a", [a for a, _ in pairs]), Column.of("b", [b for _, b in pairs])), labels)


def noise(rows: int = 2_500) -> Table:
    rng = np.random.default_rng(1)
    labels = Labels.of("y", rng.choice(["no", "yes"], rows, p=[0.7, 0.3]).tolist())
    return Table(
        (Column.of("a", rng.normal(size=rows).tolist()), Column.of("b", rng.normal(size=rows).tolist())), labels
    )


@pytest.fixture(scope="module")
def table():
    return distances()


def test_much_more_to_learn(table):
    """Without noise the list is that of a quarter; it is right more often than that of the usual penalty."""
    program = fold_unless(table)
    assert program == fold_unless(table, penalty=0.25)
    strict = fold_unless(table, penalty=USUAL)
    labels = np.array(table.labels.labels)[table.labels.codes]
    right, before = (np.mean(unless.predict(one, table) == labels) for one in (program, strict))
    assert right > before + 0.1


@pytest.mark.parametrize("data", [noise(), distances(44)], ids=["noise", "fewer than 2,000 records"])
def test_nothing_to_gain(data):
    """Noise, and data too small to tell, are learned from as strictly as ever."""
    assert fold_unless(data) == fold_unless(data, penalty=USUAL)


def test_many_labels(monkeypatch):
    """With few records of each label nothing is tried: lists of less penalty would be long, and take long."""
    rng = np.random.default_rng(0)
    labels = Labels.of("y", [f"{k % 60}" for k in range(2_500)])
    data = Table((Column.of("a", rng.normal(size=2_500).tolist()),), labels)
    monkeypatch.setattr(penalty_search, "correctly_decided_rows", None)
    assert learn_unless(MemoryEngine(data), UnlessSettings()).penalty == USUAL


@pytest.mark.parametrize(
    ("given", "penalty"), [({"penalty": 1.0}, 1), ({"optimise": False}, 1), ({"max_rules": 5}, USUAL)], ids=str
)
def test_what_was_asked_for(table, given, penalty):
    """A penalty that is given, a list that is not optimised, or one that is full, needs no trial."""
    assert learn_unless(MemoryEngine(table), UnlessSettings(**given)).penalty == penalty


def test_a_list_with_hardly_an_error_is_not_tried_again(monkeypatch, table):
    """Where nearly all training records are decided rightly, no time is lost."""
    monkeypatch.setattr(penalty_search, "_WRONG", 0.9)
    assert fold_unless(table) == fold_unless(table, penalty=USUAL)


def test_row_order_and_weights(table):
    """Shuffled rows give the same list, and so do records of weight 2 instead of two records."""
    shuffled = table[np.random.default_rng(0).permutation(len(table))]
    twice = table[np.repeat(np.arange(len(table)), 2)]
    assert fold_unless(shuffled) == fold_unless(table)
    assert fold_unless(table, weights=np.full(len(table), 2.0)) == fold_unless(twice)


def test_the_model_says_so(table, tmp_path):
    """The settings that were chosen are in the model, in its file, and what a teacher's list is learned with."""
    model = UnlessClassifier(warn=False).fit(table)
    assert model.tuned_ == {"ratio": 0.75, "penalty": 0.25, "min_support": 3}
    model.save(tmp_path / "model.json")
    again = unless.load(tmp_path / "model.json")
    assert (again.tuned_, again.penalty) == (model.tuned_, AUTO)
    assert UnlessClassifier(warn=False, penalty=1).fit(table).tuned_ is None


def test_the_card_says_so(table):
    """A model card has the settings that were measured beside those that were given."""
    model = UnlessClassifier(warn=False).fit(table)
    settings = dict(model.model_card().settings)
    assert (settings["penalty"], settings["tuned"]) == ("auto", "ratio 0.75, penalty 0.25, min_support 3")
    assert "tuned" not in dict(UnlessClassifier(warn=False, penalty=1).fit(table).model_card().settings)


def test_a_finished_fit_is_not_measured_again(table, tmp_path):
    """Of blocks that are kept, a fit that was finished gives its program at once, and the penalty that it found."""
    table.to_polars().write_csv(tmp_path / "table.csv")
    kept, asked = unless.BlockCache(str(tmp_path / "table.csv"), str(tmp_path / "kept")), []
    first = UnlessClassifier(warn=False).fit(kept, "y")
    program = fold_unless(kept, target="y", progress=lambda *_: asked.append(1))
    again = UnlessClassifier(warn=False).fit(kept, "y")
    assert asked == []
    assert program == first.program_ == again.program_
    assert first.tuned_ == again.tuned_ == {"ratio": 0.75, "penalty": 0.25, "min_support": 3}


@pytest.mark.parametrize("stop", [StopLearning, KeyboardInterrupt])
def test_stopped_in_the_trial(monkeypatch, table, stop):
    """What stops the trial leaves the list that was learned before it."""

    def late(*_):
        raise stop

    monkeypatch.setattr(penalty_search, "correctly_decided_rows", late)
    engine = MemoryEngine(table)
    learned = learn_unless(engine, UnlessSettings())
    assert (learned.interrupted is not None) == (stop is KeyboardInterrupt)
    assert (
        learned.program == UnlessLearner(engine, UnlessSettings(penalty=USUAL)).rule_by_rule(engine.all_rows()).program
    )


@pytest.mark.parametrize("penalty", ["Auto", "0.5", None, -1])
def test_bad_penalties(table, penalty):
    """What is neither a number nor "auto" is refused."""
    with pytest.raises(ParameterError, match='penalty must be a number of at least 0 or "auto", not'):
        fold_unless(table, penalty=penalty)


def test_more_records_more_demands():
    """From 1,000 records on an optimised list is learned more strictly; a weight of 2 counts as two records."""
    table = distances(44)
    few, many = table[: MANY_RECORDS - 1], table[:MANY_RECORDS]
    assert learn_unless(MemoryEngine(few), UnlessSettings()).penalty == 1
    assert learn_unless(MemoryEngine(many), UnlessSettings()).penalty == 1.25
    assert learn_unless(MemoryEngine(many), UnlessSettings(optimise=False)).penalty == 1
    assert learn_unless(MemoryEngine(few, np.full(len(few), 2.0)), UnlessSettings()).penalty == 1.25
    assert fold_unless(few) == fold_unless(few, penalty=1)
    assert fold_unless(many) == fold_unless(many, penalty=1.25) != fold_unless(many, penalty=1)
