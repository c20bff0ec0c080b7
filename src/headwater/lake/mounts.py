"""Where a folder is inside its file system, which mounts of it under other names do not change."""

from __future__ import annotations

import os
import re

_MOUNTS = "/proc/self/mountinfo"
_ESCAPED = re.compile(r"\\([0-7]{3})")


def path_in_file_system(folder: str) -> str | None:
    """The folder's path inside its file system; None where the system does not tell."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as mounts:
            return find_in_mounts(os.path.realpath(folder), mounts.read())
    except OSError:
        return None


def find_in_mounts(path: str, mountinfo: str) -> str | None:
    """The path inside the file system that is mounted above it, by the text of Linux's mountinfo.

    >>> find_in_mounts("/lake/data", "36 35 98:0 / / rw - ext4 d rw\\n37 36 98:0 /srv/shop /lake rw - ext4 d rw\\n")
    '/srv/shop/data'
    """
    found: tuple[str, str] | None = None
    for line in mountinfo.splitlines():
        root, point = (_ESCAPED.sub(lambda code: chr(int(code[1], 8)), part) for part in line.split(" ")[3:5])
        # A later mount on the same point hides an earlier one.
        if _is_in(path, point) and (found is None or len(point) >= len(found[1])):
            found = root, point
    if found is None:
        return None
    root, point = found
    return os.path.normpath(f"{root}/{os.path.relpath(path, point)}").replace("//", "/")


def _is_in(path: str, folder: str) -> bool:
    return folder == "/" or path == folder or path.startswith(f"{folder}/")
