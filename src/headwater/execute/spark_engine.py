"""Run the queries of dynamic tables on Spark: the Engine of refreshes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

import pyarrow as pa
from pyspark.errors import AnalysisException, ParseException, QueryContextType
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import Row as SparkRow

from headwater.core.errors import DefinitionRefused, EngineOutOfMemory, ResultTooLarge
from headwater.core.excerpt import Excerpt
from headwater.core.internal_columns import ROW_ID
from headwater.core.schema import Column, SortKey
from headwater.delta.algebra import W
from headwater.execute.equivalence import SETTINGS, same_meaning, same_words
from headwater.execute.job_progress import cancel, computed_first, followed
from headwater.execute.key_ranges import DriverRows
from headwater.execute.landing import NET, PLACES, columns_of, difference, land, named, staged, table_rows
from headwater.execute.parameter_literals import parameter_literals
from headwater.execute.plan_patterns import has_correlated_value
from headwater.execute.read_changes import changes_in_memory, read_changes
from headwater.execute.read_table import chosen, read_table
from headwater.execute.relations import readable_columns
from headwater.execute.session import spark_session
from headwater.execute.spark_message import message_of
from headwater.execute.spark_types import lake_columns, spark_schema
from headwater.execute.stage import stage
from headwater.execute.translate_errors import engine_errors
from headwater.lake.read_arrow import read_changes_arrow
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.engine import Change, Comparison, PlanProof, Query, Staged, Work
from headwater.refresh.float_tolerance import Row, unmatched_rows
from headwater.sql.clock_calls import set_clock
from headwater.sql.tokens import TokenKind, tokenize

# Queries over sources with at most this many rows run without adaptive execution.
_FEW_ROWS = 50_000
# Changes that may join more rows than this are not read into the driver's memory, even if they are few.
_MOST_REACH = 2_000_000
# The parameter with the name of the missing column, by the class of Spark's condition.
_NAME_IN = {
    "UNRESOLVED_COLUMN": "objectName",
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": "colName",
    "FIELD_NOT_FOUND": "fieldName",
}
# The maximum number of different rows with floats that are compared one by one.
_MOST_COMPARED = 10_000


class SparkEngine:
    """Runs each query in its own Spark session, so that concurrent refreshes do not see each other's views."""

    def columns(self, query: Query) -> tuple[Column, ...]:
        """The columns of the query's result."""
        with _running(query) as frame:
            return lake_columns(frame.schema)

    def select(self, query: Query) -> pa.Table:
        """The rows of the query."""
        with _running(query) as frame:
            return frame.toArrow()

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """Write all rows of the query into new files."""
        with _running(query) as frame:
            files = stage(named(frame, columns_of(target)), target, sort_by=order)
        return Staged(tuple(file for file in files if file.records))

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """Stage the smallest change from the table's rows to the query's.

        Rows are counted by value: rows that the query has more often are inserted, rows that it has less often deleted.
        """
        columns = columns_of(target)
        with _running(query) as frame:
            held = table_rows(frame.sparkSession, at, target)
            found = staged(difference(named(frame, columns), held, columns), at, target, order)
        return replace(found, unchanged=at.rows - found.rows_deleted)

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """Stage the effect of the changes on the table; few changes are read into the driver's memory, if they fit."""
        if change.reach <= _MOST_REACH:
            try:
                return _changed(change, at, target, order, DriverRows())
            except (EngineOutOfMemory, ResultTooLarge):
                pass
        return _changed(change, at, target, order, None)

    def prove(self, query: Query, plans: Sequence[str]) -> PlanProof:
        """Whether the query and the first plan are proven equivalent, and the columns of each plan."""
        with engine_errors():
            session = _blank(query)
            asked = session.sql(set_clock(query.sql, query.clock_at))
            try:
                plan = session.sql(set_clock(plans[0], query.clock_at))
                same = same_words(query.sql, plans[0]) and same_meaning(asked, plan)
                return PlanProof(same, _shapes(session, query, plans))
            except (AnalysisException, ParseException):
                return PlanProof(False, ())

    def shape(self, query: Query, plan: str) -> tuple[Column, ...]:
        """The columns of a plan over the query's sources."""
        with engine_errors():
            return _shapes(_blank(query), query, [plan])[0]

    def compare(self, query: Query, at: TableAt, shown: int) -> Comparison:
        """Compare the table with the query, with up to `shown` rows of each difference; floats may differ slightly."""
        columns = at.schema.columns
        floats = {place for place, column in enumerate(columns) if column.type in ("float32", "float64")}
        with _running(query) as frame:
            held = read_table(frame.sparkSession, at, positions=True)
            changed = difference(named(frame, columns), held, columns).drop(PLACES)
            missing, unexpected = changed.selectExpr(
                f"coalesce(sum(greatest({NET}, 0)), 0)", f"coalesce(sum(greatest(-{NET}, 0)), 0)"
            ).collect()[0]
            # This computes the difference again, but only if there is one, which is rare.
            nearly = bool(floats) and 0 < missing + unexpected <= _MOST_COMPARED
            most = _MOST_COMPARED if nearly else shown
            more, less = (
                changed.where(sign).limit(most).collect() if count else []
                for sign, count in ((f"{NET} > 0", missing), (f"{NET} < 0", unexpected))
            )
        if nearly:
            lacks, has = unmatched_rows(_copies(more), _copies(less), floats)
            return Comparison(at.schema.names, len(lacks), len(has), tuple(lacks[:shown]), tuple(has[:shown]))
        some = (tuple(tuple(values) for *values, _ in rows) for rows in (more, less))
        return Comparison(at.schema.names, int(missing), int(unexpected), *some)

    def track_jobs(
        self, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
    ) -> AbstractContextManager[Callable[[], Work]]:
        """While the context is open, report the progress of this thread's jobs to `tell`."""
        return followed(spark_session().sparkContext, tag, tell, pool)

    def is_first(self, plan_id: str) -> bool:
        """Whether Spark computes the plan for the first time since it started, for any process that uses it."""
        with engine_errors():
            return computed_first(spark_session().sparkContext, plan_id)

    def cancel(self, tag: str) -> None:
        """Cancel the jobs with the tag."""
        cancel(tag)


def _changed(
    change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey], in_memory: DriverRows | None
) -> Staged:
    with engine_errors():
        session = _session(change.session)
        for relation, source in change.sources.items():
            if isinstance(source, TableAt):
                rows = read_table(session, source, rowid=ROW_ID)
                if in_memory is not None:
                    in_memory.describe(relation, {column.name: column.type for column in source.schema})
            else:
                nearby = None if in_memory is None else read_changes_arrow(source, rowid=ROW_ID, weight=W)
                if in_memory is not None and nearby is not None:
                    rows = changes_in_memory(session, source, nearby)
                    in_memory.hold(relation, nearby)
                else:
                    rows, in_memory = read_changes(session, source, rowid=ROW_ID, weight=W), None
            rows.createOrReplaceTempView(relation)
        if in_memory is not None:
            _plan_once(session)
        found = land(session, change, at, target, order, in_memory=in_memory)
        return replace(found, affected_keys=_affected_keys(change, in_memory))


def _affected_keys(change: Change, in_memory: DriverRows | None) -> int | None:
    """The number of keys that the changes affect, if these are in memory; counting others would take a job."""
    steps = [step.name for step in change.changes.steps if step.by_key]
    fetched = [rows.num_rows for name in steps if in_memory is not None and (rows := in_memory.rows(name)) is not None]
    return sum(fetched) if steps and len(fetched) == len(steps) else None


def _copies(differing: Iterable[SparkRow]) -> list[Row]:
    """The rows of a difference, each repeated by its net count."""
    return [tuple(values) for *values, net in differing for _ in range(abs(net))]


@contextmanager
def _running(query: Query) -> Iterator[DataFrame]:
    """The query over scans of its sources, in a session with the definition's settings."""
    with engine_errors():
        session = _session(query.session)
        if sum(at.rows for at in query.sources.values()) <= _FEW_ROWS:
            _plan_once(session)
        columns = readable_columns(query)
        for relation, at in query.sources.items():
            # Without a readable column, the scan has the rows' positions, so that the query can count rows.
            offered = columns[relation]
            row_id = ROW_ID if query.row_ids else None
            scan = read_table(session, at, columns=offered, rowid=row_id, positions=not offered)
            scan.createOrReplaceTempView(relation)
        sql = set_clock(query.sql, query.clock_at)
        try:
            frame = session.sql(sql, args=parameter_literals(session, query.parameters))
        except (AnalysisException, ParseException) as error:
            raise _refused(error, sql) from error
        if _has_correlated_value(frame):
            # `difference` puts the query below a union. There, Spark 4.3 fails to rename the constraints of the subquery's
            # column ("key not found" in UnionBase.rewriteConstraints).
            session.conf.set("spark.sql.constraintPropagation.enabled", "false")
        yield frame


def _has_correlated_value(frame: DataFrame) -> bool:
    """Whether the query has a correlated scalar subquery."""
    plan = frame._jdf.queryExecution().analyzed()
    patterns = getattr(frame.sparkSession._jvm, "org.apache.spark.sql.catalyst.trees.TreePattern")
    # The check of the pattern bits is cheap, and most plans have no scalar subquery.
    return plan.containsPattern(patterns.SCALAR_SUBQUERY()) and has_correlated_value(json.loads(plan.toJSON()))


def _blank(query: Query) -> SparkSession:
    """A session with the query's sources as relations without rows.

    They are RDDs, whose size is unknown to the optimizer: it would replace known empty relations by an empty result.
    """
    session = _session(query.session)
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    offered = readable_columns(query)
    nothing = session.sparkContext.emptyRDD()
    for relation, at in query.sources.items():
        schema = spark_schema(chosen(at.schema, offered[relation]))
        session.createDataFrame(nothing, schema).createOrReplaceTempView(relation)
    return session


def _shapes(session: SparkSession, query: Query, plans: Sequence[str]) -> tuple[tuple[Column, ...], ...]:
    """The columns of plans that may use row ids."""
    for relation in query.sources:
        session.table(relation).selectExpr("*", f"0L AS {ROW_ID}").createOrReplaceTempView(relation)
    texts = (set_clock(plan, query.clock_at) for plan in plans)
    return tuple(lake_columns(session.sql(text).schema) for text in texts)


def _session(settings: Mapping[str, str]) -> SparkSession:
    """A new session with the settings; concurrent refreshes do not see each other's views."""
    session = spark_session().newSession()
    for name, value in settings.items():
        if name.startswith("spark.sql."):
            session.conf.set(name, value)
    return session


def _plan_once(session: SparkSession) -> None:
    """Turn off adaptive execution, which plans again after every stage, for queries over few rows."""
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.conf.set("spark.sql.shuffle.partitions", session.sparkContext.defaultParallelism)
    session.conf.set("spark.sql.leafNodeDefaultParallelism", "1")


def _refused(error: AnalysisException | ParseException, sql: str) -> DefinitionRefused:
    text = _message(error).strip().partition("\n")[0].partition("; line")[0]
    refused = DefinitionRefused("Spark can't run the query", detail=f"{text.rstrip('.')}.", hint=_remedy(error))
    refused.unknown_column = _unknown_column(error)
    for context in error.getQueryContext():
        if context.contextType() == QueryContextType.SQL and refused.excerpt is None:
            refused.excerpt = Excerpt.of(sql, context.startIndex(), context.fragment())
    return refused


def _message(error: AnalysisException | ParseException) -> str:
    java, condition = getattr(error, "_origin", None), error.getCondition()
    return message_of(java, condition) if java is not None and condition is not None else str(error)


def _remedy(error: AnalysisException | ParseException) -> str | None:
    if (error.getCondition() or "").startswith("UNRESOLVED_ROUTINE"):
        return "Use a function of Spark; queries of every dialect run on Spark."
    return None


def _unknown_column(error: AnalysisException | ParseException) -> tuple[str, ...]:
    """The parts of the name that no source has."""
    condition = error.getCondition() or ""
    parameter = _NAME_IN.get(condition.partition(".")[0])
    name = (error.getMessageParameters() or {}).get(parameter) if parameter else None
    if not name:
        return ()
    kinds = (TokenKind.WORD, TokenKind.QUOTED)
    return tuple(token.text for token in tokenize(name, "spark").tokens if token.kind in kinds)
