"""The parent's side of a DuckDB process."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from headwater.core.errors import Position, QueryFailed, QueryWorkerDied
from headwater.query.frames import CONFLICT, CONNECTION_LOST, INVALIDATED, RequestScope, receive, send

if TYPE_CHECKING:
    import pyarrow as pa
    import sqlalchemy as sa

PROGRAM = Path(__file__).with_name("worker.py")
# Seconds that a cancelled request may continue before its process is killed.
GRACE = 5.0
# How long DuckDB waits for locks of a SQLite catalog.
BUSY_TIMEOUT_MS = 10_000
_STARTING = frozenset({RequestScope.READ, RequestScope.REQUEST, RequestScope.BEGIN})
# What helps with an error of DuckDB, by its type.
_HINTS = {"Conversion": "TRY_CAST gives NULL for values that can't be converted."}
# Maps libpq's names for the parts of an address to those of DuckDB's secret.
_SECRET = {
    "host": "HOST",
    "port": "PORT",
    "dbname": "DATABASE",
    "user": "USER",
    "password": "PASSWORD",
    "passfile": "PASSFILE",
}


class StatementFailed(QueryFailed):
    """A statement of the request failed.

    `index` is its place; `conflict` is whether a retry may succeed, `committing` whether it failed at the commit.
    """

    def __init__(
        self,
        message: str,
        *,
        index: int,
        conflict: bool,
        connection_lost: bool,
        committing: bool,
        detail: str | None,
        hint: str | None,
        position: Position | None,
        errno: int | None = None,
        missing_table: str | None = None,
        missing_snapshot: str | None = None,
        invalidated: bool = False,
    ) -> None:
        super().__init__(message, detail=detail, hint=hint, position=position)
        self.index = index
        self.conflict = conflict
        self.connection_lost = connection_lost
        self.committing = committing
        # The operating system's number of a failure of a file.
        self.errno = errno
        # The name of a table that DuckDB does not find.
        self.missing_table = missing_table
        # The message, if DuckDB does not find a snapshot.
        self.missing_snapshot = missing_snapshot
        # Whether DuckDB refuses all further statements.
        self.invalidated = invalidated


class ProcessEnded(QueryWorkerDied):
    """The process ended during a request, or before it in a transaction; `committing`, if it may have committed."""

    def __init__(self, message: str, *, committing: bool) -> None:
        super().__init__(
            message,
            detail="It ended during a commit; the changes may have been committed."
            if committing
            else "Nothing was changed.",
            hint="Check whether they were before you run it again." if committing else "Run it again.",
        )
        self.committing = committing


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one statement: rows, the number of changed rows, or neither."""

    columns: tuple[str, ...]
    rows: pa.Table | None
    affected: int | None


class DuckDBProcess:
    """DuckDB in its own process, with the lake attached; started on first use, and again after it ended."""

    def __init__(
        self,
        url: sa.URL,
        data_path: str,
        *,
        name: str = "lake",
        threads: int | None = None,
        memory_limit: str | None = None,
    ) -> None:
        self.name = name
        self._place = {
            **_address(url),
            "data_path": data_path,
            "name": name,
            "threads": threads,
            "memory_limit": memory_limit,
            "busy_timeout_ms": BUSY_TIMEOUT_MS,
        }
        self._one_at_a_time = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0
        # Guards the fields below; notified when a request ends or can no longer be cancelled.
        self._changed = threading.Condition()
        self._cancellable: int | None = None
        self._sent = False
        self._cancelled = False

    @property
    def data_path(self) -> str:
        """The folder of the lake's files."""
        return str(self._place["data_path"])

    def run(
        self,
        statements: Sequence[str],
        *,
        transaction: bool,
        limit: int | None = None,
        parameters: Sequence[Mapping[str, Any]] = (),
    ) -> list[Answer]:
        """Run the statements. The transaction is committed at the end, or rolled back at the first failure.

        `parameters` has for each statement the encoded values of its parameters, by name.
        """
        scope = RequestScope.REQUEST if transaction else RequestScope.READ
        return self._run(scope, statements, parameters, limit)

    def begin(self) -> None:
        """Begin a transaction that stays open between requests; a failed request and the end of the process end it."""
        self._run(RequestScope.BEGIN, (), (), None)

    def run_inside(
        self, statements: Sequence[str], parameters: Sequence[Mapping[str, Any]] = (), limit: int | None = None
    ) -> list[Answer]:
        """Run the statements in the open transaction."""
        return self._run(RequestScope.INSIDE, statements, parameters, limit)

    def commit(self) -> None:
        """Commit the open transaction."""
        self._run(RequestScope.COMMIT, (), (), None)

    def roll_back(self) -> None:
        """Roll back the open transaction."""
        self._run(RequestScope.ROLLBACK, (), (), None)

    def kill(self) -> None:
        """End the process at once, and with it what it had not committed; the next request starts another."""
        with self._one_at_a_time:
            self._end(kill=True)

    def _run(
        self, scope: RequestScope, statements: Sequence[str], parameters: Sequence[Mapping[str, Any]], limit: int | None
    ) -> list[Answer]:
        with self._one_at_a_time:
            self._number += 1
            with self._changed:
                self._cancellable, self._sent, self._cancelled = self._number, False, False
            try:
                # A process that has ended is not replaced if the request belongs to its transaction.
                process = self._started() if scope in _STARTING else self._running()
                request = {
                    "statements": list(statements),
                    "parameters": [dict(each) for each in parameters],
                    "scope": scope,
                    "limit": limit,
                }
                return self._ask(process, request)
            except QueryFailed as error:
                if isinstance(error, StatementFailed) and self._unusable_after(error):
                    self._end(kill=True)
                raise
            except BaseException:
                # The pipe still has the rest of the answer, which would be read as the next one.
                self._end(kill=True)
                raise
            finally:
                self._not_cancellable()

    def _unusable_after(self, error: StatementFailed) -> bool:
        # After a COMMIT that SQLite refused, DuckDB keeps a lock that stops all readers and writers.
        return error.invalidated or (error.committing and self._place["kind"] == "sqlite")

    def interrupt(self) -> None:
        """Cancel the request of another thread, unless it is being committed."""
        with self._changed:
            number = self._cancellable
            if number is None:
                return
            self._cancelled = True
            if self._sent and self._process is not None:
                with suppress(BrokenPipeError, ValueError):  # the process may have ended, or the pipe may be closed
                    send(_pipe(self._process.stdin), {"cancel": number})
            if not self._changed.wait_for(lambda: self._cancellable != number, GRACE) and self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the process; the next request starts another."""
        self.interrupt()
        with self._one_at_a_time:
            self._end(kill=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end(kill=True)
        # -P keeps this folder off the child's import path; in its own process group, the child gets no Ctrl-C.
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )
        try:
            send(_pipe(process.stdin), self._place)
            reply, _ = receive(_pipe(process.stdout))
        except (EOFError, BrokenPipeError):
            raise self._died(process, committing=False) from None
        if "error" in reply:
            self._end(kill=True)
            raise QueryFailed(
                "DuckDB can't open the lake",
                detail=reply["error"]["message"],
                hint="Check that the catalog is reachable and that the data files exist.",
            )
        return process

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ProcessEnded("the DuckDB process has ended", committing=False)
        if self._process.poll() is not None:
            raise self._died(self._process, committing=False)
        return self._process

    def _ask(self, process: subprocess.Popen[bytes], request: dict[str, Any]) -> list[Answer]:
        answers: list[Answer] = []
        committing = False
        try:
            with self._changed:
                if self._cancelled:
                    raise _cancelled()
                send(_pipe(process.stdin), {"number": self._number, **request})
                self._sent = True
            while True:
                reply, body = receive(_pipe(process.stdout))
                if "done" in reply:
                    return answers
                if "error" in reply:
                    raise self._failure(reply["error"])
                if "committing" in reply:
                    committing = True
                    self._not_cancellable()
                else:
                    answers.append(_answer(reply, body))
        except (EOFError, BrokenPipeError):
            if self._cancelled and not committing:
                self._end(kill=True)
                raise _cancelled() from None
            raise self._died(process, committing) from None

    def _failure(self, error: dict[str, Any]) -> QueryFailed:
        if error["type"] == "Cancelled":
            return _cancelled()
        text = str(error["message"])
        invalidated = error["reason"] == INVALIDATED
        if invalidated:
            text = f"DuckDB failed with an internal error\nIt says: {text.splitlines()[0]}."
        first, *rest = [line for line in text.splitlines() if line.strip()] or [error["type"]]
        conflict = error["reason"] == CONFLICT
        hint = _HINTS.get(error["type"])
        if conflict:
            hint = "Run it again; another writer committed first."
        elif invalidated and not error["committing"]:
            hint = (
                "This is a bug of DuckDB or of an extension; nothing was changed. Write the statement in another way."
            )
        elif error["committing"]:
            hint = "If the connection was lost, check whether the changes were committed before you run it again."
        return StatementFailed(
            _lowered(first.rstrip(".!")),
            index=error["index"],
            conflict=conflict,
            connection_lost=error["reason"] == CONNECTION_LOST,
            committing=error["committing"],
            # DuckDB's detail suggests its internal tables; see `lake_errors`.
            detail=None if error["missing_table"] else " ".join(line.strip() for line in rest) or None,
            hint=hint,
            position=Position(*error["position"]) if error["position"] else None,
            errno=error["errno"],
            missing_table=error["missing_table"],
            missing_snapshot=error["missing_snapshot"],
            invalidated=invalidated,
        )

    def _died(self, process: subprocess.Popen[bytes], committing: bool) -> ProcessEnded:
        self._end(kill=True)
        return ProcessEnded(f"the DuckDB process ended with code {process.returncode}", committing=committing)

    def _not_cancellable(self) -> None:
        with self._changed:
            self._cancellable = None
            self._changed.notify_all()

    def _end(self, *, kill: bool) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if kill:
            process.kill()
        with suppress(BrokenPipeError):
            _pipe(process.stdin).close()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        _pipe(process.stdout).close()


def _address(url: sa.URL) -> dict[str, Any]:
    """The address of the catalog, in the form of the worker's first message."""
    if url.get_backend_name() == "sqlite":
        return {"kind": "sqlite", "file": url.database}
    parts: dict[str, Any] = {
        "host": url.host,
        "port": url.port,
        "dbname": url.database,
        "user": url.username,
        "password": url.password,
        **url.query,
    }
    # DuckDB's secret has no field for it, and elsewhere SQL could read it.
    parts.pop("sslpassword", None)
    server_options = parts.pop("options", "")
    parts = {key: str(value) for key, value in parts.items() if value is not None}
    return {
        "kind": "postgresql",
        "secret": {_SECRET[key]: value for key, value in parts.items() if key in _SECRET},
        "options": {
            "application_name": "headwater",
            "connect_timeout": "10",
            **{key: value for key, value in parts.items() if key not in _SECRET},
        },
        "server_options": server_options,
    }


def _answer(reply: dict[str, Any], body: bytearray) -> Answer:
    if not reply["rows"]:
        return Answer((), None, reply["affected"])
    import pyarrow as pa

    return Answer(tuple(reply["columns"]), pa.ipc.open_stream(pa.py_buffer(body)).read_all(), None)


def _lowered(sentence: str) -> str:
    """The sentence with its first letter in lower case, unless it begins with a name."""
    word = sentence.partition(" ")[0]
    return sentence[0].lower() + sentence[1:] if word == word.capitalize() else sentence


def _cancelled() -> QueryFailed:
    return QueryFailed("the statement was cancelled", detail="Nothing was changed.", hint="Run it again if needed.")


def _pipe(pipe: Any) -> BinaryIO:
    assert pipe is not None
    return pipe  # type: ignore[no-any-return]
