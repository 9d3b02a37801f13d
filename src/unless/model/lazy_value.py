"""`LazyValue`: a value that is computed at its first use."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class LazyValue(Generic[T_co]):
    """A value that is computed once, at the first use of ``value``; the input of the computation is then released.

    Concurrent threads get the same object. After an exception, such as Ctrl-C, the next use starts the computation
    again. Pickles and copies contain only the computed value.
    """

    __slots__ = ("_compute", "_lock", "_value")

    def __init__(self, compute: Callable[[], T_co]) -> None:
        self._compute: Callable[[], T_co] | None = compute
        self._lock = RLock()

    @property
    def value(self) -> T_co:
        """The value, computed at the first access."""
        with self._lock:
            if self._compute is not None:
                self._value = self._compute()
                self._compute = None
            return self._value

    def __reduce__(self) -> tuple[Callable[[T], T], tuple[T_co]]:
        return _itself, (self.value,)


def value_of(found: LazyValue[T] | T) -> T:
    """Return a value; compute it if it is lazy."""
    return found.value if isinstance(found, LazyValue) else found


def _itself(value: T) -> T:
    return value
