"""What is rendered is parsed to the same statement, in both dialects."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.core import freshness as f
from headwater.sql import dynamic_statements as d
from headwater.sql.parse import parse
from headwater.sql.properties import Properties
from headwater.sql.render import render
from headwater.sql.render_dynamic import render_dynamic
from tests.sql.refusal import refusal
from tests.sql.strategies import flags, names, objects, partition_keys, queries, schemas, texts

dialects = st.sampled_from(["duckdb", "spark"])
seconds = st.integers(1, 36_500 * 86_400) | st.sampled_from([1, 60, 90, 3600, 7200, 86_400, 172_800])
moments = st.datetimes(timezones=st.just(UTC))
freshness = st.one_of(
    st.builds(f.TargetLag, seconds),
    st.builds(f.Downstream),
    st.builds(f.Interval, seconds, st.none() | moments),
    st.builds(f.Cron, st.sampled_from(["*/5 * * * *", "0 9-17 * * MON-FRI", "0 0 L * *"])),
    st.builds(f.OnDemand),
)
filled = {
    "freshness": freshness,
    "refresh_mode": st.sampled_from(["AUTO", "INCREMENTAL", "FULL"]),
    "initialize": st.sampled_from(["ON_CREATE", "ON_SCHEDULE"]),
    "deduplication": flags,
    "cardinality_threshold": st.floats(0, 1),
    "warehouse": names.map(lambda name: name.lower() if name.lower() == "default" else name) | st.just("default"),
    "partitioned_by": partition_keys.filter(bool),
    "cluster_by": st.lists(names, min_size=1, max_size=3).map(tuple),
    "comment": texts,
    "data_retention_days": st.integers(0, 36_500),
    "auto_compact": st.booleans(),
    "priority": st.integers(0, 999_999_999),
    "after": st.lists(objects, min_size=1, max_size=3, unique=True).map(tuple),
    "dialect": st.sampled_from(["spark", "duckdb", "snowflake"]),
}
properties = st.fixed_dictionaries({}, optional=filled).map(lambda given: Properties(**given))
outputs = st.lists(
    st.builds(d.NamedOutput, names, st.none() | texts), max_size=3, unique_by=lambda of: of.name.casefold()
)
creates = st.builds(
    lambda name, query, columns, given, which: d.CreateDynamicTable(name, query, tuple(columns), given, *which),
    objects,
    queries,
    outputs,
    properties,
    st.sampled_from([(False, False, False), (True, False, False), (False, True, False), (False, False, True)]),
)
conditions = st.sampled_from(["name = 'x'", "state IN ('FAILED') AND duration > 5", "(a OR b) -- c\n AND d"])
unset = st.sampled_from(
    ["TARGET_LAG", "REFRESH", "SCHEDULE", "WAREHOUSE", "PARTITIONED BY", "CLUSTER BY", "COMMENT", "AFTER"]
)

made = st.one_of(
    creates,
    st.builds(d.SuspendDynamicTable, objects, flags),
    st.builds(d.ResumeDynamicTable, objects, flags),
    st.builds(d.RefreshDynamicTable, st.lists(objects, min_size=1, max_size=3).map(tuple)),
    st.builds(d.RenameDynamicTable, objects, names),
    st.builds(d.CancelRefresh, objects),
    st.builds(d.SwapDynamicTable, objects, objects),
    st.builds(d.SetDynamicTable, objects, properties.filter(lambda given: given != Properties())),
    st.builds(d.UnsetDynamicTable, objects, st.lists(unset, min_size=1, unique=True).map(tuple)),
    st.builds(
        d.AddDynamicColumn, objects, st.sampled_from(["a + 1", "CAST(a AS INT)", "CASE WHEN a THEN 1 END"]), names
    ),
    st.builds(d.RenameDynamicColumn, objects, names, names),
    st.builds(d.DropDynamicTable, objects, flags),
    st.builds(d.UndropDynamicTable, objects),
    st.builds(d.DescribeDynamicTable, objects),
    st.builds(d.ShowCreateDynamicTable, objects),
    st.builds(d.ShowDynamicTables, st.none() | texts, st.none() | schemas),
    st.builds(d.ExplainDynamicTable, creates) | st.builds(d.ExplainDynamicTable, objects, flags),
    st.builds(d.ShowJobProfile, texts) | st.builds(lambda table: d.ShowJobProfile(table=table), objects),
    st.builds(d.ShowRefreshHistory, st.none() | objects, st.none() | conditions, st.none() | st.integers(0, 10**9 - 1)),
    st.builds(d.ShowTableVersions, st.none() | objects),
    st.builds(d.VerifyDynamicTable, objects),
    st.builds(d.RestoreDynamicTable, objects, st.integers(0, 10**9 - 1))
    | st.builds(lambda name, at: d.RestoreDynamicTable(name, timestamp=at.isoformat()), objects, moments),
)


def test_the_strategy_makes_every_statement() -> None:
    assert len(made.original_strategies) == len(d.DynamicStatement.__args__)  # type: ignore[attr-defined]


@settings(deadline=None, max_examples=300)
@given(made, dialects)
def test_what_is_rendered_is_parsed_to_the_same(statement: d.DynamicStatement, dialect: str) -> None:
    assert parse(render_dynamic(statement, dialect), dialect) == (statement,)


@settings(deadline=None)
@given(st.lists(made, max_size=4))
def test_a_script_of_rendered_statements_is_parsed_to_the_same(script: list[d.DynamicStatement]) -> None:
    assert parse(";\n".join(map(render, script))) == tuple(script)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            "create or replace dynamic table shop.t (a, b comment 'x') vcluster DEFAULT, target_lag='120 minutes' "
            "cluster by (a) refresh_mode auto as select 1",
            'CREATE OR REPLACE DYNAMIC TABLE "shop"."t" ("a", "b" COMMENT \'x\')\nTARGET_LAG = \'2 hours\'\n'
            'REFRESH_MODE = AUTO\nWAREHOUSE = "default"\nCLUSTER BY ("a")\nAS\nselect 1',
        ),
        (
            "alter dynamic table t set refresh interval 1440 minutes start with '2026-01-31T01:00+01:00'",
            "ALTER DYNAMIC TABLE \"t\" SET REFRESH START WITH TIMESTAMP '2026-01-31 00:00:00+00:00' INTERVAL 1 DAY",
        ),
        ("alter dynamic table t refresh", 'REFRESH DYNAMIC TABLE "t"'),
        ("alter dynamic table t set target_lag = 90 s", "ALTER DYNAMIC TABLE \"t\" SET TARGET_LAG = '90 seconds'"),
        ("alter dynamic table t unset vcluster", 'ALTER DYNAMIC TABLE "t" UNSET WAREHOUSE'),
        ("desc dynamic table t", 'DESCRIBE DYNAMIC TABLE "t"'),
        ("restore dynamic table t to (version => 5)", 'RESTORE DYNAMIC TABLE "t" TO VERSION 5'),
    ],
)
def test_the_canonical_text_is_what_we_want_to_read(text: str, canonical: str) -> None:
    assert [render(statement) for statement in parse(text)] == [canonical]


_WORDS = """
    CREATE ALTER DROP UNDROP REFRESH SHOW DESC EXPLAIN VERIFY RESTORE DYNAMIC TABLE TABLES HISTORY OR REPLACE IF NOT
    EXISTS AS SELECT WITH SET UNSET SUSPEND ADD COLUMN RENAME TO TARGET_LAG DOWNSTREAM INTERVAL START MINUTE SCHEDULE
    REFRESH_MODE AUTO WAREHOUSE VCLUSTER DEFAULT PARTITIONED CLUSTER BY COMMENT PRIORITY VERSION TIMESTAMP LIKE IN FOR
    WHERE LIMIT t a "q" 's' '5 minutes' 5 0.3 1e9 ( ) [ ] , . ; - + = => ? ' " ` -- /* */ é 😀 CASE END
"""
words = st.lists(st.sampled_from([*_WORDS.split(), "\n"]), max_size=15).map(" ".join)
beginnings = st.sampled_from(
    ["CREATE DYNAMIC TABLE t ", "ALTER DYNAMIC TABLE t ", "ALTER DYNAMIC TABLE t SET ", "SHOW DYNAMIC ", "EXPLAIN ", ""]
)


@settings(deadline=None, max_examples=300)
@given(beginnings, words | st.text(max_size=30), dialects)
def test_any_text_is_parsed_or_refused_with_all_that_a_user_needs(beginning: str, rest: str, dialect: str) -> None:
    error = refusal(beginning + rest, dialect)
    assert error is None or (error.code and error.position and error.hint)
