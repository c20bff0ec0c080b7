"""The reasons for which work on a table is skipped."""

from __future__ import annotations

from enum import StrEnum


class SkipReason(StrEnum):
    """A reason; the value is the text for users."""

    LEASED = "another refresh of this table is running"
    BEING_REFRESHED = "the table is being refreshed"
    AUTO_COMPACT_OFF = "automatic compaction is off for it"
    RESTORED = "they are older than the restore of this lake, and may be rows that it lost"
