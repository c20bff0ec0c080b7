"""The DuckDB process that tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.duck import Duck
from tests.fix_db import Catalog


@pytest.fixture(scope="session")
def duck_process() -> Iterator[Duck]:
    """One DuckDB for the whole run; attach a lake before use."""
    with Duck() as duck:
        yield duck


@pytest.fixture
def duck(duck_process: Duck, new_catalog: Callable[[str], Catalog]) -> Iterator[Duck]:
    """The shared DuckDB without a lake; whatever the test attaches is left at its end, before the catalogs go."""
    duck_process.detach()
    yield duck_process
    duck_process.detach()


@pytest.fixture
def duck_lake(duck: Duck, catalog: Catalog) -> Duck:
    """The shared DuckDB with the test's own lake attached (and made, if new)."""
    duck.attach(catalog.duck_uri, catalog.data_path)
    return duck


@pytest.fixture
def new_duck() -> Iterator[Callable[[], Duck]]:
    """Makes DuckDB processes of the test's own, for races and crashes."""
    made: list[Duck] = []

    def make() -> Duck:
        made.append(Duck())
        return made[-1]

    yield make
    for duck in made:
        duck.close()
