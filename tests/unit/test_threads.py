"""What n_jobs stands for."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import joblib
import numpy as np
import pytest

from unless.errors import ParameterError
from unless.kernels import run_in_threads
from unless.table import Column
from unless.table.record_hashes import record_hashes
from unless.threads import available_cores, resolve_n_jobs


def test_numbers_are_as_in_scikit_learn():
    """A positive number is that many threads, -1 one for each core, -2 all but one; never fewer than one."""
    assert [resolve_n_jobs(jobs) for jobs in (1, 3, np.int64(2), -1, -2, -1000)] == [
        1,
        3,
        2,
        available_cores(),
        max(available_cores() - 1, 1),
        1,
    ]


def test_none_is_one_unless_joblib_says_otherwise(monkeypatch):
    """Without a number there is one thread; within joblib's parallel_config as many as it says, up to the cores."""
    monkeypatch.setattr("unless.threads.available_cores", lambda: 3)
    assert resolve_n_jobs(None) == 1
    with joblib.parallel_config("threading", n_jobs=2):
        assert resolve_n_jobs(None) == 2
    with joblib.parallel_config("threading", n_jobs=50):
        assert resolve_n_jobs(None) == 3
    assert resolve_n_jobs(None) == 1


def test_joblib_is_not_imported_for_it():
    """The command starts without joblib, which takes long to import."""
    code = "import sys; from unless.threads import resolve_n_jobs; print(resolve_n_jobs(None), 'joblib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1 False"


@pytest.mark.parametrize("wrong", [0, 1.5, "2", True, [1]])
def test_what_is_no_number_of_threads(wrong):
    """Zero, fractions, text and truth values are refused, and shown."""
    with pytest.raises(ParameterError, match="n_jobs must be a whole number, but not 0, or None, not") as caught:
        resolve_n_jobs(wrong)
    assert repr(wrong) in str(caught.value)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("parts", [1, 2, 7, 40])
def test_hashes_do_not_depend_on_threads(threads, parts):
    """A record has the same hash, whoever works on it."""
    cells = [*range(30), None, "x", "y", 0.5]
    columns = [Column.of("a", cells), Column.of("b", cells[::-1])]
    found = record_hashes(columns, len(cells), partial(run_in_threads, threads=threads), parts)
    assert found.tolist() == record_hashes(columns, len(cells)).tolist()
    assert len(set(found.tolist())) == len(cells)
