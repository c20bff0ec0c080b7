"""Open a lake, or create it."""

from __future__ import annotations

import os

from headwater.lake.open_site import open_existing_site, open_site
from headwater.service.lake import Lake


def connect(path_or_url: str | os.PathLike[str], data_path: str | os.PathLike[str] | None = None) -> Lake:
    """The lake in a folder, a SQLite catalog file or a PostgreSQL database; created where there is none.

    A folder holds `catalog.sqlite` and `data/`. A PostgreSQL database needs `data_path` when the lake is new.
    """
    site = open_site(path_or_url, data_path)
    return Lake(site.database, site.data_path)


def open_existing(place: str, data_path: str | None = None) -> Lake:
    """Open an existing lake; unlike `connect`, never creates one."""
    site = open_existing_site(place, data_path)
    return Lake(site.database, site.data_path)
