"""Find how much memory this process may still use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from unless.limits import address_space_left

_SHARE = 0.5
"""The share of the free memory that one use may take."""

_PROC = Path("/proc")
_CGROUP = Path("/sys/fs/cgroup")


def fits_in_memory(size: float) -> bool:
    """Whether ``size`` bytes fit into the free memory, leaving a reserve."""
    return size <= _SHARE * free_bytes()


def release_free_memory() -> None:
    """Return unused memory to the system, where the allocator (glibc's) would keep it.

    After two passes over 100,000,000 rows it kept 600 MB, which left no memory to cache the bytes of blocks.
    """
    with suppress(ImportError, OSError, AttributeError, TypeError):
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)


def free_bytes() -> float:
    """Return the bytes that this process can still allocate within the limits of machine, groups and process."""
    return max(0.0, min(_free_of_machine(), *_free_of_groups(), address_space_left()))


def _free_of_machine() -> float:
    with suppress(OSError, ValueError, IndexError):
        for line in (_PROC / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    with suppress(OSError, ValueError, AttributeError):
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return 4e9  # unknown: assume some machine


def _free_of_groups() -> list[float]:
    """Return the bytes left by the control groups of this process and their parents, in both versions."""
    return [
        float("inf"),
        *_free_of_group("", "memory.max", "memory.current"),
        *_free_of_group("memory", *_FIRST_VERSION),
    ]


_FIRST_VERSION = ("memory.limit_in_bytes", "memory.usage_in_bytes")


def _free_of_group(controller: str, limit: str, used: str) -> Iterator[float]:
    root = _CGROUP / controller
    folder = root / _group_of_process(controller)
    while True:
        with suppress(OSError, ValueError):
            if (most := (folder / limit).read_text().strip()) != "max":
                taken = float((folder / used).read_text()) - _reclaimable_bytes(folder)
                yield max(float(most) - taken, 0.0)
        if folder == root:
            return
        folder = folder.parent


def _reclaimable_bytes(folder: Path) -> float:
    """Return the bytes of a group's page cache, which count as used but can be reclaimed."""
    with suppress(OSError, ValueError):
        for line in (folder / "memory.stat").read_text().splitlines():
            name, _, count = line.partition(" ")
            if name in ("inactive_file", "total_inactive_file"):
                return float(count)
    return 0.0


def _group_of_process(controller: str) -> str:
    """Find the group of this process by its controller in version 1, or "" for version 2."""
    with suppress(OSError, ValueError):
        for line in (_PROC / "self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controller in controllers.split(","):
                return os.path.normpath(path).strip("/.")
    return ""
