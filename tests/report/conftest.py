"""The report page in a real browser, without any network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import absent
from tests.report.driving import settled

_BAD = {"error", "warning"}


@pytest.fixture
def open_page(browser) -> Iterator[Callable]:
    """Open a file in a new page: ``open_page(path, width=1280, height=900, dark=False, hash="", **context)``.

    At the end the test fails if any page wrote an error or a warning to its console, threw, or asked for anything but
    its own file.
    """
    contexts, complaints = [], []

    def watch(page, allowed: str) -> None:
        page.on("console", lambda said: said.type in _BAD and complaints.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(f"thrown: {error}"))
        page.on("request", lambda asked: asked.url.split("#")[0] == allowed or complaints.append(f"asked: {asked.url}"))

    def open_one(path: Path | str, *, width=1280, height=900, dark=False, hash="", **options):  # noqa: A002 - the browser's own word
        scheme = "dark" if dark else "light"
        size = {"width": width, "height": height}
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce", **options)
        contexts.append(context)
        context.set_default_timeout(30_000)  # a machine that has just started reads its browser for seconds
        page = context.new_page()
        url = Path(path).resolve().as_uri()
        watch(page, url)
        page.goto(url + hash)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not complaints, complaints


@pytest.fixture
def axe() -> Callable:
    """What axe-core finds wrong with a page, each with some of the elements."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError as error:
        absent(error)

    def check(page) -> list[str]:
        settled(page)  # what is not drawn yet has other colours
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        return [f"{one['id']}: {[node['target'] for node in one['nodes'][:3]]}" for one in found]

    return check
