"""Values, and frozen dataclasses that hold them, as JSON can hold them: one way for everything that is reported."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

from unless.values.cells import value_to_json


def to_json(value: Any) -> Any:
    """Return a value for JSON: what has a ``to_dict`` is asked for it, NaN is null, an infinity ``{"number": "inf"}``.

    >>> to_json((1, float("nan"), {"a": float("inf")}))
    [1, None, {'a': {'number': 'inf'}}]
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): to_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(one) for one in value]
    return None if isinstance(value, float) and isnan(value) else value_to_json(value)


def attributes_to_json(value: object, *names: str) -> dict[str, Any]:
    """Return attributes of an object for JSON; ``key=name`` writes an attribute under another key.

    >>> attributes_to_json(slice(1, 5), "start", "end=stop")
    {'start': 1, 'end': 5}
    """
    pairs = (name.split("=") if "=" in name else (name, name) for name in names)
    return {key: to_json(getattr(value, attribute)) for key, attribute in pairs}
