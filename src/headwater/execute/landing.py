"""Stage rows to insert and delete as new files and delete positions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from headwater.core.errors import LakeError, StateBroken
from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.core.names import backquote
from headwater.core.schema import Column, SortKey
from headwater.delta.algebra import W
from headwater.delta.incremental_plan import LAYOUT
from headwater.delta.target_changes import TARGET, Append, Apply, Replace, Swap
from headwater.execute.conform import conform
from headwater.execute.dml import deletion_at
from headwater.execute.file_columns import comparable
from headwater.execute.key_ranges import DriverRows, spans_of
from headwater.execute.literals import string, type_text
from headwater.execute.read_table import read_table
from headwater.execute.scan_files import arrow_frame
from headwater.execute.spark_types import spark_type
from headwater.execute.stage import DELETE, INSERT, MISSING, SIGN, UNCHANGED, fetched, stage, stage_changes
from headwater.lake import storage
from headwater.lake.values import TableAt, WriteTarget
from headwater.plan.join_order import Light, broadcasting
from headwater.plan.nodes import Node, Scan, walk
from headwater.plan.prune_scans import prune_scans
from headwater.plan.render import relation_name, render
from headwater.refresh.engine import Change, Staged
from headwater.sql.clock_calls import set_clock

NET = "__hw_net"
PLACES = "__hw_places"

# Types whose values don't change on the way to Arrow and back.
_PLAIN = (
    t.BooleanType | t.ByteType | t.ShortType | t.IntegerType | t.LongType | t.FloatType | t.DoubleType | t.DecimalType
) | (t.StringType | t.BinaryType | t.DateType | t.TimestampType | t.TimestampNTZType)

_PLACE = f"STRUCT<{FILE_ID}: BIGINT, {POSITION}: BIGINT>"
_BOTH = "hw_both"
_NET_ROWS = "hw_net"


def columns_of(target: WriteTarget) -> tuple[Column, ...]:
    """The columns of a table's files that a query computes: the table's columns, then its state columns."""
    return (*target.schema, *target.extra)


def named(frame: DataFrame, columns: Sequence[Column]) -> DataFrame:
    """The query's columns, by position, with the table's names and types."""
    plain = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    fields = plain.schema.fields
    return plain.selectExpr(
        *(
            f"{conform(f'c{place}', fields[place].dataType, column)} AS {backquote(column.name)}"
            for place, column in enumerate(columns)
        )
    )


def difference(new: DataFrame, old: DataFrame, columns: Sequence[Column], *, same: bool = False) -> DataFrame:
    """The rows whose number differs between `new` and `old`: the net count, and the places of the old copies.

    `old` has the columns, then FILE_ID and POSITION. With `same`, rows with a net count of 0 are included.
    """
    names = [backquote(column.name) for column in columns]
    place = f"named_struct('{FILE_ID}', {FILE_ID}, '{POSITION}', {POSITION})"
    both = old.selectExpr(*names, f"{place} AS {PLACES}", f"-1L AS {W}").union(
        new.selectExpr(*names, f"CAST(NULL AS {_PLACE})", "1L")
    )
    return _grouped(both, columns, same=same)


def table_rows(session: SparkSession, at: TableAt, target: WriteTarget) -> DataFrame:
    """The rows of a table: its columns, its state columns, and the place of each row."""
    return read_table(session, at, extra=target.extra, positions=True)


def staged(
    changed: DataFrame, at: TableAt, target: WriteTarget, order: Sequence[SortKey], *, few: bool = False
) -> Staged:
    """Stage the rows of `difference` in one job: write new rows, locate deleted rows, and count unchanged ones."""
    copies = f"transform(sequence(1, CAST(-{NET} AS INT)), i -> get({PLACES}, i - 1))"
    gone = f"transform({copies}, place -> {_row(target, DELETE, f'place.{FILE_ID}', f'place.{POSITION}')})"
    come = f"array_repeat({_row(target, INSERT)}, CAST({NET} AS INT))"
    there = f"array({_row(target, UNCHANGED)})"
    which = f"CASE WHEN {NET} > 0 THEN {come} WHEN {NET} < 0 THEN {gone} ELSE {there} END"
    rows = changed.selectExpr(f"explode({which}) AS row").selectExpr("row.*")
    return _staged(rows, at, target, order, few=few)


def _staged(rows: DataFrame, at: TableAt, target: WriteTarget, order: Sequence[SortKey], *, few: bool) -> Staged:
    found = stage_changes(rows, target, sort_by=order, few=few)
    written = tuple(file for file in found.files if file.records)
    try:
        if found.missed and found.missed != found.places.num_rows:
            raise StateBroken(
                f"rows to delete from table {at.table.name} are not in it", hint="Refresh the table in full."
            )
        deleted = deletion_at(at, found.places)
    except StateBroken:
        for file in written:
            with suppress(LakeError):
                storage.delete(file.path)
        raise
    return Staged(written, deleted.deletes, deleted.inlined_deletes, unchanged=found.there)


def _row(
    target: WriteTarget, sign: int, file: str = "CAST(NULL AS BIGINT)", position: str = "CAST(NULL AS BIGINT)"
) -> str:
    """A row for `stage_changes`: an inserted row has values, other rows only have the place of a row."""
    values = []
    for column in columns_of(target):
        name = backquote(column.name)
        value = name if sign == INSERT else f"CAST(NULL AS {type_text(spark_type(column))})"
        values.append(f"{string(column.name)}, {value}")
    told = f"'{FILE_ID}', {file}, '{POSITION}', {position}, '{SIGN}', {sign}"
    return f"named_struct({', '.join(values)}, {told})"


def land(
    session: SparkSession,
    change: Change,
    at: TableAt,
    target: WriteTarget,
    order: Sequence[SortKey],
    *,
    in_memory: DriverRows | None,
) -> Staged:
    """Stage the changes of a table. If all source changes are `in_memory`, small intermediate results are stored there too."""
    columns, changes, names = columns_of(target), change.changes, change.names
    small = in_memory is not None

    def light(scan: Scan) -> bool:
        return in_memory is not None and in_memory.rows(relation_name(scan)) is not None

    def run(node: Node) -> DataFrame:
        if in_memory is not None:
            node = broadcasting(prune_scans(node, in_memory.known), light)
        return session.sql(set_clock(render(node), change.clock_at, change.clock_before))

    if in_memory is not None:
        in_memory.describe(TARGET, {name: column.type for name, column in zip(names, columns, strict=True)})
        if LAYOUT in names:
            in_memory.mark(TARGET, LAYOUT, change.mark)
    table = table_rows(session, at, target).toDF(*names, FILE_ID, POSITION)
    table.where(_of_layout(at, names, change.mark)).createOrReplaceTempView(TARGET)
    with ExitStack() as held_rows:
        hold = _Hold(held_rows, in_memory)
        for step in changes.steps:
            _compile(session, not small or not _only(light, step.node))
            hold(run(step.node), step.name).createOrReplaceTempView(step.name)
        _compile(session, not small or not isinstance(changes, Swap) or not _only(light, changes.new, changes.gone))
        match changes:
            case Append(rows=rows):
                files = stage(named(run(rows), columns), target, sort_by=order, few=small)
                return Staged(tuple(file for file in files if file.records))
            case Swap(new=new, gone=gone):
                return _staged(_swapped(named(run(new), columns), run(gone), target), at, target, order, few=small)
            case Replace(new=new, gone=gone, again=again):
                come = named(run(new), columns)
                went = run(gone).toDF(*(c.name for c in columns), FILE_ID, POSITION)
                found = staged(difference(come, went, columns, same=True), at, target, order, few=small)
                return replace(found, recomputed=again is not None and not session.table(again).isEmpty())
            case Apply(unique=True):
                return _staged(
                    _by_name(run(changes.delta), change, changes, target, hold), at, target, order, few=small
                )
            case Apply():
                return staged(_by_value(run(changes.delta), columns, few=small), at, target, order, few=small)


def _only(light: Light, *nodes: Node) -> bool:
    """Whether all scans of the plans are light."""
    return all(light(below) for node in nodes for below in walk(node) if isinstance(below, Scan))


def _compile(session: SparkSession, worth: bool) -> None:
    """Turn code generation on or off for the next queries: it does not pay for few rows."""
    if worth:
        session.conf.unset("spark.sql.codegen.wholeStage")
    else:
        session.conf.set("spark.sql.codegen.wholeStage", "false")


def _swapped(come: DataFrame, gone: DataFrame, target: WriteTarget) -> DataFrame:
    """Rows for `stage_changes` from inserted rows and the places of deleted rows."""
    columns = columns_of(target)
    coming = come.selectExpr(
        *(backquote(column.name) for column in columns),
        f"NULL AS {FILE_ID}",
        f"NULL AS {POSITION}",
        f"{INSERT} AS {SIGN}",
    )
    return coming.union(gone.selectExpr(*("NULL" for _ in columns), FILE_ID, POSITION, f"{DELETE}"))


def _by_value(delta: DataFrame, columns: Sequence[Column], *, few: bool) -> DataFrame:
    """The net count of each row, with the places of the table's rows that are equal to deleted ones."""
    rows = named(delta, (*columns, Column(W, "int64"))).selectExpr("*", f"CAST(NULL AS {_PLACE}) AS {PLACES}")
    table = delta.sparkSession.table(TARGET).toDF(*(column.name for column in columns), FILE_ID, POSITION)
    gone = rows.where(f"{W} < 0").selectExpr(*(f"{_key(c)} AS k{i}" for i, c in enumerate(columns)))
    gone = f.broadcast(gone) if few else gone
    held = table.selectExpr("*", *(f"{_key(c)} AS h{i}" for i, c in enumerate(columns)))
    met = held.join(gone, f.expr(" AND ".join(f"h{i} <=> k{i}" for i in range(len(columns)))), "left_semi")
    place = f"named_struct('{FILE_ID}', {FILE_ID}, '{POSITION}', {POSITION})"
    listed = [backquote(column.name) for column in columns]
    return _grouped(rows.union(met.selectExpr(*listed, f"0L AS {W}", f"{place} AS {PLACES}")), columns, same=True)


def _by_name(delta: DataFrame, change: Change, changes: Apply, target: WriteTarget, hold: _Hold) -> DataFrame:
    """Rows for `stage_changes` from a delta whose columns `changes.match` identify a row, and so locate deleted rows."""
    columns, names = columns_of(target), change.names
    mark = change.mark if LAYOUT in names else None
    rows = named(delta, (*columns, Column(W, "int64"))).selectExpr("*", f"CAST(NULL AS {_PLACE}) AS {PLACES}")
    net = hold(_grouped(rows, columns, same=True).drop(PLACES), _NET_ROWS)
    match = [columns[names.index(name)] for name in changes.match]
    keys = [f"{_key(column)} AS k{place}" for place, column in enumerate(match)]
    gone = net.where(f"{NET} < 0").selectExpr(*keys)
    table = net.sparkSession.table(TARGET)
    if (near := hold.found(_NET_ROWS)) is not None:
        table = table.where(_whereabouts(near.filter(pc.less(near[NET], 0)), match, changes.match, mark))
        gone = f.broadcast(gone)
    table = table.toDF(*(column.name for column in columns), FILE_ID, POSITION)
    held = table.selectExpr(*(key.replace(" AS k", " AS h") for key in keys), FILE_ID, POSITION)
    found = held.join(gone, f.expr(" AND ".join(f"h{place} <=> k{place}" for place in range(len(match)))))
    parts = (
        net.where(f"{NET} > 0").selectExpr(f"explode(array_repeat({_row(target, INSERT)}, CAST({NET} AS INT))) AS row"),
        net.where(f"{NET} < 0").selectExpr(
            f"explode(array_repeat({_row(target, MISSING)}, CAST(-{NET} AS INT))) AS row"
        ),
        net.where(f"{NET} = 0").selectExpr(f"{_row(target, UNCHANGED)} AS row"),
        found.selectExpr(f"{_row(target, DELETE, FILE_ID, POSITION)} AS row"),
    )
    return reduce(DataFrame.union, parts).selectExpr("row.*")


def _whereabouts(rows: pa.Table, match: Sequence[Column], names: Sequence[str], mark: int | None) -> str:
    """A condition that prunes the table to the ranges of the rows' `match` columns; rows of another layout also satisfy it."""
    found = {name: spans_of(rows[column.name]) for name, column in zip(names, match, strict=True)}
    tests = [spans.test(name, nulls=True).sql("spark") for name, spans in found.items() if spans]
    within = " AND ".join(f"({test})" for test in tests) or "true"
    return within if mark is None else f"{within} OR NOT {LAYOUT} <=> {mark}"


def _of_layout(at: TableAt, names: Sequence[str], mark: int) -> str:
    """A condition that fails the refresh for rows without state columns, which would otherwise be NULL silently."""
    if LAYOUT not in names:
        return "true"
    broken = StateBroken(f"{at.table.name} has rows without state columns")
    return f"CASE WHEN {LAYOUT} <=> {mark} THEN true ELSE raise_error({string(str(broken))}) END"


def _key(column: Column) -> str:
    return comparable(backquote(column.name), column)


def _grouped(rows: DataFrame, columns: Sequence[Column], *, same: bool) -> DataFrame:
    """Equal rows as one row with the sum of their weights; rows with the sum 0 only with `same`."""
    rows.createOrReplaceTempView(_BOTH)
    keys = {backquote(column.name): comparable(backquote(column.name), column) for column in columns}
    listed = ", ".join(name if key == name else f"first({name}) AS {name}" for name, key in keys.items())
    return rows.sparkSession.sql(
        f"SELECT {listed}, sum({W}) AS {NET}, collect_list({PLACES}) AS {PLACES} "
        f"FROM {_BOTH} GROUP BY {', '.join(keys.values())}" + ("" if same else f" HAVING sum({W}) <> 0")
    )


class _Hold:
    """Stores rows that are used more than once, so that they are computed once.

    Few rows are fetched into the driver, and returned as a local relation, whose size Spark knows; others are persisted.
    """

    def __init__(self, until: ExitStack, in_memory: DriverRows | None) -> None:
        self._until = until
        self._in_memory = in_memory

    def found(self, name: str) -> pa.Table | None:
        """The fetched rows of this name, if any."""
        return self._in_memory.rows(name) if self._in_memory else None

    def __call__(self, rows: DataFrame, name: str) -> DataFrame:
        if self._in_memory is not None and all(isinstance(field.dataType, _PLAIN) for field in rows.schema.fields):
            found = fetched(rows)
            if found is not None:
                self._in_memory.hold(name, found)
                return arrow_frame(rows.sparkSession, found, rows.schema)
        kept = rows.persist()
        self._until.callback(kept.unpersist)
        return kept
