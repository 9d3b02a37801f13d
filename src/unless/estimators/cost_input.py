"""Read costs as users pass them: a dict, a square frame, a TOML file, or texts of the command line."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path

from unless.errors import MissingFileError, ParameterError, ReadError
from unless.model.costs import Amount, CostPairs, Costs
from unless.values import Label, class_index, parse_number, to_python_value

_MOST = 1e15
"""The largest cost."""

_ENDLESS = ("inf", "infinity", "nan")
"""Numbers that are no costs, and no names of columns either."""


def to_cost_pairs(given: object) -> CostPairs:
    """Read costs given as a mapping, a square frame, or the path of a TOML file; reject bad amounts.

    The keys of a mapping are pairs of true label and decided label, or true labels with mappings from decided labels.
    """
    if isinstance(given, str | os.PathLike):
        return _read_file(Path(given))
    if isinstance(given, Costs):
        return {(true, decided): amount for true, decided, amount in given.pairs()}
    if isinstance(given, Mapping):
        return check_costs([triple for key, amount in given.items() for triple in _flatten(key, amount)])
    return check_costs(_frame_triples(given))


def check_costs(triples: Sequence[tuple[object, object, object]]) -> CostPairs:
    """Check triples of true label, decided label and cost, and return them as a mapping."""
    if not triples:
        raise ParameterError('costs are empty; name a mistake: {("true label", "decided label"): 5}')
    found: dict[tuple[Label, Label], Amount] = {}
    for true, decided, amount in triples:
        key = _label(true), _label(decided)
        if key in found:
            raise ParameterError(f"costs name the decision {decided!r} for {true!r} twice")
        found[key] = _amount(key, amount)
    return found


def _flatten(key: object, amount: object) -> list[tuple[object, object, object]]:
    """Return the triples of an entry: of a pair of labels, or of a true label with the costs of decisions."""
    if isinstance(amount, Mapping):
        return [(key, decided, one) for decided, one in amount.items()]
    if isinstance(key, tuple) and len(key) == 2:
        return [(*key, amount)]
    raise ParameterError(
        f"{key!r:.60} has no decided label: costs are {{(true label, decided label): cost}}, and in TOML files each "
        "true label has a table, such as [churn] with stay = 5"
    )


def _frame_triples(given: object) -> list[tuple[object, object, object]]:
    """Return the triples of a square frame: rows are true labels, named by the index or the first column."""
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(given, eager_only=True)  # type: ignore[call-overload]
    except TypeError:
        raise ParameterError(
            'costs are a dict, {("true label", "decided label"): 5}, a square frame, or the path of a TOML file, '
            f"not {given!r:.60}"
        ) from None
    decided, cells, index = list(frame.columns), [one.to_list() for one in frame.iter_columns()], None
    if hasattr(given, "index") and len(frame) == len(decided):
        index = list(given.index)
    rows = cells[0] if index is None and cells else index or []
    if index is None:
        decided, cells = decided[1:], cells[1:]
    if len(rows) != len(decided) or not rows:
        raise ParameterError(
            f"the frame of costs has {len(rows)} rows and {len(decided)} columns of costs; it has a row and a column "
            "for each label, with the true labels as index or first column"
        )
    return [(true, label, cells[k][j]) for j, true in enumerate(rows) for k, label in enumerate(decided)]


def _label(given: object) -> Label:
    label = to_python_value(given)
    if not isinstance(label, str | bool | int | float) or label != label:  # noqa: PLR0124 - NaN differs
        raise ParameterError(f"costs name labels, which are text, numbers or booleans, not {given!r:.60}")
    return label


def _amount(pair: tuple[Label, Label], given: object) -> Amount:
    amount = to_python_value(given)
    if isinstance(amount, str) and amount:
        return amount
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not isfinite(amount):
        raise ParameterError(
            f"the cost of deciding {pair[1]!r} where {pair[0]!r} is true is {given!r:.60}; a cost is a finite number, "
            "or the name of the column with the amount of each record"
        )
    if abs(amount) > _MOST:
        raise ParameterError(f"the cost of deciding {pair[1]!r} where {pair[0]!r} is true is above 1e15: {amount!r}")
    return float(amount)


def _read_file(path: Path) -> CostPairs:
    """Read costs from a TOML file: a table for each true label, with the costs of decisions."""
    try:
        return to_cost_pairs(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise MissingFileError(f"no file {str(path)!r}; costs are a dict, a frame or the path of a TOML file") from None
    except OSError as error:
        raise ReadError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ParameterError) as error:
        raise ParameterError(f"{path}: {error}") from error


def parse_costs(texts: Sequence[str], labels: Sequence[Label]) -> CostPairs:
    """Read costs from texts such as ``churn:stay=5`` (true label, decided label, cost), or the path of a TOML file."""
    if len(texts) == 1 and texts[0].endswith(".toml"):
        return _read_file(Path(texts[0]))
    found: dict[tuple[Label, Label], Amount] = {}
    for text in texts:
        pair, sign, amount = text.rpartition("=")
        if not sign or not pair or not amount:
            raise ParameterError(f"{text!r} is not TRUE:DECIDED=COST, such as churn:stay=5, or the name of a TOML file")
        key = _label_pair(pair, labels)
        if key in found:
            raise ParameterError(f"the cost of {pair!r} is given twice")
        number = float(amount) if amount.casefold().strip("+-") in _ENDLESS else parse_number(amount)
        found[key] = _amount(key, amount if number is None else number)
    return found


def amounts_named(texts: Sequence[str]) -> list[str]:
    """Return the columns with amounts that such texts name, whatever the labels are."""
    if len(texts) == 1 and texts[0].endswith(".toml"):
        amounts: list[Amount] = list(_read_file(Path(texts[0])).values())
    else:
        amounts = [text.rpartition("=")[2] for text in texts if "=" in text]
    named = [one for one in amounts if isinstance(one, str) and parse_number(one) is None]
    return list(dict.fromkeys(named))


def _label_pair(text: str, labels: Sequence[Label]) -> tuple[Label, Label]:
    """Split a text at the colon that leaves a label on both sides; labels may contain colons themselves."""
    splits = [(text[:place], text[place + 1 :]) for place, letter in enumerate(text) if letter == ":"]
    places = [tuple(class_index(part, labels) for part in pair) for pair in splits]
    known = [(labels[true], labels[decided]) for true, decided in places if true is not None and decided is not None]
    if len(known) > 1:
        raise ParameterError(f"{text!r} names labels in several ways; write the costs into a TOML file")
    if known:
        return known[0]
    if not splits:
        raise ParameterError(f"{text!r} has no colon; write TRUE:DECIDED=COST, such as churn:stay=5")
    return splits[0]  # `Costs.of` reports the unknown label
