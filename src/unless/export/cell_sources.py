"""Provide the source of the functions that read cells, in Python and in JavaScript.

The functions are ordinary code, in `cell_functions.py` and `cell_functions.js`: exports copy those that a program
needs, and the report page uses the JavaScript too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files
from textwrap import indent

from unless.errors import ParameterError
from unless.values import NUMBER_FORM
from unless.values.notation import CLOCK_FORM, DURATION_FORMS, ISO_FORM, DateNotation, Notation

_PYTHON_TIMES = re.compile(r'        if kind in \("datetime64".*?return cell\n', re.DOTALL)
_PYTHON_NO_TIMES = """\
        if hasattr(cell, "isoformat") or hasattr(cell, "total_seconds") or kind in ("datetime64", "timedelta64"):
            return (cell,) if cell == cell else None  # a time is no number, and none of the texts below
"""

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

_DIRECTIVES = {
    "Y": "(?<Y>[0-9]{4})",
    "y": "(?<y>[0-9]{2})",
    "m": "(?<m>1[0-2]|0[1-9]|[1-9])",
    "d": "(?<d>3[01]|[12][0-9]|0[1-9]|[1-9]| [1-9])",
    "H": "(?<H>2[0-3]|[01][0-9]|[0-9])",
    "M": "(?<M>[0-5][0-9]|[0-9])",
    "S": "(?<S>[0-5][0-9]|[0-9])",
    "f": "(?<f>[0-9]{1,6})",
    "z": "(?<z>Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])",
    "%": "%",
}
"""The digits that `datetime.strptime` accepts for each numeric letter of a format."""


def python_readers(used: Iterable[str], *, numeric: bool) -> list[str]:
    """Return the source of the functions that read cells in Python; ``used`` are those that features need."""
    sources = _python_functions()
    names = _add_called_functions(used, sources)
    lines = ["    from datetime import date, datetime, time, timedelta"] * ("written" in names)
    lines += ["    from re import fullmatch"] * any("fullmatch(" in sources[name] for name in names)
    lines.append(sources["value"] if "written" in names else _PYTHON_TIMES.sub(_PYTHON_NO_TIMES, sources["value"]))
    return lines + _select_functions(sources, names, numeric=numeric)


def javascript_readers(used: Iterable[str], *, numeric: bool) -> list[str]:
    """Return the source of the functions that read cells in JavaScript; ``used`` are those that features need."""
    sources = _javascript_functions()
    return [_JAVASCRIPT_VALUE, *_select_functions(sources, _add_called_functions(used, sources), numeric=numeric)]


def javascript_source() -> str:
    """Return the source of all JavaScript functions; in a page they are in ``unless.cells``."""
    return _read_asset("cell_functions.js")


def strptime_pattern(form: str) -> str:
    """Translate a format of `datetime.strptime` into a JavaScript regular expression that ignores case."""
    pattern = ""
    for letter, space, other in re.findall(r"%(.)|(\s+)|([^%\s]|%$)", form, re.DOTALL):
        if letter and (letter not in _DIRECTIVES or f"(?<{letter}>" in pattern):
            known = " ".join(f"%{one}" for one in _DIRECTIVES if one != "%")
            raise ParameterError(f"JavaScript cannot read text as {form!r}: only digits, by {known}, each once")
        pattern += _DIRECTIVES[letter] if letter else r"\s+" if space else re.sub(r"[^0-9A-Za-z_]", _escape, other)
    return rf"^\s*{pattern}\s*$"


def typed_date_pattern(notation: Notation | None) -> str | None:
    """Return the regular expression with which a page reads typed dates of a feature; None for ISO 8601.

    For a format that only Python reads, with names of months, the expression matches no text.
    """
    if not isinstance(notation, DateNotation) or notation.format is None:
        return None
    try:
        return strptime_pattern(notation.format)
    except ParameterError:
        return "(?!)"


def _escape(found: re.Match[str]) -> str:
    """Escape a character so that it ends neither the regular expression nor the script around it."""
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


def _select_functions(sources: dict[str, str], names: Collection[str], *, numeric: bool) -> list[str]:
    """Select functions by name, in the order of the file; ``number`` comes last, if numbers are compared."""
    return [source for name, source in sources.items() if name in names or (numeric and name == "number")]


def _add_called_functions(used: Iterable[str], sources: dict[str, str]) -> set[str]:
    """Add the names of the functions that the given functions call."""
    found, waiting = set[str](), list(used)
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += [one for one in sources if re.search(rf"\b{one}\(", sources[name])]
    return found


@cache
def _python_functions() -> dict[str, str]:
    """Return the Python source of each function, indented, with the values of patterns instead of their names."""
    forms = {"NUMBER_FORM": repr(NUMBER_FORM), "ISO_FORM": repr(ISO_FORM), "CLOCK_FORM": repr(CLOCK_FORM)}
    durations = "\n".join(f"        {form!r}," for form in DURATION_FORMS)
    forms["DURATION_FORMS"] = f"(\n{durations}\n    )"
    _, *functions = _read_asset("cell_functions.py").rstrip("\n").split("\n\n\ndef ")
    sources = [re.sub("[A-Z]+_FORMS?", lambda found: forms[found[0]], f"def {one}") for one in functions]
    return {source[4 : source.index("(")]: f"\n{indent(source, '    ')}" for source in sources}


@cache
def _javascript_functions() -> dict[str, str]:
    """Return the JavaScript source of each function, with the comment before it."""
    _, *functions = javascript_source().partition("\n\nunless.cells")[0].split("\n\n// ")
    names = [re.findall(r"^const (\w+) =", one, re.MULTILINE)[-1] for one in functions]
    return {name: "\n" + indent(f"// {one}", "  ") for name, one in zip(names, functions, strict=True)}


def _read_asset(name: str) -> str:
    return (files("unless.export") / name).read_text(encoding="utf-8")
