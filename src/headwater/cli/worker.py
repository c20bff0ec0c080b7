"""Keep a lake fresh, and see who does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED, note
from headwater.cli.maintain import RetentionOption
from headwater.core.errors import InvalidRequest
from headwater.core.warehouse import Warehouse, together

WORKERS = ("id", "host", "pid", "version", "started_at", "warehouses", "doing")


@command
def worker(
    call: Call,
    pg_url: Annotated[
        str | None, typer.Option("--pg-url", metavar="URL", help="The lake, if on PostgreSQL; HEADWATER_PG_URL.")
    ] = None,
    data_path: Annotated[
        str | None,
        typer.Option(
            "--data-path", "--duckdb-path", metavar="PATH", help="Where the lake's files are; HEADWATER_DATA_PATH."
        ),
    ] = None,
    poll_interval: Annotated[
        str | None,
        typer.Option(metavar="SECONDS", help="How often to look for changes; HEADWATER_POLL_INTERVAL; 5 by default."),
    ] = None,
    history_days: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="How long to keep the history; HEADWATER_HISTORY_DAYS; 7 by default."),
    ] = None,
    retention_days: RetentionOption = None,
    maintenance_interval: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help="How often to maintain the lake, 0 for never; HEADWATER_MAINTENANCE_INTERVAL; 3600 by default.",
        ),
    ] = None,
    refresh_timeout: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS", help="End refreshes that take longer; HEADWATER_REFRESH_TIMEOUT; 0, none, by default."
        ),
    ] = None,
    spark_memory: Annotated[
        str | None,
        typer.Option(
            metavar="MEMORY",
            help="Spark's memory, such as 4g; HEADWATER_SPARK_MEMORY; half of the machine's by default.",
        ),
    ] = None,
    warehouse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Serve this warehouse alone; repeatable; by default DEFAULT and all on its driver."
        ),
    ] = None,
    metrics_port: Annotated[
        str | None,
        typer.Option(metavar="PORT", help="Serve /metrics and /healthz there; HEADWATER_METRICS_PORT; off by default."),
    ] = None,
    metrics_host: Annotated[
        str | None,
        typer.Option(metavar="HOST", help="The address to serve on; HEADWATER_METRICS_HOST; 127.0.0.1 by default."),
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(help="debug, info, warning or error; HEADWATER_LOG_LEVEL; info by default.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="One pass, then end.")] = False,
) -> int | None:
    """Keep all dynamic tables fresh until SIGTERM or SIGINT; a second signal ends at once."""
    from headwater.service.doctor import check_worker
    from headwater.service.worker_jobs import Plan, run_worker
    from headwater.worker.loop import WorkerOptions
    from headwater.worker.reporting import ReportingOptions

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
    from headwater.cli.logs import logger
    from headwater.maintain.steps import Rules

    call.give_means(lake)
    with lake:
        plan = Plan(settings.maintenance_interval, Rules(settings.history_days, settings.retention_days))
        duty = WorkerOptions(settings.poll_interval, outlets, once, tuple(each.name for each in served))
        run_worker(lake.site, lake.compute, logger(settings.log_level, settings.alert_webhooks), duty, plan)
    return None


def _served(known: Sequence[Warehouse], names: Sequence[str]) -> tuple[tuple[Warehouse, ...], tuple[str, ...]]:
    """The warehouses that a worker of these names serves, or what is wrong with the names."""
    try:
        return together(known, names), ()
    except InvalidRequest as error:
        return (), (f"warehouse: {error.message} ({error.hint})",)


@command
def workers(call: Call) -> None:
    """List the workers that are alive."""
    with call.lake() as lake:
        from headwater.registry import install
        from headwater.registry import workers as registry

        with lake.reader() as reader:
            there = install.is_installed(reader.connection)
            found = registry.living(reader.connection, lake.database.kind) if there else ()
    call.show(WORKERS, [[getattr(each, column) for column in WORKERS] for each in found])
