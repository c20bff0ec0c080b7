"""The SQL of a refresh for people to read, the same text for all refreshes of its kind."""

from __future__ import annotations

from headwater.delta.display_sql import display_changes
from headwater.delta.refresh_plan import RefreshAction, RefreshPlan
from headwater.sql.bind import BoundQuery


def told(plan: RefreshPlan, bound: BoundQuery) -> str | None:
    """What Spark runs: the steps that follow the changes, or the whole query; nothing where there is nothing to run.

    The moment that the clock shows is left open, so that refreshes at other moments have the same text.
    """
    names = {source.relation: str(source.name) for source in bound.sources}
    if plan.action is RefreshAction.NO_DATA:
        return None
    if plan.action is RefreshAction.INCREMENTAL and plan.changes is not None:
        return display_changes(plan.changes, names)
    return whole(bound)


def whole(bound: BoundQuery) -> str:
    """The query over its scans, after a line for each that says which table that is."""
    scans = [f"-- {source.relation}: {source.name}" for source in bound.sources]
    return "\n".join((*scans, bound.sql))
