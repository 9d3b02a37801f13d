"""JavaScript for what `values.value_of` and `values.read_as` mean: what an exported function begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable

from unless.errors import ParameterError
from unless.export.cell_readers import with_needs
from unless.values import NUMBER_FORM
from unless.values.notation import DURATION_FORMS

_PARTS = {
    "H": "(?<H>[01][0-9]|2[0-3])",
    "M": "(?<M>[0-5][0-9])",
    "S": "(?<S>[0-5][0-9])",
    "f": "(?<f>[0-9]{1,9})",
    "z": "(?<z>Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])",
}
_CLOCK_FORM = f"{_PARTS['H']}:{_PARTS['M']}(?::{_PARTS['S']}(?:\\.{_PARTS['f']})?)?"
_ISO_FORM = f"(?<Y>[0-9]{{4}})-(?<m>0[1-9]|1[0-2])-(?<d>0[1-9]|[12][0-9]|3[01])(?:[T ]{_CLOCK_FORM}{_PARTS['z']}?)?"

_VALUE = """
  // What a cell means: a number, a text, or null where it is missing; or a Date.
  const value = (name) => {
    const cell = Object.prototype.hasOwnProperty.call(record, name) ? record[name] : null;
    if (cell === null || cell === undefined || Number.isNaN(cell)) return null;
    if (typeof cell === "number" || typeof cell === "string") return cell;
    if (typeof cell === "boolean") return cell ? "True" : "False";
    if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? null : cell;
    return typeof cell === "bigint" ? Number(cell) : String(cell);
  };"""

_NUMBER = """
  // A number as it is, anything else as NaN: no comparison with NaN is true.
  const number = (found) => (typeof found === "number" ? found : NaN);"""

_WRITTEN = """
  // The text of a Date, which is an instant in UTC: 2020-08-01 12:30Z.
  const written = (found) => {
    if (!(found instanceof Date)) return found;
    return found.toISOString().replace("T", " ").replace(/(:00\\.000|\\.000|0+)Z$/, "Z");
  };"""

_SPELLED = """
  // A number as its shortest text, spelled as in Python.
  const spelled = (found) => {
    if (typeof found !== "number") return found;
    const size = Math.abs(found);
    if (size === Infinity) return found > 0 ? "inf" : "-inf";
    if (size === 0 || (size >= 1e-4 && size < 1e16)) return String(found);
    return found.toExponential().replace(/e([+-])(\\d)$/, "e$10$2");
  };"""

_TEXT = """
  // What is no number in a notation is a text.
  const text = (found) => spelled(written(found));"""

_KNOWN = """
  // Some texts and numbers mean a missing cell.
  const known = (found, missing) => (missing.includes(found) ? null : found);"""

_BLANK = """
  // A text of spaces only means a missing cell.
  const blank = (found) => (typeof found === "string" && /^ +$/.test(found) ? null : found);"""

_NUMERAL = """
  // A text that spells a number is that number.
  const numeral = (found) => {
    const read = typeof found === "string" && @form.test(found) ? Number(found) : NaN;
    return Number.isFinite(read) ? read + 0 : found;
  };""".replace("@form", f"/^ *(?:{NUMBER_FORM}) *$/")

_MEASURE = """
  // The same; true and false are 1 and 0.
  const measure = (found) => (/^true$/i.test(found) ? 1 : /^fal[s\\u017f]e$/i.test(found) ? 0 : numeral(found));"""

_AMOUNT = """
  // A text that is a number with its unit is that number.
  const amount = (found, [form, thousands, decimal]) => {
    const parts = typeof found === "string" ? new RegExp(`^${form}$`).exec(found) : null;
    return parts ? Number(parts[1] + parts[2].split(thousands || "none").join("").replace(decimal, ".")) : found;
  };"""

_FLAG = """
  // True and false as training wrote them; 1 and 0 are the same.
  const flag = (found, names) => ([0, 1].includes(measure(found)) ? names[measure(found)] : found);"""

_SAME = """
  // A text that training had in another spelling.
  const same = (found, names) => (names.has(found) ? names.get(found) : found);"""

_MOMENT = """
  // Microseconds since 1970 in UTC, of a Date or of a text that is a date; anything else as a text.
  const iso = @iso;
  const moment = (found, form = iso) => {
    if (found instanceof Date) return found.getTime() * 1000;
    const parts = form.exec(text(found) === null ? "" : text(found));
    if (parts === null) return text(found);
    const {y, m = 1, d = 1, H = 0, M = 0, S = 0, f = "", z = "+0000"} = parts.groups;
    const {Y = y === undefined ? 1900 : Number(y) + (Number(y) < 69 ? 2000 : 1900)} = parts.groups;
    const at = new Date(0), zone = z === "Z" ? "+0000" : z.replace(":", "");
    at.setUTCFullYear(Number(Y), m - 1, Number(d));
    if (Number(Y) === 0 || at.getUTCDate() !== Number(d)) return text(found);
    at.setUTCHours(Number(H), Number(M), Number(S));
    const minutes = Number(zone.slice(0, 1) + "1") * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3)));
    const whole = BigInt(at.getTime() - minutes * 60000) * BigInt(1000);
    return Number(whole + BigInt(f.padEnd(6, "0").slice(0, 6)));
  };""".replace("@iso", f"/^ *{_ISO_FORM} *$/")

_CLOCK = """
  // Microseconds since midnight, of a text that is a time of the day; anything else as a text.
  const clock = (found) => {
    const parts = @clock.exec(text(found) === null ? "" : text(found));
    if (parts === null) return text(found);
    const {H, M, S = 0, f = ""} = parts.groups;
    return ((Number(H) * 60 + Number(M)) * 60 + Number(S)) * 1000000 + Number(f.padEnd(6, "0").slice(0, 6));
  };""".replace("@clock", f"/^ *{_CLOCK_FORM.replace('[01][0-9]', '[01]?[0-9]')} *$/")

_DURATION = """
  // Microseconds of a text that is a duration; anything else as a text.
  const duration = (found) => {
    const forms = [
@forms
    ];
    const trimmed = /^ *((?:.*[^ ])?) *$/s.exec(text(found) === null ? "" : text(found))[1];
    const parts = forms.map((form) => form.exec(trimmed)).find((parts) => parts !== null);
    if (parts === undefined || !/^([0-9]+([.][0-9]*)?|[.][0-9]+)?$/.test(parts.groups.s || "")) return text(found);
    const {sign, d = 0, h = 0, m = 0, s = "0"} = parts.groups;
    const [seconds, rest = ""] = s.split(".");
    const minutes = (BigInt(d) * BigInt(24) + BigInt(h)) * BigInt(60) + BigInt(m);
    const fine = BigInt(rest.padEnd(6, "0").slice(0, 6));
    const count = Number((minutes * BigInt(60) + BigInt(seconds)) * BigInt(1000000) + fine);
    return Number.isFinite(count) ? (sign ? 0 - count : count) : text(found);
  };""".replace("@forms", "\n".join(f"      /^(?:{form.replace('?P<', '?<')})$/," for form in DURATION_FORMS))

_LEVEL = """
  // The place of a level; anything else as a text.
  const level = (found, levels) => (levels.includes(text(found)) ? levels.indexOf(text(found)) : text(found));"""

_DIRECTIVES = {
    "Y": "(?<Y>[0-9]{4})",
    "y": "(?<y>[0-9]{2})",
    "m": "(?<m>1[0-2]|0[1-9]|[1-9])",
    "d": "(?<d>3[01]|[12][0-9]|0[1-9]|[1-9]| [1-9])",
    "H": "(?<H>2[0-3]|[01][0-9]|[0-9])",
    "M": "(?<M>[0-5][0-9]|[0-9])",
    "S": "(?<S>[0-5][0-9]|[0-9])",
    "f": "(?<f>[0-9]{1,6})",
    "z": _PARTS["z"],
    "%": "%",
}
"""What `datetime.strptime` takes for the letters of a format, as far as they stand for digits."""

_READERS = {
    "written": _WRITTEN,
    "spelled": _SPELLED,
    "text": _TEXT,
    "known": _KNOWN,
    "blank": _BLANK,
    "numeral": _NUMERAL,
    "measure": _MEASURE,
    "amount": _AMOUNT,
    "flag": _FLAG,
    "same": _SAME,
    "moment": _MOMENT,
    "clock": _CLOCK,
    "duration": _DURATION,
    "level": _LEVEL,
}


def javascript_readers(used: Iterable[str], *, numeric: bool) -> list[str]:
    """The functions that read cells, given the names of those that the features need."""
    names = with_needs(used)
    lines = [_VALUE, *(source for name, source in _READERS.items() if name in names)]
    return [*lines, *[_NUMBER] * numeric]


def javascript_form(form: str) -> str:
    """A format of `datetime.strptime` as a regular expression in JavaScript."""
    pattern = ""
    for letter, space, other in re.findall(r"%(.)|(\s+)|([^%\s]|%$)", form, re.DOTALL):
        if letter and (letter not in _DIRECTIVES or f"(?<{letter}>" in pattern):
            raise ParameterError(f"JavaScript cannot read text as {form!r}: only digits, by {_KNOWN}, each once")
        pattern += _DIRECTIVES[letter] if letter else r"\s+" if space else re.sub(r"[^0-9A-Za-z_]", _escaped, other)
    return rf"/^\s*{pattern}\s*$/i"


_KNOWN = " ".join(f"%{letter}" for letter in _DIRECTIVES if letter != "%")


def _escaped(found: re.Match[str]) -> str:
    """A character in a regular expression that neither ends it nor the script that it is in."""
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))
