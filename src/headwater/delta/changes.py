"""How the rows of a table change, as plans over named scans: what EXPLAIN shows and what Spark runs."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.delta.algebra import plain
from headwater.delta.law import Step
from headwater.plan.nodes import Node, Project, Scan

TARGET = "hw_target"
FILE = "__hw_file"
POSITION = "__hw_position"


@dataclass(frozen=True, slots=True)
class Replace:
    """Rows of the table that go, with their places, and the rows that come instead; those that are equal stay."""

    steps: tuple[Step, ...]
    new: Node
    gone: Node


@dataclass(frozen=True, slots=True)
class Apply:
    """Signed rows. Those that go are found in the table by the columns of `match`: names of rows, or all there is."""

    steps: tuple[Step, ...]
    delta: Node
    match: tuple[str, ...]
    unique: bool


@dataclass(frozen=True, slots=True)
class Append:
    """Rows that only come."""

    steps: tuple[Step, ...]
    rows: Node


Changes = Replace | Apply | Append


def target(columns: tuple[str, ...]) -> Scan:
    """The table as it is, under the names of its plan, with the place of each row."""
    return Scan(TARGET, tuple((name, name) for name in (*columns, FILE, POSITION)))


def without_weight(delta: Node, columns: tuple[str, ...]) -> Project:
    """Rows that all weigh +1, without saying so."""
    return Project(delta, plain(columns))


def nodes_of(changes: Changes) -> tuple[Node, ...]:
    """All plans that the changes are made of, steps first."""
    steps = tuple(step.node for step in changes.steps)
    match changes:
        case Replace():
            return (*steps, changes.new, changes.gone)
        case Apply():
            return (*steps, changes.delta)
        case Append():
            return (*steps, changes.rows)
