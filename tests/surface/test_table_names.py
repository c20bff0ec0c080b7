"""A table in one value of a result is written as the user writes it: schema.name, with quotes only where SQL needs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headwater
from headwater.core.display_name import display_name
from headwater.core.names import TableName
from headwater.sql.parse_names import parse_name
from tests.surface.conftest import Cli


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("big", "main.big"),
        ("Big_2", "main.Big_2"),
        ("order", 'main."order"'),
        ('a."b', 'main."a.""b"'),
        ("1st", 'main."1st"'),
    ],
)
def test_a_displayed_name_is_quoted_where_needed_and_parses_back(name: str, shown: str) -> None:
    assert display_name(TableName("main", name)) == shown
    parsed = parse_name(shown)
    assert (parsed.schema, parsed.name) == ("main", name)


def test_all_commands_write_a_table_alike(shop: Path, cli: Cli) -> None:
    with headwater.connect(shop) as lake:
        lake.sql('CREATE DYNAMIC TABLE "order" AS SELECT name FROM big')
    for table, shown in (("big", "main.big"), ('"order"', 'main."order"')):
        for command in ("explain", "refresh", "verify"):
            (row,) = [
                row
                for row in json.loads(cli(command, table, "-o", "json").out)
                if row["name"] != "main.big" or table == "big"
            ]
            assert row["name"] == shown
            assert json.loads(cli(command, row["name"], "-o", "json").out)[-1]["name"] == shown
        found = json.loads(cli("maintain", table, "--dry-run", "-o", "json").out)
        assert {row["table"] for row in found} == {shown}
        assert json.loads(cli("profile", "--table", table, "-o", "json").out)[0]["table"] == shown
        assert shown in {row["name"] for row in json.loads(cli("graph", "-o", "json").out)}
    assert json.loads(cli("explain", '"order"', "-o", "json").out)[0]["sources"] == ["main.big"]
