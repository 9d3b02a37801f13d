"""Python for what `values.value_of` and `values.read_as` mean: what an exported function begins with."""

from __future__ import annotations

from collections.abc import Iterable

from unless.export.cell_readers import with_needs
from unless.values import NUMBER_FORM
from unless.values.notation import CLOCK_FORM, DURATION_FORMS, ISO_FORM

_VALUE = '''
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

_NO_TIMES = """\
        if hasattr(cell, "isoformat") or hasattr(cell, "total_seconds") or kind in ("datetime64", "timedelta64"):
            return (cell,) if cell == cell else None  # a time is no number, and none of the texts below"""

_TIMES = """\
        if kind in ("datetime64", "timedelta64"):
            found = cell.astype(kind + "[us]").item()
            cell = str(cell) if isinstance(found, int) else found
        if cell is None or isinstance(cell, (date, time, timedelta)):
            return cell"""

_NUMBER = '''
    def number(found):
        """A number as it is, anything else as NaN: no comparison with NaN is true."""
        return found if isinstance(found, float) else float("nan")'''

_MICRO = '''
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

_WRITTEN = '''
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

_SPELLED = '''
    def spelled(found):
        """A number as its shortest text."""
        return repr(found + 0.0).removesuffix(".0") if isinstance(found, float) else found'''

_TEXT = '''
    def text(found):
        """What is no number in a notation is a text."""
        return spelled(written(found))'''

_KNOWN = '''
    def known(found, missing):
        """Some texts and numbers mean a missing cell."""
        return None if found in missing else found'''

_BLANK = '''
    def blank(found):
        """A text of spaces only means a missing cell."""
        return None if isinstance(found, str) and found and not found.strip(" ") else found'''

_NUMERAL = f'''
    def numeral(found):
        """A text that spells a number is that number."""
        if not isinstance(found, str) or not fullmatch({NUMBER_FORM!r}, found.strip(" ")):
            return found
        read = float(found.strip(" "))
        return found if read in (float("inf"), float("-inf")) else read'''

_MEASURE = '''
    def measure(found):
        """The same; true and false are 1 and 0."""
        low = found.casefold() if isinstance(found, str) else None
        return float(low == "true") if low in ("true", "false") else numeral(found)'''

_AMOUNT = '''
    def amount(found, form):
        """A text that is a number with its unit is that number."""
        parts = fullmatch(form[0], found) if isinstance(found, str) else None
        return float(parts[1] + parts[2].replace(form[1], "").replace(form[2], ".")) if parts else found'''

_FLAG = '''
    def flag(found, names):
        """True and false as training wrote them; 1 and 0 are the same."""
        read = measure(found)
        return names[int(read)] if read in (0, 1) else found'''

_SAME = '''
    def same(found, names):
        """A text that training had in another spelling."""
        return names.get(found, found) if isinstance(found, str) else found'''

_MOMENT = f'''
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

_CLOCK = f'''
    def clock(found):
        """The number of a time of the day, or of a text that is one; anything else as a text."""
        if isinstance(found, time):
            return micro(found)
        found = text(found)
        iso = found and fullmatch({CLOCK_FORM!r}, found.strip(" "))
        return micro(time.fromisoformat(iso[0].zfill(len(iso[0]) + (iso[0][1] == ":")))) if iso else found'''

_DURATION = '''
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

_LEVEL = '''
    def level(found, levels):
        """The place of a level; anything else as a text."""
        found = text(found)
        return float(levels.index(found)) if found in levels else found'''

_READERS = {
    "micro": _MICRO,
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


def python_readers(used: Iterable[str], *, numeric: bool) -> list[str]:
    """The functions that read cells, given the names of those that the features need."""
    names = with_needs(used)
    lines = ["    from datetime import date, datetime, time, timedelta"] * ("written" in names)
    lines += ["    from re import fullmatch"] * bool(names & {"moment", "clock", "duration", "numeral", "amount"})
    lines.append(_VALUE.replace("@times", _TIMES if "written" in names else _NO_TIMES))
    lines += [source for name, source in _READERS.items() if name in names]
    return [*lines, *[_NUMBER] * numeric]
