"""Takes the pictures of the documents: `make pictures`, with Chromium installed."""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent


def main() -> None:
    """Write the report of `unless demo`, and take pictures of two of its sections."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run([sys.executable, "-m", "unless", "demo", folder, "--quiet"], check=True)  # noqa: S603 - our own
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
        page = browser.new_page(viewport={"width": 1180, "height": 900})
        page.goto(f"file://{folder}/report.html#record=3")
        page.add_style_tag(content="nav { position: static !important }")
        page.wait_for_timeout(500)
        take(page, "#rules", "report-rules.png", 700)
        take(page, "#what-if", "report-what-if.png", 760)
        browser.close()


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
