"""`unless fit` with constraints, and around rules that stay."""

from __future__ import annotations

import json

import pytest

import unless
from unless import Constraints, violations


@pytest.fixture
def fit(run, applicants):
    """Run fit on the applicants."""
    return lambda *more: run("fit", applicants, "-t", "decision", *more)


@pytest.mark.parametrize("algorithm", ["unless", "fold-rm"])
def test_options(fit, tmp_path, algorithm):
    """Every option is kept, by the program and in the model file; repeated, and with commas."""
    done = fit(
        "-a", algorithm, "--never", "age,applicant", "--only-exceptions", "guarantor", "--apart", "income,amount",
        "--monotone", "income: more never refuses", "--max-literals", 2, "--max-depth", 1, "-o", tmp_path / "m.json",
    )  # fmt: skip
    assert done.code == 0, done.err
    model = unless.load(tmp_path / "m.json")
    wanted = Constraints(["age"], ["guarantor"], [("income", "amount")], ["income: more never refuses"], 2, 1)
    assert model.constraints == wanted
    assert violations(model.program_, wanted) == ()
    assert model.program_.used


def test_a_file(fit, tmp_path):
    """A TOML file says the same; options add to it, and overrule its limits."""
    (tmp_path / "c.toml").write_text('never = ["age"]\nmax_depth = 3\n')
    done = fit("--constraints", tmp_path / "c.toml", "--never", "amount", "--max-depth", 0, "-o", tmp_path / "m.json")
    assert done.code == 0, done.err
    assert unless.load(tmp_path / "m.json").constraints == Constraints(["age", "amount"], max_depth=0)


@pytest.mark.parametrize("algorithm", ["unless", "fold-rm", "committee"])
def test_given_cuts(fit, tmp_path, algorithm):
    """Thresholds and negations, by options and by a file, whose cuts an option replaces column by column."""
    (tmp_path / "c.toml").write_text("no_negation = true\n[only_cuts]\nage = [18]\namount = [20000]\n")
    cuts = ("--only-cuts", "income=20000, 40000", "--only-cuts", "age=25,65")
    done = fit("-a", algorithm, *cuts, "--constraints", tmp_path / "c.toml", "-o", tmp_path / "m.json")
    assert done.code == 0, done.err
    model = unless.load(tmp_path / "m.json")
    wanted = Constraints(no_negation=True, only_cuts={"age": [25, 65], "amount": [20_000], "income": [20_000, 40_000]})
    assert model.constraints == wanted
    assert violations(model.program_, wanted) == ()
    assert fit("-a", algorithm, *cuts, "--no-negation", "-o", tmp_path / "other.json").code == 0
    assert unless.load(tmp_path / "other.json").constraints.no_negation


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--only-cuts", "age"), "'age' has no thresholds, such as age=18,65"),
        (("--only-cuts", "agee=18"), "which is not a feature; did you mean 'age'"),
        (("--only-cuts", "history=18"), "only_cuts is not possible for 'history'"),
        (("--only-cuts", "age=2024-01-01"), "only_cuts has '2024-01-01' for 'age', which is not written as its"),
        (("-a", "committee", "--only-cuts", "history=18"), "only_cuts is not possible for 'history'"),
        (("--never", "agee"), "which is not a feature; did you mean 'age'"),
        (("--monotone", "income goes up"), "is not 'FEATURE: more never LABEL'"),
        (("--monotone", "income: more never reject"), "names an unknown label"),
        (("--monotone", "history: more never refuse"), "its categories have no order"),
        (("--monotone", "income: more never refuse", "--monotone", "income: less never refuse"), "contradict"),
        (("--apart", "income"), "is not two columns"),
        (("--never", "income", "--only-exceptions", "income"), "keep one"),
        (("--max-literals", "0"), "greater than or equal to 1"),
        (("--constraints", "none.toml"), "no file 'none.toml'"),
        (("--lock", "1"), "name the model with these rules: --keep model.json"),
        (("-a", "committee", "--monotone", "history: more never refuse"), "its categories have no order"),
    ],
)
def test_refused(fit, options, words):
    """What makes no sense is refused before learning, in one line."""
    done = fit(*options)
    assert done.code in (1, 2)
    assert words in " ".join(done.err.split())


def test_a_committee_keeps_directions(fit, tmp_path):
    """The points of each list move in the direction that is asked for; the model file says which it was."""
    path, asked = tmp_path / "m.json", unless.Constraints(monotone="income: more never refuse")
    done = fit("-a", "committee", "--size", 4, "--monotone", "income: more never refuse", "-o", path)
    assert done.code == 0
    model = unless.load(path)
    assert model.constraints == asked
    assert unless.violations(model.committee_, asked) == ()


class TestKeep:
    """`--keep MODEL --lock 1,3`."""

    @pytest.fixture
    def model(self, fit, tmp_path):
        path = tmp_path / "model.json"
        assert fit("-o", path).code == 0
        return path

    @pytest.mark.parametrize("algorithm", ["unless", "fold-rm"])
    @pytest.mark.parametrize(("lock", "places"), [(None, None), ("1", [0]), ("1, 3", [0, 2]), ("1-2", [0, 1])])
    def test_rules_stay(self, fit, model, tmp_path, algorithm, lock, places):
        """Rules are numbered as in the listings; by default all with conditions stay."""
        old = unless.load(model).program_.rules
        more = () if lock is None else ("--lock", lock)
        done = fit("-a", algorithm, "--keep", model, *more, "--seed", 3, "-o", tmp_path / "new.json")
        assert done.code == 0, done.err
        new = unless.load(tmp_path / "new.json").program_.rules
        kept = [old[k] for k in (range(len(old) - 1) if places is None else places)]
        assert new[0] == old[0]
        assert [rule for rule in new if rule in kept] == kept

    def test_a_file_of_rules(self, fit, tmp_path):
        """A file that has only rules will do, such as one written by hand; a column that they test is not left out."""
        program = unless.Program(
            "decision", ("applicant",), (unless.Rule("refuse", (unless.Literal("applicant", "<=", 20.0),)),)
        )
        unless.export.json.save(program, tmp_path / "rules.json")
        done = fit("--keep", tmp_path / "rules.json", "-o", tmp_path / "m.json")
        assert done.code == 0, done.err
        assert unless.load(tmp_path / "m.json").program_.rules[0] == program.rules[0]
        assert "a locked rule tests 'applicant'" in fit("--keep", tmp_path / "rules.json", "--exclude", "applicant").err

    def test_what_is_unusual_is_said(self, fit, tmp_path):
        """A locked rule that decides nothing, or breaks a constraint, is said."""
        rules = (unless.Rule("refuse", (unless.Literal("age", ">", 900.0),)),)
        unless.export.json.save(unless.Program("decision", ("age",), rules), tmp_path / "rules.json")
        done = fit("--keep", tmp_path / "rules.json", "--never", "age")
        said = " ".join(done.err.split())
        assert "Rule 1 is locked and decides no record" in said
        assert "rule 1 tests 'age', which no rule may test" in said

    @pytest.mark.parametrize(
        ("lock", "words"),
        [
            ("0", "is not one of the rules 1 to"),
            ("99", "is not one of"),
            ("x", "not a list of rules"),
            ("3-2", "not one of"),
        ],
    )
    def test_refused(self, fit, model, lock, words):
        """Numbers of rules that are not there are refused."""
        done = fit("--keep", model, "--lock", lock)
        assert (done.code, words in " ".join(done.err.split())) == (2, True)

    def test_it_says_which(self, fit, model):
        """The numbers that locked rules have now are printed, and are in the JSON; without locks there are none."""
        lines = fit("--keep", model, "--lock", "1,2").out.splitlines()
        assert [line.split() for line in lines if line.startswith("locked")] == [["locked", "rules", "1", "and", "2"]]
        assert json.loads(fit("--keep", model, "--lock", "1", "--json").out)["locked"] == [1]
        assert json.loads(fit("--json").out)["locked"] == []

    def test_the_last_rule(self, fit, model):
        """The rule for all others cannot be locked: nothing could be learned behind it."""
        last = len(unless.load(model).program_)
        done = fit("--keep", model, "--lock", last)
        assert f"rule {last} covers every record" in " ".join(done.err.split())

    def test_a_committee(self, fit, tmp_path, model):
        """A committee neither keeps rules nor has any to keep."""
        assert fit("-a", "committee", "--size", 2, "-o", tmp_path / "c.json").code == 0
        assert "holds a committee" in " ".join(fit("--keep", tmp_path / "c.json").err.split())
        assert "no rule can stay" in " ".join(fit("-a", "committee", "--keep", model).err.split())

    def test_never_over_an_input(self, fit, model, tmp_path):
        """The kept model is an input, and is not written over."""
        before = model.read_bytes()
        assert fit("--keep", model, "-o", model).code == 2
        assert model.read_bytes() == before
        (tmp_path / "c.toml").write_text("max_depth = 1\n")
        assert fit("--constraints", tmp_path / "c.toml", "-o", tmp_path / "c.toml").code == 2

    def test_blocks(self, fit, model, tmp_path):
        """With blocks, the same rules are learned; notes of other locks and constraints are not mixed up."""
        every = ("--include", "age,income,employed,history,guarantor,amount,years_at_address", "--test", 0, "--json")
        for more in [(), ("--keep", model, "--lock", 2), ("--max-depth", 0), ("--keep", model), ("--max-depth", 0)]:
            done = fit(*more, *every, "--blocks", tmp_path / "kept")
            assert done.code == 0, done.err
            assert json.loads(done.out)["rules"] == json.loads(fit(*more, *every).out)["rules"]


@pytest.mark.usefixtures("loans")
def test_rules_that_stay_are_tested_on_what_they_were_not_learned_from(run):
    """Whatever seed and share are asked for, what the kept model held back is held back again, and it is said."""
    learn = ("fit", "applicants.csv", "-t", "decision")
    assert run(*learn, "-o", "first.json").code == 0
    first = unless.load("first.json").tested_
    done = run(*learn, "--keep", "first.json", "--seed", "5", "--test", "0.5", "--json")
    assert "--seed 5 is not used: the records that first.json held back are held back again" in done.err
    assert json.loads(done.out)["test"]["records"] == first.held_back
    again = run(*learn, "--keep", "first.json", "-o", "second.json")
    assert (again.code, "too good" in again.err) == (0, False)
    assert unless.load("second.json").origin_.split == first.origin.split
    other = run(*learn, "--keep", "first.json", "--exclude", "years_at_address", "--lock", "1")
    assert "records of this test, the figures are too good: it identifies those by other features" in other.err
    assert "too good" not in run(*learn, "--keep", "first.json", "--test", "0").err
