"""Transactions of several statements: each is checked, then run by DuckDB."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from headwater.core.errors import (
    DynamicTableReadOnly,
    HeadwaterError,
    InvalidRequest,
    NotFound,
    SqlUnsupported,
    TransactionEnded,
)
from headwater.core.names import folded
from headwater.lake.site import Site
from headwater.query.parameter_values import encoded
from headwater.query.process import DuckDBProcess, StatementFailed
from headwater.query.request import lock_name, position_in_script, refuse_dynamic
from headwater.query.statement import Write, classify
from headwater.query.transaction import DuckDBTransaction
from headwater.refresh.find import all_tables
from headwater.service import script
from headwater.service.result import Result
from headwater.sql import statements as st
from headwater.sql.dynamic import is_dynamic
from headwater.sql.dynamic_statements import DynamicStatement
from headwater.sql.parse import parse_piece
from headwater.sql.split import ScriptStatement
from headwater.sql.tokens import TokenKind
from headwater.sql.transaction_ddl import duckdb_ddl, tables_changed

# How often a transaction of Python is checked for being idle, in seconds.
_CHECKED_EVERY = 1.0
_CATALOG = "lake"
ROLLED_BACK = "The transaction was rolled back."


@dataclass(frozen=True, slots=True)
class TransactionStatement:
    """A statement of a transaction: its SQL for DuckDB, the tables that it writes, and the definition if it is DDL."""

    piece: ScriptStatement
    texts: tuple[str, ...]
    tables: tuple[st.ObjectName, ...]
    definition: st.Statement | None = None

    @property
    def locks(self) -> tuple[str, ...]:
        """The names under which it locks its tables."""
        return tuple(lock_name(self.piece, name, _CATALOG) for name in self.tables)


def prepare(piece: ScriptStatement, engine: str | None) -> TransactionStatement:
    """Parse the statement; refuses one that can't be in a transaction."""
    if is_dynamic(piece):
        raise _refused(f"{piece.verb} DYNAMIC TABLE", piece)
    if engine == "spark":
        raise _refused('engine="spark"', piece)
    if not script.is_definition(piece):
        kind = classify(piece)
        return TransactionStatement(piece, (piece.text,), kind.tables if isinstance(kind, Write) else ())
    statement = parse_piece(piece)
    assert not isinstance(statement, DynamicStatement)
    return TransactionStatement(piece, duckdb_ddl(statement, piece.position), tables_changed(statement), statement)


def _refused(what: str, piece: ScriptStatement) -> SqlUnsupported:
    return SqlUnsupported(
        f"{what} can't run in a transaction",
        detail="A transaction has queries, changes of rows, and DDL of plain tables, views and schemas, all on DuckDB.",
        hint="Run it before BEGIN or after COMMIT.",
        position=piece.position,
    )


class LakeTransaction:
    """An open transaction of a lake; `locks` are taken before it begins."""

    def __init__(self, site: Site, duckdb: DuckDBProcess, locks: Iterable[str] = ()) -> None:
        self._site = site
        self._changed = False
        self._transaction = DuckDBTransaction(duckdb, site.database, site.clock, locks)

    def run(self, statement: TransactionStatement, parameters: Mapping[str, Any]) -> Result:
        """Check and run a statement; an error rolls the transaction back."""
        piece = statement.piece
        self._transaction.check_open(piece.position)
        try:
            if self._changed:
                _refuse_time_travel(piece)
            _check(self._site, statement)
            values = [encoded(parameters)] if parameters else []
            answers = self._transaction.run(statement.texts, values, statement.locks)
        except HeadwaterError as error:
            if isinstance(error, StatementFailed):
                # A definition is not run as it is written.
                error.position = position_in_script(piece.position, None if statement.definition else error.position)
            error.position = error.position or piece.position
            raise
        self._changed |= bool(statement.tables) or statement.definition is not None
        return Result((), ()) if statement.definition else script.result_of(answers[-1])

    @contextmanager
    def rolled_back_on_error(self) -> Iterator[None]:
        """Roll back after an error in the block, which then says so."""
        try:
            yield
        except HeadwaterError as error:
            self._transaction.roll_back(ROLLED_BACK)
            if not isinstance(error, TransactionEnded):
                error.detail = f"{_sentence(error.detail)} {ROLLED_BACK}" if error.detail else ROLLED_BACK
            raise

    def commit(self) -> None:
        """Commit; an error means that nothing was changed, unless it says otherwise."""
        self._transaction.commit()

    def roll_back(self, why: str) -> None:
        """Roll back, if the transaction is open; `why` is a sentence for later statements."""
        self._transaction.roll_back(why)

    def interrupt(self) -> None:
        """Cancel the statement that another thread runs, which rolls back."""
        self._transaction.interrupt()

    def roll_back_if_idle(self) -> None:
        """Roll back if no statement has run for a long time."""
        self._transaction.roll_back_if_idle()


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _refuse_time_travel(piece: ScriptStatement) -> None:
    """Refuse to read an older version after a change, because DuckDB adds the transaction's own changes to it."""
    for at, bracket, unit in zip(piece.tokens, piece.tokens[1:], piece.tokens[2:], strict=False):
        words = (at.text.upper(), bracket.text, unit.text.upper())
        if at.kind is TokenKind.WORD and words[:2] == ("AT", "(") and words[2] in ("VERSION", "TIMESTAMP"):
            raise SqlUnsupported(
                f"AT ({words[2]} => …) can't run after a change in the same transaction",
                detail="DuckDB would add the transaction's own changes to the older version.",
                hint="Read the older version before the first change, or before BEGIN.",
                position=piece.script.position(at),
            )


def _check(site: Site, statement: TransactionStatement) -> None:
    """Refuse changes of dynamic tables, and reads of those without rows."""
    if statement.definition is None:
        for name in statement.tables:
            refuse_dynamic(statement.piece, _dynamic_table_name(site, name))
        script.refuse_uninitialized(site, statement.piece)
        return
    for name in statement.tables:
        if found := _dynamic_table_name(site, name):
            raise _is_dynamic(found, statement.piece)
    if isinstance(statement.definition, st.DropSchema):
        with site.reader() as reader:
            schema = folded(statement.definition.name.name)
            inside = [table for table in all_tables(reader) if folded(table.name.schema) == schema]
        if inside:
            raise _is_dynamic(str(inside[0].name), statement.piece)


def _dynamic_table_name(site: Site, name: st.ObjectName) -> str | None:
    try:
        return script.dynamic_table_name(site, name)
    except NotFound:
        # A schema that the transaction has created has no dynamic tables.
        return None


def _is_dynamic(name: str, piece: ScriptStatement) -> DynamicTableReadOnly:
    return DynamicTableReadOnly(
        f"dynamic table {name} can't be changed in a transaction",
        hint="Run it before BEGIN or after COMMIT.",
        position=piece.position,
    )


class Transactions:
    """The open transactions of a Lake: at most one in each thread, each with a DuckDB process of its own.

    Other threads don't see its changes, and their statements are not part of it.
    """

    def __init__(self, start_duckdb: Callable[[], DuckDBProcess]) -> None:
        self._start_duckdb = start_duckdb
        self._guard = threading.Lock()
        self._open: dict[int, LakeTransaction] = {}
        # A process whose transaction has ended, for the next one.
        self._spare: DuckDBProcess | None = None
        # How often the lake was closed; processes from before are not kept.
        self._closed = 0

    @property
    def current(self) -> LakeTransaction | None:
        """The transaction of this thread."""
        return self._open.get(threading.get_ident())

    def refuse(self, what: str) -> None:
        """Refuse to do something else than SQL while this thread has a transaction."""
        if self.current is not None:
            raise InvalidRequest(
                f"{what} can't run in a transaction",
                detail="A transaction has statements of lake.sql only.",
                hint="Run it after the transaction.",
            )

    @contextmanager
    def begun(self, site: Site, locks: Iterable[str] = ()) -> Iterator[LakeTransaction]:
        """A transaction, for the caller to end; what is still open at the end of the block is rolled back."""
        self.refuse("another transaction")
        duckdb, closed, thread = self._taken(), self._closed, threading.get_ident()
        try:
            transaction = LakeTransaction(site, duckdb, locks)
            self._open[thread] = transaction
            try:
                yield transaction
            finally:
                del self._open[thread]
                transaction.roll_back(ROLLED_BACK)
        finally:
            self._give_back(duckdb, keep=closed == self._closed)

    @contextmanager
    def around(self, site: Site) -> Iterator[None]:
        """A transaction around a block of Python: committed at its end, rolled back by an exception or when idle."""
        with self.begun(site) as transaction, site.clock.call_every(_CHECKED_EVERY, transaction.roll_back_if_idle):
            yield
            transaction.commit()

    def close(self) -> None:
        """Roll back all open transactions, and end the spare process."""
        self._closed += 1
        for transaction in tuple(self._open.values()):
            transaction.interrupt()
            transaction.roll_back("The lake was closed. Nothing was changed.")
        with self._guard:
            spare, self._spare = self._spare, None
        if spare is not None:
            spare.close()

    def _taken(self) -> DuckDBProcess:
        with self._guard:
            spare, self._spare = self._spare, None
        return spare or self._start_duckdb()

    def _give_back(self, duckdb: DuckDBProcess, *, keep: bool) -> None:
        with self._guard:
            if keep and self._spare is None:
                self._spare = duckdb
                return
        duckdb.close()
