"""The background process that keeps Spark running between the commands on a lake; it never opens the catalog."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from headwater.core.errors import HeadwaterError
from headwater.core.warehouse import Warehouse
from headwater.service.compute_server import ComputeServer, removed_after
from headwater.service.wiring import compute_briefly, make_class_archive, spark_driver

_MEGABYTE = 2**20


def _with_little_memory(warehouse: Warehouse) -> Warehouse:
    """The warehouse, by default with so much memory that all of Java takes less than a quarter of the machine's."""
    if warehouse.memory is not None or not warehouse.master.startswith("local"):
        return warehouse
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MEGABYTE
    return replace(warehouse, memory=f"{min(8192, max(1024, total // 5))}m")


def main() -> None:
    """Serve on the socket of the first argument, as standard input says."""
    signal.signal(signal.SIGTERM, lambda _number, _frame: os._exit(0))
    given = json.load(sys.stdin)
    path, places = Path(given["path"]), [Path(each) for each in given["places"]]
    found = given["warehouse"]
    conf = tuple((name, value) for name, value in found.pop("conf"))
    warehouse = _with_little_memory(Warehouse(**found, conf=conf))
    compute_briefly()
    with socket.socket(fileno=int(sys.argv[1])) as listener, removed_after(path):
        server = ComputeServer(listener, spark_driver([warehouse]), disposable=True)
        was_idle = server.run(lambda: all(each.exists() for each in (path, *places)))
    if was_idle:
        # The machine has nothing to do now, and the next process starts faster.
        with suppress(HeadwaterError):
            make_class_archive()
    # Spark's Java ends with this process; threads that wait for it do not hold it up.
    os._exit(0)


if __name__ == "__main__":
    main()
