"""An error points into the text that the user wrote, and its words lead to what helps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headwater
from headwater.core.errors import HeadwaterError
from headwater.service.lake import Lake
from tests.surface.conftest import DIFFERENCES, Cli


def failure(lake: Lake, text: str, engine: str | None = None) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as raised:
        lake.sql(text, engine=engine)
    return raised.value


def pointed(error: HeadwaterError) -> tuple[str, str]:
    """The line that the error shows, and the text of it from the caret on."""
    assert error.source_line is not None, error
    assert error.__notes__ == [error.source_line]
    line, caret = error.source_line.split("\n")
    return line, line[caret.index("^") :]


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("SELECT 1;\n  SELECT id,\n\t^zz FROM orders", None),
        ("SELECT id FROM\n orders WHERE ((^", None),
        ("SELECT 'é', ^zz FROM orders", None),
        ("SELECT 1;\nPIVOT orders ON ^zz USING sum(id)", None),
        ("SELECT 1;\nDROP TABLE a ^b", None),
        ("SELECT 1;\nSELECT id, ^zz FROM orders", "spark"),
        ("SELECT 1;\nSELECT id,\n ^1 / (id-1) FROM orders", "spark"),
        ("SELECT 1;\nCREATE DYNAMIC TABLE x AS\nSELECT id, ^zz FROM orders", None),
        ("CREATE DYNAMIC TABLE x AS SELECT customer,\n sum(^1/(id-1)) s FROM orders GROUP BY 1", None),
        ("CREATE OR REPLACE DYNAMIC TABLE tot AS\nSELECT name,\n ^1 % (id-id) AS z FROM big", None),
    ],
)
def test_an_error_shows_the_users_own_line(shop: Path, text: str, engine: str | None) -> None:
    place = text.index("^")
    lines = text[:place].split("\n")
    line = f"LINE {len(lines)}: {text.replace('^', '').split(chr(10))[len(lines) - 1]}".replace("\t", " ")
    with headwater.connect(shop) as lake:
        error = failure(lake, text.replace("^", ""), engine=engine)
        assert pointed(error) == (line, text[place + 1 :].split("\n")[0])
        assert (
            (error.position.line, error.position.column) == (len(lines), len(lines[-1]) + 1)
            if error.position
            else False
        )
        assert "spark.sql" not in str(error)
        assert lake.sql(DIFFERENCES).rows == ()


def test_the_command_line_points_into_arguments_and_files(shop: Path, cli: Cli) -> None:
    Path("new.sql").write_text("-- two\nCREATE DYNAMIC TABLE x AS\n  SELECT id, zz\n  FROM orders;\n", encoding="utf-8")
    shown = "(line 3, column 14)\nLINE 3:   SELECT id, zz\n                     ^\ndetail: "
    for command in ("create", "validate", "explain", "sql"):
        ran = cli(command, "-f", "new.sql")
        assert (ran.code, shown in ran.err) == (1, True), ran.err
    assert "LINE 1: SET TARGET_LAG = 5 minutes oh" in cli("alter", "tot", "SET TARGET_LAG = 5 minutes oh").err
    assert "LINE 1: tot x\n            ^" in cli("refresh", "tot x").err
    body = json.loads(cli("sql", "SELECT zz FROM orders", "-o", "json").err)
    assert (body["position"], body["source_line"]) == (
        {"line": 1, "column": 8},
        "LINE 1: SELECT zz FROM orders\n               ^",
    )
    assert body["hint"] is None


def test_a_dropped_source_column_is_named_with_its_table_and_time(shop: Path, cli: Cli) -> None:
    with headwater.connect(shop) as lake:
        dropped = lake.sql("ALTER TABLE orders DROP COLUMN amount").rows[0][0]
        at = lake.snapshots()[-1].time.isoformat(" ", "seconds").replace("+00:00", "Z")
        line = "LINE 4 of the definition: SELECT o.id, c.name, o.amount FROM orders o"
        known = f"It was dropped by snapshot {dropped} at {at}. The query still reads it."
        for statement in ("REFRESH DYNAMIC TABLE big", "EXPLAIN DYNAMIC TABLE big"):
            error = failure(lake, statement)
            assert 'column "amount" of "main"."orders" was dropped' in str(error)
            assert known in (error.detail or "")
            assert pointed(error)[0].startswith(line)
            assert pointed(error)[1].startswith("o.amount FROM")
        error = failure(lake, "CREATE DYNAMIC TABLE y AS SELECT customer, sum(Amount) FROM orders GROUP BY 1")
        assert (error.message, error.detail) == ('column "Amount" of "main"."orders" was dropped', known)
        lake.sql("ALTER TABLE orders ADD COLUMN amount DECIMAL(10,2)")
        lake.refresh("tot")
        assert lake.sql(DIFFERENCES).rows == ()
    assert "was dropped" in cli("history", "big", "-o", "json").rows[1]["error_message"]


def test_advice_to_switch_off_ansi_is_not_passed_on(shop: Path) -> None:
    queries = [
        "SELECT 1 / (id-1) FROM orders",
        "SELECT 2147483647 + id FROM orders",
        "SELECT CAST('x' || id AS INT) FROM orders",
        "SELECT CAST(id * 1e30 AS DECIMAL(5, 0)) FROM orders",
        "SELECT CAST(1 AS BINARY) = CAST(1.5 AS BINARY) FROM orders",
        "SELECT to_timestamp('2020-13-01', 'yyyy-MM-dd') FROM orders",
    ]
    with headwater.connect(shop) as lake:
        errors = [failure(lake, query, engine="spark") for query in queries]
    assert not [error for error in errors if "spark.sql" in str(error)]
    assert "try_divide" in str(errors[0])
    assert all(error.source_line for error in errors[:-1]), "Spark says no place in a time that it can't parse"
