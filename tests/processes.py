"""Functions run in processes of their own, forked from a server that has loaded what they need."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from typing import Any

# Seconds in which a process must have come to its point.
PATIENCE = 120.0
_context = multiprocessing.get_context("forkserver")
# PyArrow imports pandas at the first conversion, which would cost every child a second.
_context.set_forkserver_preload(
    ["pandas", "psycopg", "pytest", "headwater.worker.loop", "tests.arrow_lake", "tests.simulation.lake"]
)


def _run(work: Callable[..., Any], arguments: tuple[Any, ...], crash_at: str | None, results: Any) -> None:
    if crash_at:
        os.environ["HEADWATER_CRASH_AT"] = crash_at
    results.send(work(*arguments))
    results.close()


def run_all(work: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """What each call returned, all running at once; a process that dies fails the test."""
    started = [_start(work, arguments, None) for arguments in calls]
    answers = []
    for process, results in started:
        answers.append(results.recv())
        process.join()
        assert process.exitcode == 0
    return answers


def run_until_crash(work: Callable[..., Any], arguments: tuple[Any, ...], crash_at: str) -> int | None:
    """Run until the process kills itself at the named point; its exit code, None if it never came there."""
    process, results = _start(work, arguments, crash_at)
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    results.close()
    return process.exitcode


class Partner:
    """A process that is talked to: what its function is given first receives and sends."""

    def __init__(self, work: Callable[..., None], arguments: tuple[Any, ...] = ()) -> None:
        self._talk, theirs = _context.Pipe()
        self._process = _context.Process(target=work, args=(theirs, *arguments))
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def say(self, what: object) -> None:
        """Send it something."""
        self._talk.send(what)

    def hear(self) -> Any:
        """What it says next."""
        assert self._talk.poll(PATIENCE), "it says nothing"
        return self._talk.recv()

    def __enter__(self) -> Partner:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()


def _start(work: Callable[..., Any], arguments: tuple[Any, ...], crash_at: str | None) -> tuple[Any, Any]:
    receiving, sending = _context.Pipe(duplex=False)
    process = _context.Process(target=_run, args=(work, arguments, crash_at, sending))
    process.start()
    sending.close()
    return process, receiving
