"""Choose the files of a table to compact, by size, deleted rows, partition and schema version, without opening them.

A file is merged only with smaller files that together have at least its size. So a merge writes each row into a file of at
least twice the size, which limits how often a row is rewritten on the way to the target size. Files below a minimum size are
always merged, because opening one costs more than rewriting it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

# Opening a file costs about as much as reading this many bytes.
FLOOR = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Policy:
    """The thresholds of compaction."""

    target_bytes: int = 512 * 1024 * 1024
    # The minimum number of small files to merge.
    min_files: int = 4
    # A file with this fraction of deleted rows is rewritten without them.
    deleted_share: float = 0.5


@dataclass(frozen=True, slots=True)
class FileGroup:
    """The properties that files to merge must share: the version of the table's columns, and the partition."""

    version: int = 0
    partition_id: int | None = None
    partition_values: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """The properties of a data file that the choice uses."""

    id: int
    bytes: int
    records: int
    deleted: int = 0
    kind: FileGroup = FileGroup()
    # Whether all dynamic tables that read the table have read its rows.
    read: bool = True

    @property
    def left(self) -> float:
        """The estimated bytes of rows that are not deleted."""
        return self.bytes * (1 - self.deleted / self.records) if self.records else 0.0


def choose_merges(files: Iterable[Candidate], policy: Policy) -> tuple[tuple[Candidate, ...], ...]:
    """Groups of small files without deletes; each group is merged into one file.

    >>> files = [Candidate(n, 10, 1) for n in range(5)]
    >>> [[file.id for file in group] for group in choose_merges(files, Policy())]
    [[0, 1, 2, 3, 4]]
    """
    return tuple(_small((file for file in files if not file.deleted), policy))


def choose_rewrites(files: Iterable[Candidate], policy: Policy) -> tuple[tuple[Candidate, ...], ...]:
    """Groups of files with many deleted rows, or small ones with any; each group's rows are rewritten into one file.

    >>> [len(group) for group in choose_rewrites([Candidate(1, 10, 4, 3), Candidate(2, 10, 4, 1)], Policy())]
    [1]
    """
    worn = [file for file in files if file.deleted]
    worth = [file for file in worn if file.deleted >= policy.deleted_share * file.records]
    rest = [file for file in worn if file.deleted < policy.deleted_share * file.records]
    filled = (group for alike in _by_kind(worth) for group in _filled(alike, policy.target_bytes))
    return (*filled, *_small(rest, policy))


def _small(files: Iterable[Candidate], policy: Policy) -> Iterator[tuple[Candidate, ...]]:
    small = (file for file in files if file.read and file.left < policy.target_bytes // 2)
    for alike in _by_kind(small):
        yield from (group for group in _tiers(alike, policy) if len(group) >= policy.min_files)


def _by_kind(files: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    found: defaultdict[FileGroup, list[Candidate]] = defaultdict(list)
    for file in files:
        found[file.kind].append(file)
    for alike in found.values():
        yield sorted(alike, key=lambda file: (file.left, file.id))


def _tiers(files: Sequence[Candidate], policy: Policy) -> Iterator[tuple[Candidate, ...]]:
    group: list[Candidate] = []
    size = 0.0
    for file in files:
        if group and (file.left > max(size, FLOOR) or size + file.left > policy.target_bytes):
            yield tuple(group)
            group, size = [], 0.0
        group.append(file)
        size += file.left
    if group:
        yield tuple(group)


def _filled(files: Sequence[Candidate], most: int) -> Iterator[tuple[Candidate, ...]]:
    group: list[Candidate] = []
    size = 0.0
    for file in files:
        if group and size + file.left > most:
            yield tuple(group)
            group, size = [], 0.0
        group.append(file)
        size += file.left
    if group:
        yield tuple(group)
