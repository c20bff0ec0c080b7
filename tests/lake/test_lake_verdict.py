"""The verdict on a catalog and a data folder, where no test can make the case: other devices, servers and hosts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from headwater.lake.lake_verdict import FolderFacts, LakeEvidence, LakeKeys, LakeVerdict, judge
from headwater.lake.marker import FoundMarker, Marker, NotedSnapshot

AT = datetime(2026, 1, 1, tzinfo=UTC)
MARKER = Marker("lake", "g2", "8:100", "../catalog.sqlite", snapshot=NotedSnapshot(7, AT))
OWN = LakeEvidence(
    True,
    LakeKeys("lake", "g2", "8:200:a"),
    FoundMarker(MARKER, "8:200:a"),
    "8:100",
    "../catalog.sqlite",
    7,
    AT,
    FolderFacts(is_named=True),
)
SHARED = replace(
    OWN,
    embedded=False,
    catalog="1:2:3",
    catalog_name="postgresql://host/lake",
    found=FoundMarker(replace(MARKER, catalog="1:2:3", catalog_name="postgresql://host/lake"), "8:200:a"),
)
ELSEWHERE = FolderFacts(is_named=False)


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (OWN, LakeVerdict.SAME),
        # NFS after a restart: the same path and inodes on a new device.
        (replace(OWN, catalog="9:100", found=FoundMarker(MARKER, "9:200:")), LakeVerdict.RESTORED_IN_PLACE),
        # NFS, where hosts have it at different paths and devices.
        (replace(OWN, catalog="9:100", folder=ELSEWHERE), LakeVerdict.COPY_OR_MOVED),
        # A file system that reports no version of an inode.
        (replace(OWN, found=FoundMarker(MARKER, "8:200:")), LakeVerdict.SAME),
        (replace(OWN, found=FoundMarker(MARKER, "8:200:b")), LakeVerdict.RESTORED_IN_PLACE),
        # A note that was lost: other clients have committed since, and the noted snapshot has expired.
        (replace(OWN, newest=12), LakeVerdict.SAME),
        (replace(OWN, newest=12, noted_at=None), LakeVerdict.SAME),
        (replace(OWN, newest=6, noted_at=None), LakeVerdict.DIFFERENT_TIMES),
        (replace(OWN, noted_at=AT + timedelta(seconds=1)), LakeVerdict.DIFFERENT_TIMES),
        # Failover to a replica: PostgreSQL's identifiers are the same, and so is the folder, at any path.
        (SHARED, LakeVerdict.SAME),
        (replace(SHARED, found=FoundMarker(SHARED.found.marker, "9:1:")), LakeVerdict.SAME),  # type: ignore[union-attr]
        (replace(SHARED, folder=FolderFacts(False, is_mounted_elsewhere=True)), LakeVerdict.MOUNTED_ELSEWHERE),
        # pg_upgrade, or a dump on another server.
        (replace(SHARED, catalog="9:2:3"), LakeVerdict.SECOND_CATALOG),
        # A point-in-time clone, after the original or the clone has written.
        (replace(SHARED, newest=6, noted_at=None), LakeVerdict.DIFFERENT_TIMES),
        (replace(SHARED, newest=9, noted_at=AT - timedelta(seconds=1)), LakeVerdict.DIFFERENT_TIMES),
    ],
)
def test_the_verdict_follows_from_the_evidence(evidence: LakeEvidence, verdict: LakeVerdict) -> None:
    assert judge(evidence) is verdict
