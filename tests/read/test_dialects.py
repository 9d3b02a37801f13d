"""European and office files, read as the slow reader reads them; guesses are right or doubted, and no cell changes."""

from __future__ import annotations

import csv
import gzip
import io
import re
import warnings
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.read.test_random_files import facts
from tests.read.test_random_tables import cells_of, naive_column
from tests.shared import SHARED, needs_shared
from unless.errors import GuessWarning, ParameterError, ReadError, UnknownNameError
from unless.read.dialect import Numerals
from unless.read.dialect_detection import WINDOW, detect_dialect
from unless.read.options import ReadOptions
from unless.read.table import column_names, read_table
from unless.rule import Literal, Program, Rule
from unless.stream import predict_file
from unless.values import DEFAULT_MISSING, Value, missing_among, parse_number

DELIMITERS = st.sampled_from([",", ";", "\t", "|"])
DECIMALS = st.sampled_from([".", ","])
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
QUOTINGS = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
FRACTIONS = st.sampled_from(["1.5", "-0.25", "3", "1e5", "12345.678", ".5", "5.", "+7.0625", "1.5e-3", "0.125"])
HOSTILE = st.one_of(
    st.sampled_from(
        ["", "?", "NA", "x", "007", "1.5", "1,5", "a,b", "a;b", "a|b", "a\tb", "a\nb", "a\r\nb", '"', '""']
    ),
    st.sampled_from(
        ["1_0", "inf", "nan", "1,2,3", "1.2.3", ",", ".", "-", "1,5 kg", "0,123", " 1,5", "1,5 ", "ä", "é½"]
    ),
    st.text(alphabet="aäß 1,.;|\t'\"", max_size=4),
)


def written(
    rows: list[list[str]], delimiter: str, encoding: str, quoting: Any = csv.QUOTE_MINIMAL, ending: str = "\n"
) -> bytes:
    """Rows as the bytes of a file."""
    text = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if ending == "\r" else quoting  # else the csv module does not quote line feeds
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=ending).writerows(rows)
    return text.getvalue().encode(encoding)


def slow_number(cell: str, decimal: str) -> float | None:
    """What a cell without thousands means, one by one."""
    if decimal == ".":
        return parse_number(cell)
    return None if "." in cell else parse_number(cell.replace(",", "."))


def slow_column(cells: list[str], decimal: str) -> list[Value]:
    """A column by the rules, as if its numbers had been written plainly and its other cells were as they are."""
    numbers = {cell: slow_number(cell, decimal) for cell in cells}
    # Spelled so that the slow reader of plain files takes it for the same number, or for no number.
    # Spaces keep two spellings of a number apart, since distinct cells count.
    plain = {
        cell: f"text {cell}"
        if number is None
        else cell.replace(decimal, ".")
        if _is_padded(cell)
        else " " * place + repr(number)
        for place, (cell, number) in enumerate(numbers.items())
    }
    kept = {cell: cell if cell in missing_among([cell], DEFAULT_MISSING) else plain[cell] for cell in cells}
    found = naive_column([kept[cell] for cell in cells], None, DEFAULT_MISSING)
    return [cell if isinstance(value, str) else value for cell, value in zip(cells, found, strict=True)]


def _is_padded(cell: str) -> bool:
    return re.match(" *[+-]?0[0-9]", cell) is not None


@settings(max_examples=100, deadline=None)
@given(st.data(), st.one_of(DELIMITERS, st.sampled_from(" :~")), DECIMALS, ENCODINGS, QUOTINGS, ENDINGS)
def test_told(data: st.DataObject, delimiter: str, decimal: str, encoding: str, quoting: int, ending: str) -> None:
    """A file of any cells, read as the caller says it is written, has the cells that the slow reader finds."""
    kinds = data.draw(st.lists(st.sampled_from([HOSTILE, FRACTIONS]), min_size=2, max_size=4))
    grid = data.draw(st.lists(st.tuples(*kinds).map(list), min_size=1, max_size=9))
    grid = [
        [cell.replace(".", decimal) if kind is FRACTIONS else cell for cell, kind in zip(row, kinds, strict=True)]
        for row in grid
    ]
    names = [f"c{place}" for place in range(len(kinds))]
    content = written([names, *grid], delimiter, encoding, quoting, ending)
    told = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding}
    if detect_dialect(content, ",", ReadOptions(delimiter=delimiter, decimal=decimal), where="").numerals.thousands:
        return  # tested below
    table = read_table(content, format="csv", **told)  # type: ignore[arg-type]
    assert len(table) == len(grid)
    for place, name in enumerate(names):
        assert cells_of(table, name) == slow_column([row[place] for row in grid], decimal)


NUMBERS = st.integers(-(10**7), 10**7).map(lambda number: number / 16)
LETTERS = st.text(alphabet='abcäöüßéñ ;,|\t"', min_size=1, max_size=6)
WORDS = st.one_of(
    st.sampled_from(["Zürich", "Genève", "Århus", "a;b|c", "d,e\tf", 'say "x"', "", "two\nlines"]),
    LETTERS.filter(lambda word: not re.search("[äöüßéñ]{3}", word)),  # which would be doubted
)
GROUPS = st.sampled_from(["", "other", " ", "\u00a0", "'"])


def grouped(number: float, decimal: str, group: str) -> str:
    """A number as people write it."""
    whole, _, fraction = f"{abs(number):,.4f}".partition(".")
    return "-" * (number < 0) + whole.replace(",", group) + decimal + fraction


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(NUMBERS, WORDS, NUMBERS, WORDS), min_size=3, max_size=12),
    DELIMITERS, DECIMALS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]), QUOTINGS, ENDINGS, GROUPS,
)  # fmt: skip
def test_sniffed(  # noqa: PLR0917 - as many as there are ways to write
    grid: list[tuple[Any, ...]], delimiter: str, decimal: str, encoding: str, quoting: int, ending: str, group: str
) -> None:
    """A table that is written in any way is read as what was written, without being told how."""
    group = {"other": "," if decimal == "." else "."}.get(group, group)
    names = ["width", "Stadt", "Höhe", "note"]
    grid = [(1234567.5, "Köln", 0.5, "x"), *grid]  # so that there is something to see
    rows = [[grouped(a, decimal, group), b, grouped(c, decimal, ""), d] for a, b, c, d in grid]
    content = written([names, *rows], delimiter, encoding, quoting, ending)
    table = read_table(content, format="csv")
    cells = [[None if isinstance(cell, str) and not cell.strip(" ") else cell for cell in row] for row in grid]
    expected = read_table([dict(zip(names, row, strict=True)) for row in cells])
    assert facts(table) == facts(expected)
    found = detect_dialect(content, ",", ReadOptions(), where="")
    assert (found.delimiter, found.numerals) == (delimiter, Numerals(decimal, group))
    plain = (delimiter, decimal, group) == (",", ".", "") and encoding in ("utf-8", "utf-8-sig")
    assert bool(table.read_as) is not plain
    assert column_names(content, format="csv") == names


@needs_shared
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_known_data_in_other_dialects(encoding: str) -> None:
    """Known data written with semicolons and decimal commas is the same table, without being told."""
    paths = [path for path in sorted((SHARED.root / "data").glob("*.csv")) if path.stat().st_size < 400_000]
    assert len(paths) > 15
    for path in paths:
        if "ragged" in path.name:
            continue
        original = read_table(path)
        with path.open(encoding="utf-8-sig", newline="") as file:
            names, *rows = (row for row in csv.reader(file) if row)
        numeric = [original.column(name).kind != "text" for name in names]
        european = [
            [
                cell.replace(".", ",") if kind and parse_number(cell) is not None else cell
                for cell, kind in zip(row, numeric, strict=True)
            ]
            for row in rows
        ]
        found = read_table(written([names, *european], ";", encoding), format="csv")
        assert facts(found) == facts(original), path.name
        assert found.read_as.startswith("read as semicolon-separated")


def read(text: str, written_in: str = "utf-8", **options: Any) -> Any:
    """A CSV file with this text, as a table."""
    return read_table(text.encode(written_in), format="csv", **options)


class TestSaid:
    """What is unusual is said in one line; a plain file says nothing."""

    @pytest.mark.parametrize(
        ("text", "encoding", "said"),
        [
            ("a,b\n1.5,x\n", "utf-8", ""),
            ("a,b\n1.5,ä\n", "utf-8-sig", ""),
            ("a;b\n1,5;ä\n", "cp1252", "read as semicolon-separated, decimal comma, cp1252"),
            ("a;b\n1.234,5;x\n", "utf-8", "read as semicolon-separated, decimal comma, points between thousands"),
            ("a\tb\n1\t2\n", "utf-16", "read as tab-separated, UTF-16"),
            ("a|b\n1|2\n", "utf-16-le", "read as bar-separated, UTF-16"),
            ('a,b\n"1,234.5",2\n', "utf-8", "read as comma-separated, commas between thousands"),
            ("a,b\n1 234,2\n12,3\n", "utf-8", "read as comma-separated, spaces between thousands"),
        ],
    )  # fmt: skip
    def test_line(self, text: str, encoding: str, said: str) -> None:
        """The line names what differs from UTF-8 with commas."""
        assert read(text, encoding).read_as == said

    def test_what_is_told_is_not_said(self) -> None:
        """The caller knows what the caller told."""
        assert read("a;b\n1,5;x\n", delimiter=";").read_as == "read as decimal comma"
        assert read("a;b\n1,5;x\n", delimiter=";", decimal=",").read_as == ""

    def test_the_line_stays_with_rows(self) -> None:
        """Some rows of a table were read as all were."""
        assert read("a;b\n1,5;x\n2;y\n")[:1].read_as == "read as semicolon-separated, decimal comma"


class TestDoubts:
    """A guess that may be wrong is a warning that says how to overrule it, and overruling ends it."""

    def test_two_delimiters(self) -> None:
        """Where commas and semicolons separate equally well, numbers decide."""
        text = "x;y,z\n1,5;2\n"
        with pytest.warns(GuessWarning, match=r"semicolons or commas; read with semicolons.*delimiter=';' or ','"):
            assert read(text).features == ("x", "y,z")
        assert read(text, delimiter=",").features == ("x;y", "z")

    @pytest.mark.parametrize(("decimal", "value"), [(",", 1.234), (".", 1234.0)])
    def test_a_thousand_or_a_fraction(self, decimal: str, value: float) -> None:
        """1,234 stays text until somebody says what the comma is."""
        text = "a;b\n1,234;x\n2,500;y\n"
        with pytest.warns(GuessWarning, match=r"'1,234' in column 'a' may be a thousand or a fraction; it stays text"):
            assert read(text).record(0)["a"] == "1,234"
        assert read(text, decimal=decimal).record(0)["a"] == value

    @pytest.mark.parametrize(("decimal", "value"), [(",", 1234.0), (".", 1.234)])
    def test_a_point_where_semicolons_separate(self, decimal: str, value: float) -> None:
        """1.234 is a fraction, as ever, but among semicolons it is doubted."""
        text = "a;b\n1.234;x\n2.500;y\n"
        with pytest.warns(GuessWarning, match=r"'1.234' in column 'a'.*read with a decimal point"):
            assert read(text).record(0)["a"] == 1.234
        assert read(text, decimal=decimal).record(0)["a"] == value
        assert read(text.replace(";", ",")).record(0)["a"] == 1.234  # a plain file is not doubted

    def test_another_cell_settles_it(self) -> None:
        """One number that can be read in one way only tells about all."""
        assert read("a;b\n1,234;0,5\n2,500;7\n").record(0)["a"] == 1.234
        assert read('a,b\n"1,234",0.5\n"2,500",7\n').record(0)["a"] == 1234.0

    def test_columns_that_disagree(self) -> None:
        """Commas in one column and points in another are doubted; the cells of one stay as they are written."""
        with pytest.warns(GuessWarning, match="'a' has decimal commas, 'b' decimal points; read with decimal commas"):
            assert read("a;b\n1,5;2.5\n").record(0) == {"a": 1.5, "b": "2.5"}
        assert read("a;b\n1,5;2.5\n", decimal=".").record(0) == {"a": "1,5", "b": 2.5}

    @pytest.mark.parametrize(
        ("text", "encoding"),
        [("Mo\u017ce", "cp1250"), ("\u041f\u0440\u0438\u0432\u0435\u0442", "cp1251"), ("caf\u00e9", "mac-roman")],
    )
    def test_other_alphabets(self, text: str, encoding: str) -> None:
        """Words that look odd in cp1252 are shown."""
        content = f"a;b\n1;{text}\n"
        with pytest.warns(GuessWarning, match="read as cp1252, but '.*' looks odd; to overrule: encoding="):
            read(content, encoding)
        assert read(content, encoding, encoding=encoding).record(0)["b"] == text

    def test_common_words_are_not_doubted(self) -> None:
        """Western words with accents, quotes and signs are nothing odd."""
        words = "Müller Ångström naïve Zoë François ÜBER l’été 5 € 20 °C „so“ – ½ £5 El Niño ¿qué? Škoda œuvre Straße"
        assert read(f"a;b\n1;{words}\n", "cp1252").record(0)["b"] == words


class TestEncodings:
    """Letters are what was written, and bytes that are no letters are refused."""

    def test_undefined_bytes_stay_apart(self) -> None:
        """The five bytes that cp1252 does not define are five different characters."""
        rows = b"".join(bytes([byte]) + b"x;1\n" for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D))
        table = read_table(b"a;b\n" + rows, format="csv", encoding="cp1252")
        assert table.column("a").categories == ("\x81x", "\x8dx", "\x8fx", "\x90x", "\x9dx")

    @pytest.mark.parametrize("late", [b"\xe9", b"\xc3\xa9"])
    def test_letters_far_down(self, tmp_path: Path, late: bytes) -> None:
        """The first line beyond ASCII tells the encoding, wherever it is, also in a packed file."""
        content = b"a,b\n" + b"1,x\n" * WINDOW + b"2,caf" + late + b"\n"
        path = tmp_path / "d.csv"
        path.write_bytes(content)
        (tmp_path / "d.csv.gz").write_bytes(gzip.compress(content))
        for one in (path, tmp_path / "d.csv.gz"):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                table = read_table(one)
            assert table.column("b").categories == ("café", "x")
            assert [str(one.message).count("a later one is not UTF-8; read as cp1252") for one in told] == [1] * (
                late == b"\xe9"
            )
            assert table.read_as == ("read as comma-separated, cp1252" if late == b"\xe9" else "")

    def test_damaged_utf_8_is_refused(self) -> None:
        """A file with letters of UTF-8 is not read as anything else because some are broken."""
        with pytest.raises(ReadError, match=r"line 3: the byte 0xe9 is not UTF-8; .* which encoding it has"):
            read_table("a,b\n1,ä\n".encode() + b"2,\xe9\n", format="csv")

    def test_told_but_wrong(self) -> None:
        """Bytes that the encoding does not have are named with their line."""
        with pytest.raises(ReadError, match="line 3: the bytes 0x80 are not shift_jis"):
            read_table(b"a,b\n1,x\n2,\x80\n", format="csv", encoding="shift_jis")

    def test_json_lines(self) -> None:
        """JSON lines may be UTF-16, as some shells write them."""
        table = read_table('{"a":"é"}\n'.encode("utf-16"), format="jsonl")
        assert (table.record(0), table.read_as) == ({"a": "é"}, "read as UTF-16")
        assert column_names('{"a":"é"}\n'.encode("utf-16"), format="jsonl") == ["a"]


class TestCells:
    """Numbers are numbers, and text is spelled as in the file."""

    def test_thousands_only_where_all_cells_fit(self) -> None:
        """A version number beside 1.234 keeps both as text, though the file has points between thousands."""
        table = read("a;b;c\n1.234,5;1.234;1.2.3\n2.000,5;1.2.3;4\n")
        assert [table.record(row)["b"] for row in (0, 1)] == ["1.234", "1.2.3"]
        assert table.record(0)["a"] == 1234.5

    def test_declared_columns_are_obeyed(self) -> None:
        """A category is never a number, and a numeric column has every number that it spells."""
        text = "a;b\n1,5;1.234,5\n2,5;none\n"
        table = read(text, categorical=["a"], numeric=["b"])
        assert table.record(0) == {"a": "1,5", "b": 1234.5}
        assert table.record(1) == {"a": "2,5", "b": "none"}

    def test_thousands_of_different_numbers(self) -> None:
        """Many numbers with points between thousands are read as few are."""
        numbers = [1000 + 7 * place + 0.25 for place in range(3000)]
        text = "a;b\n" + "".join(f"{grouped(number, ',', '.')};1.1.2020\n" for number in numbers)
        assert cells_of(read(text), "a") == numbers
        assert cells_of(read(text.replace(".", "", 1)), "a") == numbers

    @example(".5")
    @given(st.text(alphabet="0123456789.,' eE+-", max_size=9))
    def test_numerals(self, text: str) -> None:
        """A text is a number with a decimal comma if it is one with a decimal point, signs exchanged."""
        exchanged = text.translate({ord("."): ",", ord(","): "."})
        for group in ("", "'"):
            assert Numerals(",", group).number_in(text) == Numerals(".", group).number_in(exchanged)
        assert Numerals(",", ".").number_in(text) == Numerals(".", ",").number_in(exchanged)
        assert Numerals().number_in(text) == parse_number(text)

    def test_a_batch_in_another_dialect(self) -> None:
        """A table is read like an earlier one, each in its own dialect."""
        european = read("a;b\n1,5;x\n2,25;y\n")
        american = read("a,b\n1.5,x\n2.25,z\n", like=european)
        assert cells_of(american, "a") == cells_of(european, "a") == [1.5, 2.25]
        assert cells_of(read("a;b\n1,5;x\n", like=american), "a") == [1.5]


class TestFolders:
    """Parts have their own delimiters and encodings, but one way to write numbers."""

    def test_parts_that_do_not_tell_follow_those_that_do(self, tmp_path: Path) -> None:
        """Whole numbers tell nothing; a part with 1.234 is read as another part tells."""
        (tmp_path / "1.csv").write_bytes("a;b\n1.234;ä\n".encode())
        (tmp_path / "2.csv").write_bytes("a\tb\n2,5\tü\n".encode("cp1252"))
        (tmp_path / "3.csv").write_bytes(b"a,b\n7,x\n")
        (tmp_path / "4.csv").write_bytes(b"a;b\n2.234,5;x\n")
        table = read_table(tmp_path)
        assert cells_of(table, "a") == [1234.0, 2.5, 7.0, 2234.5]
        assert cells_of(table, "b") == ["ä", "ü", "x", "x"]
        assert "2.csv read as tab-separated" in table.read_as

    def test_parts_that_tell_nothing_are_doubted(self, tmp_path: Path) -> None:
        """1,234 in all parts is doubted in each."""
        (tmp_path / "1.csv").write_bytes(b"a;b\n1,234;x\n")
        (tmp_path / "2.csv").write_bytes(b"a;b\n1,500;x\n")
        with pytest.warns(GuessWarning, match=r"\d\.csv: '1,\d{3}' in column 'a' may be") as told:
            assert cells_of(read_table(tmp_path), "a") == ["1,234", "1,500"]
        assert len(told) == 2
        assert cells_of(read_table(tmp_path, decimal=","), "a") == [1.234, 1.5]

    def test_parts_that_disagree(self, tmp_path: Path) -> None:
        """Commas in one part and points in another are refused."""
        (tmp_path / "1.csv").write_bytes(b"a;b\n1,5;x\n")
        (tmp_path / "2.csv").write_bytes(b"a;b\n1.5;x\n")
        with pytest.raises(ReadError, match=r"1\.csv has decimal commas, but 2\.csv has decimal points"):
            read_table(tmp_path)


class TestSheets:
    """A sheet by its name or its number; by default the first one that a person sees."""

    @pytest.fixture
    def book(self, tmp_path: Path) -> Path:
        """A workbook with two sheets that have cells, one that has none, and a hidden one."""
        book = openpyxl.Workbook()
        for name, cell in (("Daten", 1), ("leer", None), ("2", 3), ("versteckt", 4)):
            sheet = book.create_sheet(name)
            for row in [] if cell is None else [["a"], [cell]]:
                sheet.append(row)
        book["versteckt"].sheet_state = "hidden"
        book.remove(book.worksheets[0])
        book.save(tmp_path / "d.xlsx")
        return tmp_path / "d.xlsx"

    @pytest.mark.parametrize(
        ("sheet", "value"), [(None, 1), ("Daten", 1), (1, 1), ("1", 1), ("2", 3), (3, 3), ("versteckt", 4)]
    )
    def test_sheet(self, book: Path, sheet: str | int | None, value: int) -> None:
        """A name comes before a number."""
        assert read_table(book, sheet=sheet).record(0)["a"] == value
        assert column_names(book, sheet=sheet) == ["a"]

    def test_said(self, book: Path) -> None:
        """If another sheet has cells, it is said which one was read."""
        assert read_table(book).read_as == "read the first sheet, 'Daten'; '2' has cells too: name the sheet to read it"
        assert read_table(book, sheet="Daten").read_as == ""

    @pytest.mark.parametrize("sheet", ["Datum", 9, 0, "0"])
    def test_unknown(self, book: Path, sheet: str | int) -> None:
        """A sheet that is not there is an error that names those that are."""
        with pytest.raises(UnknownNameError, match=f"no sheet {sheet!r}; (did you mean|there are) 'Daten'"):
            read_table(book, sheet=sheet)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": ";;"}, "a delimiter is one sign.*not ';;'"),
        ({"delimiter": '"'}, "a delimiter is one sign"),
        ({"delimiter": "§"}, "a delimiter is one sign"),
        ({"decimal": ";"}, r"the decimal sign is '\.' or ',', not ';'"),
        ({"encoding": "cp125"}, "no encoding 'cp125'; did you mean 'cp125[0-9]'"),
        ({"encoding": "base64"}, "'base64' is not an encoding of text"),
        ({"sheet": "x"}, "the sheet is for Excel files, and this one is CSV"),
        ({"sheet": True}, "a sheet is its name, or its number"),
    ],
)  # fmt: skip
def test_told_what_makes_no_sense(options: dict[str, Any], words: str) -> None:
    """What cannot be is refused, with what can."""
    with pytest.raises(ParameterError, match=words):
        read_table(b"a,b\n1,2\n", format="csv", **options)
    with pytest.raises(ParameterError, match=words):
        column_names(b"a,b\n1,2\n", format="csv", **options)


def test_told_about_what_is_no_text() -> None:
    """Formats that say all themselves, and frames, take no such options."""
    with pytest.raises(ParameterError, match="the decimal is for CSV or TSV files, and this one is JSON lines"):
        read_table(b'{"a":1}\n', format="jsonl", decimal=",")
    with pytest.raises(ParameterError, match="delimiter= is for files and bytes, not for list"):
        read_table([{"a": 1}], delimiter=";")


def test_tabs_have_names() -> None:
    """A tab is hard to type."""
    for tab in ("tab", "\\t", "\t"):
        assert read("a\tb\n1\t2\n", delimiter=tab).features == ("a", "b")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("sign", [",", ";", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_line_for_excel(ending: str, sign: str, encoding: str) -> None:
    """A first line that names the delimiter, as Excel wants it, is no record, in predictions from files either."""
    lines = [f"sep={sign}", f"a{sign}b", f"1{sign}x", f"2{sign}y", ""]
    data = ending.join(lines).encode(encoding)
    table = read_table(data, format="csv")
    assert table.features == ("a", "b")
    assert [table.record(row) for row in range(len(table))] == [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}]
    program = Program("y", ("a",), (Rule("low", (Literal("a", "<=", 1.0),)),), "high")
    out = io.BytesIO()
    predict_file(program, io.BytesIO(data), out, format="csv", to="csv", block=16)
    fields = [["sep=", ""], ["a", "b", "predicted", "rule"], ["1", "x", "low", "1"], ["2", "y", "high", ""]]
    added = [*map(sign.join, fields), ""]
    assert out.getvalue().decode(encoding) == ending.join(added)


def test_a_column_called_like_the_line_for_excel() -> None:
    """A name that only begins like that line is a name."""
    assert read_table(b"sep=,b\n1,2\n", format="csv").features == ("sep=", "b")
    assert read_table(b"sep=x\n1\n", format="csv", delimiter=",").features == ("sep=x",)


def test_a_column_of_another_sheet(tmp_path: Path) -> None:
    """An error about a column that the first sheet lacks says that another sheet has cells too."""
    book = openpyxl.Workbook()
    book.active.append(["notes"])
    other = book.create_sheet("Data")
    other.append(["a", "y"])
    other.append([1, "x"])
    book.save(tmp_path / "two.xlsx")
    with pytest.raises(UnknownNameError, match=r"no column 'y'; there are 'notes' .*'Data' has cells too"):
        read_table(tmp_path / "two.xlsx", "y")
    assert read_table(tmp_path / "two.xlsx", "y", sheet="Data").features == ("a",)
