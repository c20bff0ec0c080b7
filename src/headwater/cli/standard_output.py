"""Standard output that is closed or full, or can't encode a character."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, NoReturn

from headwater.cli.exit_codes import FAILED, note


class OutputFailed(OSError):
    """Standard output can't be written."""


class _Descriptor(io.FileIO):
    """A file descriptor whose failures differ from those of other files by their type."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputFailed(error.errno, error.strerror) from None


def prepare_output() -> None:
    """Escape characters that the encoding of stdout lacks, and replace streams that the caller has closed."""
    given = sys.stdout
    # Files that the command opens must not get the numbers 1 and 2. A write to a closed stdout fails, as its data would be lost.
    number = os.open(os.devnull, os.O_RDONLY) if given is None else given.fileno()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Descriptor(number, "w", closefd=False)),
        encoding="utf-8" if given is None else given.encoding,
        errors="backslashreplace",
        line_buffering=given is not None and bool(given.line_buffering),
    )


def check_output() -> None:
    """Write what stdout has buffered; if that fails, report it and end the process."""
    try:
        sys.stdout.flush()
    except OSError as error:
        fail_output(error)


def fail_output(error: OSError) -> NoReturn:
    """Report that stdout can't be written, except to a reader that has gone, and end the process."""
    if error.errno != errno.EPIPE:
        note(f"error: can't write to standard output: {error.strerror}")
        sys.stderr.flush()
    # At the regular end, Python would try to write again.
    os._exit(FAILED)
