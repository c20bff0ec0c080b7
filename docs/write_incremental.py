"""Writes docs/reference/incremental-sql.md and docs/internals/laws.md from headwater.delta."""

from __future__ import annotations

import inspect
from pathlib import Path

from headwater.core.refresh_record import Strategy
from headwater.delta import additive, deterministic_functions, identity, latest, ties
from headwater.delta.laws import LAWS
from headwater.plan import nodes

PAGE = Path(__file__).with_name("reference") / "incremental-sql.md"
LAWS_PAGE = Path(__file__).with_name("internals") / "laws.md"
# Each operator that has a law: the SQL that it stands for, and what a refresh computes.
_OPERATORS: dict[type, tuple[str, str]] = {
    nodes.Scan: ("FROM a table, a view or a dynamic table", "the changed rows of the source"),
    nodes.Values: ("VALUES", "nothing: the rows are constant"),
    nodes.Project: ("SELECT expressions", "the expressions over changed rows"),
    nodes.Filter: (
        "WHERE, HAVING",
        "the predicate over changed rows; with a clock function also over rows that it may affect",
    ),
    nodes.Join: (
        "JOIN of all kinds, EXISTS, IN and their negations",
        "changed rows of one side joined with the other side",
    ),
    nodes.UnionAll: ("UNION ALL", "the changed rows of each branch"),
    nodes.SetOperation: ("INTERSECT, EXCEPT, with or without ALL", "rows that are equal to a changed row"),
    nodes.Aggregate: ("GROUP BY, DISTINCT, UNION, aggregates without GROUP BY", "the affected groups"),
    nodes.Expand: ("ROLLUP, CUBE, GROUPING SETS", "changed rows, once for each grouping set"),
    nodes.Window: ("functions with OVER, QUALIFY", "the affected partitions; without PARTITION BY everything"),
    nodes.TopN: (
        "ORDER BY … LIMIT",
        "new rows compared with the stored ones; everything if one of the first rows was deleted, or with OFFSET",
    ),
    nodes.Explode: ("LATERAL VIEW, `explode` and similar generators", "the elements of changed rows"),
}
_STRATEGIES = {
    Strategy.APPEND_ONLY: "sources only gained rows, and the query consists of filters, projections, UNION ALL, generators and "
    "inner joins: the new rows are inserted",
    Strategy.ADDITIVE: "an aggregation at the top of the query whose results follow from the stored values and the changes",
    Strategy.AFFECTED_KEYS: "the groups, partitions or rows that changes affect are computed again",
    Strategy.ROW_DELTA: "inserted and deleted rows are derived one by one, and found in the table by the ids of the rows that "
    "they come from, by their key, or by their place in an order",
    Strategy.RECOMPUTE: "the top operator has no key, or one of the first rows was deleted: its input is read completely, "
    "and only the difference is written",
}


def page() -> str:
    """The page for users: what can be refreshed incrementally."""
    parts = [
        "# Incremental SQL",
        "<!-- Written by `make docs` from src/headwater/delta. -->",
        "A query can be refreshed incrementally if it consists of the operators and functions on this page, and if\n"
        "Spark's optimizer confirms that Headwater's plan is equal to the query. Otherwise the table is refreshed in full, and\n"
        "EXPLAIN DYNAMIC TABLE returns the reason. [Incremental refresh](../guides/incremental-refresh.md) describes how\n"
        "Headwater chooses; [laws](../internals/laws.md) has the rule of each operator.",
        "## Operators",
        "| SQL | a refresh computes |\n|---|---|\n"
        + "\n".join(f"| {s} | {c} |" for s, c in map(_OPERATORS.__getitem__, LAWS)),
        "## Strategies",
        "| strategy | when |\n|---|---|\n" + "\n".join(f"| {s} | {_STRATEGIES[s]} |" for s in Strategy),
        "## Functions",
        "Aggregates, with any strategy: "
        + _listed(deterministic_functions.EXACT + deterministic_functions.EXTREMES + deterministic_functions.SUMS)
        + ".",
        "Order statistics, which are exact because they sort: " + _listed(deterministic_functions.SORTED) + ".",
        "These aggregates are allowed only if their value is selected and nothing else depends on it, because their last\n"
        "digits depend on the order of rows: sums and averages of floats, averages of integers, "
        + _listed(deterministic_functions.FLOATING)
        + ".",
        "Window functions: "
        + _listed(deterministic_functions.RANKS + deterministic_functions.PICKS)
        + ", and the aggregates above.",
    ]
    names = sorted(
        deterministic_functions.NAMED
        | {_name(getattr(nodes.exp, name)) for name in deterministic_functions.SCALAR if not name.startswith("_")}
    )
    parts += ["Scalar functions: " + ", ".join(f"`{name}`" for name in names) + "."]
    return "\n\n".join(parts) + "\n"


def laws_page() -> str:
    """The page for contributors: the law of each operator, as its module states it."""
    parts = [
        "# Laws",
        "<!-- Written by `make docs` from src/headwater/delta. -->",
        "Δ is a signed multiset: inserted rows have weight +1, deleted rows −1. *old* and *new* are a relation before and\n"
        "after the changes. Each block is the docstring of a module in `delta`.",
        "## Operators",
    ]
    for kind, law in LAWS.items():
        if kind is not nodes.Values:
            doc = inspect.getdoc(inspect.getmodule(law)) or ""
            parts += [f"### {kind.__name__}", inspect.getdoc(kind) or "", f"```\n{doc}\n```"]
    for title, module in (
        ("Additive aggregates", additive),
        ("Latest row per key", latest),
        ("Row identity", identity),
        ("Ties", ties),
    ):
        parts += [f"## {title}", f"```\n{inspect.getdoc(module)}\n```"]
    return "\n\n".join(parts) + "\n"


PAGES = {PAGE: page, LAWS_PAGE: laws_page}


def _listed(kinds: tuple[type, ...]) -> str:
    return ", ".join(f"`{_name(kind)}`" for kind in kinds)


def _name(kind: type) -> str:
    return str(kind.sql_names()[0]).lower() if hasattr(kind, "sql_names") else kind.__name__.lower()


if __name__ == "__main__":
    for path, text in PAGES.items():
        path.write_text(text(), encoding="utf-8")
        print(f"wrote {path.name}")
