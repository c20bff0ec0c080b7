"""An open transaction of DuckDB, with the locks of the tables that it writes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from headwater.core.clock import Clock
from headwater.core.errors import (
    CommitConflict,
    CommitError,
    HeadwaterError,
    Position,
    QueryError,
    StoreBusy,
    StoreError,
    StoreUnreachable,
    TransactionEnded,
)
from headwater.query.lake_errors import lake_error
from headwater.query.process import Answer, DuckDBProcess, ProcessEnded, StatementFailed
from headwater.query.request import note_newest
from headwater.store.database import Database

# Seconds without a statement after which a transaction is rolled back.
IDLE = 60.0
_FAILED = "A statement in it failed. Nothing was changed."


class DuckDBTransaction:
    """Begins with its object; ends by `commit`, `roll_back`, an error, or after a long time without a statement.

    It locks `names` before it begins, so that DuckDB's snapshot is newer than what other holders of these locks committed.
    """

    def __init__(self, duckdb: DuckDBProcess, database: Database, clock: Clock, names: Iterable[str] = ()) -> None:
        self._duckdb, self._database = duckdb, database
        self._clock = clock
        # Held while a statement runs; what ends the transaction waits for it.
        self._busy = threading.RLock()
        # Why the transaction has ended, as a sentence.
        self._ended: str | None = None
        # Before the locks, since it may have to write.
        database.admit()
        self._locks = database.lock_tables(names)
        try:
            duckdb.begin()
        except BaseException:
            self._locks.release()
            raise
        self._used_at = clock.monotonic()

    @property
    def is_open(self) -> bool:
        """Whether statements can run."""
        return self._ended is None

    def run(
        self, statements: Sequence[str], parameters: Sequence[Mapping[str, Any]], names: Iterable[str]
    ) -> list[Answer]:
        """Lock these names, then run the statements; an error rolls the transaction back."""
        with self._busy:
            self.check_open()
            with self._ended_by_errors():
                self._locks.add(names)
                return self._duckdb.run_inside(statements, parameters)

    def commit(self) -> None:
        """Commit, or roll back with an error."""
        with self._busy:
            self.check_open()
            with self._ended_by_errors():
                self._locks.check()
                self._duckdb.commit()
                self._end("It has been committed.")
        note_newest(self._database)

    def roll_back(self, why: str) -> None:
        """Roll back, if the transaction is open; `why` is a sentence for later statements."""
        with self._busy:
            if self.is_open:
                # A process that can't roll back ends, which does it.
                try:
                    self._duckdb.roll_back()
                except QueryError:
                    self._duckdb.kill()
                finally:
                    self._end(why)

    def interrupt(self) -> None:
        """Cancel the statement that another thread runs."""
        self._duckdb.interrupt()

    def roll_back_if_idle(self) -> None:
        """Roll back if no statement has run for a long time."""
        if not self._busy.acquire(blocking=False):
            return
        try:
            if self.is_open and self._clock.monotonic() - self._used_at >= IDLE:
                self.roll_back(f"No statement was run for {IDLE:.0f} seconds. Nothing was changed.")
        finally:
            self._busy.release()

    def check_open(self, position: Position | None = None) -> None:
        """Raise TransactionEnded if the transaction has ended."""
        if self._ended is not None:
            raise TransactionEnded(
                "the transaction has ended",
                detail=self._ended,
                hint="Run the whole transaction again.",
                position=position,
            )

    @contextmanager
    def _ended_by_errors(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._roll_back_after(error)
            if (translated := self._translated(error)) is not None:
                raise translated from None
            raise
        finally:
            self._used_at = self._clock.monotonic()

    def _roll_back_after(self, error: BaseException) -> None:
        if isinstance(error, StatementFailed):
            # The process has rolled back.
            self._end(_FAILED)
        elif isinstance(error, CommitError | StoreBusy):
            self.roll_back(_FAILED)
        else:
            self._duckdb.kill()
            self._end(_FAILED)

    def _end(self, why: str) -> None:
        self._ended = why
        with suppress(StoreError):
            self._locks.release()

    def _translated(self, error: BaseException) -> HeadwaterError | None:
        """A conflict or the end of the transaction, if the error is one of these."""
        match error:
            case StatementFailed(conflict=True):
                return CommitConflict(
                    "the transaction conflicts with another writer",
                    detail=_sentences(error.message, error.detail, "Nothing was changed"),
                    hint="Run the whole transaction again.",
                )
            case StatementFailed(connection_lost=True, committing=False) | StoreUnreachable():
                return self._ended_by(f"The connection to the catalog was lost: {error.message}.")
            case StatementFailed():
                return lake_error(error, self._database, self._duckdb.data_path)
            case ProcessEnded(committing=False):
                return self._ended_by(f"The {error.message.removeprefix('the ')}.")
            case _:
                return None

    def _ended_by(self, cause: str) -> TransactionEnded:
        return TransactionEnded(
            "the transaction has ended", detail=f"{cause} Nothing was changed.", hint="Run the whole transaction again."
        )


def _sentences(*parts: str | None) -> str:
    return " ".join(f"{part.rstrip('.')}." for part in parts if part)
