"""Functions of dates and times keep the zone kind of their argument: their result is cast back where it has none."""

from __future__ import annotations

import pytest

from headwater.core.schema import Column, Schema
from headwater.core.semantics import SqlMode
from headwater.sql.bind import bind
from headwater.sql.restate import restate
from tests.sql.small_lake import SmallLake

EVENTS = Schema(
    (
        Column("n", "timestamp", 1),
        Column("z", "timestamptz", 2),
        Column("d", "date", 3),
        Column("s", "varchar", 4),
        Column("r", "struct", 5, children=(Column("m", "timestamp_ms", 6), Column("y", "timestamptz", 7))),
    )
)
OTHER = Schema((Column("n", "timestamptz", 1), Column("z", "timestamp", 2), Column("only", "timestamp_s", 3)))


def restated(text: str) -> str:
    return restate(text, {"e": EVENTS})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("date_trunc('DAY', {n})", "CAST(date_trunc('DAY', {n}) AS TIMESTAMP_NTZ)"),
        ("date_trunc('day', {n})", "CAST(date_trunc('DAY', {n}) AS TIMESTAMP_NTZ)"),
        ("date_trunc('Day', {z})", "date_trunc('DAY', {z})"),
        ("date_trunc('DAY', {d})", "CAST(date_trunc('DAY', {d}) AS TIMESTAMP_NTZ)"),
        ("date_trunc('DAY', {s})", "CAST(date_trunc('DAY', {s}) AS TIMESTAMP_NTZ)"),
        ("date_trunc('DAY', {z})", None),
        ("date_trunc('DAY', r.m)", "CAST(date_trunc('DAY', r.m) AS TIMESTAMP_NTZ)"),
        ("date_trunc('DAY', r.y)", None),
        ("date_trunc('DAY', max(n))", "CAST(date_trunc('DAY', max(n)) AS TIMESTAMP_NTZ)"),
        ("date_trunc('DAY', coalesce(n, z))", None),
        ("date_trunc('DAY', CASE WHEN z > n THEN n END)", "CAST(date_trunc('DAY', CASE WHEN z > n THEN n END) AS TIMESTAMP_NTZ)"),
        ("date_trunc('DAY', now())", None),
        ("date_trunc('DAY', __hw_clock_timestamp())", None),
        ("date_trunc('DAY', __hw_clock_local())", "CAST(date_trunc('DAY', __hw_clock_local()) AS TIMESTAMP_NTZ)"),
        ("date_trunc('DAY', CAST(z AS TIMESTAMP))", "CAST(date_trunc('DAY', CAST(z AS TIMESTAMP)) AS TIMESTAMP_NTZ)"),
        ("date_trunc('DAY', CAST(n AS TIMESTAMP_LTZ))", None),
        ("exists(array(n), x -> date_trunc('DAY', x) = n)", None),
        ("`date_trunc`('day', n)", "CAST(`date_trunc`('DAY', n) AS TIMESTAMP_NTZ)"),
        ("system.builtin.date_trunc('DAY', n)", None),
        ("CAST(date_trunc('DAY', n) AS DATE)", None),
        ("from_utc_timestamp(n, 'CET')", "CAST(from_utc_timestamp(n, 'CET') AS TIMESTAMP_NTZ)"),
        ("from_utc_timestamp(z, 'CET')", None),
        ("date_trunc('DAY', from_utc_timestamp(z, 'CET'))", None),
        ("to_utc_timestamp(timestamp(z), 'CET')", "CAST(to_utc_timestamp(CAST(z AS TIMESTAMP_NTZ), 'CET') AS TIMESTAMP_NTZ)"),
        ("timestampadd(HOUR, 1, d)", "CAST(timestampadd(HOUR, 1, d) AS TIMESTAMP_NTZ)"),
        ("timestampadd(HOUR, 1, n)", None),
        ("date_add(d, 1)", None),
        ("d + INTERVAL 1 DAY", None),
        ("d + INTERVAL 1 HOUR", "CAST(d AS TIMESTAMP_NTZ) + INTERVAL 1 HOUR"),
        ("d + INTERVAL 1 DAY - INTERVAL 1 SECOND", "CAST(d AS TIMESTAMP_NTZ) + INTERVAL 1 DAY - INTERVAL 1 SECOND"),
        ("INTERVAL '1' HOUR + e.d", "INTERVAL '1' HOUR + CAST(e.d AS TIMESTAMP_NTZ)"),
        ("to_date(s) - INTERVAL 3 MINUTES", "CAST(to_date(s) AS TIMESTAMP_NTZ) - INTERVAL 3 MINUTES"),
        ("CAST(s AS DATE) + INTERVAL 3 MINUTES", "CAST(CAST(s AS DATE) AS TIMESTAMP_NTZ) + INTERVAL 3 MINUTES"),
        ("z + INTERVAL 1 HOUR", None),
        ("d - d", None),
        (
            "date_trunc('DAY', d + INTERVAL 25 HOURS)",
            "CAST(date_trunc('DAY', CAST(d AS TIMESTAMP_NTZ) + INTERVAL 25 HOURS) AS TIMESTAMP_NTZ)",
        ),
        ("window(coalesce(d, d), '1 hour')", "window(CAST(coalesce(d, d) AS TIMESTAMP_NTZ), '1 hour')"),
        ("window(n, '1 hour')", None),
        ("make_timestamp(d, t)", "CAST(make_timestamp(d, t) AS TIMESTAMP_NTZ)"),
        ("make_timestamp(1, 2, 3, 4, 5, 6)", None),
        ("timestamp(z)", "CAST(z AS TIMESTAMP_NTZ)"),
        ("TIMESTAMP '2026-01-02 03:04Z'", "TIMESTAMP_LTZ '2026-01-02 03:04Z'"),
        ("TIMESTAMP '2026-01-02 03:04'", None),
        ("CAST('2026-01-02 03:04Z' AS TIMESTAMP)", None),
    ],
)  # fmt: skip
def test_a_call_is_cast_back_where_its_argument_has_no_time_zone(before: str, after: str | None) -> None:
    names = {name: name for name in "ndsz"}
    before, after = before.format(**names), (after or before).format(**names)
    assert restated(f"SELECT {before} AS q FROM e") == f"SELECT {after} AS q FROM e"


@pytest.mark.parametrize(
    ("query", "is_cast"),
    [
        ("SELECT {} FROM (SELECT n AS x FROM e)", True),
        ("SELECT {} FROM (SELECT z AS x FROM e)", False),
        ("WITH w(x, y) AS (SELECT n, z FROM e) SELECT {} FROM w", True),
        ("WITH w(y, x) AS (SELECT n, z FROM e) SELECT {} FROM w", False),
        ("SELECT {} FROM (SELECT n AS x FROM e UNION ALL SELECT d FROM e)", True),
        ("SELECT {} FROM (SELECT n AS x FROM e UNION ALL SELECT z FROM e)", False),
        ("SELECT {} FROM (SELECT v AS x FROM (SELECT max(d) AS v FROM e))", True),
        ("SELECT {} FROM e LATERAL VIEW explode(array(n)) g AS x", True),
        ("SELECT {} FROM e LATERAL VIEW explode(array(z)) g AS x", False),
        ("SELECT {} FROM e AS a(x, b, c, f, g)", True),
        ("SELECT {} FROM e AS a(b, x, c, f, g)", False),
    ],
)
def test_the_zone_of_an_alias_is_that_of_what_it_stands_for(query: str, is_cast: bool) -> None:
    call = "date_trunc('DAY', x)"
    wanted = f"CAST({call} AS TIMESTAMP_NTZ)" if is_cast else call
    assert restated(query.format(f"{call} AS q")) == query.format(f"{wanted} AS q")


def test_a_name_of_two_kinds_is_resolved_by_its_qualifier_or_left_alone() -> None:
    text = "SELECT date_trunc('DAY', {}) AS q FROM e AS a JOIN o AS b ON a.n = b.n"
    for name, is_cast in {"a.n": True, "b.n": False, "b.z": True, "a.z": False, "n": False, "only": True}.items():
        found = restate(text.format(name), {"e": EVENTS, "o": OTHER})
        assert ("TIMESTAMP_NTZ" in found) == is_cast, name


def test_a_column_without_a_name_keeps_the_name_that_spark_derives() -> None:
    assert restated("SELECT date_trunc('Day', e.n), to_utc_timestamp(d, 'CET') FROM e") == (
        "SELECT CAST(date_trunc('DAY', e.n) AS TIMESTAMP_NTZ) AS `date_trunc(Day, n)`,"
        " CAST(to_utc_timestamp(d, 'CET') AS TIMESTAMP_NTZ) AS `to_utc_timestamp(d, CET)` FROM e"
    )


def test_only_definitions_without_zoned_timestamps_are_restated() -> None:
    text = "SELECT date_trunc('DAY', \"m\") AS d FROM typed"
    old = SqlMode(double_quoted_names=False, unzoned_timestamps=False)
    assert bind(text, SmallLake(), mode=old).sql == text.replace("typed", "`hw_source_1` AS `typed`")
    assert bind(text, SmallLake()).sql == (
        "SELECT CAST(date_trunc('DAY', `m`) AS TIMESTAMP_NTZ) AS d FROM `hw_source_1` AS `typed`"
    )


def test_zoned_timestamps_of_other_dialects_stay_zoned() -> None:
    text = "SELECT m::TIMESTAMPTZ AS z, m::TIMESTAMP AS n FROM typed"
    cast = "SELECT CAST(m AS {}) AS z, CAST(m AS TIMESTAMP_NTZ) AS n FROM `hw_source_1` AS `typed`"
    old = SqlMode(double_quoted_names=False, unzoned_timestamps=False)
    assert bind(text, SmallLake(), dialect="duckdb").sql == cast.format("TIMESTAMP_LTZ")
    assert bind(text, SmallLake(), dialect="duckdb", mode=old).sql == cast.format("TIMESTAMP")
