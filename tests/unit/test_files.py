"""Files that are written whole or not at all (`tests/unit/test_json.py` has more, of `write_whole`)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from unless.files import descriptor_of, writing


def test_the_new_file_takes_the_place_of_the_old_at_the_end(tmp_path: Path) -> None:
    """Until the block ends, the old file is there; then it is the new one, and there is no other."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with writing(path) as file:
        for _ in range(3):
            file.write(b"new" * 10_000)
            assert path.read_bytes() == b"old"

    assert path.read_bytes() == b"new" * 30_000
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208 - hidden files too


def test_what_replaces_a_private_file_is_private_from_the_beginning(tmp_path: Path) -> None:
    """Nobody who may not read the old file can read the new one while it is written."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with writing(path) as file:
        file.write(b"new")
        assert {stat.S_IMODE(other.stat().st_mode) for other in tmp_path.iterdir()} == {0o600}


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(143), OSError(5, "mine")])
def test_an_error_in_the_block_is_its_own(tmp_path: Path, error: BaseException) -> None:
    """What the block raises is raised as it is, the old file stays, and no other is left."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(type(error)) as caught, writing(path) as file:  # noqa: PT012 - the error comes after writing
        file.write(b"new" * 10_000)
        raise error

    assert caught.value is error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_error_of_writing_names_the_file(tmp_path: Path) -> None:
    """A full device is named as it was asked for, however late the system notices."""
    link = tmp_path / "link"
    link.symlink_to("/dev/full")
    for content in (b"few", b"many" * 100_000):
        with (
            pytest.raises(OSError, match=r"cannot write the file: No space left on device: '.*link'") as caught,
            writing(link) as file,
        ):
            file.write(content)
        assert caught.value.errno == 28


def test_open_files_have_paths(tmp_path: Path) -> None:
    """Standard output by its path is written to as it was opened: neither replaced nor emptied."""
    named = {"/dev/stdout": 1, "/dev/stderr": 2, "/dev/fd/7": 7, "/proc/self/fd/3": 3}
    assert {path: descriptor_of(path) for path in named} == named
    assert descriptor_of("stdout") is descriptor_of(tmp_path / "fd" / "1") is None

    path = tmp_path / "log"
    path.write_bytes(b"before ")
    with path.open("ab") as log, writing(f"/dev/fd/{log.fileno()}") as file:
        file.write(b"and after")
    assert path.read_bytes() == b"before and after"
