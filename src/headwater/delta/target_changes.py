"""How the rows of a table change, as plans over named scans: what EXPLAIN shows and what Spark runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from headwater.delta.algebra import plain
from headwater.delta.derivation import Step
from headwater.plan.join_order import Light
from headwater.plan.nodes import Node, Project, Scan, ScanVersion

TARGET = "hw_target"
FILE = "__hw_file"
POSITION = "__hw_position"


@dataclass(frozen=True, slots=True)
class Replace:
    """Rows of the table that go, with their places, and the rows that come instead; those that are equal stay.

    If the step `again` has rows, all of the table is computed anew.
    """

    steps: tuple[Step, ...]
    new: Node
    gone: Node
    again: str | None = None


@dataclass(frozen=True, slots=True)
class Swap:
    """Rows that come, and the places of rows of the table that go; none that stays as it is is among them."""

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


Changes = Replace | Swap | Apply | Append


def target(columns: tuple[str, ...]) -> Scan:
    """The table as it is, under the names of its plan, with the place of each row."""
    return Scan(TARGET, tuple((name, name) for name in (*columns, FILE, POSITION)))


def without_weight(delta: Node, columns: tuple[str, ...]) -> Project:
    """Rows that all weigh +1, without saying so."""
    return Project(delta, plain(columns))


def mapped(changes: Changes, change: Callable[[Node], Node]) -> Changes:
    """The changes with each of their plans made into another one of the same meaning."""
    steps = tuple(replace(step, node=change(step.node)) for step in changes.steps)
    match changes:
        case Replace() | Swap():
            return replace(changes, steps=steps, new=change(changes.new), gone=change(changes.gone))
        case Apply():
            return replace(changes, steps=steps, delta=change(changes.delta))
        case Append():
            return replace(changes, steps=steps, rows=change(changes.rows))


def follows(changes: Changes) -> Light:
    """Whether a scan among the changes reads no more than they are: a delta, or a step."""
    steps = {step.name for step in changes.steps}
    return lambda scan: scan.version is ScanVersion.DELTA or scan.relation in steps


def nodes_of(changes: Changes) -> tuple[Node, ...]:
    """All plans that the changes are made of, steps first."""
    steps = tuple(step.node for step in changes.steps)
    match changes:
        case Replace() | Swap():
            return (*steps, changes.new, changes.gone)
        case Apply():
            return (*steps, changes.delta)
        case Append():
            return (*steps, changes.rows)
