"""A lake made by Headwater, and DuckDB processes on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

import headwater
from headwater.query.process import DuckDBProcess
from headwater.service.lake import Lake
from headwater.store.database import Database
from tests.fix_db import Catalog


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        yield lake


@pytest.fixture
def database(lake: Lake) -> Database:
    return lake.database


@pytest.fixture
def new_duckdb(catalog: Catalog, database: Database) -> Iterator[Callable[[], DuckDBProcess]]:
    with ExitStack() as stack:
        yield lambda: stack.enter_context(DuckDBProcess(database.url, catalog.data_path, threads=2, memory_limit="1GB"))


@pytest.fixture
def duckdb(new_duckdb: Callable[[], DuckDBProcess]) -> DuckDBProcess:
    return new_duckdb()
