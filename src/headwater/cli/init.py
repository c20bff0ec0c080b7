"""Create a lake and its configuration file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import note
from headwater.cli.settings import FILE
from headwater.core.errors import FileFailed
from headwater.core.file_faults import fault_of
from headwater.core.redact import Redactor
from headwater.core.settings import SETTINGS, Setting
from headwater.registry.install import install
from headwater.service.connect import connect

HEAD = """\
# Settings of Headwater for commands run in this folder.
# Flags override environment variables, which override this file; `headwater config show` prints the origin of each value.
"""
WAREHOUSES = """
# Named Spark configurations, for dynamic tables with WAREHOUSE = NIGHTLY.
# [warehouses.nightly]
# master = "local[*]"
# pool = "batch"
"""


@command
def init(
    call: Call, path: Annotated[str | None, typer.Argument(help="Folder or URL of the lake (default: ./lake).")] = None
) -> None:
    """Create a lake, or prepare an existing one, and write headwater.toml."""
    call.settings.check()
    place = path or call.settings.lake
    with connect(place, call.settings.data_path) as lake:
        lake.database.admit()
        install(lake.database)
        note(f"lake {lake.database.display_url} is ready, its data in {lake.data_path}")
        secret = Redactor()(place) != place
    file = Path(FILE)
    if file.exists():
        note(f"{FILE} already exists and is not changed")
        return
    # A password does not belong in a file that may be shared.
    lake_line = "# lake = ..." if secret else f"lake = {_quoted(place)}"
    data_path = call.settings.data_path
    lines = {"lake": lake_line} | ({} if data_path is None else {"data_path": f"data_path = {_quoted(data_path)}"})
    try:
        file.write_text(file_text(lines), encoding="utf-8")
    except OSError as error:
        fault = fault_of(error.errno, error.strerror)
        raise FileFailed(f'cannot write "{file.absolute()}"', detail=fault.fact, hint=fault.remedy) from error
    note(f"wrote {FILE}" + ("; the address contains a password, so set HEADWATER_LAKE instead" if secret else ""))


def file_text(lines: Mapping[str, str]) -> str:
    """The text of headwater.toml with these lines; other settings are comments."""
    return HEAD + "".join(_entry(each, lines.get(each.name)) for each in SETTINGS) + WAREHOUSES


def _entry(setting: Setting, line: str | None) -> str:
    comment = f"{setting.meaning} ({setting.variables[0]})." if setting.comment is None else setting.comment
    above = "\n" + "".join(f"# {each}\n" for each in comment.split("\n")) if comment else ""
    if line is None:
        shown = setting.default or setting.example or ""
        line = f"# {setting.name} = {shown if shown.isdigit() else _quoted(shown)}"
    return f"{above}{line}\n"


def _quoted(text: str) -> str:
    """A string of TOML."""
    return json.dumps(text, ensure_ascii=False)
