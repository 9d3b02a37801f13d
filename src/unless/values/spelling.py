r"""Write names, categories and labels in the text of rules: bare if unambiguous, otherwise quoted.

Quoted text is written as in Python, on one line: ``"it's"``, ``'two\nlines'``. A text that looks like a number is
quoted, since a bare ``5`` is the number; so are texts that contain keywords of rules.
"""

from __future__ import annotations

import re

_WORDS = (
    "if unless and or is are not otherwise always true false missing present above below at equals more less greater "
    "number inf infinity nan none"
)
RESERVED = frozenset(_WORDS.split(" "))
"""The keywords of rules, in upper or lower case."""

CONTROLS = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that would move the cursor of a terminal or turn the direction of what follows; \n and \t are harmless."""

SURROGATE = re.compile(r"[\ud800-\udfff]")
"""Half of a surrogate pair, which cannot be written to a file or passed to another program."""

_BARE = re.compile(r"[\w.%/+&*$€£@~^|-]+(?: [\w.%/+&*$€£@~^|-]+)*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"', "0": "\0"}


def quote_if_needed(text: str) -> str:
    r"""Write a text for rules: bare if it starts with a letter and has no keywords or signs of rules, otherwise quoted.

    >>> [quote_if_needed(text) for text in ("late", "New York", "85", "", "a and b", "it's", "two\nlines", "If")]
    ['late', 'New York', "'85'", "''", "'a and b'", '"it\'s"', "'two\\nlines'", "'If'"]
    """
    bare = text[:1].isalpha() and text.isprintable() and _BARE.fullmatch(text) and text != "no rules"
    return text if bare and RESERVED.isdisjoint(text.casefold().split(" ")) else repr(text)


def unquote(quoted: str) -> str | None:
    r"""Return the text between quotes with its escapes resolved; None if an escape is unknown.

    >>> unquote(repr("it's ∆\n")), unquote(r"'\q'")
    ("it's ∆\n", None)
    """
    inner = quoted[1:-1]
    if "\\" not in inner:
        return inner
    try:
        return _ESCAPE.sub(_unescape, inner)
    except (KeyError, ValueError, OverflowError):
        return None


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else _LETTERS[escape[4]]
