"""Files as people have them."""

import pytest

from unless import read_table
from unless.errors import ParameterError

CLOCKS = "at,weekday,late\n" + "".join(
    f"{hour}:{minute:02},{hour % 7},{'yes' if hour > 8 else 'no'}\n" for hour in range(6, 24) for minute in (5, 30)
)


def test_times_without_a_leading_zero_are_times() -> None:
    """7:30 is the time 07:30, beside 12:30 and alone, in a text file and in a list of records."""
    padded = "".join(f"0{line}\n" if line[1:2] == ":" else f"{line}\n" for line in CLOCKS.splitlines())
    table, same = (read_table(text.encode(), "late", format="csv") for text in (CLOCKS, padded))
    assert [str(table.record(row)["at"]) for row in (0, 1)] == ["06:05", "06:30"]
    assert all(table.record(row) == same.record(row) for row in range(len(same)))
    assert str(read_table([{"at": "8:45:00"}, {"at": "7:30"}]).record(1)["at"]) == "07:30"


@pytest.mark.parametrize("form", ["%H:%M", "%H:%M:%S"])
def test_the_format_of_times_may_be_given(form: str) -> None:
    """dates= takes the format of times of the day, which changes nothing; another format without a date is refused."""
    told = read_table(CLOCKS.encode(), "late", format="csv", dates={"at": form})
    assert told.columns[0].notation == read_table(CLOCKS.encode(), "late", format="csv").columns[0].notation
    with pytest.raises(ParameterError, match="'%H:%M' or '%H:%M:%S'"):
        read_table(CLOCKS.encode(), "late", format="csv", dates={"at": "%M:%S"})
