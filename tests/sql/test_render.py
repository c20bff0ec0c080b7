"""What is rendered is parsed to the same statement."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.core.schema import Column, SortKey
from headwater.core.types import SCALARS
from headwater.sql import statements as s
from headwater.sql.parse import parse
from headwater.sql.render import render
from tests.sql.strategies import flags, names, objects, partition_keys, queries, schemas, texts

scalars = st.sampled_from(sorted(SCALARS)) | st.integers(1, 38).flatmap(
    lambda precision: st.integers(0, precision).map(lambda scale: f"decimal({precision},{scale})")
)
expressions = st.sampled_from(
    ["now()", "1 + 2", "'a' || 'b'", "[1, 2]", "{'a': 1}", "CAST('t' AS BOOLEAN)", "upper('x')"]
)
defaults = st.one_of(
    st.tuples(st.none() | texts | st.sampled_from(["5", "-5", "1.50", "true", "NULL", "٣"]), st.just(False)),
    st.tuples(expressions, st.just(True)),
)


def typed(name: str, depth: int = 2) -> st.SearchStrategy[Column]:
    scalar = scalars.map(lambda of: Column(name, of))
    if depth == 0:
        return scalar
    fields = st.lists(names, min_size=1, max_size=3, unique_by=str.casefold)
    return st.one_of(
        scalar,
        typed("element", depth - 1).map(lambda of: Column(name, "list", children=(of,))),
        st.tuples(typed("key", 0), typed("value", depth - 1)).map(lambda of: Column(name, "map", children=of)),
        fields.flatmap(lambda each: st.tuples(*(typed(field, depth - 1) for field in each))).map(
            lambda of: Column(name, "struct", children=of)
        ),
    )


def defined(name: str, nullable: st.SearchStrategy[bool] = flags) -> st.SearchStrategy[Column]:
    return st.builds(
        lambda column, null, default: replace(
            column, nullable=null, default=default[0], default_is_expression=default[1]
        ),
        typed(name),
        nullable,
        defaults,
    )


columns = st.lists(names, min_size=1, max_size=4, unique_by=str.casefold).flatmap(
    lambda each: st.tuples(*(defined(name) for name in each))
)
sort_expressions = st.sampled_from(["a", "b_1", '"A"', '"a b"', '"select"', "date_trunc('day', ts)", "(a + 1)"])
sort_keys = st.lists(st.builds(SortKey, sort_expressions, flags, flags), max_size=3).map(tuple)
one_or_none = st.sampled_from([(False, False), (True, False), (False, True)])

made = st.one_of(
    st.builds(s.CreateSchema, schemas, flags),
    st.builds(s.DropSchema, schemas, flags, flags),
    st.builds(
        lambda name, of, which, parts, keys: s.CreateTable(name, of, which[0], which[1], parts, keys),
        objects,
        columns,
        one_or_none,
        partition_keys,
        sort_keys,
    ),
    st.builds(s.DropTable, objects, flags),
    st.builds(s.RenameTable, objects, names),
    st.builds(s.AddColumn, objects, names.flatmap(lambda name: defined(name, st.just(True))), flags),
    st.builds(s.DropColumn, objects, names, flags),
    st.builds(s.RenameColumn, objects, names, names),
    st.builds(lambda name, of: s.ChangeColumnType(name, of.name, of), objects, names.flatmap(typed)),
    st.builds(lambda name, column, of: s.SetDefault(name, column, *of), objects, names, defaults),
    st.builds(s.DropDefault, objects, names),
    st.builds(s.SetNotNull, objects, names),
    st.builds(s.DropNotNull, objects, names),
    st.builds(s.SetPartitioning, objects, partition_keys),
    st.builds(s.SetSorting, objects, sort_keys),
    st.builds(s.CommentOnTable, objects, st.none() | texts),
    st.builds(s.CommentOnColumn, objects, names, st.none() | texts),
    st.builds(
        lambda name, query, aliases, which, dialect: s.CreateView(name, query, aliases, which[0], which[1], dialect),
        objects,
        queries,
        st.lists(names, max_size=3).map(tuple),
        one_or_none,
        st.sampled_from(["duckdb", "spark"]),
    ),
    st.builds(s.DropView, objects, flags),
    st.builds(s.RenameView, objects, names),
)


def test_the_strategy_makes_every_statement() -> None:
    assert len(made.original_strategies) == len(s.Statement.__args__)  # type: ignore[attr-defined]


@settings(deadline=None)
@given(made)
def test_what_is_rendered_is_parsed_to_the_same(statement: s.Statement) -> None:
    assert parse(render(statement), getattr(statement, "dialect", "duckdb")) == (statement,)


@settings(deadline=None)
@given(st.lists(made.filter(lambda statement: getattr(statement, "dialect", "duckdb") == "duckdb"), max_size=4))
def test_a_script_of_rendered_statements_is_parsed_to_the_same(script: list[s.Statement]) -> None:
    assert parse(";\n".join(map(render, script))) == tuple(script)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            "create table shop.t (a int not null default 5, b map<string, array<long>>, c timestamptz default now()) "
            "partitioned by (bucket(4, a)) sorted by (c desc)",
            'CREATE TABLE "shop"."t" ("a" INTEGER NOT NULL DEFAULT 5, "b" MAP(VARCHAR, BIGINT[]), '
            '"c" TIMESTAMP WITH TIME ZONE DEFAULT now()) PARTITIONED BY (bucket(4, "a")) SORTED BY (c DESC NULLS LAST)',
        ),
        ("alter table t reset sorted by", 'ALTER TABLE "t" RESET SORTED BY'),
        ("create or replace view v (x) as select 1", 'CREATE OR REPLACE VIEW "v" ("x") AS select 1'),
        ("comment on column t.a is 'it''s'", "COMMENT ON COLUMN \"t\".\"a\" IS 'it''s'"),
        ("drop schema if exists s cascade", 'DROP SCHEMA IF EXISTS "s" CASCADE'),
    ],
)
def test_the_canonical_text_is_what_we_want_to_read(text: str, canonical: str) -> None:
    assert [render(statement) for statement in parse(text)] == [canonical]
