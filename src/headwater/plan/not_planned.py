"""The error for a query without a plan."""

from __future__ import annotations

from sqlglot import exp

from headwater.sql.cursor import short


class NotPlanned(Exception):
    """Why a query can't be planned: the reason, the fragment, and the line if known.

    >>> raise NotPlanned("PIVOT is not supported", exp.maybe_parse("a + b"))
    Traceback (most recent call last):
    headwater.plan.not_planned.NotPlanned: PIVOT is not supported: a + b
    """

    def __init__(self, reason: str, fragment: exp.Expr | str = "", line: int | None = None) -> None:
        self.reason = reason
        self.sql = fragment if isinstance(fragment, str) else short(text_of(fragment))
        self.line = line if line is not None or isinstance(fragment, str) else line_of(fragment)
        super().__init__(f"{reason}: {self.sql}" if self.sql else reason)


def text_of(fragment: exp.Expr) -> str:
    """The fragment as Spark SQL, without the quotes that qualification adds to names."""
    copy = fragment.copy()
    for identifier in copy.find_all(exp.Identifier):
        identifier.set("quoted", not identifier.name.isidentifier())
    return copy.sql(dialect="spark", normalize_functions=False)


def line_of(fragment: exp.Expr) -> int | None:
    """The line of the query where the fragment begins, if it is part of the query."""
    lines = [int(line) for node in fragment.walk() if isinstance(line := node.meta.get("line"), int)]
    return min(lines, default=None)
