"""The page fits: long labels, many labels and wide matrices are readable on a desk and on a phone."""

from __future__ import annotations

import numpy as np
import pytest

import unless
from tests.report.driving import drawn, until
from unless.report import report
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table

EIGHT = (
    "no-recurrence-events",
    "recurrence-events",
    "brown-stem-rot and phytophthora",
    "alternarialeaf-spot",
    "frog-eye-leaf-spot",
    "herbicide-injury",
    "2-4-d-injury",
    "diaporthe-pod-&-stem-blight",
)
MANY = tuple(f"{name} {when}" for name in ("brown-stem-rot", "powdery-mildew") for when in "abcdefghijklm")
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def example(labels: tuple[str, ...], rows: int = 2000) -> tuple[Program, Table]:
    """A rule for each label, and records whose true labels are often those of a neighbour."""
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, len(labels), rows)
    truth = np.clip(numbers + rng.integers(-1, 2, rows) * (rng.random(rows) < 0.4), 0, len(labels) - 1)
    rules = tuple(Rule(label, (Literal("n", "<=", float(place)),)) for place, label in enumerate(labels))
    columns = (Column.of("n", numbers.tolist(), "number"),)
    return Program("y", ("n",), rules), Table(columns, Labels.of("y", [labels[place] for place in truth]))


@pytest.fixture(params=[EIGHT, MANY, LETTERS], ids=["eight", "many", "letters"])
def written(request, tmp_path):
    """The labels of an example, and its page."""
    report(*example(request.param), tmp_path / "page.html")
    return request.param, tmp_path / "page.html"


@pytest.mark.parametrize("width", [1180, 390])
def test_labels_in_the_flow(written, open_page, width):
    """Every label of the flow is there in full, beside its picture and not under it."""
    labels, path = written
    page = open_page(path, width=width)
    shown = page.evaluate(
        """() => [...document.querySelectorAll(".flow tbody tr")].map((row) => {
          const [head, river] = [row.querySelector("th"), row.querySelector(".river")];
          const text = head.querySelector("bdi");
          const [own, place] = [text, river].map((one) => one.getBoundingClientRect());
          const letter = parseFloat(getComputedStyle(text).fontSize) / 4;
          const apart = own.right <= place.left + 1 || own.bottom <= place.top + 1;
          return [text.innerText, own.width * own.height > text.innerText.length * letter * letter, apart,
                  head.scrollWidth <= head.clientWidth + 1];
        }).filter(([text]) => text)"""
    )
    assert [text for text, *_ in shown][: len(labels)] == list(labels)[: len(shown)]
    assert len(shown) >= 8
    assert all(large and apart and whole for _, large, apart, whole in shown)


def test_confusions_keep_apart(written, open_page):
    """The columns of the worst confusions do not touch."""
    _, path = written
    page = open_page(path, width=1180)
    gaps = page.evaluate(
        """() => {
          const boxes = [...document.querySelector("ol.worst").children].map((one) => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return [...range.getClientRects()];
          }).flat();
          const middle = document.querySelector("ol.worst").getBoundingClientRect();
          const centre = middle.left + middle.width / 2;
          const left = boxes.filter((box) => box.left < centre), right = boxes.filter((box) => box.left >= centre);
          return Math.min(...right.map((box) => box.left)) - Math.max(...left.map((box) => box.right));
        }"""
    )
    assert gaps > 30  # the numbers of the right column are in the gap


def test_matrices_fit(written, open_page):
    """On a desk, matrices of up to 26 labels are not cut; their labels are all there."""
    labels, path = written
    page = open_page(path, width=1180)
    for fold in page.locator("#quality details:has(.matrix) > summary").all():
        fold.click()
    drawn(page)
    for box in page.locator("#quality .scroll:has(.matrix)").all():
        assert box.evaluate("(one) => one.scrollWidth <= one.clientWidth + 1")
    heads = page.locator("#quality .matrix").last.locator("thead th bdi").all_inner_texts()
    assert heads == sorted(labels)
    numbers = page.locator("#quality .matrix").last.locator("tbody td:has(a)")
    sizes = numbers.evaluate_all("(cells) => cells.map((one) => getComputedStyle(one).fontSize)")
    assert len(set(sizes)) == 1


def test_what_is_wider_goes_on_visibly(written, open_page):
    """On a phone, a matrix that is wider than the screen fades out until it is scrolled to its end."""
    _, path = written
    page = open_page(path, width=390)
    box = page.locator("#quality .scroll:has(.matrix)").first
    until(page, "document.querySelector('#quality .scroll').classList.contains('more')")
    box.evaluate("(one) => one.scrollTo(one.scrollWidth, 0)")
    until(page, "!document.querySelector('#quality .scroll').classList.contains('more')")


def test_matrices_fit_on_paper(written, open_page):
    """On paper, where nothing scrolls, a matrix is as wide as a sheet at most."""
    _, path = written
    page = open_page(path, width=688)  # A4 without margins, in CSS pixels
    page.emulate_media(media="print")
    for fold in page.locator("#quality details:has(.matrix)").all():
        fold.evaluate("(one) => { one.open = true; }")
    drawn(page)
    for matrix in page.locator("#quality .matrix").all():
        assert matrix.bounding_box()["width"] <= 688


def test_a_committee_fits_a_phone(open_page, tmp_path):
    """The page of a committee is no wider than a phone."""
    rows = [{"n": k % 9, "long name of a feature": k % 7} for k in range(300)]
    labels = [EIGHT[one["n"] // 3] for one in rows]
    model = unless.UnlessCommittee(size=4, random_state=0, warn=False).fit(rows, labels)
    report(
        model,
        unless.read_table([{**row, "y": y} for row, y in zip(rows, labels, strict=True)], "y", like=model),
        tmp_path / "page.html",
    )
    page = open_page(tmp_path / "page.html", width=360)
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
