"""Replace empty and repeated column names of a header, and reject repeated names elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from unless.errors import ReadError

UNNAMED = "column {}"
"""The name of a column without a name, by its position from 1."""

_SHOWN = 4


def column_titles(header: Iterable[str], places: Sequence[int] | None = None) -> tuple[list[str], str]:
    """Give every column a unique name; also return a remark about names that differ from the header.

    A column without a name is named after its position, from 1.

    >>> column_titles(["age", "", "age", "age_2", "age"])[0]
    ['age', 'column 2', 'age_3', 'age_2', 'age_4']
    """
    names = list(header)
    if len(set(names)) == len(names) and "" not in names:
        return names, ""
    taken, numbers = set(names), Counter[str]()
    unnamed, again = list[str](), list[str]()
    seen = set[str]()
    for place, name in enumerate(names):
        if name and name not in seen:
            seen.add(name)
            continue
        found = wanted = name or UNNAMED.format(places[place] if places else place + 1)
        while found in taken:
            numbers[wanted] += 1
            found = f"{wanted}_{numbers[wanted] + 1}"
        taken.add(found)
        names[place] = found
        (again if name else unnamed).append(found)
    said = [_count(unnamed, "without a name"), _count(again, "with the name of an earlier one")]
    return names, "; ".join(filter(None, said))


def _count(names: Sequence[str], what: str) -> str:
    """Write a remark about columns that were renamed."""
    if not names:
        return ""
    several = f"{len(names):,} columns {what} are" if len(names) > 1 else f"1 column {what} is"
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{several} called {', '.join(map(repr, names[:_SHOWN]))}{more}"


def refuse_twins(
    names: Sequence[str], where: str | None = None, advice: str = "rename one of them", what: str = "column name"
) -> None:
    """Raise an error for a repeated name, before a library renames one of the columns or fails."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        place = f" in {where}" if where else ""
        raise ReadError(f"the {what} {twice!r} appears twice{place}; {advice}")
