"""Detect the encoding of a file, and convert its text to UTF-8 for the readers.

A byte order mark shows the encoding. Without a mark, UTF-16 is recognised by its zero bytes. For other files, the
first line with a non-ASCII byte decides: the file is cp1252 if no such byte belongs to a UTF-8 character and there are
no control characters as in binary files; otherwise it is UTF-8. The five bytes that cp1252 does not define become
control characters, as in Latin-1 and in browsers: no byte is lost.
"""

from __future__ import annotations

import codecs
import re
from typing import Protocol

from unless.errors import ReadError
from unless.read.dialect import encoding_title

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, since its mark starts with that of UTF-16
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_BEYOND = re.compile(rb"[\x80-\xff]")
_CHARACTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_END = re.compile(rb"[\r\n]")
_LONG = 1 << 24  # bytes of a line that are enough to decide
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")
# Sequences that Western words do not contain: a sign within a word, a capital after a small letter, three accented
# letters, or a control character.
_ODD = re.compile("[A-Za-z][¡-©«-¬®-³µ-¶¸-¹»-¿†‡‰‹›€ƒ™˜¤][A-Za-z]|[a-zß-ÿ][À-ÖØ-ÞŠŒŽŸ]|[À-ÖØ-öø-ÿ]{3}|[\x80-\x9f]")
_MOST = 0.7  # the least share of ASCII letters in a UTF-16 file that is recognised without a mark
_PIECE = 1 << 16
_SHOWN = 24  # letters of an example in a message
_UNDEFINED = "\x81\x8d\x8f\x90\x9d"
_KEEPING = "unless.undefined"


def _keep_undefined_bytes(error: UnicodeError) -> tuple[str | bytes, int]:
    """Keep the bytes that cp1252 does not define, in both directions."""
    if isinstance(error, UnicodeDecodeError):
        return error.object[error.start : error.end].decode("latin-1"), error.end
    if isinstance(error, UnicodeEncodeError) and error.object[error.start] in _UNDEFINED:
        return error.object[error.start].encode("latin-1"), error.start + 1
    raise error


codecs.register_error(_KEEPING, _keep_undefined_bytes)


def _error_handler(encoding: str) -> str:
    return _KEEPING if encoding == "cp1252" else "strict"


# Detection.


def detect_encoding(start: bytes, said: str | None, *, final: bool) -> str | None:
    """Detect the encoding from the first bytes; None if these are ASCII and the file continues."""
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
    if said is not None:
        return said if said not in ("utf-16", "utf-32") else _add_byte_order(start, said, marked)
    if marked is not None:
        return marked
    if (wide := _detect_utf16(start)) is not None:
        return wide
    return detect_unmarked(start, final=final) or ("utf-8" if final else None)


def _add_byte_order(start: bytes, said: str, marked: str | None) -> str:
    """Add the byte order to UTF-16 or UTF-32."""
    if marked is not None and marked.startswith(said):
        return marked
    return (said == "utf-16" and _detect_utf16(start)) or f"{said}-le"


def _detect_utf16(start: bytes) -> str | None:
    """Detect UTF-16 without a mark: as in ASCII text, mostly every second byte is zero, and the others are not."""
    if 0 not in start:
        return None
    low, high = start[::2].count(0), start[1::2].count(0)
    most, least = max(low, high), min(low, high)
    if least or len(start) % 2 or most < _MOST * (len(start) // 2) or not most:
        return None
    return "utf-16-le" if high == most else "utf-16-be"


def detect_unmarked(data: bytes, *, final: bool = True) -> str | None:
    """Detect UTF-8 or cp1252 from the first line with a non-ASCII byte; None if there is no such line.

    If the data is not ``final``, the line and a character at its end may be cut off.
    """
    if data.isascii() or (found := _BEYOND.search(data)) is None:
        return None
    end = _END.search(data, found.start())
    line = data[found.start() : end.start() if end else len(data)]
    if end is None and not final and len(line) < 4:
        return None
    if _CHARACTER.search(line) or _CONTROL.search(line) or b"\0" in data[: found.start()]:  # zeros: not a text file
        return "utf-8"
    return "cp1252"


def find_odd_word(data: bytes) -> str | None:
    """Find a word of cp1252 text that suggests another encoding; None if there is no such word."""
    text = data.decode("cp1252", _KEEPING)
    if (found := _ODD.search(text)) is None:
        return None
    start = max(text.rfind(sign, 0, found.start()) for sign in ' \n\r\t,;|"') + 1
    return re.split(r'[ \r\n\t,;|"]', text[start : start + _SHOWN], maxsplit=1)[0]


# Conversion to UTF-8 and back.


class Recoder:
    """Converts the bytes of a file, piece by piece, to UTF-8."""

    def __init__(self, encoding: str, where: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)(_error_handler(encoding))
        self._encoding, self._where, self._line = encoding, where, 1

    def feed(self, data: bytes, *, final: bool = False) -> bytes:
        """Convert the next bytes to UTF-8."""
        try:
            text = self._decoder.decode(data, final)
            self._line += text.count("\n")
            return text.encode()
        except UnicodeError as error:
            before = b""
            if isinstance(error, UnicodeDecodeError):
                before = error.object[: error.start]
            line = self._line + before.decode(self._encoding, "replace").count("\n")
            reason = "the bytes here" if not isinstance(error, UnicodeDecodeError) else _bytes(error)
            title = encoding_title(self._encoding)
            raise ReadError(f"{self._where}, line {line}: {reason} are not {title}; say which encoding it is") from None


def _bytes(error: UnicodeDecodeError) -> str:
    return f"the bytes 0x{error.object[error.start : max(error.end, error.start + 1)][:4].hex()}"


def to_utf8(data: bytes, encoding: str, where: str) -> bytes:
    """Convert all bytes of a file to UTF-8."""
    return Recoder(encoding, where).feed(data, final=True)


def from_utf8(data: bytes, encoding: str) -> bytes:
    """Convert UTF-8 text to another encoding; a letter that it lacks raises UnicodeEncodeError."""
    return data.decode().encode(encoding, _error_handler(encoding))


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def seekable(self) -> bool: ...


def read_some(file: _Readable, size: int) -> bytes:
    """Read the next bytes: ``size`` from a disk, or those available from a pipe."""
    read = file.read if file.seekable() else getattr(file, "read1", file.read)
    found: bytes = read(size)
    return found


class RecodedFile:
    """A file whose bytes are converted to UTF-8 as they are read; ``ahead`` are bytes that were already read.

    Without an encoding, bytes stay unchanged until the first non-ASCII line shows it.
    """

    def __init__(self, ahead: bytes, file: _Readable, encoding: str | None, where: str) -> None:
        self._ahead, self._file, self._where = ahead, file, where
        self._recoder = None if encoding is None else Recoder(encoding, where)
        self.encoding = encoding
        self._ended = False

    def seekable(self) -> bool:
        """Whether the file is on a disk, and not a pipe."""
        return self._file.seekable()

    def read(self, size: int) -> bytes:
        """Read some of the next bytes, about ``size``; none at the end."""
        found = b""
        while not found and not self._ended:
            data = self._next(size)
            self._ended = not data
            if self.encoding is None and not data.isascii():
                data = self._decide(data)
            if self._recoder is None:
                return data
            found = self._recoder.feed(data, final=self._ended)
        return found

    def _next(self, size: int) -> bytes:
        if self._ahead:
            data, self._ahead = self._ahead, b""
            return data
        return read_some(self._file, size)

    def _decide(self, data: bytes) -> bytes:
        """Read to the end of the first non-ASCII line, and detect the encoding from it."""
        pieces, found = [data], _BEYOND.search(data)
        whole = found is not None and _END.search(data, found.start()) is not None
        while not whole and sum(map(len, pieces)) < _LONG and (more := self._next(_PIECE)):
            pieces.append(more)
            whole = _END.search(more) is not None
        data = b"".join(pieces)
        self.encoding = detect_unmarked(data) or "utf-8"
        self._recoder = Recoder(self.encoding, self._where) if self.encoding != "utf-8" else None
        return data
