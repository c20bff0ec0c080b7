"""The shape of plans: names, columns that are read, what stays as written."""

from __future__ import annotations

import pytest
from sqlglot import exp

from headwater.plan.check import free_names
from headwater.plan.lower import lower
from headwater.plan.nodes import (
    Aggregate,
    Explode,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    TopN,
    UnionAll,
    Values,
    Window,
    walk,
)
from headwater.plan.render import render
from tests.plan.queries import PAIRS, QUERIES
from tests.plan.small_tables import RELATIONS, over_sources


def scans(plan: Node) -> list[Scan]:
    return [node for node in walk(plan) if isinstance(node, Scan)]


def made_names(plan: Node) -> list[str]:
    """The names that nodes give, once per node, without those that only pass through."""
    names = []
    for node in walk(plan):
        match node:
            case Scan() | Values():
                names += node.columns
            case Project():
                names += [name for name, each in node.items if not (isinstance(each, exp.Column) and each.name == name)]
            case Aggregate() | Window():
                names += [name for name, _ in node.items]
            case Explode():
                names += node.names
    return names


@pytest.mark.parametrize(
    "text", [*(query for queries in QUERIES.values() for query in queries), *(pair[0] for pair in PAIRS)]
)
def test_every_column_has_a_name_of_its_own_and_is_there(text: str) -> None:
    plan = lower(over_sources(text), RELATIONS)
    names = made_names(plan)
    if not any(isinstance(node, UnionAll) for node in walk(plan)):
        assert len(names) == len(set(names))
    assert not free_names(plan)
    for scan in scans(plan):
        assert {source for _, source in scan.items} <= set(RELATIONS[scan.relation])


def test_the_columns_of_a_plan_are_those_of_the_query_in_their_order() -> None:
    plan = lower("SELECT v, id, v AS again, K + 1 FROM hw_source_1 ORDER BY k LIMIT 3", RELATIONS)
    assert plan.columns == ("v", "id", "again", "col")


def test_a_scan_lists_what_is_read_in_its_true_spelling() -> None:
    plan = lower("SELECT ID FROM `hw_source_1` AS x WHERE x.k > 1", RELATIONS)
    assert [scan.items for scan in scans(plan)] == [(("id", "id"), ("k", "K"))]


def test_a_scan_of_which_nothing_is_read_has_its_first_column() -> None:
    plan = lower("SELECT count(*) FROM hw_source_1", RELATIONS)
    assert [scan.items for scan in scans(plan)] == [(("id", "id"),)]


def test_a_with_query_is_lowered_at_each_use_under_other_names() -> None:
    plan = lower("WITH t AS (SELECT id FROM hw_source_1) SELECT x.id, y.id FROM t x, t y", RELATIONS)
    assert [scan.columns for scan in scans(plan)] == [("id",), ("id_2",)]


def test_a_right_join_is_a_left_join_from_the_other_side() -> None:
    plan = lower("SELECT a.id, b.id FROM hw_source_1 a RIGHT JOIN hw_source_2 b ON a.k = b.k", RELATIONS)
    join = next(node for node in walk(plan) if isinstance(node, Join))
    assert (join.kind, [scan.relation for scan in scans(join)]) == (JoinKind.LEFT, ["hw_source_2", "hw_source_1"])


def test_an_order_says_where_nulls_are() -> None:
    plan = lower("SELECT id FROM hw_source_1 ORDER BY id, v DESC, k NULLS LAST LIMIT 3 OFFSET 1", RELATIONS)
    top = next(node for node in walk(plan) if isinstance(node, TopN))
    assert [(bool(key.args["desc"]), key.args["nulls_first"]) for key in top.order] == [
        (False, True),
        (True, False),
        (False, False),
    ]
    assert (top.limit, top.offset) == (3, 1)


def test_an_order_without_limit_is_left_out() -> None:
    assert lower("SELECT id FROM hw_source_1 ORDER BY v", RELATIONS) == Scan("hw_source_1", (("id", "id"),))


def test_windows_with_the_same_partition_share_a_node() -> None:
    text = """SELECT sum(v) OVER (PARTITION BY id, k), max(v) OVER (PARTITION BY k, id ORDER BY v), count(*) OVER w
              FROM hw_source_1 WINDOW w AS (PARTITION BY k + 1)"""
    windows = [node for node in walk(lower(text, RELATIONS)) if isinstance(node, Window)]
    assert [len(window.items) for window in windows] == [1, 2]
    assert windows[1].partition == ("id", "k")


def test_clock_markers_stay_as_they_are() -> None:
    text = "SELECT __hw_clock_date() AS d, count(*) AS n FROM hw_source_1 WHERE v > unix_date(__hw_clock_date()) GROUP BY 1"
    sql = render(lower(text, RELATIONS))
    assert sql.count("__hw_clock_date()") == 2


def test_fields_keep_their_spelling() -> None:
    sql = render(lower("SELECT struct(K, id AS Foo, v) AS S FROM hw_source_1", RELATIONS))
    assert "STRUCT(k AS `K`, id AS `Foo`, v AS `v`) AS s" in sql


def test_variables_of_lambdas_are_no_columns() -> None:
    sql = render(lower("SELECT transform(list, id -> id + t.id) AS x FROM hw_source_5 t", RELATIONS))
    assert "TRANSFORM(list_1, `id` -> `id` + id_2)" in sql


def test_comments_are_left_out() -> None:
    assert "/*" not in render(lower("SELECT id /* one */ FROM hw_source_1 -- two\nWHERE k > 1 /* three */", RELATIONS))


@pytest.mark.parametrize("call", ["explode_outer(list)", "explode(list)"])
def test_an_outer_view_keeps_rows_without_elements(call: str) -> None:
    view = "VIEW OUTER" if call == "explode(list)" else "VIEW"
    plan = lower(f"SELECT id, x FROM hw_source_5 LATERAL {view} {call} t AS x", RELATIONS)
    explode = next(node for node in walk(plan) if isinstance(node, Explode))
    assert (explode.outer, type(explode.generator), explode.names) == (True, exp.Explode, ("x",))
    assert "LATERAL VIEW OUTER EXPLODE(list_1) e AS x" in render(plan)


def test_inline_makes_several_columns() -> None:
    plan = lower("SELECT id, inline(list) AS (p, q) FROM hw_source_5", RELATIONS)
    assert plan.columns == ("id", "p", "q")
    assert "LATERAL VIEW INLINE(list_1) e AS p, q" in render(plan)


def test_aggregates_keep_filter_and_distinct() -> None:
    sql = render(lower("SELECT count(DISTINCT v + 1) FILTER (WHERE k > 1) AS n FROM hw_source_1", RELATIONS))
    assert "COUNT(DISTINCT c) FILTER(WHERE k > 1) AS n" in sql


def test_text_that_differs_in_case_is_not_the_same_key() -> None:
    text = "SELECT concat('A', k), concat('a', k), count(*) FROM hw_source_1 GROUP BY concat('A', k), concat('a', k)"
    aggregate = next(node for node in walk(lower(text, RELATIONS)) if isinstance(node, Aggregate))
    assert len(aggregate.keys) == 2


def test_names_that_end_in_numbers_do_not_meet() -> None:
    relations = {"hw_source_1": ["x", "x_2", "x_2_3", "x_1"]}
    plan = lower("SELECT a.*, b.* FROM hw_source_1 a, hw_source_1 b", relations)
    assert len(set(plan.columns)) == 8
