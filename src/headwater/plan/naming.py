"""Names for the columns of a plan: each used once, and safe to write without quotes in any dialect."""

from __future__ import annotations

import re

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.spark import Spark

_UNSAFE = re.compile(r"[^a-z0-9_]+")
_WORDS = frozenset(
    word.lower() for dialect in (Spark, DuckDB) for word in dialect.Tokenizer.KEYWORDS if word.isidentifier()
)


class Names:
    """Hands out names; each is given once.

    >>> names = Names()
    >>> [names.fresh(hint) for hint in ("id", "ID", "Total (EUR)", "order", "", "2nd")]
    ['id', 'id_2', 'total_eur', 'order_1', 'c', 'c2nd']
    """

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def fresh(self, hint: str) -> str:
        """A name like the hint that no other column has."""
        stem = _UNSAFE.sub("_", hint.lower()).strip("_")
        if not stem or stem[0].isdigit():
            stem = f"c{stem}"
        stem = re.sub(r"_\d+$", "", stem) or stem
        count = self._given.get(stem, 0) + 1
        self._given[stem] = count
        if count > 1 or stem in _WORDS:
            return f"{stem}_{count}"
        return stem
