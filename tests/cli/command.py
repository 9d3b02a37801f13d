"""The real command: in a process of its own, with its exit code, its streams and signals, or, faster, in this one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from unless.cli.app import _run_command, app

__all__ = ["called", "environment", "started", "unless", "writes_in"]

COMMAND = [sys.executable, "-m", "unless"]
_SOURCE = Path(__file__).parents[2] / "src"
_COLOURS = ("FORCE_COLOR", "COLUMNS", "NO_COLOR")


def unless(
    *arguments: object,
    input: str | bytes | None = None,  # noqa: A002 - what subprocess calls it
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run ``unless`` with arguments, ``input`` piped into it; its output is decoded as UTF-8."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=input.encode() if isinstance(input, str) else input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        env=environment(env),
        cwd=cwd,
        timeout=timeout,
        check=False,
    )
    texts = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, *texts)


def called(
    *arguments: object,
    input: str | bytes = b"",  # noqa: A002 - as above
    cwd: str | os.PathLike[str] = ".",
) -> subprocess.CompletedProcess[str]:
    """The same without a process, which takes a second to start: for what needs no signals and no terminal."""
    words = [str(argument) for argument in arguments]
    given = _stream(input.encode() if isinstance(input, str) else input)
    out, err = _stream(), _stream()
    with mock.patch("sys.stdin", given), redirect_stdout(out), redirect_stderr(err), chdir(cwd):
        try:
            code = _run_command(lambda: app(words, prog_name="unless", standalone_mode=False))
        except SystemExit as left:  # as completion does
            code = int(left.code or 0)
    return subprocess.CompletedProcess(["unless", *words], code, _content(out), _content(err))


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), "utf-8", newline="\n")


def _content(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextmanager
def started(
    *arguments: object, env: Mapping[str, str] | None = None, cwd: str | os.PathLike[str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """The command while it runs, to be sent signals or left without a reader; ended when the block ends."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(env),
        cwd=cwd,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def writes_in(process: subprocess.Popen[Any], folder: Path) -> bool:
    """Whether a process has begun to write a file to a folder: one without a name, or a temporary one."""
    links: list[Path] = []
    with suppress(FileNotFoundError):  # the process has ended
        for link in Path(f"/proc/{process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # the file was closed a moment ago
                links.append(link.readlink())
    return any(link.parent == folder and link.name.startswith(("#", ".unless-")) for link in links)


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a command in a pipe: no colours forced, the package of this tree, UTF-8.

    Nothing else that changes Python: PYTHONUNBUFFERED hides what becomes of a buffer that cannot be written.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON") and key not in _COLOURS}
    path = os.pathsep.join(filter(None, [str(_SOURCE), os.environ.get("PYTHONPATH", "")]))
    return {**kept, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **(more or {})}
