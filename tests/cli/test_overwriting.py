"""An output is never one of the inputs: no command loses what it reads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, environment

pytestmark = pytest.mark.usefixtures("loans")

# Every command that writes a file; X is one of the files that it reads.
WRITING = [
    ("fit X -t decision -o X", "applicants.csv"),
    ("predict model.json X -o X", "applicants.csv"),
    ("predict X new.csv -o X --to csv", "model.json"),
    ("report X applicants.csv -o X", "model.json"),
    ("report model.json X -o X", "applicants.csv"),
    ("card X -o X --to json", "model.json"),
    ("card model.json X -o X --to json", "applicants.csv"),
    ("watch X new.csv --log X", "model.json"),
    ("watch model.json X --log X", "new.csv"),
    ("watch model.json new.csv --reference X --log X", "applicants.csv"),
    ("export X --to sql -o X", "model.json"),
    ("export model.json --to clingo --records X -o X", "new.csv"),
    ("learn X examples.lp -t habitat -o X", "zoo.lp"),
    ("learn zoo.lp X -t habitat -o X", "examples.lp"),
]

# Every command that only prints.
PRINTING = [
    ("show X", "model.json"),
    ("explain X new.csv --row 1", "model.json"),
    ("explain model.json X --row 1", "new.csv"),
    ("diff X old.json", "model.json"),
    ("diff old.json model.json X", "new.csv"),
    ("inspect X", "applicants.csv"),
    ("evaluate X -t decision --cv 2 -a fold-rm", "applicants.csv"),
    ("evaluate applicants.csv -t decision -a fold-rm --test X", "test.csv"),
    ("predict model.json X", "new.csv"),
    ("export X --to text", "model.json"),
    ("watch model.json X", "new.csv"),
    ("stability model.json X -n 1", "applicants.csv"),
    ("card model.json X", "applicants.csv"),
]


def everything() -> dict[str, bytes]:
    """All files below the current folder."""
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def other_names(file: str) -> list[str]:
    """The same file, differently called."""
    ending = "".join(Path(file).suffixes)
    Path(f"hard{ending}").hardlink_to(file)
    Path(f"soft{ending}").symlink_to(file)
    return [file, f"./{file}", str(Path(file).resolve()), f"hard{ending}", f"soft{ending}"]


@pytest.mark.parametrize(("line", "file"), WRITING, ids=[line for line, _ in WRITING])
def test_an_output_that_is_read(run, line, file):
    """The command is refused with 2 and a hint, whatever the file is called, and every file is as it was."""
    words = line.replace("X", file, 1).split()
    names = other_names(file)
    before = everything()
    for name in names:
        done = run(*[name if word == "X" else word for word in words])
        assert (done.code, done.out) == (2, ""), done
        assert done.err.startswith("unless: "), done
        assert done.err.endswith("so it is not written to; name another file\n"), done
        assert len(done.err.splitlines()) == 1
    assert everything() == before


@pytest.mark.parametrize("line", ["fit parts -t decision -o parts/1.csv", "predict model.json parts -o parts/1.csv"])
def test_a_part_of_a_folder_that_is_read(run, line):
    """A part is read too, and so is a file elsewhere that is linked to it."""
    Path("parts").mkdir()
    shutil.copy("applicants.csv", "parts/1.csv")
    Path("link.csv").hardlink_to("parts/1.csv")
    before = everything()
    for output in ("parts/1.csv", "link.csv"):
        done = run(*line.replace("parts/1.csv", output).split())
        assert (done.code, "parts/1.csv" in done.err) == (2, True), done
    assert everything() == before


def test_a_model_beside_the_parts(run):
    """A file in such a folder that is no part may be written, and written again."""
    Path("parts").mkdir()
    shutil.copy("applicants.csv", "parts/1.csv")
    for _ in range(2):
        assert run("fit", "parts", "-t", "decision", "-o", "parts/model.json", "-q").code == 0


def test_standard_input_that_is_a_file():
    """A file that a shell opens is a file that is read."""
    before = everything()
    with Path("new.csv").open("rb") as file:
        done = subprocess.run(
            [*COMMAND, "predict", "model.json", "-", "-o", "new.csv"],
            stdin=file, capture_output=True, env=environment(), check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"unless: 'new.csv' is the same file as standard input, which is read")
    assert everything() == before


@pytest.mark.parametrize(("line", "file"), PRINTING, ids=[line for line, _ in PRINTING])
def test_standard_output_that_is_appended_to_an_input(run, line, file, monkeypatch):
    """``>> FILE`` is an output too, by which some commands would go on for ever."""
    shutil.copy("applicants.csv", "test.csv")
    before = everything()
    with Path(file).open("ab") as stream:
        monkeypatch.setattr("unless.cli.file_io.sys.stdout.fileno", stream.fileno, raising=False)
        done = run(*line.replace("X", file).split())
    assert (done.code, done.out) == (2, "")
    assert f"is the same file as {file!r}, which is read" in done.err
    assert everything() == before


def test_a_shell_that_appends_to_an_input():
    """The message names standard output."""
    before = everything()
    shell = f"{' '.join(COMMAND)} show model.json >> model.json"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("unless: standard output is the same file as 'model.json', which is read")
    assert everything() == before
