"""The types of `json_scan.py` for Python code; its own annotations are C types."""

from typing import Any, TypeAlias

from numpy.typing import NDArray

Buffer: TypeAlias = NDArray[Any]

DONE: int
UNKNOWN: int
IRREGULAR: int
compiled: bool

def scan_members(
    data: Buffer,
    start: int,
    row: int,
    keys: Buffer,
    ends: Buffer,
    names: Buffer,
    columns: Buffer,
    last: Buffer,
    rows: int,
    starts: Buffer,
    stops: Buffer,
) -> tuple[int, int, int, int, int]: ...
def gather(data: Buffer, starts: Buffer, stops: Buffer, ends: Buffer, out: Buffer) -> None: ...
