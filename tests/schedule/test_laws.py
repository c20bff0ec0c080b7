"""What holds of every pass, over random graphs of tables."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.core.freshness import Downstream, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshTrigger
from headwater.schedule.due import due
from headwater.schedule.state import TableState
from tests.schedule.states import NOON, ahead, clock_forms, entries, ids, states, table

forms = st.one_of(clock_forms, st.builds(TargetLag, st.integers(1, 900)), st.just(OnDemand()), st.just(Downstream()))
moments = st.integers(-4000, 0).map(ahead)


@st.composite
def graphs(draw: st.DrawFn) -> list[TableState]:
    size = draw(st.integers(1, 9))
    tables = [
        table(
            id,
            draw(forms),
            *draw(st.sets(st.integers(0, id - 1), max_size=3) if id else st.just(set())),
            suspended=draw(st.booleans()) and draw(st.booleans()),
            initialized=draw(st.integers(0, 4)) > 0,
            stale_since=draw(st.none() | moments),
            expected=draw(st.floats(0, 60)),
            last_started_at=draw(st.none() | moments),
            failures=draw(st.integers(0, 3)),
            retry_at=draw(st.none() | st.integers(-10, 60).map(ahead)),
            requested_at=draw(st.none() | st.none() | moments),
            priority=draw(st.integers(-1, 1)),
            after_ids=frozenset(draw(st.sets(st.integers(0, id - 1), max_size=2) if id else st.just(set()))),
            closed_gates=draw(st.sampled_from([(), (), (TableName("main", "load"),)])),
            gates_opened_at=draw(st.none() | moments),
        )
        for id in range(size)
    ]
    return draw(st.permutations(tables))


def above(tables: dict[int, TableState], id: int) -> set[int]:
    found: set[int] = set()
    for upstream in tables[id].before:
        found |= {upstream} | above(tables, upstream)
    return found


@settings(deadline=None)
@given(graphs())
def test_every_pass_is_in_order_and_complete(states_given: list[TableState]) -> None:
    tables = {each.id: each for each in states_given}
    found = due(states_given, NOON)
    level_of = {each.id: number for number, level in enumerate(found.levels) for each in level}
    assert len(level_of) == sum(len(level) for level in found.levels), "no table twice"
    assert all(found.levels), "no empty level"
    assert not level_of.keys() & states(found).keys()
    for id, level in level_of.items():
        assert all(level_of[up] < level for up in above(tables, id) & level_of.keys())
        for up in (tables[up] for up in tables[id].before):
            stale = up.stale_since is not None or not up.initialized
            assert not stale or up.suspended or up.id in level_of
        assert not tables[id].suspended or tables[id].requested_at is not None
    for id, each in entries(found).items():
        held = tables[id].retry_at is not None and tables[id].retry_at > NOON
        assert not (held or tables[id].closed_gates) or each.trigger == RefreshTrigger.MANUAL
        assert set(each.wanted_by) <= level_of.keys()
    assert {id for id, each in tables.items() if each.requested_at is not None} <= level_of.keys()
    assert found.next_at is None or found.next_at > NOON


@settings(deadline=None)
@given(graphs())
def test_the_order_of_the_input_does_not_matter(states_given: list[TableState]) -> None:
    ordered = due(sorted(states_given, key=lambda each: each.id), NOON)
    found = due(states_given, NOON)
    assert found.levels == ordered.levels
    assert states(found) == states(ordered)
    assert found.next_at == ordered.next_at


@settings(deadline=None)
@given(graphs())
def test_until_the_next_time_nothing_more_becomes_due(states_given: list[TableState]) -> None:
    found = due(states_given, NOON)
    until = found.next_at or ahead(86400)
    shortly_before = NOON + (until - NOON) * 0.999
    assert {id for level in ids(due(states_given, shortly_before)) for id in level} == entries(found).keys()
