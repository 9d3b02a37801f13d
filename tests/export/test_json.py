"""Programs as JSON: the format, what is refused and how, and files written whole or not at all."""

from __future__ import annotations

import json as standard
import math
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unless.errors import LimitError, MissingFileError, ProgramError, UnlessError
from unless.export import json
from unless.export.document_checks import shown
from unless.files import write_whole
from unless.limits import raised
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.values import Label


@pytest.fixture
def program() -> Program:
    """A small program with every operator and a nested exception."""
    inner = Rule(None, (Literal("city", "missing"),))
    outer = Rule(None, (Literal("city", "!=", "Oslo"), Literal("age", ">", 0.1)), (inner,))
    rules = (Rule("yes", (Literal("age", "<=", 30),), (outer,)), Rule("no", (Literal("city", "==", "Bærum"),)))
    return Program("buys", ("age", "city"), (*rules, Rule("no", (Literal("age", "present"),))), "maybe")


@pytest.fixture
def document(program: Program) -> dict[str, Any]:
    """The same program as a document, to be spoiled."""
    return json.to_dict(program)


def nested(depth: int) -> dict[str, Any]:
    """A document whose only rule nests ``depth`` deep."""
    body: dict[str, Any] = {"default": [], "exceptions": []}
    for _ in range(depth - 1):
        body = {"default": [], "exceptions": [body]}
    head = {"format": "unless-program", "version": 1, "target": "y", "features": []}
    return {**head, "rules": [{"label": "a", **body}]}


def test_the_format(program: Program) -> None:
    """A program is written as the documented keys, with literals as feature, operator and value."""
    assert json.to_dict(program) == {
        "format": "unless-program",
        "version": 1,
        "target": "buys",
        "features": ["age", "city"],
        "otherwise": "maybe",
        "rules": [
            {
                "label": "yes",
                "default": [["age", "<=", 30.0]],
                "exceptions": [
                    {
                        "default": [["city", "!=", "Oslo"], ["age", ">", 0.1]],
                        "exceptions": [{"default": [["city", "missing", None]], "exceptions": []}],
                    }
                ],
            },
            {"label": "no", "default": [["city", "==", "Bærum"]], "exceptions": []},
            {"label": "no", "default": [["age", "present", None]], "exceptions": []},
        ],
    }


def test_the_text_is_readable(program: Program) -> None:
    """A list or object is on one line where it fits; characters are written as they are."""
    assert json.dumps(program).splitlines() == [
        "{",
        '  "format": "unless-program",',
        '  "version": 1,',
        '  "target": "buys",',
        '  "features": ["age", "city"],',
        '  "otherwise": "maybe",',
        '  "rules": [',
        "    {",
        '      "label": "yes",',
        '      "default": [["age", "<=", 30.0]],',
        '      "exceptions": [',
        "        {",
        '          "default": [["city", "!=", "Oslo"], ["age", ">", 0.1]],',
        '          "exceptions": [{"default": [["city", "missing", null]], "exceptions": []}]',
        "        }",
        "      ]",
        "    },",
        '    {"label": "no", "default": [["city", "==", "Bærum"]], "exceptions": []},',
        '    {"label": "no", "default": [["age", "present", null]], "exceptions": []}',
        "  ]",
        "}",
    ]


@pytest.mark.parametrize(
    "label", ["a", "", "inf", "1", 1, 0, -(2**70), 1.0, 0.1, -0.0, 5e-324, True, False, math.inf, -math.inf], ids=repr
)
def test_labels_keep_their_type(label: Label) -> None:
    """A label comes back as what it was: True is not 1 is not 1.0 is not "1", and infinity is not "inf"."""
    program = json.loads(json.dumps(Program("y", (), (Rule(label),), label)))
    for back in (program.rules[0].head, program.otherwise):
        assert type(back) is type(label)
        assert repr(back) == repr(label)


@pytest.mark.parametrize("number", [math.inf, -math.inf, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 1 / 3, 2**60])
def test_numbers_are_kept_to_the_last_bit(number: float) -> None:
    """A bound comes back as the same float64, infinities spelled as text."""
    program = Program("y", ("f",), (Rule("a", (Literal("f", ">", number),)),))
    assert json.loads(json.dumps(program)) == program


def test_infinities_are_spelled_as_text() -> None:
    """JSON has no infinity: a bound spells it "inf", and a label {"float": "inf"}, since "inf" may be a label."""
    program = Program("y", ("f",), (Rule(math.inf, (Literal("f", "<=", -math.inf),)),))
    assert json.to_dict(program)["rules"] == [
        {"label": {"float": "inf"}, "default": [["f", "<=", "-inf"]], "exceptions": []}
    ]


def test_a_category_may_be_spelled_like_an_infinity() -> None:
    """The categories "inf" and "missing" stay categories."""
    program = Program("y", ("f",), (Rule("a", (Literal("f", "==", "inf"), Literal("f", "!=", "missing"))),))
    assert json.loads(json.dumps(program)) == program


def test_whole_numbers_may_be_written_without_a_point(document: dict[str, Any]) -> None:
    """A file written by hand may say 30 for 30.0."""
    document["rules"][0]["default"][0][2] = 30
    assert json.from_dict(document).rules[0].default[0].value == 30.0


def test_what_may_be_left_out(document: dict[str, Any]) -> None:
    """Without ``otherwise`` records that no rule covers get no label, and without ``exceptions`` a rule has none."""
    del document["otherwise"], document["rules"][1]["exceptions"]
    program = json.from_dict(document)
    assert program.otherwise is None
    assert program.rules[1].exceptions == ()


def test_a_model_is_read_as_its_program(program: Program, document: dict[str, Any]) -> None:
    """A model is a program with columns and statistics, which the program does not need."""
    columns = {"kinds": [["age", "number"]], "missing": ["?"], "named": True}
    statistics = {"learner": "any", "parameters": [], "classes": ["a"], "text": True, "counts": [[1.0]]}
    assert json.from_dict({**document, "columns": columns, "statistics": statistics}) == program


@pytest.mark.parametrize("text", ["\ud800", "x\udfff", "\u2028\u2029\x85\x7f", "\x00\n\t\"\\'", "\U0001f40b", "\ufeff"])
def test_odd_characters_survive(text: str, tmp_path: Path) -> None:
    """Names, categories and labels of any characters come back, lone surrogates too, and never break a line."""
    program = Program(f"y{text}", (text,), (Rule(text, (Literal(text, "==", text),)),))
    json.save(program, tmp_path / "p.json")
    assert json.load(tmp_path / "p.json") == program
    assert len(json.dumps(program).splitlines()) == json.dumps(program).count("\n") + 1


def test_two_surrogates_that_would_merge_are_refused() -> None:
    """A high and a low surrogate side by side would come back as another text, so they are refused."""
    program = Program("\ud83d" + "\udc0b", ())
    with pytest.raises(ProgramError, match=r"would read the two surrogates .* as one character; decode the data again"):
        json.dumps(program)


def test_long_lists_are_one_item_per_line() -> None:
    """Many features are written one per line, so that a diff shows the one that changed."""
    features = tuple(f"a feature with the number {number}" for number in range(10))
    assert '    "a feature with the number 3",' in json.dumps(Program("y", features)).splitlines()


SPOILS: list[tuple[list[str | int], object, str]] = [
    (["format"], "unless-relational", "are about connected things, so they need background knowledge"),
    (["format"], "unless-model", 'not a program of unless: its format is "unless-model"; a program starts with'),
    (["version"], 2, "version: 2 is newer than 1, the newest known here; update unless"),
    (["version"], 0, "version: expected the version 1, not 0"),
    (["version"], True, "version: expected the version 1, not true"),
    (["version"], "1", 'version: expected the version 1, not "1"'),
    (["target"], 3, "target: expected a text, not 3"),
    (["features"], "age", 'features: expected a list, not "age"'),
    (["features"], ["age", None], "features[1]: expected a text, not null"),
    (["features"], ["age", "city", "age"], 'features[2]: "age" appears twice; remove one'),
    (
        ["features"],
        ["age", "town"],
        'rules[0].exceptions[0].default[0][0]: "city" is not one of the features; there are',
    ),
    (["features"], ["age", "cities"], "\"city\" is not one of the features; did you mean 'cities'?"),
    (["otherwise"], ["a"], '{"float": "inf"} or {"float": "-inf"} or null, not a list of 1'),
    (["otherwise"], 3, "all labels of a program must be of one kind, not text ('no') and numbers (3)"),
    (["rules"], {}, "rules: expected a list, not an empty object"),
    (["rules", 1], [], "rules[1]: expected a rule: an object with label, default and exceptions, not a list of 0"),
    (["rules", 1, "label"], None, "rules[1].label: expected a label: a text, true or false, a number"),
    (["rules", 1, "label"], {"float": "nan"}, "rules[1].label: expected a label"),
    (["rules", 1, "label"], {"float": "inf", "x": 1}, 'not an object with "float", "x"'),
    (["rules", 1, "label"], 10**400, "rules[1].label: expected a label"),
    (["rules", 1, "label"], math.nan, "rules[1].label: expected a label"),
    (["rules", 1, "default"], None, "rules[1].default: expected a list, not null"),
    (["rules", 1, "default", 0], ["city", "=="], "rules[1].default[0]: expected a list of 3 items, not a list of 2"),
    (["rules", 1, "default", 0, 0], 7, "rules[1].default[0][0]: expected a text, not 7"),
    (
        ["rules", 1, "default", 0, 1],
        "=",
        'rules[1].default[0][1]: expected one of "!=", "<=", "==", ">", "missing", "present", not "="',
    ),
    (["rules", 1, "default", 0, 1], "is", 'expected one of "!=", "<=", "==", ">", "missing", "present", not "is"'),
    (["rules", 1, "default", 0, 2], 3, "rules[1].default[0][2]: expected a category, a text, after ==, not 3"),
    (["rules", 0, "default", 0, 2], "3", 'rules[0].default[0][2]: "3" is not a number, nor inf or -inf'),
    (["rules", 0, "default", 0, 2], True, "rules[0].default[0][2]: expected a finite number or a text or null, not"),
    (["rules", 0, "default", 0, 2], None, "rules[0].default[0][2]: expected a number after <=, not null"),
    (["rules", 0, "default", 0, 2], math.nan, "expected a finite number or a text or null, not NaN"),
    (["rules", 0, "default", 0, 2], math.inf, "expected a finite number or a text or null, not Infinity"),
    (["rules", 0, "default", 0, 2], 10**5000, "not an integer of 16610 bits"),
    (["rules", 2, "default", 0, 2], "x", 'rules[2].default[0][2]: expected null after present, not "x"'),
    (["rules", 0, "exceptions", 0, "label"], "x", 'rules[0].exceptions[0]: unknown key "label"; there are'),
    (["rules", 0, "exceptions", 0], None, "rules[0].exceptions[0]: expected an exception: an object with default"),
    (["rules", 0, "exception"], [], "rules[0]: unknown key \"exception\"; did you mean 'exceptions'?"),
    (["fetaures"], [], "unknown key \"fetaures\"; did you mean 'features'?"),
    (["rules", 1, "default", 0, 2], Path(), "expected a finite number or a text or null, not a Python "),
]


@pytest.mark.parametrize(("place", "value", "message"), SPOILS, ids=shown)
def test_what_is_wrong_is_named_shown_and_mended(
    document: dict[str, Any], place: list[str | int], value: object, message: str
) -> None:
    """A document with one wrong value is refused with the place, the value and what was expected."""
    *path, last = place
    inner: Any = document
    for step in path:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(ProgramError, match=re.escape(message)):
        json.from_dict(document)


@pytest.mark.parametrize("key", ["version", "target", "features", "rules"])
def test_a_missing_key_is_named(document: dict[str, Any], key: str) -> None:
    """A document without a key that it needs is refused with its name."""
    del document[key]
    with pytest.raises(ProgramError, match=f'^"{key}" is missing; add it$'):
        json.from_dict(document)


@pytest.mark.parametrize("found", [None, 3, [], "text", True])
def test_a_document_is_an_object(found: object) -> None:
    """A list, a text, a number or nothing is not a program."""
    with pytest.raises(ProgramError, match="expected a program: an object with format, version"):
        json.from_dict(found)


def test_other_objects_are_not_programs() -> None:
    """A JSON object of another kind is recognised before anything else is checked."""
    with pytest.raises(ProgramError, match='not a program of unless: it has no "format"; a program starts with'):
        json.from_dict({"dataset": "anneal"})


def test_only_what_can_be_read_is_written() -> None:
    """A program that the format cannot hold is refused when it is written, not when it is read."""
    with pytest.raises(ProgramError, match=r"label: expected a label.*not an integer of 1329 bits"):
        json.to_dict(Program("y", (), (Rule(10**400),)))
    with pytest.raises(ProgramError, match="target: expected a text, not 3"):
        json.to_dict(Program(3, ()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty; a program starts with {"),
        (" \n ", "it is empty"),
        ("{", "not JSON: Expecting property name.* at line 1, column 2"),
        ('{"format": "unless-program",\n "version" 1}', r"not JSON: Expecting ':' delimiter at line 2, column 12: "),
        ("{} {}", "not JSON: Extra data at line 1, column 4"),
        ('{"format": "unless-program", "a": NaN}', 'NaN is not JSON; an infinity is spelled "inf"'),
        ('{"format": "unless-program", "a": -Infinity}', "-Infinity is not JSON"),
        ('{"rules": [], "rules": []}', 'the key "rules" appears twice in an object with "rules"; remove one'),
        ('{"columns": {"a": 1, "a": 1}}', 'the key "a" appears twice'),
        ("9" * 5000, "the integer 9999999999… has 5000 digits"),
        ("[" * 100_000, "it nests too deep; exceptions may nest 200 deep"),
        ('{"exceptions": [' * 100_000, "it nests too deep"),
        ("[" * 100_000 + "]" * 100_000, "it nests too deep"),
        (b"\xff\xfe{}", "not UTF-8: byte 0xff at position 0; a program is JSON text, saved as UTF-8"),
        (b"\x80\x04\x95", "not UTF-8"),
        ("{}".encode("utf-16"), "not UTF-8"),
    ],
    ids=lambda part: str(part)[:30],
)
def test_texts_that_are_no_programs(text: str | bytes, message: str) -> None:
    """Text that is empty, broken, ambiguous, hostile or in another encoding is refused with the reason."""
    with pytest.raises(ProgramError, match=message):
        json.loads(text)


def test_a_byte_order_mark_is_passed_over(program: Program) -> None:
    """Files that an editor has saved with a byte order mark are read."""
    assert json.loads(b"\xef\xbb\xbf" + json.dumps(program).encode()) == program


def test_nesting_has_a_limit() -> None:
    """Exceptions nest 200 deep and no deeper, in text as in a document."""
    deepest = json.from_dict(nested(MAX_DEPTH))
    assert deepest.rules[0].depth == MAX_DEPTH
    assert json.loads(json.dumps(deepest)) == deepest
    for refuse in (json.from_dict, lambda document: json.loads(standard.dumps(document))):
        with pytest.raises(ProgramError, match=r"rules\[0\]: it nests too deep; exceptions may nest 200 deep"):
            refuse(nested(MAX_DEPTH + 1))


def test_minus_zero_is_zero(document: dict[str, Any]) -> None:
    """Minus zero in a file is read as zero."""
    document["rules"][0]["default"] = [["age", "<=", -0.0]]
    assert str(json.from_dict(document).rules[0].default[0]) == "age <= 0"


def test_size_has_a_limit(program: Program, tmp_path: Path) -> None:
    """A text or a file that is larger is refused before it is parsed, with the size and the way around."""
    json.save(program, tmp_path / "program.json")
    size = (tmp_path / "program.json").stat().st_size
    with raised(model=size):
        assert json.load(tmp_path / "program.json") == program
    with raised(model=size - 2):  # a letter of the program takes two bytes
        with pytest.raises(LimitError, match=r"program.json: too large for a model; the limit is .*raised\(model="):
            json.load(tmp_path / "program.json")
        for text in (json.dumps(program) + "\n", (tmp_path / "program.json").read_bytes()):
            with pytest.raises(LimitError, match="the text: too large for a model"):
                json.loads(text)


def test_what_is_no_text_is_refused() -> None:
    """A program is read from text or bytes; anything else is refused as such."""
    for wrong in (None, 3, {}):
        with pytest.raises(ProgramError, match="a program is JSON text, not"):
            json.loads(wrong)  # type: ignore[arg-type]


def test_hostile_nesting_in_a_document_is_refused() -> None:
    """A document nested 100,000 deep is refused without exhausting Python's stack, with a message of a few words."""
    for depth in (MAX_DEPTH + 1, 1_000, 100_000):
        with pytest.raises(ProgramError, match=r"^rules\[0\]: it nests too deep; exceptions may nest 200 deep$"):
            json.from_dict(nested(depth))


def test_other_types_than_those_of_json_are_named(document: dict[str, Any]) -> None:
    """A document made in Python holds JSON's types; a number of numpy is refused as what it is."""
    document["rules"][0]["default"][0][2] = np.float64(30)
    with pytest.raises(ProgramError, match=r"rules\[0\]\.default\[0\]\[2\]: .* not a Python float64"):
        json.from_dict(document)


def test_files_come_back(program: Program, tmp_path: Path) -> None:
    """What is saved is loaded again, by path or text, and the file ends with a newline."""
    path = tmp_path / "program.json"
    json.save(program, str(path))
    assert json.load(path) == json.load(str(path)) == program
    assert path.read_text("utf-8") == json.dumps(program) + "\n"
    assert os.listdir(tmp_path) == ["program.json"]  # noqa: PTH208 - hidden files too


def test_a_missing_file_is_named_with_its_nearest(program: Program, tmp_path: Path) -> None:
    """A file that does not exist is an error that suggests one that does."""
    json.save(program, tmp_path / "wine.json")
    with pytest.raises(MissingFileError, match=r"no file '.*vine\.json'; did you mean 'wine\.json'\?"):
        json.load(tmp_path / "vine.json")
    with pytest.raises(FileNotFoundError):
        json.load(tmp_path / "no folder" / "wine.json")


def test_errors_in_files_name_the_file(tmp_path: Path) -> None:
    """Whatever is wrong with a file, the message starts with its name."""
    (tmp_path / "empty.json").touch()
    with pytest.raises(ProgramError, match=r"empty\.json: it is empty"):
        json.load(tmp_path / "empty.json")
    with pytest.raises(ProgramError, match="cannot be read: Is a directory"):
        json.load(tmp_path)


def test_a_failure_leaves_the_old_file(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When writing fails, or is interrupted, the old file is as it was and nothing else is left behind."""
    path = tmp_path / "program.json"
    path.write_text("old")

    def fail(_: int) -> None:
        raise failure

    monkeypatch.setattr(os, "fsync", fail)
    for failure in (OSError(28, "No space left on device"), KeyboardInterrupt()):
        with pytest.raises(type(failure)) as caught:
            json.save(program, path)
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["program.json"]  # noqa: PTH208 - hidden files too
    failure = OSError(28, "No space left on device")
    with pytest.raises(OSError, match=r"cannot write the file: No space left on device: '.*program\.json'") as caught:
        json.save(program, path)
    assert caught.value.errno == 28


def test_an_invalid_program_leaves_the_old_file(tmp_path: Path) -> None:
    """A program that cannot be written does not touch the file."""
    path = tmp_path / "program.json"
    path.write_text("old")
    with pytest.raises(ProgramError):
        json.save(Program("y", (), (Rule(10**400),)), path)
    assert path.read_text() == "old"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """Writing into a folder that does not exist is an error that says so."""
    with pytest.raises(MissingFileError, match=r"no folder '.*there' to write 'x' to; create it first"):
        write_whole(tmp_path / "there" / "x", b"")
    assert issubclass(MissingFileError, UnlessError)


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    """Writing to a folder is refused by the system, and named."""
    with pytest.raises(IsADirectoryError, match="cannot write the file"):
        write_whole(tmp_path, b"")


def test_long_names_can_be_written(tmp_path: Path) -> None:
    """A file name as long as the system allows leaves room for the temporary file."""
    write_whole(tmp_path / ("n" * 255), b"content")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"content"


posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links and devices of POSIX")


@posix
def test_permissions_are_kept(tmp_path: Path) -> None:
    """A new file has the permissions of any new file, a rewritten one keeps its own."""
    ordinary, path = tmp_path / "ordinary", tmp_path / "path"
    ordinary.touch()
    write_whole(path, b"1")
    assert path.stat().st_mode == ordinary.stat().st_mode
    path.chmod(0o640)
    write_whole(path, b"2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@posix
def test_links_stay_links(tmp_path: Path) -> None:
    """Writing to a symbolic link writes the file that it points to, even if that does not exist yet."""
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to(Path("folder") / "file")
    for content in (b"1", b"2"):
        write_whole(link, content)
        assert link.is_symlink()
        assert (tmp_path / "folder" / "file").read_bytes() == content


@posix
def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    """A pipe or device is written to, not replaced by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b"content")
    assert os.read(reader, 100) == b"content"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write to any file")
def test_a_file_that_is_read_only_stays(tmp_path: Path) -> None:
    """A read-only file is not replaced behind its owner's back."""
    path = tmp_path / "path"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(path, b"new")
    assert path.read_text() == "old"
