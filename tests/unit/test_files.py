"""Files that are written whole or not at all (`tests/export/test_json.py` has more, of `write_whole`)."""

from __future__ import annotations

import fcntl
import os
import random
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from unless import files
from unless.errors import MissingFileError, OverwriteError, ParameterError
from unless.files import append_line, file_descriptor_named, open_for_writing, refuse_inputs, write_whole

HAS_UNNAMED = hasattr(os, "O_TMPFILE")


@pytest.fixture(autouse=True, params=["unnamed", "named"])
def temporary(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Temporary files without names, and with names, as on systems that need them."""
    if request.param == "named":
        monkeypatch.setattr(files, "_open_unnamed", lambda *_: None)
    elif not HAS_UNNAMED:
        pytest.skip("no files without names here")
    return request.param


def test_the_new_file_takes_the_place_of_the_old_at_the_end(tmp_path: Path) -> None:
    """The old file is there until the block ends; then the new one is, and no other file."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with open_for_writing(path) as file:
        for _ in range(3):
            file.write(b"new" * 10_000)
            assert path.read_bytes() == b"old"

    assert path.read_bytes() == b"new" * 30_000
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208 - hidden files too


def test_what_replaces_a_private_file_is_private_from_the_beginning(tmp_path: Path) -> None:
    """A user who must not read the old file cannot read the new one while it is written."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with open_for_writing(path) as file:
        file.write(b"new")
        assert {stat.S_IMODE(other.stat().st_mode) for other in tmp_path.iterdir()} == {0o600}


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(143), OSError(5, "mine")])
def test_an_error_in_the_block_is_its_own(tmp_path: Path, error: BaseException) -> None:
    """An error of the block passes through, the old file stays, and no other file is left."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(type(error)) as caught, open_for_writing(path) as file:  # noqa: PT012 - the error comes after writing
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
            open_for_writing(link) as file,
        ):
            file.write(content)
        assert caught.value.errno == 28


def test_open_files_have_paths(tmp_path: Path) -> None:
    """Standard output by its path is written to as it was opened: neither replaced nor emptied."""
    named = {"/dev/stdout": 1, "/dev/stderr": 2, "/dev/fd/7": 7, "/proc/self/fd/3": 3}
    assert {path: file_descriptor_named(path) for path in named} == named
    assert file_descriptor_named("stdout") is file_descriptor_named(tmp_path / "fd" / "1") is None

    path = tmp_path / "log"
    path.write_bytes(b"before ")
    with path.open("ab") as log, open_for_writing(f"/dev/fd/{log.fileno()}") as file:
        file.write(b"and after")
    assert path.read_bytes() == b"before and after"


def content_of(folder: Path) -> dict[str, bytes]:
    """All files of a folder, hidden ones too."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class TestInputs:
    """A file that is read is not written to."""

    def test_the_same_file_by_any_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Links and other spellings of a path lead to the same file, and so does the number of an open one."""
        monkeypatch.chdir(tmp_path)
        path = tmp_path / "data.csv"
        path.write_bytes(b"old")
        (tmp_path / "hard").hardlink_to(path)
        (tmp_path / "soft").symlink_to("data.csv")
        (tmp_path / "folder").mkdir()
        with path.open("rb") as opened:
            names = [path, "data.csv", "./data.csv", "folder/../data.csv", tmp_path / "hard", "soft"]
            for output in [*names, f"/dev/fd/{opened.fileno()}", f"/proc/self/fd/{opened.fileno()}"]:
                for read in (path, tmp_path / "hard", tmp_path / "soft", opened.fileno()):
                    with pytest.raises(OverwriteError, match="read, so it is not written to; name another file"):
                        write_whole(output, b"new", inputs=["other.csv", read])
                    with pytest.raises(ParameterError):
                        refuse_inputs(opened.fileno(), [read])

        assert content_of(tmp_path / "folder") == {}
        found = {name: (tmp_path / name).read_bytes() for name in ("data.csv", "hard", "soft")}
        assert set(found.values()) == {b"old"}

    def test_the_message_tells_both_names(self, tmp_path: Path) -> None:
        """The message says which input it is."""
        (tmp_path / "a").touch()
        (tmp_path / "b").symlink_to("a")
        with pytest.raises(OverwriteError, match=r"^'.*/b' is the same file as '.*/a', which is read"):
            refuse_inputs(tmp_path / "b", [tmp_path / "a"])
        with pytest.raises(OverwriteError, match=r"^'.*/a' is read, so"):
            refuse_inputs(tmp_path / "a", [tmp_path / "a"])

    def test_other_files_and_devices(self, tmp_path: Path) -> None:
        """A copy is another file, and a pipe or a device can be both."""
        for name in ("a", "b"):
            (tmp_path / name).write_bytes(b"old")
        write_whole(tmp_path / "a", b"new", inputs=[tmp_path / "b", tmp_path / "none", "\0", tmp_path])
        write_whole(tmp_path / "c", b"new", inputs=[tmp_path / "a"])
        write_whole("/dev/null", b"new", inputs=["/dev/null"])
        assert content_of(tmp_path) == {"a": b"new", "b": b"old", "c": b"new"}


class TestPermissions:
    """Who may do what with the new file."""

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755, 0o444 | 0o200, 0o4755, 0o2755, 0o1644, 0o7777])
    def test_they_are_those_of_the_old_file(self, tmp_path: Path, mode: int) -> None:
        """The permissions stay, but setuid, setgid and sticky, which were given to other content, go."""
        path = tmp_path / "file"
        path.write_bytes(b"old")
        path.chmod(mode)
        write_whole(path, b"new")
        assert stat.S_IMODE(path.stat().st_mode) == mode & 0o777

    def test_a_new_file_has_the_usual_ones(self, tmp_path: Path) -> None:
        """A new file has the permissions of any new file."""
        (tmp_path / "usual").touch()
        write_whole(tmp_path / "file", b"new")
        assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
    def test_the_owner_stays(self, tmp_path: Path) -> None:
        """A file that root writes for another user still belongs to that user."""
        path = tmp_path / "file"
        path.write_bytes(b"old")
        os.chown(path, 12345, 23456)
        path.chmod(0o6640)
        write_whole(path, b"new")
        found = path.stat()
        assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o640)

    @pytest.mark.parametrize(("group", "mode"), [("kept", 0o664), ("another", 0o604)])
    def test_whoever_may_not_give_it_away(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str, mode: int
    ) -> None:
        """The group stays if it can; where it cannot, another group does not get what was given to that one."""
        path = tmp_path / "file"
        path.write_bytes(b"old")
        path.chmod(0o664)

        def forbidden(_: int, user: int, __: int) -> None:
            if user != -1 or group == "another":
                raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "fchown", forbidden)
        write_whole(path, b"new")
        assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", mode)


class TestLeftovers:
    """What a process leaves behind when it is killed while it writes."""

    STALE = ".unless-0123456789abcdef.tmp"

    def test_they_are_swept(self, tmp_path: Path) -> None:
        """The next write removes what no process writes any more, and nothing else."""
        (tmp_path / self.STALE).write_bytes(b"half")
        others = [".unless-0123.tmp", "unless-0123456789abcdef.tmp", f"{self.STALE}.csv"]
        for name in others:
            (tmp_path / name).touch()
        write_whole(tmp_path / "file", b"new")
        assert set(content_of(tmp_path)) == {"file", *others}

    def test_what_is_being_written_stays(self, tmp_path: Path, temporary: str) -> None:
        """A file is not removed while another process or thread writes it."""
        with (tmp_path / self.STALE).open("wb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            with open_for_writing(tmp_path / "file") as file:
                file.write(b"new")
                write_whole(tmp_path / "second", b"new")
                assert len(list(tmp_path.glob(".unless-*"))) == 1 + (temporary == "named")
        assert content_of(tmp_path) == {"file": b"new", "second": b"new", self.STALE: b""}

    def test_names_that_are_no_files(self, tmp_path: Path) -> None:
        """A link, a pipe or a folder of such a name is left alone, and waits for nobody."""
        (tmp_path / "precious").write_bytes(b"old")
        (tmp_path / self.STALE).symlink_to("precious")
        os.mkfifo(tmp_path / self.STALE.replace("0", "1"))
        (tmp_path / self.STALE.replace("0", "2")).mkdir()
        write_whole(tmp_path / "file", b"new")
        assert (tmp_path / "precious").read_bytes() == b"old"
        assert len(list(tmp_path.iterdir())) == 5

    def test_many_at_once(self, tmp_path: Path) -> None:
        """Threads that write to one folder do not sweep each other's files away."""

        def write(number: int) -> None:
            for _ in range(40):
                write_whole(tmp_path / f"file{number % 5}", b"new")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        assert content_of(tmp_path) == {f"file{number}": b"new" for number in range(5)}

    def test_kill_at_random_moments(self, tmp_path: Path, temporary: str) -> None:
        """Whenever a process is killed, the file is an old one or a new one, and nothing piles up."""
        script = (
            "import sys; from unless import files\n"
            "if sys.argv[2] == 'named': files._unnamed = lambda *_: None\n"
            "print('ready', flush=True)\n"
            "while True: files.write_whole(sys.argv[1], sys.argv[3].encode() * 300_000)\n"
        )
        path, draw = tmp_path / "file", random.Random(0)
        path.write_bytes(b"0" * 300_000)
        for number in range(8):
            arguments = [sys.executable, "-c", script, str(path), temporary, str(number)]
            with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(draw.uniform(0, 0.05))
                process.kill()
            content = path.read_bytes()
            assert content == content[:1] * 300_000
            assert len(content_of(tmp_path)) <= 2  # of the file without a name, only between naming and renaming it
        write_whole(path, b"new")
        assert content_of(tmp_path) == {"file": b"new"}


def test_lines_are_added_to_the_end(tmp_path: Path) -> None:
    """A file is made if there is none, and every line is there whole, also if many processes write."""
    path = tmp_path / "log"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: append_line(path, f"{number} {'x' * 2000}\n"), range(200)))
    lines = path.read_text().splitlines()
    assert sorted(int(line.split()[0]) for line in lines) == list(range(200))
    assert {len(line.split()[1]) for line in lines} == {2000}


def test_no_line_is_added_to_what_is_read(tmp_path: Path) -> None:
    """A file that is read stays as it is, and a folder that is missing is said to be."""
    path = tmp_path / "data"
    path.write_text("old")
    with pytest.raises(OverwriteError):
        append_line(path, "new\n", [path])
    assert path.read_text() == "old"
    with pytest.raises(MissingFileError, match="no folder"):
        append_line(tmp_path / "none" / "log", "x\n")
    with pytest.raises(OSError, match="cannot write"):
        append_line(tmp_path, "x\n")
