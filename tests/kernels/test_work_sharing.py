"""Threads that share work."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time

import pytest

from unless.kernels import run_in_threads


def threads_end(before: int) -> bool:
    """Whether no more threads than before are there, at the latest a moment after the work is done."""
    until = time.monotonic() + 5
    while _thread._count() > before and time.monotonic() < until:
        time.sleep(0.001)
    return _thread._count() <= before


@pytest.mark.parametrize("threads", [1, 2, 3, 100])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_every_item_is_worked_on_once(threads, count):
    """Whatever the number of threads and of items, each item is taken once, and no thread is left."""
    before, taken = _thread._count(), []
    run_in_threads(lambda number, word: taken.append((number, word)), [(k, "x") for k in range(count)], threads)
    assert sorted(taken) == [(k, "x") for k in range(count)]
    assert threads_end(before)


def test_threads_work_at_the_same_time():
    """Items that wait for each other are done: each has a thread of its own."""
    meeting = threading.Barrier(3, timeout=20)
    run_in_threads(lambda: meeting.wait() and None, [(), (), ()], 3)
    assert not meeting.broken


def test_a_failure_is_raised_when_all_threads_are_done():
    """What an item raises, in whichever thread, is raised at the end, and hardly any new item is taken."""
    before, running, taken = _thread._count(), [0], []

    def work(k):
        running[0] += 1
        taken.append(k)
        time.sleep(0.001)
        running[0] -= 1
        if k == 5:
            raise ValueError("five")

    with pytest.raises(ValueError, match="five"):
        run_in_threads(work, [(k,) for k in range(1000)], 3)
    assert running == [0]
    assert len(taken) < 1000
    assert threads_end(before)


def test_without_threads_to_be_had(monkeypatch):
    """If the system gives no thread, the others do all the work."""

    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(sys.modules["unless.kernels.work_sharing"], "start_new_thread", refuse)
    taken = []
    run_in_threads(taken.append, [(k,) for k in range(9)], 4)
    assert taken == list(range(9))


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread")
def test_ctrl_c_waits_for_the_threads():
    """A signal during the wait is raised, but not before every thread has finished what it writes."""
    finished, main, started = [], threading.get_ident(), threading.Event()

    def work(k):
        if threading.get_ident() == main:
            started.wait(20)
            return
        started.set()
        signal.pthread_kill(main, signal.SIGINT)
        time.sleep(0.3)
        finished.append(k)

    with pytest.raises(KeyboardInterrupt):
        run_in_threads(work, [(0,), (1,)], 2)
    assert len(finished) == 1
