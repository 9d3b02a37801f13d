"""Pages run with what they tell people to install."""

from __future__ import annotations

from tests.docs.environments import STEPS, pages_of
from tests.docs.pages import named


def test_every_page_with_code_runs_in_a_fresh_environment():
    """`make pages` installs what each page names, and runs it as soon as that is there, not later."""
    found = {named(page): step for step, pages in enumerate(pages_of()) for page in pages}
    assert found["docs/logic.md"] == 0
    assert found["README.md"] == found["docs/start.md"] == 1
    assert found["docs/tutorial.md"] == 2
    assert len(STEPS) == 4
