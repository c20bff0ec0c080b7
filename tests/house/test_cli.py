"""The commands are documented as they are, and imported when they run."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.write_cli import PAGE, commands, page, section
from headwater.cli.main import COMMANDS, Command, load
from tests.house.repository import PACKAGE

EVERY = dict(commands())
MODULES = sorted((PACKAGE / "cli").glob("*.py"))
# What the help of `headwater` needs: its own options, and how errors are printed.
NEEDED = frozenset(
    """
    main collection options sql_argument output standard_output exit_codes interrupts loading
    """.split()  # noqa: SIM905
)
# Loaded only by commands that run, since each costs every start some tenths of a second.
SLOW = frozenset({"sqlalchemy", "sqlglot", "pyarrow", "pandas", "rich", "pyspark", "duckdb"})


def test_the_page_of_commands_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"


@pytest.mark.parametrize("name", EVERY)
def test_each_command_and_argument_explains_itself(name: str) -> None:
    assert EVERY[name].help.splitlines()[0].endswith(".")
    assert [parameter.name for parameter in EVERY[name].params if not parameter.help] == []


def test_an_argument_that_may_be_repeated_is_shown_so_once() -> None:
    repeated = {name: re.findall(r"\w+(\.+)", section(name, command)) for name, command in EVERY.items()}
    assert [name for name, dots in repeated.items() if any(len(each) > 3 for each in dots)] == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_table_of_commands_says_what_the_command_says(command: Command) -> None:
    assert load(command).help == command.help


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nonsense"]], ids=lambda words: words[0])
def test_help_imports_no_command(arguments: list[str]) -> None:
    program = (
        f"import sys\nfrom headwater.cli.main import app\ntry:\n    app({arguments!r})\n"
        "finally:\n    print('loaded', *sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    loaded = set(ran.stderr.splitlines()[-1].split()[1:])
    assert {name.removeprefix("headwater.cli.") for name in loaded if name.startswith("headwater.cli.")} <= NEEDED
    assert {name.split(".")[1] for name in loaded if name.startswith("headwater.")} <= {"cli", "core"}
    assert not SLOW & loaded


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_a_module_of_the_cli_imports_ours_at_its_top(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    hidden = [node for node in imports if node not in tree.body]
    assert [ast.unparse(node) for node in hidden if "headwater" in ast.unparse(node)] == []
