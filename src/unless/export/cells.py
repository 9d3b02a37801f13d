"""How exported functions read cells: Python and JavaScript for what `values.value_of` and `values.read_as` mean.

A function has only the readers that its program needs. Without dates, times, durations and orders, that is ``value``
and ``number``; a reader of a notation then turns what it can into a number, and anything else into text.

A model knows how the columns of training were read (`Training`), and `read.ranks.settle` says what cells of other types
mean there. Its function has readers for that too: "3" is a number in a column of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from unless.errors import ParameterError
from unless.export.sqltimes import equal_bounds
from unless.rule import Program
from unless.table import Schema, Table
from unless.values import DEFAULT_MISSING, NUMBER_FORM
from unless.values.notation import (
    CLOCK_FORM,
    DATETIME,
    DURATION,
    DURATION_FORMS,
    INSTANT,
    ISO_FORM,
    TIME,
    Moments,
    Notation,
    Order,
    Times,
)

# Python.

_PYTHON_VALUE = '''
    def value(cell):
        """What a cell means: a number, a text, or None where it is missing."""
        kind = type(cell).__name__
        if isinstance(cell, str):
            return str(cell)
        if kind in ("bool", "bool_"):
            return str(bool(cell))
        if kind in ("NoneType", "NAType", "NaTType"):
            return None
@times
        if hasattr(cell, "__float__"):
            try:
                number = float(cell)
            except OverflowError:
                number = float("inf") if cell > 0 else float("-inf")
            return number if number == number else None
        return cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else str(cell)'''

_PYTHON_NO_TIMES = """\
        if hasattr(cell, "isoformat") or hasattr(cell, "total_seconds") or kind in ("datetime64", "timedelta64"):
            return (cell,) if cell == cell else None  # a time is no number, and none of the texts below"""

_PYTHON_TIMES = """\
        if kind in ("datetime64", "timedelta64"):
            found = cell.astype(kind + "[us]").item()
            cell = str(cell) if isinstance(found, int) else found
        if cell is None or isinstance(cell, (date, time, timedelta)):
            return cell"""

_PYTHON_NUMBER = '''
    def number(found):
        """A number as it is, anything else as NaN: no comparison with NaN is true."""
        return found if isinstance(found, float) else float("nan")'''

_PYTHON_MICRO = '''
    def micro(found):
        """Microseconds of a duration, of a time since midnight, of a date since 1970, in UTC if it has a zone."""
        if isinstance(found, timedelta):
            span = found
        elif isinstance(found, time):
            span = datetime.combine(date.min, found.replace(tzinfo=None)) - datetime.min
        else:
            found = found if isinstance(found, datetime) else datetime.combine(found, time())
            span = found.replace(tzinfo=None) - datetime(1970, 1, 1) - (found.utcoffset() or timedelta())
        return float(span // timedelta(microseconds=1))'''

_PYTHON_WRITTEN = '''
    def written(found):
        """The text of a date, a time, a duration: 2020-08-01, 12:30, 2 d 3 h."""
        if not isinstance(found, (date, time, timedelta)):
            return found
        count = int(micro(found))
        if isinstance(found, timedelta):
            size, parts = abs(count), []
            for unit, length in (("d", 86400000000), ("h", 3600000000), ("min", 60000000)):
                parts += [f"{size // length} {unit}"] * (size >= length)
                size %= length
            if size or not parts:
                parts.append(f"{size / 1000000:.6f}".rstrip("0").rstrip(".") + " s")
            return "-" * (count < 0) + " ".join(parts)
        moment = datetime(1970, 1, 1) + timedelta(microseconds=min(count, 253402300799999999))
        clock = moment.time().isoformat()
        clock = clock.rstrip("0") if "." in clock else clock[:5] if clock.endswith(":00") else clock
        if isinstance(found, time):
            return clock
        if isinstance(found, datetime) and found.utcoffset() is not None:
            return f"{moment.date()} {clock}Z"
        return f"{moment.date()}" if clock == "00:00" else f"{moment.date()} {clock}"'''

_PYTHON_SPELLED = '''
    def spelled(found):
        """A number as its shortest text."""
        return repr(found + 0.0).removesuffix(".0") if isinstance(found, float) else found'''

_PYTHON_TEXT = '''
    def text(found):
        """What is no number in a notation is a text."""
        return spelled(written(found))'''

_PYTHON_KNOWN = '''
    def known(found, missing):
        """Some texts and numbers mean a missing cell."""
        return None if found in missing else found'''

_PYTHON_NUMERAL = f'''
    def numeral(found):
        """A text that spells a number is that number."""
        if not isinstance(found, str) or not fullmatch({NUMBER_FORM!r}, found.strip(" ")):
            return found
        read = float(found.strip(" "))
        return found if read in (float("inf"), float("-inf")) else read'''

_PYTHON_MEASURE = '''
    def measure(found):
        """The same; true and false are 1 and 0."""
        low = found.casefold() if isinstance(found, str) else None
        return float(low == "true") if low in ("true", "false") else numeral(found)'''

_PYTHON_FLAG = '''
    def flag(found, names):
        """True and false as training wrote them; 1 and 0 are the same."""
        read = measure(found)
        return names[int(read)] if read in (0, 1) else found'''

_PYTHON_SAME = '''
    def same(found, names):
        """A text that training had in another spelling."""
        return names.get(found, found) if isinstance(found, str) else found'''

_PYTHON_MOMENT = f'''
    def moment(found, form=None):
        """The number of a date, or of a text that is one; anything else as a text."""
        if isinstance(found, date):
            return micro(found)
        found = text(found)
        if found is None:
            return None
        try:
            if form is not None:
                return micro(datetime.strptime(found.strip(), form))
            iso = fullmatch({ISO_FORM!r}, found.strip(" "))
            return micro(datetime.fromisoformat(iso[0])) if iso else found
        except (ValueError, OverflowError):
            return found'''

_PYTHON_CLOCK = f'''
    def clock(found):
        """The number of a time of the day, or of a text that is one; anything else as a text."""
        if isinstance(found, time):
            return micro(found)
        found = text(found)
        iso = found and fullmatch({CLOCK_FORM!r}, found.strip(" "))
        return micro(time.fromisoformat(iso[0])) if iso else found'''

_PYTHON_DURATION = '''
    def duration(found):
        """The number of a duration, or of a text that is one; anything else as a text."""
        if isinstance(found, timedelta):
            return micro(found)
        found = text(found)
        forms = (
@forms
        )
        parts = found and next(filter(None, (fullmatch(form, found.strip(" ")) for form in forms)), None)
        if not parts or (parts["s"] or "0").count(".") > 1 or parts["s"] == ".":
            return found
        seconds, _, rest = (parts["s"] or "0").partition(".")
        minutes = (int(parts["d"] or 0) * 24 + int(parts["h"] or 0)) * 60 + int(parts["m"] or 0)
        count = (minutes * 60 + int(seconds)) * 1000000 + int((rest + "000000")[:6])
        try:
            return float(-count if parts["sign"] else count)
        except OverflowError:
            return found'''.replace("@forms", "\n".join(f"            {form!r}," for form in DURATION_FORMS))

_PYTHON_LEVEL = '''
    def level(found, levels):
        """The place of a level; anything else as a text."""
        found = text(found)
        return float(levels.index(found)) if found in levels else found'''

# JavaScript.

_PARTS = {
    "H": "(?<H>[01][0-9]|2[0-3])",
    "M": "(?<M>[0-5][0-9])",
    "S": "(?<S>[0-5][0-9])",
    "f": "(?<f>[0-9]{1,9})",
    "z": "(?<z>Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])",
}
_JAVASCRIPT_CLOCK_FORM = f"{_PARTS['H']}:{_PARTS['M']}(?::{_PARTS['S']}(?:\\.{_PARTS['f']})?)?"
_JAVASCRIPT_ISO_FORM = (
    f"(?<Y>[0-9]{{4}})-(?<m>0[1-9]|1[0-2])-(?<d>0[1-9]|[12][0-9]|3[01])(?:[T ]{_JAVASCRIPT_CLOCK_FORM}{_PARTS['z']}?)?"
)

_JAVASCRIPT_VALUE = """
  // What a cell means: a number, a text, or null where it is missing; or a Date.
  const value = (name) => {
    const cell = Object.prototype.hasOwnProperty.call(record, name) ? record[name] : null;
    if (cell === null || cell === undefined || Number.isNaN(cell)) return null;
    if (typeof cell === "number" || typeof cell === "string") return cell;
    if (typeof cell === "boolean") return cell ? "True" : "False";
    if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? null : cell;
    return typeof cell === "bigint" ? Number(cell) : String(cell);
  };"""

_JAVASCRIPT_NUMBER = """
  // A number as it is, anything else as NaN: no comparison with NaN is true.
  const number = (found) => (typeof found === "number" ? found : NaN);"""

_JAVASCRIPT_WRITTEN = """
  // The text of a Date, which is an instant in UTC: 2020-08-01 12:30Z.
  const written = (found) => {
    if (!(found instanceof Date)) return found;
    return found.toISOString().replace("T", " ").replace(/(:00\\.000|\\.000|0+)Z$/, "Z");
  };"""

_JAVASCRIPT_SPELLED = """
  // A number as its shortest text, spelled as in Python.
  const spelled = (found) => {
    if (typeof found !== "number") return found;
    const size = Math.abs(found);
    if (size === Infinity) return found > 0 ? "inf" : "-inf";
    if (size === 0 || (size >= 1e-4 && size < 1e16)) return String(found);
    return found.toExponential().replace(/e([+-])(\\d)$/, "e$10$2");
  };"""

_JAVASCRIPT_TEXT = """
  // What is no number in a notation is a text.
  const text = (found) => spelled(written(found));"""

_JAVASCRIPT_KNOWN = """
  // Some texts and numbers mean a missing cell.
  const known = (found, missing) => (missing.includes(found) ? null : found);"""

_JAVASCRIPT_NUMERAL = """
  // A text that spells a number is that number.
  const numeral = (found) => {
    const read = typeof found === "string" && @form.test(found) ? Number(found) : NaN;
    return Number.isFinite(read) ? read + 0 : found;
  };""".replace("@form", f"/^ *(?:{NUMBER_FORM}) *$/")

_JAVASCRIPT_MEASURE = """
  // The same; true and false are 1 and 0.
  const measure = (found) => (/^true$/i.test(found) ? 1 : /^fal[s\\u017f]e$/i.test(found) ? 0 : numeral(found));"""

_JAVASCRIPT_FLAG = """
  // True and false as training wrote them; 1 and 0 are the same.
  const flag = (found, names) => ([0, 1].includes(measure(found)) ? names[measure(found)] : found);"""

_JAVASCRIPT_SAME = """
  // A text that training had in another spelling.
  const same = (found, names) => (names.has(found) ? names.get(found) : found);"""

_JAVASCRIPT_MOMENT = """
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
  };""".replace("@iso", f"/^ *{_JAVASCRIPT_ISO_FORM} *$/")

_JAVASCRIPT_CLOCK = """
  // Microseconds since midnight, of a text that is a time of the day; anything else as a text.
  const clock = (found) => {
    const parts = @clock.exec(text(found) === null ? "" : text(found));
    if (parts === null) return text(found);
    const {H, M, S = 0, f = ""} = parts.groups;
    return ((Number(H) * 60 + Number(M)) * 60 + Number(S)) * 1000000 + Number(f.padEnd(6, "0").slice(0, 6));
  };""".replace("@clock", f"/^ *{_JAVASCRIPT_CLOCK_FORM} *$/")

_JAVASCRIPT_DURATION = """
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

_JAVASCRIPT_LEVEL = """
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


@dataclass(frozen=True, slots=True)
class Reader:
    """What turns the value of a feature into a number, where it is more than a number or a text."""

    name: str
    argument: object = None

    def call(self, value: str, spell: str) -> str:
        """The call, given the value and the argument as the language spells it."""
        return f"{self.name}({value}{f', {spell}' if self.argument is not None else ''})"


@dataclass(frozen=True, slots=True)
class Training:
    """How a model read the columns of its training, and the values that they had; a program alone does not know."""

    schema: Schema
    domain: Table

    @classmethod
    def of(cls, model: object) -> Training | None:
        """What a model knows; None for a program or a committee alone."""
        schema, domain = getattr(model, "schema_", None), getattr(model, "domain_", None)
        return cls(schema, domain) if isinstance(schema, Schema) and isinstance(domain, Table) else None

    @property
    def missing(self) -> tuple[str, ...]:
        """The texts that mean a missing cell in records too, as in `read_table`: those that somebody gave."""
        return () if self.schema.missing == DEFAULT_MISSING else self.schema.missing

    def readers(self, feature: str, tested: Collection[str]) -> Iterator[Reader]:
        """What a cell goes through that is no number in a notation; ``tested`` are the texts that rules name."""
        from unless.read.ranks import as_known, flag_names, numbers_spelled  # 20 ms that a program alone does not need

        if any(map(_is_time, (*tested, *self.missing))):
            yield Reader("written")
        if self.missing:
            yield Reader("known", [*self.missing, *sorted(numbers_spelled(self.missing))])
        categories = {column.name: column.categories for column in self.domain.columns}.get(feature)
        if self.schema.kinds[feature] != "text":
            yield Reader("measure" if categories == () else "numeral")
            return
        yield Reader("spelled")
        if categories and (names := flag_names(categories)):
            yield Reader("flag", [names[False], names[True]])
        elif categories and (same := as_known(_twins(tested), self.domain.column(feature))):
            yield Reader("same", same)


def _twins(texts: Iterable[str]) -> list[str]:
    """Texts, and how else they may be spelled: 3.0 is 3 where training had only 3."""
    return sorted({twin for text in texts for twin in (text, f"{text}.0", text.removesuffix(".0"))})


def readers(program: Program, training: Training | None = None) -> dict[str, list[Reader]]:
    """The readers of each feature, in the order of use: by notation, as in training, or for the texts of times."""
    tested: dict[str, set[str]] = {feature: set() for feature in program.used}
    for literal in (literal for rule in program.rules for literal in rule.literals()):
        if isinstance(literal.value, str):
            tested[literal.feature].add(literal.value)
    notations = {**(training.schema.notations if training else {}), **program.notations}
    found: dict[str, list[Reader]] = {}
    for feature, texts in tested.items():
        notation = notations.get(feature)
        if notation is not None and not notation.plain:
            missing = training.missing if training else ()
            found[feature] = [*[Reader("known", list(missing))] * bool(missing), _reader(notation)]
        elif training is not None and feature in training.schema.kinds:
            found[feature] = list(training.readers(feature, sorted(texts)))
        elif any(map(_is_time, texts)):
            found[feature] = [Reader("written")]
    return found


def _reader(notation: Notation) -> Reader:
    match notation:
        case Moments():
            return Reader("moment", notation.format)
        case Order():
            return Reader("level", list(notation.levels))
        case Times():
            return Reader("clock")
    return Reader("duration")


def _is_time(text: str) -> bool:
    """Whether a date, a time or a duration can be written like this."""
    return any(equal_bounds(notation, text) is not None for notation in (DATETIME, INSTANT, TIME, DURATION))


# What a function begins with.


_NEEDS = {
    "written": ["micro"],
    "text": ["written", "spelled"],
    "moment": ["text"],
    "clock": ["text"],
    "duration": ["text"],
    "level": ["text"],
    "measure": ["numeral"],
    "flag": ["measure"],
}
"""The readers that other readers call."""

_PYTHON_READERS = {
    "micro": _PYTHON_MICRO,
    "written": _PYTHON_WRITTEN,
    "spelled": _PYTHON_SPELLED,
    "text": _PYTHON_TEXT,
    "known": _PYTHON_KNOWN,
    "numeral": _PYTHON_NUMERAL,
    "measure": _PYTHON_MEASURE,
    "flag": _PYTHON_FLAG,
    "same": _PYTHON_SAME,
    "moment": _PYTHON_MOMENT,
    "clock": _PYTHON_CLOCK,
    "duration": _PYTHON_DURATION,
    "level": _PYTHON_LEVEL,
}
_JAVASCRIPT_READERS = {
    "written": _JAVASCRIPT_WRITTEN,
    "spelled": _JAVASCRIPT_SPELLED,
    "text": _JAVASCRIPT_TEXT,
    "known": _JAVASCRIPT_KNOWN,
    "numeral": _JAVASCRIPT_NUMERAL,
    "measure": _JAVASCRIPT_MEASURE,
    "flag": _JAVASCRIPT_FLAG,
    "same": _JAVASCRIPT_SAME,
    "moment": _JAVASCRIPT_MOMENT,
    "clock": _JAVASCRIPT_CLOCK,
    "duration": _JAVASCRIPT_DURATION,
    "level": _JAVASCRIPT_LEVEL,
}


def python_readers(used: Iterable[str], *, numeric: bool) -> list[str]:
    """The functions that read cells, given the names of those that the features need."""
    names = _with_needs(used)
    lines = ["    from datetime import date, datetime, time, timedelta"] * ("written" in names)
    lines += ["    from re import fullmatch"] * bool(names & {"moment", "clock", "duration", "numeral"})
    lines.append(_PYTHON_VALUE.replace("@times", _PYTHON_TIMES if "written" in names else _PYTHON_NO_TIMES))
    lines += [source for name, source in _PYTHON_READERS.items() if name in names]
    return [*lines, *[_PYTHON_NUMBER] * numeric]


def javascript_readers(used: Iterable[str], *, numeric: bool) -> list[str]:
    """The same in JavaScript."""
    names = _with_needs(used)
    lines = [_JAVASCRIPT_VALUE, *(source for name, source in _JAVASCRIPT_READERS.items() if name in names)]
    return [*lines, *[_JAVASCRIPT_NUMBER] * numeric]


def _with_needs(used: Iterable[str]) -> set[str]:
    """The names of readers, and of those that they call."""
    names = set(used)
    return names if not names else names | _with_needs(need for name in names for need in _NEEDS.get(name, ()))


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
