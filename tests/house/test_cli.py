"""The commands are documented as they are."""

from __future__ import annotations

import pytest
import typer

from docs.write_cli import PAGE, commands, page
from headwater.cli.main import app

EVERY = dict(commands(typer.main.get_command(app), "headwater"))


def test_the_page_of_commands_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"


@pytest.mark.parametrize("name", EVERY)
def test_each_command_and_argument_explains_itself(name: str) -> None:
    assert EVERY[name].help.splitlines()[0].endswith(".")
    assert [parameter.name for parameter in EVERY[name].params if not parameter.help] == []
