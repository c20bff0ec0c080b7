"""Start the background process that keeps Spark running between the commands on a lake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from headwater.core.warehouse import Warehouse
from headwater.lake.site import Site
from headwater.service.compute_server import listen
from headwater.service.compute_socket import log_of

# What the process takes over from the command that starts it.
ENVIRONMENT = ("HOME", "JAVA_HOME", "LANG", "PATH", "TMPDIR", "USER", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
# Popen warns of a process that outlives its object.
_started: list[subprocess.Popen[bytes]] = []


def start_compute(path: Path, site: Site, warehouse: Warehouse) -> int:
    """Start the process; it listens at the path from now on. Returns its process id."""
    with listen(path) as listener, open(log_of(path), "wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "headwater.service.compute_process", str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd="/",
            env=_environment(os.environ),
            pass_fds=[listener.fileno()],
            # Ctrl-C in the terminal is not for it.
            start_new_session=True,
        )
        _started.append(process)
        # Passed this way, no other user sees it: a warehouse may have secrets.
        given = {"path": str(path), "places": _places(site), "warehouse": asdict(warehouse)}
        assert process.stdin is not None
        with process.stdin:
            process.stdin.write(json.dumps(given).encode())
    return process.pid


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    return {name: given[name] for name in ENVIRONMENT if name in given}


def _places(site: Site) -> list[str]:
    """The paths without which the lake is gone."""
    url = site.database.url
    catalog = [str(url.database)] if site.database.kind == "sqlite" else []
    return [*catalog, *([] if "://" in site.data_path else [site.data_path])]
