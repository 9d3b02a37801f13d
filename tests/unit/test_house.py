"""The map of the package in CONTRIBUTING.md, the import contract and the tree agree."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "unless"
ROOMS = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
PACKAGES = sorted(path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE)


def _map() -> list[set[str]]:
    """The rooms of each row of the table in CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| (`.*?`) \|", text.split("| room |")[1], re.MULTILINE)
    return [set(re.findall(r"`(\w+)`", row)) for row in rows]


def _contract() -> list[set[str]]:
    """The rooms of each layer of the contract."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return [set(re.findall(r"\w+", layer)) for layer in settings["contracts"][0]["layers"]]


def test_the_map_is_the_contract():
    """The map shows the layers of the contract from the bottom up, and every room of the package once."""
    assert _map() == _contract()[::-1]
    listed = [room for row in _map() for room in row]
    assert sorted(listed) == sorted(ROOMS - {"__init__"})


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/life-of-a-record.md", "docs/rows-and-literals.md"])
def test_pages_about_the_code_name_files_that_exist(page):
    """A path in a recipe, and in the life of a record, leads to a file, below the package or the repository."""
    paths = re.findall(r"`((?:\w+/)+\w+\.(?:py|js|json|md))`|`(\w+\.py)`", (ROOT / page).read_text())
    missing = [path for path in map("".join, paths) if not (PACKAGE / path).exists() and not (ROOT / path).exists()]
    assert not missing
    assert len(paths) > 10


def test_the_house_stays_small():
    """Few modules at the root and few layers: what is new finds a room."""
    assert len(list(PACKAGE.glob("*.py"))) <= 10
    assert len(_contract()) <= 12


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.relative_to(PACKAGE).as_posix())
def test_a_room_says_what_is_where(package):
    """The docstring of a package names each of its files."""
    said = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    held = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    named = set(re.findall(r"`(\w+)`", said))
    assert held - {"__init__"} <= named, f"{package.name}/__init__.py does not name {held - named - {'__init__'}}"


def test_tests_share_nothing_but_fixtures():
    """No module of tests has an empty store to fill: what one test leaves there, another finds, in whatever order."""
    stores = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and ast.unparse(node.value or node) in {"{}", "[]", "set()"}
    ]
    assert not stores, "a fixture is made and given up together with what it needs"
