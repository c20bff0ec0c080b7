"""The demo: a shop that changes continuously, dynamic tables over it, and their verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic

from rich.box import SIMPLE
from rich.console import Console
from rich.live import Live
from rich.table import Table

from headwater.core.refresh_record import RefreshAction, RefreshRecord
from headwater.core.table_status import TableStatus
from headwater.demo.shop import DYNAMIC_TABLES, SCHEMA, SOURCES, Shop
from headwater.refresh.run import Refresher
from headwater.service.connect import connect
from headwater.service.lake import Lake
from headwater.service.wiring import compute_briefly
from headwater.worker.tick import tick

Say = Callable[[str], None]
Wait = Callable[[Lake, str], AbstractContextManager[None]]

SECONDS = 60.0
SEED = 7
# Seconds between two changes, two scheduler passes and two screen updates.
CHANGE_EVERY, TICK_EVERY, LOOK_EVERY = 0.25, 0.2, 0.25
# Seconds after the shop opens from which the tables are expected to be within their targets.
SETTLED = 10.0


def _silent(_lake: Lake, _what: str) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(slots=True)
class Seen:
    """The observed refreshes: their number and the last one, for each table, and the longest lag of each that was late."""

    started: float = field(default_factory=monotonic)
    counts: Counter[str] = field(default_factory=Counter)
    last: dict[str, RefreshRecord] = field(default_factory=dict)
    late: dict[str, float] = field(default_factory=dict)

    def add(self, outcome: RefreshRecord) -> None:
        self.counts[outcome.name.name] += 1
        self.last[outcome.name.name] = outcome

    def look(self, statuses: dict[str, TableStatus]) -> None:
        """Note the tables that are late."""
        if monotonic() - self.started >= SETTLED:
            for name, status in statuses.items():
                if status.late:
                    self.late[name] = max(self.late.get(name, 0.0), status.lag)


def demo(folder: str | None, seconds: float, say: Say, wait: Wait = _silent) -> int:
    """Run it in a folder, or in one that is removed afterwards; 0 if every table equals its query, else 1.

    `wait` shows what the demo waits for.
    """
    compute_briefly()
    with ExitStack() as stack:
        place = folder or stack.enter_context(TemporaryDirectory(prefix="headwater-demo-"))
        lake = stack.enter_context(connect(place))
        shop = Shop(SEED)
        with wait(lake, "creating dynamic tables …"):
            _open_shop(lake, shop, say)
        say(f"The shop changes continuously for {seconds:.0f} seconds, and the scheduler refreshes the tables.")
        changes = _live(lake, place, shop, seconds, say)
        say(f"The shop is closed after {changes} changes. A last pass refreshes all tables to the newest snapshot.")
        with wait(lake, "refreshing …"):
            lake.refresh()
        with wait(lake, "verifying …"):
            equal = _verify(lake, say)
        followed = _count(lake, say)
        return 0 if equal and followed else 1


def _open_shop(lake: Lake, shop: Shop, say: Say) -> None:
    say("Creating a shop: customers, products and orders in a new lake.")
    lake.sql(SOURCES)
    lake.sql(shop.opening())
    say(f"Creating {len(DYNAMIC_TABLES)} dynamic tables over it. Starting Spark takes a few seconds …")
    for name, statement in DYNAMIC_TABLES.items():
        lake.sql(statement)
        status = _statuses(lake)[name]
        say(f"  {name:16} {status.freshness:18} reads {', '.join(source.name for source in status.sources)}")


def _live(lake: Lake, place: str, shop: Shop, seconds: float, say: Say) -> int:
    """Run a writer and the scheduler in parallel, and show the refreshes; returns the number of changes."""
    stop = Event()
    outcomes: SimpleQueue[RefreshRecord] = SimpleQueue()
    with ThreadPoolExecutor(2, thread_name_prefix="headwater-demo") as pool:
        writer = pool.submit(_write, place, shop, stop)
        refresher = Refresher(lake.site, lake.compute)
        scheduler = pool.submit(_schedule, refresher, stop, outcomes.put)
        try:
            _watch(lake, outcomes, seconds, say, stop, lambda: (writer.done(), scheduler.done()))
        except KeyboardInterrupt:
            refresher.compute.cancellation.request()
            raise
        finally:
            stop.set()
        scheduler.result()
        return writer.result()


def _write(place: str, shop: Shop, stop: Event) -> int:
    """Change the shop as another client of the lake would, until told to stop."""
    changes = 0
    with connect(place) as lake:
        while not stop.wait(CHANGE_EVERY):
            lake.sql(shop.next_change())
            changes += 1
    return changes


def _schedule(refresher: Refresher, stop: Event, report: Callable[[RefreshRecord], None]) -> None:
    while not stop.wait(TICK_EVERY):
        tick(refresher, report=report, stopping=stop.is_set)


def _watch(
    lake: Lake,
    outcomes: SimpleQueue[RefreshRecord],
    seconds: float,
    say: Say,
    stop: Event,
    ended: Callable[[], tuple[bool, bool]],
) -> None:
    """Show the tables in place on a terminal, else a line for each refresh; stop the threads in time or if one has died."""
    console = Console()
    seen = Seen()
    with ExitStack() as stack:
        live = stack.enter_context(Live(console=console, auto_refresh=False)) if console.is_terminal else None
        while not (all(ended()) and outcomes.empty()):
            if any(ended()) or monotonic() - seen.started >= seconds:
                stop.set()
            try:
                outcome: RefreshRecord | None = outcomes.get(timeout=LOOK_EVERY)
            except Empty:
                outcome = None
            if outcome:
                seen.add(outcome)
            statuses = _statuses(lake)
            if not stop.is_set():
                seen.look(statuses)
            if live:
                live.update(_screen(statuses, seen), refresh=True)
            elif outcome:
                say(_line(outcome, statuses[outcome.name.name], seen))
    say(_lateness(seen))


def _statuses(lake: Lake) -> dict[str, TableStatus]:
    return {status.name.name: status for status in lake.status() if status.name.schema == SCHEMA}


def _screen(statuses: dict[str, TableStatus], seen: Seen) -> Table:
    """The status of the tables, within 80 columns."""
    table = Table(title=f"after {monotonic() - seen.started:.0f} seconds", box=SIMPLE)
    for heading in ("table", "lag", "target", "runs", "last action", "rows", "took"):
        table.add_column(heading, justify="left" if heading in ("table", "last action") else "right", no_wrap=True)
    for name in DYNAMIC_TABLES:
        status, last = statuses[name], seen.last.get(name)
        lag = f"[red]{status.lag:.1f} s[/]" if status.late else f"{status.lag:.1f} s"
        facts = (_did(last), f"+{last.rows_inserted} -{last.rows_deleted}", f"{last.seconds:.1f} s") if last else ()
        table.add_row(name, lag, _target(status), str(seen.counts[name]), *facts)
    return table


def _line(outcome: RefreshRecord, status: TableStatus, seen: Seen) -> str:
    name = outcome.name.name
    return (
        f"{monotonic() - seen.started:5.1f} s  {name:16} {_did(outcome):12} "
        f"+{outcome.rows_inserted:<4} -{outcome.rows_deleted:<4} in {outcome.seconds:3.1f} s, "
        f"refresh {seen.counts[name]}, lag {status.lag:.1f} s, target {_target(status)}"
    )


def _lateness(seen: Seen) -> str:
    since = f"{SETTLED:.0f} seconds after the shop opened"
    if not seen.late:
        return f"\nFrom {since}, every table was within its target."
    late = ", ".join(f"{name} (lag up to {lag:.1f} s)" for name, lag in seen.late.items())
    return f"\nFrom {since}, these tables exceeded their targets for a while: {late}."


def _did(outcome: RefreshRecord) -> str:
    return outcome.action if outcome.succeeded and outcome.action else outcome.state


def _target(status: TableStatus) -> str:
    """The effective target lag; None for a table with a schedule or on demand."""
    return status.freshness if status.target_lag is None else f"{status.target_lag:.0f} s"


def _verify(lake: Lake, say: Say) -> bool:
    """Run every query and compare its result with its table."""
    say("Each query is run at its table's data snapshot and compared with the table, row by row:")
    every = True
    for name in DYNAMIC_TABLES:
        each = lake.verify(f"{SCHEMA}.{name}")
        every &= each.equal
        verdict = "equal" if each.equal else f"DIFFERENT: {each.missing} rows missing, {each.unexpected} unexpected"
        say(f"  {each.name.name:16} at snapshot {each.data_snapshot}: {verdict}")
    return every


def _count(lake: Lake, say: Say) -> bool:
    """Print the numbers of refreshes; whether any was incremental."""
    counts: Counter[str] = Counter()
    for refresh in lake.history():
        counts[refresh.action or refresh.state] += refresh.runs
    shown = [*RefreshAction, *sorted(counts.keys() - set(RefreshAction))]
    say("Refreshes: " + ", ".join(f"{counts[action]} {action}" for action in shown) + ".")
    if not counts[RefreshAction.INCREMENTAL]:
        say("No refresh was INCREMENTAL, which is an error: these tables support incremental refresh.")
    return counts[RefreshAction.INCREMENTAL] > 0
