"""Where a writer is killed around its commit, and how often."""

from __future__ import annotations

import os

TIMES = int(os.environ.get("HEADWATER_CRASHES", "1"))
POINTS = ("staged", "snapshot-claimed", "delete-file-written", "rows-written", "landed")
