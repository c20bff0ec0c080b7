"""Names of new files: UUIDs that sort by time."""

from __future__ import annotations

import secrets
import time
from uuid import UUID


def uuid7(node: int | None = None) -> UUID:
    """A UUID of version 7. Those of one `node` (48 bits) end in the same group of digits, by which they can be found.

    >>> str(uuid7(0xABC)).rpartition("-")[2], uuid7().version
    ('000000000abc', 7)
    """
    millis = time.time_ns() // 1_000_000
    tail = secrets.randbits(48) if node is None else node
    value = (
        (millis & (2**48 - 1)) << 80
        | 7 << 76
        | secrets.randbits(12) << 64
        | 2 << 62
        | secrets.randbits(14) << 48
        | tail
    )
    return UUID(int=value)
