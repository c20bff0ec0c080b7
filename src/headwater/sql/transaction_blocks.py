"""Find the transactions of a script: BEGIN … COMMIT and BEGIN … ROLLBACK."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from headwater.core.errors import SqlSyntaxError
from headwater.sql.cursor import Cursor
from headwater.sql.split import ScriptStatement


class Boundary(Enum):
    """A statement that begins or ends a transaction."""

    BEGIN = "BEGIN"
    COMMIT = "COMMIT"
    ROLLBACK = "ROLLBACK"


@dataclass(frozen=True, slots=True)
class TransactionBlock:
    """The statements between BEGIN and its end."""

    begin: ScriptStatement
    statements: tuple[ScriptStatement, ...]
    commits: bool


_BOUNDARIES = {
    "BEGIN": Boundary.BEGIN,
    "START": Boundary.BEGIN,
    "COMMIT": Boundary.COMMIT,
    "END": Boundary.COMMIT,
    "ROLLBACK": Boundary.ROLLBACK,
    "ABORT": Boundary.ROLLBACK,
}


def boundary(statement: ScriptStatement) -> Boundary | None:
    """Whether the statement begins or ends a transaction.

    >>> from headwater.sql.split import split
    >>> [boundary(each) for each in split("START TRANSACTION; SELECT 1; END")]
    [<Boundary.BEGIN: 'BEGIN'>, None, <Boundary.COMMIT: 'COMMIT'>]
    """
    found = _BOUNDARIES.get(statement.verb)
    if found is None:
        return None
    cursor = Cursor(statement.script, statement.tokens)
    if cursor.advance().text.upper() == "START":
        cursor.expect_words("TRANSACTION")
    elif not cursor.take_words("TRANSACTION"):
        cursor.take_words("WORK")
    cursor.expect_end()
    return found


def transaction_blocks(script: tuple[ScriptStatement, ...]) -> tuple[ScriptStatement | TransactionBlock, ...]:
    """The statements of a script in order, those of each transaction as one block.

    >>> from headwater.sql.split import split
    >>> one, block = transaction_blocks(split("SELECT 1; BEGIN; SELECT 2; SELECT 3; ROLLBACK"))
    >>> one.text, [each.text for each in block.statements], block.commits
    ('SELECT 1', ['SELECT 2', 'SELECT 3'], False)
    """
    parts: list[ScriptStatement | TransactionBlock] = []
    begin: ScriptStatement | None = None
    inside: list[ScriptStatement] = []
    for statement in script:
        kind = boundary(statement)
        if kind is Boundary.BEGIN:
            if begin is not None:
                raise _refused(
                    "a transaction is already open",
                    detail=f"It begins at {begin.position}; transactions can't be nested.",
                    hint="COMMIT it first, or omit this BEGIN.",
                    statement=statement,
                )
            begin, inside = statement, []
        elif kind is not None:
            if begin is None:
                raise _refused(
                    f"{statement.verb} without a transaction",
                    detail="No BEGIN precedes it.",
                    hint="Write BEGIN before the first statement of the transaction.",
                    statement=statement,
                )
            parts.append(TransactionBlock(begin, tuple(inside), kind is Boundary.COMMIT))
            begin = None
        elif begin is not None:
            inside.append(statement)
        else:
            parts.append(statement)
    if begin is not None:
        raise _refused(
            "the transaction is not ended",
            detail="The script ends before COMMIT. Nothing of the script was run.",
            hint="Add COMMIT or ROLLBACK to the script; in Python, use with lake.transaction().",
            statement=begin,
        )
    return tuple(parts)


def _refused(message: str, *, detail: str, hint: str, statement: ScriptStatement) -> SqlSyntaxError:
    return SqlSyntaxError(message, detail=detail, hint=hint, position=statement.position)
