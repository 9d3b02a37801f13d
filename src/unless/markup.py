"""Templates of pages and notebooks: jinja2, autoescaped, so that whatever stands in data is shown as text."""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from unless.errors import UnlessError

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["asset", "available", "fill", "plural"]


def fill(template: str, **context: object) -> str:
    """A template, filled in; without jinja2, an error that says how to get it."""
    return _environment().get_template(template).render(context)


def available() -> bool:
    """Whether there is jinja2; without it a notebook shows text."""
    return find_spec("jinja2") is not None


@cache
def asset(name: str) -> str:
    """A style or script of the pages."""
    return (files("unless") / "report" / "page" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise UnlessError('this needs jinja2, which is not installed; pip install "unless[report]"') from error
    made = Environment(
        loader=PackageLoader("unless", "report/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=_number, percent=_percent, measure=_measure, plural=plural)
    return made


def _number(count: float) -> str:
    """A count in groups of three digits; a sum of weights may have decimals.

    >>> _number(1234567.0), _number(0.25)
    ('1,234,567', '0.2')
    """
    return f"{count:,.0f}" if count == int(count) else f"{count:,.1f}"


def _percent(share: float) -> str:
    r"""A share in per cent, rounded down: what erred once in 311 times is not right for 100 %.

    >>> [_percent(share).replace("\xa0", " ") for share in (310 / 311, 0.004, 0, 1.0)]
    ['99 %', '< 1 %', '0 %', '100 %']
    """
    whole = math.floor(100 * share + 1e-9)
    return f"{whole}\u00a0%" if whole or not share else "<\u00a01\u00a0%"


def _measure(share: float) -> str:
    """A measure of quality with three decimals, 1.000 only where it is 1.

    >>> _measure(0.92349), _measure(0.99999), _measure(1.0)
    ('0.923', '0.999', '1.000')
    """
    return f"{share:.3f}" if share == 1 else f"{min(share, 0.999):.3f}"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "rule"), plural(1200, "rule")
    ('1 rule', '1,200 rules')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
