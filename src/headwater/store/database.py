"""A catalog database, with its two kinds of transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy import exc

from headwater.core.errors import HeadwaterError, InvalidRequest, StoreBusy, StoreError, StoreUnreachable
from headwater.core.redact import Redactor
from headwater.store import sqlite, translate_errors
from headwater.store.catalog_files import catalog_fault
from headwater.store.lock import lock_file
from headwater.store.table_locks import TableLocks
from headwater.store.write_gate import WriteGate

T = TypeVar("T")

LOCK_TIMEOUT = 60.0
# The idle timeout of a PostgreSQL transaction in seconds; shorter than the timeout of waits for its locks.
IDLE_TIMEOUT = 50.0
# The timeout in seconds of a connection that no longer responds.
SILENCE = 30
RACES = 5
# The advisory lock of all Headwater writers on one PostgreSQL database: ("head" in ASCII, purpose).
_ADVISORY_LOCK = (0x68656164, 1)
_WRITES = "headwater_writes"


class LostRace(Exception):
    """Nothing was committed; the transaction may be retried."""


class OutcomeUnknown(Exception):
    """The connection was lost during the commit; the transaction may have been committed."""


class Database:
    """A SQLite file or a PostgreSQL database."""

    def __init__(self, url: sa.URL) -> None:
        self.kind = url.get_backend_name()
        self.url = url
        self.display_url = f'"{Redactor()(url.render_as_string(hide_password=True))}"'
        self._file = url.database if self.kind == "sqlite" else None
        # Asked in each write transaction; None for a database that holds no lake yet.
        self.gate: WriteGate | None = None
        if self.kind == "sqlite":
            self._engine = sqlite.engine(url, LOCK_TIMEOUT, writes)
        elif self.kind == "postgresql":
            self._engine = _postgresql_engine(url)
        else:
            raise InvalidRequest(
                f'catalogs on "{self.kind}" are not supported', hint="Use a folder, sqlite:/// or postgresql://."
            )

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A read-only connection with one consistent snapshot of the database."""
        try:
            with self._engine.connect() as connection:
                if self.kind == "postgresql":
                    connection = connection.execution_options(
                        isolation_level="REPEATABLE READ", postgresql_readonly=True
                    )
                with connection.begin():
                    yield connection
        except exc.SQLAlchemyError as error:
            raise self._translated(error) from error

    def write(self, work: Callable[[sa.Connection], T], *, queue: bool = True) -> T:
        """Run `work` in one transaction, exclusively among Headwater's writers, and commit it, if the gate allows writes.

        Without `queue`, it does not take the writers' lock; for work on a single row, whose own lock suffices. On SQLite, it
        still waits for the current writer. Raises LostRace, OutcomeUnknown, or an error of `core.errors`; after the latter,
        nothing has changed.
        """
        return self._write(work, queue, self.gate)

    def write_ungated(self, work: Callable[[sa.Connection], T]) -> T:
        """`write` without the gate, for what creates, adopts or upgrades a lake."""
        return self._write(work, True, None)

    def admit(self) -> None:
        """Raise the gate's error if writes are refused; for work that begins outside of the catalog."""
        if self.gate is None:
            return
        with self.read() as connection:
            allowed = self.gate.check(connection)
        if not allowed:
            self.write(lambda _connection: None)

    def transact(self, work: Callable[[sa.Connection], T], *, queue: bool = True) -> T:
        """`write` for work that may run twice: it retries after conflicts, and raises an error if the outcome is unknown."""
        for attempt in range(RACES):
            try:
                return self.write(work, queue=queue)
            except LostRace as error:
                if attempt == RACES - 1:
                    raise StoreBusy(
                        f"gave up after {RACES} conflicts with other writers of {self.display_url}", hint="Try again."
                    ) from error
            except OutcomeUnknown as error:
                raise StoreUnreachable(
                    f"the connection to {self.display_url} was lost during the commit",
                    detail="The change may or may not have been committed.",
                    hint="Check the state, and repeat the change if needed.",
                ) from error
        raise AssertionError("the last attempt returns or raises")

    def execute(self, *statements: sa.Executable) -> None:
        """Run statements in one transaction, as `transact` does."""

        def work(connection: sa.Connection) -> None:
            for statement in statements:
                connection.execute(statement)

        self.transact(work)

    def _write(self, work: Callable[[sa.Connection], T], queue: bool, gate: WriteGate | None) -> T:
        with self.exclusive():
            try:
                connection = self._engine.connect().execution_options(**{_WRITES: True})
            except exc.SQLAlchemyError as error:
                raise self._translated(error) from error
            with connection:
                return self._transact(connection, work, queue, gate)

    def _transact(
        self, connection: sa.Connection, work: Callable[[sa.Connection], T], queue: bool, gate: WriteGate | None
    ) -> T:
        token = None
        try:
            transaction = connection.begin()
            if queue:
                self._lock_out_writers(connection)
            if gate is not None and not gate.check(connection):
                self._lock_out_writers(connection)
                token = gate.prepare(connection)
            result = work(connection)
        except exc.DBAPIError as error:
            if translate_errors.worth_retrying(error):
                raise LostRace from error
            raise self._translated(error) from error
        try:
            transaction.commit()
        except exc.DBAPIError as error:
            if translate_errors.connection_lost(error):
                raise OutcomeUnknown from error
            if translate_errors.worth_retrying(error):
                raise LostRace from error
            raise self._translated(error) from error
        if gate is not None and token is not None:
            gate.confirm(token)
        return result

    def _lock_out_writers(self, connection: sa.Connection) -> None:
        """Take the writers' lock of PostgreSQL; a SQLite transaction has locked the file."""
        if self.kind == "postgresql":
            connection.execute(
                sa.text("SELECT pg_advisory_xact_lock(:a, :b)"), dict(zip("ab", _ADVISORY_LOCK, strict=True))
            )

    def _translated(self, error: exc.SQLAlchemyError) -> HeadwaterError:
        return translate_errors.translate(error, self.display_url, self._file)

    def file_fault(self) -> StoreError | None:
        """Why a SQLite catalog can't be written now, if its file system shows it."""
        return catalog_fault(self._file) if self._file else None

    @property
    def one_worker(self) -> bool:
        """Whether the database supports only one worker at a time."""
        return self.kind == "sqlite"

    def exclusive(self) -> AbstractContextManager[None]:
        """Lock out other writers of a SQLite catalog on this machine; PostgreSQL locks inside transactions."""
        return lock_file(f"{self._file}.lock", LOCK_TIMEOUT) if self._file else nullcontext()

    def lock_tables(self, names: Iterable[str]) -> TableLocks:
        """Lock these names until `release`: every transaction that DuckDB writes for Headwater begins here and ends there.

        On SQLite, this locks out all writers, so the holder must not call `write`.
        """
        locks = TableLocks(self._engine, self.display_url, f"{self._file}.lock" if self._file else None, LOCK_TIMEOUT)
        try:
            locks.add(names)
        except BaseException:
            locks.release()
            raise
        return locks

    @contextmanager
    def locked(self, names: Iterable[str]) -> Iterator[None]:
        """Lock these names while the block runs."""
        locks = self.lock_tables(names)
        try:
            yield
        finally:
            locks.release()

    def has_table(self, name: str) -> bool:
        """Whether the database has a table of this name."""
        with self.read() as connection:
            return has_table(connection, name)

    def copy_to(self, path: str) -> None:
        """Copy a SQLite database, as of one moment, to a new file."""
        try:
            with self._engine.connect() as connection:
                # VACUUM runs outside of transactions, and SQLAlchemy has begun one.
                connection.exec_driver_sql("COMMIT")
                connection.exec_driver_sql("VACUUM INTO ?", (path,))
        except exc.SQLAlchemyError as error:
            raise self._translated(error) from error

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def writes(connection: sa.Connection) -> bool:
    """Whether the connection is from `write`. What other connections read does not change while they are open."""
    return bool(connection.get_execution_options().get(_WRITES, False))


_TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name",
    # Not to_regclass, which may use a catalog cache from before the connection waited for a lock.
    "postgresql": (
        "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p') AND pg_table_is_visible(oid) AND relname"
    ),
}
_HAS_TABLE = {kind: sa.text(f"{query} = :name") for kind, query in _TABLES.items()}
_TABLES_LIKE = {kind: sa.text(f"{query} LIKE :pattern ESCAPE '!'") for kind, query in _TABLES.items()}


def has_table(connection: sa.Connection, name: str) -> bool:
    """Whether there is a table of this name, as visible in the transaction."""
    return connection.execute(_HAS_TABLE[connection.dialect.name], {"name": name}).first() is not None


def tables_like(connection: sa.Connection, prefix: str) -> frozenset[str]:
    """The names of all tables that begin with the prefix."""
    pattern = {"pattern": prefix.replace("_", "!_") + "%"}
    return frozenset(connection.execute(_TABLES_LIKE[connection.dialect.name], pattern).scalars())


def _postgresql_engine(url: sa.URL) -> sa.Engine:
    settings = {
        "timezone": "UTC",
        "application_name": "headwater",
        "lock_timeout": int(LOCK_TIMEOUT * 1000),
        "idle_in_transaction_session_timeout": int(IDLE_TIMEOUT * 1000),
        # On the server, so that a client whose machine failed does not hold locks for hours.
        "tcp_user_timeout": SILENCE * 1000,
        "tcp_keepalives_idle": SILENCE // 3,
        "tcp_keepalives_interval": SILENCE // 6,
        "tcp_keepalives_count": 4,
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    arguments = {
        "connect_timeout": 10,
        "options": f"{given} {options}" if (given := url.query.get("options")) else options,
        "tcp_user_timeout": SILENCE * 1000,
        "keepalives_idle": SILENCE // 3,
        "keepalives_interval": SILENCE // 6,
        "keepalives_count": 4,
        "prepare_threshold": 2,
    }
    return sa.create_engine(
        url.set(drivername="postgresql+psycopg"), connect_args=arguments, pool_pre_ping=True, pool_size=8
    )
