"""Find the number of threads that ``n_jobs`` means; results are the same for any number of threads."""

from __future__ import annotations

import os
import sys
from operator import index

from unless.errors import ParameterError


def resolve_n_jobs(n_jobs: object) -> int:
    """Return the number of threads that scikit-learn's ``n_jobs`` means: -1 is one per core, -2 one fewer.

    None is 1. Within ``joblib.parallel_config(n_jobs=...)``, None is the configured number, but at most the number of
    cores, because the jobs of joblib may run on other machines.
    """
    if n_jobs is None:
        return min(_joblib_default(), available_cores())
    try:
        jobs = 0 if isinstance(n_jobs, bool) else index(n_jobs)  # type: ignore[arg-type]  # not a number: TypeError
    except TypeError:
        jobs = 0
    if not jobs:
        raise ParameterError(f"n_jobs must be a whole number, but not 0, or None, not {n_jobs!r}")
    return jobs if jobs > 0 else max(available_cores() + 1 + jobs, 1)


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _joblib_default() -> int:
    """Return joblib's meaning of None; 1 if joblib was not imported, since it cannot be configured then."""
    joblib = sys.modules.get("joblib")
    return 1 if joblib is None else int(joblib.effective_n_jobs(None))
