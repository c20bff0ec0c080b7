"""The graph of tables, as a tree or for Graphviz."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.open_site import open_site
from headwater.cli.output import Format, printable
from headwater.core.names import TableName
from headwater.service.graph import Node
from headwater.service.graph import graph as find

COLUMNS = ("name", "dynamic", "state", "freshness", "lag", "target_lag", "late", "reads", "after")


@command
def graph(
    call: Call,
    dot: Annotated[bool, typer.Option("--dot", help="Print the graph in the DOT language of Graphviz.")] = False,
) -> None:
    """Show the dependencies of dynamic tables, with their lag."""
    with open_site(call.settings) as site:
        nodes = find(site)
    if dot:
        typer.echo("\n".join(_dot(nodes)))
    elif call.output is Format.table:
        for line in _tree(nodes):
            typer.echo(printable(line))
    else:
        call.show(COLUMNS, [_row(node) for node in nodes])


def _row(node: Node) -> tuple[object, ...]:
    at = node.status
    if at is None:
        return (node.name, False, None, None, None, None, None, node.reads, node.after)
    target = None if at.target_lag is None else timedelta(seconds=round(at.target_lag))
    lag = timedelta(seconds=round(at.lag))
    return (node.name, True, at.state, at.freshness, lag, target, at.late, node.reads, node.after)


def _tree(nodes: tuple[Node, ...]) -> Iterator[str]:
    """Tables without sources first, their readers below them; each table's readers are shown once."""
    readers: defaultdict[TableName, list[Node]] = defaultdict(list)
    for node in nodes:
        for name in (*node.reads, *node.after):
            readers[name].append(node)
    seen: set[TableName] = set()
    for node in nodes:
        if not (node.reads or node.after):
            yield _label(node)
            yield from _below(node, readers, seen, "")


def _below(node: Node, readers: Mapping[TableName, list[Node]], seen: set[TableName], indent: str) -> Iterator[str]:
    mine = readers.get(node.name, [])
    for number, reader in enumerate(mine, 1):
        last = number == len(mine)
        follows = " (after)" if node.name in reader.after else ""
        repeated = reader.name in seen and reader.name in readers
        yield f"{indent}{'└── ' if last else '├── '}{_label(reader)}{follows}{' (above)' if repeated else ''}"
        seen.add(reader.name)
        if not repeated:
            yield from _below(reader, readers, seen, indent + ("    " if last else "│   "))


def _label(node: Node) -> str:
    facts = _facts(node)
    return f"{_name(node)} [{facts}]" if facts else _name(node)


def _name(node: Node) -> str:
    return f"{node.name.schema}.{node.name.name}"


def _facts(node: Node) -> str | None:
    """How fresh a dynamic table is and is to be."""
    if node.status is None:
        return None
    lag = f"lag {timedelta(seconds=round(node.status.lag))}"
    late = ", late" if node.status.late else ""
    state = "" if node.status.state == "ACTIVE" else f", {node.status.state.lower()}"
    return f"{node.status.freshness}, {lag}{late}{state}"


def _dot(nodes: tuple[Node, ...]) -> Iterator[str]:
    yield "digraph headwater {"
    yield "  rankdir = LR;"
    for node in nodes:
        shape = "box" if node.status is None else "ellipse"
        label = "\n".join(filter(None, (_name(node), _facts(node))))
        yield f"  {_quoted(str(node.name))} [shape = {shape}, label = {_quoted(label)}];"
    for node in nodes:
        for name in node.reads:
            yield f"  {_quoted(str(name))} -> {_quoted(str(node.name))};"
        for name in node.after:
            yield f"  {_quoted(str(name))} -> {_quoted(str(node.name))} [style = dashed];"
    yield "}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
