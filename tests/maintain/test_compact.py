"""Compaction as DuckDB sees it: every snapshot and every change feed reads as before, and it can go on from there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import CommitConflict, SnapshotMissing
from headwater.lake import inlined
from headwater.lake.read_arrow import read_whole
from headwater.lake.values import InlinedRows
from headwater.maintain.choose_files import Policy
from headwater.maintain.compact import TableCompactor
from headwater.maintain.expire import remove_snapshots
from headwater.maintain.orphans import find_orphans
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.arrow_lake import EAGER, without_spark
from tests.duck import Duck, DuckError
from tests.fakes.copied_table import make_copied_table, refresh_copy
from tests.fix_db import Catalog

# Leaves files with deletes alone where they are fewer than three.
WHOLE = Policy(min_files=3, deleted_share=2.0)


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


class Seen:
    """What DuckDB reads of the table t."""

    def __init__(self, duck: Duck, catalog: Catalog) -> None:
        self._duck = duck
        self._catalog = catalog

    def versions(self, last: int) -> dict[int, list[Any]]:
        self._duck.attach(self._catalog.duck_uri, self._catalog.data_path)
        query = "SELECT rowid, * FROM t AT (VERSION => {}) ORDER BY ALL"
        return {at: self._duck.execute(query.format(at)) for at in range(2, last + 1)}

    def changes(self, last: int, but: int | None = None) -> list[Any]:
        query = f"FROM ducklake_table_changes('lake', 'main', 't', 2, {last})"
        # Rewriting shows as pairs of the same row, in DuckDB too.
        return sorted(row for row in self._duck.execute(query) if row[0] != but)


@pytest.fixture
def seen(duck: Duck, catalog: Catalog) -> Seen:
    return Seen(duck, catalog)


def _history(lake: Lake) -> int:
    """Rows that came and went in many commits, some updated; the newest snapshot."""
    lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
    for number in range(4):
        arrow_lake.append(lake, "t", [(10 * number + n, f"v{n}") for n in range(5)] + [(None, None)])
    first, second, *_ = sorted(entry.file.id for entry in lake.describe("t").files)
    arrow_lake.update(lake, "t", {first: [1, 2]}, [(1, "new"), (2, None)], [1, 2])
    arrow_lake.delete(lake, "t", {first: [0], second: [5]})
    return lake.snapshots()[-1].id


def test_merging_leaves_every_snapshot_and_change_as_it_was(lake: Lake, duck: Duck, seen: Seen) -> None:
    last = _history(lake)
    before, changes = seen.versions(last), seen.changes(last)
    done = arrow_lake.compact(lake, "t", WHOLE)
    assert (done.files_before, done.files_after, done.rows, done.skipped_reason) == (3, 1, 14, None)
    assert seen.versions(last) == before
    assert seen.versions(last + 1)[last + 1] == before[last]
    assert seen.changes(last + 1) == changes
    assert not lake.touched("t", last).touched
    assert arrow_lake.compact(lake, "t", WHOLE).files_before == 0
    # DuckDB goes on from there.
    duck.execute("DELETE FROM t WHERE i = 31")
    duck.execute("UPDATE t SET v = 'theirs' WHERE i = 32")
    duck.execute("INSERT INTO t VALUES (99, 'theirs')")
    now = duck.execute("SELECT rowid, * FROM t ORDER BY ALL")
    duck.execute("CALL ducklake_merge_adjacent_files('lake', 't')")
    assert duck.execute("SELECT rowid, * FROM t ORDER BY ALL") == now
    assert seen.versions(last) == before
    # It narrows the table's bounds here, and reads older snapshots wrong from then on.
    duck.execute("CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)")
    assert duck.execute("SELECT rowid, * FROM t ORDER BY ALL") == now
    duck.execute("CALL ducklake_expire_snapshots('lake', older_than => now() + INTERVAL 1 DAY)")
    duck.execute("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
    duck.reattach()
    assert duck.execute("SELECT rowid, * FROM t ORDER BY ALL") == now
    assert duck.execute("SELECT count(*), count(i), min(i), max(i) FROM t") == [(len(now), len(now) - 3, 1, 99)]


def test_rewriting_leaves_every_snapshot_as_it_was(lake: Lake, duck: Duck, seen: Seen) -> None:
    last = _history(lake)
    before, changes = seen.versions(last), seen.changes(last)
    done = arrow_lake.compact(lake, "t", Policy(min_files=99, deleted_share=0.01))
    assert (done.files_before, done.files_after, done.rows) == (2, 1, 8)
    assert seen.versions(last) == before
    assert seen.versions(last + 1)[last + 1] == before[last]
    assert seen.changes(last + 1, but=last + 1) == changes
    assert not lake.touched("t", last).touched
    # Then merged with the others, in one run.
    arrow_lake.append(lake, "t", [(100, "x")])
    arrow_lake.delete(lake, "t", {sorted(entry.file.id for entry in lake.describe("t").files)[0]: [0]})
    now = lake.snapshots()[-1].id
    before, changes = seen.versions(now), seen.changes(now, but=last + 1)
    done = arrow_lake.compact(lake, "t", EAGER)
    assert len(lake.describe("t").files) == 1
    assert done.files_before == 1 + 5
    assert seen.versions(now) == before
    assert [row for row in seen.changes(now + 1, but=last + 1) if row[0] != now + 1] == changes
    duck.execute("UPDATE t SET v = 'theirs'")
    assert duck.execute("SELECT count(*), count(DISTINCT rowid) FROM t WHERE v = 'theirs'") == [(len(before[now]),) * 2]


def _read(lake: Lake, at: int) -> list[Any]:
    """What Headwater reads, in the form of `Seen.versions`."""
    shown = lake.describe("t", at)
    table = read_whole(replace(shown, inlined=InlinedRows()), (), rowid="rid", since=None)
    assert table is not None
    rows = [(row["rid"], row["i"], row["v"]) for row in table.to_pylist()]
    return sorted([*rows, *((rowid, *values) for rowid, values in shown.inlined.rows)])


def _worn_in_the_catalog(lake: Lake, duck: Duck, catalog: Catalog) -> int:
    """Six small files, from each of which DuckDB deletes a little, most of it held in the catalog; the newest snapshot."""
    lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
    for number in range(6):
        arrow_lake.append(lake, "t", [(10 * number + n, f"v{n}") for n in range(10)])
    first = min(entry.file.id for entry in lake.describe("t").files)
    arrow_lake.delete(lake, "t", {first: [9]})
    duck.attach(catalog.duck_uri, catalog.data_path)
    # Not from the first file: the extension's feed of changes forgets what it holds of a file that has a delete file too.
    duck.execute("DELETE FROM t WHERE i % 10 = 3 AND i > 9")
    duck.execute("UPDATE t SET v = 'new' WHERE i = 14")
    duck.execute("DELETE FROM t WHERE i IN (25, 35, 45)")
    held = [entry for entry in lake.describe("t").files if entry.inlined_deletes]
    assert len(held) >= 5
    return lake.snapshots()[-1].id


def test_small_files_with_deletes_held_in_the_catalog_become_one(
    lake: Lake, duck: Duck, seen: Seen, catalog: Catalog
) -> None:
    last = _worn_in_the_catalog(lake, duck, catalog)
    before, changes = seen.versions(last), seen.changes(last)
    assert arrow_lake.compact(lake, "t", Policy()).files_before == 6
    assert [entry.deleted for entry in lake.describe("t").files] == [0]
    assert seen.versions(last) == before
    assert seen.versions(last + 1)[last + 1] == before[last]
    assert seen.changes(last + 1, but=last + 1) == changes
    assert not lake.touched("t", last).touched
    assert arrow_lake.compact(lake, "t", Policy()).files_before == 0
    # DuckDB goes on: it flushes what it still holds of the old files, deletes from the new one and compacts that.
    duck.execute("CALL ducklake_flush_inlined_data('lake')")
    assert seen.versions(last) == before
    duck.execute("DELETE FROM t WHERE i = 50")
    now = duck.execute("SELECT rowid, * FROM t ORDER BY ALL")
    assert len(now) == len(before[last]) - 1
    duck.execute("CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)")
    assert duck.execute("SELECT rowid, * FROM t ORDER BY ALL") == now


def test_deletes_held_of_a_file_with_a_delete_file_can_be_flushed_after_a_rewrite(
    lake: Lake, duck: Duck, seen: Seen, catalog: Catalog
) -> None:
    _worn_in_the_catalog(lake, duck, catalog)
    duck.execute("DELETE FROM t WHERE i = 1")
    assert any(entry.deletes and entry.inlined_deletes for entry in lake.describe("t").files)
    last = lake.snapshots()[-1].id
    before = seen.versions(last)
    assert arrow_lake.compact(lake, "t", Policy()).files_before == 6
    for _ in range(2):
        assert seen.versions(last) == before
        assert {at: _read(lake, at) for at in before} == before
        assert lake.touched("t", last).rows_at_most == 0
        duck.execute("CALL ducklake_flush_inlined_data('lake')")


def test_a_snapshot_that_another_client_has_damaged_is_not_read_wrong(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    _worn_in_the_catalog(lake, duck, catalog)
    duck.execute("DELETE FROM t WHERE i = 1")
    last = lake.snapshots()[-1].id
    rows = duck.execute("SELECT rowid, * FROM t ORDER BY ALL")
    duck.execute("CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.0)")
    assert _read(lake, last) == rows
    duck.execute("CALL ducklake_flush_inlined_data('lake')")
    with pytest.raises(SnapshotMissing, match="two delete files"):
        lake.describe("t", last)
    with pytest.raises(SnapshotMissing, match="two delete files"):
        lake.touched("t", last)
    assert _read(lake, lake.snapshots()[-1].id) == rows


def test_deletes_beside_a_delete_file_that_stays_are_counted(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    last = _worn_in_the_catalog(lake, duck, catalog)
    duck.execute("DELETE FROM t WHERE i < 5")
    assert lake.touched("t", last).rows_at_most >= 5


def test_what_expired_in_between_is_not_taken_for_rows_written_anew(lake: Lake) -> None:
    lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
    arrow_lake.append(lake, "t", [(n, "a") for n in range(100)])
    (first,) = (entry.file.id for entry in lake.describe("t").files)
    start = arrow_lake.delete(lake, "t", {first: range(10)})
    came = arrow_lake.append(lake, "t", [(n, "b") for n in range(10)])
    second = max(entry.file.id for entry in lake.describe("t").files)
    gone = arrow_lake.delete(lake, "t", {second: [0]})
    arrow_lake.compact(lake, "t", Policy(min_files=2))
    assert lake.touched("t", start).rows_at_most >= 9
    lake.database.transact(lambda c: remove_snapshots(c, lake.data_path, (came, gone), datetime.now(UTC)))
    assert lake.touched("t", start).touched
    assert lake.touched("t", start).rows_at_most >= 9


def test_rows_deleted_before_and_after_a_rewrite_are_counted_once(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    last = _worn_in_the_catalog(lake, duck, catalog)
    arrow_lake.compact(lake, "t", Policy())
    assert lake.touched("t", last).rows_at_most == 0
    duck.execute("DELETE FROM t WHERE i IN (0, 1)")
    assert any(entry.inlined_deletes for entry in lake.describe("t").files)
    assert 2 <= lake.touched("t", last).rows_at_most <= 4
    assert lake.touched("t", last - 1).rows_at_most >= 3 + 2


def test_expiry_forgets_deletes_of_files_that_are_gone(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    last = _worn_in_the_catalog(lake, duck, catalog)
    arrow_lake.compact(lake, "t", Policy())
    duck.execute("DELETE FROM t WHERE i = 0")
    now = duck.execute("SELECT rowid, * FROM t ORDER BY ALL")
    held = inlined.deletes_table(lake.describe("t").table.id)
    old = tuple(snapshot.id for snapshot in lake.snapshots() if snapshot.id <= last)
    lake.database.transact(lambda connection: remove_snapshots(connection, lake.data_path, old, datetime.now(UTC)))
    with lake.database.read() as connection:
        assert len(connection.execute(sa.select(held)).all()) == 1
    duck.reattach()
    assert duck.execute("SELECT rowid, * FROM t ORDER BY ALL") == now
    duck.execute("CALL ducklake_flush_inlined_data('lake')")
    assert duck.execute("SELECT rowid, * FROM t ORDER BY ALL") == now


def test_what_rows_of_older_columns_hold_is_kept(lake: Lake, duck: Duck, seen: Seen) -> None:
    lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
    for number in range(3):
        arrow_lake.append(lake, "t", [(number, "old")])
    lake.sql("ALTER TABLE t ADD COLUMN n INT DEFAULT 7; ALTER TABLE t ALTER i TYPE BIGINT; ALTER TABLE t DROP COLUMN v")
    for number in range(3):
        arrow_lake.append(lake, "t", [(number, number)])
    last = lake.snapshots()[-1].id
    before = seen.versions(last)
    assert arrow_lake.compact(lake, "t", WHOLE).files_after == 2
    assert seen.versions(last) == before


class Overtaken:
    """A compactor that somebody else is faster than."""

    def __init__(self, meanwhile: Any) -> None:
        self._meanwhile = meanwhile

    def rewrite(self, work: Any) -> Any:
        written = without_spark().rewrite(work)
        self._meanwhile()
        return written


def test_deletes_and_compactions_in_between_win_and_nothing_is_left_behind(
    lake: Lake, duck: Duck, seen: Seen, catalog: Catalog
) -> None:
    last = _history(lake)
    duck.attach(catalog.duck_uri, catalog.data_path)
    table_id = lake.describe("t").table.id
    files = sorted(entry.file.id for entry in lake.describe("t").files)
    rows = duck.execute("SELECT count(*) FROM t")[0][0]

    def delete() -> None:
        arrow_lake.delete(lake, "t", {files[3]: [0]})

    def theirs() -> None:
        duck.execute("CALL ducklake_merge_adjacent_files('lake', 't')")

    def compacted(meanwhile: Any) -> str | None:
        return TableCompactor(lake.site, lambda: Overtaken(meanwhile)).compact(table_id, WHOLE).skipped_reason

    def held() -> None:
        duck.execute("DELETE FROM t WHERE i = 34")

    assert "changed before they were compacted" in (compacted(delete) or "")
    assert "a concurrent commit conflicts" in (compacted(held) or "")
    assert "a concurrent commit conflicts" in (compacted(theirs) or "")
    assert find_orphans(lake.database, lake.data_path, datetime.now(UTC), timedelta(0)) == ()
    # Rows that only came are no harm.
    arrow_lake.append(lake, "t", [(7, "z")])
    assert compacted(lambda: arrow_lake.append(lake, "t", [(8, "z")])) is None
    assert lake.snapshots()[-1].id > last
    assert duck.execute("SELECT count(*) FROM t")[0][0] == rows - 2 + len(duck.execute("FROM t WHERE v = 'z'"))


def test_a_delete_computed_before_a_merge_does_not_land_after_it(lake: Lake) -> None:
    base = _history(lake)
    file = sorted(entry.file.id for entry in lake.describe("t").files)[3]
    arrow_lake.compact(lake, "t", WHOLE)
    with pytest.raises(CommitConflict):
        arrow_lake.delete(lake, "t", {file: [0]}, base)


def test_what_was_only_written_anew_does_not_count_as_changed(lake: Lake) -> None:
    lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
    arrow_lake.append(lake, "t", [(n, "a") for n in range(1000)])
    arrow_lake.append(lake, "t", [(n, "b") for n in range(1000)])
    files = sorted(entry.file.id for entry in lake.describe("t").files)
    arrow_lake.delete(lake, "t", {files[0]: range(599)})
    start = arrow_lake.delete(lake, "t", {files[0]: [700]})
    arrow_lake.delete(lake, "t", {files[1]: [1, 2]})
    # Of rows that came and were deleted since nothing is known but their number.
    arrow_lake.append(lake, "t", [(5000 + n, "new") for n in range(10)])
    newest = max(entry.file.id for entry in lake.describe("t").files)
    arrow_lake.delete(lake, "t", {newest: range(8)})
    assert arrow_lake.compact(lake, "t", Policy(min_files=99)).files_before == 2
    assert 2 + 2 <= lake.touched("t", start).rows_at_most <= 2 + 2 * 10
    assert lake.touched("t", start).touched
    # Nothing else has happened since: not even these.
    assert lake.touched("t", lake.snapshots()[-2].id).rows_at_most == 0


def test_files_wait_until_their_readers_have_read_them(lake: Lake) -> None:
    table_id = make_copied_table(lake)
    for number in range(3):
        arrow_lake.append(lake, "t", [(number, "a")])
    refresh_copy(lake, table_id)
    arrow_lake.append(lake, "t", [(9, "unread")])
    assert arrow_lake.compact(lake, "t", EAGER).files_before == 3
    assert arrow_lake.compact(lake, "t", EAGER).files_before == 0
    assert refresh_copy(lake, table_id).rows_inserted == 1
    assert arrow_lake.compact(lake, "t", EAGER).files_before == 2


@pytest.mark.parametrize("catalog_kind", ["postgres"])
@pytest.mark.parametrize("what", ["DELETE FROM t WHERE i IN (2, 22)", "UPDATE t SET v = 'u' WHERE i IN (2, 22)"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_delete_of_duckdb_that_was_begun_before_a_compaction_is_refused(
    lake: Lake, duck: Duck, catalog: Catalog, what: str, whole: bool
) -> None:
    """Else it would land on a file that nobody reads any more."""
    if whole:
        _history(lake)
        duck.attach(catalog.duck_uri, catalog.data_path)
    else:
        _worn_in_the_catalog(lake, duck, catalog)
    before = duck.execute("SELECT rowid, * FROM t ORDER BY ALL")
    duck.execute("BEGIN")
    duck.execute(what)
    assert arrow_lake.compact(lake, "t", WHOLE).files_before == (3 if whole else 6)
    with pytest.raises(DuckError, match="another transaction has flushed"):
        duck.execute("COMMIT")
    assert duck.execute("SELECT rowid, * FROM t ORDER BY ALL") == before
