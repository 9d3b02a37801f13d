"""Commands that write, killed (kill -9) at random moments: every file is the old one or the new one, whole.

The moments are spread over the time that a command takes. All commands write to one folder, where what they leave
behind would pile up: there is never more than one such file, and none after a command that was left alone.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from pathlib import Path

from tests.cli.command import COMMAND, called, environment
from tests.torture.counts import Counts
from unless.demo.applicants import TARGET, applicants_csv

__all__ = ["search"]

COMMANDS = {
    "fit": ["fit", "large.csv", "-t", TARGET, "--test", "0", "-q", "-o", "out.json"],
    "predict to CSV": ["predict", "model.json", "large.csv", "-q", "-o", "out.csv"],
    "predict to gzip": ["predict", "model.json", "large.csv", "-q", "-o", "out.csv.gz"],
    "predict to Parquet": ["predict", "model.json", "large.csv", "-q", "-o", "out.parquet"],
    "report": ["report", "model.json", "small.csv", "-q", "-o", "out.html"],
    "export": ["export", "model.json", "--to", "clingo", "--records", "small.csv", "-o", "out.lp"],
}
OLD = b"old\n" * 1000
TIMES = 200  # the large table has so many times the records of the small one: writing its predictions takes a while


def search(budget: int, seed: int) -> Counts:
    """Kill so many commands."""
    counts = Counts()
    with tempfile.TemporaryDirectory() as name:
        folder = _Folder(Path(name))
        for number in range(seed, seed + budget):
            folder.kill(counts, number)
        folder.run("export")
        counts.check("files left at the end", seed, lambda: f"{folder.left()}", same=not folder.left())
    return counts


class _Folder:
    """Where commands write; it knows what each writes when it is left alone, and how long that takes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        header, _, rows = applicants_csv().partition("\n")
        (path / "small.csv").write_text(f"{header}\n{rows}")
        (path / "large.csv").write_text(f"{header}\n{rows * TIMES}")
        assert called("fit", "small.csv", "-t", TARGET, "-q", "-o", "model.json", cwd=path).returncode == 0
        self._wanted = {"small.csv", "large.csv", "model.json", *(command[-1] for command in COMMANDS.values())}
        self._seconds: dict[str, float] = {}
        self._whole: dict[str, bytes] = {}

    def left(self) -> list[str]:
        """The files that nobody asked for."""
        return sorted(path.name for path in self._path.iterdir() if path.name not in self._wanted)

    def run(self, command: str) -> None:
        """Leave a command alone, and learn what it does."""
        start = time.monotonic()
        with self._started(command) as process:
            assert process.wait() == 0, process.stderr and process.stderr.read()
        self._seconds[command] = time.monotonic() - start
        self._whole[command] = self._out(command).read_bytes()

    def kill(self, counts: Counts, seed: int) -> None:
        """Kill a command at a moment, and look at what it leaves."""
        rng = random.Random(seed)
        command = rng.choice(list(COMMANDS))
        if command not in self._whole:
            self.run(command)
        self._out(command).write_bytes(OLD)
        with self._started(command) as process:
            time.sleep(rng.uniform(0.3, 1.05) * self._seconds[command])  # before that, it only imports
            process.kill()
        found = self._out(command).read_bytes()
        told = f"{len(found)} bytes, neither the old {len(OLD)} nor the new {len(self._whole[command])}"
        counts.check(command, seed, lambda: told, same=found in (OLD, self._whole[command]))
        counts.besides["the old file was there" if found == OLD else "the new file was there"] += 1
        counts.check("files left behind", seed, lambda: f"{command}: {self.left()}", same=len(self.left()) <= 1)

    def _out(self, command: str) -> Path:
        return self._path / COMMANDS[command][-1]

    def _started(self, command: str) -> subprocess.Popen[bytes]:
        words, streams = [*COMMAND, *COMMANDS[command]], {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        return subprocess.Popen(words, cwd=self._path, env=environment(), **streams)
