"""SQLite in a child process: what is lost, and what is not, when one of the two processes ends."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum, StrEnum
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.sql import quoted_name

from headwater.core.errors import StoreFailed, StoreUnreachable
from headwater.store import sqlite_proxy
from headwater.store.database import Database, OutcomeUnknown

ROWS = sa.text("SELECT a, b FROM t ORDER BY a")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(sa.URL.create("sqlite", database=str(tmp_path / "x.sqlite")))
    made.execute(sa.text("CREATE TABLE t (a INTEGER PRIMARY KEY, b)"))
    yield made
    made.close()


def _insert(a: int, b: object = None) -> sa.Executable:
    return sa.text("INSERT INTO t VALUES (:a, :b)").bindparams(a=a, b=b)


def _rows(database: Database) -> list[tuple[object, ...]]:
    with database.read() as connection:
        return [tuple(row) for row in connection.execute(ROWS)]


def _kill_child() -> None:
    assert sqlite_proxy._child is not None
    sqlite_proxy._child._process.kill()
    sqlite_proxy._child._process.wait()


def test_values_and_errors_are_those_of_sqlite(database: Database) -> None:
    values = [None, -(2**63), 2**63 - 1, 1.5, float("inf"), "", "ä\0ß", b"\0\xff", "x" * 100_000]
    database.execute(*[_insert(a, b) for a, b in enumerate(values)])
    assert _rows(database) == list(enumerate(values))
    with pytest.raises(StoreFailed, match="failed") as caught:
        database.execute(sa.text("SELECT * FROM nowhere"))
    assert caught.value.detail == "no such table: nowhere"


def test_subclasses_of_text_and_numbers_arrive_as_such(database: Database) -> None:
    class Word(StrEnum):
        A = "ä"

    class Number(IntEnum):
        ONE = 1

    database.execute(_insert(Number.ONE, Word.A), _insert(2, quoted_name("Q", quote=True)))
    assert _rows(database) == [(1, "ä"), (2, "Q")]
    with database.read() as connection:
        connection.exec_driver_sql(quoted_name("SELECT 1", quote=False))
        assert sa.inspect(connection).get_indexes("t") == []


def test_a_transaction_whose_process_is_killed_changes_nothing(database: Database) -> None:
    def work(connection: sa.Connection) -> None:
        connection.execute(_insert(1))
        _kill_child()
        connection.execute(_insert(2))

    with pytest.raises(StoreUnreachable, match="ended"):
        database.write(work)
    assert _rows(database) == []
    database.execute(_insert(3))
    assert _rows(database) == [(3, None)]


def test_a_commit_whose_process_is_killed_is_of_unknown_outcome(database: Database) -> None:
    def work(connection: sa.Connection) -> None:
        connection.execute(_insert(1))
        _kill_child()

    with pytest.raises(OutcomeUnknown):
        database.write(work)
    assert _rows(database) == []


def test_an_interrupted_statement_gives_up_its_connection_and_its_locks(database: Database) -> None:
    with database.read() as other:
        assert other.execute(ROWS).all() == []
        main = threading.main_thread().ident or 0
        timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
        timer.start()
        # It reads the table, and would keep writers waiting.
        endless = (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT count(*) FROM n WHERE i NOT IN (SELECT rowid FROM t)"
        )
        with pytest.raises(KeyboardInterrupt), database.read() as connection:
            connection.execute(sa.text(endless))
        timer.join()
        assert other.execute(ROWS).all() == []
    database.execute(_insert(1))
    assert _rows(database) == [(1, None)]


# Begins a write transaction and tells so; what follows is up to the test.
_WRITER = """
import os, sys, time
import sqlalchemy as sa
from headwater.store.database import Database

def work(connection):
    connection.execute(sa.text("INSERT INTO t VALUES (1, NULL)"))
    if sys.argv[2] == "fork" and os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    print("writing", flush=True)
    time.sleep(60)

Database(sa.URL.create("sqlite", database=sys.argv[1])).write(work)
"""


@pytest.mark.parametrize("what", ["alone", "fork"])
def test_a_killed_program_leaves_no_lock(database: Database, what: str) -> None:
    path = database.url.database or ""
    command = [sys.executable, "-c", _WRITER, path, what]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        with (
            closing(sqlite3.connect(path, timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("SELECT * FROM t")
        writer.kill()
        writer.wait()
        with closing(sqlite3.connect(path, timeout=30)) as other:
            assert other.execute("SELECT * FROM t").fetchall() == []
    if what == "fork":
        os.killpg(writer.pid, signal.SIGKILL)


def test_a_forked_process_has_a_child_of_its_own(database: Database) -> None:
    database.execute(_insert(1))
    pid = os.fork()
    if pid == 0:
        try:
            Database(database.url).execute(_insert(2))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    database.execute(_insert(3))
    assert [a for a, _ in _rows(database)] == [1, 2, 3]


def test_threads_do_not_wait_for_each_other(database: Database) -> None:
    def write(start: int) -> None:
        for a in range(start, start + 20):
            database.execute(_insert(a))
            assert (a, None) in _rows(database)

    threads = [threading.Thread(target=write, args=(100 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [a for a, _ in _rows(database)] == [100 * n + a for n in range(4) for a in range(20)]


_PROGRAM = """
import sys
from headwater.core import own_program
own_program.declare_own_program()
if sys.argv[2] == "duckdb":
    sys.modules["duckdb"] = object()
import headwater
from headwater.core.errors import HeadwaterError
try:
    with headwater.connect(sys.argv[1]) as lake:
        lake.sql("CREATE TABLE t (a INTEGER)")
        print(lake.tables()[0].name)
except HeadwaterError as error:
    print(error.message)
from headwater.store import sqlite_proxy
print(sqlite_proxy._child)
"""


@pytest.mark.parametrize("loaded", ["", "duckdb"])
def test_programs_of_headwater_open_the_file_themselves_unless_they_have_duckdb(tmp_path: Path, loaded: str) -> None:
    command = [sys.executable, "-c", _PROGRAM, str(tmp_path), loaded]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    opened = f'this process has loaded DuckDB, so it must not open "{tmp_path}/catalog.sqlite"' if loaded else "t"
    assert told == [opened, "None"]
