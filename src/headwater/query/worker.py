"""The program of the child process: DuckDB with one lake attached, controlled over stdin and stdout.

The first message has the address of the lake, so that no password is in the arguments, the environment or a user's statement.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tempfile
import threading
import time
from contextlib import suppress
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import duckdb

from headwater.query.frames import (
    ARROW,
    CONFLICT,
    CONNECTION_LOST,
    INVALIDATED,
    TYPE,
    RequestScope,
    receive,
    send,
    send_frame,
)
from headwater.query.parameter_values import decode

EXTENSIONS = {"sqlite": ("ducklake", "sqlite_scanner"), "postgresql": ("ducklake", "postgres_scanner")}
SETTINGS = ("SET TimeZone = 'UTC'", "SET errors_as_json = true", "SET arrow_lossless_conversion = true")
SECRET = "headwater_catalog"
BATCH_ROWS = 65_536
# The extension decides on retries by the English text of errors.
ENGLISH = "-c lc_messages=C"
CONFLICTS = ("transaction conflict", "database is locked", "could not serialize", "deadlock detected")
# The client library and the server of PostgreSQL, in English.
LOST = ("server closed the connection", "terminating connection due to", "no connection to the server")
MISSING_SNAPSHOT = re.compile(r"no snapshot found at (version|timestamp) (.+)", re.IGNORECASE)
_TYPES = duckdb.StatementType
READS = frozenset({_TYPES.SELECT, _TYPES.EXPLAIN, _TYPES.CALL, _TYPES.COPY})
WRITES = frozenset({_TYPES.INSERT, _TYPES.UPDATE, _TYPES.DELETE, _TYPES.MERGE_INTO, _TYPES.CREATE})
DEFINITIONS = frozenset({_TYPES.CREATE, _TYPES.ALTER, _TYPES.DROP})
ALLOWED = {
    RequestScope.READ: READS,
    RequestScope.REQUEST: READS | WRITES,
    **dict.fromkeys(
        (RequestScope.BEGIN, RequestScope.INSIDE, RequestScope.COMMIT, RequestScope.ROLLBACK),
        READS | WRITES | DEFINITIONS,
    ),
}


# Types that Arrow shows as another one, and types with parts.
INEXACT = {"uuid", "hugeint", "uhugeint", "bit", "bignum", "time with time zone"}
NESTED = {"list", "array", "struct", "map", "union"}
# After these, DuckDB refuses all statements.
INVALIDATING = (duckdb.InternalException, duckdb.FatalException)


class Refused(Exception):
    """The process does not support the request."""


class Cancelled(Exception):
    """The parent cancelled the request."""


class Body(io.RawIOBase):
    """A stream whose writes are sent to the parent as Arrow frames."""

    def __init__(self, replies: BinaryIO) -> None:
        self._replies = replies

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        send_frame(self._replies, ARROW, view)
        return len(view)


class QueryWorker:
    """One connection. It runs requests; the thread that reads stdin cancels them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, replies: BinaryIO) -> None:
        self._connection = connection
        self._replies = replies
        self._lock = threading.Lock()
        self._cancellable: int | None = None
        self._cancelled = False

    def expect(self, number: int) -> None:
        """Allow this request to be cancelled, even before it starts."""
        with self._lock:
            self._cancellable, self._cancelled = number, False

    def cancel(self, number: int) -> None:
        """Interrupt repeatedly until the request ends: an interrupt between two statements does not affect the next."""
        while True:
            with self._lock:
                if self._cancellable != number:
                    return
                self._cancelled = True
                self._connection.interrupt()
            time.sleep(0.02)

    def run(
        self, statements: list[str], parameters: list[dict[str, Any]], scope: RequestScope, limit: int | None
    ) -> None:
        """Run a request, and send the result of each statement or the failure to the parent."""
        index, committing = 0, False
        try:
            if scope in (RequestScope.REQUEST, RequestScope.BEGIN):
                self._connection.execute("BEGIN")
            for index, sql in enumerate(statements):
                self._answer(sql, parameters[index] if parameters else {}, ALLOWED[scope], limit)
            self._close_to_cancellation()
            self._check()
            if scope is RequestScope.ROLLBACK:
                self._connection.execute("ROLLBACK")
            elif scope in (RequestScope.REQUEST, RequestScope.COMMIT):
                committing = True
                send(self._replies, {"committing": True})
                self._connection.execute("COMMIT")
            send(self._replies, {"done": True})
        except Exception as error:  # noqa: BLE001 - the parent reports all failures
            self._close_to_cancellation()
            if scope is not RequestScope.READ:
                with suppress(duckdb.Error):  # a failed COMMIT has ended the transaction
                    self._connection.execute("ROLLBACK")
            failure = describe(error, statements[index] if statements and not committing else "")
            if self._cancelled and not committing:
                failure["type"] = "Cancelled"
            send(self._replies, {"error": {**failure, "index": index, "committing": committing}})

    def _close_to_cancellation(self) -> None:
        with self._lock:
            self._cancellable = None

    def _check(self) -> None:
        if self._cancelled:
            raise Cancelled

    def _answer(self, sql: str, parameters: dict[str, Any], allowed: frozenset[Any], limit: int | None) -> None:
        self._check()
        *helpers, parsed = self._connection.extract_statements(sql)
        # Check with DuckDB's parser that what the parent classified as a read, or as one statement, is one.
        if any(helper.query or helper.type != _TYPES.CREATE for helper in helpers):
            raise Refused("DuckDB parses the text as several statements")
        if parsed.type not in allowed:
            raise Refused(f"DuckDB parses the statement as {parsed.type.name}, which is not supported")
        for helper in helpers:  # a PIVOT without IN creates a type for its columns
            self._connection.execute(helper)
        self._execute(parsed, parameters)
        columns = [str(column[0]) for column in self._connection.description or ()]
        changes = duckdb.ExpectedResultType.CHANGED_ROWS in parsed.expected_result_type
        if changes and columns == ["Count"]:
            row = self._connection.fetchone()
            send(self._replies, {"columns": [], "rows": False, "affected": row[0] if row else None})
        else:
            self._send_rows(limit)
            send(self._replies, {"columns": columns, "rows": True, "affected": None})

    def _execute(self, parsed: duckdb.Statement, parameters: dict[str, Any]) -> None:
        if parsed.named_parameters != set(parameters):
            raise Refused("DuckDB finds other parameters in the statement than Headwater")
        if parameters:
            self._connection.execute(parsed, {name: bindable(decode(value)) for name, value in parameters.items()})
        else:
            self._connection.execute(parsed)

    def _send_rows(self, limit: int | None) -> None:
        # Imported on first use, because the import doubles the startup time.
        import pyarrow as pa

        from headwater.query.arrow_types import exact, exact_schema

        reader = self._connection.to_arrow_reader(BATCH_ROWS)
        left = limit
        schema = typed(exact_schema(reader.schema), [column[1] for column in self._connection.description or ()])
        with pa.ipc.new_stream(Body(self._replies), schema) as writer:
            while left is None or left > 0:
                self._check()
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    break
                batch = pa.record_batch([exact(column) for column in batch.columns], schema=schema)
                writer.write_batch(batch if left is None else batch.slice(0, left))
                left = None if left is None else left - batch.num_rows


def bindable(value: Any) -> Any:
    """The value of a parameter, typed where DuckDB would make NaN in a list NULL, and a DECIMAL of 38 places a DOUBLE."""
    match value:
        case list():
            return [bindable(each) for each in value]
        case dict():
            return {name: bindable(each) for name, each in value.items()}
        case float() if value != value:
            return duckdb.Value("nan", duckdb.sqltype("DOUBLE"))
        case Decimal() if value.as_tuple().exponent == -38:
            return duckdb.Value(f"{value:f}", duckdb.decimal_type(38, 38))
        case _:
            return value


def typed(schema: Any, types: list[Any]) -> Any:
    """The Arrow schema with the types that Arrow has no exact counterpart for, in the metadata of their fields."""
    for place, (field, kind) in enumerate(zip(schema, types, strict=True)):
        tree = type_tree(kind)
        if names_in(tree) & INEXACT:
            schema = schema.set(place, field.with_metadata({TYPE: json.dumps(tree).encode()}))
    return schema


def type_tree(kind: Any) -> list[Any]:
    """A type's name and the trees of its parts."""
    name = str(kind.id)
    if name not in NESTED:
        return [name]
    return [name, *(type_tree(child) for _, child in kind.children if hasattr(child, "id"))]


def names_in(tree: list[Any]) -> set[str]:
    return {tree[0]}.union(*(names_in(part) for part in tree[1:]))


def describe(error: Exception, sql: str) -> dict[str, Any]:
    """The failure as values; the position is a line and a column of the statement."""
    kind, message, position = type(error).__name__.removesuffix("Exception"), str(error), None
    number = missing_table = None
    # The messages of the DuckLake extension are wrapped in other messages.
    for _ in range(3):
        prefix, _, said = message.partition(" Error: ")
        if said and prefix.replace(" ", "").isalpha():
            message = said
        if message.startswith("{"):
            with suppress(ValueError, KeyError):
                # DuckDB adds its own advice to the text of an internal error.
                facts, _ = json.JSONDecoder().raw_decode(message)
                message, kind = facts["exception_message"], facts["exception_type"]
                number = int(facts["errno"]) if "errno" in facts else number
                missing_table = facts.get("name") if facts.get("type") == "Table" else missing_table
                position = place(sql, int(facts["position"])) or position
    return {
        "type": kind,
        "message": message,
        "position": position,
        "reason": INVALIDATED if isinstance(error, INVALIDATING) else reason(message),
        "errno": number,
        "missing_table": missing_table,
        "missing_snapshot": missing_snapshot(message),
    }


def missing_snapshot(message: str) -> str | None:
    """Which snapshot does not exist, read from the message for the same reason as `reason`."""
    found = MISSING_SNAPSHOT.search(message)
    if found is None:
        return None
    return f"snapshot {found[2]} does not exist" if found[1] == "version" else f"there is no snapshot at {found[2]}"


def reason(message: str) -> str | None:
    """The cause that callers handle, read from the message, because DuckDB and its extensions have no type for it."""
    text = message.lower()
    if any(words in text for words in CONFLICTS):
        return CONFLICT
    return CONNECTION_LOST if any(words in text for words in LOST) else None


def place(sql: str, offset: int) -> list[int] | None:
    """The line and column of a byte, both counted from 1."""
    data = sql.encode()
    if not 0 <= offset <= len(data):
        return None
    before = data[:offset].decode(errors="ignore")
    return [before.count("\n") + 1, len(before) - before.rfind("\n")]


def literal(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def extension(name: str) -> str:
    """The extension's file inside its wheel."""
    spec = find_spec(f"duckdb_extension_{name}")
    if spec is None or not spec.submodule_search_locations:
        raise Refused(f"the wheel duckdb-extension-{name} is not installed")
    return str(next(Path(spec.submodule_search_locations[0]).glob(f"extensions/*/{name}.duckdb_extension")))


def open_lake(place: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """A connection whose current catalog is the lake."""
    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": os.path.join(tempfile.gettempdir(), f"headwater-query-{os.getpid()}"),
    }
    config |= {key: place[key] for key in ("threads", "memory_limit") if place[key] is not None}
    connection = duckdb.connect(":memory:", config=config)
    for name in EXTENSIONS[place["kind"]]:
        connection.execute(f"LOAD {literal(extension(name))}")
    for setting in SETTINGS:
        connection.execute(setting)
    if place["kind"] == "sqlite":
        attach(connection, place, f"sqlite:{place['file']}", f"META_BUSY_TIMEOUT {place['busy_timeout_ms']}")
    else:
        attach_postgresql(connection, place)
    return connection


def attach(connection: duckdb.DuckDBPyConnection, place: dict[str, Any], catalog: str, option: str) -> None:
    name = '"' + place["name"].replace('"', '""') + '"'
    options = f"DATA_PATH {literal(place['data_path'])}, OVERRIDE_DATA_PATH true, CREATE_IF_NOT_EXISTS false, {option}"
    connection.execute(f"ATTACH {literal('ducklake:' + catalog)} AS {name} ({options})")
    connection.execute(f"USE {name}")


def attach_postgresql(connection: duckdb.DuckDBPyConnection, place: dict[str, Any]) -> None:
    """Attach by a secret, since the address of an attached database can be read with SQL."""
    secret = ", ".join(f"{key} {literal(value)}" for key, value in place["secret"].items())
    try:
        connection.execute(f"CREATE SECRET {SECRET} (TYPE postgres, {secret})")
    except duckdb.Error:
        raise Refused("DuckDB rejects the address of the catalog") from None
    words = " ".join(f"{key}={conninfo(value)}" for key, value in place["options"].items())
    for options in (f"{place['server_options']} {ENGLISH}", place["server_options"]):
        os.environ["PGOPTIONS"] = options.strip()
        try:
            return attach(connection, place, f"postgres:{words}", f"META_SECRET {SECRET}")
        except duckdb.Error as error:
            # Only a superuser may set the language.
            if "lc_messages" not in str(error) or options == place["server_options"]:
                raise


def conninfo(value: object) -> str:
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def serve() -> None:
    """Attach, then run requests until stdin ends."""
    replies = os.fdopen(os.dup(1), "wb", 1 << 20)
    os.dup2(2, 1)  # keep other output out of the frames
    place, _ = receive(sys.stdin.buffer)
    try:
        worker = QueryWorker(open_lake(place), replies)
    except Exception as error:  # noqa: BLE001
        return send(replies, {"error": describe(error, "")})
    send(replies, {"attached": True})
    requests: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
    threading.Thread(target=listen, args=(worker, requests), daemon=True).start()
    while (request := requests.get()) is not None:
        worker.run(request["statements"], request["parameters"], RequestScope(request["scope"]), request["limit"])


def listen(worker: QueryWorker, requests: SimpleQueue[dict[str, Any] | None]) -> None:
    """Queue requests, cancel them on demand, and cancel the running one when the parent has ended."""
    number = 0
    while True:
        try:
            message, _ = receive(sys.stdin.buffer)
        except EOFError:
            requests.put(None)
            return worker.cancel(number)
        if "cancel" in message:
            worker.cancel(message["cancel"])
        else:
            number = message["number"]
            worker.expect(number)
            requests.put(message)


if __name__ == "__main__":
    with suppress(EOFError, BrokenPipeError):
        serve()
