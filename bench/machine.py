"""Where a measurement was made, and the PostgreSQL that it needs."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

from tests.postgres import Postgres, run_postgres


def machine() -> str:
    """One line that says what ran where."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{name} {version(name)}" for name in ("pyspark", "pyarrow", "duckdb", "sqlalchemy"))
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}, Python {platform.python_version()}, {versions}"
    )


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """A PostgreSQL with its usual, durable settings."""
    with run_postgres(durable=True) as server:
        yield server
