"""Errors on stderr, and the exit codes that scripts see."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

import typer

from headwater.cli.output import Format, printable
from headwater.core.errors import CommitConflict, HeadwaterError, RefreshRunning

OK, FAILED, USAGE, LAG_BREACHED, CONFLICT = range(5)
# Plus the number of the signal that cancelled the command: 130 for Ctrl-C, 143 for SIGTERM.
SIGNALLED = 128


def tell(error: HeadwaterError, output: Format = Format.table) -> int:
    """Print the error, with JSON output as one object; returns the exit code."""
    if output is Format.json:
        body = {**error.body(), "position": error.position and asdict(error.position), "source_line": error.source_line}
        typer.echo(json.dumps(body, ensure_ascii=False), err=True)
    else:
        typer.echo(printable(error.with_source_line()), err=True)
    return CONFLICT if isinstance(error, CommitConflict | RefreshRunning) else FAILED


def warn(warnings: Iterable[str]) -> None:
    """Print the warnings of a statement on stderr."""
    for each in warnings:
        note(f"warning: {each}")


def note(text: str) -> None:
    """Print a message on stderr."""
    typer.echo(printable(text), err=True)
