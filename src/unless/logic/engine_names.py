"""Write names and texts for logic engines, without clashes and without loss.

A predicate is ASCII and starts with a small letter; a comment holds the real name of its column. A text value is
written unchanged. If an engine cannot hold the text in a string, a placeholder term replaces it, which equals no
other value, and a comment holds the text itself.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection

from unless.errors import ProgramError
from unless.values.spelling import CONTROLS, SURROGATE

IDENTIFIER = re.compile(r"[a-z][A-Za-z0-9_]*", re.ASCII)
# The names of records, rules, exceptions and placeholders. Also, "not" is a word of every dialect, and call/2 and
# forall/2 are the only predicates that SWI-Prolog does not let a program redefine.
RESERVED = re.compile(r"not|record|call|forall|(?:rule|ab|text|undecided)[0-9]+")
_STRING_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})
_ATOM_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "'": "\\'"})
_LONGEST = 60


def new_name(wanted: str, taken: set[str]) -> str:
    """Choose the identifier closest to the wanted name that is neither reserved nor taken, and mark it as taken.

    >>> taken = set()
    >>> [new_name(name, taken) for name in ("Flow rate", "flow_rate", "not", "Größe", "1st", "?")]
    ['flow_rate', 'flow_rate_2', 'not_2', 'gro_e', 'f_1st', 'f']
    """
    base = _to_identifier(wanted)
    name, number = base, 1
    while name in taken or RESERVED.fullmatch(name):
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def _to_identifier(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    plain = re.sub(r"[^a-z0-9]+", "_", plain)[:_LONGEST].strip("_")
    return plain if IDENTIFIER.fullmatch(plain) else f"f_{plain}".rstrip("_")


def is_spellable(text: str) -> bool:
    """Whether engines, and files on the way to them, preserve a text unchanged.

    NUL ends a string in clingo, lone surrogates have no UTF-8, and a carriage return becomes a newline when Python
    reads a text file.
    """
    return "\0" not in text and "\r" not in text and not SURROGATE.search(text)


def is_visible(text: str) -> bool:
    """Whether a text has no control characters for terminals; line breaks and tabs are allowed."""
    return not CONTROLS.search(text)


def clingo_string(text: str) -> str:
    r"""Write a text as a clingo string, which has only the escapes ``\\``, ``\"`` and ``\n``.

    >>> print(clingo_string('say "hi"\\'))
    "say \"hi\"\\"
    """
    return f'"{text.translate(_STRING_ESCAPES)}"'


def prolog_atom(text: str) -> str:
    r"""Write a text as a quoted atom, with unprintable characters as ISO escapes.

    >>> print(prolog_atom("it's\t"))
    'it\'s\x9\'
    """
    escaped = text.translate(_ATOM_ESCAPES)
    return "'" + "".join(letter if letter.isprintable() else f"\\x{ord(letter):X}\\" for letter in escaped) + "'"


def for_comment(text: str) -> str:
    """Escape the control characters of a text, so that it fits on one line of a comment."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def exact_json(value: object) -> str:
    """Write a value as one line of ASCII JSON; reject values that JSON would read back differently."""
    text = json.dumps(value, allow_nan=False)
    if json.loads(text) != value:
        raise ProgramError(
            f"two surrogates in a row read back as one character: {ascii(value)[:80]}; "
            "decode the data again, as UTF-8 or with errors='replace'"
        )
    return text


def free_prefix(prefix: str, taken: Collection[str]) -> str:
    """Return the prefix, or a longer one, so that no taken name is the prefix followed by a number."""
    while any(re.fullmatch(re.escape(prefix) + "[0-9]+", name) for name in taken):
        prefix += "_"
    return prefix
