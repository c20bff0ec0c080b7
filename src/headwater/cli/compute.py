"""The background process that computes for commands."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED, note
from headwater.cli.open_site import open_site
from headwater.service.compute_client import compute_status, stop_compute

compute = typer.Typer(no_args_is_help=True, help="The background process that computes for commands.")
_NONE = "no compute process is running"
COLUMNS = ("pid", "state", "started_at", "ends_at", "commands")


@command
def status(call: Call) -> int | None:
    """Show the lake's background compute processes, and the commands that use them; exit code 1 if there is none."""
    with open_site(call.settings) as site:
        found = compute_status(site)
    if not found:
        note(_NONE)
    call.show(COLUMNS, [_row(each) for each in found])
    return None if found else FAILED


@command
def stop(call: Call) -> int | None:
    """End the lake's background compute processes, after the commands that use them; exit code 1 if there is none."""
    with open_site(call.settings) as site:
        count = stop_compute(site, _report)
    note(f"{count} compute process{'' if count == 1 else 'es'} ended" if count else _NONE)
    return None if count else FAILED


def _report(found: dict[str, Any]) -> None:
    for each in found["commands"]:
        seconds = time.time() - each["since"]
        note(f"waiting for pid {each['pid']}: headwater {each['command']}, running for {seconds:.0f} s")


def _row(found: dict[str, Any]) -> tuple[object, ...]:
    commands = ", ".join(f"{each['pid']}: {each['command']}" for each in found["commands"])
    ends_at = None if found["commands"] else _time(found["used_at"] + found["idle"])
    return found["pid"], found["state"], _time(found["started_at"]), ends_at, commands


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


compute.command("status")(status)
compute.command("stop")(stop)
