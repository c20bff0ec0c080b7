"""Alert conditions of tables; exactly one worker of a lake publishes when each begins and ends."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from headwater.core import events as e
from headwater.core.table_status import TableStatus
from headwater.lake.site import Site
from headwater.observe.lake_state import LakeState
from headwater.registry import alerts
from headwater.registry.alerts import LAG, OVERDUE, SUSPENDED, Alert


def conditions(look: LakeState, overdue_after: float) -> frozenset[Alert]:
    """The current conditions: breached target lags, suspensions, and refreshes that run longer than `overdue` seconds.

    A suspended table's lag is not checked: its last published state stays.
    """
    found = set()
    for table in look.tables:
        breach = Alert(table.id, LAG)
        if table.suspension is not None:
            found.add(Alert(table.id, SUSPENDED, table.suspension.at.isoformat()))
            found |= {breach} & look.alerts
        elif table.late:
            found.add(breach)
    if overdue_after > 0:
        for each in look.running:
            if (look.at - each.started_at).total_seconds() > overdue_after:
                found.add(Alert(each.table_id, OVERDUE, each.id))
    return frozenset(found)


def publish_alerts(site: Site, look: LakeState, overdue_after: float, publish: e.Subscriber) -> None:
    """Publish the conditions that began or ended since the last look, unless another worker does."""
    holds = conditions(look, overdue_after)
    if holds == look.alerts:
        return
    began, ended = sorted(holds - look.alerts, key=_order), sorted(look.alerts - holds, key=_order)

    def work(connection: sa.Connection) -> tuple[list[Alert], list[Alert]]:
        return (
            [each for each in ended if connection.execute(alerts.close_stmt(each)).rowcount == 1],
            [each for each in began if connection.execute(alerts.open_stmt(each, look.at)).rowcount == 1],
        )

    tables = {table.id: table for table in look.tables}
    ours_ended, ours_began = site.database.transact(work)
    for alert in ours_ended:
        if alert.table_id in tables and (event := _ended(alert, tables[alert.table_id], look)) is not None:
            publish(event)
    for alert in ours_began:
        publish(_began(alert, tables, look, overdue_after))


def _began(alert: Alert, tables: Mapping[int, TableStatus], look: LakeState, overdue_after: float) -> e.Event:
    table = tables[alert.table_id]
    if alert.kind == LAG:
        assert table.target_lag is not None
        return e.LagBreached(look.at, table.name, table.lag, table.target_lag)
    if alert.kind == SUSPENDED:
        assert table.suspension is not None
        return e.TableSuspended(look.at, table.name, table.suspension.by, table.suspension.reason)
    (refresh,) = (each for each in look.running if each.id == alert.subject)
    seconds = (look.at - refresh.started_at).total_seconds()
    return e.RefreshOverdue(look.at, table.name, refresh.id, seconds, overdue_after)


def _ended(alert: Alert, table: TableStatus, look: LakeState) -> e.Event | None:
    if alert.kind == LAG and table.target_lag is not None:
        return e.LagMet(look.at, table.name, table.lag, table.target_lag)
    if alert.kind == SUSPENDED and table.suspension is None:
        return e.TableResumed(look.at, table.name)
    return None


def _order(alert: Alert) -> tuple[int, str, str]:
    return alert.table_id, alert.kind, alert.subject
