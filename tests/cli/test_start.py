"""How a command starts: with what it needs, and nothing that takes longer than what was asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import unless
from tests.cli.command import environment

HEAVY = ("sklearn", "scipy", "pandas")

_ALL = f"""
import json, sys
from unless.cli.app import _run, app
found = {{}}
for words in json.loads(sys.argv[1]):
    code = _run(lambda: app(words, prog_name="unless", standalone_mode=False))
    found[" ".join(words)] = [code, [name for name in {HEAVY!r} if name in sys.modules]]
print(json.dumps(found), file=sys.stderr)
"""

COMMANDS = (
    "fit applicants.csv -t decision -o fitted.json --class-weight refuse=2",
    "fit applicants.csv -t decision -a fold-rm",
    "evaluate applicants.csv -t decision --cv 2 -a unless -a fold-rm",
    "predict model.json new.csv -o predicted.csv",
    "inspect applicants.csv -t decision",
    "show model.json",
    "explain model.json new.csv --row 8 --what-if",
    "export model.json --to python",
    "export model.json --to sql",
    "report model.json applicants.csv -o page.html",
    "learn zoo.lp examples.lp --target habitat",
    "diff old.json model.json applicants.csv",
    "demo more",
)


def test_no_command_imports_scikit_learn(loans):
    """Nor scipy, nor pandas: they take seconds to import, and no command needs them."""
    commands = json.dumps([command.split() for command in COMMANDS])
    done = subprocess.run(
        [sys.executable, "-c", _ALL, commands], capture_output=True, cwd=loans, env=environment(), check=True, text=True
    )
    assert json.loads(done.stderr.splitlines()[-1]) == {command: [0, []] for command in COMMANDS}


@pytest.mark.parametrize(
    ("options", "classifier", "parameters"),
    [
        ([], "UnlessClassifier", {}),
        (["--penalty", "0.5", "--min-support", "2", "--max-rules", "4"], "UnlessClassifier",
         {"penalty": 0.5, "min_support": 2.0, "max_rules": 4}),
        (["--class-weight", "balanced"], "UnlessClassifier", {"class_weight": "balanced"}),
        (["--class-weight", "refuse=2"], "UnlessClassifier", {"class_weight": {"refuse": 2.0}}),
        (["-a", "fold-rm"], "FoldRMClassifier", {}),
        (["-a", "fold-rm", "--otherwise", "none"], "FoldRMClassifier", {"otherwise": None}),
        (["-a", "fold-rm", "--otherwise", "refuse", "--ratio", "0.3"], "FoldRMClassifier",
         {"otherwise": "refuse", "ratio": 0.3}),
        (["-a", "fold-rpp", "--positive", "no"], "FoldRPPClassifier", {"positive": "no"}),
    ],
    ids=str,
)  # fmt: skip
def test_the_command_and_the_classifier_write_the_same_file(run, loans, options, classifier, parameters):
    """Byte for byte: both are the same learner."""
    target = "smoker" if "positive" in parameters else "decision"
    _smokers(loans)
    everything = ["--test", 0, "--include", "applicant"]
    assert run("fit", "smokers.csv", "-t", target, *everything, *options, "-o", "command.json").code == 0
    model = getattr(unless, classifier)(**parameters).fit(unless.read_table("smokers.csv", target))
    model.save("classifier.json")
    assert (loans / "command.json").read_text() == (loans / "classifier.json").read_text()


def _smokers(folder):
    """The applicants with one more column of two values, which follows from the others."""
    head, *lines = (folder / "applicants.csv").read_text().splitlines()
    place = head.split(",").index("decision")
    more = [f"{line},{'yes' if line.split(',')[place] == 'refuse' else 'no'}" for line in lines]
    (folder / "smokers.csv").write_text("\n".join([f"{head},smoker", *more]) + "\n")
