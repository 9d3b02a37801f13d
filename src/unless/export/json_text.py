"""JSON text: read strictly, from files of a limited size, and laid out for people to read and compare."""

from __future__ import annotations

import gc
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from unless.errors import MissingFileError, ProgramError, suggest
from unless.export.document_checks import TOO_DEEP, shown
from unless.limits import limit, refuse_above_limit

_WIDTH = 100
_GZIP = b"\x1f\x8b"
# Characters that JSON allows as they are, but that break lines in editors, turn the direction of what follows or, as
# lone surrogates, cannot be encoded.
_UNSAFE = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SPLIT_PAIR = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector: there is no garbage here, and looking for it takes half as long as all the rest."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


# Reading JSON.


def content(path: str | os.PathLike[str]) -> bytes:
    """Read the bytes of a file; errors name the file. A file that is too large is rejected before all of it is read."""
    file = Path(path)
    try:
        with file.open("rb") as stream:  # it may be endless, such as a device
            found = stream.read(limit("model") + 1)
    except FileNotFoundError:
        names = sorted(one.name for ending in ("*.json", "*.json.gz") for one in file.parent.glob(ending))
        raise MissingFileError(f"no file {str(file)!r}{suggest(file.name, names) if names else ''}") from None
    except OSError as error:
        raise ProgramError(f"{os.fspath(path)}: cannot be read: {error.strerror}") from error
    refuse_long(found, str(file))
    return unpacked(found, str(file))


def unpacked(found: bytes, name: str) -> bytes:
    """Return the bytes of a file, decompressed if they are gzip data, whatever the name of the file.

    At most the size limit of a model is decompressed, because an untrusted file can expand without limit.
    """
    if not found.startswith(_GZIP):
        return found
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(found)) as file:
            text = file.read(limit("model") + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ProgramError(f"{name}: packed by gzip, and damaged: {error}; save the model again") from error
    refuse_above_limit("model", len(text), f"{name}: too large for a model, unpacked")
    return text


def refuse_long(text: str | bytes | bytearray, name: str) -> None:
    """Reject a text that is too large for a program or a model."""
    refuse_above_limit("model", len(text), f"{name}: too large for a model")


def parse(text: str | bytes) -> object:
    """Parse JSON text into lists, dicts and values; reject NaN, which the format does not define, and repeated keys."""
    plain = _decoded(text)
    if not plain or plain.isspace():
        raise ProgramError("it is empty; a program starts with {")
    try:
        return json.loads(plain, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        line = plain.splitlines()[error.lineno - 1 :][:1] or [""]
        where = f"line {error.lineno}, column {error.colno}"
        raise ProgramError(f"not JSON: {error.msg} at {where}: {shown(line[0].strip())}") from error
    except RecursionError:
        # The parser gives up at Python's recursion limit, which is beyond the depth of any valid program.
        raise ProgramError(TOO_DEEP) from None


def _decoded(text: str | bytes) -> str:
    if not isinstance(text, str | bytes | bytearray):
        raise ProgramError(f"a program is JSON text, not {shown(text)}")
    refuse_long(text, "the text")
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{text[error.start]:02x} at position {error.start}"
        raise ProgramError(f"not UTF-8: {byte}; a program is JSON text, saved as UTF-8") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        before: dict[str, Any] = {}
        for key, value in pairs:
            if key in before:
                raise ProgramError(f"the key {shown(key)} appears twice in {shown(before)}; remove one")
            before[key] = value
    return found


def _no_constant(name: str) -> float:
    raise ProgramError(f'{name} is not JSON; an infinity is spelled "inf" or "-inf", and NaN has no meaning here')


def _integer(digits: str) -> int:
    """Parse an integer. Numbers of programs have at most 400 digits, and Python rejects some longer integers."""
    if len(digits) > 400:
        raise ProgramError(f"the integer {digits[:10]}… has {len(digits)} digits; numbers end at 1.8e308")
    return int(digits)


# Writing JSON.


def layout(document: object) -> str:
    """Lay out JSON with every list and object on one line if it fits, otherwise one item per line; no final newline.

    The document must contain finite numbers only: JSON has no text for others.
    """
    text = _laid_out(document, 0)
    if text.isascii() and "\x7f" not in text:
        return text
    if pair := _SPLIT_PAIR.search(text):
        raise ProgramError(
            f"JSON would read the two surrogates {pair.group()!r} as one character; "
            "decode the data again, as UTF-8 or with errors='replace'"
        )
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _laid_out(value: Any, indent: int) -> str:
    """Lay out from the inside outwards: if an item takes several lines, the list or object around it does too."""
    kind = value.__class__
    if kind in _SPELLED:
        return _SPELLED[kind](value)
    if not value or (kind is not list and kind is not dict):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    items = _spelled(value, _WIDTH - indent - 2) if kind is list else None
    if items is None:
        items = []  # filled by a loop: one frame per level keeps 200 nested exceptions within Python's limit
        for item in value:
            part = item if kind is list else value[item]
            inner = _laid_out(part, indent + 2) if part or part.__class__ is not list else "[]"
            items.append(inner if kind is list else f"{encode_basestring(item)}: {inner}")
    opening, closing = "[]" if kind is list else "{}"
    if indent + sum(map(len, items)) + 2 * len(items) <= _WIDTH:
        return f"{opening}{', '.join(items)}{closing}"
    margin = f"\n{' ' * indent}"
    return f"{opening}{margin}  {f',{margin}  '.join(items)}{margin}{closing}"


def _spelled(values: list[Any], width: int) -> list[str] | None:
    """Write the items of a list of texts and numbers, or of short lists of them: mostly literals, most of a file.

    Return None if anything else is in the list, or if an item is wider than ``width``.
    """
    try:
        if values[0].__class__ is not list:
            return [_SPELLED[value.__class__](value) for value in values]
        if not {list}.issuperset(map(type, values)):
            return None
        lines = [f"[{', '.join([_SPELLED[value.__class__](value) for value in line])}]" for line in values]
    except KeyError:
        return None
    return lines if max(map(len, lines)) <= width else None


_SPELLED: dict[type, Callable[[Any], str]] = {str: encode_basestring, float: float.__repr__, int: int.__repr__}
"""The JSON of common values. json.dumps gives the same, but takes five times as long."""
