"""The settings: one table of their names, defaults, origins in the environment, limits and meanings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from headwater.core.address import is_address
from headwater.core.errors import InvalidRequest
from headwater.core.redact import Redactor
from headwater.core.warehouse import Warehouse, is_memory

LEVELS = ("debug", "info", "warning", "error")
LONGEST_HISTORY = 36_500
SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 1, 10**9


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting. The command-line help, headwater.toml and the page of settings are written from it."""

    name: str
    # As text; None is no value.
    default: str | None
    # The first that is set counts.
    variables: tuple[str, ...]
    # Without a period at the end.
    meaning: str
    # What follows the name in the problems of a value.
    check: Callable[[str | None], Iterator[str]] = lambda text: iter(())
    # The default in words, where the text is not plain enough.
    default_words: str | None = None
    # A value for headwater.toml if there is no default.
    example: str | None = None
    # Shorter than the meaning, for the help of an option.
    brief: str | None = None
    # In headwater.toml instead of the meaning; one that is empty is explained with the setting before it.
    comment: str | None = None
    # Never shown.
    secret: bool = False

    @property
    def option_help(self) -> str:
        """The help of a command-line option that sets it."""
        shown = self.default_words or self.default
        default = "" if shown is None else f", default{':' if self.default is None else ''} {shown}"
        return f"{self.brief or self.meaning} (env {self.variables[0]}{default})."


def number(text: str | None) -> float | None:
    """The number, or None if the text is not a finite one.

    >>> [number(text) for text in ("5", "1e3", "soon", "nan", None)]
    [5.0, 1000.0, None, None, None]
    """
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _numeric(valid: Callable[[float], bool], what: str) -> Callable[[str | None], Iterator[str]]:
    def check(text: str | None) -> Iterator[str]:
        found = number(text)
        if found is None or not valid(found):
            yield f" {text!r} is not {what}"

    return check


def _memory(text: str | None) -> Iterator[str]:
    if text is not None and not is_memory(text):
        yield f" {text!r} is not an amount of memory such as 4g or 1500m"


def _port(text: str | None) -> Iterator[str]:
    if text is not None and number(text) not in range(1, 65_536):
        yield f" {text!r} is not a port from 1 to 65535"


def _host(text: str | None) -> Iterator[str]:
    if not (text or "").strip():
        # An empty host would bind to all addresses.
        yield " is empty; use 0.0.0.0 or :: for all addresses"


def _webhooks(text: str | None) -> Iterator[str]:
    for place, url in enumerate((text or "").split(), 1):
        if not is_address(url):
            yield f": address {place} is not http(s)://host/… without a user"


def _level(text: str | None) -> Iterator[str]:
    if (text or "").lower() not in LEVELS:
        yield f" {text!r} is not one of {', '.join(LEVELS)}"


_DAYS = _numeric(lambda days: 0 <= days <= LONGEST_HISTORY, f"a number of days from 0 to {LONGEST_HISTORY}")

# In the order of headwater.toml, `headwater config show` and the page of settings.
SETTINGS = (
    Setting(
        "lake",
        "lake",
        ("HEADWATER_LAKE", "HEADWATER_PG_URL"),
        "The lake: a folder, relative to this file, or postgresql://user@host/database",
        default_words="./lake",
        brief="Folder or postgresql://…",
    ),
    Setting(
        "data_path",
        None,
        ("HEADWATER_DATA_PATH", "HEADWATER_DUCKDB_PATH"),
        "Folder for the data files of a new lake, by default beside its catalog",
        example="…",
        brief="Folder for the data files of a new lake",
    ),
    Setting(
        "poll_interval",
        "5",
        ("HEADWATER_POLL_INTERVAL",),
        "Seconds between a worker's checks for changes",
        _numeric(lambda _seconds: True, "a number of seconds"),
    ),
    Setting("history_days", "7", ("HEADWATER_HISTORY_DAYS",), "Days to keep the history of refreshes", _DAYS),
    Setting(
        "retention_days",
        "7",
        ("HEADWATER_RETENTION_DAYS",),
        "Days to keep snapshots for time travel; a dynamic table may set more",
        _DAYS,
        brief="Days to keep snapshots",
    ),
    Setting(
        "maintenance_interval",
        "3600",
        ("HEADWATER_MAINTENANCE_INTERVAL",),
        "Seconds between a worker's maintenance runs, 0 for none",
        _numeric(lambda seconds: seconds >= 0, "a number of seconds, or 0 for never"),
    ),
    Setting(
        "refresh_timeout",
        "0",
        ("HEADWATER_REFRESH_TIMEOUT",),
        "Seconds after which a refresh is cancelled, 0 for no limit",
        _numeric(
            lambda seconds: seconds == 0 or SHORTEST_TIMEOUT <= seconds <= LONGEST_TIMEOUT,
            f"a number of seconds from {SHORTEST_TIMEOUT}, or 0 for none",
        ),
    ),
    Setting(
        "spark_memory",
        None,
        ("HEADWATER_SPARK_MEMORY",),
        "Spark's memory, by default half of the machine's and at most 8g",
        _memory,
        default_words="half of the machine's",
        example="8g",
        brief="Spark's memory, such as 4g",
    ),
    Setting(
        "compute_idle",
        "300",
        ("HEADWATER_COMPUTE_IDLE",),
        "Seconds after its last command until a background compute process ends, 0 to compute in the commands themselves",
        _numeric(lambda seconds: seconds >= 0, "a number of seconds, or 0 to start no process"),
        brief="Seconds that a background compute process waits for commands, 0 for no such process",
    ),
    Setting(
        "metrics_port",
        None,
        ("HEADWATER_METRICS_PORT",),
        "Port of /metrics and /healthz",
        _port,
        default_words="off",
        example="9464",
        comment="Port and address where a worker serves /metrics for Prometheus, and /healthz; off without a port"
        " (HEADWATER_METRICS_PORT,\nHEADWATER_METRICS_HOST).",
    ),
    Setting(
        "metrics_host",
        "127.0.0.1",
        ("HEADWATER_METRICS_HOST",),
        "Address of /metrics and /healthz",
        _host,
        comment="",
    ),
    Setting(
        "alert_webhook",
        None,
        ("HEADWATER_ALERT_WEBHOOK",),
        "URLs that a worker sends alerts to, separated by spaces",
        _webhooks,
        example="https://…",
        comment="URLs that a worker sends alerts to, separated by spaces (HEADWATER_ALERT_WEBHOOK). Such addresses\n"
        "are secrets: keep them in the environment if this file is shared.",
        secret=True,
    ),
    Setting(
        "alert_overdue_after",
        "3600",
        ("HEADWATER_ALERT_OVERDUE_AFTER",),
        "Seconds after which a running refresh sends an alert, 0 for none",
        _numeric(lambda seconds: seconds >= 0, "a number of seconds"),
    ),
    Setting(
        "log_level",
        "info",
        ("HEADWATER_LOG_LEVEL",),
        f"A worker's log level: {', '.join(LEVELS[:-1])} or {LEVELS[-1]}",
        _level,
    ),
)
BY_NAME = {each.name: each for each in SETTINGS}


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
        return self._text("lake")

    @property
    def data_path(self) -> str | None:
        return self.values["data_path"].text

    @property
    def poll_interval(self) -> float:
        return self._number("poll_interval")

    @property
    def history_days(self) -> float:
        return self._number("history_days")

    @property
    def retention_days(self) -> float:
        return self._number("retention_days")

    @property
    def maintenance_interval(self) -> float:
        return self._number("maintenance_interval")

    @property
    def refresh_timeout(self) -> float | None:
        """None if refreshes have no timeout."""
        return self._number("refresh_timeout") or None

    @property
    def compute_idle(self) -> float:
        return self._number("compute_idle")

    @property
    def metrics_port(self) -> int | None:
        """None if metrics are not served."""
        found = number(self.values["metrics_port"].text)
        return None if found is None else int(found)

    @property
    def metrics_host(self) -> str:
        return self._text("metrics_host")

    @property
    def alert_webhooks(self) -> tuple[str, ...]:
        """The URLs."""
        return tuple(self._text("alert_webhook").split())

    @property
    def alert_overdue_after(self) -> float:
        return self._number("alert_overdue_after")

    @property
    def log_level(self) -> str:
        return self._text("log_level").lower()

    def check(self) -> None:
        """Refuse invalid settings."""
        if self.problems:
            raise InvalidRequest(
                "the configuration is not valid",
                detail="; ".join(self.problems) + ".",
                hint="Run headwater config show to print each value with its origin.",
            )

    def _text(self, name: str) -> str:
        return self.values[name].text or ""

    def _number(self, name: str) -> float:
        """The number, or the default if the text is not a number, which is one of the problems."""
        found = number(self.values[name].text)
        return found if found is not None else float(BY_NAME[name].default or 0)


DEFAULTS = Settings({each.name: Value(each.default, "default", each.secret) for each in SETTINGS})


def problems_of(values: Mapping[str, Value]) -> Iterator[str]:
    """What is wrong with the values, in the order of the settings."""
    for setting in SETTINGS:
        for problem in setting.check(values[setting.name].text):
            yield setting.name + problem
