"""States of tables around a noon, and what is read off a pass."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from headwater.core.freshness import Cron, Freshness, Interval
from headwater.core.names import TableName
from headwater.schedule.due import Due, Pass
from headwater.schedule.state import TableState

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
LONG_AGO = NOON - timedelta(days=30)
HOURLY = Cron("0 * * * *")


def ago(seconds: float) -> datetime:
    return NOON - timedelta(seconds=seconds)


def ahead(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def table(id: int, freshness: Freshness, *upstream: int, **rest: object) -> TableState:
    base = TableState(id, TableName("main", f"t{id}"), freshness, LONG_AGO, frozenset(upstream))
    return replace(base, **rest)  # type: ignore[arg-type]


def ids(found: Pass) -> list[list[int]]:
    return [[each.id for each in level] for level in found.levels]


def entries(found: Pass) -> dict[int, Due]:
    return {each.id: each for level in found.levels for each in level}


def states(found: Pass) -> dict[int, str]:
    return {each.id: each.state for each in found.skipped}


clock_forms = st.one_of(
    st.builds(Interval, st.integers(1, 4000), st.none() | st.integers(-5000, 5000).map(ahead)),
    st.sampled_from(["* * * * *", "*/7 * * * *", "0 * * * *", "30 11,12 * * *", "* * * * * */20"]).map(Cron),
)
