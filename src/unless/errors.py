"""The exceptions of unless: one small tree, every branch a ValueError, so that a caller needs to know only one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "FormatError",
    "Interrupted",
    "LimitError",
    "MissingFileError",
    "OverwriteError",
    "ParameterError",
    "ProgramError",
    "ReadError",
    "UnknownNameError",
    "UnlessError",
    "UnlessWarning",
    "UnseenValuesError",
    "either",
    "suggest",
]


class UnlessError(ValueError):
    """Anything that unless refuses, with what is wrong and how to mend it."""


class ParameterError(UnlessError):
    """An argument that has no meaning, such as a ratio of -1."""


class UnknownNameError(UnlessError):
    """A column, label or feature that is not there."""


class ReadError(UnlessError):
    """A table that cannot be read: ragged, undecodable, without rows, with missing labels."""


class FormatError(ReadError, ParameterError):
    """A file whose format its name does not tell, or tells wrongly.

    ``formats`` are those that it may have, ``parameter`` is what tells which: ``format``, or ``to`` of a file to write.
    """

    def __init__(self, finding: str, *formats: str, parameter: str = "format") -> None:
        super().__init__(f"{finding}: {parameter}={either(map(repr, formats))}")
        self.finding = finding
        self.formats = formats
        self.parameter = parameter


class LimitError(ReadError):
    """Something too large; ``limit`` is the name of the limit that it exceeds, ``enough`` one that would do."""

    def __init__(self, finding: str, limit: str, enough: str) -> None:
        super().__init__(f"{finding}; if that is meant, do it within unless.limits.raised({limit}={enough!r})")
        self.finding = finding
        self.limit = limit
        self.enough = enough


class MissingFileError(ReadError, FileNotFoundError):
    """A file that is not there."""


class OverwriteError(ParameterError):
    """An output that is one of the inputs, or would be taken for one."""


class UnseenValuesError(ReadError):
    """Records that hold what training did not have, where that was to be refused."""


class ProgramError(UnlessError):
    """A program, or a file that claims to hold one, that is not valid."""


class UnlessWarning(UserWarning):
    """Anything that unless does, but that its user may want to know of."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during learning; ``program`` is the valid program learned until then."""

    def __init__(self, program: object) -> None:
        super().__init__("learning was interrupted; the program learned so far is in this exception's .program")
        self.program = program


def either(words: Iterable[str]) -> str:
    """Words to choose one of: "csv, tsv or jsonl"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest known one, or the first few."""
    names = list(known)
    folded = {known_name.casefold(): known_name for known_name in names}
    if close := get_close_matches(name.casefold(), folded, n=1):
        return f"; did you mean {folded[close[0]]!r}?"
    if not names:
        return "; there are none"
    shown = ", ".join(repr(known_name) for known_name in names[:8])
    return f"; there are {shown}" + (f" and {len(names) - 8} more" if len(names) > 8 else "")
