"""The plan of a refresh, as a value that RUN executes and EXPLAIN prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp

from headwater.core.format import format_names
from headwater.core.refresh_record import RefreshAction, Strategy
from headwater.delta.target_changes import Changes

# If more than this fraction of the sources' rows changed, a full refresh is cheaper.
THRESHOLD = 0.3
# A full refresh is also cheaper if more than this fraction of the stored groups must be recomputed, unless the table has few
# groups, or if an incremental refresh reads more than this fraction of the bytes that a full one reads.
_MOST_TOUCHED = 0.75
_FEW_GROUPS = 1_000
_MOST_READ = 0.8
# A full refresh is faster if the best of the last incremental refreshes took this many times as long as the best of the last
# full ones, over this many samples, and the latter took at least this many seconds.
_WORSE = 1.1
_SAMPLES = 3
_MATTERS = 1.0
# After this many full refreshes, an incremental one is tried again.
_TRY_AGAIN = 10


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """The action of a refresh and its reason; `sql` is the query as Spark SQL over named scans."""

    action: RefreshAction
    reason: str
    sql: str | None = None
    strategy: str | None = None
    changes: Changes | None = None


@dataclass(frozen=True, slots=True)
class RefreshFacts:
    """The facts about a table from which its refresh is planned."""

    initialized: bool
    definition_changed: bool = False
    session_changed: bool = False
    identity_changed: str | None = None
    foreign_write: int | None = None
    frontier_expired: bool = False
    uses_clock: bool = False
    # The names of the sources that commits changed, by table id.
    touched: Mapping[int, str] = field(default_factory=dict)

    @property
    def invalid(self) -> str | None:
        """Why the stored rows can't be used as a base."""
        if self.definition_changed:
            return "the definition changed"
        if self.session_changed:
            return "the session settings of the definition changed"
        if self.identity_changed:
            return self.identity_changed
        if self.foreign_write is not None:
            return f"another client wrote to the table at snapshot {self.foreign_write}"
        if self.frontier_expired:
            return "snapshots since the last refresh have been expired"
        return None

    @property
    def only_meaning_changed(self) -> bool:
        """Whether only the definition or the sources' identity changed, and the rows are valid for the previous ones."""
        changed = self.definition_changed or self.identity_changed is not None
        return changed and not self.session_changed and self.foreign_write is None and not self.frontier_expired


@dataclass(frozen=True, slots=True)
class IncrementalOption:
    """An incremental refresh of a table: its plan, and the estimates by which `choose` compares it with a full refresh.

    `changed` is the number of inserted and deleted rows of the sources, an updated row counting twice; `share` is `changed`
    divided by the number of the sources' rows, and can exceed 1. `stored` is the number of rows of the table. `reads` is
    how many bytes the incremental refresh reads for each byte that a full one reads, or 0 if the sources have few changes.
    """

    strategy: Strategy
    changes: Changes
    share: float
    stored: int = 0
    changed: int = 0
    reads: float = 0.0

    @property
    def touched(self) -> float:
        """The estimated fraction of affected groups, if changes are distributed at random."""
        return 1 - exp(-self.changed / max(1, self.stored))

    @property
    def against(self) -> str | None:
        """Why a full refresh is cheaper; None if it is not."""
        groups = self.strategy is Strategy.AFFECTED_KEYS and self.stored >= _FEW_GROUPS
        if groups and self.touched > _MOST_TOUCHED:
            return f"about {self.touched:.0%} of its groups are affected"
        if self.reads > _MOST_READ:
            return f"an incremental refresh would read {self.reads:.1f} times as much as a full one"
        return None


@dataclass(frozen=True, slots=True)
class NotIncremental:
    """Why a table can't be refreshed incrementally."""

    reason: str


@dataclass(frozen=True, slots=True)
class RefreshTimings:
    """Durations of a table's refreshes in seconds, newest first, and the number of full refreshes since the last incremental."""

    incremental: tuple[float, ...] = ()
    full: tuple[float, ...] = ()
    full_of_late: int = 0

    @property
    def against_following(self) -> str | None:
        """Why a full refresh is faster, by recent durations; None if it is not.

        >>> RefreshTimings((2.0, 2.2, 9.0), (1.5,)).against_following
        'recent incremental refreshes took 2.0 s, full ones 1.5 s'
        >>> RefreshTimings((2.0, 2.2), (1.5,)).against_following, RefreshTimings((0.5, 0.5, 0.5), (0.2,)).against_following
        (None, None)
        """
        if len(self.incremental) < _SAMPLES or not self.full or self.full_of_late >= _TRY_AGAIN:
            return None
        # The minimum, because a cold engine and a busy machine only add time.
        following, whole = min(self.incremental[:_SAMPLES]), min(self.full[:_SAMPLES])
        if whole < _MATTERS or following <= _WORSE * whole:
            return None
        return f"recent incremental refreshes took {following:.1f} s, full ones {whole:.1f} s"


def choose(
    known: RefreshFacts,
    sql: str,
    way: IncrementalOption | NotIncremental | None = None,
    threshold: float = THRESHOLD,
    experience: RefreshTimings | None = None,
) -> RefreshPlan:
    """The cheapest correct plan; `way` is the incremental one, or why there is none.

    A `threshold` of 1 or more turns off all cost checks except the one on the fraction of changed rows: the refresh is full
    only if more rows were inserted and deleted than the sources have. An update is a delete and an insert.

    >>> choose(RefreshFacts(initialized=True), "SELECT 1").action
    <RefreshAction.NO_DATA: 'NO_DATA'>
    >>> choose(RefreshFacts(initialized=True, touched={1: "shop.orders"}), "SELECT 1").reason
    'shop.orders changed'
    """
    if not known.initialized:
        return RefreshPlan(RefreshAction.REINITIALIZE, "first refresh", sql)
    if reason := known.invalid:
        return RefreshPlan(RefreshAction.REINITIALIZE, reason, sql)
    if known.touched or known.uses_clock:
        changed = (
            f"{format_names(tuple(known.touched.values()))} changed"
            if known.touched
            else "the query depends on the current time"
        )
        if isinstance(way, IncrementalOption):
            why = _against(way, threshold, experience)
            if why is None:
                return RefreshPlan(RefreshAction.INCREMENTAL, changed, sql, way.strategy, way.changes)
        else:
            why = way.reason if way else None
        return RefreshPlan(RefreshAction.FULL, f"{changed}; {why}" if why else changed, sql)
    return RefreshPlan(RefreshAction.NO_DATA, "no source changed")


def _against(way: IncrementalOption, threshold: float, experience: RefreshTimings | None) -> str | None:
    if way.share > threshold:
        return f"{min(way.share, 1):.0%} of the rows changed"
    if threshold >= 1:
        return None
    return (experience.against_following if experience else None) or way.against
