"""How much memory there is, and what fits into it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from unless.storage import memory_budget

GB = 2**30


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine made of files: ``machine(name=text)`` writes one."""
    monkeypatch.setattr(memory_budget, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(memory_budget, "_CGROUP", tmp_path / "cgroup")

    def write(files):
        for name, content in files.items():
            (path := tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n")

    return write


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, 8 * GB),
        ({"cgroup/memory.max": "max", "cgroup/memory.current": GB}, 8 * GB),
        ({"cgroup/memory.max": 3 * GB, "cgroup/memory.current": GB}, 2 * GB),
        ({"cgroup/memory.max": GB, "cgroup/memory.current": 2 * GB}, 0),
        ({"proc/self/cgroup": "0::/a/b", "cgroup/a/b/memory.max": 3 * GB, "cgroup/a/b/memory.current": GB}, 2 * GB),
        ({"proc/self/cgroup": "0::/a/b", "cgroup/a/memory.max": 3 * GB, "cgroup/a/memory.current": GB}, 2 * GB),
        (
            {"proc/self/cgroup": "0::/a/b", "cgroup/a/b/memory.max": 3 * GB, "cgroup/a/b/memory.current": 2 * GB}
            | {"cgroup/a/b/memory.stat": f"anon 1\ninactive_file {GB}"},
            2 * GB,
        ),
        ({"cgroup/memory/memory.limit_in_bytes": 4 * GB, "cgroup/memory/memory.usage_in_bytes": GB}, 3 * GB),
        (
            {"proc/self/cgroup": "12:cpu:/x\n7:memory:/box", "cgroup/memory/box/memory.limit_in_bytes": 2 * GB}
            | {"cgroup/memory/box/memory.usage_in_bytes": GB},
            GB,
        ),
        ({"cgroup/memory/memory.limit_in_bytes": 2**63 - 4096, "cgroup/memory/memory.usage_in_bytes": GB}, 8 * GB),
        ({"cgroup/memory.max": "junk"}, 8 * GB),
    ],
)
def test_free_memory(machine, files, free):
    """The least of what the machine has and what each control group leaves, of both versions, nested or not."""
    machine({"proc/meminfo": f"MemTotal: 1 kB\nMemAvailable: {8 * GB // 1024} kB", **files})
    assert memory_budget.free_bytes() == free


def test_a_machine_that_says_nothing(machine):
    """Without /proc there is still a guess."""
    machine({})
    assert memory_budget.free_bytes() > 0


def test_memory_is_given_back_where_that_is_possible(monkeypatch):
    """The allocator of glibc is asked for it; where there is none, or no ctypes, nothing happens."""
    asked = []
    monkeypatch.setattr("ctypes.CDLL", lambda _: SimpleNamespace(malloc_trim=asked.append))
    memory_budget.release_free_memory()
    assert asked == [0]
    monkeypatch.setattr("ctypes.CDLL", lambda _: SimpleNamespace())
    memory_budget.release_free_memory()
    monkeypatch.setitem(sys.modules, "ctypes", None)
    memory_budget.release_free_memory()
    assert asked == [0]
