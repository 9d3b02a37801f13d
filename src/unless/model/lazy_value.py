"""A value that is computed when somebody first asks for it."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class LazyValue(Generic[T_co]):
    """A value that is computed once, at the first use of ``value``; then what it was computed from is released.

    Threads that ask at the same time get the same object. An exception, such as Ctrl-C, leaves it as it was: the next
    use computes it again. Pickles and copies hold the computed value alone.
    """

    __slots__ = ("_compute", "_lock", "_value")

    def __init__(self, compute: Callable[[], T_co]) -> None:
        self._compute: Callable[[], T_co] | None = compute
        self._lock = RLock()

    @property
    def value(self) -> T_co:
        """The value, computed now if it was not before."""
        with self._lock:
            if self._compute is not None:
                self._value = self._compute()
                self._compute = None
            return self._value

    def __reduce__(self) -> tuple[Callable[[T], T], tuple[T_co]]:
        return _itself, (self.value,)


def value_of(found: LazyValue[T] | T) -> T:
    """Return a value; a lazy one is computed."""
    return found.value if isinstance(found, LazyValue) else found


def _itself(value: T) -> T:
    return value
