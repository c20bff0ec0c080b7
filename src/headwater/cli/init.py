"""Make a lake, and a file that says where it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import note
from headwater.cli.settings import FILE
from headwater.core.redact import Redactor

TEXT = """\
# Settings of Headwater for commands run in this folder.
# A flag outranks an environment variable, that outranks this file; `headwater config show` tells which one won.

# The lake: a folder, relative to this file, or postgresql://user@host/database (HEADWATER_LAKE).
{lake}

# Where a new lake's files go, if not beside its catalog (HEADWATER_DATA_PATH).
{data_path}

# How often a worker looks for changes, in seconds (HEADWATER_POLL_INTERVAL).
# poll_interval = 5

# For how many days the history of refreshes is kept by a worker (HEADWATER_HISTORY_DAYS).
# history_days = 7

# For how many days snapshots are kept, and with them time travel; a dynamic table may ask for more (HEADWATER_RETENTION_DAYS).
# retention_days = 7

# How often a worker compacts, expires and cleans up, in seconds; 0 is never (HEADWATER_MAINTENANCE_INTERVAL).
# maintenance_interval = 3600

# How many seconds a refresh may take before it is ended, 0 for as long as it does (HEADWATER_REFRESH_TIMEOUT).
# refresh_timeout = 0

# How much memory Spark gets, half of the machine's by default and at most 8g (HEADWATER_SPARK_MEMORY).
# spark_memory = "8g"

# Where a worker serves /metrics for Prometheus, and /healthz; not at all without a port (HEADWATER_METRICS_PORT,
# HEADWATER_METRICS_HOST).
# metrics_port = 9464
# metrics_host = "127.0.0.1"

# Where a worker sends alerts, one address or several with blanks between them (HEADWATER_ALERT_WEBHOOK). Such addresses
# are secrets: keep them in the environment if this file is shared.
# alert_webhook = "https://…"

# After how many seconds a refresh that still runs is an alert, 0 for never (HEADWATER_ALERT_OVERDUE_AFTER).
# alert_overdue_after = 3600

# What a worker logs: debug, info, warning or error (HEADWATER_LOG_LEVEL).
# log_level = "info"

# Named ways to run Spark, for dynamic tables with WAREHOUSE = NIGHTLY.
# [warehouses.nightly]
# master = "local[*]"
# pool = "batch"
"""


@command
def init(
    call: Call, path: Annotated[str | None, typer.Argument(help="Folder or URL of the lake; ./lake by default.")] = None
) -> None:
    """Create a lake, or prepare one that is there, and write headwater.toml."""
    call.settings.check()
    from headwater.registry.install import install
    from headwater.service.connect import connect

    place = path or call.settings.lake
    with connect(place, call.settings.data_path) as lake:
        install(lake.database)
        note(f"lake {lake.database.display_url} is ready, its data in {lake.data_path}")
        secret = Redactor()(place) != place
    file = Path(FILE)
    if file.exists():
        note(f"{FILE} is there already and stays as it is")
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
    note(f"wrote {FILE}" + ("; the address has a password, so give it by HEADWATER_LAKE" if secret else ""))
