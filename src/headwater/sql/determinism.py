"""Refuse nondeterministic functions."""

from __future__ import annotations

import re

from sqlglot import exp

from headwater.core.errors import Position
from headwater.sql.query import ParsedQuery

_RANDOM = frozenset(
    [
        "current_catalog",
        "current_database",
        "current_role",
        "current_schema",
        "current_time",
        "current_user",
        "input_file_block_length",
        "input_file_block_start",
        "input_file_name",
        "java_method",
        "monotonically_increasing_id",
        "rand",
        "randn",
        "random",
        "randstr",
        "reflect",
        "session_user",
        "shuffle",
        "spark_partition_id",
        "try_reflect",
        "uniform",
        "user",
        "uuid",
        "version",
    ]
)
BARE_RANDOM = frozenset({"current_catalog", "current_role", "current_time", "current_user", "session_user", "user"})
# DATE 'today' is today's date in Spark and DuckDB.
_MOVING = re.compile(r"\s*(now|today|yesterday|tomorrow)\b", re.IGNORECASE)
_HINT = "Set REFRESH_MODE = FULL if that is intended."


def refuse_nondeterministic(query: ParsedQuery, bare: list[exp.Column]) -> None:
    """Refuse functions that depend on randomness, row location or session; `bare` are those without parentheses."""
    found = [(query.tokens[index].start, name) for index, name in query.calls() if name in _RANDOM]
    found += [(column.this.meta["start"], column.name.lower()) for column in bare]
    for start, name in sorted(found):
        raise _refused(query, f'the function "{name}"', query.position(start))
    for node in query.tree.find_all(exp.TableSample, exp.Cast):
        if isinstance(node, exp.TableSample):
            words = (token.start for token in query.tokens if token.text.upper() in ("TABLESAMPLE", "SAMPLE"))
            raise _refused(query, "TABLESAMPLE", query.position(next(words, query.start)))
        if isinstance(node.this, exp.Literal) and node.this.is_string and _MOVING.match(node.this.name):
            raise _refused(query, f"'{node.this.name}' as a date", query.place(node))


def _refused(query: ParsedQuery, what: str, position: Position) -> Exception:
    return query.refused(
        f"{what} is not deterministic",
        position,
        detail="Refreshes reuse earlier results, so the query must always return the same rows for the same data.",
        hint=_HINT,
    )
