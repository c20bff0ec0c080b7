"""Writes docs/reference/cli.md from the commands of headwater.cli."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headwater.cli.main import COMMANDS, load

PAGE = Path(__file__).with_name("reference") / "cli.md"
INTRODUCTION = """\
# Commands

<!-- Written by `make docs` from src/headwater/cli/. -->

Data goes to stdout, everything else to stderr. `-o table|json|csv` sets the output format. JSON is an array of objects, with
times and intervals in ISO 8601, durations in seconds, maps as objects, and numbers that JSON lacks as the texts `NaN`,
`Infinity` and `-Infinity`. A table is one value, `schema.name` with double quotes only where SQL needs them, or has a column for
its schema and one for its name. NULL is `null` in JSON; in CSV it is empty, or the text of `--null` (`headwater sql`), and a text
is quoted where it could be taken for NULL. Errors are printed with [code, detail and hint](errors.md); with `-o json` as one JSON
object, which has `position` and `source_line` too.

A command that waits shows what for, and for how many seconds, on stderr: a spinner on a terminal, elsewhere a line every 10
seconds (not with `-o json`).

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | failed, or a check found a difference or a problem; `compute status` and `compute stop`: no process runs |
| 2 | the command line is wrong |
| 3 | `status`: a dynamic table has exceeded its target lag |
| 4 | another commit or refresh conflicted; retry |
| 130, 143 | cancelled by Ctrl-C or SIGTERM |

A list that is empty, such as that of `headwater workers`, is a success.

Every command accepts `--lake`, `--data-path` and `-o`; [settings](settings.md) lists other ways to set them. A lake in a folder
must have been created by `headwater init`, or by `headwater.connect` in Python. `--install-completion` installs shell completion.
"""
# Described once above.
SHARED = frozenset({"lake", "data_path", "output", "help"})


def commands() -> Iterator[tuple[str, Any]]:
    """All commands without subcommands, with their full names."""
    for each in COMMANDS:
        found = load(each)
        for word, command in getattr(found, "commands", {"": found}).items():
            yield f"headwater {each.name} {word}".rstrip(), command


def section(name: str, command: Any) -> str:
    """One command: its usage, its help and its arguments."""
    own = [p for p in command.params if p.name not in SHARED or "--duckdb-path" in p.opts]
    usage = [name, *(_metavar(p) for p in own if p.param_type_name == "argument")]
    if any(p.param_type_name == "option" for p in own):
        usage.append("[OPTIONS]")
    lines = [f"\n## {name}\n", f"```\n{' '.join(usage)}\n```\n", f"{command.help}\n"]
    if own:
        lines += ["| argument | meaning |", "|---|---|"]
        lines += [f"| `{_label(p)}` | {_cell(p.help or '')} |" for p in own]
        lines.append("")
    return "\n".join(lines)


def _metavar(argument: Any) -> str:
    shown = (argument.metavar or argument.name.upper()).strip("[]")
    shown += "..." if argument.nargs == -1 else ""
    return shown if argument.required else f"[{shown}]"


def _label(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return _cell(_metavar(parameter).strip("[]"))
    return ", ".join(parameter.opts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def page() -> str:
    """The text of docs/reference/cli.md."""
    return INTRODUCTION + "".join(section(name, command) for name, command in commands())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
