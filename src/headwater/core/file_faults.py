"""What an error of the operating system about a file means, and what to do about it."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.core.errors import DiskFull, FileDenied, FileFailed, FileMissing, LakeError


@dataclass(frozen=True, slots=True)
class FileFault:
    """A kind of failure: the error for a file of the lake, the fact as a sentence, and the remedy."""

    fact: str
    remedy: str
    kind: type[LakeError] = FileFailed


_MESSAGES: Mapping[type[LakeError], str] = {
    FileFailed: 'file "{}" can\'t be used',
    FileDenied: 'permission denied for file "{}"',
    FileMissing: 'file "{}" is missing',
    DiskFull: 'no space left for file "{}"',
}
_DENIED = FileFault(
    "The file system denies access to this user.", "Grant this user access to the file and its folders.", FileDenied
)
_FULL = FileFault(
    "The file system is full, or a quota is exceeded.",
    "Free some space; nothing was changed, and the next refresh continues.",
    DiskFull,
)
_NAME = FileFault("The path is not valid on this file system.", "Choose a shorter path of plain characters.")
_DEVICE = FileFault("The device or the network file system failed.", "Check the device and the system's log.")
_LIMIT = FileFault("The limit of open files is reached.", "Raise the limit, for example with ulimit -n.")
_IN_USE = FileFault("Another program uses the file.", "Wait until the other program ends, then try again.")

FAULTS: Mapping[int, FileFault] = {
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: FileFault("The file would exceed the limit for files.", "Raise the limit with ulimit -f.", DiskFull),
    errno.EROFS: FileFault(
        "The file system is read-only.", "Mount it for writing, or run the command on a machine that may write to it."
    ),
    errno.ENOENT: FileFault(
        "The catalog lists it, but the file system does not have it.",
        "Restore the file from a backup, or read a snapshot that does not need it.",
        FileMissing,
    ),
    errno.ENOTDIR: FileFault("A part of its path is a file, not a folder.", "Move that file, or choose another path."),
    errno.EISDIR: FileFault("It is a folder, not a file.", "Move the folder, or choose another path."),
    errno.ELOOP: FileFault("Its symbolic links form a loop.", "Correct the links."),
    errno.ENAMETOOLONG: _NAME,
    errno.EILSEQ: _NAME,
    errno.EINVAL: _NAME,
    errno.EMFILE: _LIMIT,
    errno.ENFILE: _LIMIT,
    errno.EIO: _DEVICE,
    errno.ENODEV: _DEVICE,
    errno.ENXIO: _DEVICE,
    errno.ENOTCONN: _DEVICE,
    errno.ETIMEDOUT: _DEVICE,
    errno.ESTALE: FileFault("Its network file system was mounted again.", "Start Headwater again."),
    errno.EBUSY: _IN_USE,
    errno.ETXTBSY: _IN_USE,
}


def fault_of(number: int | None, words: str | None = None) -> FileFault:
    """The fault of an error's number; `words` are the system's own, for a number that has none.

    >>> fault_of(errno.EROFS).fact
    'The file system is read-only.'
    """
    fact = words or "The operating system reported an unknown error"
    return FAULTS.get(number or 0) or FileFault(f"{fact.rstrip('.')}.", "Check the file and its file system.")


def file_error(path: str, number: int | None, words: str | None = None) -> LakeError:
    """The error for a file of the lake, by the number of the system's error.

    >>> str(file_error("/lake/a.parquet", errno.EACCES)).splitlines()[0]
    'error[HW-LAKE-008]: permission denied for file "/lake/a.parquet"'
    """
    fault = fault_of(number, words)
    error = fault.kind(_MESSAGES[fault.kind].format(path), detail=fault.fact, hint=fault.remedy)
    error.path = path
    return error
