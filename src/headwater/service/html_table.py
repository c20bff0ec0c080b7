"""Rows as an HTML table, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

# The number of rows and of characters of a value that are shown.
_ROWS, _CHARACTERS = 50, 300


def html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """The first rows, escaped, and the number of all rows if there are more.

    >>> html_table(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:_ROWS])
    more = f"<p>{_ROWS} of {len(rows):,} rows</p>" if len(rows) > _ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> str:
    if value is None:
        return "<td><em>NULL</em></td>"
    text = str(value)
    return f"<td>{escape(text if len(text) <= _CHARACTERS else text[:_CHARACTERS] + '…')}</td>"
