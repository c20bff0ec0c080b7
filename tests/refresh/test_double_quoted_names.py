"""Double-quoted text is a name in new definitions; those of an older session keep their strings until redefined."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.core.errors import DefinitionRefused, Position
from headwater.core.semantics import SEMANTICS, sql_mode
from headwater.refresh.find import find_dynamic
from headwater.registry.definitions import DynamicTable
from headwater.service.create import create
from headwater.service.lake import Lake
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.parse import parse
from headwater.sql.parse_names import parse_name
from tests.refresh.followed import Bench

pytestmark = pytest.mark.usefixtures("spark")
OLD = {**SEMANTICS, "spark.version": "4.2.0"}


def define_as_before(lake: Lake, statement: str) -> None:
    """Create a table by a definition with the session that an earlier release stored."""
    (parsed,) = parse(statement)
    assert isinstance(parsed, CreateDynamicTable)
    create(lake.site, lake.compute, parsed, OLD)


def stored(lake: Lake, name: str) -> DynamicTable:
    with lake.reader() as reader:
        return find_dynamic(reader, parse_name(name))


def rows(lake: Lake, name: str) -> list[Any]:
    return sorted(lake.sql(f"SELECT * FROM {name}").rows)


def test_conditions_on_names_in_double_quotes_compare_columns(bench: Bench) -> None:
    bench.table('id INTEGER, s VARCHAR, "a ""b" INTEGER', "(1, 'x', 7), (2, 'y', 8), (2, 'y', 8), (3, NULL, 9)")
    bench.do("CREATE TABLE u (id INTEGER, k VARCHAR)", "INSERT INTO u VALUES (1, 's'), (2, 'x'), (4, 'q')")
    queries = {
        "chosen": """SELECT "id", "a ""b" AS "a b" FROM "t" WHERE "s" = 'x' OR "t"."a ""b" = 8""",
        "joined": 'SELECT x."id", "y"."k" FROM "main"."t" AS x JOIN u "y" ON "x"."id" = "y"."id"',
        "counted": 'SELECT "s" AS "the s", count(*) AS "n" FROM t GROUP BY "s"',
    }
    for name, query in queries.items():
        bench.define(query, name)
    bench.holds((1, 7), (2, 8), (2, 8), name="chosen")
    bench.holds((1, "s"), (2, "x"), (2, "x"), name="joined")
    bench.do("INSERT INTO t VALUES (4, 'x', 1), (5, 'z', 8)", "DELETE FROM t WHERE id = 1")
    assert {each.action for each in bench.lake.refresh()} == {"INCREMENTAL"}
    bench.holds((2, 8), (2, 8), (4, 1), (5, 8), name="chosen")
    bench.holds((2, "x"), (2, "x"), (4, "q"), name="joined")
    bench.holds(("y", 2), (None, 1), ("x", 1), ("z", 1), name="counted")
    for name, query in queries.items():
        bench.agrees(query, name)
    assert bench.lake.sql('SELECT "id" FROM "t" WHERE "s" = \'y\'', engine="spark").rows == ((2,), (2,))


def test_a_string_in_double_quotes_is_an_unknown_name_with_a_hint(bench: Bench) -> None:
    bench.table("id INTEGER, s VARCHAR")
    create = "CREATE DYNAMIC TABLE d AS\nSELECT id FROM t WHERE s = "
    for word, hint in {
        '"x"': "Double quotes enclose names; write a string in single quotes.",
        "`x`": None,
    }.items():
        with pytest.raises(DefinitionRefused) as caught:
            bench.lake.sql(create + word)
        assert (caught.value.position, caught.value.hint) == (Position(2, 28), hint)
    with pytest.raises(DefinitionRefused) as caught:
        bench.lake.sql('SELECT id FROM t WHERE s = "x"', engine="spark")
    assert caught.value.hint == "Double quotes enclose names; write a string in single quotes."


def test_an_existing_definition_keeps_its_strings_until_it_is_redefined(bench: Bench) -> None:
    lake = bench.lake
    bench.table("id INTEGER, s VARCHAR", "(1, 's'), (2, 'x')")
    text = """DYNAMIC TABLE d CARDINALITY_THRESHOLD = 1 AS SELECT id, "s" AS c FROM t WHERE "s" = 's'"""
    define_as_before(lake, f"CREATE {text}")
    before = stored(lake, "d")
    assert (before.version, sql_mode(before.session).double_quoted_names) == (1, False)
    bench.holds((1, "s"), (2, "s"))
    bench.do("INSERT INTO t VALUES (3, 'y')")
    bench.refreshed("INCREMENTAL APPEND_ONLY", (1, "s"), (2, "s"), (3, "s"))
    assert (stored(lake, "d").version, stored(lake, "d").session) == (1, before.session)
    assert lake.verify("d").equal
    bench.do('ALTER DYNAMIC TABLE d ADD COLUMN "s" || s AS e')
    bench.holds((1, "s", "ss"), (2, "s", "sx"), (3, "s", "sy"))
    bench.do("ALTER DYNAMIC TABLE d SET TARGET_LAG = '1 hour'", "DROP DYNAMIC TABLE d", "UNDROP DYNAMIC TABLE d")
    assert not sql_mode(stored(lake, "d").session).double_quoted_names
    bench.holds((1, "s", "ss"), (2, "s", "sx"), (3, "s", "sy"))
    bench.do(f"CREATE OR ALTER {text}")
    assert sql_mode(stored(lake, "d").session).double_quoted_names
    bench.holds((1, "s"))
    bench.do("INSERT INTO t VALUES (4, 's'), (5, 'z')", 'ALTER DYNAMIC TABLE d ADD COLUMN "s" || s AS e')
    bench.holds((1, "s", "ss"), (4, "s", "ss"))
    bench.do("DROP DYNAMIC TABLE d", "UNDROP DYNAMIC TABLE d")
    assert sql_mode(stored(lake, "d").session).double_quoted_names
    bench.holds((1, "s", "ss"), (4, "s", "ss"))
