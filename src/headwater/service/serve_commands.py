"""Let commands on the same machine compute with a worker's Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from headwater.core.warehouse import Warehouse
from headwater.lake.site import Site
from headwater.service.compute_client import retire_backgrounds
from headwater.service.compute_server import ComputeServer, listen, removed_after
from headwater.service.compute_socket import ComputeFolder
from headwater.service.wiring import spark_driver


@contextmanager
def serving_commands(site: Site, warehouse: Warehouse) -> Iterator[None]:
    """While the block runs, commands on the lake use this process's Spark; afterwards, wait for those that do.

    Background processes of the lake end.
    """
    path = ComputeFolder.of(site).worker(warehouse, os.getpid())
    with listen(path) as listener, removed_after(path):
        server = ComputeServer(listener, spark_driver([warehouse]))
        retire_backgrounds(site)
        try:
            yield
        finally:
            server.close()
