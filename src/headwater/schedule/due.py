"""Which dynamic tables are due and why: a pure function of their states and the present moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import assert_never

from croniter import CroniterError, croniter

from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.schedule.backoff import LONGEST_PAUSE

MANUAL = "MANUAL"
LH_SCHEDULED = "LH_SCHEDULED"

WAITING_FOR_RETRY = "WAITING_FOR_RETRY"
WAITING_AFTER_CANCEL = "WAITING_AFTER_CANCEL"
WAITING_FOR_UPSTREAM = "WAITING_FOR_UPSTREAM"
WAITING_FOR_CHANGE = "WAITING_FOR_CHANGE"
UPSTREAM_SUSPENDED = "UPSTREAM_SUSPENDED"

# A refresh is started that part of the target lag earlier than its expected duration asks for, but not more seconds.
SAFETY_PART = 0.1
SAFETY_SECONDS = 10.0

# Whether it runs on schedule alone, its priority negated, when it was wanted: smaller runs first.
Rank = tuple[bool, int, datetime]


@dataclass(frozen=True, slots=True)
class TableState:
    """What the scheduler knows of one dynamic table; all times in UTC, durations in seconds.

    `stale_since` is the time of the first snapshot after its frontier that touched its base closure, None when up to
    date; `failures` are those in a row; `requested_at` is the oldest open manual request; a higher `priority` runs first.
    `cancelled_at` is when a person ended its last refresh, None if that ended by itself.

    By AFTER it `follows` dynamic tables that it may not read, and `waits_for` tables that have not changed since its frontier;
    `opened_at` is when the last of those that have changed did so first.
    """

    id: int
    name: TableName
    freshness: Freshness
    created_at: datetime
    upstream: frozenset[int] = frozenset()
    suspended: bool = False
    initialized: bool = True
    stale_since: datetime | None = None
    expected: float = 0.0
    last_started_at: datetime | None = None
    last_succeeded_at: datetime | None = None
    failures: int = 0
    retry_at: datetime | None = None
    requested_at: datetime | None = None
    priority: int = 0
    cancelled_at: datetime | None = None
    follows: frozenset[int] = frozenset()
    waits_for: tuple[TableName, ...] = ()
    opened_at: datetime | None = None

    @property
    def before(self) -> frozenset[int]:
        """The dynamic tables that come before it in a pass: those that it reads, and those that it follows."""
        return self.upstream | self.follows


@dataclass(frozen=True, slots=True)
class Due:
    """A table to refresh; `wanted_by` has its direct downstreams if it runs for their sake alone."""

    id: int
    name: TableName
    reason: str
    trigger: str
    wanted_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A table that is due but can't run."""

    id: int
    name: TableName
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pass:
    """Tables to refresh, level after level, those of one level in parallel; ask again at `next_at` if nothing changes.

    `ranks` say which should start first, by their ids.
    """

    levels: tuple[tuple[Due, ...], ...]
    skipped: tuple[Skipped, ...]
    next_at: datetime | None
    ranks: Mapping[int, Rank] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """Why a table can't run on schedule, and until when if time alone removes that."""

    state: str
    reason: str
    until: datetime | None = None


_Graph = dict[int, TableState]


def due(tables: Iterable[TableState], now: datetime) -> Pass:
    """What to refresh now, whole chains at a time.

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
    order = _upstream_first(graph)
    needs = {table.id: _needs(table, graph) for table in order}
    chain = _chains(order, needs)
    counted = _counted(order, graph)

    ranks: dict[int, Rank] = {
        table.id: (False, -table.priority, table.requested_at) for table in order if table.requested_at is not None
    }
    _bring(order, needs, ranks)
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
            reasons[table.id] = _why(table, now, wanted_at, _seconds(counted[table.id], now), chain[table.id])
            ranks.setdefault(table.id, (True, -table.priority, wanted_at))
    _bring(order, needs, ranks)

    wanted_by: dict[int, list[int]] = defaultdict(list)
    for table in order:
        if table.id in ranks:
            for upstream in needs[table.id]:
                wanted_by[upstream.id].append(table.id)

    def entry(table: TableState) -> Due:
        wanting: tuple[int, ...] = ()
        if table.requested_at is not None:
            reason = f"requested by hand {_span((now - table.requested_at).total_seconds())} ago"
        elif table.id in reasons:
            reason = reasons[table.id]
        else:
            wanting = tuple(sorted(wanted_by[table.id]))
            reason = f"needed by {_listed([graph[id].name for id in wanting])}"
        if table.id in behind:
            reason += f"; gets no newer data than its suspended upstream {behind[table.id]}"
        return Due(table.id, table.name, reason, LH_SCHEDULED if ranks[table.id][0] else MANUAL, wanting)

    levels = tuple(
        tuple(entry(table) for table in sorted(level, key=lambda table: (ranks[table.id], table.name)))
        for level in _levels(order, ranks)
    )
    return Pass(levels, tuple(skipped), min(later, default=None), ranks)


def lags(tables: Iterable[TableState], now: datetime) -> dict[int, float]:
    """Seconds since the first change that each table does not show yet; 0 if it shows all.

    Where a table waits for a change of another it has no lag before that, nor have those that depend on it.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> from dataclasses import replace
    >>> old, new = noon - timedelta(hours=3), noon - timedelta(minutes=2)
    >>> top = TableState(1, TableName("main", "top"), TargetLag(300), old, stale_since=old, opened_at=new)
    >>> lags([top], noon), lags([replace(top, waits_for=(TableName("main", "load"),))], noon)
    ({1: 120.0}, {1: 0.0})
    """
    graph = {table.id: table for table in tables}
    return {id: _seconds(since, now) for id, since in _counted(_upstream_first(graph), graph).items()}


def waiting(tables: Iterable[TableState], now: datetime) -> dict[int, str]:
    """Why tables that have something to do are not refreshed on schedule now, though nobody suspended them."""
    graph = {table.id: table for table in tables}
    order = _upstream_first(graph)
    needs = {table.id: _needs(table, graph) for table in order}
    obstacles = _obstacles(order, graph, needs, {}, _behind_suspended(order, graph, needs, {}), now)

    def has_to_do(table: TableState) -> bool:
        called_at = next_time(table, now)
        return _stale_since(table) is not None or (called_at is not None and called_at <= now)

    return {
        table.id: obstacles[table.id].reason
        for table in order
        if table.id in obstacles
        and not table.suspended
        and not isinstance(table.freshness, OnDemand)
        and has_to_do(table)
    }


def effective_lag(tables: Iterable[TableState]) -> dict[int, float | None]:
    """The target lag of each table in effect: the smallest of its own and those of the active tables that read it.

    One that waits for a change of another table asks for nothing before that, and one that only follows never does.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> raw = TableState(1, TableName("main", "raw"), Downstream(), noon)
    >>> top = TableState(2, TableName("main", "top"), TargetLag(300), noon, frozenset({1}))
    >>> effective_lag([raw, top])
    {1: 300.0, 2: 300.0}
    """
    graph = {table.id: table for table in tables}
    lags: dict[int, float | None] = {
        table.id: float(table.freshness.seconds) if isinstance(table.freshness, TargetLag) else None
        for table in graph.values()
    }
    order = _upstream_first(graph)
    shut = _shut(order, graph)
    for table in reversed(order):
        mine = lags[table.id]
        if table.suspended or mine is None or table.id in shut:
            continue
        for id in table.upstream & graph.keys():
            theirs = lags[id]
            lags[id] = mine if theirs is None else min(mine, theirs)
    return lags


def next_time(table: TableState, now: datetime) -> datetime | None:
    """The first scheduled time of a clock form that no attempt has served; in the past if it was missed.

    A table that was never refreshed does not wait for its first time, only for START WITH. A refresh that a person ended has
    served all times until then.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> hourly = TableState(1, TableName("main", "t"), Cron("0 * * * *"), noon, last_started_at=noon)
    >>> str(next_time(hourly, noon + timedelta(hours=8)))
    '2026-01-01 13:00:00+00:00'
    """
    served = table.cancelled_at or table.last_started_at or table.created_at
    at_once = not table.initialized and table.cancelled_at is None
    match table.freshness:
        case Interval(seconds, start_at):
            first = start_at or table.created_at
            if at_once:
                return max(now, first)
            step = timedelta(seconds=seconds)
            if _set_back(served, now, step):
                return now
            if served < first:
                return first
            return first + ((served - first) // step + 1) * step
        case Cron(expression):
            if at_once:
                return now
            upcoming = _cron_after(expression, now)
            following = upcoming and _cron_after(expression, upcoming)
            if upcoming and following and _set_back(served, now, following - upcoming):
                return now
            return _cron_after(expression, served)
        case TargetLag() | Downstream() | OnDemand():
            return None
        case other:
            assert_never(other)


def _set_back(noted: datetime, now: datetime, period: timedelta) -> bool:
    """Whether a time that was noted lies so far ahead that the clock must have been set back since.

    A step back by less than a period neither repeats a scheduled time nor delays the next; after a longer one there is a
    refresh at once, and the schedule goes on from that.
    """
    return noted - now > period


def _cron_after(expression: str, served: datetime) -> datetime | None:
    # Without seconds in the expression all times of one minute have the same successor, which then is computed once.
    has_seconds = len(expression.split()) > 5
    moment = served.astimezone(UTC).replace(microsecond=0)
    return _next_match(expression, moment if has_seconds else moment.replace(second=0))


@lru_cache(maxsize=1 << 15)
def _next_match(expression: str, moment: datetime) -> datetime | None:
    try:
        found: datetime = croniter(expression, moment).get_next(datetime)
    except CroniterError:
        # CREATE refuses such an expression; one that got in must not stop the other tables.
        return None
    return found


def _stale_since(table: TableState) -> datetime | None:
    return table.stale_since or (None if table.initialized else table.created_at)


def _seconds(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())


def _shut(order: list[TableState], graph: _Graph) -> set[int]:
    """The tables that wait for a change of another, and those that come after such a one which is stale."""
    shut: set[int] = set()
    for table in order:
        if table.waits_for or any(id in shut and _stale_since(graph[id]) is not None for id in table.before):
            shut.add(table.id)
    return shut


def _counted(order: list[TableState], graph: _Graph) -> dict[int, datetime | None]:
    """From when on the lag of each table counts; None where it shows all, or waits for a change of another table."""
    shut, targets = _shut(order, graph), effective_lag(order)
    opened: dict[int, datetime | None] = {}
    counted: dict[int, datetime | None] = {}
    for table in order:
        above = [opened[id] for id in table.before & graph.keys() if _stale_since(graph[id]) is not None]
        opened[table.id] = max((at for at in (table.opened_at, *above) if at is not None), default=None)
        counted[table.id] = None if table.id in shut else _latest(_stale_since(table), opened[table.id])
    # Without a target of its own it is to be as fresh as those that read it, from when on they may be refreshed.
    readers: defaultdict[int, list[int]] = defaultdict(list)
    for table in reversed(order):
        mine = readers[table.id]
        if mine and not isinstance(table.freshness, TargetLag) and all(opened[id] for id in mine):
            opened[table.id] = min((at for id in mine if (at := counted[id]) is not None), default=None)
            counted[table.id] = _latest(counted[table.id], opened[table.id])
        if not table.suspended and table.id not in shut and targets[table.id] is not None:
            for id in table.upstream & graph.keys():
                readers[id].append(table.id)
    return counted


def _latest(at: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two moments, if there is the first."""
    return at if at is None or other is None else max(at, other)


def _needs(table: TableState, graph: _Graph) -> tuple[TableState, ...]:
    """The direct upstreams that must be refreshed before it."""
    upstreams = (graph[id] for id in sorted(table.before) if id in graph)
    return tuple(each for each in upstreams if not each.suspended and _stale_since(each) is not None)


def _chains(order: list[TableState], needs: dict[int, tuple[TableState, ...]]) -> dict[int, float]:
    """Seconds that each table is expected to take after its upstreams, on the longest way to it."""
    chain: dict[int, float] = {}
    for table in order:
        chain[table.id] = table.expected + max((chain[each.id] for each in needs[table.id]), default=0.0)
    return chain


def _bring(order: list[TableState], needs: dict[int, tuple[TableState, ...]], ranks: dict[int, Rank]) -> None:
    """Add what the ranked tables need; an upstream runs as early as the first that needs it."""
    for table in reversed(order):
        if rank := ranks.get(table.id):
            for each in needs[table.id]:
                ranks[each.id] = min(rank, ranks.get(each.id, rank))


def _behind_suspended(
    order: list[TableState], graph: _Graph, needs: dict[int, tuple[TableState, ...]], by_hand: dict[int, Rank]
) -> dict[int, TableName]:
    """The tables that a suspended, stale upstream keeps from the newest data, and the name of one such upstream."""
    behind: dict[int, TableName] = {}
    for table in order:
        names = [behind[each.id] for each in needs[table.id] if each.id in behind and each.id in table.upstream]
        for id in table.upstream:
            each = graph.get(id)
            if each is not None and each.suspended and _stale_since(each) is not None and id not in by_hand:
                names.append(each.name)
        if names:
            behind[table.id] = min(names)
    return behind


def _obstacles(
    order: list[TableState],
    graph: _Graph,
    needs: dict[int, tuple[TableState, ...]],
    by_hand: dict[int, Rank],
    behind: dict[int, TableName],
    now: datetime,
) -> dict[int, _Obstacle]:
    """What keeps tables from running on schedule; a manual refresh waits for nothing."""
    obstacles: dict[int, _Obstacle] = {}
    targets = effective_lag(order)
    for table in order:
        if table.id in by_hand:
            continue
        if table.retry_at is not None and now < table.retry_at <= now + LONGEST_PAUSE:
            reason = f"failed {_times(table.failures)}, next attempt at {_moment(table.retry_at)}"
            obstacles[table.id] = _Obstacle(WAITING_FOR_RETRY, reason, table.retry_at)
            continue
        if (until := _rests_until(table, targets[table.id], now)) is not None:
            reason = f"cancelled by a person, next attempt at {_moment(until)}"
            obstacles[table.id] = _Obstacle(WAITING_AFTER_CANCEL, reason, until)
            continue
        if table.waits_for:
            obstacles[table.id] = _Obstacle(WAITING_FOR_CHANGE, f"waits for a change of {_listed([*table.waits_for])}")
            continue
        for id in table.follows - by_hand.keys():
            each = graph.get(id)
            if each is None or _stale_since(each) is None or not (each.suspended or id in behind):
                continue
            what = "which is suspended" if each.suspended else f"whose upstream {behind[id]} is suspended"
            reason = f"{table.name} comes after {each.name}, {what}"
            obstacles[table.id] = _Obstacle(UPSTREAM_SUSPENDED, reason)
        for id in table.upstream:
            each = graph.get(id)
            if each is not None and each.suspended and not each.initialized and id not in by_hand:
                reason = f"upstream {each.name} is suspended and was never refreshed"
                obstacles[table.id] = _Obstacle(UPSTREAM_SUSPENDED, reason)
        for each in needs[table.id]:
            if (theirs := obstacles.get(each.id)) is None:
                continue
            if theirs.state in (WAITING_FOR_RETRY, WAITING_AFTER_CANCEL, WAITING_FOR_CHANGE):
                theirs = _Obstacle(WAITING_FOR_UPSTREAM, f"upstream {each.name} {theirs.reason}", theirs.until)
            obstacles[table.id] = theirs
    return obstacles


def _rests_until(table: TableState, target: float | None, now: datetime) -> datetime | None:
    """Until when a table is left alone that a person stopped: for one target lag, or until the clock calls it."""
    if table.cancelled_at is None:
        return None
    after_lag = None if target is None else table.cancelled_at + timedelta(seconds=target)
    ends = [at for at in (after_lag, next_time(table, now)) if at is not None]
    return min(ends) if ends and min(ends) > now else None


def _wanted_at(
    table: TableState, now: datetime, stale_since: datetime | None, chain: float, behind: bool
) -> datetime | None:
    """When the table has to start by its own schedule."""
    match table.freshness:
        case TargetLag(target):
            if not table.initialized:
                return table.created_at
            if stale_since is None:
                return None
            early = chain + min(SAFETY_PART * target, SAFETY_SECONDS)
            allowed = timedelta(seconds=target)
            if _set_back(stale_since, now, allowed):
                return now
            wanted_at = stale_since + timedelta(seconds=max(0.0, target - early))
            last = table.last_started_at
            if behind and last is not None and not _set_back(last, now, allowed):
                # It stays stale whatever a refresh does: once per target lag is enough to find out.
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


def _upstream_first(graph: _Graph) -> list[TableState]:
    """The tables so that each comes after all that it reads or follows."""
    waiting_for = {id: len(table.before & graph.keys()) for id, table in graph.items()}
    downstream: dict[int, list[int]] = defaultdict(list)
    for id, table in graph.items():
        for upstream in table.before:
            downstream[upstream].append(id)
    ready = [id for id, count in waiting_for.items() if count == 0]
    for id in ready:
        for each in downstream[id]:
            waiting_for[each] -= 1
            if waiting_for[each] == 0:
                ready.append(each)
    if len(ready) < len(graph):
        raise ValueError(f"dynamic tables read each other: {_cycle(graph, graph.keys() - set(ready))}")
    return [graph[id] for id in ready]


def _cycle(graph: _Graph, left: set[int]) -> str:
    path = [min(left)]
    while path[-1] not in path[:-1]:
        path.append(min(graph[path[-1]].before & left))
    return " reads ".join(str(graph[id].name) for id in path[path.index(path[-1]) :])


def _why(table: TableState, now: datetime, wanted_at: datetime, lag: float, chain: float) -> str:
    if not table.initialized:
        return "never refreshed"
    match table.freshness:
        case TargetLag(target):
            reason = f"lag {_span(lag)}, target {_span(target)}"
            if chain > 0:
                what = "refresh" if chain == table.expected else "refresh with its upstreams"
                reason += f", {what} expected to take {_span(chain)}"
            return reason
        case Interval(seconds):
            return f"scheduled for {_moment(wanted_at)}, every {_span(seconds)}"
        case Cron(expression):
            return f"scheduled for {_moment(wanted_at)} by {expression!r}"
        case Downstream() | OnDemand():
            raise AssertionError("never due by itself")
        case other:
            assert_never(other)


def _span(seconds: float) -> str:
    """A duration for people, in its two largest units.

    >>> [_span(seconds) for seconds in (0.04, 8, 59.96, 290, 300, 7500, 90061)]
    ['0 s', '8 s', '1 min', '4 min 50 s', '5 min', '2 h 5 min', '1 d 1 h']
    """
    seconds = max(0.0, round(seconds, 1))
    if seconds < 60:
        return f"{seconds:g} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [f"{n} {unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")) if n]
    return " ".join(parts[:2])


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _times(failures: int) -> str:
    return "once" if failures <= 1 else f"{failures} times in a row"


def _listed(names: list[TableName]) -> str:
    shown = ", ".join(str(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
