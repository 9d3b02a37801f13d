"""Templates of pages and notebooks: jinja2, autoescaped, so that whatever stands in data is shown as text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from unless.errors import UnlessError
from unless.values import amount, counted, percent, share_text

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["asset", "available", "fill"]


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
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # an extra
    except ImportError as error:
        raise UnlessError('this needs jinja2, which is not installed; pip install "unless[report]"') from error
    made = Environment(
        loader=ChoiceLoader([PackageLoader("unless.explanation"), PackageLoader("unless.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=amount, percent=_percent, measure=share_text, plural=counted)
    return made


def _percent(share: float) -> str:
    """A share in per cent that no line break parts from its sign."""
    return percent(share).replace(" ", "\u00a0")
