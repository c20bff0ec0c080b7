"""Raise the failures among refreshes."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.core.errors import RefreshFailed
from headwater.core.refresh_record import RefreshRecord, RefreshState


def raise_failures(refreshes: Iterable[RefreshRecord]) -> None:
    """Raise the first failure, if there is one, with the number of others."""
    failed = [each for each in refreshes if each.state is RefreshState.FAILED]
    if failed:
        first = failed[0]
        assert first.error is not None
        failure = RefreshFailed(
            f"refresh of {first.name} failed" + (f", and of {len(failed) - 1} more" if len(failed) > 1 else ""),
            detail=f"{first.error.message.rstrip('.')}. {first.error.detail or ''}".strip(),
            hint=first.error.hint,
            position=first.error.position,
        )
        if first.error.source_line is not None:
            failure.source_line = first.error.source_line
            failure.add_note(failure.source_line)
        raise failure from first.error
