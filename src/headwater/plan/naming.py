"""Names for the columns of a plan: unique, and valid without quotes in any dialect."""

from __future__ import annotations

import re
from collections.abc import Collection

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.spark import Spark

_UNSAFE = re.compile(r"[^a-z0-9_]+")
_WORDS = frozenset(
    word.lower() for dialect in (Spark, DuckDB) for phrase in dialect.Tokenizer.KEYWORDS for word in phrase.split()
)


class Names:
    """Generates unique names.

    >>> names = Names()
    >>> [names.fresh(hint) for hint in ("id", "ID", "Total (EUR)", "order", "", "2nd")]
    ['id', 'id_2', 'total_eur', 'order_1', 'c', 'c2nd']
    >>> [names.fresh(hint) for hint in ("x_2_3", "x_2", "x")]
    ['x', 'x_2', 'x_3']
    """

    def __init__(self, avoided: Collection[str] = ()) -> None:
        self._avoided = frozenset(avoided)
        self._given: dict[str, int] = {}

    def fresh(self, hint: str) -> str:
        """A new name similar to the hint."""
        stem = _UNSAFE.sub("_", hint.lower()).strip("_")
        if not stem or stem[0].isdigit():
            stem = f"c{stem}"
        # Trailing numbers are removed, because "a_2" may be the generated name of the second "a".
        stem = re.sub(r"(_\d+)+$", "", stem) or stem
        while True:
            count = self._given.get(stem, 0) + 1
            self._given[stem] = count
            name = f"{stem}_{count}" if count > 1 or stem in _WORDS else stem
            if name not in self._avoided:
                return name
