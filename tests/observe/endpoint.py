"""A web server that takes alerts, and answers as it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint:
    """The bodies that came, and the statuses that the next requests get; 204 when there is none left."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        self.slow = 0.0

    def wait_for(self, count: int, seconds: float = 10.0) -> list[dict[str, Any]]:
        deadline = time.monotonic() + seconds
        while len(self.bodies) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.bodies


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """An endpoint of the test's own; its path is the secret."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/json; charset=utf-8"
            found.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            status = found.statuses.pop(0) if found.statuses else 204
            time.sleep(found.slow)
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", found.url)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/s3cret")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield found
    server.shutdown()
    server.server_close()
