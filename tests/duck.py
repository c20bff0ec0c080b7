"""DuckDB with the DuckLake extension in a process of its own, driven over pipes.

DuckDB carries its own copy of SQLite, and POSIX locks belong to a process: a catalog opened here through both could be
corrupted. So the test process never imports duckdb; run as a script, this file is the other process.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

if TYPE_CHECKING:
    import pyarrow as pa

EXTENSIONS = ("ducklake", "sqlite_scanner", "postgres_scanner")
SETTINGS = ("SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false", "SET TimeZone = 'UTC'")


class DuckError(Exception):
    """What DuckDB said; `index` is the place of the failed statement in its batch."""

    def __init__(self, message: str, statement: str, index: int = 0) -> None:
        super().__init__(f"{message}\n  in: {statement}")
        self.message = message
        self.statement = statement
        self.index = index


class Duck:
    """One DuckDB process that has at most one lake attached, under the name ``lake``.

    >>> with Duck() as duck:
    ...     duck.execute("SELECT 1, 'a'")
    [(1, 'a')]
    """

    def __init__(
        self,
        catalog_uri: str | None = None,
        data_path: str | Path | None = None,
        *,
        options: Mapping[str, object] | None = None,
        threads: int = 1,
    ) -> None:
        self._threads = threads
        self._start()
        self._lake: tuple[str, str | Path | None, Mapping[str, object] | None] | None = None
        if catalog_uri is not None:
            self.attach(catalog_uri, data_path, options=options)

    def _start(self) -> None:
        # -P keeps the folder tests/ off the child's path, where its packages could hide others.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).resolve()), str(self._threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PGOPTIONS": "-c lc_messages=C"},
        )
        self._attached = False

    def attach(
        self, catalog_uri: str, data_path: str | Path | None = None, *, options: Mapping[str, object] | None = None
    ) -> None:
        """Make this lake the current one in place of any other; the options are those of ATTACH."""
        self.detach()
        self._lake = (catalog_uri, data_path, options)
        given = dict(options or {})
        if data_path is not None:
            given["DATA_PATH"] = str(data_path)
        clause = ", ".join(f"{name} {literal(value)}" for name, value in given.items())
        self.execute(f"ATTACH {literal('ducklake:' + catalog_uri)} AS lake" + (f" ({clause})" if clause else ""))
        self.execute("USE lake")
        self._attached = True

    def reattach(self) -> None:
        """Attach the same lake anew, with nothing cached."""
        assert self._lake is not None
        uri, data_path, options = self._lake
        self.attach(uri, data_path, options=options)

    def detach(self) -> None:
        """Leave the lake, rolling back what is open; a process that has died is replaced."""
        if self._process.poll() is not None:
            self.close()
            self._start()
        if self._attached:
            self._attached = False
            self._ask("leave", [])

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of the last statement in the text."""
        return self.batch([sql])[-1]

    def batch(self, statements: Sequence[str]) -> list[list[tuple[Any, ...]]]:
        """The rows of each statement, in one round trip; the first failure ends it."""
        rows: list[list[tuple[Any, ...]]] = self._ask("rows", statements)
        return rows

    def columns(self, sql: str) -> list[tuple[str, str]]:
        """Names and DuckDB types of the query's columns."""
        described: list[tuple[str, str]] = self._ask("columns", [sql])[0]
        return described

    def arrow(self, sql: str) -> pa.Table:
        """The result as an Arrow table."""
        return self.arrows([sql])[0]

    def arrows(self, queries: Sequence[str]) -> list[pa.Table]:
        """The results as Arrow tables, in one round trip."""
        import pyarrow as pa

        return [pa.ipc.open_stream(data).read_all() for data in self._ask("arrow", queries)]

    def parameters(self, sql: str) -> list[set[str]]:
        """The names of the parameters of each statement in the text, in lower case."""
        names: list[set[str]] = self._ask("parameters", [sql])[0]
        return names

    def close(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):
            self._pipe(self._process.stdin).close()
        if self._process.poll() is None:
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._pipe(self._process.stdout).close()

    def kill(self) -> None:
        """End the process as a crash would."""
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, kind: str, statements: Sequence[str]) -> Any:
        try:
            _send(self._pipe(self._process.stdin), (kind, list(statements)))
            outcome, value = _receive(self._pipe(self._process.stdout))
        except (EOFError, BrokenPipeError):
            raise DuckError(
                f"the DuckDB process ended with code {self._process.wait()}", "; ".join(statements)
            ) from None
        if outcome == "error":
            message, index = value
            raise DuckError(message, statements[index] if statements else kind, index)
        return value

    @staticmethod
    def _pipe(pipe: Any) -> BinaryIO:
        assert pipe is not None
        return pipe  # type: ignore[no-any-return]


def literal(value: object) -> str:
    """A plain value as SQL.

    >>> literal("it's"), literal(10), literal(True)
    ("'it''s'", '10', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def extension_path(name: str) -> str:
    """The extension's file inside its wheel."""
    spec = find_spec(f"duckdb_extension_{name}")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"the wheel duckdb-extension-{name} is not installed")
    return str(next(Path(spec.submodule_search_locations[0]).glob(f"extensions/*/{name}.duckdb_extension")))


def _send(pipe: BinaryIO, message: object) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(struct.pack("<Q", len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: BinaryIO) -> Any:
    head = pipe.read(8)
    if len(head) < 8:
        raise EOFError
    size = struct.unpack("<Q", head)[0]
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def _answer(connection: Any, kind: str, sql: str) -> Any:
    match kind:
        case "rows":
            return connection.execute(sql).fetchall()
        case "columns":
            return [(str(part[0]), str(part[1])) for part in connection.execute(f"DESCRIBE {sql}").fetchall()]
        case "parameters":
            return [{name.casefold() for name in one.named_parameters} for one in connection.extract_statements(sql)]
        case "arrow":
            # Imported on first use: it would double the time to start.
            import pyarrow as pa

            table = connection.execute(sql).to_arrow_table()
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
            return sink.getvalue().to_pybytes()
    raise ValueError(kind)


def _open(threads: int) -> Any:
    import duckdb

    connection = duckdb.connect(":memory:", config={"threads": threads})
    for setting in SETTINGS:
        connection.execute(setting)
    for name in EXTENSIONS:
        connection.execute(f"LOAD {literal(extension_path(name))}")
    return connection


def _leave(connection: Any, threads: int) -> Any:
    import duckdb

    with suppress(duckdb.Error):  # nothing may be open
        connection.execute("ROLLBACK")
    try:
        connection.execute("USE memory; DETACH lake")
    except duckdb.Error:
        # USE asks the old lake first, whose catalog may be gone by now.
        connection.close()
        return _open(threads)
    return connection


def _serve(threads: int) -> None:
    import duckdb

    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    connection = _open(threads)
    while True:
        try:
            kind, statements = _receive(sys.stdin.buffer)
        except EOFError:
            return
        answers: list[Any] = []
        try:
            if kind == "leave":
                connection = _leave(connection, threads)
            for sql in statements:
                answers.append(_answer(connection, kind, sql))
            reply: tuple[str, Any] = ("ok", answers)
        except (duckdb.Error, RuntimeError, ValueError) as error:
            reply = ("error", (f"{type(error).__name__}: {error}", len(answers)))
        _send(replies, reply)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
