"""What goes wrong around a lake is told with a code, a cause and a hint, and changes nothing."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

import headwater
from headwater.core import errors
from headwater.lake import catalog as c
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.postgres import Postgres


def _lake_with_rows(catalog: Catalog) -> Lake:
    lake = headwater.connect(catalog.url, catalog.data_path)
    lake.sql("CREATE TABLE t(i INT)")
    arrow_lake.append(lake, "t", [(n,) for n in range(1000)])
    return lake


def _only_file(lake: Lake) -> str:
    (entry,) = lake.describe("t").files
    return entry.file.path


def _raises(kind: type[errors.HeadwaterError], work: Callable[[], object], *facts: str) -> None:
    with pytest.raises(kind) as caught:
        work()
    text = str(caught.value)
    assert text.startswith(f"error[{kind.code}]: ")
    assert caught.value.hint
    for fact in facts:
        assert fact in text


@pytest.mark.usefixtures("spark")
def test_a_missing_file_is_named(catalog: Catalog) -> None:
    with _lake_with_rows(catalog) as lake:
        path = _only_file(lake)
        os.rename(path, f"{path}.away")
        _raises(errors.FileMissing, lambda: lake.table("t").collect(), path)
        os.rename(f"{path}.away", path)
        assert lake.table("t").count() == 1000


@pytest.mark.usefixtures("spark")
def test_a_missing_delete_file_is_named(catalog: Catalog) -> None:
    with _lake_with_rows(catalog) as lake:
        (file,) = arrow_lake.live_positions(lake, "t")
        arrow_lake.delete(lake, "t", {file: [0]})
        (entry,) = lake.describe("t").files
        assert entry.deletes is not None
        os.remove(entry.deletes.path)
        _raises(errors.FileMissing, lambda: lake.table("t").collect(), entry.deletes.path)
        _raises(errors.FileMissing, lambda: arrow_lake.delete(lake, "t", {file: [1]}), entry.deletes.path)


@pytest.mark.usefixtures("spark")
def test_a_refresh_names_the_file_of_its_source_that_is_missing_or_damaged(catalog: Catalog) -> None:
    with _lake_with_rows(catalog) as lake:
        for mode in ("FULL", "INCREMENTAL"):
            lake.sql(f"CREATE DYNAMIC TABLE {mode} REFRESH_MODE = {mode} AS SELECT i, count(*) AS n FROM t GROUP BY i")
        held = {entry.file.path for entry in lake.describe("t").files}
        arrow_lake.append(lake, "t", [(1,), (None,), (5000,)])
        (path,) = {entry.file.path for entry in lake.describe("t").files} - held
        whole = Path(path).read_bytes()
        for mode in ("FULL", "INCREMENTAL"):
            os.remove(path)
            _raises(errors.RefreshFailed, lambda name=mode: lake.refresh(name), path, "missing")
            Path(path).write_bytes(whole[: len(whole) // 2])
            _raises(errors.RefreshFailed, lambda name=mode: lake.refresh(name), path, "damaged")
            assert lake.describe(mode).rows == 1000
            Path(path).write_bytes(whole)
            assert [outcome.state for outcome in lake.refresh(mode)] == ["SUCCEED"]
            assert lake.describe(mode).rows == 1002
            assert lake.verify(mode).equal
        # A file of the table itself is no loss: all of it follows from its source.
        arrow_lake.append(lake, "t", [(1,)])
        for mode, harm in (("FULL", os.remove), ("INCREMENTAL", lambda path: Path(path).write_bytes(whole[:40]))):
            harm(max((entry.file for entry in lake.describe(mode).files), key=lambda file: file.records).path)
            assert [(o.state, o.action) for o in lake.refresh(mode)] == [("SUCCEED", "REINITIALIZE")]
            assert lake.verify(mode).equal


@pytest.mark.usefixtures("spark")
def test_a_truncated_file_is_named(catalog: Catalog) -> None:
    with _lake_with_rows(catalog) as lake:
        path = _only_file(lake)
        whole = Path(path).read_bytes()
        Path(path).write_bytes(whole[: len(whole) // 2])
        _raises(errors.FileDamaged, lambda: lake.delete("t", "i = 1"), path)
        Path(path).write_bytes(b"")
        _raises(errors.FileDamaged, lambda: lake.update("t", {"i": "i + 1"}), path)
        Path(path).write_bytes(whole)
        assert lake.table("t").count() == 1000


@pytest.mark.parametrize("version", ["0.3", "1.1-dev1", "2.0"])
def test_a_catalog_of_another_version_is_refused(catalog: Catalog, version: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        change = sa.update(c.ducklake_metadata).where(c.ducklake_metadata.c.key == "version").values(value=version)
        lake.database.write(lambda connection: connection.execute(change))
    _raises(errors.CatalogVersionRefused, lambda: headwater.connect(catalog.url, catalog.data_path), version)


def test_an_encrypted_lake_is_refused(catalog: Catalog, duck: Duck) -> None:
    duck.attach(catalog.duck_uri, catalog.data_path, options={"ENCRYPTED": True})
    duck.detach()
    _raises(errors.FeatureRefused, lambda: headwater.connect(catalog.url, catalog.data_path), "encrypted")


def test_puffin_deletes_are_refused(catalog: Catalog) -> None:
    with _lake_with_rows(catalog) as lake:
        (file,) = arrow_lake.live_positions(lake, "t")
        arrow_lake.delete(lake, "t", {file: [0]})
        change = sa.update(c.delete_file).values(format="puffin")
        lake.database.write(lambda connection: connection.execute(change))
        _raises(errors.FeatureRefused, lambda: lake.describe("t"), "puffin", '"main"."t"')


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("type_name", ["HUGEINT", "INTERVAL", "TIMESTAMP_NS", "STRUCT(a INTERVAL)", "TIMETZ[]"])
def test_types_without_an_exact_counterpart_are_refused_by_name(catalog: Catalog, duck: Duck, type_name: str) -> None:
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute(f"CREATE TABLE t(i INT, odd {type_name})")
    duck.execute("INSERT INTO t(i) VALUES (1)")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        _raises(errors.FeatureRefused, lambda: lake.table("t"), '"odd"')


def test_a_server_that_does_not_answer_is_unreachable() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    secret = "hunter2hunter2"
    url = f"postgresql://someone:{secret}@127.0.0.1:{port}/lake"
    with pytest.raises(errors.StoreUnreachable) as caught:
        headwater.connect(url, "somewhere")
    assert str(port) in str(caught.value)
    assert secret not in str(caught.value)


def test_a_database_that_does_not_exist_is_unreachable(postgres: Postgres) -> None:
    _raises(errors.StoreUnreachable, lambda: headwater.connect(postgres.url("nowhere"), "somewhere"), "nowhere")


def test_a_wrong_password_is_denied(postgres: Postgres) -> None:
    url = postgres.url("postgres", password="wrongwrong")
    with pytest.raises(errors.StoreError) as caught:
        headwater.connect(url, "somewhere")
    assert "wrongwrong" not in str(caught.value)
    assert caught.value.code == errors.StoreDenied.code


def test_a_user_without_grants_is_denied(postgres: Postgres, tmp_path: Path) -> None:
    database = postgres.new_database()
    with headwater.connect(postgres.url(database), tmp_path) as lake:
        lake.sql("CREATE TABLE t(i INT)")
    postgres.execute("DROP ROLE IF EXISTS stranger")
    postgres.execute("CREATE ROLE stranger LOGIN PASSWORD 'stranger'")
    url = postgres.url(database, user="stranger", password="stranger")
    _raises(errors.StoreDenied, lambda: headwater.connect(url, tmp_path))
    postgres.drop_database(database)


def test_postgresql_needs_a_data_path_the_first_time(postgres: Postgres) -> None:
    database = postgres.new_database()
    _raises(errors.InvalidRequest, lambda: headwater.connect(postgres.url(database)), "data_path")
    postgres.drop_database(database)


def test_a_file_that_is_no_catalog_is_no_lake(tmp_path: Path) -> None:
    other = tmp_path / "notes.db"
    other.write_text("this is not a database, but it is long enough to be taken for one " * 20)
    _raises(errors.NotALake, lambda: headwater.connect(other))
    assert other.read_text().startswith("this is not a database")


def test_other_addresses_are_refused() -> None:
    _raises(errors.InvalidRequest, lambda: headwater.connect("mysql://host/db"), "mysql")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user to be refused")
def test_folders_that_must_not_be_written_are_denied(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    for above in (tmp_path, *tmp_path.parents[:3]):
        above.chmod(above.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    with _as_nobody():
        _raises(errors.StoreDenied, lambda: headwater.connect(folder / "lake"))
    with headwater.connect(folder) as lake:
        lake.sql("CREATE TABLE t(i INT)")
        at = lake.describe("t")
        with _as_nobody():
            _raises(errors.FileDenied, lambda: arrow_lake.stage(lake, at, [(1,)]))
    with headwater.connect(folder) as lake, _as_nobody():
        _raises(errors.StoreDenied, lambda: lake.sql("CREATE TABLE u(i INT)"))
    with headwater.connect(folder) as lake:
        assert len(lake.tables()) == 1


class _as_nobody:
    """The rights of a user who owns nothing, while the block runs."""

    def __enter__(self) -> None:
        os.setegid(65534)
        os.seteuid(65534)

    def __exit__(self, *_: object) -> None:
        os.seteuid(0)
        os.setegid(0)
