"""Paths of the catalog: from relative to absolute, and back."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def as_folder(path: str) -> str:
    """The path as an absolute folder with a trailing slash; URLs are only given the slash."""
    if not urlsplit(path).scheme:
        path = os.path.abspath(path)
    return path if path.endswith("/") else f"{path}/"


def resolve(base: str, path: str | None, relative: bool | None) -> str:
    """The absolute path of a catalog entry: below `base` if its path is relative.

    >>> resolve("/lake/data/", "main/", True)
    '/lake/data/main/'
    """
    if not path:
        return base
    return base + path if relative else path


def relative_to(base: str, path: str) -> tuple[str, bool]:
    """The path as the catalog stores it, and whether it is relative to `base`."""
    return (path[len(base) :], True) if path.startswith(base) else (path, False)


def folder_for(name: str, unique: str) -> str:
    """The folder of a new schema or table: its name if that has only plain characters, else its unique id.

    >>> folder_for("orders", "u"), folder_for("we ird", "u")
    ('orders/', 'u/')
    """
    return f"{name}/" if _PLAIN.fullmatch(name) else f"{unique}/"
