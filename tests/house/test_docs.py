"""What the pages show can be understood: SQL parses, Python compiles, and pages that list things list all of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile

import pytest
from typer.testing import CliRunner

from docs.write_cli import commands
from headwater.cli.main import app
from headwater.core.errors import SqlUnsupported
from headwater.sql.parse import parse, parse_piece
from headwater.sql.split import ScriptStatement, split
from tests.house.repository import ROOT

PAGES = (
    "README.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*/*.md") if path.parent.name != "internals"),
)
COMMANDS = frozenset(name for name, _ in commands())
OURS = frozenset("CREATE ALTER DROP SHOW REFRESH DESC DESCRIBE EXPLAIN VERIFY".split())  # noqa: SIM905


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def is_ours(piece: ScriptStatement) -> bool:
    """Whether our parser reads it; the rest is DuckDB's, CREATE TABLE … AS too."""
    return piece.verb in OURS and not re.match(r"CREATE\s+(OR\s+REPLACE\s+)?TABLE\s+\S+\s+AS\b", piece.text, re.I)


def statements() -> list[tuple[str, ScriptStatement]]:
    scripts = [(page, script) for page in PAGES for script in blocks(page, "sql")]
    scripts += [(page, script) for page in PAGES for script in re.findall(r'^headwater sql "(.*)"$', _text(page), re.M)]
    return [(page, piece) for page, script in scripts for piece in split(script, "duckdb") if is_ours(piece)]


def _text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize(("page", "piece"), statements(), ids=lambda part: str(getattr(part, "text", part))[:60])
def test_every_statement_of_the_pages_parses(page: str, piece: ScriptStatement) -> None:
    parse_piece(piece)


@pytest.mark.parametrize("page", PAGES)
def test_every_python_block_of_the_pages_compiles(page: str) -> None:
    for number, block in enumerate(blocks(page, "python"), 1):
        compile(block, f"{page}, block {number}", "exec")


def test_the_page_of_properties_names_every_one_that_the_parser_knows() -> None:
    with pytest.raises(SqlUnsupported) as refused:
        parse("CREATE DYNAMIC TABLE t NOTHING = 1 AS SELECT 1")
    known = (refused.value.hint or "").partition("The properties are ")[2].rstrip(".").split(", ")
    assert len(known) > 10
    assert [name for name in known if f"`{name}" not in _text("docs/reference/properties.md")] == []


def test_the_pages_are_listed() -> None:
    listed = re.findall(r"\]\(([\w/-]+\.md)\)", _text("docs/README.md"))
    docs = ROOT / "docs"
    assert {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} - {"README.md"} <= set(listed)


def calls() -> Iterator[tuple[str, str]]:
    """Each call of `headwater` in a block or in the text of a page."""
    for page in (page for page in PAGES if page != "docs/reference/cli.md"):
        for line in "".join(blocks(page, "(?:sh|console|)")).splitlines():
            if found := re.search(r"(?:^|^\$ |bin/|\w=\S+ |&& |\*  )(headwater .*)", line):
                yield page, found[1]
        for call in re.findall(r"`(headwater [a-z-][^`]*)`", _text(page)):
            yield page, call


def words_of(call: str) -> list[str]:
    """Its arguments, up to where the shell takes over."""
    reader = shlex.shlex(call, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    return list(takewhile(lambda word: not set(word) <= set("|&<>();"), reader))[1:]


@pytest.mark.parametrize(("page", "call"), sorted(set(calls())), ids=lambda part: str(part)[:60])
def test_every_command_of_the_pages_exists_with_its_options(page: str, call: str) -> None:
    words = words_of(call)
    # In the text, an option may stand without its value.
    value = ["x"] if words[-1].startswith("--") and f"`{call}`" in _text(page) else []
    asked = CliRunner().invoke(app, [*words, *value, "--help"])
    assert (asked.exit_code, asked.output.partition(" [")[0]) in {(0, f"Usage: {name}") for name in COMMANDS}
