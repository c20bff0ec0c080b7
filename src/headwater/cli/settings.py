"""Settings, from flags, environment, file and defaults, in this order."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.cli.warehouses import read_warehouses
from headwater.core.address import is_address
from headwater.core.errors import InvalidRequest
from headwater.core.redact import Redactor
from headwater.core.warehouse import Warehouse, is_memory

FILE = "headwater.toml"
LEVELS = ("debug", "info", "warning", "error")
LONGEST_HISTORY = 36_500
SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 1, 10**9
# Each setting's default and environment variables.
KEYS: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "lake": ("lake", ("HEADWATER_LAKE", "HEADWATER_PG_URL")),
    "data_path": (None, ("HEADWATER_DATA_PATH", "HEADWATER_DUCKDB_PATH")),
    "poll_interval": ("5", ("HEADWATER_POLL_INTERVAL",)),
    "history_days": ("7", ("HEADWATER_HISTORY_DAYS",)),
    "retention_days": ("7", ("HEADWATER_RETENTION_DAYS",)),
    "maintenance_interval": ("3600", ("HEADWATER_MAINTENANCE_INTERVAL",)),
    "refresh_timeout": ("0", ("HEADWATER_REFRESH_TIMEOUT",)),
    "spark_memory": (None, ("HEADWATER_SPARK_MEMORY",)),
    "metrics_port": (None, ("HEADWATER_METRICS_PORT",)),
    "metrics_host": ("127.0.0.1", ("HEADWATER_METRICS_HOST",)),
    "alert_webhook": (None, ("HEADWATER_ALERT_WEBHOOK",)),
    "alert_overdue_after": ("3600", ("HEADWATER_ALERT_OVERDUE_AFTER",)),
    "log_level": ("info", ("HEADWATER_LOG_LEVEL",)),
}
# Settings that are secrets as a whole.
SECRET = frozenset({"alert_webhook"})


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a setting, and its origin."""

    text: str | None
    origin: str
    secret: bool = False

    @property
    def shown(self) -> str | None:
        """The value without a password."""
        if self.secret and self.text:
            return "***"
        return self.text and Redactor()(self.text)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; `problems` lists all invalid ones."""

    values: Mapping[str, Value]
    problems: tuple[str, ...] = ()
    # The configured warehouses; the first is the default.
    warehouses: tuple[Warehouse, ...] = (Warehouse(),)

    @property
    def lake(self) -> str:
        return self.values["lake"].text or ""

    @property
    def data_path(self) -> str | None:
        return self.values["data_path"].text

    @property
    def poll_interval(self) -> float:
        found = _number(self.values["poll_interval"].text)
        return 5.0 if found is None else found

    @property
    def history_days(self) -> float:
        found = _number(self.values["history_days"].text)
        return 7.0 if found is None else found

    @property
    def retention_days(self) -> float:
        found = _number(self.values["retention_days"].text)
        return 7.0 if found is None else found

    @property
    def maintenance_interval(self) -> float:
        found = _number(self.values["maintenance_interval"].text)
        return 3600.0 if found is None else found

    @property
    def refresh_timeout(self) -> float | None:
        """None if refreshes have no timeout."""
        return _number(self.values["refresh_timeout"].text) or None

    @property
    def metrics_port(self) -> int | None:
        """None if metrics are not served."""
        found = _number(self.values["metrics_port"].text)
        return None if found is None else int(found)

    @property
    def metrics_host(self) -> str:
        return self.values["metrics_host"].text or ""

    @property
    def alert_webhooks(self) -> tuple[str, ...]:
        """The URLs, separated by spaces."""
        return tuple((self.values["alert_webhook"].text or "").split())

    @property
    def alert_overdue_after(self) -> float:
        found = _number(self.values["alert_overdue_after"].text)
        return 3600.0 if found is None else found

    @property
    def log_level(self) -> str:
        return (self.values["log_level"].text or "").lower()

    def check(self) -> None:
        """Refuse invalid settings."""
        if self.problems:
            raise InvalidRequest(
                "the configuration is not valid",
                detail="; ".join(self.problems) + ".",
                hint="Run headwater config show to print each value with its origin.",
            )


def load(flags: Mapping[str, str | None], environment: Mapping[str, str], folder: Path) -> Settings:
    """The settings in effect."""
    named = environment.get("HEADWATER_CONFIG")
    path = folder / (named or FILE)
    problems: list[str] = []
    profiles: dict[str, Any] = {}
    found = _read(path, problems, profiles) if named or path.exists() else {}
    values = {key: _pick(key, flags, environment, found, path) for key in KEYS}
    if _number(values["poll_interval"].text) is None:
        problems.append(f"poll_interval {values['poll_interval'].text!r} is not a number of seconds")
    for key in ("history_days", "retention_days"):
        days, text = _number(values[key].text), values[key].text
        if days is None or not 0 <= days <= LONGEST_HISTORY:
            problems.append(f"{key} {text!r} is not a number of days from 0 to {LONGEST_HISTORY}")
    interval = _number(values["maintenance_interval"].text)
    if interval is None or interval < 0:
        text = values["maintenance_interval"].text
        problems.append(f"maintenance_interval {text!r} is not a number of seconds, or 0 for never")
    problems += _check_limits(values)
    problems += _check_outlets(values)
    if (values["log_level"].text or "").lower() not in LEVELS:
        problems.append(f"log_level {values['log_level'].text!r} is not one of {', '.join(LEVELS)}")
    warehouses = read_warehouses(profiles, values["spark_memory"].text, problems)
    return Settings(values, tuple(problems), warehouses)


def _check_limits(values: Mapping[str, Value]) -> Iterator[str]:
    timeout = values["refresh_timeout"].text
    seconds = _number(timeout)
    if seconds is None or not (seconds == 0 or SHORTEST_TIMEOUT <= seconds <= LONGEST_TIMEOUT):
        yield f"refresh_timeout {timeout!r} is not a number of seconds from {SHORTEST_TIMEOUT}, or 0 for none"
    memory = values["spark_memory"].text
    if memory is not None and not is_memory(memory):
        yield f"spark_memory {memory!r} is not an amount of memory such as 4g or 1500m"


def _check_outlets(values: Mapping[str, Value]) -> Iterator[str]:
    port = values["metrics_port"].text
    if port is not None and _number(port) not in range(1, 65_536):
        yield f"metrics_port {port!r} is not a port from 1 to 65535"
    if not (values["metrics_host"].text or "").strip():
        # An empty host would bind to all addresses.
        yield "metrics_host is empty; use 0.0.0.0 or :: for all addresses"
    for number, url in enumerate((values["alert_webhook"].text or "").split(), 1):
        if not is_address(url):
            yield f"alert_webhook: address {number} is not http(s)://host/… without a user"
    seconds = values["alert_overdue_after"].text
    if (_number(seconds) or 0.0) < 0 or _number(seconds) is None:
        yield f"alert_overdue_after {seconds!r} is not a number of seconds"


def _pick(
    key: str, flags: Mapping[str, str | None], environment: Mapping[str, str], found: Mapping[str, str], path: Path
) -> Value:
    default, variables = KEYS[key]
    secret = key in SECRET
    if (flag := flags.get(key)) is not None:
        return Value(flag, "flag", secret)
    for variable in variables:
        if environment.get(variable):
            return Value(environment[variable], f"environment {variable}", secret)
    if key in found:
        return Value(found[key], f"file {path}", secret)
    return Value(default, "default", secret)


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
        elif key not in KEYS:
            problems.append(
                f'file "{path}" has the unknown key "{key}"; the keys are {", ".join(KEYS)}, [warehouses.…]'
            )
        elif isinstance(value, bool) or not isinstance(value, str | int | float):
            problems.append(f'file "{path}": {key} must be a string or a number')
        else:
            values[key] = _beside(path, str(value)) if key in ("lake", "data_path") else str(value)
    return values


def _beside(path: Path, value: str) -> str:
    return value if "://" in value else os.path.normpath(path.parent / os.path.expanduser(value))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
