"""All 22 queries of TPC-H are planned, and their plans give what they give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest

from headwater.plan.lower import lower
from headwater.plan.render import render

_TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
_RELATIONS = {name: f"hw_source_{number}" for number, name in enumerate(_TABLES, 1)}


@pytest.fixture(scope="module")
def tpch() -> Iterator[duckdb.DuckDBPyConnection]:
    spec = find_spec("duckdb_extension_tpch")
    assert spec is not None
    assert spec.origin is not None
    extension = next(Path(spec.origin).parent.rglob("tpch.duckdb_extension"))
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{extension}'")
        connection.execute("CALL dbgen(sf = 0.01)")
        for table, relation in _RELATIONS.items():
            connection.execute(f"CREATE VIEW {relation} AS FROM {table}")
        yield connection


def over_sources(text: str) -> str:
    """The query as it is bound: every table in FROM is a relation under its own name."""
    names = "|".join(_TABLES)
    # A table's name follows FROM, JOIN or a comma, and an alias, a comma, a bracket or a clause follows it.
    pattern = rf"(\bFROM\s+|\bJOIN\s+|,\s+)({names})\b(?!\.)(\s+(?:AS\s+)?(?:n1|n2|l1|l2|l3)\b)?"

    def bound(found: re.Match[str]) -> str:
        return f"{found[1]}`{_RELATIONS[found[2].lower()]}`{found[3] or f' AS `{found[2]}`'}"

    return re.sub(pattern, bound, text.rstrip().rstrip(";"), flags=re.IGNORECASE)


@pytest.mark.parametrize("number", range(1, 23))
def test_a_query_of_tpch_is_planned_and_gives_the_same(tpch: duckdb.DuckDBPyConnection, number: int) -> None:
    found = tpch.execute("SELECT query FROM tpch_queries() WHERE query_nr = ?", [number]).fetchone()
    assert found is not None
    columns = {
        relation: [row[0] for row in tpch.execute(f"DESCRIBE {table}").fetchall()]
        for table, relation in _RELATIONS.items()
    }
    plan = lower(over_sources(found[0]), columns)
    wanted = tpch.execute(found[0]).fetchall()
    given = tpch.execute(render(plan, "duckdb")).fetchall()
    assert len(wanted) == len(given)
    assert sorted(map(_shown, given)) == sorted(map(_shown, wanted))
    assert wanted, "nothing is proven by no rows"


def _shown(row: tuple[object, ...]) -> str:
    return repr(tuple(f"{float(value):.7g}" if isinstance(value, float | int) else str(value) for value in row))
