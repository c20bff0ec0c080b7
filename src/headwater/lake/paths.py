"""Where things lie: the relative paths of a catalog made absolute, and back."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def as_folder(path: str) -> str:
    """The path as an absolute folder with a trailing slash; addresses with a scheme stay as they are."""
    if not urlsplit(path).scheme:
        path = os.path.abspath(path)
    return path if path.endswith("/") else f"{path}/"


def resolve(base: str, path: str | None, relative: bool | None) -> str:
    """An entry's place: below `base`, unless the catalog says that its path stands alone.

    >>> resolve("/lake/data/", "main/", True)
    '/lake/data/main/'
    """
    if not path:
        return base
    return base + path if relative else path


def relative_to(base: str, path: str) -> tuple[str, bool]:
    """What the catalog stores for a place: (path, is relative)."""
    return (path[len(base) :], True) if path.startswith(base) else (path, False)


def folder_for(name: str, unique: str) -> str:
    """The folder of a new schema or table: its name where that is plain, else its unique id.

    >>> folder_for("orders", "u"), folder_for("we ird", "u")
    ('orders/', 'u/')
    """
    return f"{name}/" if _PLAIN.fullmatch(name) else f"{unique}/"
