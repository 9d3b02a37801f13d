"""Texts and files of logic programs, and what messages call their lines."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from unless.errors import MissingFileError, ReadError, suggest
from unless.logic.names import spellable

__all__ = ["Origin", "Source", "read_sources"]

Source = str | os.PathLike[str]
"""Text, or a path."""

_PATHS = (".lp", ".asp", ".pl")


@dataclass(frozen=True, slots=True)
class Origin:
    """What messages call a program: the names of its texts, and how many lines come before each text."""

    names: tuple[str, ...]
    before: tuple[int, ...]

    def line(self, number: int) -> str:
        """Name a line, counted through all texts: the name of its text, and which line it is there."""
        place = bisect_right(self.before, number - 1) - 1
        return f"{self.names[place]}, line {number - self.before[place]}"

    def lines(self, numbers: Sequence[int]) -> str:
        """Name several lines, without the name of the text if there is only one."""
        if len(self.names) == 1:
            return f"lines {', '.join(map(str, numbers))}"
        return "; ".join(map(self.line, numbers))

    def message(self, text: str) -> str:
        """One of clingo's messages, which may begin with a line, with the name in front."""
        found = re.match(r"line (\d+)(?=: )", text)
        return f"{self}: {text}" if found is None else f"{self.line(int(found[1]))}{text[found.end() :]}"

    def __str__(self) -> str:
        return ", ".join(self.names)


def read_sources(source: Source | Iterable[Source], role: str) -> tuple[Origin, list[str]]:
    """The texts of a source or several, with newlines as line ends, and what to call them in messages.

    ``role`` is what a text without a file is called.
    """
    several = [source] if isinstance(source, str | os.PathLike) or not isinstance(source, Iterable) else list(source)
    if not several:
        raise ReadError(f"the {role} is an empty list; give a text or a path")
    names, contents = zip(*(_content(one, role) for one in several), strict=True)
    texts = [text.replace("\r\n", "\n") for text in contents]
    for name, text in zip(names, texts, strict=True):
        if not spellable(text):
            raise ReadError(f"{name}: it has a NUL, a lone carriage return or half a character; save it as plain UTF-8")
    # One line more than each text has: clingo finds the end of a text on the line after its last.
    before = accumulate((text.count("\n") + 2 for text in texts[:-1]), initial=0)
    return Origin(names, tuple(before)), texts


def _content(source: Source, role: str) -> tuple[str, str]:
    if isinstance(source, str) and not (source.endswith(_PATHS) and "\n" not in source):
        return role, source
    if not isinstance(source, str | os.PathLike):
        raise ReadError(f"the {role} must be text or a path, not {type(source).__name__}")
    path = Path(source)
    try:
        return str(path), path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = sorted(other.name for ending in _PATHS for other in path.parent.glob(f"*{ending}"))
        raise MissingFileError(f"no file {str(path)!r}{suggest(path.name, near) if near else ''}") from None
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (OSError, ValueError) as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error
