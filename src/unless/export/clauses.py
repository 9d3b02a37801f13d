"""Rules that need no order: each holds only where no earlier one does.

    class(X,"3") :- rule3(X), not rule2(X), not rule1(X).
    class(X,"4") :- rule4(X), undecided3(X).
    class(X,"5") :- rule5(X), not rule4(X), undecided3(X).
    undecided3(X) :- record(X), not rule1(X), not rule2(X), not rule3(X).
    undecided5(X) :- undecided3(X), not rule4(X), not rule5(X).

Up to three rules this is the form of the paper, which names all earlier rules beside each one; 2,000 rules would take
32 MB. So what is to be said more than twice gets an atom: what rules 1 to 3 leave undecided, what 4 and 5 leave of
that.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Link", "exclusion"]

Link = tuple[str, tuple[str, ...]]
"""A head and its goals."""

_MOST = 2
"""Goals beside a rule."""


def exclusion(
    rules: Sequence[str], record: tuple[str, ...], *, undecided: str = "undecided", rest: bool
) -> tuple[list[tuple[str, ...]], list[Link]]:
    """The goals that make rules, given by their heads, exclude earlier ones, and the links that these goals need.

    With ``rest`` the last goals are for where no rule holds. ``record`` is what makes negation alone safe.

    >>> goals, links = exclusion(["r1(X)", "r2(X)", "r3(X)"], (), rest=True)
    >>> goals
    [(), ('not r1(X)',), ('not r2(X)', 'not r1(X)'), ('undecided3(X)',)]
    >>> links
    [('undecided3(X)', ('not r1(X)', 'not r2(X)', 'not r3(X)'))]
    """
    goals: list[tuple[str, ...]] = []
    links: list[Link] = []
    earlier: tuple[str, ...] = ()
    for number, rule in enumerate((*rules, "") if rest else rules):
        if len(earlier) > _MOST:
            links.append((f"{undecided}{number}(X)", earlier if links else (*record, *earlier)))
            earlier = (links[-1][0],)
        goals.append(earlier[::-1])
        earlier = (*earlier, f"not {rule}")
    return goals, links
