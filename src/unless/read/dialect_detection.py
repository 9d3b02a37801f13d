"""Detect the dialect of a text file from its first bytes, in the same way for files and streams.

These rules apply to the records that begin within the first 32 kB:

- `encodings` detects the encoding.
- The delimiter is a comma, a semicolon, a tab or a bar: the sign with which most records have as many fields as the
  header, which names at least two columns. If several signs are equally good, the one that makes most cells numbers
  wins, then the one with most columns, then the usual one, and a guess is reported. If no sign fits, the usual one is.
- A column shows the decimal sign if at least half of its distinct cells are numbers and one of them is unambiguous:
  3,5 or 0,123 or 1.234,5, but not 1,234. If columns disagree, the majority decides, and a guess is reported.
- Signs are between thousands in cells like 1.234,5 or 1,234,567, or in a column where all cells are numbers. If all
  such cells are like 1,234 and nothing else shows what the comma means, they stay text, and a guess is reported.
  In an undeclared column such signs count only if all its cells are numbers.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from unless.errors import GuessWarning
from unless.read.dialect import PLAIN_NUMERALS, Numerals, Remarks, TextDialect, make_numerals
from unless.read.encodings import detect_encoding, find_odd_word
from unless.read.options import ReadOptions
from unless.values import DEFAULT_MISSING
from unless.values.notation import MONEY, with_unit

WINDOW = 1 << 15
"""The number of bytes of a file that are inspected."""

_DELIMITERS = (",", ";", "\t", "|")
_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_OTHER = {".": ",", ",": "."}
_GAPS = " \u00a0\u202f'’"  # between thousands, whatever the decimal sign
_GAP = re.compile(rb"[0-9](?: |'|\xc2\xa0|\xe2\x80[\xaf\x99])[0-9]{3}(?![0-9])")
_SIGN = re.compile(rf"[0-9],[0-9]|[0-9][{_GAPS}][0-9]{{3}}")
_WHOLE = re.compile(r"[+-]?[0-9]+(?:[eE][+-]?[0-9]+)?")
_FRACTION = re.compile(r"[+-]?([0-9]*)([.,])([0-9]*)(?:[eE][+-]?[0-9]+)?")
_GROUPED = re.compile(rf"[+-]?[1-9][0-9]{{0,2}}([.,{_GAPS}])[0-9]{{3}}((?:\1[0-9]{{3}})*)(?:(?!\1)([.,])[0-9]*)?")


def detect_dialect(
    start: bytes, usual: str, options: ReadOptions, *, where: str, numerals: Numerals | None = None, part: bool = False
) -> TextDialect:
    """Detect the dialect of a file from its first `WINDOW` bytes, or from all if there are fewer.

    ``usual`` is the usual delimiter of the format. ``numerals`` are known from other parts of the same table. For a
    ``part``, the result also tells whether its numerals are certain, for comparison with other parts.
    """
    final = len(start) < WINDOW
    found = detect_encoding(start, options.encoding, final=final)
    encoding, is_open = found or "utf-8", found is None
    if encoding == "utf-8" and not options.hints and numerals is None and not part and _is_plain(start, usual):
        return TextDialect(usual, usual=usual, is_open=is_open)
    text = _skip_lines(_decode_start(start, encoding, final=final), options.above)
    guesses = list(_guess_about_encoding(start, encoding, options))
    named = named_delimiter(text.partition("\n")[0].rstrip("\r"))
    delimiter, guess = options.delimiter or named, None
    if delimiter is None:
        delimiter, guess = _detect_delimiter(text, usual)
    rows = list(_read_records(text.partition("\n")[2] if named == delimiter else text, delimiter))
    style, shows_decimal, more = PLAIN_NUMERALS, False, list[GuessWarning]()
    if part or options.decimal or delimiter == ";" or any(_SIGN.search(cell) for row in rows for cell in row):
        style, shows_decimal, more = _find_numerals(rows, delimiter, options.decimal)
    guesses += [*([guess] if guess else []), *(more if shows_decimal or numerals is None else [])]
    doubtful = tuple(GuessWarning(f"{where}: {one.finding}", one.parameter, *one.choices) for one in guesses)
    return TextDialect(delimiter, numerals or style, encoding, usual, options, doubtful, shows_decimal, is_open)


def shared_numerals(parts: Mapping[str, TextDialect]) -> Numerals | str | None:
    """Find the numerals of all parts of a table; None if no part shows them, a message if parts disagree."""
    styles = [(name, part.numerals, part.shows_decimal) for name, part in reversed(list(parts.items()))]
    signs = {style.decimal: name for name, style, shows_decimal in styles if shows_decimal}
    if len(signs) > 1:
        return f"{signs[',']} has decimal commas, but {signs['.']} has decimal points"
    groups = {style.thousands: name for name, style, _ in styles if style.thousands}
    if len(groups) > 1:
        (one, first), (other, second) = list(groups.items())[:2]
        return f"{first} has {one!r} between thousands, but {second} has {other!r}"
    return make_numerals(next(iter(signs), "."), next(iter(groups), "")) if signs or groups else None


def merge_remarks(parts: Mapping[str, Remarks]) -> Remarks:
    """Merge the remarks about the parts of one table; remarks shared by all parts appear once."""
    guesses = tuple(guess for remarks in parts.values() for guess in remarks.guesses)
    firsts = {remarks.said: name for name, remarks in reversed(list(parts.items()))}
    if len(firsts) == 1:
        return Remarks(next(iter(firsts)), guesses)
    lines = (f"{name} {said}" for said, name in reversed(list(firsts.items())) if said)
    return Remarks("; ".join(lines), guesses)


def named_delimiter(line: str) -> str | None:
    """Return the delimiter that a first line for Excel names, such as sep=;."""
    return line[4] if len(line) == 5 and line.lower().startswith("sep=") else None


def _is_plain(start: bytes, usual: str) -> bool:
    """Whether the bytes contain no other delimiter, no comma in a number, and no gap between thousands."""
    others = [sign.encode() for sign in (*_DELIMITERS, '"') if sign != usual]
    if any(sign in start for sign in others):
        return False
    # Searching single bytes first takes 1 us; the pattern alone takes 300.
    return not any(sign in start for sign in (b" ", b"'", b"\xa0", b"\xe2")) or not _GAP.search(start)


def _decode_start(start: bytes, encoding: str, *, final: bool) -> str:
    """Decode whole lines; bytes that cannot be decoded are rejected later."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(start, final).removeprefix("\ufeff")
    return text if final else text[: max(text.rfind("\n"), text.rfind("\r")) + 1]


def _skip_lines(text: str, above: int) -> str:
    """Skip lines at the start of a text."""
    return "".join(io.StringIO(text, newline="").readlines()[above:]) if above else text


def _guess_about_encoding(start: bytes, encoding: str, options: ReadOptions) -> Iterator[GuessWarning]:
    if encoding == "cp1252" and options.encoding is None and (word := find_odd_word(start)) is not None:
        yield GuessWarning(f"read as cp1252, but {word!r} looks odd", "encoding", "cp1250", "cp1251", "cp1252")


# The delimiter.


def _detect_delimiter(text: str, usual: str) -> tuple[str, GuessWarning | None]:
    """Detect the delimiter; also return a guess to report if another delimiter fits equally well."""
    shares = {sign: share for sign in _DELIMITERS if (share := _share_of_fitting_records(text, sign)) > 0.5}
    best = [sign for sign in shares if shares[sign] == max(shares.values())]
    if usual in best and len(list(_read_records(text, usual))) < 2:
        return usual, None  # there are no records to misread
    if len(best) < 2:
        return (best[0] if best else usual), None
    first, second, *_ = sorted(best, key=lambda sign: _rank_delimiter(text, sign, usual), reverse=True)
    finding = f"fields may be separated by {_WORDS[first]} or {_WORDS[second]}; read with {_WORDS[first]}"
    return first, GuessWarning(finding, "delimiter", *("tab" if sign == "\t" else sign for sign in (first, second)))


def _share_of_fitting_records(text: str, sign: str) -> float:
    """Compute the share of records with as many fields as the header; 0 if the header has fewer than two names."""
    records = _read_records(text, sign)
    header = next(records, [])
    width = len(header)
    if width - header.count("") < 2:
        return 0.0
    widths = [len(record) for record in records]
    return widths.count(width) / len(widths) if widths else 1.0


def _rank_delimiter(text: str, sign: str, usual: str) -> tuple[float, int, bool]:
    """Rank a delimiter among equally fitting ones: by the share of numbers, the columns, and the usual sign."""
    header, *rows = _read_records(text, sign)
    cells = [cell.strip(" ") for row in rows for cell in row]
    return sum(map(_is_number, cells)) / max(len(cells), 1), len(header), sign == usual


def _read_records(text: str, delimiter: str) -> Iterator[list[str]]:
    """Read the records up to the first malformed one, which counts as having no fields."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end" not in str(error):
                yield []
            return
        if record:
            yield record


# Numbers.


def _is_number(cell: str) -> bool:
    """Whether a cell is a number in any numerals."""
    return bool(_WHOLE.fullmatch(cell) or _is_fraction(cell) or _GROUPED.fullmatch(cell))


def _is_fraction(cell: str) -> bool:
    found = _FRACTION.fullmatch(cell)
    return found is not None and bool(found[1] or found[3])


def _find_numerals(
    rows: Sequence[list[str]], delimiter: str, said: str | None
) -> tuple[Numerals, bool, list[GuessWarning]]:
    """Detect the numerals; also return whether cells show the decimal sign, and guesses to report."""
    columns, money = _number_columns(rows)
    shown_in = {name: _find_decimal_signs(cells, money=name in money) for name, cells in columns.items()}
    signs = {name: shown for name, shown in shown_in.items() if len(shown) == 1}
    commas = [name for name, shown in signs.items() if "," in shown]
    points = [name for name, shown in signs.items() if "." in shown]
    shows_decimal = said is not None or bool(signs)
    comma = len(commas) > len(points) or (len(commas) == len(points) > 0 and delimiter == ";")
    decimal = said or ("," if comma else ".")
    guesses = []
    if said is None and commas and points:
        guesses.append(_guess_about_decimals(commas[0], points[0], decimal))
    doubtful = None if shows_decimal else _guess_about_thousands(columns, delimiter)
    if doubtful is not None:
        return PLAIN_NUMERALS, False, [doubtful]
    return make_numerals(decimal, _detect_thousands_sign(columns, decimal)), shows_decimal, guesses


def detect_numerals(cells: Collection[str], *, money: bool) -> Numerals:
    """Detect the numerals of one column from its cells alone."""
    signs = _find_decimal_signs(cells, money=money)
    grouped = any(_GROUPED.fullmatch(cell) for cell in cells)
    if len(signs) > 1 or (grouped and not signs):
        return PLAIN_NUMERALS
    decimal = next(iter(signs), ".")
    return make_numerals(decimal, _detect_thousands_sign({"": cells}, decimal))


def _number_columns(rows: Sequence[list[str]]) -> tuple[dict[str, set[str]], set[str]]:
    """Find the distinct cells of the columns that may have numbers with signs, and flag amounts of money.

    Missing cells and units are left out.
    """
    if not rows:
        return {}, set()
    header, *body = rows
    found, money = {}, set()
    for name, cells in zip(header, zip(*(row for row in body if len(row) == len(header)), strict=True), strict=False):
        present = {cell.strip(" ") for cell in cells}.difference(DEFAULT_MISSING)
        if (unit := with_unit(sorted(present))) is not None:
            present = {bare if (bare := unit.bare(cell)) is not None else cell for cell in present}
            money |= {name} if unit.unit in MONEY else set()
        if 2 * sum(map(_is_number, present)) >= len(present) > 0 and not all(map(_WHOLE.fullmatch, present)):
            found[name] = present
    return found, money


def _find_decimal_signs(cells: Collection[str], *, money: bool = False) -> set[str]:
    """Find the decimal signs of unambiguous cells; amounts of money do not have three decimals."""
    found = set()
    for cell in cells:
        if grouped := _GROUPED.fullmatch(cell):
            gap, further, sign = grouped.groups()
            if sign:
                found.add(sign)
            elif (further or money) and gap in _OTHER:
                found.add(_OTHER[gap])
        elif _is_fraction(cell):
            found.add("," if "," in cell else ".")
    return found


def _detect_thousands_sign(columns: Mapping[str, Collection[str]], decimal: str) -> str:
    """Detect the sign between thousands: the most common in columns where it is unambiguous or all are numbers."""
    counts = dict.fromkeys(_OTHER[decimal] + _GAPS, 0)
    for cells in columns.values():
        found = [match for match in map(_GROUPED.fullmatch, cells) if match and match[1] in counts]
        for gap in {match[1] for match in found}:
            sure = any(match[1] == gap and (match[2] or match[3] == decimal) for match in found)
            style = make_numerals(decimal, gap)
            counts[gap] += sure or all(style.number_in(cell) is not None for cell in cells)
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ""


def _guess_about_thousands(columns: Mapping[str, Collection[str]], delimiter: str) -> GuessWarning | None:
    """Report a guess: 1,234 if the meaning of the comma is unknown, or 1.234 if semicolons separate fields."""
    for sign in (",", ".") if delimiter == ";" else (",",):
        for name, cells in columns.items():
            shown = sorted(cell for cell in cells if (found := _GROUPED.fullmatch(cell)) and found[1] == sign)
            if shown and all(map(_is_number, cells)):
                reading = "it stays text" if sign == "," else "read with a decimal point"
                finding = f"{shown[0]!r} in column {name!r} may be a thousand or a fraction; {reading}"
                return GuessWarning(finding, "decimal", ",", ".")
    return None


def _guess_about_decimals(comma: str, point: str, decimal: str) -> GuessWarning:
    words, other = ("commas", point) if decimal == "," else ("points", comma)
    finding = f"{comma!r} has decimal commas, {point!r} decimal points; read with decimal {words}: {other!r} stays text"
    return GuessWarning(finding, "decimal", ",", ".")
