"""The notebooks in docs/notebooks: python -m tests.docs.notebooks runs them, and keeps what they show.

A small twin of Jupyter's kernel, so that neither the tests nor the site need one: the cells of a notebook run in order,
in an empty folder; what a cell prints is its output, and so is the value of its last line.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

__all__ = ["NOTEBOOKS", "executed", "shown", "written"]

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

Notebook = dict[str, Any]


def executed(notebook: Notebook, folder: Path) -> Notebook:
    """The notebook with what its cells give when they run in a folder."""
    names: dict[str, object] = {"__name__": "__main__"}
    cells, count = [], 0
    with chdir(folder):
        for cell in notebook["cells"]:
            new = dict(cell)
            if cell["cell_type"] == "code":
                count += 1
                new |= {"execution_count": count, "outputs": [*_run("".join(cell["source"]), names, count)]}
            cells.append(new)
    return {**notebook, "cells": cells}


def _run(source: str, names: dict[str, object], count: int) -> Iterator[Notebook]:
    tree, value = ast.parse(source), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    silent = source.rstrip().endswith(";")
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    if printed.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}
    if value is not None and not silent:
        data = {"text/plain": _lines(repr(value))}
        if html := getattr(value, "_repr_html_", lambda: None)():
            data["text/html"] = _lines(html)
        yield {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def shown(notebook: Notebook) -> list[list[str]]:
    """What each cell shows as text, without times: they differ from run to run."""
    return [[_timeless(_text(output)) for output in cell.get("outputs", ())] for cell in notebook["cells"]]


def _text(output: Notebook) -> str:
    return "".join(output["text"] if "text" in output else output["data"]["text/plain"])


def _timeless(text: str) -> str:
    return re.sub(r"\b[0-9.]+ (?:ms|s)\b", "T", text)


def written(notebook: Notebook) -> str:
    """The text of its file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main(paths: Sequence[Path]) -> int:
    """Run notebooks, and write what they show into their files; 1 if one fails."""
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = executed(json.loads(path.read_text("utf-8")), Path(folder))
            except Exception:  # noqa: BLE001 - whatever a cell raises is shown
                traceback.print_exc()
                return 1
        path.write_text(written(found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main([Path(name).resolve() for name in sys.argv[1:]] or NOTEBOOKS))
