"""The result of a step of maintenance."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.core.errors import HeadwaterError
from headwater.core.names import TableName

DONE, PLANNED, LEFT, FAILED = "done", "planned", "left", "failed"
COLUMNS = ("step", "table", "state", "snapshots", "files", "files_after", "bytes", "rows", "seconds", "reason")


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step for the lake or one table; fields that do not apply are None."""

    step: str
    state: str
    table: TableName | None = None
    snapshots: int | None = None
    files: int | None = None
    files_after: int | None = None
    bytes: int | None = None
    rows: int | None = None
    seconds: float = 0.0
    reason: str | None = None
    error: HeadwaterError | None = field(default=None, compare=False)

    @property
    def idle(self) -> bool:
        """Whether there was nothing to do."""
        return self.state in (DONE, PLANNED) and not (self.snapshots or self.files or self.rows)
