"""The changes of a table's rows, as plans over named scans: EXPLAIN prints them, and Spark runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.delta.algebra import plain
from headwater.delta.derivation import Step
from headwater.plan.join_order import Light
from headwater.plan.nodes import Node, Project, Scan, ScanVersion

TARGET = "hw_target"


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace rows of the table, given with their places, by new rows; equal rows stay.

    If the step `again` has rows, the whole table is recomputed.
    """

    steps: tuple[Step, ...]
    new: Node
    gone: Node
    again: str | None = None


@dataclass(frozen=True, slots=True)
class Swap:
    """Insert rows, and delete the rows of the table at places; unchanged rows are in neither."""

    steps: tuple[Step, ...]
    new: Node
    gone: Node


@dataclass(frozen=True, slots=True)
class Apply:
    """Apply weighted rows. The columns `match` locate deleted rows in the table: row ids if `unique`, else all columns."""

    steps: tuple[Step, ...]
    delta: Node
    match: tuple[str, ...]
    unique: bool


@dataclass(frozen=True, slots=True)
class Append:
    """Insert rows."""

    steps: tuple[Step, ...]
    rows: Node


Changes = Replace | Swap | Apply | Append


def target(columns: tuple[str, ...]) -> Scan:
    """A scan of the table's stored rows, with the column names of its plan and the place of each row."""
    return Scan(TARGET, tuple((name, name) for name in (*columns, FILE_ID, POSITION)))


def without_weight(delta: Node, columns: tuple[str, ...]) -> Project:
    """The rows of a delta with only the weight +1, without the column W."""
    return Project(delta, plain(columns))


def mapped(changes: Changes, change: Callable[[Node], Node]) -> Changes:
    """The changes with a function applied to each of their plans."""
    steps = tuple(replace(step, node=change(step.node)) for step in changes.steps)
    match changes:
        case Replace() | Swap():
            return replace(changes, steps=steps, new=change(changes.new), gone=change(changes.gone))
        case Apply():
            return replace(changes, steps=steps, delta=change(changes.delta))
        case Append():
            return replace(changes, steps=steps, rows=change(changes.rows))


def follows(changes: Changes) -> Light:
    """A predicate for scans that read only changed rows: a delta, or a step over deltas."""
    steps = {step.name for step in changes.steps}
    return lambda scan: scan.version is ScanVersion.DELTA or scan.relation in steps


def nodes_of(changes: Changes) -> tuple[Node, ...]:
    """All plans of the changes, steps first."""
    steps = tuple(step.node for step in changes.steps)
    match changes:
        case Replace() | Swap():
            return (*steps, changes.new, changes.gone)
        case Apply():
            return (*steps, changes.delta)
        case Append():
            return (*steps, changes.rows)
