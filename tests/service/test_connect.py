"""Opening a lake leaves other connections of the process, and files that are no lake, as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import NotALake

# Takes every lock of a catalog without waiting, as a writer in another process would.
_LOCK_ALL = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("BEGIN EXCLUSIVE")
except sqlite3.OperationalError as error:
    sys.exit(error.sqlite_errorname)
"""


def _refusal(catalog: Path) -> str:
    """The SQLite error that a writer of another process gets; empty if it gets the lock."""
    return subprocess.run([sys.executable, "-c", _LOCK_ALL, catalog], capture_output=True, text=True).stderr.strip()


def test_a_second_connect_leaves_the_lock_of_the_first(tmp_path: Path) -> None:
    with headwater.connect(tmp_path) as first:
        with first.database.read() as connection:
            connection.execute(sa.text("SELECT count(*) FROM ducklake_snapshot")).scalar()
            assert _refusal(tmp_path / "catalog.sqlite") == "SQLITE_BUSY"
            headwater.connect(tmp_path).close()
            assert _refusal(tmp_path / "catalog.sqlite") == "SQLITE_BUSY"
        assert _refusal(tmp_path / "catalog.sqlite") == ""


@pytest.mark.parametrize("size", [1, 99, 100, 4096, 5000])
def test_a_file_that_is_no_database_is_refused_and_stays_as_it_is(tmp_path: Path, size: int) -> None:
    note = tmp_path / "note.db"
    note.write_bytes(b"x" * size)
    with pytest.raises(NotALake) as caught:
        headwater.connect(note)
    assert str(note) in caught.value.message
    assert caught.value.hint
    assert note.read_bytes() == b"x" * size


def test_an_empty_file_becomes_a_lake(tmp_path: Path) -> None:
    (tmp_path / "new.db").touch()
    with headwater.connect(tmp_path / "new.db") as lake:
        assert lake.tables() == ()
