"""The exceptions of unless: subclasses of one ValueError, so that a caller can catch all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "FormatError",
    "GuessWarning",
    "Interrupted",
    "LimitError",
    "MissingFileError",
    "OverwriteError",
    "ParameterError",
    "ProgramError",
    "ReadError",
    "RuleTextError",
    "TrainingWarning",
    "UnknownNameError",
    "UnlessError",
    "UnlessWarning",
    "UnseenValuesError",
    "join_choices",
    "suggest",
    "without_passwords",
]


class _Picklable:
    """An exception that can be pickled, whatever its constructor takes, to pass from one process to another."""

    args: tuple[object, ...]

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle_error, (type(self), self.args, self.__dict__)


def _unpickle_error(kind: type[_Picklable], args: tuple[object, ...], state: dict[str, object]) -> _Picklable:
    found = kind.__new__(kind, *args)
    found.args = args
    found.__dict__.update(state)
    return found


class UnlessError(ValueError):
    """The base of all errors of unless; messages tell what is wrong and how to fix it, without passwords."""

    def __init__(self, *said: object) -> None:
        super().__init__(*(without_passwords(one) if isinstance(one, str) else one for one in said))


class ParameterError(UnlessError):
    """An invalid argument, such as a ratio of -1."""


class UnknownNameError(UnlessError):
    """A column, label or feature that does not exist."""


class ReadError(UnlessError):
    """A table that cannot be read: ragged, undecodable, without rows, with missing labels."""


class FormatError(_Picklable, ReadError, ParameterError):
    """A file whose name does not show its format, or shows a wrong one.

    ``formats`` are the possible formats. ``parameter`` is the parameter to set: ``format``, or ``to`` for an output.
    """

    def __init__(self, finding: str, *formats: str, parameter: str = "format") -> None:
        super().__init__(f"{finding}: {parameter}={join_choices(map(repr, formats))}")
        self.finding = finding
        self.formats = formats
        self.parameter = parameter


class LimitError(_Picklable, ReadError):
    """An amount above a limit; ``limit`` is the name of the limit, ``enough`` a value that would allow the amount."""

    def __init__(self, finding: str, limit: str, enough: str) -> None:
        super().__init__(f"{finding}; to allow it: with unless.limits.raised({limit}={enough!r})")
        self.finding = finding
        self.limit = limit
        self.enough = enough


class MissingFileError(ReadError, FileNotFoundError):
    """A file that does not exist."""


class OverwriteError(ParameterError):
    """An output that is one of the inputs, or would be read as an input."""


class UnseenValuesError(ReadError):
    """Records with values that did not occur in training, if the caller rejects such values."""


class ProgramError(UnlessError):
    """An invalid program, or a file that should contain a program and does not."""


class RuleTextError(_Picklable, ProgramError):
    """Text that cannot be parsed as rules; ``finding`` describes the error at ``line`` and ``column``, from 1.

    The message shows the line with a mark of ``length`` letters below the error.
    """

    def __init__(self, finding: str, text: str, start: int, length: int = 1) -> None:
        self.finding = finding
        self.line = text.count("\n", 0, start) + 1
        self.column = start - text.rfind("\n", 0, start)
        shown, before = _line_around(text, start)
        mark = " " * before + "^" * max(1, min(length, len(shown) - before))
        super().__init__(f"line {self.line}, column {self.column}: {finding}\n  {shown}\n  {mark}")


def _line_around(text: str, start: int) -> tuple[str, int]:
    """Return the line around a position, or a part of a long line, and the number of letters before the position."""
    begin = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    first = begin if start - begin <= _SEEN else start - _SEEN // 2
    last = end if end - first <= 2 * _SEEN else first + 2 * _SEEN
    cut, more = "… " * (first > begin), " …" * (last < end)
    line = "".join(one if one.isprintable() else " " for one in text[first:last])
    return f"{cut}{line}{more}", len(cut) + start - first


_SEEN = 100
"""The most letters that are shown before a position."""


class UnlessWarning(UserWarning):
    """The base of warnings about results that the user may want to check."""


class TrainingWarning(_Picklable, UnlessWarning):
    """A warning of `fit` about the records or the learned rules; ``remarks`` has its findings as values."""

    def __init__(self, message: str, remarks: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.remarks = remarks


class GuessWarning(_Picklable, UnlessWarning):
    """A guess about a file that may be wrong; ``parameter`` overrules it with one of ``choices``."""

    def __init__(self, finding: str, parameter: str, *choices: str) -> None:
        super().__init__(f"{finding}; to overrule: {parameter}={join_choices(map(repr, choices))}")
        self.finding = finding
        self.parameter = parameter
        self.choices = choices


class Interrupted(KeyboardInterrupt):
    """An interruption of learning by Ctrl-C; ``program`` is the valid program learned so far."""

    def __init__(self, program: object) -> None:
        super().__init__("learning was interrupted; the program learned so far is in this exception's .program")
        self.program = program


def join_choices(words: Iterable[str]) -> str:
    """Join words as a choice: "csv, tsv or jsonl"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def suggest(name: object, known: Iterable[object]) -> str:
    """Write the end of a message about an unknown name or label: the nearest known one, or the first few.

    Names are shown with their type: the label 0 is not '0'.
    """
    names = list(known)
    folded = {str(known_name).casefold(): known_name for known_name in names}
    if close := get_close_matches(str(name).casefold(), folded, n=1):
        return f"; did you mean {folded[close[0]]!r}?"
    if not names:
        return "; there are none"
    shown = ", ".join(repr(known_name) for known_name in names[:8])
    return f"; there are {shown}" + (f" and {len(names) - 8} more" if len(names) > 8 else "")


_IN_ADDRESS = re.compile(r"(:/+[^\s:@/?#]*):[^\s]*@")  # an address treated as a path has one slash
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_BY_NAME = re.compile(
    rf"""(?ix) ( (?:password|secret) \s* (?:=|%3D) \s* ) (?: {_QUOTED} | [^\s&'")]+ )
        | ( (?:password|secret) \s+ ) (?: {_QUOTED} )"""
)


def without_passwords(text: str) -> str:
    """Replace every password in a text, such as the address of a database, by …."""
    return _BY_NAME.sub(r"\1\2…", _IN_ADDRESS.sub(r"\1:…@", text))
