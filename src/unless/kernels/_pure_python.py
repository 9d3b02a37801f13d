"""The names of Cython that kernels use, for running them interpreted: unless is built with Cython, and runs without it.

Types convert numbers, decorators change nothing. Annotations are never evaluated. Compiled kernels do not load this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

compiled = False
int = int  # noqa: PLW0127 - cython.int
uint = longlong = ulonglong = Py_ssize_t = int
double = float


def typedef(kind: Any) -> Any:
    return kind


def declare(kind: Any, value: Any) -> Any:
    return kind(value)


cast = declare


def cfunc(thing: Any) -> Any:
    return thing


cclass = ccall = final = inline = cfunc


def exceptval(*, check: bool) -> Callable[[Any], Any]:  # noqa: ARG001 - as Cython calls it
    return cfunc


class _Nogil:
    """A decorator, and a context: interpreted code keeps the GIL."""

    def __call__(self, function: Any) -> Any:
        return function

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


nogil = _Nogil()
