"""Our own tables: what migrations make is what the code expects, and newer ones are refused."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import RegistryTooNew
from headwater.registry import install, tables
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
        newer = sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
        lake.database.transact(lambda connection: connection.execute(newer))
        with pytest.raises(RegistryTooNew, match="9999"):
            lake.status()
        with pytest.raises(RegistryTooNew):
            lake.sql("CREATE DYNAMIC TABLE d AS SELECT 1 AS x")
        assert lake.tables() == ()
