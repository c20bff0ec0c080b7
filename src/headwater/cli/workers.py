"""List workers."""

from __future__ import annotations

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import note
from headwater.cli.open_site import open_site
from headwater.registry import install
from headwater.registry.workers import Worker, living

WORKERS = ("id", "host", "pid", "version", "started_at", "warehouses", "doing")


@command
def workers(call: Call) -> None:
    """List running workers."""
    with open_site(call.settings) as site, site.reader() as reader:
        installed = install.is_installed(reader.connection)
        found = living(reader.connection, site.database.kind) if installed else ()
    if not found:
        note("no worker is running")
    call.show(WORKERS, [_row(each) for each in found])


def _row(worker: Worker) -> tuple[object, ...]:
    warehouses = ", ".join(worker.warehouses)
    return (worker.id, worker.host, worker.pid, worker.version, worker.started_at, warehouses, worker.doing)
