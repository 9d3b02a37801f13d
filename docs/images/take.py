"""Takes the pictures of the documents: `make pictures`, with Chromium installed."""

import io
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text
from sklearn.datasets import load_breast_cancer

from unless import UnlessCommittee

HERE = Path(__file__).parent
COMMANDS = (
    "unless demo . --quiet",
    "unless fit applicants.csv --target decision --algorithm committee --quiet -o committee.json",
    "unless report model.json applicants.csv --stability 50 --quiet",
    "unless report committee.json applicants.csv --quiet -o committee.html",
    "unless card model.json applicants.csv --by employed,guarantor --quiet -o card.html --not-for 'Sums above 40,000'",
)
"""What makes the pages of applicants that pictures are taken of; docs/gallery.md shows these commands."""

SECTIONS = (
    ("report", "#rules", "report-rules.png", 700),
    ("report", "#what-if", "report-what-if.png", 760),
    ("report", "#flow", "report-flow.png", 620),
    ("report", "#costs", "report-costs.png", 620),
    ("report", "#stability", "report-stability.png", 800),
    ("committee", "#features", "committee-features.png", 700),
    ("tumours", "#curves", "committee-curves.png", 700),
)
"""A page, a section of it, the name of its picture, and the height of the part that is taken."""

TYPED = (
    ("terminal-fit.png", ("unless fit applicants.csv --target decision -o model.json",)),
    (
        "terminal-explain.png",
        (
            "unless explain model.json applicants.csv --row 3",
            "unless effects committee.json new.csv --row 3 --background applicants.csv",
        ),
    ),
)
"""Pictures of a terminal, and the commands typed there."""

TERMINAL = """<body style="margin:0">
<div id="terminal" style="display:inline-block;padding:18px 22px;background:#1c2128">{}</div>"""
FORMAT = """<pre style="margin:0;color:#e6edf3;font:14px/1.45 'DejaVu Sans Mono',monospace">{code}</pre>"""


def main() -> None:
    """Write the pages in an empty folder, and take all pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for command in COMMANDS:
            ran(command, folder)
        tumours(Path(folder, "tumours.html"))
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
        page = browser.new_page(viewport={"width": 1180, "height": 900})
        for name, section, picture, height in SECTIONS:
            page.goto(f"file://{folder}/{name}.html#record=3")
            page.add_style_tag(content="nav { position: static !important }")
            page.wait_for_timeout(500)
            take(page, section, picture, height)
        page.goto(f"file://{folder}/card.html")
        page.screenshot(path=HERE / "card.png", clip={"x": 0, "y": 0, "width": 1180, "height": 1000})
        for picture, commands in TYPED:
            page.set_content(TERMINAL.format(typed(commands, folder)))
            page.locator("#terminal").screenshot(path=HERE / picture)
        browser.close()


def tumours(path: Path) -> None:
    """Write the page of a committee for two labels, as docs/gallery.md does."""
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"}).rename("tumour")
    UnlessCommittee(size=40).fit(frame[::2], y[::2]).report(frame[1::2], y[1::2], path)


def ran(command: str, folder: str) -> str:
    """What a command prints to a terminal with colours."""
    env = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": "110", "SOURCE_DATE_EPOCH": "1767225600"}
    arguments = [sys.executable, "-m", *shlex.split(command)]
    return subprocess.run(arguments, check=True, cwd=folder, env=env, capture_output=True, text=True).stdout  # noqa: S603 - our own


def typed(commands: Sequence[str], folder: str) -> str:
    """Commands and what they print, as HTML."""
    console = Console(record=True, file=io.StringIO(), width=130)
    for command in commands:
        console.print(Text(f"$ {command}", style="bold bright_green"))
        console.print(Text.from_ansi(ran(command, folder)))
    return console.export_html(theme=MONOKAI, inline_styles=True, code_format=FORMAT)


def take(page: Page, section: str, name: str, height: int) -> None:
    """A picture of the upper part of a section."""
    page.locator(section).scroll_into_view_if_needed()
    box = page.locator(section).bounding_box()
    assert box is not None, section  # noqa: S101 - a page without it is not worth a picture
    top = box["y"] + page.evaluate("scrollY")
    clip = {"x": box["x"] - 12, "y": top - 12, "width": box["width"] + 24, "height": min(height, box["height"] + 24)}
    page.screenshot(path=HERE / name, clip=clip, full_page=True)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
