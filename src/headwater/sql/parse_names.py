"""Parse the name of a table from Python or the command line."""

from __future__ import annotations

from headwater.core.caret import quoting
from headwater.core.errors import SqlSyntaxError
from headwater.sql.cursor import Cursor
from headwater.sql.split import split
from headwater.sql.statements import ObjectName


def parse_name(text: str) -> ObjectName:
    """Parse a name, whose parts may be quoted.

    >>> parse_name('shop."we ird"')
    ObjectName(name='we ird', schema='shop', catalog=None)
    """
    with quoting(text):
        pieces = split(text)
        if len(pieces) != 1:
            raise SqlSyntaxError(f"{text!r} is not the name of a table", hint='Write it as schema.name, or "quoted".')
        cursor = Cursor(pieces[0].script, pieces[0].tokens)
        name = cursor.object_name("table")
        cursor.expect_end()
    return name


def parse_names(text: str) -> tuple[ObjectName, ...]:
    """Parse names separated by commas.

    >>> [name.name for name in parse_names('a, shop."b, c"')]
    ['a', 'b, c']
    """
    pieces = split(text)
    if len(pieces) != 1:
        raise SqlSyntaxError(f"{text!r} is not a list of tables", hint='Write them as schema.name, or "quoted".')
    cursor = Cursor(pieces[0].script, pieces[0].tokens)
    names = [cursor.object_name("table")]
    while cursor.take_symbol(","):
        names.append(cursor.object_name("table"))
    cursor.expect_end()
    return tuple(names)
