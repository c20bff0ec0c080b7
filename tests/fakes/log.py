"""A log that keeps its lines."""

from __future__ import annotations

from typing import Any


class FakeLog:
    """What was logged: level, event and facts of each line."""

    def __init__(self) -> None:
        self.all: list[tuple[str, str, dict[str, Any]]] = []

    def info(self, event: str, **facts: Any) -> None:
        self.all.append(("info", event, facts))

    def warning(self, event: str, **facts: Any) -> None:
        self.all.append(("warning", event, facts))

    def error(self, event: str, **facts: Any) -> None:
        self.all.append(("error", event, facts))

    def of(self, event: str) -> list[dict[str, Any]]:
        return [facts for _level, found, facts in self.all if found == event]
