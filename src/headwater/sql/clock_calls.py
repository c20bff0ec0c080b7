"""Clock functions: replace calls by markers, and markers by literals of one time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from sqlglot import exp

from headwater.core.names import backquote
from headwater.sql.query import MARKER_PREFIX, ParsedQuery
from headwater.sql.splice import Edit
from headwater.sql.tokens import TokenKind

# Maps marker names to functions that render the clock value.
MARKERS: dict[str, Callable[[datetime], str]] = {
    f"{MARKER_PREFIX}clock_timestamp()": lambda moment: f"TIMESTAMP_LTZ '{_text(moment)}Z'",
    f"{MARKER_PREFIX}clock_date()": lambda moment: f"DATE '{moment:%Y-%m-%d}'",
    f"{MARKER_PREFIX}clock_local()": lambda moment: f"TIMESTAMP_NTZ '{_text(moment)}'",
    f"{MARKER_PREFIX}clock_seconds()": lambda moment: f"{int(moment.timestamp())}L",
}
_TIMESTAMP, _DATE, _LOCAL, _SECONDS = MARKERS
# Maps functions to their marker, and to the column name that Spark derives from a call.
_CLOCKS = {
    "current_timestamp": (_TIMESTAMP, "current_timestamp()"),
    "now": (_TIMESTAMP, "now()"),
    "current_date": (_DATE, "current_date()"),
    "curdate": (_DATE, "current_date()"),
    "localtimestamp": (_LOCAL, "localtimestamp()"),
    "unix_timestamp": (_SECONDS, "unix_timestamp(current_timestamp(), yyyy-MM-dd HH:mm:ss)"),
}
BARE_CLOCKS = frozenset({"current_timestamp", "current_date", "localtimestamp"})
_BUILTIN = (["system", "builtin"], ["builtin"])


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S.%f}"


def set_clock(sql: str, moment: datetime, before: datetime | None = None) -> str:
    """The SQL with its clock markers replaced by literals of this refresh's clock value, or of the previous one's.

    >>> set_clock("SELECT __hw_clock_date() AS d", datetime(2026, 1, 2, tzinfo=UTC))
    "SELECT DATE '2026-01-02' AS d"
    """
    for marker, literal in MARKERS.items():
        sql = sql.replace(marker, literal(moment.astimezone(UTC)))
        if before is not None:
            earlier = marker.replace(MARKER_PREFIX, f"{MARKER_PREFIX}before_")
            sql = sql.replace(earlier, literal(before.astimezone(UTC)))
    return sql


def clock_edits(query: ParsedQuery, bare: list[exp.Column]) -> list[Edit]:
    """The edits that replace a query's clock calls by markers; `bare` are those written without parentheses."""
    nodes = {node.meta["start"]: node for node in query.tree.walk() if "start" in node.meta}
    edits = []
    for index, name in query.calls():
        closing = query.tokens[index + 2 : index + 3]
        if name in _CLOCKS and closing and closing[0].text == ")":
            first = _first_token(query, index)
            if first is not None:
                node = nodes.get(query.tokens[index].start)
                edits.append(_edit(query, query.tokens[first].start, closing[0].end, name, node))
    for column in bare:
        meta = column.this.meta
        edits.append(_edit(query, meta["start"], meta["end"] + 1, column.name.lower(), column))
    return edits


def _first_token(query: ParsedQuery, index: int) -> int | None:
    """The first token of a call, which may be system.builtin.now(); None if the function is of another schema."""
    first = index
    path: list[str] = []
    while first >= 2 and query.tokens[first - 1].text == "." and query.tokens[first - 1].kind is TokenKind.SYMBOL:
        first -= 2
        path.insert(0, query.tokens[first].text.lower())
    return first if not path or path in _BUILTIN else None


def _edit(query: ParsedQuery, start: int, end: int, name: str, node: exp.Expr | None) -> Edit:
    marker, title = _CLOCKS[name]
    call = _call(node) if node is not None else None
    if call is None:
        return Edit(start, end, marker)
    if isinstance(call.parent, exp.Select) and call.arg_key == "expressions":
        return Edit(start, end, f"{marker} AS {backquote(title)}")
    if _gives_name(call):
        raise query.refused(
            f'a column with the clock function "{name}" has no name',
            query.position(start),
            detail="Spark would derive its name from the time of the refresh.",
            hint="Add AS and a name after the expression.",
        )
    return Edit(start, end, marker)


def _call(node: exp.Expr) -> exp.Expr:
    """The whole call, because sqlglot may record only the position of the name."""
    if isinstance(node, exp.Identifier) and node.parent is not None:
        node = node.parent
    while isinstance(node.parent, exp.Dot):
        node = node.parent
    return node


def _gives_name(node: exp.Expr) -> bool:
    """Whether the node is part of an expression from which a visible column gets its name."""
    while not isinstance(node, exp.Alias | exp.Query) and node.parent is not None:
        if isinstance(node.parent, exp.Select) and node.arg_key == "expressions":
            return _is_seen(node.parent)
        node = node.parent
    return False


def _is_seen(select: exp.Expr) -> bool:
    """Whether the SELECT's column names are visible: not in EXISTS, in a scalar subquery, or on the right of a UNION."""
    while isinstance(outer := select.parent, exp.SetOperation | exp.Subquery):
        if isinstance(outer, exp.SetOperation) and select.arg_key == "expression" and not outer.args.get("by_name"):
            return False
        select = outer
    return outer is None or isinstance(outer, exp.CTE | exp.From | exp.Join | exp.Lateral | exp.Table)
