"""The guides show what the commands print.

HEADWATER_GOLDEN=write writes the output into the pages instead; read their diff before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.surface.conftest import Cli
from tests.surface.page import Script, comparable, displayed, rewrite, steps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (
    "get-started/install",
    "guides/choose-an-interval",
    "guides/costs",
    "guides/read-explain",
    "guides/unsuitable-queries",
    "guides/when-to-use",
)
WRITE = os.environ.get("HEADWATER_GOLDEN") == "write"


def run(script: Script, cli: Cli) -> None:
    if script.language == "python":
        exec(script.text, {})
        return
    ran = cli("sql", script.text)
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_guide_print_what_it_shows(page: str, cli: Cli, folder: Path, spark: SparkSession) -> None:
    assert cli("init").code == 0
    guide = DOCS / f"{page}.md"
    printed: list[str] = []
    for step in steps(guide):
        if isinstance(step, Script):
            run(step, cli)
            continue
        ran = cli(*step.arguments)
        printed.append(displayed(ran.err + step.filtered(ran.out)))
        assert WRITE or comparable(printed[-1]) == comparable(step.output)
    if WRITE:
        rewrite(guide, printed)
