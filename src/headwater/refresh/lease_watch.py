"""Extend the lease of running work, and cancel the work if it is lost, cancelled or out of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from headwater.commit.commit import Guard
from headwater.core.cancellation import Cancellation, cancelled_by_caller
from headwater.core.errors import HeadwaterError, LeaseLost, RefreshCancelled, RefreshTimedOut, StoreError
from headwater.lake.site import Site
from headwater.registry import leases
from headwater.registry.leases import Lease, LeaseStatus

# Seconds between two checks of the work, and the number of checks between two extensions of the lease.
BEAT = 1.0
LOOKS = 5
_LOST = "the lease of this table has expired or another process holds it"
_LEAVE = "Wait for the process that holds the lease, or refresh again."

Cancel = Callable[[str], None]


class LeaseWatch:
    """Extends the lease while `running`; `ended` is the reason once the work must end."""

    def __init__(
        self, site: Site, lease: Lease, limit: float | None = None, cancellation: Cancellation | None = None
    ) -> None:
        self._database = site.database
        self._lease = lease
        self._clock = site.clock
        self._limit = limit or 0.0
        self._began_at = site.clock.now()
        self._cancellation = cancellation or Cancellation()
        self._looks = 0
        # Cancels the current work.
        self._cancel: Callable[[], None] | None = None
        self.ended: HeadwaterError | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Check the lease and the time regularly while the block runs."""
        with self._clock.call_every(BEAT, self._look), self._cancellation.calling(self._cancel_for_caller):
            yield

    @contextmanager
    def cancel_on_loss(self, tag: str, cancel: Cancel) -> Iterator[None]:
        """Cancel the work that the engine knows by this tag if it must end, and raise the reason."""
        self.check()
        self._cancel = lambda: cancel(tag)
        try:
            yield
        except HeadwaterError as error:
            self._cancel = None
            if self.ended is not None:
                raise self.ended from error
            raise
        finally:
            self._cancel = None

    def check(self) -> None:
        """Raise the reason if the work must end."""
        if self.ended is not None:
            raise self.ended

    def pause(self, seconds: float, after: HeadwaterError) -> None:
        """Pause after a failed attempt, at most until the work must end."""
        while seconds > 0 and self.ended is None:
            self._clock.sleep(min(BEAT, seconds))
            seconds -= BEAT
        if isinstance(self.ended, RefreshTimedOut):
            self.ended.detail = f"{self.ended.detail} The last error was: {after.message}."
        self.check()

    def lease_error(self, lost: LeaseLost) -> HeadwaterError:
        """The reason why a commit was refused: another process holds the lease, or a user cancelled the work."""
        if self.ended is None:
            with suppress(StoreError):
                self._extend_lease()
        return self.ended if isinstance(self.ended, RefreshCancelled) else lost

    def _cancel_for_caller(self) -> None:
        """End the work, and make sure that it commits nothing, even if it can't be ended now."""
        if self.ended is None:
            self.ended = cancelled_by_caller()
        with suppress(StoreError):
            self._database.execute(leases.revoke_stmt(self._lease, leases.holder()))
        self._cancel_job()

    def _look(self) -> None:
        self._looks += 1
        late = self.ended is None and self._is_timed_out()
        try:
            # If this fails, the commit finds the lease expired.
            with suppress(StoreError):
                # Also on a timeout: a user may have cancelled first.
                if late or self._looks % LOOKS == 0:
                    self._extend_lease()
                else:
                    self._notice(leases.status(self._database, self._lease))
        finally:
            if late and self.ended is None:
                self.ended = timed_out(self._limit)
        # At every check: the work may have started another job.
        if self.ended is not None:
            self._cancel_job()

    def _cancel_job(self) -> None:
        if (cancel := self._cancel) is not None:
            cancel()

    def _is_timed_out(self) -> bool:
        return 0 < self._limit <= (self._clock.now() - self._began_at).total_seconds()

    def _extend_lease(self) -> None:
        self._notice(leases.extend(self._database, self._lease))

    def _notice(self, standing: LeaseStatus) -> None:
        if self.ended is not None:
            return
        if not standing.held:
            self.ended = LeaseLost(_LOST, hint=_LEAVE)
        elif standing.cancelled_by is not None:
            self.ended = RefreshCancelled(
                "the refresh was cancelled",
                detail=f"{standing.cancelled_by} requested it. The table keeps its previous contents.",
                hint="The table is refreshed again when it is due, or on request.",
            )


@contextmanager
def leased(
    site: Site, lease: Lease, limit: float | None = None, cancellation: Cancellation | None = None
) -> Iterator[LeaseWatch]:
    """Watch over a taken lease while the block runs, and release it at the end."""
    lease_watch = LeaseWatch(site, lease, limit, cancellation)
    try:
        with lease_watch.running():
            yield lease_watch
    finally:
        # A lease that can't be released expires.
        with suppress(StoreError):
            leases.give_back(site.database, lease)


def timed_out(limit: float) -> RefreshTimedOut:
    """The error for a refresh that exceeded its timeout."""
    return RefreshTimedOut(
        f"the refresh ran longer than {limit:g} seconds",
        detail="The table keeps its previous contents.",
        hint="Raise refresh_timeout, give Spark more cores or memory, or make the query cheaper.",
    )


def still_held(lease: Lease, kind: str) -> Guard:
    """The guard of a commit under the lease."""
    return Guard(lambda _id: leases.hold_stmt(lease, kind), _LOST, hint=_LEAVE, error=LeaseLost)
