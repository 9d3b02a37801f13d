"""How exported functions read cells: `values.cell_value` and `values.value_in_notation` without any package.

`cell_sources` copies the text of these functions, so they use only each other, the standard library, and the
patterns below, whose names it replaces by their values.
"""

from datetime import date, datetime, time, timedelta
from re import fullmatch

from unless.values import NUMBER_FORM
from unless.values.notation import CLOCK_FORM, DURATION_FORMS, ISO_FORM


def value(cell):
    """What a cell means: a number, a text, or None where it is missing."""
    kind = type(cell).__name__
    if isinstance(cell, str):
        return str(cell)
    if kind in ("bool", "bool_"):
        return str(bool(cell))
    if kind in ("NoneType", "NAType", "NaTType"):
        return None
    if kind in ("datetime64", "timedelta64"):
        found = cell.astype(kind + "[us]").item()
        cell = str(cell) if isinstance(found, int) else found
    if cell is None or isinstance(cell, (date, time, timedelta)):
        return cell
    if hasattr(cell, "__float__"):
        try:
            number = float(cell)
        except OverflowError:
            number = float("inf") if cell > 0 else float("-inf")
        return number if number == number else None
    return cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else str(cell)


def micro(found):
    """Microseconds of a duration, of a time since midnight, of a date since 1970, in UTC if it has a zone."""
    if isinstance(found, timedelta):
        span = found
    elif isinstance(found, time):
        span = datetime.combine(date.min, found.replace(tzinfo=None)) - datetime.min
    else:
        found = found if isinstance(found, datetime) else datetime.combine(found, time())
        span = found.replace(tzinfo=None) - datetime(1970, 1, 1) - (found.utcoffset() or timedelta())
    return float(span // timedelta(microseconds=1))


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
    return f"{moment.date()}" if clock == "00:00" else f"{moment.date()} {clock}"


def spelled(found):
    """A number as its shortest text."""
    return repr(found + 0.0).removesuffix(".0") if isinstance(found, float) else found


def text(found):
    """What is no number in a notation is a text."""
    return spelled(written(found))


def known(found, missing):
    """Some texts and numbers mean a missing cell."""
    return None if found in missing else found


def blank(found):
    """A text of spaces only means a missing cell."""
    return None if isinstance(found, str) and found and not found.strip(" ") else found


def numeral(found):
    """A text that spells a number is that number."""
    if not isinstance(found, str) or not fullmatch(NUMBER_FORM, found.strip(" ")):
        return found
    read = float(found.strip(" "))
    return found if read in (float("inf"), float("-inf")) else read


def measure(found):
    """The same; true and false are 1 and 0."""
    low = found.casefold() if isinstance(found, str) else None
    return float(low == "true") if low in ("true", "false") else numeral(found)


def amount(found, form):
    """A text that is a number with its unit is that number."""
    parts = fullmatch(form[0], found) if isinstance(found, str) else None
    return float(parts[1] + parts[2].replace(form[1], "").replace(form[2], ".")) if parts else found


def code(found, names):
    """A number that is a special code is the category that it names."""
    return names.get(found, found) if isinstance(found, float) else found


def flag(found, names):
    """True and false as training wrote them; 1 and 0 are the same."""
    read = measure(found)
    return names[int(read)] if read in (0, 1) else found


def same(found, names):
    """A text that training had in another spelling."""
    return names.get(found, found) if isinstance(found, str) else found


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
        iso = fullmatch(ISO_FORM, found.strip(" "))
        return micro(datetime.fromisoformat(iso[0])) if iso else found
    except (ValueError, OverflowError):
        return found


def clock(found):
    """The number of a time of the day, or of a text that is one; anything else as a text."""
    if isinstance(found, time):
        return micro(found)
    found = text(found)
    iso = found and fullmatch(CLOCK_FORM, found.strip(" "))
    return micro(time.fromisoformat(iso[0].zfill(len(iso[0]) + (iso[0][1] == ":")))) if iso else found


def duration(found):
    """The number of a duration, or of a text that is one; anything else as a text."""
    if isinstance(found, timedelta):
        return micro(found)
    found = text(found)
    forms = DURATION_FORMS
    parts = found and next(filter(None, (fullmatch(form, found.strip(" ")) for form in forms)), None)
    if not parts or (parts["s"] or "0").count(".") > 1 or parts["s"] == ".":
        return found
    seconds, _, rest = (parts["s"] or "0").partition(".")
    minutes = (int(parts["d"] or 0) * 24 + int(parts["h"] or 0)) * 60 + int(parts["m"] or 0)
    count = (minutes * 60 + int(seconds)) * 1000000 + int((rest + "000000")[:6])
    try:
        return float(-count if parts["sign"] else count)
    except OverflowError:
        return found


def level(found, levels):
    """The place of a level; anything else as a text."""
    found = text(found)
    return float(levels.index(found)) if found in levels else found


def number(found):
    """A number as it is, anything else as NaN: no comparison with NaN is true."""
    return found if isinstance(found, float) else float("nan")
