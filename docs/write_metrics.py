"""Writes docs/reference/metrics.md from the metrics of headwater.observe."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from headwater.observe.families import LAKE_GAUGES, WORKER_METRICS, Family
from headwater.observe.metrics import SECONDS

PAGE = Path(__file__).with_name("reference") / "metrics.md"
INTRODUCTION = """\
# Metrics

<!-- Written by `make docs` from src/headwater/observe/families.py. -->

A worker with a `metrics_port` serves these metrics under `/metrics`; see [monitoring](../guides/monitoring.md#metrics).
Labels are table names (`schema.name`), error codes and enumeration values, never free text. `action`, `strategy` and `state`
are those of the [history](history.md), or `none` if the refresh ended before that was known. `worker` is host and process id,
`webhook` the position of an address in `alert_webhook`. The usual `process_*` and `python_*` metrics of the Python process
are served too.
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
            "## Work of one worker\n",
            "Sum these over workers. They start at 0 with the worker.\n",
            table(WORKER_METRICS),
            f"Histograms have the buckets {buckets} seconds.\n",
            "## State of the lake\n",
            "Read from the catalog at each scrape, the same on every worker: use the maximum or minimum over workers.\n",
            table(LAKE_GAUGES),
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
