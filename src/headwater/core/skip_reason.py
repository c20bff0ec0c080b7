"""Why work on a table was left undone on purpose."""

from __future__ import annotations

from enum import StrEnum


class SkipReason(StrEnum):
    """What code decides by; the value is what people read."""

    LEASED = "another refresh of this table is running"
    BEING_REFRESHED = "the table is being refreshed"
    AUTO_COMPACT_OFF = "automatic compaction is off for it"
