"""Check the environment."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED
from headwater.cli.output import Format
from headwater.service.doctor import Check
from headwater.service.doctor import doctor as examine


@command
def doctor(call: Call, deep: Annotated[bool, typer.Option("--deep", help="Also start Spark.")] = False) -> int | None:
    """Check Python, Java, Spark, DuckDB, the catalog, the data path and the registry."""
    settings = call.settings
    wrong = "; ".join(settings.problems)
    checks = [
        Check(
            "configuration",
            not wrong,
            wrong or "valid",
            "Run headwater config show to print each value with its origin.",
        ),
        *examine(settings.lake, settings.data_path, deep=deep),
    ]
    none = "" if call.output is Format.table else None
    rows = [(each.name, "ok" if each.ok else "failed", each.found, none if each.ok else each.hint) for each in checks]
    call.show(("check", "result", "found", "hint"), rows)
    return None if all(check.ok for check in checks) else FAILED
