"""The pages of the documentation, their blocks of code, headings and links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PAGES", "ROOT", "Block", "anchors", "blocks", "links", "named"]

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("examples/*.md"), *ROOT.glob("docs/**/*.md")])


@dataclass(frozen=True)
class Block:
    """A block of code: its language, which may be none, and whether nothing but blank lines parts it from the last."""

    language: str
    text: str
    follows: bool

    @property
    def first(self) -> str:
        """Its first line."""
        return self.text.partition("\n")[0]


def blocks(page: Path) -> list[Block]:
    """The blocks of code of a page, in order."""
    found, end, text = [], -1, page.read_text()
    for match in re.finditer(r"^```([^\n`]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        found.append(Block(match[1], match[2], end >= 0 and not text[end : match.start()].strip()))
        end = match.end()
    return found


def _prose(page: Path) -> str:
    return re.sub(r"^```[^\n`]*\n.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def links(page: Path) -> list[str]:
    """The targets of its links that stay in the repository."""
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page)) if "://" not in target]


def anchors(page: Path) -> set[str]:
    """The names that links give to its headings, as Git hosts and the site make them."""
    titles = re.findall(r"^#+ (.+)$", _prose(page), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles]
    return {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in plain}


def named(page: Path) -> str:
    """Its path in the repository."""
    return page.relative_to(ROOT).as_posix()
