"""Read the settings, from flags, environment, file and defaults, in this order."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headwater.core.read_warehouses import read_warehouses
from headwater.core.settings import BY_NAME, SETTINGS, Setting, Settings, Value, problems_of

FILE = "headwater.toml"


def load(flags: Mapping[str, str | None], environment: Mapping[str, str], folder: Path) -> Settings:
    """The settings in effect."""
    named = environment.get("HEADWATER_CONFIG")
    path = folder / (named or FILE)
    problems: list[str] = []
    profiles: dict[str, Any] = {}
    found = _read(path, problems, profiles) if named or path.exists() else {}
    values = {each.name: _pick(each, flags, environment, found, path) for each in SETTINGS}
    problems += problems_of(values)
    warehouses = read_warehouses(profiles, values["spark_memory"].text, problems)
    return Settings(values, tuple(problems), warehouses)


def _pick(
    setting: Setting,
    flags: Mapping[str, str | None],
    environment: Mapping[str, str],
    found: Mapping[str, str],
    path: Path,
) -> Value:
    if (flag := flags.get(setting.name)) is not None:
        return Value(flag, "flag", setting.secret)
    for variable in setting.variables:
        if environment.get(variable):
            return Value(environment[variable], f"environment {variable}", setting.secret)
    if setting.name in found:
        return Value(found[setting.name], f"file {path}", setting.secret)
    return Value(setting.default, "default", setting.secret)


def _read(path: Path, problems: list[str], profiles: dict[str, Any]) -> dict[str, str]:
    """The settings and warehouses of a file; relative paths are relative to the file."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(f'file "{path}" can\'t be read: {error}')
        return {}
    values: dict[str, str] = {}
    for key, value in found.items():
        if key == "warehouses" and isinstance(value, dict):
            profiles.update(value)
        elif key not in BY_NAME:
            problems.append(
                f'file "{path}" has the unknown key "{key}"; the keys are {", ".join(BY_NAME)}, [warehouses.…]'
            )
        elif isinstance(value, bool) or not isinstance(value, str | int | float):
            problems.append(f'file "{path}": {key} must be a string or a number')
        else:
            values[key] = _beside(path, str(value)) if key in ("lake", "data_path") else str(value)
    return values


def _beside(path: Path, value: str) -> str:
    return value if "://" in value else os.path.normpath(path.parent / os.path.expanduser(value))
