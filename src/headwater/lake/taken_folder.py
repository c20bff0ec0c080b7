"""Refuse a folder for a lake's data that is another lake's, or above or below another lake's.

Maintenance deletes files that are below the data folder and unknown to the catalog.
"""

from __future__ import annotations

import os

import sqlalchemy as sa

from headwater.core.errors import InvalidRequest
from headwater.lake.binding import BindingReport, not_adopted
from headwater.lake.lake_verdict import LakeVerdict
from headwater.lake.marker import MARKER_FILE, read_marker


def refuse_taken(url: sa.URL, folder: str) -> None:
    """Check the folder of a new lake, before its catalog file is created."""
    refuse_nested(folder)
    found = read_marker(folder)
    report = BindingReport(
        LakeVerdict.OTHER_LAKE, url.database or "", folder, folder, found.marker if found else None, None
    )
    marked = report.marked_catalog
    if marked is None or "://" in marked or not os.path.exists(marked):
        return
    if os.path.realpath(marked) != os.path.realpath(url.database or ""):
        raise not_adopted(report)


def refuse_nested(folder: str) -> None:
    """Raise an error if the folder is inside the data folder of a lake, or has one in it."""
    if (outer := _marked_above(folder)) is not None:
        raise _nested(f'"{folder}" is inside the data folder of another lake, "{outer}"')
    if (inner := _marked_below(folder)) is not None:
        raise _nested(f'the data folder of another lake, "{inner}", is inside "{folder}"')


def _nested(message: str) -> InvalidRequest:
    return InvalidRequest(
        message,
        detail="Maintenance of one lake would delete files of the other.",
        hint="Choose a folder that is neither inside the data of another lake nor has it inside.",
    )


def _marked_above(folder: str) -> str | None:
    path = os.path.realpath(folder)
    while (parent := os.path.dirname(path)) != path:
        if os.path.exists(os.path.join(parent, MARKER_FILE)):
            return parent
        path = parent
    return None


def _marked_below(folder: str) -> str | None:
    top = os.path.normpath(folder)
    return next((path for path, _, files in os.walk(top) if MARKER_FILE in files and path != top), None)
