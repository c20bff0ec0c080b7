"""Open the lake of the settings for a command that needs no engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.cli.exit_codes import note
from headwater.core.settings import Settings
from headwater.lake.clock_check import HINT, clock_problem
from headwater.lake.open_site import open_existing_site
from headwater.lake.site import Site


@contextmanager
def open_site(settings: Settings) -> Iterator[Site]:
    """The lake of the settings, which must exist."""
    settings.check()
    site = open_existing_site(settings.lake, settings.data_path)
    try:
        yield site
    finally:
        site.database.close()


def warn_of_clock(site: Site) -> None:
    """Say on stderr if the clock of this machine is wrong."""
    if problem := clock_problem(site):
        note(f"warning: {problem}. {HINT}")
