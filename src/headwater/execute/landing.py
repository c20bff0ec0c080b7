"""From rows that come and go to what a commit takes: new files, and the places of rows that must go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from headwater.core.errors import StateBroken
from headwater.core.names import backquote
from headwater.core.schema import Column, SortKey
from headwater.delta.algebra import W
from headwater.delta.changes import FILE, POSITION, TARGET, Append, Apply, Replace
from headwater.delta.law import Step
from headwater.delta.maintain import LAYOUT
from headwater.execute.conform import conform
from headwater.execute.dml import deletion
from headwater.execute.files import FILE_ID
from headwater.execute.files import POSITION as FILE_POSITION
from headwater.execute.scan import read_table
from headwater.execute.shape import comparable
from headwater.execute.stage import stage
from headwater.execute.text import string
from headwater.lake.values import TableAt, WriteTarget
from headwater.plan.nodes import Node
from headwater.plan.render import render
from headwater.refresh.engine import Change, Staged
from headwater.sql.clock import set_clock

NET = "__hw_net"
PLACES = "__hw_places"

_PLACE = f"STRUCT<{FILE_ID}: BIGINT, {FILE_POSITION}: BIGINT>"
_BOTH = "hw_both"


def columns_of(target: WriteTarget) -> tuple[Column, ...]:
    """The columns of a table's files that a query fills: those that it shows, then its state."""
    return (*target.schema, *target.extra)


def named(frame: DataFrame, columns: Sequence[Column]) -> DataFrame:
    """The query's columns, by position, under the table's names and in its types."""
    plain = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    fields = plain.schema.fields
    return plain.select(
        *(
            conform(plain[f"c{place}"], fields[place].dataType, column).alias(column.name)
            for place, column in enumerate(columns)
        )
    )


def difference(new: DataFrame, old: DataFrame, columns: Sequence[Column]) -> DataFrame:
    """Each row that the two hold differently often: by how much more the new has it, and where the old copies lie.

    `old` has the columns, then FILE_ID and POSITION.
    """
    names = [backquote(column.name) for column in columns]
    place = f"named_struct('{FILE_ID}', {FILE_ID}, '{FILE_POSITION}', {FILE_POSITION})"
    both = old.selectExpr(*names, f"{place} AS {PLACES}", f"-1L AS {W}").union(
        new.selectExpr(*names, f"CAST(NULL AS {_PLACE})", "1L")
    )
    return _grouped(both, columns)


def table_rows(session: SparkSession, at: TableAt, target: WriteTarget) -> DataFrame:
    """What a table holds: its columns, its state, and the place of each row."""
    return read_table(session, at, extra=target.extra, positions=True)


def staged(changed: DataFrame, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
    """What `difference` found, written and located."""
    columns = columns_of(target)
    names = ", ".join(backquote(column.name) for column in columns)
    changed = changed.persist()
    try:
        copies = f"transform(sequence(1, CAST(-{NET} AS INT)), i -> get({PLACES}, i - 1))"
        deleted = deletion(at, changed.where(f"{NET} < 0").selectExpr(f"inline({copies})"))
        come = changed.where(f"{NET} > 0").selectExpr(
            f"explode(array_repeat(struct({names}), CAST({NET} AS INT))) AS row"
        )
        files = stage(come.selectExpr("row.*"), target, sort_by=order)
    finally:
        changed.unpersist()
    return Staged(tuple(file for file in files if file.records), deleted.deletes, deleted.inlined_deletes)


def land(session: SparkSession, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
    """Carry out the changes of a table."""
    columns, changes, names = columns_of(target), change.changes, change.names

    def run(node: Node) -> DataFrame:
        return session.sql(set_clock(render(node), change.clock_at, change.clock_before))

    held = table_rows(session, at, target).toDF(*names, FILE, POSITION)
    held.where(_of_layout(at, names, change.mark)).createOrReplaceTempView(TARGET)
    with _steps(changes.steps, run):
        match changes:
            case Append(rows=rows):
                files = stage(named(run(rows), columns), target, sort_by=order)
                return Staged(tuple(file for file in files if file.records))
            case Replace(new=new, gone=gone):
                come = named(run(new), columns)
                went = run(gone).toDF(*(c.name for c in columns), FILE_ID, FILE_POSITION)
                return staged(difference(come, went, columns), at, target, order)
            case Apply():
                return staged(_located(run(changes.delta), changes, names, columns), at, target, order)


def _located(delta: DataFrame, changes: Apply, names: Sequence[str], columns: Sequence[Column]) -> DataFrame:
    """The net of signed rows, and where the table has those that go."""
    rows = named(delta, (*columns, Column(W, "int64"))).selectExpr("*", f"CAST(NULL AS {_PLACE}) AS {PLACES}")
    table = delta.sparkSession.table(TARGET).toDF(*(column.name for column in columns), FILE_ID, FILE_POSITION)
    place = f"named_struct('{FILE_ID}', {FILE_ID}, '{FILE_POSITION}', {FILE_POSITION})"
    match = [columns[names.index(name)] for name in changes.match]
    if not changes.unique:
        gone = rows.where(f"{W} < 0").selectExpr(*(f"{_key(c)} AS k{i}" for i, c in enumerate(match)))
        held = table.selectExpr("*", *(f"{_key(c)} AS h{i}" for i, c in enumerate(match)))
        tests = " AND ".join(f"h{i} <=> k{i}" for i in range(len(match)))
        met = held.join(gone, f.expr(tests), "left_semi")
        listed = [backquote(column.name) for column in columns]
        return _grouped(rows.union(met.selectExpr(*listed, f"0L AS {W}", f"{place} AS {PLACES}")), columns)
    net = _grouped(rows, columns).drop(PLACES)
    known = table.selectExpr(*(f"{_key(c)} AS h{i}" for i, c in enumerate(match)), f"array({place}) AS {PLACES}")
    tests = " AND ".join([f"{NET} < 0", *(f"h{i} <=> {_key(c)}" for i, c in enumerate(match))])
    return net.join(known, f.expr(tests), "left")


def _of_layout(at: TableAt, names: Sequence[str], mark: int) -> str:
    """A condition that is true, or the end of the refresh: state that a file lacks would read as NULL without a word."""
    if LAYOUT not in names:
        return "true"
    broken = StateBroken(f"{at.table.name} has rows without the state that its changes are followed by")
    return f"CASE WHEN {LAYOUT} <=> {mark} THEN true ELSE raise_error({string(str(broken))}) END"


def _key(column: Column) -> str:
    return comparable(backquote(column.name), column)


def _grouped(rows: DataFrame, columns: Sequence[Column]) -> DataFrame:
    """Rows that are equal as one, with the sum of their weights; those that sum to nothing are left out."""
    rows.createOrReplaceTempView(_BOTH)
    keys = {backquote(column.name): comparable(backquote(column.name), column) for column in columns}
    listed = ", ".join(name if key == name else f"first({name}) AS {name}" for name, key in keys.items())
    return rows.sparkSession.sql(
        f"SELECT {listed}, sum({W}) AS {NET}, collect_list({PLACES}) AS {PLACES} "
        f"FROM {_BOTH} GROUP BY {', '.join(keys.values())} HAVING sum({W}) <> 0"
    )


@contextmanager
def _steps(steps: Sequence[Step], run: Callable[[Node], DataFrame]) -> Iterator[None]:
    """Relations that are used more than once, each computed once."""
    held: list[DataFrame] = []
    try:
        for step in steps:
            frame = run(step.node).persist()
            held.append(frame)
            frame.createOrReplaceTempView(step.name)
        yield
    finally:
        for frame in held:
            frame.unpersist()
