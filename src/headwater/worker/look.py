"""One look of the scheduler: plan due tables, whole chains to one snapshot; advance idle ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from headwater.core.crash import crash_point
from headwater.core.freshness import Cron, Interval
from headwater.core.refresh_record import RefreshTrigger
from headwater.lake.site import Site
from headwater.observe.lake_state import LakeState
from headwater.refresh.recover import recover
from headwater.registry import frontiers, install, requests
from headwater.registry import tables as t
from headwater.schedule.due import Pass, due
from headwater.schedule.graph import components, downstream_of, with_upstreams
from headwater.schedule.lag import completion_targets
from headwater.worker.observe_lake import lake_state
from headwater.worker.passes import Graph, PassPlan
from headwater.worker.table_states import TableInput, load_table_inputs


@dataclass(frozen=True, slots=True)
class Look:
    """What a look found: what is due, and what this process can start, as a new pass or within a running one.

    It is `early` if more could start as soon as a running refresh ends. `seen` is the lake's
    state for metrics and alerts.
    """

    due: Pass
    planned: PassPlan
    seen: LakeState
    joining: tuple[PassPlan, ...] = ()
    early: bool = False


def look(
    site: Site,
    pending: Mapping[int, PassPlan] = MappingProxyType({}),
    served: Collection[str] | None = None,
) -> Look:
    """Find what is due besides the tables that this process is refreshing, and advance idle tables.

    A table that needs a table of a running pass joins that pass if possible, otherwise it waits.
    """
    now = site.clock.now()
    with site.reader() as reader:
        snapshot, observed = load_table_inputs(reader)
        there = bool(observed) or install.is_installed(reader.connection)
        asked_for = requests.open_requests(reader.connection).keys() if there else set()
        found = due((each.state for each in observed), now)
        targets = completion_targets(each.state for each in observed)
        seen = lake_state(reader, observed, found, now)
    if gone := asked_for - {each.table.id for each in observed}:
        site.database.execute(requests.withdraw_stmt(gone))
    if observed:
        recover(site.database, now)
    triggers = {item.id: item.trigger for level in found.levels for item in level}
    for left in _served_elsewhere(served, observed, triggers):
        del triggers[left]
    wanted = {id: each for each in observed if (id := each.state.id) in triggers}
    _advance_idle(site, observed, snapshot, triggers.keys() | pending.keys())

    wants = triggers.keys() | pending.keys()
    graph = {id: {up for up in each.state.before if up in wants} for id, each in wanted.items()}
    asked = {id: each.requests for id, each in wanted.items()}
    early = any(asked[id] - pending[id].asked.get(id, frozenset()) for id in pending if id in asked)
    new = _beginning(graph, pending, found)
    joining: list[PassPlan] = []
    for part in components({id: above for id, above in graph.items() if id not in new and id not in pending}):
        awaited = {pending[up] for above in part.values() for up in above if up in pending}
        later = any(up in new for above in part.values() for up in above)
        if len(awaited) == 1 and not later and _may_join(part, observed, triggers, joined := next(iter(awaited))):
            joining.append(
                PassPlan(part, joined.snapshot, joined.clock_at, triggers, found.ranks, asked, targets, joins=joined)
            )
    early = early or len(new) + sum(len(each.graph) for each in joining) < len(graph.keys() - pending.keys())
    return Look(found, PassPlan(new, snapshot, now, triggers, found.ranks, asked, targets), seen, tuple(joining), early)


def _beginning(graph: Graph, pending: Mapping[int, PassPlan], found: Pass) -> Graph:
    """The tables that can start by themselves: all but those after pending ones, and their upstreams that only they need.

    A table that has waited for upstreams also keeps its other upstreams from starting: otherwise one of them might always be
    running.
    """
    free = {id: above for id, above in graph.items() if id not in pending}
    after = downstream_of(free, pending)
    impatient = {
        id for id in after if any(up in pending and pending[up].clock_at > found.ranks[id][2] for up in free[id])
    }
    kept = with_upstreams(free, impatient)
    waiting = after | kept | downstream_of(free, kept)
    wanted_by = {item.id: item.wanted_by for level in found.levels for item in level if item.wanted_by}
    while more := {
        id for id in wanted_by.keys() & free.keys() - waiting if all(reader in waiting for reader in wanted_by[id])
    }:
        waiting |= more
    return {id: above for id, above in free.items() if id not in waiting}


def _may_join(part: Graph, observed: Iterable[TableInput], triggers: Mapping[int, str], begun: PassPlan) -> bool:
    """Whether tables may use the snapshot and clock value of a running pass.

    Manual refreshes and schedules may not, because they need the newest data of their time; nor may tables whose frontier or
    upstreams are ahead of the pass.
    """
    by_id = {each.state.id: each for each in observed}
    for id in part:
        state, frontier = by_id[id].state, by_id[id].frontier
        by_clock = isinstance(state.freshness, Interval | Cron)
        if triggers[id] is RefreshTrigger.MANUAL or by_clock or state.gates_opened_at is not None:
            return False
        if frontier is None or frontier.snapshot >= begun.snapshot:
            return False
        if frontier.clock_at is not None and frontier.clock_at > begun.clock_at:
            return False
        others = [by_id[up].frontier for up in state.upstream if up in by_id and up not in part[id]]
        if not all(each and each.valid_from <= begun.snapshot <= each.snapshot for each in others):
            return False
    return True


def _served_elsewhere(
    served: Collection[str] | None, observed: tuple[TableInput, ...], planned: Collection[int]
) -> list[int]:
    """The planned tables that other workers refresh, and those that must wait for them."""
    if served is None:
        return []
    at = {each.state.id: each.frontier.snapshot if each.frontier else -1 for each in observed}
    wanted = {each.state.id: each for each in observed if each.state.id in planned}
    elsewhere = {id for id, each in wanted.items() if each.table.warehouse not in served}
    waiting: set[int] = set()
    while more := {
        id
        for id, each in wanted.items()
        if id not in elsewhere | waiting
        and any(up in waiting or (up in elsewhere and at[up] <= at[id]) for up in each.state.before)
    }:
        waiting |= more
    return sorted(elsewhere | waiting)


def _advance_idle(site: Site, observed: tuple[TableInput, ...], snapshot: int, running: object) -> None:
    """Advance tables whose sources did not change to the newest snapshot, in one statement."""
    idle = [
        each.state.id
        for each in observed
        if each.frontier
        and each.state.stale_since is None
        and each.frontier.snapshot < snapshot
        and each.frontier.clock_at is None
        and each.state.id not in running  # type: ignore[operator]
    ]
    if idle:
        site.database.execute(frontiers.advance_idle_stmt(idle, snapshot, site.clock.now(), t.now(site.database.kind)))
        crash_point("idle-advanced")
