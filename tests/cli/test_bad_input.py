"""Bad input, full disks, signals and strange terminals: a line or two that say what is wrong, never a traceback.

Every command meets every kind of bad file within this process; what concerns processes is tested on processes.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import pty
import re
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

import unless as library
from tests.cli.command import COMMAND, called, environment, started, unless, writes_in
from unless.cli.layout import shell_word
from unless.export import json as programs

pytestmark = pytest.mark.usefixtures("loans")

HOSTILE = "\x1b[2J\n[bold]'\"\u202e"

# How each command reads a table, and how a model; X is the file.
TABLES = {
    "inspect": "inspect X",
    "fit": "fit X --target decision -o fitted.json",
    "evaluate": "evaluate X --target decision --cv 2",
    "predict": "predict model.json X -o out.csv",
    "explain": "explain model.json X --row 1 --what-if",
    "report": "report model.json X -o page.html",
    "export": "export model.json --to clingo --records X",
    "diff": "diff old.json model.json X",
}
MODELS = {
    "show": "show X",
    "predict": "predict X new.csv -o out.csv",
    "explain": "explain X new.csv --row 1",
    "report": "report X applicants.csv -o page.html",
    "export": "export X --to python",
    "diff": "diff X model.json",
    "diff, the other": "diff model.json X",
}


def refused(run, lines: dict[str, str], file: str, *, code: int = 1) -> list[str]:
    """What the commands say of a file that they refuse: the same exit code, one or two lines, no output, no files."""
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    said = []
    for name, line in lines.items():
        done = run(*[file if word == "X" else word for word in line.split()])
        assert (done.code, done.out) == (code, ""), (name, done)
        assert done.err.startswith("unless: "), (name, done)
        assert len(done.err.splitlines()) <= 2, (name, done)
        assert "\x1b" not in done.err, (name, done)
        said.append(done.err)
    assert before == {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    return said


# Tables.


def test_a_missing_table(run):
    """A file that is not there is met with the name of one that is."""
    for said in refused(run, TABLES, "aplicants.csv"):
        assert said == "unless: no file 'aplicants.csv'; did you mean 'applicants.csv'?\n"


BAD_TABLES = {
    "binary.csv": (bytes(range(255, 0, -1)) * 20, "not UTF-16"),
    "empty.csv": (b"", "the file is empty"),
    "cut.csv.gz": (gzip.compress(b"age,decision\n1,a\n2,b\n")[:-9], "not a whole gzip file"),
    "cut.parquet": (b"PAR1" + bytes(100), "not a Parquet file"),
    "cut.xlsx": (b"PK\x03\x04junk", "Excel"),
    "cut.arrow": (b"ARROW1\0\0junk", "Arrow"),
    "cut.jsonl": (b'{"age": 1}\n{"age":', "line 2"),
    "data.xyz": (b"age\n3\n", "ends in '.xyz', which is no known format; say which format it has: --format csv, tsv, "),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_table_that_cannot_be_read(run, name):
    """A file that is binary, cut off, empty or of no known format is refused by all commands."""
    content, reason = BAD_TABLES[name]
    Path(name).write_bytes(content)
    for said in refused(run, TABLES, name):
        assert reason in said


def test_a_folder_without_data(run):
    """A folder is a table in parts; one without parts is refused."""
    Path("empty").mkdir()
    for said in refused(run, TABLES, "empty"):
        assert "is a folder without data files" in said


def test_a_wrong_target(run):
    """A target that is no column is met with the nearest one."""
    for command in ("inspect", "fit", "evaluate"):
        done = run(command, "applicants.csv", "--target", "desicion")
        assert (done.code, done.err) == (1, "unless: no column 'desicion'; did you mean 'decision'?\n")


def test_a_table_without_the_columns_of_the_model(run):
    """A table that lacks what the rules test is refused, with the column and those that are there."""
    Path("other.csv").write_text(Path("applicants.csv").read_text().replace("income", "incomes", 1))
    needing = {name: line for name, line in TABLES.items() if "model.json" in line}
    for said in refused(run, needing, "other.csv"):
        assert "no column 'income'; did you mean 'incomes'?" in said


def test_names_and_values_that_would_do_something_to_a_terminal(run):
    """Escape sequences, line breaks, quotes and markup in names, cells and labels are shown, never obeyed."""
    quoted = HOSTILE.replace('"', '""')
    rows = [f'"{quoted}{k % 3}",{k},"{quoted}{k > 20}"' for k in range(60)]
    Path("hostile.csv").write_text("\n".join([f'"{quoted}","n","y{quoted}"', *rows]))
    target = f"y{HOSTILE}"
    commands = [
        ["inspect", "hostile.csv", "--target", target],
        ["fit", "hostile.csv", "--target", target, "-o", "hostile.json"],
        ["evaluate", "hostile.csv", "--target", target, "--cv", "2"],
        ["show", "hostile.json"],
        ["show", "hostile.json", "--style", "paper"],
        ["explain", "hostile.json", "hostile.csv", "--row", "3", "--what-if", "--why-not", f"{HOSTILE}True"],
        ["explain", "hostile.json", "hostile.csv", "--row", "3", "--style", "tree"],
        ["explain", "hostile.json", "hostile.csv", "--row", "3", "--style", "rules"],
        ["diff", "hostile.json", "model.json"],
        ["predict", "hostile.json", "hostile.csv", "-o", "out.csv"],
        ["report", "hostile.json", "hostile.csv", "-o", "page.html"],
        ["inspect", f"{HOSTILE}.csv"],
        ["show", f"{HOSTILE}.json"],
        ["fit", "hostile.csv", "--target", HOSTILE[:-1]],
        ["explain", "hostile.json", "hostile.csv", "--row", HOSTILE],
        [HOSTILE],
    ]
    for command in commands:
        done = run(*command)
        assert "\x1b" not in done.out + done.err, command
        assert "\u202e" not in done.out + done.err, command


@pytest.mark.parametrize("text", [HOSTILE, "plain", "it's", "a b", "\x9b\x01f\u2028\\", "\udcff", "", "\U000e0001é"])
def test_commands_to_copy(text):
    """A name in a command that a person is told to run comes out of the shell as it was, and can be seen before."""
    word = shell_word(text)
    assert word.isprintable()
    done = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True, env=environment())
    assert done.stdout == text.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_a_negative_seed(run, command):
    """A seed below 0 is a wrong call, told in a line or two."""
    done = run(command, "applicants.csv", "-t", "decision", "--seed", "-1")
    assert (done.code, done.out, "Traceback" in done.err, "--seed" in done.err) == (2, "", False, True), done


def test_what_is_too_large(run, monkeypatch):
    """A file that unpacks to far more than its size is refused with the option that allows it; so is a wrong option."""
    Path("bomb.csv.gz").write_bytes(gzip.compress(b"age,decision\n" + b"0,0\n" * 500_000, 9))
    done = run("--limit", "unpacked=1MB", "inspect", "bomb.csv.gz")
    assert (done.code, done.out) == (1, "")
    assert re.fullmatch(
        r"unless: bomb\.csv\.gz: [12]\.\d+ kB that take 1\.\d+ MB or more, unpacked; the limit is 1 MB; "
        r"to allow it: unless --limit unpacked=\d\.\d+MB …\n",
        done.err,
    ), done.err
    assert run("inspect", "bomb.csv.gz").code == 0
    assert run("--limit", "labels=2", "fit", "applicants.csv", "-t", "decision").code == 1
    assert run("--limit", "model=1kB", "show", "model.json").err.endswith("to allow it: unless --limit model=2kB …\n")
    for wrong in ("unpacked", "unpackd=1", "unpacked=much"):
        done = run("--limit", wrong, "inspect", "applicants.csv")
        assert (done.code, done.out, "--limit" in done.err) == (2, "", True), done

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("unless.cli.inspect.profile_table", exhausted)
    done = run("inspect", "applicants.csv")
    assert (done.code, done.out, done.err.startswith("unless: there is not enough memory")) == (1, "", True)


# Models.


def test_a_missing_model(run):
    """A model that is not there is met with the name of one that is."""
    for said in refused(run, MODELS, "modle.json"):
        assert said == "unless: no file 'modle.json'; did you mean 'model.json'?\n"


def changed(**keys: object) -> bytes:
    """The model of the folder with other members."""
    return json.dumps({**json.loads(Path("model.json").read_text()), **keys}).encode()


def with_threshold(text: bytes) -> bytes:
    """Return the model file with another text for the number of the first literal that has one."""
    model = Path("model.json").read_bytes()
    found = re.search(rb'"(?:<=|>)", ([0-9.]+)\]', model)
    assert found
    return model[: found.start(1)] + text + model[found.end(1) :]


BAD_MODELS = {
    "newer": (lambda: changed(version=2), "version: 2 is newer than 1, the newest known here; update unless"),
    "no JSON": (lambda: b"rules, rules, rules", "not JSON"),
    "cut off": (lambda: Path("model.json").read_bytes()[:500], "not JSON"),
    "empty": (lambda: b"", "it is empty"),
    "binary": (lambda: bytes(range(256)), "not UTF-8"),
    "no model": (lambda: b'{"name": "package", "version": "1.0.0"}', "not a program of unless"),
    "a list": (lambda: b"[1, 2]", "expected a program"),
    "too deep": (lambda: b"[" * 100_000, "nests too deep"),
    "NaN": (lambda: with_threshold(b"NaN"), "NaN is not JSON"),
    "huge": (lambda: with_threshold(b"9" * 5000), "5000 digits"),
    "half a model": (lambda: changed(columns={}), "columns"),
    "wrong counts": (lambda: changed(statistics={}), "statistics"),
}


@pytest.mark.parametrize("kind", BAD_MODELS)
def test_a_model_that_is_none(run, kind):
    """A model that is newer, cut off, no JSON or made to harm is refused by every command, with what is wrong."""
    content, reason = BAD_MODELS[kind]
    Path("bad.json").write_bytes(content())
    for said in refused(run, MODELS, "bad.json"):
        assert said.startswith("unless: bad.json: ")
        assert reason in said


def test_a_table_in_place_of_a_model(run):
    """Who gives a table as a model is told how to make one."""
    for said in refused(run, MODELS, "applicants.csv"):
        assert said.startswith(
            "unless: applicants.csv is a table, not a model; to make one: unless fit applicants.csv "
        )


def test_a_folder_in_place_of_a_model(run):
    """A folder is no model."""
    Path("folder").mkdir()
    for said in refused(run, MODELS, "folder"):
        assert said == "unless: folder: cannot be read: Is a directory\n"


def test_json_without_numbers_that_json_lacks(run):
    """Infinite thresholds and cells are in no way NaN or Infinity in the documents."""
    rule = library.Rule("a", (library.Literal("n", "<=", float("inf")),))
    programs.save(library.Program("y", ("n",), (rule,), "b"), "infinite.json")
    Path("infinite.jsonl").write_text('{"n": 1e999, "y": "a"}\n{"n": -1e999, "y": "b"}\n{"n": null, "y": "a"}\n')

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for command in (
        ["show", "infinite.json"],
        ["explain", "infinite.json", "infinite.jsonl", "--row", "1-3", "--what-if", "--why-not", "b"],
        ["diff", "infinite.json", "model.json"],
        ["diff", "infinite.json", "infinite.json", "infinite.jsonl"],
        ["inspect", "infinite.jsonl", "--target", "y"],
        ["predict", "infinite.json", "infinite.jsonl", "-o", "out.jsonl"],
        ["fit", "infinite.jsonl", "--target", "y", "--test", "0"],
    ):
        done = run(*command, "--json")
        assert done.code == 0, (command, done.err)
        json.loads(done.out, parse_constant=refuse)


# Wrong usage.


@pytest.mark.parametrize(
    "command",
    [
        ["nothing"],
        ["show"],
        ["show", "model.json", "--style", "fancy"],
        ["show", "model.json", "--stile", "paper"],
        ["fit", "applicants.csv"],
        ["explain", "model.json", "new.csv", "--most", "0", "--row", "1"],
        ["export", "model.json"],
        ["learn", "zoo.lp", "--target", "habitat"],
        ["diff", "model.json"],
    ],
    ids=" ".join,
)
def test_wrong_usage(run, command):
    """A command that is called wrongly says how, where help is, and exits with 2."""
    done = run(*command)
    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith("unless: ")
    assert second.startswith("See unless")


# Writing.


WRITING = {
    "fit": "fit applicants.csv --target decision -o X",
    "predict": "predict model.json new.csv -o X",
    "report": "report model.json new.csv -o X",
    "export": "export model.json --to json -o X",
}


def test_a_folder_that_is_not_there(run):
    """A file in a folder that does not exist is refused, with the folder."""
    for command, line in WRITING.items():
        done = run(*line.replace("X", "nowhere/out.json").split())
        assert done.code == 1, command
        assert "nowhere" in done.err.splitlines()[-1], command


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(run):
    """A disk that is full is an error that names the file; on standard output too."""
    for command, line in WRITING.items():
        done = run(*line.replace("X", "/dev/full").split())
        assert done.code == 1, command
        assert done.err.splitlines()[-1].startswith("unless: /dev/full: "), command
    with Path("/dev/full").open("wb") as full:
        shown = subprocess.run([*COMMAND, "show", "model.json"], stdout=full, stderr=-1, check=False, env=environment())
    assert shown.returncode == 1
    assert shown.stderr.decode().splitlines()[-1] == "unless: No space left on device"


def test_a_disk_that_gets_full(loans):
    """If a file cannot be finished, the old one stays, and nothing else is left."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    old = Path("model.json").read_bytes()
    before = sorted(loans.iterdir())
    line = ["fit", "applicants.csv", "--target", "decision", "-o", "model.json"]
    env = environment({"PYTHONDONTWRITEBYTECODE": "1"})  # which it would cut off too
    done = subprocess.run([*COMMAND, *line], capture_output=True, preexec_fn=limit, check=False, env=env)
    assert done.returncode == 1
    assert done.stderr.decode() == "unless: model.json: cannot write the file: File too large\n"
    assert (Path("model.json").read_bytes(), sorted(loans.iterdir())) == (old, before)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.usefixtures("loans")
def test_little_address_space():
    """A limit of address space that libraries would abort at is refused before anything is read."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (700_000_000, 700_000_000))

    line = [*COMMAND, "fit", "applicants.csv", "--target", "decision"]
    done = subprocess.run(line, capture_output=True, preexec_fn=limit, check=False, env=environment())
    assert done.returncode == 1
    assert "GB more of address space" in done.stderr.decode()
    assert "ulimit -v unlimited" in done.stderr.decode()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_may_not_be_read_or_written(run):
    """Files without permission are refused."""
    Path("model.json").chmod(0)
    assert refused(run, {"show": "show X"}, "model.json") == ["unless: model.json: cannot be read: Permission denied\n"]
    Path("locked").mkdir(mode=0o555)
    done = run("export", "old.json", "--to", "json", "-o", "locked/out.json")
    assert (done.code, "Permission denied" in done.err) == (1, True)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_is_killed_while_it_writes(loans, number):
    """The old file stays, and nothing of the new one is left."""
    Path("out.csv").write_text("old")
    with subprocess.Popen(
        [*COMMAND, "predict", "model.json", "-", "-o", "out.csv"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        process.stdin.write(Path("new.csv").read_bytes())
        process.stdin.flush()  # and it waits for more
        waited(lambda: writes_in(process, loans))
        process.send_signal(number)
        process.stdin.close()
        process.wait()
    assert Path("out.csv").read_text() == "old"
    assert process.returncode == (128 + signal.SIGTERM if number == signal.SIGTERM else -signal.SIGKILL)
    assert not list(loans.glob(".unless-*.tmp"))


def waited(true, seconds: float = 60) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


# Signals and streams.


def test_ctrl_c():
    """Ctrl-C ends a command with 130 and one line; nothing is written."""
    os.mkfifo("slow.csv")
    for line in ("fit slow.csv --target decision -o out.json", "explain model.json slow.csv --row 1"):
        with started(*line.split()) as process:
            opened = os.open("slow.csv", os.O_WRONLY)  # waits until the command reads
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            os.close(opened)
            out, err = process.communicate()
        assert (process.returncode, out, err) == (130, "", "unless: interrupted\n")
    assert not Path("out.json").exists()


@pytest.mark.parametrize("line", ["show model.json", "export model.json --to clingo --records applicants.csv"])
def test_a_reader_that_has_gone(line):
    """A closed pipe ends the command silently, as of `unless show model.json | head`."""
    with started(*line.split()) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait()
        assert process.stderr is not None
        said = process.stderr.read()
    assert process.returncode in (0, 1)
    assert "Error" not in said
    assert "Exception" not in said


def test_streams_that_are_closed():
    """A shell may close any stream; what is written there is lost, and the exit code tells the rest."""
    for closing, code in (("show model.json >&-", 0), ("show model.json 2>&-", 0), ("show modle.json 2>&-", 1)):
        shell = f"{' '.join(COMMAND)} {closing}"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False, env=environment())
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), closing


def test_standard_input_that_is_a_terminal():
    """Who asks for standard input without piping anything into it is told so, rather than left waiting."""
    ours, theirs = pty.openpty()
    with contextlib.closing(os.fdopen(ours)), contextlib.closing(os.fdopen(theirs)):
        for line in ("show -", "inspect -", "explain model.json - --row 1"):
            done = subprocess.run(
                [*COMMAND, *line.split()], stdin=theirs, capture_output=True, text=True, check=False, env=environment()
            )
            assert (done.returncode, "nothing is piped into it" in done.stderr) == (1, True), line


def test_standard_input():
    """Models and tables come from standard input too."""
    model, table = (Path(name).read_bytes() for name in ("model.json", "new.csv"))
    assert unless("show", "-", input=model).stdout == called("show", "model.json").stdout
    done = called("explain", "model.json", "-", "--row", "8", input=table)
    assert done.stdout == called("explain", "model.json", "new.csv", "--row", "8").stdout
    done = called("show", "-", input="{}")
    assert (done.returncode, done.stderr.split(":")[1]) == (1, " standard input")


def test_a_model_that_is_too_large(run, monkeypatch):
    """It is refused with what may be read at most, and of a stream no more than that is read."""
    done = run("--limit", "model=2kB", "show", "model.json")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("unless: model.json: too large for a model; the limit is 2 kB")
    endless = io.BufferedReader(_Endless())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(endless))
    done = run("--limit", "model=2kB", "show", "-")
    assert done.err.startswith("unless: standard input: too large for a model; the limit is 2 kB")


class _Endless(io.RawIOBase):
    """A stream that never ends."""

    def readable(self):
        return True

    def readinto(self, buffer):
        buffer[:] = b" " * len(buffer)
        return len(buffer)


def test_a_locale_without_letters():
    """Where the terminal has no such letters they are escaped, in JSON as JSON does it; errors are still told."""
    poor = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    programs.save(
        library.Program("y", ("age",), (library.Rule("a", (library.Literal("age", "<=", 30),)),)), "program.json"
    )
    shown = unless("show", "program.json", env=poor)
    assert (shown.returncode, "if age \\u2264 30" in shown.stdout) == (0, True)
    Path("é.csv").write_text("é,decision\nü,日本\nö,x\n")
    document = unless("inspect", "é.csv", "--target", "decision", "--json", env=poor).stdout
    assert document.isascii()
    assert json.loads(document)["columns"][0]["name"] == "é"
    assert unless("show", "ü.json", env=poor).returncode == 1
