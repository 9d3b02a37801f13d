"""What the texts of a column look like: numbers in disguise, dates, words for "missing", and twins."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from unless.inspection.remarks import Remark
from unless.values import number_in

MOST = 5000
"""How many distinct texts are looked at; if there are more, a sample."""

LEADING_ZERO = re.compile(r" *[+-]?0[0-9]")

MISSING_WORDS = frozenset(
    {"-", "--", "–", "—", ".", "..", "n/a", "n.a.", "na", "#N/A", "#NA", "#NULL!", "NULL", "Null", "None", "nan", "NAN"}
    | {"missing", "Missing", "MISSING"}
)  # not "none" and "unknown": they often mean what they say
"""Cells that often mean "missing" but are not read so by default."""

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("with separators of thousands", re.compile(r"\s*[+-]?[0-9]{1,3}(?:[,' \u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?\s*")),
    ("with a decimal comma", re.compile(r"\s*[+-]?[0-9]{1,3}(?:\.?[0-9]{3})*,[0-9]+\s*")),
    ("with a percent sign", re.compile(rf"\s*{_NUMBER}\s*%\s*")),
    ("with a currency", re.compile(r"\s*(?:[$€£¥]\s*[0-9][0-9.,]*|[0-9][0-9.,]*\s*(?:[$€£¥]|EUR|USD|GBP|CHF))\s*")),
)
_UNIT = re.compile(rf"\s*{_NUMBER}\s*([^\W\d_]{{1,6}}[²³]?|°[CF]?|\"|')\s*")
_DATES = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}.*|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}.*"
)


def sample(texts: Sequence[str]) -> Sequence[str]:
    """The texts; if there are very many, some of them, evenly spaced."""
    return texts[:: -(-len(texts) // MOST) or 1]


def remarks_on_texts(name: str, counts: Mapping[str, int]) -> list[Remark]:
    """What is suspicious about the texts of a column; ``counts`` says how many cells have each."""
    texts = sample(list(counts))
    others = [text for text in texts if number_in(text) is None and text not in MISSING_WORDS]
    found: list[Remark] = []
    form, example = _form(others, len(texts))
    if form:
        found.append(Remark("number-as-text", name, f"has numbers {form}, such as {example!r}", example))
    elif _most(_DATES.fullmatch, others, len(texts)):
        found.append(Remark("date-as-text", name, f"has dates, such as {others[0]!r}", others[0]))
    if words := sorted(MISSING_WORDS.intersection(counts)):
        said = ", ".join(f"{word!r} {counts[word]:,}×" for word in words[:3])
        found.append(Remark("missing-word", name, f"has cells that may mean missing: {said}", words[0]))
    if alike := twins(counts):
        said = "; ".join(", ".join(f"{text!r} {counts[text]:,}×" for text in group[:3]) for group in alike[:2])
        more = f" and {len(alike) - 2} more" if len(alike) > 2 else ""
        found.append(Remark("spellings", name, f"has spellings that differ only in case or spaces: {said}{more}"))
    return found


def twins(counts: Mapping[str, int]) -> list[list[str]]:
    """Groups of texts that differ only in case and spaces, the most frequent group first."""
    if len(counts) > 20 * MOST:
        return []
    groups: dict[str, list[str]] = defaultdict(list)
    for text in counts:
        groups[" ".join(text.split()).casefold()].append(text)
    alike = [sorted(group, key=lambda text: (-counts[text], text)) for group in groups.values() if len(group) > 1]
    return sorted(alike, key=lambda group: (-sum(counts[text] for text in group), group))


def _form(texts: Sequence[str], total: int) -> tuple[str | None, str]:
    """How nearly all texts write numbers, and an example; None if they do not."""
    for form, pattern in _FORMS:
        if _most(pattern.fullmatch, texts, total):
            return form, next(filter(pattern.fullmatch, texts))
    found = [(text, match.group(1)) for text in texts if (match := _UNIT.fullmatch(text))]
    units = {unit for _, unit in found}
    # "3 kg" and "4 kg", but not "5a" and "7b": the unit must be the same.
    if len(found) >= 3 and len(units) == 1 and _most(_UNIT.fullmatch, texts, total):
        return f"with the unit {found[0][1]!r}", found[0][0]
    return None, ""


def _most(test: Callable[[str], object], texts: Sequence[str], total: int) -> bool:
    """Whether nearly all of these texts pass a test, at least three, and they are at least half of all texts."""
    passed = sum(1 for text in texts if test(text))
    return passed >= 3 and passed >= 0.9 * len(texts) and 2 * len(texts) >= total
