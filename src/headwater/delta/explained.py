"""The changes of a table as the SQL that Spark runs, for people to read."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.delta.changes import Append, Apply, Changes, Replace, Swap
from headwater.plan.nodes import Node
from headwater.plan.render import render


def explained(changes: Changes) -> str:
    """Each relation under a line that says what it is."""
    return "\n\n".join(f"-- {title}\n{render(node, pretty=True)};" for title, node in _parts(changes))


def _parts(changes: Changes) -> Iterator[tuple[str, Node]]:
    for step in changes.steps:
        yield step.name, step.node
    match changes:
        case Replace():
            yield "rows that come", changes.new
            yield "rows of the table that go, unless they are among those that come", changes.gone
        case Swap():
            yield "rows that come", changes.new
            yield "places of the rows that go", changes.gone
        case Apply():
            found = "their names in " if changes.unique else "all their values, "
            yield (
                f"rows that come (__w = 1) and go (__w = -1), found by {found}{', '.join(changes.match)}",
                changes.delta,
            )
        case Append():
            yield "rows that come", changes.rows
