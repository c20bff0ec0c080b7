"""TIMESTAMP has no time zone in new definitions, as in the lake; those of an older session keep their types."""

from __future__ import annotations

from datetime import datetime

import pytest

from headwater.service.lake import Lake
from tests.refresh.followed import Bench
from tests.refresh.test_double_quoted_names import define_as_before

pytestmark = pytest.mark.usefixtures("spark")
EVENTS = "placed TIMESTAMP, day DATE, seen TIMESTAMPTZ, amount INTEGER"
FIRST = (
    "('2026-01-01 23:30:00', '2026-01-01', '2026-01-01 23:30:00Z', 1),"
    " ('2026-01-02 00:10:00', '2026-01-02', '2026-01-02 00:10:00Z', 2),"
    " (NULL, NULL, NULL, 4)"
)


def types(lake: Lake, name: str) -> dict[str, str]:
    return {column.name: column.type for column in lake.describe(name).schema}


def in_new_york(bench: Bench, query: str) -> list[object]:
    """What another DuckDB reads whose session is in New York."""
    bench.duck.attach(bench.catalog.duck_uri, bench.catalog.data_path)
    bench.duck.execute("SET TimeZone = 'America/New_York'")
    found = bench.duck.execute(query)
    bench.duck.execute("SET TimeZone = 'UTC'")
    bench.duck.detach()
    return found


def test_days_of_timestamps_are_followed_and_read_alike_in_every_time_zone(bench: Bench) -> None:
    bench.table(EVENTS, FIRST)
    query = "SELECT date_trunc('day', placed) AS d, count(*) AS n, sum(amount) AS total FROM t GROUP BY date_trunc('day', placed)"
    bench.define(query)
    one, two, three = (datetime(2026, 1, day) for day in (1, 2, 3))
    bench.holds((one, 1, 1), (two, 1, 2), (None, 1, 4))
    assert types(bench.lake, "d") == {"d": "timestamp", "n": "int64", "total": "int64"}
    for change, *rows in (
        (
            "INSERT INTO t VALUES ('2026-01-02 23:59:59.999999', NULL, NULL, 8), ('2026-01-03', NULL, NULL, 16)",
            (one, 1, 1), (two, 2, 10), (three, 1, 16), (None, 1, 4),
        ),
        ("DELETE FROM t WHERE amount = 1", (two, 2, 10), (three, 1, 16), (None, 1, 4)),
        ("UPDATE t SET placed = '2026-01-01 12:00:00' WHERE amount IN (2, 4)", (one, 2, 6), (two, 1, 8), (three, 1, 16)),
    ):  # fmt: skip
        bench.do(change)
        (outcome,) = bench.lake.refresh("d")
        assert outcome.action == "INCREMENTAL", outcome.reason
        bench.holds(*rows)
        assert bench.lake.verify("d").equal
        bench.agrees(
            "SELECT date_trunc('day', placed) AS d, count(*) AS n, sum(amount)::BIGINT AS total FROM t GROUP BY 1"
        )
    assert in_new_york(bench, "SELECT d::VARCHAR, n FROM d ORDER BY d") == [
        ("2026-01-01 00:00:00", 2), ("2026-01-02 00:00:00", 1), ("2026-01-03 00:00:00", 1),
    ]  # fmt: skip
    joined = "SELECT count(*) FROM d JOIN t ON d.d = date_trunc('day', t.placed)"
    assert in_new_york(bench, joined) == [(4,)]


def test_functions_keep_the_zone_of_their_argument(bench: Bench) -> None:
    bench.table(EVENTS, FIRST)
    unzoned = {
        "a": "date_trunc('MONTH', placed)",
        "b": "date_trunc('HOUR', x.day)",
        "c": "from_utc_timestamp(placed, 'Asia/Tokyo')",
        "e": "to_utc_timestamp(placed, 'Asia/Tokyo')",
        "f": "day + INTERVAL '1' HOUR",
        "g": "timestampadd(MINUTE, 5, day)",
        "h": "timestamp(day)",
        "i": "CAST(day AS TIMESTAMP)",
        "j": "coalesce(placed, TIMESTAMP '2026-01-01 00:00:00')",
        "k": "to_timestamp('2026-01-01 00:00:00')",
        "l": "make_timestamp(2026, 1, 2, 3, 4, amount)",
        "m": "date_trunc('DAY', day + INTERVAL '25' HOUR)",
    }
    zoned = {
        "n": "date_trunc('DAY', seen)",
        "o": "from_utc_timestamp(seen, 'Asia/Tokyo')",
        "p": "seen + INTERVAL '1' HOUR",
        "q": "CAST(placed AS TIMESTAMP_LTZ)",
        "r": "TIMESTAMP '2026-01-02 03:04:05+02:00'",
        "s": "date_trunc('DAY', coalesce(seen, placed))",
        "u": "timestamp_seconds(amount)",
        "v": "to_utc_timestamp(seen, 'Asia/Tokyo')",
    }
    others = ("trunc(day, 'month') AS w", "date_format(placed, 'yyyy-MM') AS y", "date_part('year', seen) AS z")
    columns = ", ".join([*(f"{text} AS {name}" for name, text in (unzoned | zoned).items()), *others])
    bench.define(f"SELECT amount, {columns} FROM t AS x")
    found = types(bench.lake, "d")
    assert {name for name in unzoned if found[name] != "timestamp"} == set()
    assert {name for name in zoned if found[name] != "timestamptz"} == set()
    bench.do("INSERT INTO t VALUES ('2026-03-29 01:30:00', '2026-03-29', '2026-03-29 01:30:00Z', 7)")
    (outcome,) = bench.lake.refresh("d")
    assert outcome.action == "INCREMENTAL", outcome.reason
    assert bench.lake.verify("d").equal
    row = "a::VARCHAR, c::VARCHAR, e::VARCHAR, f::VARCHAR, l::VARCHAR, m::VARCHAR, r::VARCHAR, epoch(q)"
    assert in_new_york(bench, f"SELECT {row} FROM d WHERE amount = 7") == [
        (
            "2026-03-01 00:00:00", "2026-03-29 10:30:00", "2026-03-28 16:30:00", "2026-03-29 01:00:00",
            "2026-01-02 03:04:07", "2026-03-30 00:00:00", "2026-01-01 20:04:05-05", 1774747800.0,
        )
    ]  # fmt: skip


def test_days_can_be_cast_to_dates_in_any_letter_case(bench: Bench) -> None:
    bench.table(EVENTS, FIRST)
    query = "SELECT CAST(date_trunc('day', placed) AS DATE) AS d, count(*) AS n FROM t GROUP BY ALL"
    bench.define(query)
    bench.do("INSERT INTO t VALUES ('2026-01-02 00:20:00', NULL, NULL, 8)")
    (outcome,) = bench.lake.refresh("d")
    assert outcome.action == "INCREMENTAL", outcome.reason
    bench.agrees(query)


def test_time_windows_can_be_grouped_by(bench: Bench) -> None:
    bench.table(EVENTS, FIRST)
    bench.define("SELECT window(placed, '1 day').start AS d, count(*) AS n FROM t GROUP BY window(placed, '1 day')")
    bench.do("INSERT INTO t VALUES ('2026-01-02 00:20:00', NULL, NULL, 8)")
    (outcome,) = bench.lake.refresh("d")
    assert outcome.succeeded, outcome
    assert types(bench.lake, "d") == {"d": "timestamp", "n": "int64"}
    bench.agrees("SELECT date_trunc('day', placed) AS d, count(*) AS n FROM t WHERE placed IS NOT NULL GROUP BY 1")


def test_a_column_without_a_name_has_the_name_that_spark_gives_it(bench: Bench) -> None:
    bench.table(EVENTS, FIRST)
    bench.define("SELECT date_trunc('Day', x.placed), from_utc_timestamp(placed, 'CET') FROM t AS x")
    assert types(bench.lake, "d") == {
        "date_trunc(Day, placed)": "timestamp",
        "from_utc_timestamp(placed, CET)": "timestamp",
    }


def test_an_existing_definition_keeps_its_types_until_it_is_redefined(bench: Bench) -> None:
    bench.table(EVENTS, FIRST)
    text = "DYNAMIC TABLE d CARDINALITY_THRESHOLD = 1 AS SELECT date_trunc('DAY', placed) AS d, count(*) AS n FROM t GROUP BY 1"
    define_as_before(bench.lake, f"CREATE {text}")
    assert types(bench.lake, "d") == {"d": "timestamptz", "n": "int64"}
    bench.do("INSERT INTO t VALUES ('2026-01-02 00:20:00', NULL, NULL, 8)")
    (outcome,) = bench.lake.refresh("d")
    assert outcome.action == "INCREMENTAL", outcome.reason
    assert types(bench.lake, "d") == {"d": "timestamptz", "n": "int64"}
    assert bench.lake.verify("d").equal
    bench.do("DROP DYNAMIC TABLE d", "UNDROP DYNAMIC TABLE d", "ALTER DYNAMIC TABLE d ADD COLUMN max(placed) AS last")
    assert types(bench.lake, "d") == {"d": "timestamptz", "n": "int64", "last": "timestamp"}
    bench.do(f"CREATE OR ALTER {text}")
    assert types(bench.lake, "d") == {"d": "timestamp", "n": "int64"}
    one, two = datetime(2026, 1, 1), datetime(2026, 1, 2)
    bench.holds((one, 1), (two, 2), (None, 1))
    bench.do("INSERT INTO t VALUES ('2026-01-01 00:20:00', NULL, NULL, 16)")
    (outcome,) = bench.lake.refresh("d")
    assert outcome.action == "INCREMENTAL", outcome.reason
    bench.holds((one, 2), (two, 2), (None, 1))
