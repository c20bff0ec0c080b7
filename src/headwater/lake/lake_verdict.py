"""Decide whether a catalog and a data folder belong to each other.

The catalog's keys and the folder's marker name each other. A copy, a restored backup or another catalog on the same folder
breaks that in its own way; a lake that cannot tell that its files are its own must neither write nor delete any.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from headwater.lake.marker import FoundMarker, is_same_file


class LakeVerdict(StrEnum):
    """What the comparison of catalog and marker shows."""

    SAME = "same"
    MOVED = "moved"
    MOUNTED_ELSEWHERE = "mounted elsewhere"
    RESTORED_IN_PLACE = "restored in place"
    UNMARKED = "unmarked"
    COPY = "copy"
    COPY_OR_MOVED = "copy or moved"
    COPIED_BEFORE_MARKED = "copied before marked"
    DIFFERENT_TIMES = "different times"
    SECOND_CATALOG = "second catalog"
    NO_MARKER = "no marker"
    OTHER_LAKE = "another lake's data"


# The verdicts that allow writes.
WRITABLE = frozenset(
    {
        LakeVerdict.SAME,
        LakeVerdict.MOVED,
        LakeVerdict.MOUNTED_ELSEWHERE,
        LakeVerdict.RESTORED_IN_PLACE,
        LakeVerdict.UNMARKED,
    }
)
# The verdicts of which the next write brings marker and catalog up to date.
BOUND_BY_WRITE = frozenset({LakeVerdict.MOVED, LakeVerdict.RESTORED_IN_PLACE, LakeVerdict.UNMARKED})

MEANINGS = {
    LakeVerdict.SAME: "Catalog and data folder name each other.",
    LakeVerdict.MOVED: "The whole lake was moved.",
    LakeVerdict.MOUNTED_ELSEWHERE: "The data folder is mounted under another path.",
    LakeVerdict.RESTORED_IN_PLACE: "The whole lake was restored at its own path.",
    LakeVerdict.UNMARKED: "The lake was made before data folders had markers; the first write creates one.",
    LakeVerdict.COPY: "The lake is a copy of another one, which still exists.",
    LakeVerdict.COPY_OR_MOVED: "The lake was copied, or moved to another disk; the original is not where it was.",
    LakeVerdict.COPIED_BEFORE_MARKED: "Another catalog has marked the data folder that this catalog was copied with.",
    LakeVerdict.DIFFERENT_TIMES: "Catalog and data folder are from different times, as after a backup of one of them"
    " was restored.",
    LakeVerdict.SECOND_CATALOG: "The data folder belongs to another catalog, of which this one is a copy.",
    LakeVerdict.NO_MARKER: "The data folder has no marker, so nothing shows that its files are those of this catalog.",
    LakeVerdict.OTHER_LAKE: "The data folder is that of another lake.",
}


@dataclass(frozen=True, slots=True)
class LakeKeys:
    """What a catalog stores about its data folder; `marker_file` is the marker's file."""

    lake_id: str
    generation: str
    marker_file: str


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """The data folder in use, compared with the one that the catalog names.

    `named_is_original` tells that the named one is another folder with the same lake's marker, or, for a lake without keys,
    that another catalog lies beside it.
    """

    is_named: bool
    is_mounted_elsewhere: bool = False
    named_is_original: bool = False


@dataclass(frozen=True, slots=True)
class LakeEvidence:
    """Everything that the verdict depends on.

    `noted_at` is the time of the catalog's snapshot with the id that the marker noted. `embedded` lakes have a catalog file,
    whose `catalog_name` is its path from the data folder.
    """

    embedded: bool
    keys: LakeKeys | None
    found: FoundMarker | None
    catalog: str
    catalog_name: str
    newest: int
    noted_at: datetime | None
    folder: FolderFacts


def judge(evidence: LakeEvidence) -> LakeVerdict:
    """The verdict on a catalog and its data folder."""
    keys, found = evidence.keys, evidence.found
    same_catalog = found is not None and found.marker.catalog == evidence.catalog
    if keys is None:
        return _without_keys(evidence, same_catalog)
    if found is None:
        return LakeVerdict.NO_MARKER
    if keys.lake_id not in (found.marker.lake_id, found.marker.previous_id):
        return LakeVerdict.OTHER_LAKE
    if same_catalog:
        return _of_same_catalog(evidence, keys, found)
    return _of_other_catalog(evidence, keys, found)


def _without_keys(evidence: LakeEvidence, same_catalog: bool) -> LakeVerdict:
    if evidence.found is None:
        copied = evidence.folder.named_is_original
        return LakeVerdict.COPIED_BEFORE_MARKED if copied else LakeVerdict.UNMARKED
    if not same_catalog:
        return LakeVerdict.COPIED_BEFORE_MARKED
    # The first write stopped between marker and catalog, or an older catalog was put back.
    return LakeVerdict.UNMARKED if _has_snapshot(evidence, evidence.found) else LakeVerdict.DIFFERENT_TIMES


def _of_same_catalog(evidence: LakeEvidence, keys: LakeKeys, found: FoundMarker) -> LakeVerdict:
    if not _is_consistent(evidence, keys, found, expired=True):
        return LakeVerdict.DIFFERENT_TIMES
    folder = evidence.folder
    same_file = is_same_file(keys.marker_file, found.file)
    if folder.is_named:
        if not evidence.embedded:
            return LakeVerdict.SAME
        if not same_file:
            return LakeVerdict.RESTORED_IN_PLACE
        return LakeVerdict.SAME if _has_its_name(evidence, found) else LakeVerdict.MOVED
    if folder.is_mounted_elsewhere and (same_file or not evidence.embedded):
        return LakeVerdict.MOUNTED_ELSEWHERE
    if evidence.embedded and same_file:
        return LakeVerdict.MOVED
    return LakeVerdict.COPY if folder.named_is_original else LakeVerdict.COPY_OR_MOVED


def _of_other_catalog(evidence: LakeEvidence, keys: LakeKeys, found: FoundMarker) -> LakeVerdict:
    if not evidence.folder.is_named:
        return LakeVerdict.COPY if evidence.folder.named_is_original else LakeVerdict.COPY_OR_MOVED
    if not evidence.embedded or not _has_its_name(evidence, found):
        return LakeVerdict.SECOND_CATALOG
    if _is_consistent(evidence, keys, found, expired=False):
        return LakeVerdict.RESTORED_IN_PLACE
    return LakeVerdict.DIFFERENT_TIMES


def _has_its_name(evidence: LakeEvidence, found: FoundMarker) -> bool:
    return found.marker.catalog_name == evidence.catalog_name


def _is_consistent(evidence: LakeEvidence, keys: LakeKeys, found: FoundMarker, *, expired: bool) -> bool:
    """Whether the catalog has the generation and the snapshot of the marker; that snapshot may have been `expired`."""
    if keys.generation not in (found.marker.generation, found.marker.previous_generation):
        return False
    return _has_snapshot(evidence, found) or (expired and evidence.noted_at is None and _is_beyond(evidence, found))


def _has_snapshot(evidence: LakeEvidence, found: FoundMarker) -> bool:
    noted = found.marker.snapshot
    return noted is None or evidence.noted_at == noted.at


def _is_beyond(evidence: LakeEvidence, found: FoundMarker) -> bool:
    noted = found.marker.snapshot
    return noted is not None and evidence.newest > noted.id
