"""Checks of everything that a lake needs; all of them run."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from headwater.core.errors import EngineError, HeadwaterError, InvalidRequest
from headwater.execute.java import java_home
from headwater.lake import storage
from headwater.lake.binding import not_adopted
from headwater.lake.clock_check import HINT, clock_problem
from headwater.lake.site import Site
from headwater.observe.metrics import Metrics
from headwater.observe.server import serving
from headwater.registry import install
from headwater.service.adopt import examine
from headwater.service.connect import connect, open_existing
from headwater.service.lake import Lake
from headwater.service.wiring import spark_version
from headwater.worker.reporting import ReportingOptions

OLDEST_PYTHON = (3, 11)
SHORTEST_POLL, LONGEST_POLL = 0.1, 3600.0


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check, with a hint if it failed."""

    name: str
    ok: bool
    found: str
    hint: str | None = None


def doctor(place: str, data_path: str | None = None, *, deep: bool = False) -> tuple[Check, ...]:
    """Run all checks; Spark is started only if `deep`."""
    checks = [check_python(), check_java(), check_spark()]
    catalog, lake = check_catalog(place, data_path)
    checks.append(catalog)
    try:
        if lake is not None:
            checks += [*check_folder(lake.site), check_registry(lake.site), check_clock(lake.site)]
        checks.append(check_duckdb(lake))
        if deep:
            checks.append(_asked("spark session", _start_spark))
    finally:
        if lake is not None:
            lake.close()
    return tuple(checks)


def check_python() -> Check:
    """The interpreter is new enough."""
    oldest = ".".join(map(str, OLDEST_PYTHON))
    hint = f"Use Python {oldest} or newer."
    return Check("python", sys.version_info >= OLDEST_PYTHON, platform.python_version(), hint)


def check_java() -> Check:
    """Spark will find a Java."""
    return _asked("java", lambda: str(java_home()))


def check_spark() -> Check:
    """PySpark is installed."""
    try:
        return Check("spark", True, version("pyspark"))
    except PackageNotFoundError:
        return Check("spark", False, "pyspark is not installed", "Run: pip install pyspark")


def check_catalog(place: str, data_path: str | None) -> tuple[Check, Lake | None]:
    """The catalog answers, and is a lake; the lake, opened."""
    try:
        lake = open_existing(place, data_path)
    except HeadwaterError as error:
        return _failed("catalog", error), None
    return Check("catalog", True, lake.database.display_url.strip('"')), lake


def check_folder(site: Site) -> tuple[Check, ...]:
    """Catalog and data folder name each other, and then: files can be written."""
    adopted = check_adopted(site)
    return (adopted, check_data_path(site)) if adopted.ok else (adopted,)


def check_adopted(site: Site) -> Check:
    """Catalog and data folder name each other."""

    def look() -> str:
        report = examine(site)
        if report is not None and not report.writable:
            raise not_adopted(report)
        return "not in a folder" if report is None else str(report.verdict)

    return _asked("marker", look)


def check_data_path(site: Site) -> Check:
    """Files can be created and deleted in the data path."""
    probe = f"{site.data_path}.headwater-{os.getpid()}"

    def write() -> str:
        storage.create(probe).close()
        storage.delete(probe)
        return site.data_path

    return _asked("data path", write)


def check_registry(site: Site) -> Check:
    """The registry has this release's revision, or is not installed yet."""

    def look() -> str:
        with site.reader() as reader:
            return f"revision {install.HEAD}" if install.is_installed(reader.connection) else "not installed yet"

    return _asked("registry", look)


def check_clock(site: Site) -> Check:
    """The clock agrees with the newest snapshot and with the database."""
    try:
        problem = clock_problem(site)
    except HeadwaterError as error:
        return _failed("clock", error)
    return Check("clock", problem is None, problem or f"{site.clock.now():%Y-%m-%d %H:%M:%S} UTC", HINT)


def check_duckdb(lake: Lake | None) -> Check:
    """DuckDB starts in its own process and loads its extensions; on an empty lake if there is none."""
    if lake is not None:
        return _asked("duckdb", lambda: _ask_duckdb(lake))
    with tempfile.TemporaryDirectory() as folder, connect(folder) as empty:
        return _asked("duckdb", lambda: _ask_duckdb(empty))


def check_worker(
    place: str, data_path: str | None, poll_interval: float, outlets: ReportingOptions
) -> tuple[Lake | None, tuple[Check, ...]]:
    """All problems that prevent a worker from starting; without any, the opened lake."""
    catalog, lake = check_catalog(place, data_path)
    checks = [catalog, check_java(), _check_poll(poll_interval), check_metrics(outlets)]
    if lake is not None:
        checks += [*check_folder(lake.site), check_registry(lake.site)]
    wrong = tuple(check for check in checks if not check.ok)
    if wrong and lake is not None:
        lake.close()
    return (None if wrong else lake), wrong


def check_metrics(outlets: ReportingOptions) -> Check:
    """Metrics can be served on the configured address."""
    if outlets.metrics_port is None:
        return Check("metrics", True, "off")
    try:
        with serving(outlets.metrics_host, outlets.metrics_port, Metrics("").registry, dict) as address:
            return Check("metrics", True, address)
    except InvalidRequest as error:
        return Check("metrics", False, f"{error.message}: {error.detail}", error.hint)


def _check_poll(seconds: float) -> Check:
    ok = SHORTEST_POLL <= seconds <= LONGEST_POLL
    hint = f"Choose {SHORTEST_POLL:g} to {LONGEST_POLL:g} seconds."
    return Check("poll interval", ok, f"{seconds:g} seconds" + ("" if ok else " can't be the poll interval"), hint)


def _ask_duckdb(lake: Lake) -> str:
    ((found,),) = lake.sql("SELECT version()").rows
    return str(found).removeprefix("v")


def _start_spark() -> str:
    try:
        return f"version {spark_version()} started"
    except (RuntimeError, OSError) as error:
        raise EngineError("Spark does not start", detail=f"{error}", hint="Check Java's output.") from error


def _asked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except HeadwaterError as error:
        return _failed(name, error)


def _failed(name: str, error: HeadwaterError) -> Check:
    return Check(name, False, f"{error.message}: {error.detail}" if error.detail else error.message, error.hint)
