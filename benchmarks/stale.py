"""Which figures are older than the code they speak of: ``make stale``.

``measured.toml`` says of each measurement at which commit it was made, which pages show it, and which code it speaks
of. What differs only in comments, docstrings and layout is no change of Python code.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Figures", "changed", "declared", "line", "main", "mark"]

ROOT = Path(__file__).parents[1]
_DECLARED = "benchmarks/measured.toml"


@dataclass(frozen=True)
class Figures:
    """A measurement: the commit at which it was made, the pages that show it, the code it speaks of."""

    name: str
    commit: str
    pages: tuple[str, ...]
    code: tuple[str, ...]


def declared(root: Path = ROOT) -> dict[str, Figures]:
    """All measurements, by name."""
    found = tomllib.loads((root / _DECLARED).read_text("utf-8"))
    return {name: Figures(name, one["commit"], tuple(one["pages"]), tuple(one["code"])) for name, one in found.items()}


def line(name: str, root: Path = ROOT) -> str:
    """What a page says below figures of a measurement."""
    return f"Measured at commit `{declared(root)[name].commit}`."


def mark(name: str, root: Path = ROOT) -> None:
    """Note that a measurement was made now, in the declaration and on pages that say when."""
    now = _git(root, "rev-parse", "--short=8", "HEAD").strip()
    old, path = declared(root)[name], root / _DECLARED
    head, section, rest = path.read_text("utf-8").partition(f"[{name}]\n")
    path.write_text(head + section + rest.replace(f'"{old.commit}"', f'"{now}"', 1), "utf-8")
    for page in old.pages:
        text = (root / page).read_text("utf-8")
        (root / page).write_text(text.replace(f"Measured at commit `{old.commit}`.", line(name, root)), "utf-8")


def changed(figures: Figures, root: Path = ROOT) -> list[str]:
    """The files of the code a measurement speaks of that are others now, those not committed included."""
    try:
        names = _git(root, "diff", "--name-only", figures.commit, "--", *figures.code).splitlines()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{figures.name}: no commit {figures.commit} in this repository, or none at all") from error
    return [
        name for name in names if _meaning(_then(root, figures.commit, name), name) != _meaning(_now(root, name), name)
    ]


def _then(root: Path, commit: str, name: str) -> str:
    try:
        return _git(root, "show", f"{commit}:{name}")
    except subprocess.CalledProcessError:  # it was not there
        return ""


def _now(root: Path, name: str) -> str:
    return (root / name).read_text("utf-8") if (root / name).exists() else ""


def _meaning(text: str, name: str) -> str:
    """What of a file makes a difference: of Python all but comments, docstrings and layout."""
    if not name.endswith(".py"):
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def report(root: Path = ROOT) -> Iterator[str]:
    """A line for each stale measurement, with the pages that show it and the files that changed."""
    for figures in declared(root).values():
        if files := changed(figures, root):
            shown = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
            yield f"{figures.name}: on {', '.join(figures.pages)}, measured at {figures.commit}; changed since: {shown}"


def main(arguments: Sequence[str]) -> None:
    """Print what is stale, or mark the measurements with these names as made now."""
    if unknown := [name for name in arguments if name not in declared()]:
        raise SystemExit(f"no figures {', '.join(unknown)}; there are {', '.join(declared())}")
    for name in arguments:
        mark(name)
    if not arguments:
        print("\n".join(report()) or "no figures are older than the code they speak of")


if __name__ == "__main__":
    main(sys.argv[1:])
