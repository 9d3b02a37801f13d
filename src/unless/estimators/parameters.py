"""Convert the parameters of classifiers to JSON for model files, and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from unless.constraints import Constraints, to_constraints
from unless.errors import ParameterError, ProgramError
from unless.estimators.cost_input import check_costs, to_cost_pairs
from unless.estimators.model_schema import Cost, ParameterPair, SpecialColumn, SpecialParameter
from unless.export.document_checks import at, label_of, shown, unique_keys
from unless.model.costs import CostPairs
from unless.read.special_codes import check_special, special_from_json, special_to_json
from unless.table import SpecialCodes
from unless.values import label_to_json, to_python_value

_FORMS = {
    "class_weight": "weights",
    "dates": "columns",
    "orders": "columns",
    "constraints": "constraints",
    "costs": "costs",
    "special": "special",
}
"""The key of the JSON object that holds the value of a parameter, by parameter."""


def parameters_data(parameters: Mapping[str, Any]) -> list[list[Any]]:
    """Return parameters as pairs of name and value for JSON, sorted by name."""
    return [[name, _data(name, value)] for name, value in sorted(parameters.items())]


def _data(name: str, value: Any) -> Any:  # noqa: PLR0911 - one return for each form
    """Return the value of a parameter in a form that JSON can hold."""
    if name == "constraints" and value is not None:
        found = to_constraints(value)
        return None if found is None else {"constraints": found.to_dict()}
    if name == "costs" and value is not None:
        return {"costs": costs_data(to_cost_pairs(value))}
    if isinstance(value, Mapping) and name == "special":
        codes = check_special({to_python_value(one): names for one, names in value.items()}, keep_columns=True)
        return {"special": special_to_json(codes)}
    if isinstance(value, Mapping) and name in ("dates", "orders"):
        columns = [[to_python_value(one), said if isinstance(said, str) else list(said)] for one, said in value.items()]
        return {"columns": columns}
    if isinstance(value, Mapping):
        return {"weights": [[label_to_json(to_python_value(label)), float(weight)] for label, weight in value.items()]}
    value = to_python_value(value)
    if value is None or isinstance(value, bool | int | float | str):
        return label_to_json(value)
    try:
        return [to_python_value(column) for column in value]
    except TypeError:
        raise ProgramError(f"the parameter {name} is {value!r}, which cannot be saved in a model file") from None


def costs_data(pairs: CostPairs) -> list[list[Any]]:
    """Return costs as triples of true label, decided label and amount for JSON."""
    return [[label_to_json(true), label_to_json(decided), amount] for (true, decided), amount in pairs.items()]


def read_costs(triples: Sequence[Cost], place: str) -> CostPairs:
    """Read costs from triples in a model file."""
    read = [
        (label_of(true, f"{place}[{index}][0]"), label_of(decided, f"{place}[{index}][1]"), amount)
        for index, (true, decided, amount) in enumerate(triples)
    ]
    try:
        return check_costs(read)
    except ParameterError as error:
        raise at(place, str(error)) from error


def read_parameters(pairs: Sequence[ParameterPair], place: str) -> dict[str, Any]:
    """Read the parameters of a classifier, by name, from pairs in a model file."""
    unique_keys(pairs, place)
    return {name: _parameter(name, value, f"{place}[{index}][1]") for index, (name, value) in enumerate(pairs)}


def _parameter(name: str, value: Any, place: str) -> Any:  # noqa: PLR0911 - one return for each form
    """Read the value of a parameter; reject an object of a kind that the parameter does not take."""
    form = _FORMS.get(name)
    if not isinstance(value, SpecialParameter):
        if form == "constraints" and value is not None:
            raise at(place, f'{shown(value)} are no constraints; these are null or {{"constraints": …}}')
        return value if value is None or isinstance(value, list) else label_of(value, place)
    found = msgspec.to_builtins(value)
    if len(found) != 1 or not {"float", form}.issuperset(found):
        raise at(place, f"{shown(found)} is not a value for {name}")
    match found:
        case {"weights": pairs}:
            return {label_of(label, place): weight for label, weight in pairs}
        case {"columns": pairs}:
            return {column if isinstance(column, str) else int(column): declared for column, declared in pairs}
        case {"costs": triples}:
            return read_costs(triples, place)
        case {"special": pairs}:
            return {column: dict(codes) for column, codes in read_special(pairs, place).items()}
        case {"constraints": constraints}:
            try:
                return Constraints.from_dict(constraints)
            except ParameterError as error:
                raise at(place, str(error)) from error
    return label_of(found, place)


def read_special(
    data: Sequence[SpecialColumn], place: str, names: Collection[str] | None = None
) -> dict[Any, SpecialCodes]:
    """Read the special codes of columns from a model file; ``names`` are those of the columns."""
    unique_keys(data, place, names)
    try:
        return special_from_json(data)
    except ParameterError as error:
        raise at(place, str(error)) from error
