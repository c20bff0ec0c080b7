"""What a full refresh costs over the bare query: TPC-H, ten views with REFRESH_MODE = FULL after a small change.

    make bench NAME=full               scale factor 1
    SCALE=0.1 VIEWS=few,many make bench NAME=full

*bare* is the same query run by the same Spark session and written to files. A full refresh compares with what is there and
writes the difference; a creation only writes.
"""

from __future__ import annotations

import math
import tempfile

import headwater
from bench.machine import machine
from bench.refresh import VIEWS, bare_seconds, change, chosen_views, load, timed


def main() -> None:
    print(machine())
    ratios = []
    with tempfile.TemporaryDirectory() as folder, headwater.connect(f"{folder}/lake") as lake:
        load(lake, folder)
        views = [name for name in chosen_views() if name != "chain"]
        for name in views:
            lake.sql(f"CREATE DYNAMIC TABLE {name} REFRESH_MODE = FULL AS {VIEWS[name]}")
            lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE {name} REFRESH_MODE = FULL AS {VIEWS[name]}")
        change(lake, 0.001, 1)
        for name in views:
            bare_seconds(lake, name)
            bare = min(bare_seconds(lake, name) for _ in range(2))
            (outcome,) = lake.refresh(name)
            create = timed(
                lambda name=name: lake.sql(
                    f"CREATE OR REPLACE DYNAMIC TABLE {name} REFRESH_MODE = FULL AS {VIEWS[name]}"
                )
            )
            ratios.append(outcome.seconds / bare)
            print(
                f"{name:9} {outcome.action:5} bare {bare:6.2f} s, refresh {outcome.seconds:6.2f} s "
                f"({outcome.seconds / bare:4.2f} x), creation {create:6.2f} s ({create / bare:4.2f} x)",
                flush=True,
            )
    print(f"geometric mean of refresh over bare: {math.exp(sum(map(math.log, ratios)) / len(ratios)):4.2f} x")


if __name__ == "__main__":
    main()
