"""Functions run in processes of their own, forked from a server that has loaded what they need."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from typing import Any

_context = multiprocessing.get_context("forkserver")
# PyArrow imports pandas at the first conversion, which would cost every child a second.
_context.set_forkserver_preload(["pandas", "psycopg", "pytest", "headwater.service.connect", "tests.arrow_lake"])


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
    """Run until the process kills itself at the named point; its exit code."""
    process, results = _start(work, arguments, crash_at)
    process.join()
    results.close()
    return process.exitcode


def _start(work: Callable[..., Any], arguments: tuple[Any, ...], crash_at: str | None) -> tuple[Any, Any]:
    receiving, sending = _context.Pipe(duplex=False)
    process = _context.Process(target=_run, args=(work, arguments, crash_at, sending))
    process.start()
    sending.close()
    return process, receiving
