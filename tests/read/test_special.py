"""Special codes: numbers that name a category are read as that category, whatever the source and the spelling."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unless import read_table
from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError
from unless.read.special_codes import parse_special_option, read_special_file
from unless.table import Column
from unless.values.notation import FLAG, WHOLE

SPECIAL = {"months": {-7: "no inquiry", -8: "no trades"}}
VALUES = ["no inquiry", 3.0, None, "no trades", 0.0, "no inquiry"]


def cells(table, name="months"):
    """The values of a column, row by row."""
    column = table.column(name)
    return [column.value(code) for code in column.codes.tolist()]


def sources(tmp_path):
    """The same cells in every kind of source."""
    frame = pd.DataFrame({"months": [-7, 3, np.nan, -8, 0, -7], "age": [20, 30, 40, 50, 60, 70]})
    records = [
        {"months": None if row.months != row.months else row.months, "age": row.age} for row in frame.itertuples()
    ]
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    (tmp_path / "x.csv").write_text("months,age\n-7,20\n3,30\n,40\n-8.0,50\n0, 60\n -7.00,70\n")
    (tmp_path / "de.csv").write_text("months;age\n-7;20,5\n3;30,5\n?;40,5\n-8,0;50,5\n0;60,5\n-7,00;70,5\n")
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
    return [
        frame, pl.from_pandas(frame), pl.from_pandas(frame).to_arrow(), records, frame.to_numpy(),
        *(tmp_path / name for name in ("x.parquet", "x.xlsx", "x.csv", "de.csv", "x.jsonl")),
    ]  # fmt: skip


def test_every_source(tmp_path):
    """Frames, dicts, arrays and files give the same column, which says its codes in its schema."""
    for source in sources(tmp_path):
        name = "x0" if isinstance(source, np.ndarray) else "months"
        table = read_table(source, special={name: SPECIAL["months"]})
        assert cells(table, name) == VALUES, source
        assert table.schema.special == {name: ((-8.0, "no trades"), (-7.0, "no inquiry"))}
        assert table.schema.kinds[name] == "number"
        assert table.column(name).notation == WHOLE
        again = read_table(source, like=table)
        assert cells(again, name) == VALUES
        assert again.schema.special == table.schema.special


def test_a_table_converts_back():
    """The frames of a table have the raw numbers again, which are read like the table."""
    table = read_table([{"months": cell, "town": "x"} for cell in (-7, 3, None, -8, 0, -7)], special=SPECIAL)
    assert table.to_pandas()["months"].fillna(99).tolist() == [-7, 3, 99, -8, 0, -7]
    assert table.to_polars()["months"].to_list() == [-7, 3, None, -8, 0, -7]
    for frame in (table.to_pandas(), table.to_polars(), table.to_arrow()):
        assert cells(read_table(frame, like=table)) == VALUES
    assert cells(table.renamed(["m", "t"]), "m") == cells(table[::-1])[::-1] == VALUES


CELLS = st.one_of(st.integers(-9, 9).map(float), st.sampled_from([0.5, -7.5, None]))


@given(rows=st.lists(CELLS, min_size=1, max_size=30), texts=st.lists(st.sampled_from(["a", "b"]), max_size=2))
@settings(max_examples=100, deadline=None)
def test_it_is_as_if_the_cells_had_the_names(rows, texts):
    """A column with codes is the column that has the names in their places, and numbers as without these cells."""
    names, numbers = {-7.0: "none", 3.0: "three", 99.0: "never"}, [row for row in rows if row not in (None, -7.0, 3.0)]
    if not [row for row in rows if row is not None]:
        return
    found = read_table([{"x": cell} for cell in [*rows, *texts]], special={"x": names}, numeric=["x"]).columns[0]
    wanted = Column.of("x", [names.get(cell, cell) for cell in [*rows, *texts]])
    assert found.numbers.tolist() == wanted.numbers.tolist()
    assert found.categories == wanted.categories
    assert found.codes.tolist() == wanted.codes.tolist()
    if numbers:
        plain = read_table([{"x": cell} for cell in [*numbers, *texts]], numeric=["x"]).columns[0]
        assert (found.kind, found.notation) == (plain.kind, plain.notation)


def test_flags_and_units():
    """Numbers keep what they are besides the codes: 0 and 1, amounts with a unit."""
    table = read_table([{"f": cell} for cell in (0, 1, -9, 1)], special={"f": {-9: "unknown"}})
    assert table.column("f").notation == FLAG
    text = b"w\n12 kg\n7 kg\n9.5 kg\n-9\n-9.0 kg\n"
    table = read_table(text, special={"w": {-9: "unknown"}}, format="csv")
    assert cells(table, "w") == [12.0, 7.0, 9.5, "unknown", "unknown"]
    assert table.column("w").notation.unit == "kg"


@pytest.mark.parametrize(
    ("special", "more", "error", "words"),
    [
        (["months"], {}, ParameterError, "special= takes columns, and the names of their codes"),
        ({"months": "x"}, {}, ParameterError, "special= gives 'months' 'x'; it takes codes and their names"),
        ({"months": {"seven": "x"}}, {}, ParameterError, "the code 'seven'; codes are numbers"),
        ({"months": {True: "x"}}, {}, ParameterError, "the code True; codes are numbers"),
        ({"months": {float("inf"): "x"}}, {}, ParameterError, "codes are numbers"),
        ({"months": {-7: ""}}, {}, ParameterError, "a name has letters"),
        ({"months": {-7: "8"}}, {}, ParameterError, "a name has letters"),
        ({"months": {-7: 8}}, {}, ParameterError, "a name has letters"),
        ({"months": {-7: "x", -8: "x"}}, {}, ParameterError, "the name 'x'; each name belongs to one code"),
        ({"months": {-7: "x", "-7.0": "y"}}, {}, ParameterError, "names the code -7 of 'months' twice"),
        ({"mnths": {-7: "x"}}, {}, UnknownNameError, "no column 'mnths'; did you mean 'months'"),
        ({"town": {-7: "x"}}, {}, ReadError, "'town' has no numbers, such as 'Oslo', but special codes are numbers"),
        ({"when": {-7: "x"}}, {}, ReadError, "'when' has dates or times, but special codes are numbers"),
        ({"mixed": {-7: "a"}}, {}, ReadError, "the name 'a', which some cells have; choose another name"),
        ({"months": {-7: "x"}}, {"categorical": ["months"]}, ParameterError, "'months' is declared categorical"),
        ({"size": {-7: "x"}}, {"orders": {"size": ["S"]}}, ParameterError, "declared by dates= or orders="),
        ({"months": {-7: "x"}}, {"missing": ["-7.0"]}, ParameterError, "-7 of 'months' is in special= and in"),
        ({"months": {-7: "NA"}}, {"missing": ["NA"]}, ParameterError, "'NA' of 'months' is in special= and"),
        ({"town": {-7: "x"}}, {"target": "town"}, ParameterError, "'town' is the target: only features have"),
    ],
)
def test_what_makes_no_sense(special, more, error, words):
    """It is refused, and the error says what to change."""
    rows = [
        {"months": k, "town": "Oslo", "when": "2020-01-01", "mixed": cell, "size": "S"} for k, cell in enumerate("a12")
    ]
    rows = [{**row, "mixed": "a" if row["mixed"] == "a" else int(row["mixed"])} for row in rows]
    with pytest.raises(error, match="^[^\n]*" + words):
        read_table(rows, special=special, **more)


def test_a_file_of_codes(tmp_path):
    """A TOML file has a table for each column; errors name the file."""
    path = tmp_path / "codes.toml"
    path.write_text('[months]\n-7 = "no inquiry"\n"-8.0" = "no trades"\n["a: b"]\n1 = "one"\n')
    assert read_special_file(path) == {"months": ((-8.0, "no trades"), (-7.0, "no inquiry")), "a: b": ((1.0, "one"),)}
    for text in ("months = 3", "[months", '[months]\nx = "y"'):
        path.write_text(text)
        with pytest.raises(ParameterError, match=r"codes\.toml: "):
            read_special_file(path)
    with pytest.raises(MissingFileError, match="no file"):
        read_special_file(tmp_path / "none.toml")


@given(
    column=st.text(min_size=1),
    code=st.integers(-99, 99) | st.floats(-99, 99, allow_nan=False).map(lambda x: round(x, 3)),
    name=st.text(),
)
@settings(max_examples=100, deadline=None)
def test_options_of_any_column(column, code, name):
    """A column of any name, and a name of any letters, come back from an option."""
    assert parse_special_option(f"{column}:{code}={name}", ["a", column, column[:1]]) == (column, str(code), name)
