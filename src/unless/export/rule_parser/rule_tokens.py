"""The tokens of a text of rules: words, quoted texts and signs, with positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from unless.errors import RuleTextError
from unless.rule import SpokenOperator
from unless.values.spelling import RESERVED

_TOKEN = re.compile(
    r"""(?P<space>[^\S\n]+)
    |(?P<line>\n)
    |(?P<comment>\#[^\n]*)
    |(?P<text>'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*")
    |(?P<sign><=|=<|>=|=>|==|!=|<>|[<>=≤≥≠])
    |(?P<mark>[(),]|:(?=\s|$))
    |(?P<word>(?:[^\s'"(),:<>=≤≥≠!\#]|!(?!=)|:(?=\S))(?:[^\s(),:<>=≤≥≠!]|!(?!=)|:(?=\S)|(?<=[0-9]),(?=[0-9]{3}))*)
    |(?P<unclosed>.)""",
    re.VERBOSE,
)
_NOTHING = ("space", "comment")
_PRINTED = re.compile(r"\s*<Program for [^\n]*>(?=\n|$)")
SIGNS: dict[str, SpokenOperator] = {
    "<=": "<=", "=<": "<=", "≤": "<=", ">=": ">=", "=>": ">=", "≥": ">=", "<": "<", ">": ">",
    "=": "==", "==": "==", "!=": "!=", "<>": "!=", "≠": "!=",
}  # fmt: skip


class Token(NamedTuple):
    """A word, a text in quotes or a sign. ``key`` is the sign or keyword, otherwise empty."""

    key: str
    text: str
    start: int
    indent: int
    """The indent of the line that starts with the token; -1 within a line."""

    @property
    def length(self) -> int:
        """The number of letters."""
        return len(self.text)

    @property
    def end(self) -> int:
        """The position after the last letter."""
        return self.start + len(self.text)


def read_tokens(text: str) -> Iterator[Token]:
    """Yield all tokens of a text, then its end; skip the line that `print` writes before the rules."""
    begin, fresh = 0, True
    printed = _PRINTED.match(text)
    for found in _TOKEN.finditer(text, printed.end() if printed else 0):
        kind = found.lastgroup
        if kind in _NOTHING:
            continue
        start = found.start()
        if kind == "line":
            begin, fresh = start + 1, True
            continue
        word = found.group()
        if kind == "word":
            low = word.lower()
            key = low if low in RESERVED else ""
        elif kind == "unclosed":
            raise RuleTextError(f"the quote {word} is not closed on this line", text, start)
        else:
            key = "" if kind == "text" else SIGNS.get(word, word)
        yield Token(key, word, start, start - begin if fresh else -1)
        fresh = False
    yield Token("end", "", len(text.rstrip()), 0)


def token_texts(text: str) -> list[str]:
    """Return the texts of all tokens, including line breaks."""
    return [found.group() for found in _TOKEN.finditer(text) if found.lastgroup not in _NOTHING]
