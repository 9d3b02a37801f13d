"""Find suspicious texts: numbers and dates written as text, lists, words for "missing", and spelling variants."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from unless.inspection.findings import Remark
from unless.values import parse_number
from unless.values.notation import DateNotation

MOST = 5000
"""The maximum number of distinct texts to examine; if there are more, a sample is examined."""

MISSING_WORDS = frozenset(
    {"-", "--", "–", "—", ".", "..", "n/a", "n.a.", "na", "#N/A", "#NA", "#NULL!", "Null", "None", "nan", "NAN"}
    | {"missing", "Missing", "MISSING"}
)  # not "none" and "unknown": they are often ordinary values
"""Cells that often mean "missing", but are not read as missing by default."""

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_NUMBER_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("with separators of thousands", re.compile(r"\s*[+-]?[0-9]{1,3}(?:[,' \u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?\s*")),
    ("with a decimal comma", re.compile(r"\s*[+-]?[0-9]{1,3}(?:\.?[0-9]{3})*,[0-9]+\s*")),
    ("with a percent sign", re.compile(rf"\s*{_NUMBER}\s*%\s*")),
    ("with a currency", re.compile(r"\s*(?:[$€£¥]\s*[0-9][0-9.,]*|[0-9][0-9.,]*\s*(?:[$€£¥]|EUR|USD|GBP|CHF))\s*")),
)
_UNIT = re.compile(rf"\s*{_NUMBER}\s*([^\W\d_]{{1,6}}[²³]?|°[CF]?|\"|')\s*")
_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y"),
    *("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%y", "%Y-%m"),
)
DATE_FORMS = [f"{day}{clock}" for clock in ("", " %H:%M", " %H:%M:%S") for day in _DAYS]
"""Common formats of dates other than ISO 8601; among ambiguous formats, day-first formats come first."""

_MAY_BE_DATE = re.compile(r"(?=.{,50}\Z)(?=.*(?:\d{4}|[./\s-].*[./\s-]))\D*\d[^./\s-]*[./\s-]\D*\d", re.DOTALL)
"""A quick test that every such date passes, since parsing dates is slow: digits on both sides of a separator, a
four-digit year or two separators (unlike the age range 30-39), and few characters."""


def sample_texts(texts: Sequence[str], most: int = MOST) -> Sequence[str]:
    """Return the texts, or an evenly spaced sample if there are very many."""
    return texts[:: -(-len(texts) // most) or 1]


def find_text_remarks(name: str, counts: Mapping[str, int]) -> list[Remark]:
    """Find what is suspicious about the texts of a column; ``counts`` are the numbers of cells with each text."""
    texts = sample_texts(list(counts))
    disguise = find_disguise(name, texts)
    found = [] if disguise is None else [disguise]
    if disguise is None and (cell := _find_list_cell(texts)) is not None:
        found.append(Remark("several-values", name, f"has several values in one cell, such as {cell!r}", cell))
    if words := sorted(MISSING_WORDS.intersection(counts)):
        shown = ", ".join(f"{word!r} {counts[word]:,}×" for word in words[:3])
        first, *others = words
        found.append(Remark("missing-word", name, f"has cells that may mean missing: {shown}", first, tuple(others)))
    if groups := _find_spelling_variants(counts):
        shown = "; ".join(", ".join(f"{text!r} {counts[text]:,}×" for text in group[:3]) for group in groups[:2])
        more = f" and {len(groups) - 2} more" if len(groups) > 2 else ""
        found.append(Remark("spellings", name, f"has spellings that differ only in case or spaces: {shown}{more}"))
    return found


def find_disguise(name: str, texts: Sequence[str]) -> Remark | None:
    """Describe the form of texts that are numbers or dates that rules cannot compare; None for other texts."""
    others = [text for text in texts if parse_number(text) is None and text not in MISSING_WORDS]
    form, example = _find_number_form(others, len(texts))
    if form:
        return Remark("number-as-text", name, f"has numbers {form}, such as {example!r}", example)
    if not _nearly_all_pass(_MAY_BE_DATE.match, others, len(texts)):
        return None
    for form in DATE_FORMS:
        read = DateNotation("datetime", 1.0, format=form).number
        if _nearly_all_pass(lambda text: read(text) is not None, others, len(texts)):  # noqa: B023 - called at once
            guess = "" if re.search("%[bBy]|^%Y", form) else "; no cell tells whether the day or the month comes first"
            return Remark("date-as-text", name, f"has dates, such as {others[0]!r}{guess}", form)
    return None


def _find_list_cell(texts: Sequence[str]) -> str | None:
    """Return a cell like a;b;c if at least a quarter of the texts are such lists and their values recur.

    "Oslo, Norway" is not a list: where commas separate values, some texts have three values and others do not.
    """
    for sign in ";|,":
        lists = [text.split(sign) for text in texts if sign in text.strip(f"{sign} ")]
        values = [value.strip() for parts in lists for value in parts]
        sizes = {len(parts) for parts in lists}
        varied = sign != "," or (max(sizes, default=0) >= 3 and (len(sizes) > 1 or len(lists) < len(texts)))
        if len(lists) >= 3 and 4 * len(lists) >= len(texts) and 2 * len(set(values)) <= len(values) and varied:
            return sign.join(lists[0])
    return None


def _find_spelling_variants(counts: Mapping[str, int]) -> list[list[str]]:
    """Return groups of texts that differ only in case and spaces, most frequent group first."""
    if len(counts) > 20 * MOST:
        return []
    groups: dict[str, list[str]] = defaultdict(list)
    for text in counts:
        groups[" ".join(text.split()).casefold()].append(text)
    variants = [sorted(group, key=lambda text: (-counts[text], text)) for group in groups.values() if len(group) > 1]
    return sorted(variants, key=lambda group: (-sum(counts[text] for text in group), group))


def _find_number_form(texts: Sequence[str], total: int) -> tuple[str | None, str]:
    """Return the form in which nearly all texts write numbers, and an example; None if they are not numbers."""
    for form, pattern in _NUMBER_FORMS:
        if _nearly_all_pass(pattern.fullmatch, texts, total):
            return form, next(filter(pattern.fullmatch, texts))
    found = [(text, match.group(1)) for text in texts if (match := _UNIT.fullmatch(text))]
    # "3 kg" and "4 kg", but not "5a" and "7b": the unit must be the same.
    if len(found) >= 3 and len({unit for _, unit in found}) == 1 and _nearly_all_pass(_UNIT.fullmatch, texts, total):
        return f"with the unit {found[0][1]!r}", found[0][0]
    return None, ""


def _nearly_all_pass(test: Callable[[str], object], texts: Sequence[str], total: int) -> bool:
    """Return whether nearly all of the texts, and at least three, pass a test, and they are at least half of all."""
    if len(texts) > 3 and not any(map(test, texts[:: len(texts) // 4 + 1])):
        return False  # five texts suffice to decide most columns
    passed = sum(1 for text in texts if test(text))
    return passed >= 3 and passed >= 0.9 * len(texts) and 2 * len(texts) >= total
