"""How long a connection blocks over which nothing comes any more; run in a network of its own, which is taken down.

unshare --net python -m tests.faults.silence SECONDS
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import sqlalchemy as sa

from headwater.core.errors import StoreUnreachable
from headwater.store import database
from tests.postgres import run_postgres


def main() -> None:
    database.SILENCE = int(sys.argv[1])
    _link("up")
    with run_postgres() as server:
        store = database.Database(sa.make_url(server.url(server.new_database())))
        for sql, cut_after in (("SELECT 1", 0.0), ("SELECT pg_sleep(300)", 1.0)):
            sys.stdout.write(f"{_blocked(store, sql, cut_after):.1f}\n")
            sys.stdout.flush()


def _blocked(store: database.Database, sql: str, cut_after: float) -> float:
    """Seconds from the cut to the error, of a statement that is sent after it or that waits for its answer."""
    cut_at = [0.0]

    def cut() -> None:
        cut_at[0] = time.monotonic()
        _link("down")

    try:
        with store.read() as connection:
            connection.execute(sa.text("SELECT 1"))
            threading.Timer(cut_after, cut).start()
            time.sleep(0.0 if cut_after else 0.5)
            connection.execute(sa.text(sql))
    except StoreUnreachable:
        return time.monotonic() - cut_at[0]
    finally:
        _link("up")
        store.close()
    raise AssertionError("nothing was noticed")


def _link(state: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


if __name__ == "__main__":
    main()
