"""Warehouses: named Spark configurations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headwater.core.errors import InvalidRequest
from headwater.core.format import these_are

DEFAULT = "default"
LOCAL = "local[*]"
_MEMORY = re.compile(r"[1-9][0-9]{0,6}[kmgt]", re.IGNORECASE)
_MASTER = re.compile(r"local(\[([1-9][0-9]*|\*)\])?|spark://[^\s/]+")


@dataclass(frozen=True, slots=True)
class Warehouse:
    """A driver, and a fair scheduler pool in it; memory is in Spark's format, or None for Headwater's default."""

    name: str = DEFAULT
    master: str = LOCAL
    memory: str | None = None
    pool: str | None = None
    conf: tuple[tuple[str, str], ...] = ()

    @property
    def driver(self) -> tuple[object, ...]:
        """The settings that warehouses must share to use one process."""
        return (self.master, self.memory, self.conf)

    @property
    def settings(self) -> dict[str, str]:
        """Spark's settings, in addition to Headwater's own."""
        place = "driver" if self.master.startswith("local") else "executor"
        memory = {} if self.memory is None else {f"spark.{place}.memory": self.memory}
        master = {} if self.master == LOCAL else {"spark.master": self.master}
        return {**dict(self.conf), **master, **memory}


def find_warehouse(known: Iterable[Warehouse], name: str | None) -> Warehouse:
    """The warehouse of a name, ignoring case; refuses unknown names."""
    (found,) = _find(tuple(known), (name or DEFAULT,))
    return found


def _find(known: Sequence[Warehouse], names: Sequence[str]) -> tuple[Warehouse, ...]:
    by_name = {each.name.casefold(): each for each in known}
    if unknown := [f'"{name}"' for name in names if name.casefold() not in by_name]:
        which = f"warehouse {unknown[0]} is" if len(unknown) == 1 else f"warehouses {', '.join(unknown)} are"
        raise InvalidRequest(f"{which} not known", hint=these_are("warehouse", [each.name for each in known]))
    return tuple(by_name[name.casefold()] for name in names)


def together(known: Sequence[Warehouse], names: Sequence[str] = ()) -> tuple[Warehouse, ...]:
    """The warehouses of these names, which must share a process; without names, the default one and all on its driver."""
    if not names:
        driver = find_warehouse(known, DEFAULT).driver
        return tuple(each for each in known if each.driver == driver)
    found = _find(known, names)
    if len({each.driver for each in found}) > 1:
        raise InvalidRequest(
            f"warehouses {', '.join(each.name for each in found)} need several Spark drivers",
            detail="A process has one Spark driver; its warehouses can differ only in their pool.",
            hint="Start one worker for each driver.",
        )
    return found


def is_memory(text: str) -> bool:
    """Whether the text is an amount of memory in Spark's format.

    >>> [is_memory(text) for text in ("4g", "1500M", "4", "4 gb", "0g")]
    [True, True, False, False, False]
    """
    return _MEMORY.fullmatch(text) is not None


def is_master(text: str) -> bool:
    """Whether Headwater supports the Spark master.

    >>> [is_master(text) for text in ("local[*]", "local[4]", "spark://h:7077", "sc://h:15002", "yarn")]
    [True, True, True, False, False]
    """
    return _MASTER.fullmatch(text) is not None
