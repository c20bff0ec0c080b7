"""The SQL of a refresh for people to read, the same text for all refreshes of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from headwater.delta.derivation import StepKind
from headwater.delta.refresh_plan import RefreshAction, RefreshPlan
from headwater.delta.target_changes import TARGET, Append, Apply, Changes, Replace, Swap, nodes_of
from headwater.plan.nodes import Node, Scan, ScanVersion, walk
from headwater.plan.render import relation_name, render
from headwater.sql.bind import BoundQuery

_STEPS = {
    StepKind.PARTIAL: "what came less what left, by group",
    StepKind.HELD: "what this table holds of these groups",
    StepKind.MERGED: "both together",
    StepKind.AGAIN: "groups whose least or greatest value left, keys whose latest row did",
    StepKind.LEADING: "for each key the first of what came (__rank = 0), left (1) and is held (2), unless that stays",
    StepKind.KEYS: "keys that changed",
    StepKind.AFFECTED: "rows on the left that a change on the right meets",
    StepKind.MOVED: "rows that changed",
    StepKind.WENT: "where they lay in the order, of those that went",
    StepKind.LOST: "those of them that this table has: if there are any, all is computed anew",
    StepKind.LEFT: "rows on the left that changed",
}


def display_sql(plan: RefreshPlan, bound: BoundQuery) -> str | None:
    """What Spark runs: the steps that apply the changes, or the whole query; None where there is nothing to run.

    The moment that the clock shows is left open, so that refreshes at other moments have the same text.
    """
    names = {source.relation: str(source.name) for source in bound.sources}
    if plan.action is RefreshAction.NO_DATA:
        return None
    if plan.action is RefreshAction.INCREMENTAL and plan.changes is not None:
        return display_changes(plan.changes, names)
    return display_query(bound)


def display_query(bound: BoundQuery) -> str:
    """The query over its scans, after a line for each that says which table that is."""
    scans = [f"-- {source.relation}: {source.name}" for source in bound.sources]
    return "\n".join((*scans, bound.sql))


def display_changes(changes: Changes, tables: Mapping[str, str]) -> str:
    """Each relation under a line that says what it is, after one for each table that it is made of."""
    scans = (node for root in nodes_of(changes) for node in walk(root) if isinstance(node, Scan))
    told = {relation_name(scan): _told(scan, tables) for scan in scans}
    sources = [f"-- {name}: {what}" for name, what in sorted(told.items()) if what]
    parts = [f"-- {title}\n{render(node, pretty=True)};" for title, node in _parts(changes)]
    return "\n\n".join(["\n".join(sources), *parts])


def _told(scan: Scan, tables: Mapping[str, str]) -> str:
    if scan.relation == TARGET:
        return "this table, with the place of each row"
    table = tables.get(scan.relation, "")
    match scan.version:
        case ScanVersion.OLD:
            return f"{table} as it was"
        case ScanVersion.DELTA:
            return f"what came to {table} (__w = 1) and what left it (__w = -1)"
        case _:
            return table


def _parts(changes: Changes) -> Iterator[tuple[str, Node]]:
    for step in changes.steps:
        yield f"{step.name}: {_STEPS[step.kind]}", step.node
    match changes:
        case Replace():
            yield "rows that come", changes.new
            yield "rows of the table that go, unless they are among those that come", changes.gone
        case Swap():
            yield "rows that come", changes.new
            yield "places of the rows that go", changes.gone
        case Apply():
            found = "their names in " if changes.unique else "all their values: "
            yield (
                f"rows that come (__w = 1) and go (__w = -1), found by {found}{', '.join(changes.match)}",
                changes.delta,
            )
        case Append():
            yield "rows that come", changes.rows
