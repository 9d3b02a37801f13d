"""Files to try everything on: invented applicants with decisions, new ones without, models, a page, a small zoo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from unless.demo.applicants import TARGET, applicants, applicants_csv, csv_text
from unless.errors import UnlessError
from unless.estimators.file import file_text
from unless.estimators.learners import UnlessLearner, learn
from unless.files import write_whole

if TYPE_CHECKING:
    from unless.estimators.file import SavedModel
    from unless.table import Table

DECIDED = 900
"""Applicants whose decision is known; the earlier model was learned from the first half of them."""

_NEW = 40

ZOO = """\
% Background knowledge: what is known of some animals.
mammal(kitty).    cat(kitty).
mammal(john).     whale(john).
mammal(smoky).    bear(smoky).
mammal(charlie).  dog(charlie).
fish(nemo).       clownfish(nemo).
"""

EXAMPLES = """\
% Examples: where they live.
habitat(charlie,land).
habitat(john,water).
habitat(smoky,land).
habitat(nemo,water).
habitat(kitty,land).
"""


@dataclass(frozen=True, slots=True)
class DemoFile:
    """A file: its name, what it is, and what makes its content."""

    name: str
    about: str
    content: Callable[[], str]


def demo_files(model: SavedModel, table: Table) -> list[DemoFile]:
    """Return all files; ``table`` has the applicants, ``model`` the rules learned from them."""
    earlier = table[: DECIDED // 2]
    files = [
        DemoFile("applicants.csv", f"{DECIDED} invented applicants for a loan, and what was decided", applicants_csv),
        DemoFile("new.csv", f"{_NEW} more, not yet decided", _new_applicants),
        DemoFile("model.json", "the rules learned from them", lambda: file_text(model)),
        DemoFile(
            "old.json",
            "rules learned when half of them were known",
            lambda: file_text(learn(UnlessLearner(), earlier).model),
        ),
        DemoFile("zoo.lp", "background knowledge, a logic program", lambda: ZOO),
        DemoFile("examples.lp", "examples for it", lambda: EXAMPLES),
    ]
    if find_spec("jinja2") is not None:  # it comes with the extra `report`
        files.append(DemoFile("report.html", "a page about the model, for your browser", lambda: _page(model, table)))
    return files


def write_demo(folder: Path, files: list[DemoFile], *, force: bool = False) -> None:
    """Write the files to a folder, which need not exist; without ``force``, no file is overwritten."""
    if folder.exists() and not folder.is_dir():
        raise UnlessError(f"{str(folder)!r} is a file; name a folder")
    there = [file.name for file in files if (folder / file.name).exists()]
    if there and not force:
        raise UnlessError(f"{str(folder)!r} already has {', '.join(there)}; name another folder, or add --force")
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        write_whole(folder / file.name, file.content().encode())


def _new_applicants() -> str:
    people = [{name: cell for name, cell in one.items() if name != TARGET} for one in applicants(DECIDED + _NEW)]
    return csv_text(people[DECIDED:])


def _page(model: SavedModel, table: Table) -> str:
    from unless.report import render, summarise  # it needs jinja2

    return render(summarise(model, table, title="Applicants for a loan"))
