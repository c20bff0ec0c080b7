"""Show the line of the user's text that an error is about, with a caret below the position."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from headwater.core.errors import HeadwaterError

# The number of characters of a long line that are shown.
_WIDTH = 100


def pointing_into(text: str, line: int, column: int, *, of: str = "") -> str | None:
    """The line of the text with a caret below the column, both counted from 1; None if the text has no such line.

    `of` names a text that the user has not just written.

    >>> print(pointing_into("SELECT a,\\n  zz FROM t", 2, 3))
    LINE 2:   zz FROM t
              ^
    """
    lines = text.split("\n")
    if not (1 <= line <= len(lines) and column >= 1):
        return None
    shown, before = _window(lines[line - 1].rstrip("\r").replace("\t", " "), column - 1)
    header = f"LINE {line}{of and f' of {of}'}: "
    return f"{header}{shown.rstrip()}\n{' ' * (len(header) + _cells(shown[:before]))}^"


@contextmanager
def quoting(text: str) -> Iterator[None]:
    """Show the position of errors in this text, which has the user's positions."""
    try:
        yield
    except HeadwaterError as error:
        quote_line(error, text)
        raise


def quote_line(error: HeadwaterError, text: str, *, of: str = "") -> None:
    """Give the error the line that its position is in, unless it has one; a traceback shows it as a note."""
    if error.position is None or error.source_line is not None:
        return
    error.source_line = pointing_into(text, error.position.line, error.position.column, of=of)
    if error.source_line is not None:
        error.add_note(error.source_line)


def _window(line: str, at: int) -> tuple[str, int]:
    """The part of a long line around a place, and the place in that part."""
    at = min(at, len(line))
    if len(line) <= _WIDTH:
        return line, at
    start = max(0, min(at - _WIDTH // 2, len(line) - _WIDTH))
    left, right = "…" if start else "", "…" if start + _WIDTH < len(line) else ""
    return f"{left}{line[start : start + _WIDTH]}{right}", at - start + len(left)


def _cells(text: str) -> int:
    """The number of terminal cells that the text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
