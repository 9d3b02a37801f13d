# cython: language_level=3
"""Threads that share work; compiled, because then Ctrl-C cannot strike between the steps that start and await them."""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread


class SharedWork:
    """A function, the items that no thread has taken yet, and the first failure."""

    def __init__(self, function, items):
        self.function = function
        self.items = iter(items)
        self.failure = None

    def run(self):
        """Take items and call the function with them, until none are left or one has failed."""
        try:
            for item in self.items:
                if self.failure is not None:
                    break
                self.function(*item)
        except BaseException as failure:  # noqa: BLE001 - raised again where the work was shared
            self.failure = failure

    def help(self, done):
        """The same in a thread of its own."""
        self.run()
        done.release()


def run_in_threads(function, items, threads):
    """Call a function with every item, which is a tuple of arguments, by ``threads`` threads: this one and new ones.

    Threads start in 20 µs and end with the work, so there is no pool to look after. When the call returns or raises,
    all of them are done: whatever they write to is whole, after Ctrl-C too.
    """
    if threads == 1:
        for item in items:
            function(*item)
        return
    work = SharedWork(function, items)
    helpers = []
    for _ in range(min(threads, len(items)) - 1):
        done = allocate_lock()
        done.acquire()
        try:
            start_new_thread(work.help, (done,))
        except RuntimeError:  # no more threads to be had: those that are there do all the work
            break
        helpers.append(done)
    work.run()
    for done in helpers:
        wait(done, work)
    if work.failure is not None:
        raise work.failure


def wait(done, work):
    """Wait until a helper is done, whatever signals arrive meanwhile; what they raise is a failure of the work."""
    while True:
        try:
            done.acquire()
        except BaseException as failure:  # noqa: BLE001
            work.failure = failure
        else:
            break
