"""What SECURITY.md promises of a stranger's file: reading it runs nothing, writes nothing, and connects to nothing."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys

import pytest

import unless
from tests.estimators.test_model_files import DOCUMENT, LABELS, X
from unless import UnlessCommittee

WATCHED = """
import os, socket, sys, warnings
from pathlib import Path
import numpy as np
import unless

def use(path):
    try:
        model = unless.load(path)
    except unless.UnlessError as error:
        return str(error)
    if isinstance(model, unless.Program):
        return str(model)
    rows = [dict.fromkeys(model.feature_names_in_.tolist()), dict.fromkeys(model.feature_names_in_.tolist(), "x")]
    return str(model) + str(model.predict(rows)) + str(model.predict_proba(rows)) + str(model.explain(rows[0]))

READ = {"rb", "r", None}
FORBIDDEN = ("exec", "compile", "pickle", "marshal", "subprocess", "os.", "socket", "ctypes", "shutil", "import")
HARMLESS = {"os.listdir", "os.scandir"}
MISCHIEF = {
    "exec": lambda: eval("1"),
    "open": lambda: open(paths[0].with_suffix(".new"), "w"),
    "os.system": lambda: os.system("true"),
    "socket.__new__": lambda: socket.socket(),
}
seen = []

def hook(event, arguments):
    written = event == "open" and arguments[1] not in READ
    if watching and (written or (event.startswith(FORBIDDEN) and event not in HARMLESS)):
        seen.append((event, repr(arguments)[:200]))

warnings.simplefilter("ignore")
watching, paths = False, sorted(Path(sys.argv[1]).iterdir())
sys.addaudithook(hook)
said = [use(path) for path in paths]  # with the first use, modules of unless are loaded
watching = True
assert [use(path) for path in paths] == said
for name in sys.argv[2:]:
    MISCHIEF[name]()
watching = False
print(len(said))
sys.exit(f"while files were read: {seen}" if seen else 0)
"""


def _hostile():
    """Files of a stranger who hopes that a text is run somewhere."""
    for text in (
        "__import__('os').system('id')",
        "{{7*7}}",
        "!!python/object/apply:os.system [id]",
        "os\nsystem\n(S'id'\ntR.",
    ):
        for change in ("feature", "label", "learner", "category", "parameter"):
            yield _changed(change, text)


def _changed(change: str, text: str) -> str:
    document = copy.deepcopy(DOCUMENT)
    statistics = document["statistics"]
    if change == "learner":
        statistics["learner"] = text
    elif change == "parameter":
        statistics["parameters"][0][0] = text
    old = {"feature": document["features"][0], "label": statistics["classes"][-1], "category": "x"}.get(change)
    written = json.dumps(document)
    return written.replace(json.dumps(old), json.dumps(text)) if old else written


def _watched(folder, *mischief):
    command = [sys.executable, "-c", WATCHED, str(folder), *mischief]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.json").write_text(json.dumps(DOCUMENT))
    UnlessCommittee(size=3).fit(X, LABELS["text"]).save(tmp_path / "committee.json.gz")
    for number, text in enumerate(_hostile()):
        (tmp_path / f"hostile{number}.json").write_text(text)
    for name, content in {
        "pickle": b"\x80\x04cos\nsystem\n(S'id'\ntR.",
        "cut": b'{"format": "unl',
        "empty": b"",
    }.items():
        (tmp_path / f"{name}.json").write_bytes(content)
    return tmp_path


def test_reading_a_file_does_nothing_else(folder):
    """Python tells of no code that is run, no file that is written and no process or connection that is started."""
    ran = _watched(folder)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) == len(list(folder.iterdir())) > 20


def test_anything_else_would_be_seen(folder):
    """The watch of this test notices what it is there for, each thing by its name."""
    mischief = ["exec", "open", "os.system", "socket.__new__"]
    ran = _watched(folder, *mischief)  # all in one process, since loading everything takes seconds
    assert ran.returncode != 0
    seen = ast.literal_eval(ran.stderr.partition("while files were read: ")[2])
    assert [event for event, _ in seen if event in mischief] == mischief


def test_some_hostile_files_are_models(folder):
    """The texts are where they are used: such files load, and the text is only a name."""
    loaded = unless.load(folder / "hostile0.json")
    assert "__import__('os').system('id')" in loaded.feature_names_in_
