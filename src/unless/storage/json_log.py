"""Append JSON lines to a file that survives a killed process: lines have checksums, incomplete ones are skipped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zlib import crc32

from unless.files import name_file_in_errors, open_privately


class JsonLog:
    """A log of JSON lines; the first line of the file identifies its subject."""

    def __init__(self, path: Path, head: str) -> None:
        """Open the log; begin a new one if the file does not exist, or if its first line differs."""
        self.path = path
        self.lines: list[Any] = []
        """The complete lines of the existing file."""
        first, *rest = (path.read_bytes() if path.is_file() else b"").split(b"\n")
        if first != head.encode():
            path.unlink(missing_ok=True)
            self._write(head.encode())
            return
        if rest and rest[-1]:
            self._write(b"")  # end a line that was cut off
        self.lines = [line for line in map(_parse_line, rest) if line is not None]

    def append(self, line: object) -> None:
        """Append a line."""
        text = json.dumps(line, default=float, separators=(",", ":")).encode()
        self._write(b"%08x %s" % (crc32(text), text))

    def _write(self, line: bytes) -> None:
        with name_file_in_errors(self.path), open(self.path, "ab", opener=open_privately) as file:
            file.write(line + b"\n")


def _parse_line(line: bytes) -> Any:
    """Parse the content of a line; None if the line is incomplete."""
    check, _, text = line.partition(b" ")
    try:
        return json.loads(text) if int(check, 16) == crc32(text) else None
    except ValueError:
        return None
