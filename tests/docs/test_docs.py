"""Documents cannot lie: their examples run, and their figures are what the program prints."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import runpy
from dataclasses import dataclass
from itertools import takewhile

import pytest

import unless
from tests.docs import compared, reference
from tests.docs.pages import PAGES, ROOT, anchors, blocks, links, named
from tests.docs.running import NOT_RUN, RUN, reason, run_blocks, runnable


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_run_and_print_what_a_page_shows(page, tmp_path, monkeypatch):
    """The blocks of a page run in order, and print what it shows, but for times and for what a lone … leaves out.

    Python and commands start in an empty folder, and share where the page has gone since. A block of text right after
    one of Python is what that prints; what Python claims otherwise it asserts.
    """
    monkeypatch.chdir(tmp_path)
    run_blocks(page.name, runnable(page))


def test_few_blocks_do_not_run():
    """A block of code runs, or is listed with the reason why it does not; the list has no others."""
    every = [(page, block) for page in PAGES for block in blocks(page)]
    for page, block in every:
        assert block.language in (*RUN, "text") or reason(page, block), f"{named(page)}: {block.first}"
    for name, start in NOT_RUN:
        assert any(named(page) == name and block.first.startswith(start) for page, block in every), start
    assert len(NOT_RUN) <= 12


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    """Links within the repository name files that exist, and headings that these have."""
    for link in links(page):
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        assert file.exists(), link
        assert not anchor or anchor in anchors(file), link


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=named)
def test_a_page_begins_with_a_title_and_a_paragraph(page):
    """Each page starts with one title, and a paragraph of prose that says what the page is about."""
    title, first = page.read_text().split("\n\n")[:2]
    assert re.fullmatch(r"# .+", title)
    assert re.match(r"[A-Z`\[*0-9]", first), first


def test_docstring_examples_are_true():
    """The examples in docstrings give what they say, and there is no other code in them; a file of words is none."""
    found = 0
    for module in pkgutil.walk_packages(unless.__path__, "unless."):
        imported = importlib.import_module(module.name)
        result = doctest.testmod(imported)
        assert not result.failed, module.name
        found += result.attempted
    assert found
    for source in (ROOT / "src").rglob("*.py"):
        assert not re.search(r"```(?!toml)\w", source.read_text()), f"{source}: write an example that doctest runs"


def test_the_paper_is_beside_our_code():
    """Each piece of code beside a line of the paper is in the file that its section names."""
    found, source = 0, ""
    for line in (ROOT / "docs" / "paper-lines.md").read_text().splitlines():
        for file in re.findall(r"^In `(src/[\w/]+\.py)`", line):
            source = (ROOT / file).read_text()
        if code := re.fullmatch(r"\| [\d–]+ \| .* \| `(.+)` \|", line):
            assert code[1] in source, code[1]
            found += 1
    assert found > 25


def test_comparisons_are_copied():
    """docs/comparison.md has the means of docs/accuracy.md; `python -m tests.docs.compared` copies them."""
    page = compared.PAGE.read_text()
    assert page == compared.written(page)


@pytest.mark.parametrize("name", ["../README.md", "comparison.md", "own-learner.md", "when-not.md"])
def test_figures_are_measured(name):
    """Each accuracy or loss that a page quotes is on a page of measurements."""
    pages = ["accuracy.md", "benchmarks.md", "paper.md", *(ROOT / "docs" / "lab").glob("*.md")]
    measured = "".join((ROOT / "docs" / page).read_text() for page in pages)
    known = set(re.findall(r"\d\.\d{3,4}\b", measured))
    prose = re.sub(r"^```.*?^```$", "", (ROOT / "docs" / name).read_text(), flags=re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"(?<![\d.])\d\.\d{3,4}\b", prose)) <= known


@pytest.mark.parametrize("name", ["README.md", "ROADMAP.md", "docs/comparison.md"])
def test_claims_of_speed_are_those_of_one_table(name):
    """Whatever is said of our time beside a decision tree's is quoted from one table of docs/benchmarks.md."""
    table = (ROOT / "docs" / "benchmarks.md").read_text().split("## Which figure is which")[1].split("\n## ")[0]
    ratios = dict(re.findall(r"^\| ([\w\-' ]+) \| `.* \| ×([\d.]+) \| ×", table, re.MULTILINE))
    ready, rm, own = (ratios[row] for row in ("ready codes", "FOLD-RM's classifier", "our classifier"))
    text = " ".join((ROOT / name).read_text().split())
    assert f"{ready} times the time of FOLD-RM on ready codes" in text
    assert f"{rm} times that of `FoldRMClassifier` from a frame and {own} times that of `UnlessClassifier`" in text
    assert "a twelfth" not in text


@pytest.mark.parametrize(("subject", "method"), [("It", "UnlessCommittee"), ("it", "Unless")])
def test_datasets_won_are_those_of_the_table(subject, method):
    """How many datasets of each group docs/comparison.md says we win and lose against XGBoost is what was counted."""
    table = (ROOT / "docs" / "accuracy.md").read_text().split("\n## Datasets won\n")[1].split("\n## ")[0]
    names, *rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    row = dict(zip(names, next(row for row in rows if row[0] == method), strict=True))
    counts = [[*map(int, row[f"{group}: against XGBoost"].split(" / "))] for group in compared.GROUPS]
    won = [f"{wins} of {wins + even + losses}" for wins, even, losses in counts]
    lost = [str(losses) for *_, losses in counts]
    text = " ".join(compared.PAGE.read_text().split("## XGBoost")[1].split())
    assert f"{subject} wins {won[0]}, {won[1]} and {won[2]}" in text
    assert f"loses {lost[0]}, {lost[1]} and {lost[2]}" in text


def test_what_lists_cannot_do_is_measured():
    """The table of docs/when-not.md, and what it tells of `tae`, are what was measured on these datasets."""
    page = (ROOT / "docs" / "lab" / "accuracy-by-dataset.md").read_text()
    lines = iter(page.split("\n## Accuracy by dataset\n")[1].split("The confirmation sets:")[1].splitlines())
    names = next(line for line in lines if line.startswith("| data | Unless |")).split(" | ")
    next(lines)
    rows = takewhile(bool, lines)
    measured = {row[0]: dict(zip(names, row, strict=True)) for row in (line.split(" | ") for line in rows)}
    page = (ROOT / "docs" / "when-not.md").read_text()
    told = re.findall(r"^(\| \w+) \| (0\.\d+) \| (0\.\d+) \|", page, re.MULTILINE)
    assert len(told) == 4
    for name, ours, boosted in told:
        assert (ours, f"{boosted} |") == (measured[name]["Unless"], measured[name]["XGBoost |"])
    few = [measured["| tae"][name] for name in ("Unless", "DecisionTree", "RandomForest")]
    assert re.findall(r"0\.\d+", page[page.index("`tae`") :])[:3] == few


def test_pictures_are_what_the_learner_does():
    """docs/images/steps.py draws the pictures that are there."""
    path = ROOT / "docs" / "images" / "steps.py"
    for name, text in runpy.run_path(str(path))["pictures"]().items():
        assert (path.parent / name).read_text() == text, name


def test_the_gallery_has_the_commands_of_its_pictures():
    """docs/images/take.py takes the pictures of docs/gallery.md, of pages made by the commands that are shown there."""
    taken = runpy.run_path(str(ROOT / "docs" / "images" / "take.py"))
    page = " ".join((ROOT / "docs" / "gallery.md").read_text().split())
    names = [
        *(picture for *_, picture, _ in taken["SECTIONS"]),
        *(picture for picture, _ in taken["TYPED"]),
        "card.png",
    ]
    assert all(f"(images/{name})" in page for name in names)
    for command in taken["COMMANDS"]:
        plain = re.sub(r" (--quiet|demo \.|--not-for .*)", "", command)
        assert plain.removeprefix("unless ") in page, plain


def test_every_public_name_has_an_example():
    """The reference has each name of the package, and after each of its names an example that uses it."""
    text = (ROOT / "docs" / "api.md").read_text()
    names = re.findall(r"^- `(unless[\w.]+)`$", text, re.MULTILINE)
    assert {f"unless.{name}" for name in unless.__all__} - {"unless.__version__"} <= {*names}
    for name in names:
        example = re.match(
            r"\s*```python(?: spark)?\n(.*?)^```$", text.split(f"- `{name}`\n")[1], re.DOTALL | re.MULTILINE
        )
        assert example, name
        assert re.search(rf"\b{name.rpartition('.')[2]}\b", example[1]), name


def test_every_attribute_has_a_meaning_and_a_type():
    """What people read from a fitted classifier, its model and its answers is explained; nothing is left out."""
    kinds = [reference._class(name) for names in reference.CLASSES.values() for name in names]
    for kind in (*kinds, unless.UnlessClassifier, unless.UnlessCommittee):
        for name, (of, meaning) in reference.attributes(kind).items():
            assert meaning or name in reference.settings(), f"{kind.__name__}.{name}"
            assert of, f"{kind.__name__}.{name}"


def test_attributes_without_a_meaning_are_found():
    """A field that neither its docstring nor that of the class explains has no meaning; one that either does has."""
    found = reference.attributes(Explained)
    assert found == {"one": ("int", "The first."), "two": ("str", "``two`` is the second."), "three": ("int", "")}


def test_the_page_of_attributes_is_that_of_the_code():
    """docs/attributes.md is what the code says."""
    assert reference.PAGE.read_text("utf-8") == reference.page(), "python -m tests.docs.reference writes it again"


@dataclass
class Explained:
    """A class; ``two`` is the second."""

    one: int
    """The first."""
    two: str
    three: int
    _hidden: int = 0


GENERATED = {"api", "attributes", "cli", "paper", "benchmarks", "reliability", "accuracy", "accuracy-by-dataset"}
GENERATED |= {"accuracy-targets", "accuracy-data", "accuracy-runs"}


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=named)
def test_a_page_has_at_most_1500_words(page):
    """A page is short: without code, at most 1,500 words, tables included; generated references have more."""
    prose = re.sub(r"^```[^\n`]*\n.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert len(prose.split()) <= 1500 or page.stem in GENERATED
