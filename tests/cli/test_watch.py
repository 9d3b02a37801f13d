"""`unless watch`: what it says, its exit codes and its log."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from tests.cli.command import unless
from tests.cli.test_terminal import shown
from unless.export import json as programs
from unless.export.json import load

pytestmark = pytest.mark.usefixtures("loans")
OLD = Path(__file__).parents[1] / "data"


@pytest.fixture
def shifted(loans) -> Path:
    """Applicants, among whom a category is written in another way."""
    text = (loans / "applicants.csv").read_text()
    (loans / "shifted.csv").write_text(text.replace(",late,", ",Late,"))
    return loans / "shifted.csv"


def test_nothing_moved(run):
    """Records like those of training end with 0, and every check is there."""
    done = run("watch", "model.json", "new.csv")
    assert done.code == 0
    assert "rule 1 decides" in done.out
    assert "!" not in done.out
    assert "new.csv: 40 records, no true labels" in done.err
    assert "nothing moved" in done.err
    assert "in at most 5 % of all runs" in done.err


def test_something_moved(run, shifted):
    """The exit code is 3, the worst comes first, and what moved is marked."""
    done = run("watch", "model.json", shifted)
    assert done.code == 3
    first = done.out.splitlines()[1]
    assert first.startswith("!  history is new")
    assert "hold Late, which training did not have" in first
    assert "refuse if history is late" in done.out
    assert " checks moved, on 900 records" in done.err


def test_quiet_prints_only_what_moved(run, shifted):
    """With --quiet nothing is printed if nothing moved, else only that."""
    assert run("watch", "model.json", "new.csv", "-q") == (0, "", "")
    done = run("watch", "model.json", shifted, "-q")
    assert (done.code, done.err) == (3, "")
    assert all(line.startswith("!") for line in done.out.splitlines()[1:])


def test_json(run, shifted):
    """--json has everything, and the exit code is the same."""
    done = run("watch", "model.json", shifted, "--json")
    found = json.loads(done.out)
    assert done.code == 3
    assert found["data"] == str(shifted)
    assert found["alarms"] == sum(one["moved"] for one in found["checks"]) > 0
    assert found["unseen"][0]["feature"] == "history"


def test_a_log_gets_a_line_each_run(run, shifted, monkeypatch):
    """Each run adds one line, a JSON object, with the time, the model, the records and the alarms."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    for data in ("new.csv", shifted):
        run("watch", "model.json", data, "--log", "watch.jsonl")
    one, two = map(json.loads, Path("watch.jsonl").read_text().splitlines())
    assert (one["time"], one["records"], one["alarms"]) == ("1970-01-01T00:00:00Z", 40, 0)
    assert two["moved"][0] == "history is new"
    assert one["model"] == two["model"]
    assert len(one["model"]) == 16


@pytest.mark.parametrize("log", ["new.csv", "model.json", "./new.csv"])
def test_a_log_is_never_an_input(run, log):
    """A line is not added to a file that is read, nor in a folder that is not there."""
    before = Path(log).read_bytes()
    assert run("watch", "model.json", "new.csv", "--log", log).code == 2
    assert Path(log).read_bytes() == before
    done = run("watch", "model.json", "new.csv", "--log", "nowhere/log")
    assert (done.code, "no folder" in done.err) == (1, True)


def test_labels(run, shifted):
    """True labels are in the column of the target's name, or in the one that is named; some may be missing."""
    rows = shifted.read_text().splitlines()
    Path("named.csv").write_text("\n".join([rows[0].replace("decision", "truth"), *rows[1:]]))
    Path("some.csv").write_text("\n".join([*rows[:300], *(row.rpartition(",")[0] + "," for row in rows[300:])]))
    assert "900 records, all with true labels" in run("watch", "model.json", shifted).err
    assert "900 records, no true labels" in run("watch", "model.json", "named.csv").err
    assert "all with true labels" in run("watch", "model.json", "named.csv", "--labels", "truth").err
    assert "900 records, 299 with true labels" in run("watch", "model.json", "some.csv").err
    for wrong, said in (
        ("trut", "no column 'trut'; did you mean 'truth'?"),
        ("age", "'age' is a feature of the model"),
    ):
        done = run("watch", "model.json", "named.csv", "--labels", wrong)
        assert (done.code, said in done.err) == (1, True)


def test_a_reference(run, shifted):
    """Earlier records stand in for training; then how often rules are right can raise an alarm."""
    done = run("watch", "model.json", shifted, "--reference", "applicants.csv")
    assert done.code == 3
    assert "in the reference" in done.out
    assert any(line.startswith("!  accuracy") for line in done.out.splitlines())
    assert run("watch", "model.json", "applicants.csv", "--reference", "applicants.csv").code == 0


def test_thresholds_of_alarms(run, shifted):
    """--alpha and --least make alarms rarer."""
    some = json.loads(run("watch", "model.json", shifted, "--json").out)["alarms"]
    fewer = json.loads(run("watch", "model.json", shifted, "--least", "0.2", "--json").out)["alarms"]
    assert 0 < fewer < some
    assert run("watch", "model.json", shifted, "--alpha", "1.5").code == 2


def test_pipes(shifted):
    """Data may come from standard input; what is printed is plain."""
    done = unless("watch", "model.json", "-", input=shifted.read_text())
    assert done.returncode == 3
    assert "standard input: 900 records" in done.stderr
    assert "\x1b" not in done.stdout


def test_a_terminal_shows_colours_and_fits(shifted, monkeypatch):
    """In a terminal the marks have a colour, and no line is longer than the window."""
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setenv("TERM", "xterm")
    text = shown(["watch", "model.json", str(shifted)])
    assert "\x1b[1;33m!" in text


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("header.csv", 0, "there are no records"),
        ("lacking.csv", 1, "no column 'age'"),
        ("nothing.csv", 1, "nothing.csv"),
    ],
)
def test_files_with_little(run, name, code, said):
    """A file with only a header has no records; one that lacks a column, or everything, is refused."""
    rows = Path("new.csv").read_text().splitlines()
    Path("header.csv").write_text(rows[0] + "\n")
    Path("lacking.csv").write_text("\n".join(row.partition(",")[0] for row in rows))
    Path("nothing.csv").write_text("")
    done = run("watch", "model.json", name)
    assert (done.code, said in done.err) == (code, True)
    assert "Traceback" not in done.err


def test_rules_alone_are_refused(run):
    """A file that has only rules does not know what they decided."""
    programs.save(load("model.json"), "program.json")
    done = run("watch", "program.json", "new.csv")
    assert (done.code, "has only rules" in done.err) == (1, True)


def test_a_committee(run):
    """A committee can be watched; what is not known of it is said."""
    assert (
        run("fit", "applicants.csv", "-t", "decision", "-a", "committee", "--size", "3", "-o", "c.json", "-q").code == 0
    )
    done = run("watch", "c.json", "new.csv")
    assert done.code == 0
    assert "accept is decided" in done.out
    assert "a committee of 3 lists decides" in done.err


def test_hostile_names(run):
    """Names and values of data are shown, and move no cursor."""
    bad = "\x1b[31mx\u202e<b>"
    rows = [f"{'yes' if k % 2 else bad},{'risk' if k % 2 else 'fine'}" for k in range(60)]
    Path("bad.csv").write_text("\n".join([f"{bad},y", *rows]))
    assert run("fit", "bad.csv", "-t", "y", "-o", "bad.json", "-q").code == 0
    Path("other.csv").write_text("\n".join([f"{bad},y", *(["\x1b[2Jnew,risk"] * 60)]))
    done = run("watch", "bad.json", "other.csv", "--log", "log")
    assert done.code == 3
    assert "\x1b" not in done.out + done.err
    assert Path("log").read_bytes().count(b"\n") == 1


def test_a_model_of_an_earlier_version(run):
    """It is watched as far as it knows."""
    shutil.copy(OLD / "model-v1-unless.json", "old-version.json")
    program = load("old-version.json")
    Path("some.csv").write_text(",".join(program.features) + "\n" + ",".join("1" for _ in program.features) + "\n")
    done = run("watch", "old-version.json", "some.csv")
    assert done.code in (0, 3)
    assert "Traceback" not in done.err


def test_the_own_data_is_known_again(run):
    """Records that the model is from cannot tell what has moved since; in any order and format, that is said."""
    said = "most of these records are those that the model was learned from"
    rows = Path("applicants.csv").read_text().splitlines()
    Path("reversed.csv").write_text("\n".join([rows[0], *rows[:0:-1]]))
    assert said in run("watch", "model.json", "reversed.csv").err
    Path("few.csv").write_text("\n".join(rows[:100]))
    assert said not in run("watch", "model.json", "few.csv").err
    assert said not in run("watch", "model.json", "new.csv").err


def test_the_test_of_fit_is_compared_with(run):
    """How often rules are right is compared with the records that fit held back."""
    done = run("watch", "model.json", "applicants.csv")
    assert done.code == 0
    assert any("rule 1 is right" in line and "in the test" in line for line in done.out.splitlines())
    wrong = Path("applicants.csv").read_text().replace(",accept\n", ",refuse\n")
    Path("wrong.csv").write_text(wrong)
    done = run("watch", "model.json", "wrong.csv", "-q")
    assert done.code == 3
    assert any("accuracy" in line for line in done.out.splitlines())


def test_own_records_raise_no_alarm_for_being_right(run):
    """The rules were learned from most of these records, so that they are right more often than in the test."""
    draw = random.Random(1)
    cells = ((draw.randrange(60), draw.randrange(60), draw.randrange(9), draw.choice("pq")) for _ in range(900))
    rows = ["a,b,c,y", *("w{},v{},u{},{}".format(*each) for each in cells)]
    Path("noise.csv").write_text("\n".join(rows) + "\n")
    assert run("fit", "noise.csv", "-t", "y", "-a", "fold-rm", "-o", "noise.json").code == 0
    done = run("watch", "noise.json", "noise.csv")
    assert not any(line.startswith("!  accuracy") for line in done.out.splitlines())
