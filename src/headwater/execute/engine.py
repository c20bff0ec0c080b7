"""Queries of dynamic tables on Spark: the Engine that refreshes compute with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from headwater.core.errors import DefinitionRefused
from headwater.core.names import backquote
from headwater.core.schema import Column, SortKey
from headwater.execute.conform import conform
from headwater.execute.dml import deletion
from headwater.execute.failures import engine_errors
from headwater.execute.files import FILE_ID, POSITION
from headwater.execute.scan import read_table
from headwater.execute.session import spark_session
from headwater.execute.shape import comparable
from headwater.execute.stage import stage
from headwater.execute.types import lake_columns
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.engine import Comparison, Query, Staged

_NET = "__hw_net"
_PLACES = "__hw_places"
_WEIGHT = "__hw_weight"


class SparkEngine:
    """Runs each query in a Spark session of its own, so that refreshes side by side do not see each other's scans."""

    def columns(self, query: Query) -> tuple[Column, ...]:
        """The columns that the query gives."""
        with _running(query) as frame:
            return lake_columns(frame.schema)

    def select(self, query: Query) -> pa.Table:
        """The rows of the query."""
        with _running(query) as frame:
            return frame.toArrow()

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """All rows of the query as new files."""
        with _running(query) as frame:
            files = stage(_named(frame, target.schema.columns), target, sort_by=order)
        return Staged(tuple(file for file in files if file.records))

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """The least change that turns the table's rows into the query's.

        Rows are counted by value: those that the query has more often are written, those that it has less often go.
        """
        with _running(query) as frame:
            changed = _difference(_named(frame, at.schema.columns), at).persist()
            try:
                names = ", ".join(backquote(column.name) for column in at.schema)
                gone = changed.where(f"{_NET} < 0").selectExpr(f"inline(slice({_PLACES}, 1, CAST(-{_NET} AS INT)))")
                deleted = deletion(at, gone)
                come = changed.where(f"{_NET} > 0").selectExpr(
                    f"explode(array_repeat(struct({names}), CAST({_NET} AS INT))) AS row"
                )
                files = stage(come.selectExpr("row.*"), target, sort_by=order)
            finally:
                changed.unpersist()
        written = tuple(file for file in files if file.records)
        return Staged(written, deleted.deletes, deleted.inlined_deletes)

    def compare(self, query: Query, at: TableAt, shown: int) -> Comparison:
        """How the table differs from the query, with up to so many rows to show."""
        with _running(query) as frame:
            changed = _difference(_named(frame, at.schema.columns), at).drop(_PLACES).persist()
            try:
                missing, unexpected = changed.selectExpr(
                    f"coalesce(sum(greatest({_NET}, 0)), 0)", f"coalesce(sum(greatest(-{_NET}, 0)), 0)"
                ).collect()[0]
                some = [
                    tuple(tuple(row) for row in changed.where(sign).drop(_NET).limit(shown).collect())
                    for sign in (f"{_NET} > 0", f"{_NET} < 0")
                ]
            finally:
                changed.unpersist()
        return Comparison(at.schema.names, int(missing), int(unexpected), some[0], some[1])


def _difference(frame: DataFrame, at: TableAt) -> DataFrame:
    """Each row that the two hold differently often: by how much more the query has it, and where the table's copies lie."""
    names = [backquote(column.name) for column in at.schema]
    old = read_table(frame.sparkSession, at, positions=True)
    places = f"named_struct('{FILE_ID}', {FILE_ID}, '{POSITION}', {POSITION})"
    both = old.selectExpr(*names, f"{places} AS {_PLACES}", f"-1L AS {_WEIGHT}").union(
        frame.selectExpr(*names, f"CAST(NULL AS STRUCT<{FILE_ID}: BIGINT, {POSITION}: BIGINT>)", "1L")
    )
    session = frame.sparkSession
    both.createOrReplaceTempView("hw_both")
    keys = {backquote(column.name): comparable(backquote(column.name), column) for column in at.schema}
    listed = ", ".join(name if key == name else f"first({name}) AS {name}" for name, key in keys.items())
    return session.sql(
        f"SELECT {listed}, sum({_WEIGHT}) AS {_NET}, collect_list({_PLACES}) AS {_PLACES} "
        f"FROM hw_both GROUP BY {', '.join(keys.values())} HAVING sum({_WEIGHT}) <> 0"
    )


def _named(frame: DataFrame, columns: Sequence[Column]) -> DataFrame:
    """The query's columns, by position, under the table's names and in its types."""
    plain = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    fields = plain.schema.fields
    return plain.select(
        *(
            conform(plain[f"c{place}"], fields[place].dataType, column).alias(column.name)
            for place, column in enumerate(columns)
        )
    )


@contextmanager
def _running(query: Query) -> Iterator[DataFrame]:
    """The query over scans of its sources, in a session that carries the definition's settings."""
    with engine_errors():
        session = spark_session().newSession()
        _set(session, query.session)
        for relation, at in query.sources.items():
            read_table(session, at).createOrReplaceTempView(relation)
        try:
            frame = session.sql(query.sql)
        except (AnalysisException, ParseException) as error:
            raise _refused(error) from error
        yield frame


def _set(session: SparkSession, settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        if name.startswith("spark.sql."):
            session.conf.set(name, value)


def _refused(error: AnalysisException | ParseException) -> DefinitionRefused:
    text = str(error).strip().partition("\n")[0].partition("; line")[0]
    return DefinitionRefused(
        "Spark can't run the query",
        detail=f"{text.rstrip('.')}.",
        hint="The query of a dynamic table has Spark's semantics; correct it, or give DIALECT = 'duckdb'.",
    )
