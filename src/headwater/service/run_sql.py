"""Run a script: its statements in order, with their parameters, alone or in transactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater.core.caret import quoting
from headwater.core.errors import DefinitionRefused, InvalidRequest, SqlUnsupported
from headwater.lake.site import Site
from headwater.query.process import DuckDBProcess
from headwater.refresh.compute import Compute
from headwater.service.result import Result
from headwater.service.script import is_definition, run_statement
from headwater.service.transaction import LakeTransaction, Transactions, prepare
from headwater.sql.dynamic import is_dynamic
from headwater.sql.parameters import ParameterValues, assign_parameters, placeholders
from headwater.sql.split import ScriptStatement, split
from headwater.sql.transaction_blocks import TransactionBlock, boundary, transaction_blocks


def run_sql(
    site: Site,
    compute: Compute,
    duckdb: Callable[[], DuckDBProcess],
    transactions: Transactions,
    text: str,
    params: ParameterValues | None = None,
    engine: str | None = None,
    dialect: str | None = None,
) -> Result:
    """Run the statements in order, each in its own transaction except between BEGIN and COMMIT; returns the last result."""
    if not isinstance(text, str):
        raise InvalidRequest(f"{text!r} is not SQL", hint="Pass the statement as a string.")
    if engine not in (None, "duckdb", "spark"):
        raise InvalidRequest(f'engine "{engine}" is not known', hint="Choose duckdb or spark.")
    with quoting(text):
        return _run(site, compute, duckdb, transactions, text, params, engine, dialect)


def _run(
    site: Site,
    compute: Compute,
    duckdb: Callable[[], DuckDBProcess],
    transactions: Transactions,
    text: str,
    params: ParameterValues | None,
    engine: str | None,
    dialect: str | None,
) -> Result:
    pieces = split(text, dialect or ("spark" if engine == "spark" else "duckdb"))
    if not pieces:
        raise InvalidRequest("no statement to run", hint="Pass at least one statement.")
    if (current := transactions.current) is not None:
        return _run_inside(current, pieces, params, engine)
    parts = transaction_blocks(pieces)
    values = iter(_assigned(pieces, params))
    result, warnings = Result((), ()), list[str]()
    for part in parts:
        if isinstance(part, TransactionBlock):
            result = _run_block(site, transactions, part, [next(values) for _ in part.statements], engine)
        else:
            result = run_statement(site, compute, duckdb, part, engine, next(values))
        warnings += result.warnings
    return replace(result, warnings=tuple(warnings))


def _run_block(
    site: Site,
    transactions: Transactions,
    block: TransactionBlock,
    values: Sequence[Mapping[str, Any]],
    engine: str | None,
) -> Result:
    """Run BEGIN … COMMIT with all tables locked from the start."""
    statements = [prepare(piece, engine) for piece in block.statements]
    locks = [name for statement in statements for name in statement.locks]
    result = Result((), ())
    with transactions.begun(site, locks) as transaction:
        with transaction.rolled_back_on_error():
            for statement, parameters in zip(statements, values, strict=True):
                result = transaction.run(statement, parameters)
        if block.commits:
            transaction.commit()
    return result if block.commits else Result(("status",), (("rolled back",),))


def _run_inside(
    transaction: LakeTransaction, pieces: Sequence[ScriptStatement], params: ParameterValues | None, engine: str | None
) -> Result:
    """Run statements in the transaction of a Python block."""
    result = Result((), ())
    with transaction.rolled_back_on_error():
        for piece in pieces:
            if boundary(piece) is not None:
                raise InvalidRequest(
                    f"{piece.verb} can't run in a block of lake.transaction()",
                    detail="The end of the block commits, and an exception in it rolls back.",
                    hint="Omit it.",
                    position=piece.position,
                )
        statements = [prepare(piece, engine) for piece in pieces]
        for statement, parameters in zip(statements, _assigned(pieces, params), strict=True):
            result = transaction.run(statement, parameters)
    return result


def _assigned(pieces: Sequence[ScriptStatement], params: ParameterValues | None) -> tuple[Mapping[str, Any], ...]:
    """The values of the parameters of each statement; definitions have none."""
    statements = [piece for piece in pieces if boundary(piece) is None]
    defines = [is_dynamic(piece) or is_definition(piece) for piece in statements]
    if params is not None:
        for piece, definition in zip(statements, defines, strict=True):
            if definition:
                _refuse_parameters(piece)
    values = iter(
        assign_parameters([piece for piece, not_run in zip(statements, defines, strict=True) if not not_run], params)
    )
    return tuple({} if definition else next(values) for definition in defines)


def _refuse_parameters(piece: ScriptStatement) -> None:
    found = placeholders(piece)
    if not found:
        return
    if is_dynamic(piece):
        raise DefinitionRefused(
            "the definition of a dynamic table can't contain parameters",
            detail="Each refresh runs it again, without a caller who gives values.",
            hint="Write the value in the query.",
            position=found[0].position,
        )
    raise SqlUnsupported(
        f"{piece.verb} can't have parameters", hint="Write the value in the statement.", position=found[0].position
    )
