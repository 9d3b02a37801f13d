"""Read the codes and wording of reasons from a TOML file, and write one to fill in.

```toml
[features.income]
low = { code = "R01", text = "The income is too low for the amount" }
missing = { code = "R02", text = "The income was not stated" }

[features.history.is]
"late" = { code = "R03", text = "Payments were late" }

[features.guarantor]
any = { code = "R04", text = "The guarantee is not sufficient" }

[conditions]
"amount > 15000" = { code = "R05", text = "The amount needs a second signature" }
```

A feature has *low* (at most a bound), *high* (above a bound), *between* (two bounds), *is* and *is_not* with
categories, *missing*, *present*, *other* (a text instead of a number), and *any*, for everything else. A condition is
written as ``unless reasons`` shows it, and comes before the entries of its feature.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from unless.errors import ParameterError, suggest
from unless.explanation.toml_parts import parse_toml, read_toml, refuse_unknown_keys, table_in
from unless.model import Model, decider_of, model_of
from unless.model.prediction import Decider
from unless.rule import Program
from unless.rule.reason_factors import Factor, Kind
from unless.rule.reason_words import ANY, Key, Reason, ReasonWords
from unless.score.principal_reasons import decider_factors, unexplained_rules

_KINDS: tuple[Kind, ...] = get_args(Kind)
_WITH_CATEGORIES = ("is", "is_not")
_PARTS = ("code", "text")
_NAMED = 3  # of what is missing, in a message


def read_reason_words(path: str | os.PathLike[str], model: Any = None) -> ReasonWords:
    """Read the wording of reasons from a TOML file; reject features, categories and conditions unknown to the model."""
    return read_toml(path, lambda text: parse_reason_words(text, model))


def parse_reason_words(text: str, model: Any = None) -> ReasonWords:
    r"""Parse the wording of reasons from TOML text.

    >>> words = parse_reason_words('[features.income]\nlow = { code = "R01", text = "income too low" }')
    >>> words.features["income"][("low", None)]
    Reason(code='R01', text='income too low')
    """
    found = parse_toml(text)
    refuse_unknown_keys(found, ("features", "conditions"), "the file")
    known = None if model is None else _KnownNames.of(model)
    if empty := list(_empty_entries(found, ())):
        shown = ", ".join(empty[:_NAMED]) + (f" and {len(empty) - _NAMED} more" if len(empty) > _NAMED else "")
        raise ParameterError(f"an empty code or text: {shown}; fill in both, or leave the entry out")
    tables, conditions = table_in(found, "features"), table_in(found, "conditions")
    features = {name: dict(_entries(name, table_in(tables, name, "features."), known)) for name in tables}
    for name in conditions:
        if known is not None and name not in known.conditions:
            raise ParameterError(f"[conditions]: no rule tests {name!r}{suggest(name, sorted(known.conditions))}")
    return ReasonWords(features, {name: _reason(conditions, name, "conditions") for name in conditions})


def _empty_entries(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of the entries whose code or text is empty."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _empty_entries(value, (*path, name))
        elif path and name in _PARTS and isinstance(value, str) and not value.strip():
            yield f"{path[-1]!r} in [{'.'.join(path[:-1])}]"


@dataclass(frozen=True, slots=True)
class _KnownNames:
    """The names that a file may use for a model."""

    features: tuple[str, ...]
    categories: Mapping[str, Collection[str]]
    conditions: Collection[str]

    @classmethod
    def of(cls, model: Any) -> _KnownNames:
        decider, known = decider_of(model), model_of(model)
        factors = list(decider_factors(decider))
        categories: dict[str, set[str]] = {name: set() for name in decider.features}
        for factor in factors:
            if factor.category is not None:
                categories[factor.feature].add(factor.category)
        for column in () if known is None else known.domain.columns:
            categories.setdefault(column.name, set()).update(column.categories)
        return cls(decider.features, categories, {one.condition_text for one in factors})


def _entries(name: str, table: dict[str, Any], known: _KnownNames | None) -> Iterator[tuple[Key, Reason]]:
    """Yield the entries of a feature."""
    if known is not None and name not in known.features:
        raise ParameterError(f"[features.{name}]: the model has no feature {name!r}{suggest(name, known.features)}")
    where = f"features.{name}"
    refuse_unknown_keys(table, (*_KINDS, "any"), f"[{where}]")
    for kind in table:
        if kind not in _WITH_CATEGORIES:
            yield ANY if kind == "any" else (kind, None), _reason(table, kind, where)  # type: ignore[misc]
            continue
        for category in (own := table_in(table, kind, f"{where}.")):
            if known is not None and category not in (there := known.categories[name]):
                raise ParameterError(
                    f"[{where}.{kind}]: {name!r} is never {category!r}{suggest(category, sorted(there))}"
                )
            yield (kind, category), _reason(own, category, f"{where}.{kind}")  # type: ignore[misc]


def _reason(table: dict[str, Any], name: str, where: str) -> Reason:
    """Read a reason: a table of a code and a text."""
    found, own = table[name], f"{name!r} in [{where}]"
    if not isinstance(found, dict) or not all(isinstance(found.get(one), str) for one in found.keys() & set(_PARTS)):
        raise ParameterError(f'{own} needs a code and a text, not {found!r:.60}; write {{ code = "R01", text = "…" }}')
    refuse_unknown_keys(found, _PARTS, own)
    if lacking := [one for one in _PARTS if one not in found]:
        raise ParameterError(f'{own} has no {lacking[0]}; write both: {{ code = "R01", text = "…" }}')
    return Reason(found["code"], found["text"])


# Checking.


@dataclass(frozen=True, slots=True)
class ReasonCheck:
    """What a wording lacks for the decisions of a model; indices are those of rules (None: no rule), or of lists."""

    unworded: Mapping[Factor, list[int | None]]
    """The factors without a wording, and the rules whose decisions have them."""
    unexplained: tuple[int | None, ...]
    """The rules whose decisions have no reason, because no condition was tested."""


def check_reason_words(model: Any, words: ReasonWords) -> ReasonCheck:
    """Check that every decision of a model has reasons, and each of them a wording."""
    decider = decider_of(model)
    unworded = {factor: rules for factor, rules in decider_factors(decider).items() if words.find(factor) is None}
    return ReasonCheck(unworded, tuple(unexplained_rules(decider)))


# The template.

_HEAD = """\
# Reasons for the decisions about {target}. Fill in a text for each, and your own codes.
# "any" is for everything else that is said of a feature. Reasons with the same code have the same text.
"""


def reasons_template(model: Model | Program | Any) -> str:
    """Write a TOML file with an entry for each reason, whose texts are to be filled in.

    The remarks are the conditions. The kind *other* is left out: without an entry it is *missing*.
    """
    decider = decider_of(model)
    sections: dict[str, dict[str, list[str]]] = {}
    for factor in sorted(decider_factors(decider), key=_template_order(decider)):
        if factor.kind != "other":
            section = ".".join(
                ["features", _key(factor.feature), *([factor.kind] if factor.category is not None else [])]
            )
            name = factor.kind if factor.category is None else _key(factor.category)
            sections.setdefault(section, {}).setdefault(name, []).append(factor.condition_text)
    lines, number = [_HEAD.format(target=_key(decider.target))], 0
    for section, entries in sections.items():
        lines.append(f"[{section}]")
        for name, said in entries.items():
            number += 1
            lines.append(f'{name} = {{ code = "R{number:02d}", text = "" }}  # {_remark(said)}')
        lines.append("")
    return "\n".join(lines)


def _template_order(decider: Decider) -> Callable[[Factor], tuple[int, bool, int]]:
    """Return the order of factors in a file: by feature, first those without a category, then by kind."""
    place = {name: number for number, name in enumerate(decider.used)}
    return lambda one: (place[one.feature], one.category is not None, _KINDS.index(one.kind))


def _remark(conditions: Sequence[str]) -> str:
    """Name some conditions in a remark, without characters that would end it."""
    shown = "; ".join(dict.fromkeys(conditions[:_NAMED])) + "; …" * (len(conditions) > _NAMED)
    return "".join(one if one.isprintable() else " " for one in shown)


def _key(text: str) -> str:
    """Write a text as a quoted key of TOML, which escapes the same characters as JSON does, and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
