"""Open the lake of the settings."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from headwater.cli.exit_codes import note
from headwater.core.settings import Settings
from headwater.service.compute_client import SharedCompute
from headwater.service.connect import open_existing
from headwater.service.lake import Lake
from headwater.service.wiring import compute_briefly


@contextmanager
def open_lake(settings: Settings) -> Iterator[Lake]:
    """The lake of the settings, which must exist."""
    settings.check()
    with open_existing(settings.lake, settings.data_path) as lake:
        configure(lake, settings)
        idle = settings.compute_idle
        compute_briefly(SharedCompute(lake.site, shlex.join(sys.argv[1:]), idle, note) if idle else None)
        yield lake


def configure(lake: Lake, settings: Settings) -> None:
    """Apply the settings for refreshes to the lake."""
    lake.refresh_timeout, lake.warehouses = settings.refresh_timeout, settings.warehouses
