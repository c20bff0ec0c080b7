"""Names as SQL compares them in the catalog: folded as `core.names.folded` does, on either database."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler


class FoldedName(sa.sql.functions.GenericFunction[str]):
    """The name in a column, with A to Z in lower case and all other letters unchanged."""

    type = sa.Text()
    name = "folded_name"
    inherit_cache = True


@compiles(FoldedName, "sqlite")
def _on_sqlite(function: FoldedName, compiler: SQLCompiler, **options: Any) -> str:
    # SQLite's lower() knows A to Z alone.
    return f"lower({compiler.process(function.clauses, **options)})"


@compiles(FoldedName, "postgresql")
def _on_postgresql(function: FoldedName, compiler: SQLCompiler, **options: Any) -> str:
    # PostgreSQL's lower() follows the database's locale, in which I may become ı, unless the collation is C.
    return f'lower({compiler.process(function.clauses, **options)} COLLATE "C")'
