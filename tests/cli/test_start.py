"""How a command starts: with what it needs, and nothing that takes longer than what was asked for."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys

import pytest

import unless
from tests.cli.command import environment
from tests.cli.command import unless as command

_ALL = """
import json, sys
from unless.cli.app import _run_command, app
found = {}
for words in json.loads(sys.argv[1]):
    code = _run_command(lambda: app(words, prog_name="unless", standalone_mode=False))
    found[" ".join(words)] = [code, [name for name in ("polars", "sklearn", "scipy", "pandas") if name in sys.modules]]
print(json.dumps(found), file=sys.stderr)
"""

WITHOUT_TABLES = (
    "show model.json",
    "export model.json --to python",
    "export model.json --to sql",
    "export model.json --to clingo",
    "learn zoo.lp examples.lp --target habitat",
)
WITH_TABLES = (
    "inspect applicants.csv -t decision",
    "predict model.json new.csv -o predicted.csv",
    "explain model.json new.csv --row 8 --what-if",
    "report model.json applicants.csv -o page.html",
    "fit applicants.csv -t decision -o fitted.json --class-weight refuse=2",
    "fit applicants.csv -t decision -a fold-rm",
    "evaluate applicants.csv -t decision --cv 2 -a unless -a fold-rm",
    "demo more",
)


def test_no_command_imports_scikit_learn(loans):
    """Nor scipy (but for diff), nor pandas: they take seconds to import. And polars waits for a table to read."""
    commands = json.dumps([command.split() for command in (*WITHOUT_TABLES, *WITH_TABLES)])
    done = python(_ALL, commands, cwd=loans)
    assert json.loads(done.stderr.splitlines()[-1]) == {
        **{command: [0, []] for command in WITHOUT_TABLES},
        **{command: [0, ["polars"]] for command in WITH_TABLES},
    }


def test_a_classifier_loads_what_it_needs_to_be_made():
    """Reports, explanations, exports, blocks, databases and teachers wait for the call that needs them."""
    code = (
        "import sys; from unless import UnlessClassifier; print(*(name for name in sys.modules if 'unless.' in name))"
    )
    loaded = python(code).stdout.split()
    rooms = {name.split(".")[1] for name in loaded}
    assert not rooms & {"report", "blocks", "inspection", "stream", "logic", "diff", "cli"}
    waits = "why counterfactuals code clauses formats stability drift distillation tuning teachers training_warnings"
    assert not {name.rpartition(".")[2] for name in loaded} & set(waits.split())


def test_the_package_loads_nothing_before_it_is_used():
    """Whoever imports it, as the command does, waits for no library, and its names are there all the same."""
    code = "import sys, unless; print('numpy' in sys.modules, unless.Literal('a', 'missing'), 'numpy' in sys.modules)"
    assert python(code).stdout == "False a is missing True\n"


def test_every_public_name_is_there():
    """Also that of a function whose module was imported before it, by its own name."""
    for module in pkgutil.iter_modules(unless.__path__):
        assert module.name not in unless.__all__, "importing it would put it in the place of the function"
    assert all(getattr(unless, name) is not None for name in unless.__all__)
    assert callable(unless.predict)
    assert callable(unless.explain)
    assert unless.export.to_text
    assert set(unless.__all__) <= set(dir(unless))
    with pytest.raises(AttributeError, match="module 'unless' has no attribute 'learns'"):
        unless.learns  # noqa: B018 - asking for it is the test


def test_ctrl_c_while_libraries_are_imported(tmp_path):
    """It ends the command with one line, as later on."""
    (tmp_path / "numpy.py").write_text("raise KeyboardInterrupt")
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    for arguments in (["show", "model.json"], ["fit", "a.csv", "-t", "y"]):
        done = command(*arguments, env={"PYTHONPATH": path}, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "unless: interrupted\n")


def python(code, *arguments, cwd=None):
    """What Python says to some code, in a process of its own."""
    words = [sys.executable, "-c", code, *arguments]
    return subprocess.run(words, capture_output=True, cwd=cwd, env=environment(), check=True, text=True)


@pytest.mark.parametrize(
    ("options", "classifier", "parameters"),
    [
        ([], "UnlessClassifier", {}),
        (["--penalty", "0.5", "--min-support", "2", "--max-rules", "4"], "UnlessClassifier",
         {"penalty": 0.5, "min_support": 2.0, "max_rules": 4}),
        (["--penalty", "auto"], "UnlessClassifier", {}),
        (["--no-optimise"], "UnlessClassifier", {"optimise": False}),
        (["--optimise", "--no-round-thresholds"], "UnlessClassifier", {"round_thresholds": False}),
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
@pytest.mark.filterwarnings("ignore::unless.errors.TrainingWarning")  # of applicant, which both learn from here
def test_the_command_and_the_classifier_write_the_same_file(run, loans, options, classifier, parameters):
    """Byte for byte: both are the same learner; only the command adds, at the end, which records the model is from."""
    target = "smoker" if "positive" in parameters else "decision"
    _smokers(loans)
    everything = ["--test", 0, "--include", "applicant"]
    assert run("fit", "smokers.csv", "-t", target, *everything, *options, "-o", "command.json").code == 0
    model = getattr(unless, classifier)(**parameters).fit(unless.read_table("smokers.csv", target))
    model.save("classifier.json")
    command, saved = ((loans / f"{name}.json").read_text() for name in ("command", "classifier"))
    end = "\n  }\n}\n"
    assert saved.endswith(end)
    assert command.startswith(saved.removesuffix(end) + ',\n    "origin": {')
    assert json.loads(command)["statistics"].pop("origin")["records"] == 900


def _smokers(folder):
    """The applicants with one more column of two values, which follows from the others."""
    head, *lines = (folder / "applicants.csv").read_text().splitlines()
    place = head.split(",").index("decision")
    more = [f"{line},{'yes' if line.split(',')[place] == 'refuse' else 'no'}" for line in lines]
    (folder / "smokers.csv").write_text("\n".join([f"{head},smoker", *more]) + "\n")
