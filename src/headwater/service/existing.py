"""Open a lake that must be there already."""

from __future__ import annotations

import os

from headwater.core.errors import NotALake
from headwater.service.connect import CATALOG_FILE, connect
from headwater.service.lake import Lake


def open_existing(place: str, data_path: str | None = None) -> Lake:
    """The lake at a place; unlike `connect`, makes none where a folder or file holds none."""
    if place and _is_absent(place):
        raise NotALake(f'there is no lake in "{place}"', hint="Run headwater init, or choose another with --lake.")
    return connect(place, data_path)


def _is_absent(place: str) -> bool:
    path = place.removeprefix("sqlite:///")
    if "://" in path or path.startswith("ducklake:"):
        return False
    path = os.path.expanduser(path)
    return not os.path.isfile(os.path.join(path, CATALOG_FILE) if os.path.isdir(path) else path)
