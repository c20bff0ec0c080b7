"""Whether this process runs a program of Headwater: the command line, and what it starts."""

from __future__ import annotations

_is_own = False


def declare_own_program() -> None:
    """State that this process runs Headwater alone, and so never loads DuckDB.

    It opens SQLite catalogs itself, which is faster than through a child process. In other processes, DuckDB's own copy of
    SQLite would release the locks of ours.
    """
    global _is_own
    _is_own = True


def is_own_program() -> bool:
    """Whether this process runs Headwater alone."""
    return _is_own
