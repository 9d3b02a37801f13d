"""`unless fit` learns, shows, tests and saves; what it saves is what it shows and tests."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import signal
import subprocess
import time

import numpy as np
import polars as pl
import pytest

from tests.cli.command import COMMAND, called, environment, unless
from unless import load, read_table
from unless.cli.console import RuleMeter
from unless.demo.applicants import applicants_csv
from unless.kernels import binning
from unless.learn import memory_engine


def fit(applicants, *more, **options):
    return called("fit", applicants, "--target", "decision", *more, **options)


class TestStory:
    """What an analyst sees."""

    def test_output(self, applicants, tmp_path):
        """Data, what was learned, the rules, the test, and commands to go on with."""
        model = tmp_path / "model.json"
        done = fit(applicants, "-o", model)
        assert done.returncode == 0
        lines = done.stdout.splitlines()
        assert lines[0] == "applicants.csv  900 records, 7 features; left out: applicant (unique)"
        assert lines[1].startswith("learned         5 rules with 3 exceptions in ")
        assert lines[3].split() == ["decided", "expected", "precision"]
        assert lines[4] == " 1  refuse       61   0.955 (0.78–0.99)  if employed is no"
        assert lines[5].strip() == "unless guarantor is yes"
        assert lines[-1].startswith("test            180 records held back: accuracy 0.967 (0.929 to 0.985), F1 0.9")
        assert lines[-1].endswith("(always accept: 0.583)")
        where = shlex.quote(str(applicants))
        assert done.stderr.splitlines() == [
            f"next            unless explain {model} {where} --row 4",
            f"                unless report {model} {where}",
        ]

    def test_saved_model_is_the_one_shown(self, applicants, tmp_path):
        """The model that is saved has the rules that are shown, and the accuracy that was tested."""
        path = tmp_path / "model.json"
        shown = json.loads(fit(applicants, "-o", path, "--json").stdout)
        model = load(path)
        assert [rule["rule"] for rule in shown["rules"]] == [str(rule) for rule in model.program_.rules]
        assert shown["model"] == json.loads(path.read_text())
        assert shown["test"]["records"] == 180
        assert model.statistics_.total == 720

    def test_jobs(self, applicants, tmp_path, monkeypatch):
        """All cores learn, or as many threads as --jobs says; the model's file is the same."""
        monkeypatch.setattr(binning, "MANY", 10)
        asked, files = [], set()
        real = memory_engine.resolve_n_jobs
        monkeypatch.setattr(memory_engine, "resolve_n_jobs", lambda jobs: asked.append(jobs) or real(jobs))
        for more in ((), ("--jobs", "1"), ("--jobs", "3")):
            assert fit(applicants, "-o", tmp_path / "model.json", *more).returncode == 0
            files.add((tmp_path / "model.json").read_bytes())
        assert asked == [-1, 1, 3]
        assert len(files) == 1
        assert "--jobs" in fit(applicants, "--jobs", "0").stderr

    def test_a_reader_that_has_gone(self, applicants, tmp_path):
        """Who reads on, as in `unless fit … | head -1`, does not matter to the model: it is saved."""
        path = tmp_path / "model.json"
        command = shlex.join([*COMMAND, "fit", str(applicants), "-t", "decision", "-o", str(path)])
        subprocess.run(f"{command} | true", shell=True, check=True, stderr=subprocess.DEVNULL, env=environment())
        assert load(path).program_

    def test_not_saved(self, applicants, tmp_path):
        """Without -o nothing is written, and it says so."""
        done = fit(applicants, cwd=tmp_path)
        assert done.stderr.split() == ["not", "saved", "add", "-o", "model.json"]
        assert not list(tmp_path.iterdir())

    def test_quiet(self, applicants):
        """Quietly, only the rules and the test are printed."""
        done = fit(applicants, "-q")
        assert done.stderr == ""
        assert done.stdout.splitlines()[0].split() == ["decided", "expected", "precision"]
        assert done.stdout.splitlines()[-1].startswith("test")

    def test_no_test(self, applicants):
        """With --test 0 all records are learned from."""
        found = json.loads(fit(applicants, "--test", "0", "--json").stdout)
        assert (found["test"], found["baseline"]) == (None, None)
        assert sum(rule["decided"] for rule in found["rules"]) == 900
        assert "no records were held back" in fit(applicants, "--test", "0").stdout

    def test_seed(self, applicants):
        """The same seed gives the same result, another one another test."""
        first, again, other = (
            json.loads(fit(applicants, "--json", "--seed", seed).stdout)["test"] for seed in (1, 1, 2)
        )
        assert first == again != other

    def test_long_program(self, tmp_path):
        """A pipe gets every rule; a terminal the first forty, and how many more there are."""
        noise = tmp_path / "noise.csv"
        noise.write_text("x,y\n" + "".join(f"{k},{'ab'[k * k % 7 > 2]}\n" for k in range(400)))
        options = ("-a", "fold-rm", "--ratio", "0", "--test", "0", "--include", "x")
        terminal = {"FORCE_COLOR": "1", "TERM": "dumb", "COLUMNS": "80"}
        rules = json.loads(called("fit", noise, "-t", "y", *options, "--json").stdout)["rules"]
        assert len(rules) > 45
        assert f" {len(rules)} " in called("fit", noise, "-t", "y", *options).stdout
        shown = unless("fit", noise, "-t", "y", *options, env=terminal).stdout
        assert f"and {len(rules) - 40} more rules" in shown


class TestColumns:
    """Which columns are learned from, and as what."""

    def test_identifiers(self, applicants):
        """A column of identifiers is left out; --include keeps it."""
        left_out = json.loads(fit(applicants, "--json").stdout)
        assert [(one["column"], one["code"]) for one in left_out["left_out"]] == [("applicant", "unique")]
        kept = json.loads(fit(applicants, "--json", "--include", "applicant").stdout)
        assert (kept["left_out"], "applicant" in kept["features"]) == ([], True)

    def test_weights_are_said(self, applicants):
        """With weights, what rules decided is no count of records, and the table is headed accordingly."""
        header = next(line for line in fit(applicants).stdout.splitlines() if line.endswith("precision"))
        assert header.split() == ["decided", "expected", "precision"]
        weighted = fit(applicants, "--class-weight", "balanced").stdout.splitlines()
        assert next(line for line in weighted if line.endswith("precision")).split() == [
            "weight",
            "expected",
            "precision",
        ]

    @pytest.mark.parametrize(
        ("target", "said"),
        [
            ("amount", "'amount' looks like a quantity: 77 different numbers in 300 records; rules decide"),
            ("applicant", "'applicant' is unique: 300 labels in 300 records. Is it the right column?"),
        ],
    )
    def test_a_target_without_labels(self, applicants, tmp_path, target, said):
        """A quantity and a name are no labels, and that is said."""
        some = applicants.read_text().splitlines(keepends=True)[:301]  # more labels take more than their square
        (tmp_path / "some.csv").write_text("".join(some))
        assert called("fit", tmp_path / "some.csv", "-t", target).stderr.removeprefix("unless: ").startswith(said)

    def test_left_out_in_words(self, tmp_path):
        """What is left out is said in one line, by reason."""
        rows = range(60)
        columns = {"name": [f"n{k}" for k in rows], "ticket": [f"t{max(k, 2)}" for k in rows], "id": list(rows)}
        columns |= {"age": [k * 7 % 31 for k in rows], "y": [str(k * 7 % 31 > 15) for k in rows]}
        pl.DataFrame(columns).write_csv(tmp_path / "t.csv")
        first = called("fit", tmp_path / "t.csv", "-t", "y").stdout.splitlines()[0]
        assert first.endswith("1 feature; left out: name (unique), ticket (nearly unique), id (an identifier)")

    def test_exclude(self, applicants):
        """Excluded columns are no features; several may stand with commas between."""
        found = json.loads(fit(applicants, "--json", "--exclude", "age,income", "--exclude", "amount").stdout)
        assert found["features"] == ["employed", "history", "guarantor", "years_at_address"]

    def test_kinds(self, applicants, tmp_path):
        """Columns are declared, and the model remembers it."""
        fit(applicants, "--categorical", "age", "--numeric", "years_at_address", "-o", tmp_path / "m.json")
        kinds = load(tmp_path / "m.json").schema_.kinds
        assert (kinds["age"], kinds["years_at_address"]) == ("text", "mixed")

    def test_missing(self, applicants, tmp_path):
        """What means missing is said, and the model remembers it."""
        fit(applicants, "--missing", "", "--missing", "none", "-o", tmp_path / "m.json")
        assert load(tmp_path / "m.json").schema_.missing == ("", "none")

    def test_late_column_of_json_lines(self, tmp_path):
        """A column that first appears late in a file of JSON lines is a feature too."""
        lines = [{"x": k % 5, "y": "ab"[k % 2], **({"late": k % 2} if k > 1500 else {})} for k in range(2000)]
        path = tmp_path / "t.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        found = json.loads(called("fit", path, "-t", "y", "--exclude", "x", "--json").stdout)
        assert found["features"] == ["late"]


class TestAlgorithms:
    """The options of each algorithm."""

    def binary(self, tmp_path):
        path = tmp_path / "binary.csv"
        path.write_text(applicants_csv().replace(",review\n", ",accept\n"))
        return path

    @pytest.mark.parametrize(
        ("options", "learner"),
        [
            (("--penalty", "auto"), "UnlessClassifier"),
            (("-a", "unless", "--penalty", "2", "--min-support", "5", "--ratio", "0.5"), "UnlessClassifier"),
            (("-a", "fold-rm", "--otherwise", "refuse", "--max-rules", "3"), "FoldRMClassifier"),
            (("-a", "fold-rpp", "--positive", "accept", "--max-seconds", "9"), "FoldRPPClassifier"),
            (("--class-weight", "balanced"), "UnlessClassifier"),
            (("--class-weight", "refuse=2.5"), "UnlessClassifier"),
        ],
    )
    def test_options(self, tmp_path, options, learner):
        """Options reach the learner, and the model file tells them."""
        done = called("fit", self.binary(tmp_path), "-t", "decision", *options, "-o", tmp_path / "m.json")
        assert done.returncode == 0
        model = load(tmp_path / "m.json")
        assert type(model).__name__ == learner
        given = {
            name.lstrip("-").replace("-", "_"): value for name, value in zip(options[::2], options[1::2], strict=True)
        }
        for name in {"penalty", "min_support", "ratio", "otherwise", "max_rules", "positive"} & given.keys():
            assert str(getattr(model, name)).removesuffix(".0") == given[name]
        if "refuse=2.5" in options:
            assert model.class_weight == {"refuse": 2.5}

    @pytest.mark.parametrize("penalty", ["strict", "Auto", "-1", "nan", "inf", "1_000", ""])
    def test_penalties(self, applicants, penalty):
        """A penalty is a number of at least 0, or auto."""
        done = called("fit", applicants, "-t", "decision", "--penalty", penalty)
        assert done.returncode == 2
        assert f"--penalty: {penalty!r} is neither a number of at least 0 nor 'auto'" in done.stderr

    def test_the_penalty_of_a_committee(self, applicants):
        """A committee has no auto: it tries several as it is."""
        done = called("fit", applicants, "-t", "decision", "-a", "committee", "--penalty", "auto")
        assert done.returncode == 2
        assert "--penalty: a committee tries several penalties itself; leave it out" in done.stderr

    def test_undecided(self, applicants):
        """With --otherwise none records may stay undecided, and count as wrong."""
        found = json.loads(fit(applicants, "-a", "fold-rm", "--otherwise", "none", "--json").stdout)
        assert found["model"]["otherwise"] is None
        assert found["test"]["undecided"] >= 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--positive", "accept"), "--positive: it is for --algorithm fold-rpp, not for unless"),
            (
                ("-a", "fold-rm", "--min-support", "3"),
                "--min-support: it is for --algorithm unless or committee, not for fold-rm",
            ),
            (("-a", "fold-rpp", "--no-optimise"), "--optimise: it is for --algorithm unless, not for fold-rpp"),
            (
                ("-a", "committee", "--round-thresholds"),
                "--round-thresholds: it is for --algorithm unless, fold-rm or fold-rpp, not for committee",
            ),
            (("--otherwise", "none"), "--otherwise: it is for --algorithm fold-rm, not for unless"),
            (("--test", "1.5"), "--test"),
            (("--ratio", "-1"), "--ratio"),
            (("--class-weight", "3"), "'3' is not LABEL=WEIGHT"),
            (("--class-weight", "accept=x"), "'accept=x' is not LABEL=WEIGHT"),
            (("--json", "-o", "-"), "cannot both go to standard output"),
            (("--exclude", "decision"), "'decision' is the target"),
            (("--exclude", "applicant", "--include", "applicant"), "'applicant' is in --exclude too"),
        ],
    )
    def test_wrong_usage(self, applicants, options, message):
        """An option that makes no sense is wrong usage: exit code 2, and a line that says why."""
        done = fit(applicants, *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert done.stderr.endswith("See unless fit --help\n")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("-a", "fold-rpp"), "fold-rpp needs two labels, but 'decision' has 3; use --algorithm fold-rm"),
            (("-a", "fold-rm", "--otherwise", "refused"), "no label 'refused'; did you mean 'refuse'?"),
            (("--class-weight", "yes=2"), "'decision' has no label 'yes'"),
            (("--exclude", "agee"), "no column 'agee'; did you mean 'age'?"),
            (("--include", "agee"), "no column 'agee'; did you mean 'age'?"),
            (("--numeric", "agee"), "no column 'agee'; did you mean 'age'?"),
            (("-o", "nowhere/m.json"), "no folder 'nowhere' to write 'nowhere/m.json' to; create it first"),
            (("-o", "."), "'.' is a folder"),
        ],
    )
    def test_failures(self, applicants, options, message):
        """What cannot be done is said in a line, with a suggestion: exit code 1."""
        done = fit(applicants, *options)
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr
        assert len(done.stderr.splitlines()) <= 2

    def test_labels_of_other_types(self, tmp_path):
        """A label is given as text, whatever its type is in the file, and keeps that type in the model."""
        rows = 200
        frame = pl.DataFrame({"x": np.arange(rows) % 17, "y": (np.arange(rows) % 17) > 8})
        frame.write_parquet(tmp_path / "t.parquet")
        done = called(
            "fit", tmp_path / "t.parquet", "-t", "y", "-a", "fold-rpp", "--positive", "true", "-o", tmp_path / "m.json"
        )
        assert done.returncode == 0, done.stderr
        assert load(tmp_path / "m.json").positive is True


class TestTables:
    """Tables that cannot be learned from, or need a word first."""

    def run(self, tmp_path, text, *more):
        (tmp_path / "t.csv").write_text(text)
        return called("fit", tmp_path / "t.csv", "-t", "y", *more)

    def test_one_label(self, tmp_path):
        """One label is nothing to learn."""
        done = self.run(tmp_path, "x,y\n1,a\n2,a\n")
        assert done.returncode == 1
        assert "every record has the label 'a' in 'y'" in done.stderr

    def test_no_features(self, tmp_path):
        """A table without features, or with identifiers only, is refused with advice."""
        done = self.run(tmp_path, "y\na\nb\n")
        assert (done.returncode, "no features are left" in done.stderr) == (1, True)
        rows = "\n".join(f"{k},{'ab'[k % 2]}" for k in range(30))
        done = self.run(tmp_path, f"id,y\n{rows}\n")
        assert "keep one: --include id" in done.stderr
        assert self.run(tmp_path, f"id,y\n{rows}\n", "--include", "id").returncode == 0

    def test_missing_labels(self, tmp_path):
        """Missing labels are an error that names the option; with it, those records are left out."""
        rows = "\n".join(f"{k % 7},{'ab'[k % 7 > 3] if k % 10 else ''}" for k in range(70))
        done = self.run(tmp_path, f"x,y\n{rows}\n")
        assert done.returncode == 1
        assert "missing in 7 of 70 rows, first in row 1" in done.stderr
        assert done.stderr.splitlines()[-1] == "To leave them out: --drop-unlabelled"
        done = self.run(tmp_path, f"x,y\n{rows}\n", "--drop-unlabelled", "--json")
        assert json.loads(done.stdout)["records"] == 63

    def test_quantity(self, tmp_path):
        """A target that is a quantity is refused, even if each number comes often, unless told that they are labels."""
        for rows in ([f"{k % 7},{k * 1.5}" for k in range(60)], [f"{k % 7},{k % 30 + 0.5}" for k in range(900)]):
            text = "x,y\n" + "\n".join(rows) + "\n"
            done = self.run(tmp_path, text)
            assert done.returncode == 1
            assert "'y' looks like a quantity: " in done.stderr
            assert "If its numbers are labels: --classes" in done.stderr
        done = self.run(tmp_path, text, "--classes", "--json")
        assert done.returncode == 0
        assert json.loads(done.stdout)["records"] == 900
        whole = "x,y\n" + "\n".join(f"{k % 7},{k % 30}" for k in range(900)) + "\n"
        assert self.run(tmp_path, whole).returncode == 0

    def test_tiny(self, tmp_path):
        """A few records are learned from, and the class of one record stays in training."""
        found = json.loads(self.run(tmp_path, "x,y\n1,a\n2,b\n3,b\n", "--json").stdout)
        assert found["records"] == 3
        assert found["model"]["statistics"]["classes"] == ["a", "b"]


class TestStreams:
    """Standard input and output."""

    def test_pipeline(self, applicants):
        """Data comes from standard input and the model goes to standard output, alone."""
        done = unless("fit", "-", "-t", "decision", "-o", "-", input=applicants.read_bytes())
        assert done.returncode == 0
        assert json.loads(done.stdout)["target"] == "decision"
        assert "held back" in done.stderr

    def test_named_pipe(self, applicants, tmp_path):
        """A named pipe, such as the shell's <(…), is read once."""
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cp", applicants, pipe]):
            done = called("fit", pipe, "-t", "decision", "--json")
        assert json.loads(done.stdout)["records"] == 900

    def test_folder(self, applicants, tmp_path):
        """A folder of parts is one table."""
        header, *rows = applicants.read_text().splitlines()
        for part in range(3):
            (tmp_path / f"part{part}.csv").write_text("\n".join([header, *rows[part * 300 : part * 300 + 300]]))
        whole, parts = (
            json.loads(called("fit", path, "-t", "decision", "--json").stdout) for path in (applicants, tmp_path)
        )
        assert parts["rules"] == whole["rules"]


class TestInterrupted:
    """Ctrl-C: nothing is written unless --keep-on-interrupt asks for the rules so far."""

    @pytest.fixture
    def stopping(self, monkeypatch):
        """Ctrl-C after the third rule."""
        monkeypatch.setattr(RuleMeter, "show", interrupting(3))

    @pytest.mark.usefixtures("stopping")
    def test_without_keep(self, applicants, tmp_path):
        """Without --keep-on-interrupt nothing is shown or written, and the code is 130."""
        done = fit(applicants, "-o", tmp_path / "m.json")
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "unless: interrupted\n")
        assert not list(tmp_path.iterdir())

    @pytest.mark.usefixtures("stopping")
    def test_keep(self, applicants, tmp_path):
        """With --keep-on-interrupt the rules so far are shown, tested and saved, and it says so."""
        done = fit(applicants, "-o", tmp_path / "m.json", "--keep-on-interrupt")
        assert done.returncode == 0
        assert "then interrupted: these are the rules so far" in done.stdout
        assert "held back: accuracy" in done.stdout
        assert 1 < len(load(tmp_path / "m.json").program_) <= 4  # three, and the one for everything else

    def test_keep_before_the_first_rule(self, applicants, monkeypatch):
        """There is nothing to keep before the first rule."""
        monkeypatch.setattr(RuleMeter, "show", interrupting(0))
        assert fit(applicants, "--keep-on-interrupt").returncode == 130

    def test_while_reading(self):
        """A real Ctrl-C while data is read ends the command with one line."""
        process = subprocess.Popen(
            [*COMMAND, "fit", "-", "-t", "y"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        )  # fmt: skip
        process.stdin.write(b"x,y\n" * 100_000)  # more than a pipe holds: it is being read
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (130, b"unless: interrupted\n")

    def test_at_a_terminal(self, tmp_path):
        """At a terminal a bar tells how far the learning is; Ctrl-C then saves a model that works, if asked to."""
        rows, draw = 30_000, np.random.default_rng(0)
        columns = {f"x{k}": draw.normal(size=rows).round(4) for k in range(8)} | {"y": draw.choice(list("abc"), rows)}
        pl.DataFrame(columns).write_csv(tmp_path / "t.csv")
        options = ["--penalty", "0", "--min-support", "1", "--keep-on-interrupt", "-o", str(tmp_path / "m.json")]
        said, code = at_terminal(["fit", str(tmp_path / "t.csv"), "-t", "y", *options], until="records left")
        assert code == 0, said
        assert "then interrupted: these are the rules so far" in said.replace("\r\n", " ")
        model = load(tmp_path / "m.json")
        assert len(model.predict(read_table(tmp_path / "t.csv", like=model))) == rows


def interrupting(after):
    """Ctrl-C when so many rules are learned."""

    def show(_meter, _left, rules):
        if rules == after:
            raise KeyboardInterrupt

    return show


def at_terminal(arguments, until):
    """What a terminal shows, and the exit code, if Ctrl-C is pressed some time after a text appears."""
    screen, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
        env=environment({"COLUMNS": "100", "TERM": "xterm"}),
    )  # fmt: skip
    os.close(theirs)
    shown, pressed, end = "", False, time.monotonic() + 100
    while time.monotonic() < end:
        if not select.select([screen], [], [], 1)[0]:
            continue
        try:
            shown += os.read(screen, 65536).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            break
        if not pressed and until in shown:
            process.send_signal(signal.SIGINT)
            pressed = True
    process.kill() if process.poll() is None and time.monotonic() >= end else None
    os.close(screen)
    return shown, process.wait(timeout=30)


@pytest.mark.usefixtures("loans")
def test_tuned_and_taught(run):
    """--tune and --teacher say what was chosen and how well the list imitates; other algorithms refuse them."""
    done = run("fit", "applicants.csv", "-t", "decision", "--tune", "--teacher", "committee", "--max-rules", "4")
    assert done.code == 0
    head = done.out.split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in head] == ["applicants.csv", "learned", "tuned", "taught"]
    assert "both agree on" in head[-1]
    refused = run("fit", "applicants.csv", "-t", "decision", "-a", "fold-rm", "--tune")
    assert refused.code == 2
