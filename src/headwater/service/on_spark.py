"""A query on Spark, in its dialect, over the newest snapshot."""

from __future__ import annotations

from headwater.core.semantics import definition_session
from headwater.lake.site import Site
from headwater.refresh.engine import Query
from headwater.refresh.sources import LakeSchemas
from headwater.service.result import Result
from headwater.sql.bind import bind, placed
from headwater.sql.split import Piece


def select_on_spark(site: Site, piece: Piece) -> Result:
    """The rows of a query; anything else is refused by its name."""
    from headwater.execute.engine import SparkEngine

    with site.reader() as reader:
        at = reader.latest().id
        bound = bind(piece.text, LakeSchemas(reader, at), origin=piece.position, allow_random=True)
        sources = {}
        for source in bound.sources:
            table = reader.table_by_id(source.table_id, at)
            assert table is not None
            sources[source.relation] = reader.table_at(table, at)
    query = Query(bound.sql, sources, definition_session(), site.clock.now())
    with placed(bound, "spark", piece.position):
        return Result.of(SparkEngine().select(query))
