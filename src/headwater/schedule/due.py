"""Which dynamic tables are due and why: a pure function of their states and the present moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import assert_never

from headwater.core.format import format_consecutive, format_duration, format_names, format_time
from headwater.core.freshness import Cron, Downstream, Interval, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshTrigger
from headwater.schedule.backoff import LONGEST_PAUSE
from headwater.schedule.lag import Tables, behind_since, effective_lag, lag_start, seconds_since, upstream_first
from headwater.schedule.state import TableState
from headwater.schedule.times import next_time, set_back

# A refresh starts earlier than its expected duration requires, by this fraction of the target lag, up to these seconds.
SAFETY_PART = 0.1
SAFETY_SECONDS = 10.0

# Whether it runs only on schedule, its negated priority, its due time: smaller runs first.
Rank = tuple[bool, int, datetime]


class WaitState(StrEnum):
    """Why a due table can't run."""

    RETRY = "WAITING_FOR_RETRY"
    AFTER_CANCEL = "WAITING_AFTER_CANCEL"
    UPSTREAM = "WAITING_FOR_UPSTREAM"
    CHANGE = "WAITING_FOR_CHANGE"
    UPSTREAM_SUSPENDED = "UPSTREAM_SUSPENDED"


@dataclass(frozen=True, slots=True)
class Due:
    """A table to refresh; `wanted_by` has its direct downstreams if it runs only for them."""

    id: int
    name: TableName
    reason: str
    trigger: RefreshTrigger
    wanted_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A table that is due but can't run."""

    id: int
    name: TableName
    state: WaitState
    reason: str


@dataclass(frozen=True, slots=True)
class Pass:
    """Tables to refresh by level, those of one level in parallel; ask again at `next_at` if nothing changes.

    `ranks` say which should start first, by their ids.
    """

    levels: tuple[tuple[Due, ...], ...]
    skipped: tuple[Skipped, ...]
    next_at: datetime | None
    ranks: Mapping[int, Rank] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """Why a table can't run on schedule, and until when if that is known."""

    state: WaitState
    reason: str
    until: datetime | None = None


def due(tables: Iterable[TableState], now: datetime) -> Pass:
    """What to refresh now, whole chains at a time.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> changed = noon - timedelta(minutes=4, seconds=50)
    >>> raw = TableState(1, TableName("main", "raw"), OnDemand(), noon, stale_since=changed, expected=3)
    >>> top = TableState(2, TableName("main", "top"), TargetLag(300), noon, frozenset({1}), stale_since=changed, expected=5)
    >>> for level in due([top, raw], noon).levels:
    ...     print([f"{each.name.name}: {each.reason}" for each in level])
    ['raw: needed by "main"."top"']
    ['top: lag 4 min 50 s, target 5 min, refresh with its upstreams expected to take 8 s']
    """
    graph = {table.id: table for table in tables}
    order = upstream_first(graph)
    needs = {table.id: _needs(table, graph) for table in order}
    chain = _chains(order, needs)
    counted = lag_start(order, graph)

    ranks: dict[int, Rank] = {
        table.id: (False, -table.priority, table.requested_at) for table in order if table.requested_at is not None
    }
    _add_upstreams(order, needs, ranks)
    behind = _behind_suspended(order, graph, needs, ranks)
    obstacles = _obstacles(order, graph, needs, ranks, behind, now)

    reasons: dict[int, str] = {}
    skipped: list[Skipped] = []
    later: list[datetime] = []
    for table in order:
        wanted_at = (
            None
            if table.suspended
            else _wanted_at(table, now, counted[table.id] or table.stale_since, chain[table.id], table.id in behind)
        )
        if wanted_at is None:
            continue
        if wanted_at > now:
            later.append(wanted_at)
        elif obstacle := obstacles.get(table.id):
            skipped.append(Skipped(table.id, table.name, obstacle.state, obstacle.reason))
            if obstacle.until is not None:
                later.append(obstacle.until)
        else:
            reasons[table.id] = _why(table, now, wanted_at, seconds_since(counted[table.id], now), chain[table.id])
            ranks.setdefault(table.id, (True, -table.priority, wanted_at))
    _add_upstreams(order, needs, ranks)

    wanted_by = _wanted_by(order, needs, ranks)

    def entry(table: TableState) -> Due:
        on_its_own = table.requested_at is not None or table.id in reasons
        wanting = () if on_its_own else wanted_by[table.id]
        reason = _requested(table, now) or reasons.get(table.id) or _needed([graph[id].name for id in wanting])
        if table.id in behind:
            reason += f"; its suspended upstream {behind[table.id]} has no newer data"
        trigger = RefreshTrigger.SCHEDULED if ranks[table.id][0] else RefreshTrigger.MANUAL
        return Due(table.id, table.name, reason, trigger, wanting)

    levels = tuple(
        tuple(entry(table) for table in sorted(level, key=lambda table: (ranks[table.id], table.name)))
        for level in _levels(order, ranks)
    )
    return Pass(levels, tuple(skipped), min(later, default=None), ranks)


def _wanted_by(
    order: Sequence[TableState], needs: Mapping[int, Iterable[TableState]], ranks: Mapping[int, Rank]
) -> dict[int, tuple[int, ...]]:
    """The tables to refresh that need each table, by id."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for table in order:
        if table.id in ranks:
            for upstream in needs[table.id]:
                found[upstream.id].append(table.id)
    return {id: tuple(sorted(wanting)) for id, wanting in found.items()}


def _requested(table: TableState, now: datetime) -> str | None:
    if table.requested_at is None:
        return None
    return f"requested by a user {format_duration((now - table.requested_at).total_seconds())} ago"


def _needed(names: list[TableName]) -> str:
    return f"needed by {format_names(names)}"


def waiting(tables: Iterable[TableState], now: datetime) -> dict[int, str]:
    """Why stale tables that are not suspended are not refreshed on schedule now."""
    graph = {table.id: table for table in tables}
    order = upstream_first(graph)
    needs = {table.id: _needs(table, graph) for table in order}
    obstacles = _obstacles(order, graph, needs, {}, _behind_suspended(order, graph, needs, {}), now)

    def has_to_do(table: TableState) -> bool:
        called_at = next_time(table, now)
        return behind_since(table) is not None or (called_at is not None and called_at <= now)

    return {
        table.id: obstacles[table.id].reason
        for table in order
        if table.id in obstacles
        and not table.suspended
        and not isinstance(table.freshness, OnDemand)
        and has_to_do(table)
    }


def _needs(table: TableState, graph: Tables) -> tuple[TableState, ...]:
    """The direct upstreams that must be refreshed before it."""
    upstreams = (graph[id] for id in sorted(table.before) if id in graph)
    return tuple(each for each in upstreams if not each.suspended and behind_since(each) is not None)


def _chains(order: list[TableState], needs: dict[int, tuple[TableState, ...]]) -> dict[int, float]:
    """The expected duration of each table and its upstreams, on the longest path."""
    chain: dict[int, float] = {}
    for table in order:
        chain[table.id] = table.expected + max((chain[each.id] for each in needs[table.id]), default=0.0)
    return chain


def _add_upstreams(order: list[TableState], needs: dict[int, tuple[TableState, ...]], ranks: dict[int, Rank]) -> None:
    """Add the upstreams of ranked tables; an upstream runs as early as the first table that needs it."""
    for table in reversed(order):
        if rank := ranks.get(table.id):
            for each in needs[table.id]:
                ranks[each.id] = min(rank, ranks.get(each.id, rank))


def _behind_suspended(
    order: list[TableState], graph: Tables, needs: dict[int, tuple[TableState, ...]], by_hand: dict[int, Rank]
) -> dict[int, TableName]:
    """The tables that can't get the newest data because of a suspended, stale upstream, with the name of one."""
    behind: dict[int, TableName] = {}
    for table in order:
        names = [behind[each.id] for each in needs[table.id] if each.id in behind and each.id in table.upstream]
        for id in table.upstream:
            each = graph.get(id)
            if each is not None and each.suspended and behind_since(each) is not None and id not in by_hand:
                names.append(each.name)
        if names:
            behind[table.id] = min(names)
    return behind


def _obstacles(
    order: list[TableState],
    graph: Tables,
    needs: dict[int, tuple[TableState, ...]],
    by_hand: dict[int, Rank],
    behind: dict[int, TableName],
    now: datetime,
) -> dict[int, _Obstacle]:
    """Why tables can't run on schedule; a manual refresh has no obstacles."""
    obstacles: dict[int, _Obstacle] = {}
    targets = effective_lag(order)
    for table in order:
        if table.id in by_hand:
            continue
        if table.retry_at is not None and now < table.retry_at <= now + LONGEST_PAUSE:
            reason = f"failed {format_consecutive(table.failures)}, next attempt at {format_time(table.retry_at)}"
            obstacles[table.id] = _Obstacle(WaitState.RETRY, reason, table.retry_at)
            continue
        if (until := _rests_until(table, targets[table.id], now)) is not None:
            reason = f"cancelled by a user, next attempt at {format_time(until)}"
            obstacles[table.id] = _Obstacle(WaitState.AFTER_CANCEL, reason, until)
            continue
        if table.closed_gates:
            obstacles[table.id] = _Obstacle(
                WaitState.CHANGE, f"waits for changes in {format_names([*table.closed_gates])}"
            )
            continue
        for id in table.after_ids - by_hand.keys():
            each = graph.get(id)
            if each is None or behind_since(each) is None or not (each.suspended or id in behind):
                continue
            what = "which is suspended" if each.suspended else f"whose upstream {behind[id]} is suspended"
            reason = f"{table.name} is refreshed after {each.name}, {what}"
            obstacles[table.id] = _Obstacle(WaitState.UPSTREAM_SUSPENDED, reason)
        for id in table.upstream:
            each = graph.get(id)
            if each is not None and each.suspended and not each.initialized and id not in by_hand:
                reason = f"upstream {each.name} is suspended and has never been refreshed"
                obstacles[table.id] = _Obstacle(WaitState.UPSTREAM_SUSPENDED, reason)
        for each in needs[table.id]:
            if (theirs := obstacles.get(each.id)) is None:
                continue
            if theirs.state in (WaitState.RETRY, WaitState.AFTER_CANCEL, WaitState.CHANGE):
                theirs = _Obstacle(WaitState.UPSTREAM, f"upstream {each.name} {theirs.reason}", theirs.until)
            obstacles[table.id] = theirs
    return obstacles


def _rests_until(table: TableState, target: float | None, now: datetime) -> datetime | None:
    """The time until which a cancelled table is not scheduled: one target lag, or its next scheduled time."""
    if table.cancelled_at is None:
        return None
    after_lag = None if target is None else table.cancelled_at + timedelta(seconds=target)
    ends = [at for at in (after_lag, next_time(table, now)) if at is not None]
    return min(ends) if ends and min(ends) > now else None


def _wanted_at(
    table: TableState, now: datetime, stale_since: datetime | None, chain: float, behind: bool
) -> datetime | None:
    """The time at which the table has to start by its own freshness."""
    match table.freshness:
        case TargetLag(target):
            if not table.initialized:
                return table.created_at
            if stale_since is None:
                return None
            early = chain + min(SAFETY_PART * target, SAFETY_SECONDS)
            allowed = timedelta(seconds=target)
            if set_back(stale_since, now, allowed):
                return now
            wanted_at = stale_since + timedelta(seconds=max(0.0, target - early))
            last = table.last_started_at
            if behind and last is not None and not set_back(last, now, allowed):
                # A refresh can't reduce its lag, so one per target lag is enough.
                wanted_at = max(wanted_at, last + allowed)
            return wanted_at
        case Interval() | Cron():
            return next_time(table, now)
        case Downstream() | OnDemand():
            return None
        case other:
            assert_never(other)


def _levels(order: list[TableState], ranks: dict[int, Rank]) -> list[list[TableState]]:
    """The ranked tables by the number of ranked ones on the longest way to them."""
    levels: list[list[TableState]] = []
    depth: dict[int, int] = {}
    for table in order:
        mine = max((depth[id] + (id in ranks) for id in table.before if id in depth), default=0)
        depth[table.id] = mine
        if table.id in ranks:
            if mine == len(levels):
                levels.append([])
            levels[mine].append(table)
    return levels


def _why(table: TableState, now: datetime, wanted_at: datetime, lag: float, chain: float) -> str:
    if not table.initialized:
        return "never refreshed"
    match table.freshness:
        case TargetLag(target):
            reason = f"lag {format_duration(lag)}, target {format_duration(target)}"
            if chain > 0:
                what = "refresh" if chain == table.expected else "refresh with its upstreams"
                reason += f", {what} expected to take {format_duration(chain)}"
            return reason
        case Interval(seconds):
            return f"scheduled for {format_time(wanted_at)}, every {format_duration(seconds)}"
        case Cron(expression):
            return f"scheduled for {format_time(wanted_at)} by {expression!r}"
        case Downstream() | OnDemand():
            raise AssertionError("never due by itself")
        case other:
            assert_never(other)
