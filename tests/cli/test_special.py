"""`--special`: codes from options and files, and the command that `inspect` proposes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import unless
from tests.cli.command import called


@pytest.fixture
def bureau(tmp_path):
    """A file with codes among months, a stand-in for missing ages, and a column that has both."""
    draw = np.random.default_rng(0)
    months = draw.choice([*range(0, 60, 3), -7, -8], 400, p=[*[0.035] * 20, 0.2, 0.1])
    age = np.where(draw.random(400) < 0.05, 999, draw.integers(18, 70, 400))
    label = np.where(((months == -7) | (months > 30)) ^ (draw.random(400) < 0.05), "bad", "good")
    path = tmp_path / "bureau.csv"
    frame = pd.DataFrame({"months, since": months, "age": age, "visits": draw.choice([1, 2, 99], 400), "label": label})
    frame.to_csv(path, index=False)
    return path


def test_options_and_a_file(run, bureau, tmp_path):
    """Both give the same model, whose predictions read the codes; the column's name has a comma."""
    (tmp_path / "codes.toml").write_text('["months, since"]\n-7 = "no inquiry"\n"-8.0" = "no trades: none"\n')
    one = ("--special", "months, since:-7=no inquiry", "--special", "months, since:-8=no trades: none")
    files = []
    for name, options in (("a", one), ("b", ("--special", tmp_path / "codes.toml"))):
        done = run("fit", bureau, "-t", "label", *options, "-o", tmp_path / name)
        assert done.code == 0, done.err
        files.append((tmp_path / name).read_text())
    assert files[0] == files[1]
    model = unless.load(tmp_path / "a")
    assert model.schema_.special == {"months, since": ((-8.0, "no trades: none"), (-7.0, "no inquiry"))}
    done = run("predict", tmp_path / "a", bureau, "-o", tmp_path / "p.csv")
    assert done.code == 0, done.err
    found = pd.read_csv(tmp_path / "p.csv")
    assert found["predicted"].tolist() == model.predict(pd.read_csv(bureau).drop(columns="label")).tolist()
    row = 1 + found["months, since"].tolist().index(-7)
    assert "no inquiry" in run("explain", tmp_path / "a", bureau, "--row", row).out


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("mnths:-7=x", "no column 'mnths'"),
        ("age=x", "is not COLUMN:CODE=NAME, such as 'months:-7=no inquiry'"),
        ("age:x=y", "is not COLUMN:CODE=NAME"),
        ("age:-7=x,age:-8=y", "names 'age', too; give --special once for each code"),
        ("age:999=", "the name ''; a name has letters"),
        ("label:1=x", "'label' is the target: only features have special codes"),
        ("none.toml", "no file 'none.toml'"),
    ],
)
def test_refused(run, bureau, option, words):
    """What makes no sense is refused in one line."""
    done = run("fit", bureau, "-t", "label", "--special", option)
    assert done.code in (1, 2)
    assert words in " ".join(done.err.split())


def test_inspect_proposes_codes_that_differ(run, bureau, tmp_path):
    """Where labels differ between codes, they are named; a single stand-in is missing; the command runs as it is."""
    done = called("inspect", bureau, "-t", "label")
    assert "they differ in how often the label is 'bad': -7 9" in done.stdout.replace("\n", " ")
    command = done.stderr.strip().split("next  ")[1]
    assert "--special='months, since:-7=code -7' --special='months, since:-8=code -8'" in command
    assert "--missing=999" in command
    assert "--missing=99 " in command
    options = [
        "--special", "months, since:-7=code -7", "--special", "months, since:-8=code -8",
        "--missing", "999", "--missing", "99", "-o", tmp_path / "m.json",
    ]  # fmt: skip
    assert run("fit", bureau, "-t", "label", *options).code == 0
    assert unless.load(tmp_path / "m.json").schema_.special["months, since"][1] == (-7.0, "code -7")
    said = str(unless.inspect(bureau, "label"))
    assert "special={'months, since': {-7: 'code -7', -8: 'code -8'}}" in said


def test_inspect_does_not_propose_what_contradicts_itself(run, tmp_path):
    """A number that is a code of one column is no missing cell of another: there it is a code, too."""
    draw = np.random.default_rng(1)
    months = draw.choice([*range(20), -7, -9], 400, p=[*[0.03] * 20, 0.2, 0.2])
    label = np.where((months == -7) ^ (draw.random(400) < 0.05), "bad", "good")
    frame = pd.DataFrame({"months": months, "trades": draw.choice([0, 1, 2, 3, -9], 400), "label": label})
    frame.to_csv(tmp_path / "x.csv", index=False)
    command = called("inspect", tmp_path / "x.csv", "-t", "label").stderr
    assert "--special='trades:-9=code -9'" in command
    assert "--missing" not in command
    given = run("inspect", tmp_path / "x.csv", "-t", "label", "--special", "months:-7=a", "--special", "months:-9=b")
    assert "months" in given.out
    assert "--special=months:-7=a --special=months:-9=b --special='trades:-9=code -9' -o" in given.err
