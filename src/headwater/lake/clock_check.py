"""Compare this machine's clock with the newest snapshot and with the database's clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

from headwater.lake.reader import LakeReader
from headwater.lake.site import Site

# Differences up to this are usual between machines.
TOLERANCE = timedelta(seconds=5)
HINT = "Set the clock of this machine, for example with NTP."


@dataclass(frozen=True, slots=True)
class ClockDifference:
    """How far the newest snapshot is in the future, and how far the database's clock is ahead of this machine's."""

    snapshot: timedelta
    database: timedelta

    @property
    def problem(self) -> str | None:
        """What is wrong, as a sentence without its period."""
        if self.snapshot > TOLERANCE:
            return f"the clock is {_seconds(self.snapshot)} behind the newest snapshot"
        if abs(self.database) > TOLERANCE:
            side = "behind" if self.database > timedelta(0) else "ahead of"
            return f"the clock is {_seconds(abs(self.database))} {side} the database's clock"
        return None

    @property
    def effect(self) -> str:
        """What follows from the problem."""
        if self.snapshot > TOLERANCE:
            return (
                "Until it has caught up, lags look too small, scheduled refreshes wait, and new snapshots get that time"
            )
        return "Lags and retention periods are wrong by this difference"


def clock_difference(site: Site, reader: LakeReader) -> ClockDifference:
    """The differences now."""
    now = site.clock.now()
    database = timedelta(0)
    if site.database.kind == "postgresql":
        found = reader.connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
        database = found - now
    return ClockDifference(reader.latest().time - now, database)


def clock_problem(site: Site) -> str | None:
    """The problem with this machine's clock and its effect; None if there is none."""
    with site.reader() as reader:
        found = clock_difference(site, reader)
    return f"{found.problem}. {found.effect}" if found.problem else None


def _seconds(span: timedelta) -> str:
    return str(timedelta(seconds=round(span.total_seconds())))
