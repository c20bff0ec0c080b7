"""Plans that are the same but for some columns, and plans that are not."""

from __future__ import annotations

import pytest

from headwater.plan.fingerprint import meaning
from headwater.plan.lower import lower
from headwater.plan.origin import ConstantColumn, OfSource, origin

_COLUMNS = {"o": ("id", "k", "v"), "c": ("id", "n")}
_KNOWN = {name: (name, {column: column for column in columns}) for name, columns in _COLUMNS.items()}
_JOINED = "FROM o LEFT JOIN c ON o.k = c.id WHERE o.v > 1"


def shared(old: str, new: str) -> dict[str, str] | None:
    """The columns of the new query by those of the old one that they equal, by place; None if the rows are others."""
    one, other = (lower(sql, _COLUMNS) for sql in (old, new))
    was, now = meaning(one, _KNOWN), meaning(other, _KNOWN)
    if was.rows != now.rows:
        return None
    places = {was.columns[name]: str(place) for place, name in enumerate(one.columns)}
    return {str(place): places.get(now.columns[name], "-") for place, name in enumerate(other.columns)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (f"SELECT o.id, n, v {_JOINED}", f"SELECT v AS w, o.id {_JOINED}", "20"),
        (f"SELECT o.id, v + 1 AS x {_JOINED}", f"SELECT y, 7 AS z FROM (SELECT v + 1 AS y {_JOINED})", "1-"),
        # Below an outer join and above it are two things.
        (
            "SELECT coalesce(n, 'x') AS m FROM o LEFT JOIN c ON o.k = c.id",
            "SELECT m FROM o LEFT JOIN (SELECT id, coalesce(n, 'x') AS m FROM c) AS c ON o.k = c.id",
            "-",
        ),
        ("SELECT k, sum(v) AS s, count(*) AS n FROM o GROUP BY k", "SELECT count(*), k FROM o GROUP BY k", "20"),
        ("SELECT id, sum(v) OVER (PARTITION BY k) FROM o", "SELECT id, sum(v) OVER (PARTITION BY id) FROM o", "0-"),
        ("SELECT id, sum(v) OVER (PARTITION BY k) FROM o", "SELECT id FROM o", "0"),
        # The same words, over other rows of the partition.
        (
            "SELECT id, s FROM (SELECT id, v, sum(v) OVER (PARTITION BY k) AS s FROM o) WHERE v > 1",
            "SELECT id, sum(v) OVER (PARTITION BY k) AS s FROM o WHERE v > 1",
            "0-",
        ),
        ("SELECT id, v FROM o UNION ALL SELECT id, 0 FROM c", "SELECT id FROM o UNION ALL SELECT id FROM c", "0"),
        ("SELECT id, k FROM o UNION ALL SELECT id, 0 FROM c", "SELECT k FROM o UNION ALL SELECT id FROM c", "-"),
        ("SELECT a.id, b.v FROM o a JOIN o b ON a.k = b.id", "SELECT b.id, a.v FROM o a JOIN o b ON a.k = b.id", "--"),
        ("SELECT id, 'B' AS x FROM o", "SELECT id, 'b' AS x FROM o", "0-"),
        (
            "SELECT id, x FROM o LATERAL VIEW explode(array(k, v)) e AS x",
            "SELECT x FROM o LATERAL VIEW explode(array(k, v)) e AS x",
            "1",
        ),
        ("SELECT id, v FROM o ORDER BY v LIMIT 3", "SELECT v FROM o ORDER BY v LIMIT 3", "1"),
    ],
)
def test_columns_that_are_the_same_are_found(old: str, new: str, expected: str) -> None:
    assert shared(old, new) == {str(place): each for place, each in enumerate(expected)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SELECT id FROM o", "SELECT id FROM c"),
        ("SELECT id FROM o WHERE v > 1", "SELECT id FROM o WHERE v > 2"),
        ("SELECT id FROM o WHERE v > 1", "SELECT id FROM o"),
        ("SELECT o.id FROM o JOIN c ON o.k = c.id", "SELECT o.id FROM o LEFT JOIN c ON o.k = c.id"),
        ("SELECT id FROM o WHERE k IN (SELECT id FROM c)", "SELECT id FROM o WHERE v IN (SELECT id FROM c)"),
        ("SELECT DISTINCT id, v FROM o", "SELECT DISTINCT id FROM o"),
        ("SELECT id, v FROM o INTERSECT SELECT id, id FROM c", "SELECT id FROM o INTERSECT SELECT id FROM c"),
        ("SELECT k, count(*) FROM o GROUP BY k", "SELECT v, count(*) FROM o GROUP BY v"),
        ("SELECT id FROM o ORDER BY v LIMIT 3", "SELECT id FROM o ORDER BY v LIMIT 4"),
        ("SELECT id FROM o ORDER BY v LIMIT 3", "SELECT id FROM o ORDER BY v DESC LIMIT 3"),
        ("SELECT id FROM o UNION ALL SELECT id FROM c", "SELECT id FROM c UNION ALL SELECT id FROM o"),
        ("SELECT * FROM VALUES (1), (2)", "SELECT * FROM VALUES (1), (3)"),
    ],
)
def test_other_rows_are_never_taken_for_the_same(old: str, new: str) -> None:
    assert shared(old, new) is None


def test_the_same_name_of_another_column_is_another_column() -> None:
    plan = lower("SELECT id, v FROM o", _COLUMNS)
    changed = {"o": ("o", {"id": "id", "v": "v, dropped and added again"})}
    was, now = meaning(plan, _KNOWN), meaning(plan, changed)
    assert (was.rows, was.columns["id"]) == (now.rows, now.columns["id"])
    assert was.columns["v"] != now.columns["v"]


def test_values_are_traced_to_where_they_come_from() -> None:
    sql = (
        "SELECT o.id, c.n, -1 AS a, 'x' AS b, CAST(NULL AS INT) AS c, true AS d, o.v + 0 AS e, d.n AS f, 1.5 AS g "
        "FROM o LEFT JOIN c ON o.k = c.id JOIN c AS d ON o.k = d.id"
    )
    plan = lower(sql, _COLUMNS)
    of_source = [OfSource("o", "id"), None]
    constants = [ConstantColumn("-1"), ConstantColumn("x"), ConstantColumn(None), ConstantColumn("true"), None]
    assert [origin(plan, name) for name in plan.columns] == [
        *of_source,
        *constants,
        OfSource("c", "n"),
        ConstantColumn("1.5"),
    ]
