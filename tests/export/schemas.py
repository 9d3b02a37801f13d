"""Write ``program.schema.json``, the format of files of programs and models: ``python -m tests.export.schemas``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from unless.estimators.model_schema import ModelData
from unless.export import json
from unless.export.json_text import layout

PATH = Path(json.__file__).with_name("program.schema.json")
_COMMENT = (
    "Descriptions complete the sentence 'expected …' in the message about a value that does not fit. The reader also "
    "checks what a schema cannot say: literals test features of the program and spell numbers in its notations, whole "
    "numbers have no point, exceptions nest at most 200 deep, the labels are all text, all numbers or all booleans, "
    "and the columns and statistics of a model fit its program."
)


def published_schema() -> dict[str, Any]:
    """Return the schema of programs and models, from the types that check them."""
    found = msgspec.json.schema(ModelData)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": _COMMENT,
        "title": "A program of unless",
    }
    return {**head, **found}


if __name__ == "__main__":
    PATH.write_text(layout(published_schema()) + "\n", encoding="utf-8")
