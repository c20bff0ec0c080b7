"""Our own tables: what migrations make is what the code expects, and newer ones are refused."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import RegistryVersionRefused
from headwater.registry import install, tables
from headwater.service.lake import Lake
from headwater.store.migrate import VERSION_TABLE
from tests.fix_db import Catalog


def test_migrations_make_the_tables_that_the_code_expects(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        assert install.install(lake.database) == ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
        assert install.install(lake.database) == ()
        with lake.database.read() as connection:
            found = sa.inspect(connection)
            for table in tables.metadata.sorted_tables:
                columns = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
                assert columns == {column.name: column.nullable for column in table.columns}, table.name
                assert found.get_pk_constraint(table.name)["constrained_columns"] == table.primary_key.columns.keys()


def test_the_registry_of_a_newer_release_is_refused(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        install.install(lake.database)
        _set_revision(lake, "9999")
        with pytest.raises(RegistryVersionRefused, match="9999") as newer:
            lake.status()
        assert (
            newer.value.detail == "A newer release of Headwater wrote it. This release supports revisions up to 0008."
        )
        assert newer.value.hint == "Upgrade Headwater to that release, or to a newer one."
        with pytest.raises(RegistryVersionRefused):
            lake.sql("CREATE DYNAMIC TABLE d AS SELECT 1 AS x")
        assert lake.tables() == ()


def test_the_registry_of_an_older_release_is_refused_with_the_command_that_upgrades_it(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        install.install(lake.database)
        _set_revision(lake, "0007")
        with pytest.raises(RegistryVersionRefused) as older:
            lake.status()
        assert older.value.message == 'the registry of this lake is at revision "0007", and this release needs "0008"'
        assert older.value.detail == "An older release of Headwater wrote it."
        assert older.value.hint == "Run headwater migrate, which upgrades the registry."


def _set_revision(lake: Lake, revision: str) -> None:
    statement = sa.text(f"UPDATE {VERSION_TABLE} SET version_num = :revision")
    lake.database.transact(lambda connection: connection.execute(statement, {"revision": revision}))
