"""Rows as CSV in which NULL differs from the empty text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

_SPECIAL = frozenset(',"\r\n')


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]], null: str) -> Iterable[str]:
    r"""The lines; NULL is `null` without quotes, and a text that could be taken for it is quoted.

    >>> list(csv_lines(["a", "b"], [[None, ""], ["x,y", 1]], ""))
    ['a,b\n', ',""\n', '"x,y",1\n']
    >>> list(csv_lines(["a"], [[None], ["NA"]], "NA"))
    ['a\n', 'NA\n', '"NA"\n']
    """
    yield _line(columns, null)
    for row in rows:
        yield _line(row, null)


def _line(values: Sequence[Any], null: str) -> str:
    return ",".join(null if value is None else _field(str(value), null) for value in values) + "\n"


def _field(text: str, null: str) -> str:
    if text in ("", null) or not _SPECIAL.isdisjoint(text):
        return '"' + text.replace('"', '""') + '"'
    return text
