"""What a cell, a label and a number mean, and how they are spelled.

`cells` says what a cell means, whatever it was read from, and how labels and figures are spelled for people and JSON;
`notation` how numbers are written that are dates, times, durations, levels of an order, flags or whole numbers;
`spelling` how names and texts are spelled in rules: bare, or in quotes.
"""

from unless.values.cells import (
    DEFAULT_MISSING,
    LEADING_ZERO,
    NUMBER_FORM,
    WHOLE_NUMBER,
    Label,
    Value,
    amount,
    are_names,
    class_place,
    counted,
    flag_in,
    label_data,
    label_in,
    label_place,
    label_type,
    number_data,
    number_in,
    percent,
    plain,
    read_as,
    same_label,
    share_text,
    spell,
    value_data,
    value_of,
)

__all__ = [
    "DEFAULT_MISSING",
    "LEADING_ZERO",
    "NUMBER_FORM",
    "WHOLE_NUMBER",
    "Label",
    "Value",
    "amount",
    "are_names",
    "class_place",
    "counted",
    "flag_in",
    "label_data",
    "label_in",
    "label_place",
    "label_type",
    "number_data",
    "number_in",
    "percent",
    "plain",
    "read_as",
    "same_label",
    "share_text",
    "spell",
    "value_data",
    "value_of",
]
