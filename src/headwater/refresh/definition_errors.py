"""Errors of a stored definition: the column that is gone, and the line of the definition that they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from headwater.core.caret import quote_line
from headwater.core.errors import HeadwaterError
from headwater.lake.site import Site
from headwater.refresh.bind_definition import bind_definition
from headwater.refresh.dropped_columns import naming_dropped_column
from headwater.registry.definitions import DynamicTable, written
from headwater.sql.bind import place


@contextmanager
def definition_errors(site: Site, table: DynamicTable) -> Iterator[None]:
    """Locate the errors of the block in the stored definition."""
    try:
        yield
    except HeadwaterError as error:
        located = locate(site, table, error)
        quote_definition(located, table)
        if located is error:
            raise
        raise located from error


def quote_definition(error: HeadwaterError, table: DynamicTable) -> None:
    """Give the error its line of the stored definition, as SHOW CREATE DYNAMIC TABLE prints it."""
    quote_line(error, written(table.statement)[0], of="the definition")


def locate(site: Site, table: DynamicTable, error: HeadwaterError) -> HeadwaterError:
    """The error with its position in the text that has the definition, and with the dropped column that it is about."""
    if error.excerpt is None:
        return error
    with suppress(HeadwaterError), site.reader() as reader:
        bound = bind_definition(table, reader, reader.latest().id)
        statement = table.statement
        # The SQL that ran may be a plan of the query, in another order.
        place(error, bound, statement.properties.dialect or "spark", statement.query_position, exact=False)
        return naming_dropped_column(reader, [source.table_id for source in bound.sources], error)
    return error
