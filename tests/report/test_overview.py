"""`unless.inspect` shows in Python and in notebooks what the command shows in a terminal."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.cli.command import called
from unless.demo.applicants import applicants_csv
from unless.inspection.column_profile import count_in_bins


@pytest.fixture
def path(tmp_path):
    """A file with invented applicants."""
    (tmp_path / "applicants.csv").write_text(applicants_csv())
    return tmp_path / "applicants.csv"


def test_prints_what_the_command_prints(path):
    """Text and command differ in the first line, and in how advice is given: in Python, or by options."""
    ours = str(unless.inspect(path, "decision")).splitlines()
    theirs = called("inspect", path, "-t", "decision").stdout.splitlines()
    assert theirs[0] == f"applicants.csv  {ours[0]}, 40 kB"
    assert ours[1:-1] == theirs[1:-1]
    assert ours[-1] == (
        "! applicant is unique: all 900 cells differ. "
        "Rules about such columns fit no new records; leave out 'applicant'."
    )


def test_any_source(path):
    """Files, frames and tables with the name of the target, or with labels beside them, have the same columns."""
    frame = pd.read_csv(path, na_values=["?"], keep_default_na=True)
    table = unless.read_table(path, "decision")
    X, y = frame.drop(columns="decision"), frame["decision"]
    given = [(X, y), (X, y.to_numpy()), (X, y.tolist()), (pl.from_pandas(X), pl.Series("decision", y.tolist()))]
    found = [unless.inspect(*one) for one in given]
    assert found[0] == found[3]
    assert found[1].target.name == found[2].target.name == "label"
    assert unless.inspect(frame, "decision").target == found[0].target == unless.inspect(table).target
    assert [column.name for column in found[0].columns] == list(X)
    assert unless.inspect(X).target is None


def test_labels():
    """Labels may be missing, and are counted; there must be one for every record."""
    X = np.arange(8.0).reshape(4, 2)
    found = unless.inspect(X, [1, None, 2, float("nan")])
    assert (found.target.classes, found.target.missing) == ((("1", 1), ("2", 1)), 2)
    with pytest.raises(unless.UnlessError, match="X has 4 records, but y has 3 labels"):
        unless.inspect(X, [1, 2, 3])


def test_pictures():
    """Numbers have a histogram over their range, categories the shares of the most frequent ones; gaps can be seen."""
    rows = [{"n": float(k % 3 * 5), "c": "a" if k % 4 else "b", "same": 1, "void": None} for k in range(12)]
    found = {column.name: column for column in unless.inspect(rows).columns}
    assert found["n"].histogram == (4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4)
    lines = {line[2:].split(" ")[0]: line for line in str(unless.inspect(rows)).splitlines() if line}
    assert " █    █    █  0 … 10" in lines["n"]
    assert " ▆▂" in lines["c"]
    assert found["same"].histogram == found["void"].histogram == ()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=60, unique=True).map(sorted), st.data())
def test_histograms_count_every_number(numbers, data):
    """Every finite number is in one range, the smallest in the first and the largest in the last, however large."""
    often = data.draw(st.lists(st.integers(1, 9), min_size=len(numbers), max_size=len(numbers)))
    found = count_in_bins(np.array(numbers), np.array(often))
    kept = [count for number, count in zip(numbers, often, strict=True) if np.isfinite(number)]
    assert sum(found) == (sum(kept) if len(kept) > 1 else 0)
    assert not found or (found[0] >= kept[0] and found[-1] >= kept[-1])


class _Tags(HTMLParser):
    """The tags and the text of a piece of HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize(
    "nasty", ["<script>alert(1)</script>", "</style><img src=x onerror=a>", '"><b onclick="x', "a&b"]
)
def test_notebook_escapes(nasty):
    """Names, cells and labels are text in a notebook, whatever they contain; nothing is loaded from elsewhere."""
    frame = pd.DataFrame({nasty: [nasty, "b"] * 30, "x": range(60), "same": nasty})
    html = unless.inspect(frame, pd.Series([nasty, "v"] * 30, name=nasty))._repr_html_()
    found = _Tags(html)
    assert not found.tags & {"script", "img"}
    assert found.text.count(nasty) >= 3
    assert not re.search(r"https?://|@import|url\(", html)


def test_notebook_draws_the_same_profile():
    """A notebook has a bar for every range that is not empty, as high as the letters of the text are."""
    rows = [{"n": float(k % 3 * 5)} for k in range(12)]
    html = unless.inspect(rows)._repr_html_()
    assert re.findall(r'<rect x="(\d+)"', html) == ["0", "40", "80"]
    assert "<title>5: 4 records</title>" in html


def test_wide_tables_stay_short():
    """A notebook lists only the columns of a wide table that have remarks; text lists all."""
    wide = pd.DataFrame({f"x{place}": np.random.default_rng(place).normal(size=60) for place in range(60)})
    found = unless.inspect(wide.assign(same=1))
    assert "61 features: 61 number; 1 has remarks and is listed" in found._repr_html_()
    assert "x59" not in found._repr_html_().split("<details>")[0]
    assert "  x59 " in str(found)
