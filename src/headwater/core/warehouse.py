"""Where refreshes are computed: a named way to run Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT = "default"
_MEMORY = re.compile(r"[1-9][0-9]{0,6}[kmgt]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Warehouse:
    """The Spark of a process: its memory as Spark writes it, such as 4g; None is half of the machine's, at most 8g."""

    name: str = DEFAULT
    memory: str | None = None

    @property
    def settings(self) -> dict[str, str]:
        """What Spark is started with, beside Headwater's own settings."""
        return {} if self.memory is None else {"spark.driver.memory": self.memory}


def is_memory(text: str) -> bool:
    """Whether Spark understands it as an amount of memory.

    >>> [is_memory(text) for text in ("4g", "1500M", "4", "4 gb", "0g")]
    [True, True, False, False, False]
    """
    return _MEMORY.fullmatch(text) is not None
