"""Queries of many shapes are followed change by change, and hold what they would hold if they were computed."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.refresh.followed import Bench

pytestmark = pytest.mark.usefixtures("small_spark")


@dataclass(frozen=True)
class Shape:
    """A query, how it is followed, and the same in DuckDB's words where they differ."""

    strategy: str
    query: str
    elsewhere: str = ""


SHAPES = {
    "sets": (
        # On no rows DuckDB has a row for the set without keys, Spark has none.
        Shape(
            "ADDITIVE",
            "SELECT k, m, grouping(k) AS g, count(*) AS n, sum(x) AS s FROM t GROUP BY ROLLUP (k, m)",
            "SELECT k, m, grouping(k) AS g, count(*) AS n, sum(x) AS s FROM t GROUP BY ROLLUP (k, m) HAVING count(*) > 0",
        ),
        Shape(
            "AFFECTED_KEYS",
            "SELECT k, m, grouping_id(k, m) AS g, max(x) AS x FROM t GROUP BY CUBE (k, m) HAVING count(*) > 1",
            "SELECT k, m, grouping(k, m) AS g, max(x) AS x FROM t GROUP BY CUBE (k, m) HAVING count(*) > 1",
        ),
        Shape("AFFECTED_KEYS", "SELECT k, m, count(DISTINCT x) AS n FROM t GROUP BY k, GROUPING SETS ((m), (m), ())"),
    ),
    "distinct": (
        Shape(
            "AFFECTED_KEYS",
            "SELECT k, count(DISTINCT m) AS c, count(DISTINCT x) FILTER (WHERE m = 'b') AS n, sum(x) AS s, count(*) AS r "
            "FROM t GROUP BY k",
        ),
        Shape("RECOMPUTE", "SELECT count(DISTINCT k) AS c, count(DISTINCT x) AS n, sum(DISTINCT x) AS s FROM t"),
    ),
    "counts": (
        Shape("ROW_DELTA", "SELECT k, x, (SELECT count(*) FROM u WHERE u.k = t.k) AS n FROM t"),
        Shape(
            "ADDITIVE",
            "SELECT n, count(*) AS c FROM (SELECT (SELECT count(y) + coalesce(sum(y), 100) FROM u WHERE u.k = t.k) AS n "
            "FROM t) GROUP BY n",
        ),
    ),
    "found": (
        Shape(
            "ROW_DELTA", "SELECT k, x FROM t WHERE x > 4 OR NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.y > 3)"
        ),
        Shape("ROW_DELTA", "SELECT k, m, x IN (1, 2) AS low FROM t WHERE x IS NULL OR k IN (SELECT y FROM u)"),
        Shape("ROW_DELTA", "SELECT k, x FROM t WHERE x > 4 OR EXISTS (SELECT 1 FROM u WHERE y > 5)"),
        Shape("ROW_DELTA", "SELECT k, x, EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.y = t.x) AS found FROM t"),
    ),
    "full": (Shape("ROW_DELTA", "SELECT t.k, x, y FROM t FULL JOIN u ON t.k = u.k WHERE y > 1"),),
}
BATCHES = (
    (
        "INSERT INTO t VALUES (1, 'a', 9), (NULL, 'b', NULL), (4, NULL, 1), (4, NULL, 1)",
        "UPDATE t SET k = NULL, m = NULL WHERE k = 2",
        "UPDATE u SET k = 3 WHERE y = 6",
        "INSERT INTO u VALUES (4, 4), (4, 4)",
    ),
    ("DELETE FROM t WHERE m = 'a'", "UPDATE t SET x = x + 1 WHERE k IS NULL OR k = 4", "DELETE FROM u WHERE k < 4"),
    ("DELETE FROM t", "UPDATE u SET k = NULL WHERE k = 4"),
)


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_a_shape_is_followed_and_holds_what_it_would_if_it_were_computed(
    bench: Bench, shapes: tuple[Shape, ...]
) -> None:
    bench.table(
        "k INTEGER, m VARCHAR, x INTEGER",
        "(1, 'a', 1), (1, 'a', 1), (1, 'b', 5), (2, 'b', 2), (3, NULL, 7), (NULL, NULL, 4)",
    )
    bench.do("CREATE TABLE u (k INTEGER, y INTEGER)", "INSERT INTO u VALUES (1, 5), (1, 6), (2, 2), (5, 5), (NULL, 7)")
    for place, shape in enumerate(shapes):
        bench.define(shape.query, f"d{place}", REFRESH_MODE="INCREMENTAL")
    for batch in BATCHES:
        bench.do(*batch)
        for place, shape in enumerate(shapes):
            (outcome,) = bench.lake.refresh(f"d{place}")
            assert (outcome.action, outcome.strategy) == ("INCREMENTAL", shape.strategy), (shape, outcome)
            bench.agrees(shape.elsewhere or shape.query, f"d{place}")
    assert all(bench.lake.verify(f"d{place}").equal for place, _ in enumerate(shapes))
