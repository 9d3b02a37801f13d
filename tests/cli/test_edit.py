"""`unless edit`: rules as text, in an editor that a script plays, or from a file."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import unless
from tests.cli.command import COMMAND, environment
from unless.estimators.model_file import read
from unless.export import json as programs
from unless.export import to_rules
from unless.model import Model

pytestmark = pytest.mark.usefixtures("loans")

ONE_MORE = "refuse if age < 21 and income < 15_000"


@pytest.fixture(autouse=True)
def _kept(tmp_path, monkeypatch):
    """Texts that are kept are kept here, and there is no editor."""
    (tmp_path / "kept").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "kept"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)


@pytest.fixture
def kept(tmp_path):
    """The texts that are kept."""
    return lambda: sorted((tmp_path / "kept").iterdir())


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """An editor that runs Python on the text; ``calls`` counts how often it was opened."""

    def choose(script: str) -> Path:
        program = tmp_path / "my editor.py"
        head = f"#!{sys.executable}\nimport os, signal, sys\nfrom pathlib import Path\nfile = Path(sys.argv[-1])\n"
        count = f"with open({str(tmp_path / 'calls')!r}, 'a') as calls:\n    calls.write('.')\n"
        program.write_text(f"{head}{count}text = file.read_text()\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("EDITOR", f"'{program}' --wait")
        return tmp_path / "calls"

    return choose


def model_in(path: str = "model.json") -> Model:
    """The model in a file."""
    found = read(path)
    assert isinstance(found, Model)
    return found


WRITE = f"file.write_text(text.replace('\\n\\n#', '\\n\\n{ONE_MORE}\\n#', 1))"


UNMEASURED = (
    "not measured: the decisions of rules from rule 3 on are not known, and the points and the importances are left "
    "out; --data DATA measures them"
)


class TestFromFile:
    """Rules that are in a file already."""

    def test_the_rules_are_compared_and_measured(self, run):
        """With data, the command shows what changes, and everything is measured on these records."""
        done = run("edit", "model.json", "--from", "rules.txt", "--data", "applicants.csv", "-o", "edited.json")
        assert done.code == 0, done.err
        assert done.out.splitlines()[:2] == [
            "decision: 5 rules before, 6 after: 5 kept, 1 added",
            "+  1  refuse    if age < 21 and income < 15,000",
        ]
        assert "of 900 records change label" in done.out
        assert done.err == (
            "measured on 720 records of training: decisions, points and importances\n"
            "test: 180 records held back: accuracy 0.961 (0.922 to 0.981), F1 0.961 (always accept: 0.583)\n"
            "wrote edited.json\n"
        )
        old, new = model_in(), model_in("edited.json")
        assert new.program.rules == (*unless.parse(ONE_MORE, like=old).rules, *old.program.rules)
        assert (new.schema, new.parameters, new.learner) == (old.schema, old.parameters, old.learner)
        assert (new.statistics.total, new.tested.held_back) == (720, 180)  # those held back test the new rules too
        assert new.card is not None
        assert new.importances is not None
        table = unless.read_table("applicants.csv", like=new)
        classifier = unless.load("edited.json")
        edited = unless.load("model.json").with_program(new.program, table)
        assert (classifier.statistics_.counts == edited.statistics_.counts).all()
        assert (classifier.predict_proba(table) == edited.predict_proba(table)).all()

    def test_without_data_only_what_is_true_is_kept(self, run):
        """Rules before the change keep their counts; the others are not measured, and the command says so."""
        text = to_rules(model_in()).replace("amount > 28200", "amount >= 28_200")
        Path("mine.txt").write_text(text)
        done = run("edit", "model.json", "--from", "mine.txt", "-o", "edited.json")
        assert done.err.splitlines() == [UNMEASURED, "wrote edited.json"]
        old, new = model_in(), model_in("edited.json")
        assert (new.statistics.counts[:2] == old.statistics.counts[:2]).all()
        assert [new.statistics.known(row) for row in range(6)] == [True, True, False, False, False, False]
        assert new.statistics.total == old.statistics.total
        assert (new.card, new.importances) == (None, None)
        assert "–                   –  if amount ≥ 28,200" in run("show", "edited.json").out
        assert "not measured since the rules were edited" in run("show", "edited.json", "--style", "rules").out
        for command in (
            ("explain", "edited.json", "applicants.csv", "--row", "3"),
            ("explain", "edited.json", "applicants.csv", "--row", "3", "--json"),
            ("predict", "edited.json", "new.csv", "-o", "out.csv"),
            ("report", "edited.json", "applicants.csv", "-o", "out.html"),
            ("show", "edited.json", "--json"),
            ("diff", "model.json", "edited.json", "applicants.csv"),
        ):
            assert run(*command).code == 0, command
        probabilities = unless.load("edited.json").predict_proba(unless.read_table("applicants.csv", like=new))
        assert probabilities.sum(axis=1) == pytest.approx(1)

    def test_the_same_rules_are_not_written(self, run):
        """The text that the command itself wrote changes nothing."""
        assert run("export", "model.json", "--to", "rules", "-o", "same.txt").code == 0
        before = Path("model.json").read_bytes()
        done = run("edit", "model.json", "--from", "same.txt", "--yes")
        assert (done.code, done.out, done.err) == (0, "", "the rules are the same; nothing is written\n")
        assert Path("model.json").read_bytes() == before

    def test_in_place(self, run):
        """With --yes the model itself is written."""
        assert run("edit", "model.json", "--from", "rules.txt", "--yes", "-q").code == 0
        assert len(model_in().program.rules) == 6

    def test_json(self, run):
        """The result as data: what changed by rules and by records, and where it was written."""
        done = run("edit", "model.json", "--from", "rules.txt", "--data", "applicants.csv", "--yes", "--json", "-q")
        found = json.loads(done.out)
        assert (found["model"], found["output"], found["same"], found["measured"]) == (
            "model.json",
            "model.json",
            False,
            True,
        )
        assert found["counts"]["added"] == 1
        assert found["data"]["records"] == 900
        again = run("edit", "model.json", "--from", "rules.txt", "--yes", "--json", "-q")
        assert json.loads(again.out) == {"model": "model.json", "output": None, "same": True}

    def test_standard_streams(self):
        """The rules can come from standard input, and the model can go to standard output."""
        command = [*COMMAND, "edit", "model.json", "--from", "-", "-o", "-", "-q", "--json"]
        done = subprocess.run(
            command, input=b"accept if true\n", capture_output=True, env=environment(None), check=False
        )
        assert done.returncode == 2
        assert b"--json" in done.stderr
        done = subprocess.run(
            command[:-1], input=b"accept if true\n", capture_output=True, env=environment(None), check=False
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["rules"] == [{"label": "accept", "default": [], "exceptions": []}]

    def test_a_file_with_rules_only(self, run):
        """Rules without a model are edited too; there are no statistics to measure."""
        programs.save(model_in().program, "bare.json")
        done = run("edit", "bare.json", "--from", "rules.txt", "--data", "applicants.csv", "-o", "edited.json")
        assert done.code == 0, done.err
        assert len(programs.load("edited.json")) == 6

    def test_records_without_labels_show_what_changes(self, run):
        """Without labels nothing is measured, and that is said."""
        done = run("edit", "model.json", "--from", "rules.txt", "--data", "new.csv", "-o", "edited.json")
        assert "of 40 records change label" in done.out
        told = (
            "new.csv has no true labels: the column 'decision' is missing or incomplete; so the rules are not measured"
        )
        assert told in done.err
        assert model_in("edited.json").card is None

    def test_errors_show_the_place(self, run):
        """A text that is not rules names the file, the line and the column; nothing is written."""
        Path("wrong.txt").write_text("accept if age > 3\nrefuse if incme <= 3\n")
        done = run("edit", "model.json", "--from", "wrong.txt", "-o", "edited.json")
        assert (done.code, done.err.splitlines()) == (
            1,
            [
                "unless: wrong.txt: line 2, column 11: no feature 'incme'; did you mean 'income'?",
                "  refuse if incme <= 3",
                "            ^^^^^",
            ],
        )
        assert not Path("edited.json").exists()
        Path("wrong.txt").write_bytes(b"accept if age > \xff")
        assert "wrong.txt: the text is not UTF-8" in run("edit", "model.json", "--from", "wrong.txt", "--yes").err

    def test_a_committee_cannot_be_edited(self, run):
        """A committee has many lists: the message says what can be edited."""
        assert run("fit", "applicants.csv", "-t", "decision", "--algorithm", "committee", "-o", "many.json").code == 0
        done = run("edit", "many.json", "--from", "rules.txt", "--yes")
        assert done.code == 1
        assert re.search(r"many.json is a committee of \d+ lists, and edit takes one list.*unless fit", done.err)

    @pytest.mark.parametrize(
        ("words", "code", "said"),
        [
            (
                ["model.json", "--from", "rules.txt"],
                1,
                "to overwrite model.json: --yes; to write another file: -o FILE",
            ),
            (
                ["model.json", "--from", "rules.txt", "-o", "model.json"],
                2,
                "'model.json' is read, so it is not written to",
            ),
            (["model.json", "--from", "rules.txt", "-o", "rules.txt"], 2, "'rules.txt' is read"),
            (["-", "--from", "-", "-o", "x.json"], 1, "can be read only once"),
            (["-", "--from", "rules.txt"], 1, "name a file to write to"),
            (["-", "-o", "x.json"], 1, "an editor needs standard input"),
            (["model.json", "--from", "rules.txt", "--sheet", "1", "--yes"], 2, "it needs --data"),
            (["nothing.json", "--from", "rules.txt", "--yes"], 1, "nothing.json"),
        ],
    )
    def test_what_cannot_end_well_is_refused_first(self, run, words, code, said):
        """Nothing is edited that could not be saved."""
        done = run("edit", *words)
        assert (done.code, said in done.err) == (code, True), done.err
        assert not Path("nothing.json").exists()


class TestEditor:
    """The text opens in $VISUAL or $EDITOR."""

    def test_an_edit(self, run, editor, kept):
        """What the editor saves is the model's new rules; the text is gone afterwards."""
        calls = editor(WRITE)
        done = run("edit", "model.json", "--data", "applicants.csv", "--yes")
        assert (done.code, calls.read_text(), kept()) == (0, ".", [])
        assert model_in().program.rules[0] == unless.parse(ONE_MORE, like=model_in()).rules[0]

    def test_the_text_has_help_and_figures(self, run, editor):
        """Comments say what to do, and what each rule decided in training."""
        editor("Path('seen.txt').write_text(text)")
        assert run("edit", "model.json", "--yes").err == "the rules are the same; nothing is written\n"
        seen = Path("seen.txt").read_text()
        assert seen.startswith("# The rules of model.json. Change them, save, and close the editor;")
        assert "# rule 1: decided 61 in training; expected precision 0.955 (0.78 to 0.99)\n# of 15 held" in seen

    def test_visual_comes_first(self, run, editor, monkeypatch):
        """$VISUAL is asked before $EDITOR."""
        editor(WRITE)
        monkeypatch.setenv("VISUAL", "true")
        assert run("edit", "model.json", "--yes").err == "the rules are the same; nothing is written\n"

    def test_no_editor(self, run):
        """Without an editor, the message has the two commands that do the same."""
        done = run("edit", "model.json", "--yes")
        assert (done.code, done.err.splitlines()[1:]) == (
            1,
            ["  unless export model.json --to rules -o model.txt", "  unless edit model.json --from model.txt"],
        )

    def test_an_editor_that_is_not_there(self, run, monkeypatch, kept):
        """It is named, and nothing is left behind."""
        monkeypatch.setenv("EDITOR", "no-such-editor")
        done = run("edit", "model.json", "--yes")
        assert (done.code, kept()) == (1, [])
        assert "the editor 'no-such-editor' cannot be started (No such file or directory)" in done.err

    def test_an_editor_that_fails(self, run, editor, kept):
        """Nothing is written; what was saved until then is kept."""
        editor(f"{WRITE}\nsys.exit(3)")
        before = Path("model.json").read_bytes()
        done = run("edit", "model.json", "--yes")
        assert (done.code, Path("model.json").read_bytes()) == (1, before)
        (file,) = kept()
        assert f"your text is kept in {file}; to go on with it: unless edit model.json --from {file}" in done.err
        assert run("edit", "model.json", "--from", file, "--yes").code == 0

    def test_an_empty_text_changes_nothing(self, run, editor, kept):
        """To empty the text is to give up."""
        editor("file.write_text(' \\n')")
        done = run("edit", "model.json", "--yes")
        assert (done.code, kept()) == (1, [])
        assert "the text is empty; nothing is changed" in done.err

    def test_a_broken_text_is_kept(self, run, editor, kept):
        """Where nobody can be asked, an error ends the command, and the text is kept in a file that is named."""
        editor("file.write_text('refuse if incme < 3')")
        done = run("edit", "model.json", "--yes")
        (file,) = kept()
        assert (done.code, file.read_text()) == (1, "refuse if incme < 3")
        assert "no feature 'incme'; did you mean 'income'?" in done.err
        assert f"your text is kept in {file}" in done.err

    def test_a_model_that_cannot_be_written(self, run, editor, monkeypatch):
        """It is refused before anybody edits."""
        calls = editor(WRITE)

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied", "model.json")

        monkeypatch.setattr("unless.cli.edit._check_writable", refuse)
        done = run("edit", "model.json", "--yes")
        assert (done.code, done.err, calls.exists()) == (1, "unless: model.json: Permission denied\n", False)

    def test_a_text_is_kept_if_writing_fails(self, run, editor, monkeypatch, kept):
        """A full disk does not cost the text."""
        editor(WRITE)

        def fail(*_: object) -> None:
            raise OSError(28, "No space left on device", "model.json")

        monkeypatch.setattr("unless.cli.file_io.write_whole", fail)
        done = run("edit", "model.json", "--yes")
        assert (done.code, len(kept())) == (1, 1)
        assert "No space left on device" in done.err


class Terminal:
    """The command in a terminal, where somebody answers its questions."""

    def __init__(self, *words: str) -> None:
        self.master, theirs = pty.openpty()
        command = [*COMMAND, "edit", "model.json", *words]
        env = environment({"TERM": "dumb", "COLUMNS": "250"})  # however long the paths are
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True
        )
        os.close(theirs)
        self.seen = ""

    def answer(self, question: str, answer: str) -> None:
        """Wait for a question that was not yet answered, and answer it."""
        end = time.monotonic() + 60
        while question not in self.seen and time.monotonic() < end:
            if select.select([self.master], [], [], 0.2)[0]:
                self.seen += os.read(self.master, 4096).decode()
        assert question in self.seen, self.seen
        self.all = self.seen
        self.seen = ""
        os.write(self.master, answer.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C until it is noticed: Python loses one that comes just before it waits for an answer."""
        for _ in range(60):
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
                return

    def ended(self) -> tuple[int, str]:
        """The exit code, and what was shown after the last answer."""
        while True:
            try:
                found = os.read(self.master, 4096)
            except OSError:
                found = b""
            if not found:
                break
            self.seen += found.decode()
        code = self.process.wait(60)
        os.close(self.master)
        return code, self.seen


class TestTerminal:
    """In a terminal the command asks."""

    def test_write_after_yes(self, editor, kept):
        """The changes are shown, and the model is written when the user agrees."""
        editor(WRITE)
        terminal = Terminal()
        terminal.answer("write model.json? [y/N]", "y\n")
        assert "5 kept, 1 added" in terminal.all
        code, shown = terminal.ended()
        assert (code, "wrote model.json" in shown, kept()) == (0, True, [])
        assert len(model_in().program.rules) == 6

    def test_no_keeps_the_text(self, editor, kept):
        """If the user does not agree, the model stays and the text is kept."""
        editor(WRITE)
        terminal = Terminal()
        terminal.answer("write model.json? [y/N]", "\n")
        code, shown = terminal.ended()
        assert (code, "nothing is written" in shown, len(kept())) == (1, True, 1)
        assert len(model_in().program.rules) == 5

    def test_an_error_opens_the_editor_again(self, editor):
        """A text that is wrong is shown with its place, and the same text opens again."""
        calls = editor(
            f"if 'incme' in text:\n    file.write_text('{ONE_MORE}')\nelse:\n    file.write_text('no if incme > 3')"
        )
        terminal = Terminal("--yes")
        terminal.answer("edit again? [Y/n]", "\n")
        assert "line 1, column 1: no label 'no'; there are 'accept', 'refuse'" in terminal.all
        assert "  no if incme > 3\r\n  ^^\r\n" in terminal.all
        assert terminal.ended()[0] == 0
        assert calls.read_text() == ".."
        assert len(model_in().program.rules) == 1

    def test_giving_up_keeps_the_text(self, editor, kept):
        """Who does not want to go on finds the text in a file."""
        editor("file.write_text('accept if incme > 3')")
        terminal = Terminal("--yes")
        terminal.answer("edit again? [Y/n]", "n\n")
        code, shown = terminal.ended()
        (file,) = kept()
        assert (code, str(file) in shown.replace("\r\n", "")) == (1, True)

    def test_ctrl_c_at_a_question_keeps_the_text(self, editor, kept):
        """Ctrl-C ends the command with 130, and the text is kept."""
        editor(WRITE)
        terminal = Terminal()
        terminal.answer("write model.json? [y/N]", "")
        terminal.interrupt()
        code, shown = terminal.ended()
        assert (code, "interrupted" in shown, len(kept())) == (130, True, 1)
        assert len(model_in().program.rules) == 5

    def test_ctrl_c_is_for_the_editor_while_it_runs(self, editor):
        """An editor may use Ctrl-C itself: the command waits for it."""
        editor(f"os.kill(os.getppid(), signal.SIGINT)\n{WRITE}")
        terminal = Terminal("--yes")
        assert terminal.ended()[0] == 0
        assert len(model_in().program.rules) == 6


def test_an_edited_model_that_was_not_measured_works_everywhere(run):
    """What is not known of edited rules is left out: nothing fails, and JSON has null."""
    assert run("edit", "model.json", "--from", "rules.txt", "-o", "unmeasured.json").code == 0
    assert run("watch", "unmeasured.json", "new.csv").code == 0
    assert run("card", "unmeasured.json").code == 0
    assert run("card", "unmeasured.json", "-o", "card.json").code == 0
    assert json.loads(Path("card.json").read_text())["rules"][0]["decided"] is None
    explained = run("explain", "unmeasured.json", "applicants.csv", "--row", "3", "--json")
    assert explained.code == 0, explained.err


def test_the_test_stays_where_rules_leave_features_out(run):
    """The model's own data is known again by all of its features, also if rules test only some of them."""
    Path("short.txt").write_text("refuse if employed is no\naccept otherwise\n")
    assert run("edit", "model.json", "--from", "short.txt", "--data", "applicants.csv", "-o", "short.json").code == 0
    assert model_in("short.json").tested.held_back == 180
    Path("again.txt").write_text("refuse if employed is no and age <= 60\naccept otherwise\n")
    assert run("edit", "short.json", "--from", "again.txt", "--data", "applicants.csv", "-o", "again.json").code == 0
    assert model_in("again.json").tested.held_back == 180


def test_broken_constraints_are_told(run):
    """An edit may break what the model was learned to keep, and the command says so."""
    assert run("fit", "applicants.csv", "-t", "decision", "--never", "age", "-o", "wished.json").code == 0
    Path("broken.txt").write_text("refuse if age <= 30\naccept otherwise\n")
    for more in ((), ("--data", "applicants.csv")):
        done = run("edit", "wished.json", "--from", "broken.txt", "-o", "broken.json", *more)
        assert "the rules break a constraint that the model was learned with: " in done.err
        Path("broken.json").unlink()
    Path("fine.txt").write_text("refuse if income <= 9000\naccept otherwise\n")
    assert "constraint" not in run("edit", "wished.json", "--from", "fine.txt", "-o", "fine.json").err


def test_categories_of_new_features_are_looked_up_in_the_data(run):
    """A model remembers the categories of features that rules test; of others, the data tells typing errors."""
    Path("short.txt").write_text("refuse if employed is no\naccept otherwise\n")
    assert run("edit", "model.json", "--from", "short.txt", "--data", "applicants.csv", "-o", "short.json").code == 0
    Path("typo.txt").write_text("refuse if history is lat\naccept otherwise\n")
    done = run("edit", "short.json", "--from", "typo.txt", "--data", "applicants.csv", "-o", "typo.json")
    assert "! applicants.csv: history has no 'lat'; did you mean 'late'?" in done.err
    Path("fine.txt").write_text("refuse if history is late\naccept otherwise\n")
    assert "!" not in run("edit", "short.json", "--from", "fine.txt", "--data", "applicants.csv", "-o", "f.json").err
