"""How many threads ``n_jobs`` stands for. The answers are the same for any number of them."""

from __future__ import annotations

import os
import sys
from operator import index

from unless.errors import ParameterError


def resolve_n_jobs(n_jobs: object) -> int:
    """Return the number of threads that scikit-learn's ``n_jobs`` means: -1 is one for every core, -2 all but one.

    None is 1, except within ``joblib.parallel_config(n_jobs=...)``: there it is what that says, but no more threads
    than cores, because its jobs may run on other machines.
    """
    if n_jobs is None:
        return min(_joblib_default(), available_cores())
    try:
        jobs = 0 if isinstance(n_jobs, bool) else index(n_jobs)  # type: ignore[arg-type]  # what is no number is refused
    except TypeError:
        jobs = 0
    if not jobs:
        raise ParameterError(f"n_jobs must be a whole number, but not 0, or None, not {n_jobs!r}")
    return jobs if jobs > 0 else max(available_cores() + 1 + jobs, 1)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _joblib_default() -> int:
    """Return what joblib means by None; 1 if joblib was not imported, since then nothing has configured it."""
    joblib = sys.modules.get("joblib")
    return 1 if joblib is None else int(joblib.effective_n_jobs(None))
