"""The warehouses of a configuration file: its tables [warehouses.NAME]."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from headwater.core.warehouse import DEFAULT, Warehouse, is_master, is_memory

KEYS = ("master", "memory", "pool", "conf")
_NAME = re.compile(r"[a-z_][a-z0-9_]*", re.IGNORECASE)


def read_warehouses(found: Mapping[str, Any], memory: str | None, problems: list[str]) -> tuple[Warehouse, ...]:
    """The warehouses, the default one first; each inherits unset keys, except the pool, from the default one."""
    base = _read(DEFAULT, found.get(DEFAULT, {}), Warehouse(memory=memory), problems)
    others = [
        _read(name, given, replace(base, name=name.casefold(), pool=None), problems)
        for name, given in found.items()
        if name.casefold() != DEFAULT
    ]
    return (base, *others)


def _read(name: str, given: Any, base: Warehouse, problems: list[str]) -> Warehouse:
    where = f"warehouse {name!r}"
    if not _NAME.fullmatch(name) or not isinstance(given, dict):
        problems.append(f"{where} is not a table [warehouses.NAME] with a name of letters, digits and _")
        return base
    problems.extend(
        f"{where} has the unknown key {key!r}; the keys are {', '.join(KEYS)}" for key in given.keys() - KEYS
    )
    texts = {key: value for key in ("master", "memory", "pool") if (value := given.get(key)) is not None}
    problems.extend(f"{where}: {key} must be a string" for key, value in texts.items() if not isinstance(value, str))
    texts = {key: value for key, value in texts.items() if isinstance(value, str)}
    master, memory = texts.get("master"), texts.get("memory")
    if master is not None and not is_master(master):
        why = "Spark Connect is not supported" if master.startswith("sc://") else "use local[*], local[n] or spark://…"
        problems.append(f"{where}: master {master!r} can't be used; {why}")
        del texts["master"]
    if memory is not None and not is_memory(memory):
        problems.append(f"{where}: memory {memory!r} is not an amount of memory such as 4g or 1500m")
        del texts["memory"]
    conf = given.get("conf", dict(base.conf))
    if not isinstance(conf, dict):
        problems.append(f"{where}: conf must be a table of Spark settings")
        conf = {}
    pairs = sorted((key, str(value).lower() if isinstance(value, bool) else str(value)) for key, value in conf.items())
    return replace(base, **texts, conf=tuple(pairs))
