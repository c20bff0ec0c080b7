"""Create a lake and its configuration file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import note
from headwater.cli.settings import FILE
from headwater.core.redact import Redactor
from headwater.registry.install import install
from headwater.service.connect import connect

TEXT = """\
# Settings of Headwater for commands run in this folder.
# Flags override environment variables, which override this file; `headwater config show` prints the origin of each value.

# The lake: a folder, relative to this file, or postgresql://user@host/database (HEADWATER_LAKE).
{lake}

# Folder for the data files of a new lake, by default beside its catalog (HEADWATER_DATA_PATH).
{data_path}

# Seconds between a worker's checks for changes (HEADWATER_POLL_INTERVAL).
# poll_interval = 5

# Days to keep the history of refreshes (HEADWATER_HISTORY_DAYS).
# history_days = 7

# Days to keep snapshots for time travel; a dynamic table may set more (HEADWATER_RETENTION_DAYS).
# retention_days = 7

# Seconds between a worker's maintenance runs, 0 for none (HEADWATER_MAINTENANCE_INTERVAL).
# maintenance_interval = 3600

# Seconds after which a refresh is cancelled, 0 for no limit (HEADWATER_REFRESH_TIMEOUT).
# refresh_timeout = 0

# Spark's memory, by default half of the machine's and at most 8g (HEADWATER_SPARK_MEMORY).
# spark_memory = "8g"

# Port and address where a worker serves /metrics for Prometheus, and /healthz; off without a port (HEADWATER_METRICS_PORT,
# HEADWATER_METRICS_HOST).
# metrics_port = 9464
# metrics_host = "127.0.0.1"

# URLs that a worker sends alerts to, separated by spaces (HEADWATER_ALERT_WEBHOOK). Such addresses
# are secrets: keep them in the environment if this file is shared.
# alert_webhook = "https://…"

# Seconds after which a running refresh sends an alert, 0 for none (HEADWATER_ALERT_OVERDUE_AFTER).
# alert_overdue_after = 3600

# A worker's log level: debug, info, warning or error (HEADWATER_LOG_LEVEL).
# log_level = "info"

# Named Spark configurations, for dynamic tables with WAREHOUSE = NIGHTLY.
# [warehouses.nightly]
# master = "local[*]"
# pool = "batch"
"""


@command
def init(
    call: Call, path: Annotated[str | None, typer.Argument(help="Folder or URL of the lake (default: ./lake).")] = None
) -> None:
    """Create a lake, or prepare an existing one, and write headwater.toml."""
    call.settings.check()
    place = path or call.settings.lake
    with connect(place, call.settings.data_path) as lake:
        install(lake.database)
        note(f"lake {lake.database.display_url} is ready, its data in {lake.data_path}")
        secret = Redactor()(place) != place
    file = Path(FILE)
    if file.exists():
        note(f"{FILE} already exists and is not changed")
        return
    data_path = call.settings.data_path
    file.write_text(
        TEXT.format(
            # A password does not belong in a file that may be shared.
            lake="# lake = ..." if secret else f"lake = {json.dumps(place, ensure_ascii=False)}",
            data_path=f"{'# ' if data_path is None else ''}data_path = {json.dumps(data_path or '…', ensure_ascii=False)}",
        ),
        encoding="utf-8",
    )
    note(f"wrote {FILE}" + ("; the address contains a password, so set HEADWATER_LAKE instead" if secret else ""))
