"""What a test needs, as markers: set from its fixtures, and by hand where its processes start Spark or PostgreSQL."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.postgres import STARTED

# Each is the name of a marker and of the fixture that all others of its kind request.
NEEDS = ("spark", "postgres", "browser")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests before `-m` selects among them."""
    for item in items:
        for need in NEEDS:
            if _uses(item, need):
                item.add_marker(need)


def _uses(item: pytest.Item, need: str) -> bool:
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return need in getattr(item, "fixturenames", ()) or parameters.get("catalog_kind") == need


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what runs before the test, for its teardown."""
    item.stash[_BEFORE] = _running()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """A test that starts Spark or PostgreSQL in this process says so by its marker, or `make test-fast` would run it."""
    result = yield
    for need in _running() - item.stash[_BEFORE]:
        if item.get_closest_marker(need) is None:
            pytest.fail(f"the test starts {need}: mark it with pytest.mark.{need}", pytrace=False)
    return result


_BEFORE = pytest.StashKey[frozenset[str]]()


def _running() -> frozenset[str]:
    context = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    spark = context is not None and context._gateway is not None
    return frozenset(name for name, runs in (("spark", spark), ("postgres", bool(STARTED))) if runs)
