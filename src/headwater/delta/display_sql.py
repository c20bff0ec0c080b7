"""The SQL of a refresh for display, with the same text for all refreshes of one kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from headwater.core.refresh_record import RefreshAction
from headwater.delta.derivation import StepKind
from headwater.delta.refresh_plan import RefreshPlan
from headwater.delta.target_changes import TARGET, Append, Apply, Changes, Replace, Swap, nodes_of
from headwater.plan.nodes import Node, Scan, ScanVersion, walk
from headwater.plan.render import relation_name, render
from headwater.sql.bind import BoundQuery

_STEPS = {
    StepKind.PARTIAL: "net change of each group",
    StepKind.HELD: "stored rows of these groups",
    StepKind.MERGED: "stored rows together with their changes",
    StepKind.AGAIN: "groups to recompute: their minimum, maximum or latest row was deleted",
    StepKind.LEADING: "the first row of each key among inserted (__rank = 0), deleted (1) and stored (2) rows, if it changes",
    StepKind.KEYS: "changed keys",
    StepKind.AFFECTED: "left rows that join a changed right row",
    StepKind.MOVED: "changed rows",
    StepKind.WENT: "sort keys of the deleted rows",
    StepKind.LOST: "those of them that this table has: if any, the whole result is recomputed",
    StepKind.LEFT: "changed left rows",
}


def display_sql(plan: RefreshPlan, bound: BoundQuery) -> str | None:
    """The SQL that Spark runs: the steps that apply the changes, or the whole query; None if there is nothing to run.

    It omits the clock value, so that refreshes at different times have the same text.
    """
    names = {source.relation: str(source.name) for source in bound.sources}
    if plan.action is RefreshAction.NO_DATA:
        return None
    if plan.action is RefreshAction.INCREMENTAL and plan.changes is not None:
        return display_changes(plan.changes, names)
    return display_query(bound)


def display_query(bound: BoundQuery) -> str:
    """The query, after a comment line with the table of each scan."""
    scans = [f"-- {source.relation}: {source.name}" for source in bound.sources]
    return "\n".join((*scans, bound.sql))


def display_changes(changes: Changes, tables: Mapping[str, str]) -> str:
    """The SQL of each relation after a comment line, and before them a comment line for each source."""
    scans = (node for root in nodes_of(changes) for node in walk(root) if isinstance(node, Scan))
    told = {relation_name(scan): _told(scan, tables) for scan in scans}
    sources = [f"-- {name}: {what}" for name, what in sorted(told.items()) if what]
    parts = [f"-- {title}\n{render(node, pretty=True)};" for title, node in _parts(changes)]
    return "\n\n".join(["\n".join(sources), *parts])


def _told(scan: Scan, tables: Mapping[str, str]) -> str:
    if scan.relation == TARGET:
        return "this table, with the file and position of each row"
    table = tables.get(scan.relation, "")
    match scan.version:
        case ScanVersion.OLD:
            return f"{table} before the changes"
        case ScanVersion.DELTA:
            return f"rows inserted into {table} (__w = 1) and deleted from it (__w = -1)"
        case _:
            return table


def _parts(changes: Changes) -> Iterator[tuple[str, Node]]:
    for step in changes.steps:
        yield f"{step.name}: {_STEPS[step.kind]}", step.node
    match changes:
        case Replace():
            yield "rows to insert", changes.new
            yield "rows to delete, except those that are also inserted", changes.gone
        case Swap():
            yield "rows to insert", changes.new
            yield "positions of the rows to delete", changes.gone
        case Apply():
            found = "" if changes.unique else "all columns: "
            yield (
                f"rows to insert (__w = 1) and delete (__w = -1), matched by {found}{', '.join(changes.match)}",
                changes.delta,
            )
        case Append():
            yield "rows to insert", changes.rows
