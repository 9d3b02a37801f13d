"""Ctrl-C while the real command reads and learns: 130, one line, nothing written."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.command import COMMAND, environment


@pytest.fixture
def noise(tmp_path) -> Path:
    """A table with nothing to learn, which takes a learner that may overfit many seconds."""
    rows, draw = 30_000, np.random.default_rng(0)
    columns = {f"x{k}": draw.normal(size=rows).round(4) for k in range(8)} | {"y": draw.choice(list("abc"), rows)}
    pl.DataFrame(columns).write_csv(tmp_path / "noise.csv")
    return tmp_path / "noise.csv"


@pytest.fixture
def large(tmp_path) -> Path:
    """A table that takes a while to read: so large that it is mapped."""
    (tmp_path / "large.csv").write_bytes(b"a,b,y\n" + b"0.125,some text,1\n-17,other text,2\n" * 2_000_000)
    return tmp_path / "large.csv"


def test_while_learning(noise):
    """Rules that were learned until then are neither shown nor saved, and the bar is wiped away."""
    screen, theirs = pty.openpty()
    options = ["--penalty", "0", "--min-support", "1", "-o", "model.json"]
    with fitting(noise, *options, stderr=theirs) as process:
        os.close(theirs)
        shown = interrupted(process, lambda text: "records left" in text, lambda: seen(screen))
        out = process.stdout.read()
    os.close(screen)
    assert (process.returncode, out) == (130, b"")
    assert re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).splitlines()[-1] == "unless: interrupted"
    assert "Traceback" not in shown
    assert list(noise.parent.iterdir()) == [noise]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells which files a process has mapped")
def test_while_reading(large):
    """A file that is half read is as good as none."""
    with fitting(large, "-o", "model.json", stderr=subprocess.PIPE) as process:
        maps = Path(f"/proc/{process.pid}/maps")
        interrupted(process, lambda text: large.name in text, lambda: maps.read_text() if maps.exists() else "")
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"unless: interrupted\n")
    assert list(large.parent.iterdir()) == [large]


def fitting(table: Path, *options: str, stderr: int) -> subprocess.Popen[bytes]:
    """The command that learns from a table, in the folder of that."""
    return subprocess.Popen(
        [*COMMAND, "fit", table.name, "-t", "y", *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, cwd=table.parent,
        env=environment({"TERM": "xterm"}),
    )  # fmt: skip


def interrupted(process: subprocess.Popen[bytes], ripe: Callable[[str], bool], look: Callable[[], str]) -> str:
    """Press Ctrl-C once what can be looked at tells that it is time; all that was seen until the end."""
    shown, end = "", time.monotonic() + 60
    while not ripe(shown):
        assert process.poll() is None, shown
        assert time.monotonic() < end, shown
        time.sleep(0.01)
        shown += look()
    process.send_signal(signal.SIGINT)
    process.wait(60)
    return shown + look()


def seen(screen: int) -> str:
    """What a terminal shows that it did not show before."""
    found = b""
    while select.select([screen], [], [], 0.1)[0]:
        try:
            found += os.read(screen, 65536)
        except OSError:  # nobody writes to it any more
            break
    return found.decode("utf-8", "replace")
