"""Define the meaning and the spelling of cells, labels and numbers.

`cells` converts cells from any source to values, and writes labels and figures for people and JSON; `notation` writes
and reads numbers that are dates, times, durations, levels of an order, flags or whole numbers; `spelling` writes names
and texts in rules, bare or in quotes.
"""

from unless.values.cells import (
    DEFAULT_MISSING,
    EARLIER_MISSING,
    LEADING_ZERO,
    NUMBER_FORM,
    WHOLE_NUMBER,
    Label,
    Value,
    amount_text,
    are_codes_not_numbers,
    attributes_to_json,
    cell_value,
    class_index,
    cost_text,
    count_text,
    is_blank,
    label_from_json,
    label_index,
    label_to_json,
    label_type,
    missing_among,
    number_to_json,
    number_to_text,
    parse_flag,
    parse_number,
    percent,
    same_label,
    share_text,
    to_json,
    to_python_value,
    value_in_notation,
    value_to_json,
)

__all__ = [
    "DEFAULT_MISSING", "EARLIER_MISSING", "LEADING_ZERO", "NUMBER_FORM", "WHOLE_NUMBER", "Label", "Value",
    "amount_text", "are_codes_not_numbers", "attributes_to_json", "cell_value", "class_index", "cost_text",
    "count_text", "is_blank", "label_from_json", "label_index", "label_to_json", "label_type", "missing_among",
    "number_to_json", "number_to_text", "parse_flag", "parse_number", "percent", "same_label", "share_text",
    "to_json", "to_python_value", "value_in_notation", "value_to_json",
]  # fmt: skip
