"""Writes docs/reference/metrics.md from the metrics of headwater.observe."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from headwater.observe.families import COUNTED, LOOKED_UP, Family
from headwater.observe.metrics import SECONDS

PAGE = Path(__file__).with_name("reference") / "metrics.md"
INTRODUCTION = """\
# Metrics

<!-- Written by `make docs` from src/headwater/observe/families.py. -->

What a worker with a `metrics_port` serves under `/metrics`; [observability.md](../guides/monitoring.md) says how to use it.
Labels are names of tables (`schema.name`), codes of errors and words of enumerations, never texts. `action`, `strategy`
and `state` are those of the [history](sql.md); `none` where a refresh did not get that far. `worker` is host and
process, `webhook` the place of an address in `alert_webhook`. Beside these there are the usual `process_*` and
`python_*` metrics of the Python process.
"""


def table(families: Iterable[Family]) -> str:
    """One row for each metric."""
    rows = [f"| `{each.name}` | {each.kind} | {', '.join(each.labels) or '–'} | {each.meaning} |" for each in families]
    return "\n".join(["| metric | kind | labels | meaning |", "|---|---|---|---|", *rows, ""])


def page() -> str:
    """The text of docs/reference/metrics.md."""
    buckets = ", ".join(f"{seconds:g}" for seconds in SECONDS)
    return "\n".join(
        [
            INTRODUCTION,
            "## What one worker counts of its own work\n",
            "Sum them over workers. They begin at 0 when a worker starts.\n",
            table(COUNTED),
            f"Histograms have the buckets {buckets} seconds.\n",
            "## What is read from the lake at each scrape\n",
            "Every worker of a lake says the same: take the maximum or minimum over workers, not the sum.\n",
            table(LOOKED_UP),
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
