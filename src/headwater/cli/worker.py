"""Run a worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED, note
from headwater.cli.logs import logger
from headwater.cli.open_lake import configure
from headwater.cli.options import HistoryDaysOption, RetentionDaysOption, setting_option
from headwater.core.errors import InvalidRequest
from headwater.core.warehouse import Warehouse, together
from headwater.maintain.steps import Rules
from headwater.service.doctor import check_worker
from headwater.service.worker_jobs import Plan, run_worker
from headwater.worker.loop import WorkerOptions
from headwater.worker.reporting import ReportingOptions


@command
def worker(
    call: Call,
    pg_url: Annotated[
        str | None, typer.Option("--pg-url", metavar="URL", help="The lake, if on PostgreSQL (env HEADWATER_PG_URL).")
    ] = None,
    data_path: Annotated[
        str | None,
        typer.Option(
            "--data-path",
            "--duckdb-path",
            metavar="PATH",
            help="Folder of the lake's data files (env HEADWATER_DATA_PATH).",
        ),
    ] = None,
    poll_interval: Annotated[str | None, setting_option("poll_interval", "SECONDS")] = None,
    history_days: HistoryDaysOption = None,
    retention_days: RetentionDaysOption = None,
    maintenance_interval: Annotated[str | None, setting_option("maintenance_interval", "SECONDS")] = None,
    refresh_timeout: Annotated[str | None, setting_option("refresh_timeout", "SECONDS")] = None,
    spark_memory: Annotated[str | None, setting_option("spark_memory", "MEMORY")] = None,
    warehouse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Serve only this warehouse; repeatable (default: DEFAULT and all on its driver)."
        ),
    ] = None,
    metrics_port: Annotated[str | None, setting_option("metrics_port", "PORT")] = None,
    metrics_host: Annotated[str | None, setting_option("metrics_host", "HOST")] = None,
    log_level: Annotated[str | None, setting_option("log_level")] = None,
    once: Annotated[bool, typer.Option("--once", help="Run one pass, then exit.")] = False,
) -> int | None:
    """Refresh dynamic tables on schedule until SIGTERM or SIGINT; a second signal exits at once."""
    settings = call.settings
    outlets = ReportingOptions(
        settings.metrics_port, settings.metrics_host, settings.alert_webhooks, settings.alert_overdue_after
    )
    lake, wrong = check_worker(settings.lake, settings.data_path, settings.poll_interval, outlets)
    served, refused = _served(settings.warehouses, warehouse or ())
    problems = [
        *settings.problems,
        *refused,
        *(f"{c.name}: {c.found}" + (f" ({c.hint})" if c.hint else "") for c in wrong),
    ]
    if problems or lake is None:
        if lake is not None:
            lake.close()
        note(f"the worker can't start, {len(problems)} problem{'s' if len(problems) > 1 else ''}:")
        for problem in problems:
            note(f"- {problem}")
        return FAILED
    configure(lake, settings)
    with lake:
        plan = Plan(settings.maintenance_interval, Rules(settings.history_days, settings.retention_days))
        duty = WorkerOptions(settings.poll_interval, outlets, once, tuple(each.name for each in served))
        run_worker(lake.site, lake.compute, logger(settings.log_level, settings.alert_webhooks), duty, plan)
    return None


def _served(known: Sequence[Warehouse], names: Sequence[str]) -> tuple[tuple[Warehouse, ...], tuple[str, ...]]:
    """The warehouses that a worker with these names serves, or the errors in the names."""
    try:
        return together(known, names), ()
    except InvalidRequest as error:
        return (), (f"warehouse: {error.message} ({error.hint})",)
