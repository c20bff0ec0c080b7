"""The HTTP endpoints /metrics and /healthz."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from headwater.core.errors import InvalidRequest

# The timeout in seconds of a silent client.
PATIENCE = 10.0

Health = Callable[[], Mapping[str, object]]


class _Server(ThreadingMixIn, TCPServer):
    allow_reuse_address = True
    daemon_threads = True
    # A client that still reads must not delay a stopping worker.
    block_on_close = False

    def __init__(self, host: str, port: int, registry: CollectorRegistry, health: Health) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.registry = registry
        self.health = health
        super().__init__((host, port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Don't log a client's lost connection."""


class _Handler(BaseHTTPRequestHandler):
    timeout = PATIENCE
    server: _Server

    def do_GET(self) -> None:
        match urlsplit(self.path).path:
            case "/metrics":
                encode, kind = choose_encoder(self.headers.get("Accept", ""))
                self._answer(200, kind, encode(self.server.registry))
            case "/healthz":
                self._answer(200, "application/json", json.dumps(self.server.health()).encode())
            case _:
                self._answer(404, "text/plain; charset=utf-8", b"see /metrics and /healthz\n")

    do_HEAD = do_GET

    def _answer(self, status: int, kind: str, text: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def version_string(self) -> str:
        return "headwater"

    def log_message(self, format: str, *args: object) -> None:
        """Don't log requests."""


@contextmanager
def serving(host: str, port: int, registry: CollectorRegistry, health: Health) -> Iterator[str]:
    """Serve /metrics and /healthz while the block runs; the address, of a free port if `port` is 0."""
    try:
        server = _Server(host, port, registry, health)
    except (OSError, OverflowError) as error:
        raise InvalidRequest(
            f"metrics can't be served on {host}:{port}",
            detail=f"{getattr(error, 'strerror', None) or error}.",
            hint="Choose another metrics_port, or stop the process that uses this port.",
        ) from error
    shown = f"[{host}]" if ":" in host else host
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="headwater-metrics", daemon=True)
    thread.start()
    try:
        yield f"http://{shown}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
