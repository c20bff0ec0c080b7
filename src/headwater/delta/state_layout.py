"""The state layout of a table: whether it can be refreshed incrementally, and the state columns in its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.core.schema import Column


@dataclass(frozen=True, slots=True)
class StateLayout:
    """Either why a query is refreshed in full, or its plan (by hash), types and state columns.

    >>> layout = StateLayout(plan="ab12", types={"k": "BIGINT"}, state=(Column("_hw_count", "int64", 1_500_000_000),))
    >>> StateLayout.from_text(layout.text()) == layout
    True
    """

    blocked: str | None = None
    plan: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    mark: int = 0
    state: tuple[Column, ...] = ()

    def text(self) -> str:
        """The stored text."""
        if self.blocked is not None:
            return json.dumps({"blocked": self.blocked})
        state = [[column.name, column.type, column.field_id] for column in self.state]
        return json.dumps({"plan": self.plan, "types": dict(self.types), "mark": self.mark, "state": state})

    @classmethod
    def from_text(cls, text: str) -> StateLayout:
        """The value of a stored text."""
        stored = json.loads(text)
        if "blocked" in stored:
            return cls(stored["blocked"])
        state = tuple(Column(name, type, id) for name, type, id in stored["state"])
        return cls(None, stored["plan"], stored["types"], stored["mark"], state)
