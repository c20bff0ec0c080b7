"""Writes docs/reference/incremental-sql.md from the code: which operators and which functions can be incremental."""

from __future__ import annotations

import inspect
from pathlib import Path

from headwater.delta import additive, functions, identity, latest, ties
from headwater.delta.laws import LAWS
from headwater.delta.maintain import Strategy
from headwater.plan import nodes

PAGE = Path(__file__).with_name("reference") / "incremental-sql.md"
_NOT_LISTED = (nodes.Values,)
_STRATEGIES = {
    Strategy.APPEND_ONLY: "rows only came, and the query only filters, projects, unites, explodes, joins inner: they are added",
    Strategy.ADDITIVE: "a grouping at the top whose aggregates follow from their stored values and the changes",
    Strategy.AFFECTED_KEYS: "groups, partitions or rows that changes touch are computed anew",
    Strategy.ROW_DELTA: "rows that come and go are derived one by one, and found in the table by the ids of what they come from, "
    "their key or their place in an order",
    Strategy.RECOMPUTE: "the top operator has no key, or one of the first rows went: "
    "its input is read whole, and only the difference is written",
}


def page() -> str:
    """The page as text."""
    parts = [
        "# What is incremental",
        "<!-- Written by `make docs` from src/headwater/delta. -->",
        "A dynamic table follows the changes of its sources if every operator of its query has a law here and every function is\n"
        "listed below, and if Spark agrees that the plan means what the query says. Else it is refreshed in full, and EXPLAIN\n"
        "DYNAMIC TABLE says why.",
        "## Operators and their laws",
        "Δ is a signed bag: rows that came weigh +1, rows that went −1. *old* and *new* are the relation before and after.",
    ]
    for kind, law in LAWS.items():
        if kind not in _NOT_LISTED:
            doc = inspect.getdoc(inspect.getmodule(law)) or ""
            parts += [f"### {kind.__name__}", inspect.getdoc(kind) or "", f"```\n{doc}\n```"]
    parts += [
        "## Strategies",
        "| strategy | when |\n|---|---|\n" + "\n".join(f"| {s} | {_STRATEGIES[s]} |" for s in Strategy),
    ]
    for title, module in (
        ("Aggregates that are added up", additive),
        ("Latest rows", latest),
        ("Names of rows", identity),
        ("Ties", ties),
    ):
        parts += [f"## {title}", f"```\n{inspect.getdoc(module)}\n```"]
    parts += [
        "## Functions",
        "Aggregates that any strategy may compute: "
        + _listed(functions.EXACT + functions.EXTREMES + functions.SUMS)
        + ".",
    ]
    parts += ["Exact, for they sort: " + _listed(functions.SORTED) + "."]
    parts += [
        "Only where their value is shown and nothing is decided by it, for the order of rows is in their last digits: sums and\n"
        "means of floats, means of whole numbers, " + _listed(functions.FLOATING) + "."
    ]
    parts += ["Window functions: " + _listed(functions.RANKS + functions.PICKS) + ", and the aggregates above."]
    names = sorted(
        functions.NAMED | {_name(getattr(nodes.exp, name)) for name in functions.SCALAR if not name.startswith("_")}
    )
    parts += ["Scalar functions: " + ", ".join(f"`{name}`" for name in names) + "."]
    return "\n\n".join(parts) + "\n"


def _listed(kinds: tuple[type, ...]) -> str:
    return ", ".join(f"`{_name(kind)}`" for kind in kinds)


def _name(kind: type) -> str:
    return str(kind.sql_names()[0]).lower() if hasattr(kind, "sql_names") else kind.__name__.lower()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
