"""What one command says of a model and a table, the others say too."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

from tests.cli.command import called

NUMBERS = [k * 7 % 31 for k in range(60)]
SPELLED = {
    "booleans": ([k % 31 > 15 for k in NUMBERS], str.lower),
    "numbers": ([2 if k > 15 else 1 for k in NUMBERS], lambda text: f"{text}.0"),
}


@pytest.mark.parametrize("labels", SPELLED)
@pytest.mark.parametrize(("learned", "used"), [("typed", "text"), ("text", "typed"), ("typed", "typed")])
def test_labels_typed_and_spelled(tmp_path, labels, learned, used):
    """A model of labels that are no text and a file that spells them agree, whichever is which, in every command."""
    typed, spell = SPELLED[labels]
    wrong = [typed[0], *(not label if isinstance(label, bool) else 3 - label for label in typed[:1]), *typed[2:]]
    for name, column in (("train", typed), ("test", wrong)):
        pl.DataFrame({"x": NUMBERS, "y": column}).write_parquet(tmp_path / f"{name}.typed.parquet")
        texts = [spell(str(label)) for label in column]
        pl.DataFrame({"x": NUMBERS, "y": texts}).write_csv(tmp_path / f"{name}.text.csv")
    ending = {"typed": "typed.parquet", "text": "text.csv"}
    train, data = f"train.{ending[learned]}", f"test.{ending[used]}"

    def says(*command: str) -> str:
        done = called(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    says("fit", train, "-t", "y", "--test", "0", "-o", "m.json")
    right = sum(one == other for one, other in zip(typed, wrong, strict=True))
    share = f"{right / len(typed):.3f}"
    summary = json.loads(says("predict", "m.json", data, "-o", "out.csv", "--json", "-q"))
    assert summary["accuracy"] == right / len(typed)
    assert f"right before: {right} ({share}), after: {right}" in says("diff", "m.json", "m.json", data)
    assert f"accuracy {share}" in says("report", "m.json", data)
    tested = says("evaluate", train, "-t", "y", "--test", data, "-a", "unless", "-q")
    assert re.search(rf"^accuracy .* {share}$", tested, re.MULTILINE)
    told = says("explain", "m.json", data, "--row", "1-60")
    assert told.count("its label in the data is") == len(typed) - right
